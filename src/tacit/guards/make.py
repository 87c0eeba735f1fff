"""From a lesson to a condition that code can check, by rules: a few forms of sentence, and nothing where none fits.

A lesson names calls (in code, or in plain words that begin with a known program) and says one of few things of them: not this but that,
never this, first this then that, this only as that, not on this branch, not this file. A sentence with a condition that no call shows
("when the API changed", "unless asked") is none of them. A guard that is not made costs nothing; one that reads a sentence wrongly does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tacit.core.links import CONFIRMED
from tacit.core.memory import Memory, is_found_once
from tacit.core.programs import LOOKING, MANY_COMMANDS
from tacit.core.states import INJECTABLE
from tacit.guards.command import ANY_OF, SEVERAL, read
from tacit.guards.condition import Condition, Guard
from tacit.reading import command

# What a lesson calls by its name although a call spells it otherwise.
_BY_VERB = {verb: ("git", verb) for verb in ("commit", "push", "merge", "rebase", "stash")}
_OPTIONS = {
    "--no-verify": (
        ("git", "commit", "--no-verify"),
        ("git", "commit", "-n"),
        ("git", "push", "--no-verify"),
    ),
    "--force": (("git", "push", "--force"), ("git", "push", "-f")),
    "--amend": (("git", "commit", "--amend"),),
    "--no-gpg-sign": (("git", "commit", "--no-gpg-sign"),),
}
_CHECKS = {
    "tests": "test",
    "test suite": "test",
    "linter": "lint",
    "lint": "lint",
    "type check": "typecheck",
    "typecheck": "typecheck",
    "type checker": "typecheck",
    "formatter": "format",
    "build": "build",
}
_PROGRAMS = command.SUBCOMMANDS | frozenset(
    "npx bunx uvx pytest python python3 node pip3 tsc eslint prettier jest vitest hk rtk shellcheck shfmt".split()
)
# A name in code is a call only where it names a program.
_KNOWN_FORMS = (
    _PROGRAMS
    | command.LOOKING_PROGRAMS
    | command.INTERPRETERS
    | frozenset(
        """
        rm mv cp ln chmod chown sed awk curl wget psql mysql redis-cli tar zip unzip rsync scp tmux timeout sudo kill nohup gofmt gofumpt
        goimports golangci-lint cargo rustc rustfmt black ruff flake8 mypy isort pylint biome markdownlint markdownlint-cli2 tox nox
        """.split()
    )
)
_ALONE = ("timeout", "sudo", "nohup", "nice")  # stand in front of other programs
# without code marks English
_PROSE_PROGRAMS = frozenset(
    "just make task service stack fly moon inv invoke stop open code go".split()
)

_CODE = re.compile(r"`([^`\n]+)`")
_SPAN = re.compile(r"⟦(\d+)⟧")
_STOP = re.compile(
    r"[,;:.!?](?=\s|$)|\s[(–—]|\s(?:before|instead|not|and|or|to|for|in|with|on|from|when|if|as|because|rather|by|then|where|so|after|until"
    r"|locally|directly|itself|again|is|are|must|fails?|works?|here|does|which|that|through|cannot|needs?|has|over)\b"
)
_CONDITIONAL = re.compile(
    r"\b(?:when|whenever|if|unless|except|until|while|where|once|after|only|during|in case|for)\b",
    re.I,
)
_NEVER = r"\b(?:never|do not|don't|must not|avoid|stop)\b(?: ever| again| directly| yourself)?"
_BESIDE = r"[^.;⟦⟧]{0,40}?"


def _form(*parts: str) -> re.Pattern[str]:
    return re.compile("".join(parts), re.I)


_BARELY = r"(?: (?:running|using|calling|just|plain|bare|the|a|with|through|via|by|directly))*"
_SWAP = _form(
    r"⟦(\d+)⟧", _BESIDE, r",? (?:and )?(?:not|instead of|rather than|never)", _BARELY, r" ⟦(\d+)⟧"
)
_VERBS = r"(?: (?:run|running|use|using|call|calling|start|starting|execute|type|invoke|pass|add))?"
_FORBID = _form(_NEVER, _VERBS, r"(?: (?:the|a|any|plain|bare))? ⟦(\d+)⟧")
_FRONT = _form(r"⟦(\d+)⟧", _BESIDE, r",? not with ⟦(\d+)⟧ in front")
_AS = _form(
    r"(?:run|call) ⟦(\d+)⟧",
    _BESIDE,
    r" as ⟦(\d+)⟧|⟦(\d+)⟧",
    _BESIDE,
    r" (?:is|are) not (?:on|in) [^.;⟦⟧]{0,24}PATH\b[^⟦⟧]{0,60}⟦(\d+)⟧",
)
_WHAT = r"(?:⟦(\d+)⟧|(?:the |all )?(tests|test suite|linter|lint|type ?check(?:er)?|formatter|build|[a-z][\w-]*lint)\b)"
_THEN = r"(?:⟦(\d+)⟧|(?:you |a |an |any |every |each |the )?(commit|push|merge)(?:ting|ing|s)?\b)"
_RUN_BEFORE = _form(r"\brun ", _WHAT, r"[^.;⟦⟧]{0,60}?\bbefore ", _THEN)
_BEFORE_RUN = _form(r"\bbefore ", _THEN, r"[^.;⟦⟧]{0,24}?, (?:always |first )?run ", _WHAT)
_BRANCH = _form(
    _NEVER,
    r" (?:\w+ ){0,2}?(push|commit)\w*\b[^.;]{0,30}?\b(?:to|on|into) (?:the )?[`⟦]?(main|master|develop|dev|production|release)\b",
)
_ITSELF = (
    r"(?: (?:it|them|anything|automatically|yourself|on your own|without (?:asking|being asked)))?"
)
_BARE_VERB = _form(_NEVER, r" (commit|push|rebase|stash)(?=", _ITSELF, r"\s*(?:[.;,]|$))")
_FILE = _form(
    _NEVER,
    r"(?: manually)? (?:edit|change|update|modify|touch|overwrite|hand-edit)(?:ing)?(?: by hand)? (?:the |any |files? in )?",
    r"(⟦\d+⟧|[\w./*-]+)",
)
# Bounded pieces: what never closes would be looked for to the end of the text from each mark.
_MISSING_FORM = re.compile(
    r"`(?P<field>[^`]{1,300})` of `(?P<of>[^`]{1,300})` \(no such field\)"
    r"|several names behind `(?P<one>[^`]{1,300})` \(it takes one\)"
    r"|`(?P<call>[^`]{1,300})` \(no (?!such (?:path|field))[^:)]{0,300}(?:: (?P<way>[^)]{0,300}))?\)"
)
_PULL = _form(
    _NEVER,
    r" (?:make|open|create|file)\w* (?:any |a )?(?:(?P<draft>drafts?) )?(?:prs?|pull requests?)\b",
    r"(?: (?:against|to|into|on) (?:the )?`?(?P<base>[\w/-]+))?",
)
_Serving = Mapping[str, Sequence[str]]  # purpose -> commands
_Found = tuple[Condition | None, str]  # with what to do instead


def why_not(memory: Memory) -> str:
    """Why a lesson can be no guard whatever it says; empty where it may: its words are a person's, or seen in two pieces of work.

    Found once, imported, quoted, synced and agents' words never are: a guard in the wrong hands stops somebody's work.
    """
    signals = memory.tally.signals or {}
    if memory.state not in INJECTABLE or memory.gate != "allow" or memory.verdict == "harms":
        return "it is not in force"
    if memory.trust == "user" or signals.get(CONFIRMED):
        heard = (memory.extra or {}).get("word")
        vouched = not heard or signals.get(CONFIRMED) or heard in ("said", "shown")
        return "" if vouched else f"heard as {heard}, and nobody confirmed it"
    if memory.trust == "observed":
        return (
            ""
            if memory.tally.seen >= 2 and not is_found_once(memory)
            else "one piece of work saw it"
        )
    return f"its words are of tier {memory.trust}: keep it first (tacit keep)"


def guard_of(memory: Memory, serving: Mapping[str, Sequence[str]] | None = None) -> Guard | None:
    """The guard that a lesson's own words make; None where they make none. `serving` tells which commands serve a purpose here."""
    condition, instead = condition_of(memory.text, memory.paths, serving or {})
    return Guard(memory.id, memory.text, condition, instead) if condition is not None else None


def condition_of(
    text: str, paths: Sequence[str] = (), serving: Mapping[str, Sequence[str]] = {}
) -> _Found:
    """The condition in a text, and what to do instead."""
    if text.startswith("Does not work here"):
        return _of_missing(text)
    plain, spans = _marked(text)
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z⟦])", plain):
        for form in (_of_order, _of_branch, _of_calls, _of_files):
            condition, instead = form(sentence, spans, paths, serving)
            if condition is not None:
                return condition, instead
    return None, ""


def _of_missing(text: str) -> _Found:
    """What rules saw fail in two pieces of work: no such command, option, script, field."""
    rows: dict[tuple[str, ...], str] = {}
    for found in _MISSING_FORM.finditer(text):
        row = _row(found["of"] or found["one"] or found["call"])
        if row:
            extra = (
                (f"{ANY_OF}{found['field']}",)
                if found["field"]
                else (SEVERAL,)
                if found["one"]
                else ()
            )
            rows[(*row, *extra)] = found["way"] or ""
    ways = [
        f"`{' '.join(row)}`: {way}" if len(rows) > 1 else way for row, way in rows.items() if way
    ]
    return (Condition(calls=tuple(rows)), "; ".join(ways)) if rows else (None, "")


def _of_calls(
    sentence: str, spans: Sequence[str], paths: Sequence[str], serving: _Serving
) -> _Found:
    """Not this but that; never this; this only as that."""
    if found := _FRONT.search(sentence):
        return _calls([f"{spans[int(found[2])]} {spans[int(found[1])]}"]), spans[int(found[1])]
    if found := _AS.search(sentence):
        bare, as_ = (spans[int(at)] for at in found.groups() if at is not None)
        if bare.split()[0] in as_.split()[1:]:
            return _calls([bare.split()[0]]), as_
    if (found := _SWAP.search(sentence)) and not _is_conditional(sentence, found.start()):
        good, bad = spans[int(found[1])], spans[int(found[2])]
        if _row(bad) and _row(bad) != _row(good)[: len(_row(bad))]:
            return _calls([bad]), good
        return None, ""
    if (found := _FORBID.search(sentence)) and not _is_conditional(sentence, found.start()):
        bad = spans[int(found[1])]
        way = _SPAN.search(sentence, found.end())
        if bad in _OPTIONS:
            return Condition(calls=_OPTIONS[bad]), ""
        return _calls([bad]), spans[int(way[1])] if way and _row(spans[int(way[1])]) else ""
    if (found := _BARE_VERB.search(sentence)) and not _is_conditional(sentence, found.start()):
        return Condition(calls=(_BY_VERB[found[1].lower()],)), ""
    if (found := _PULL.search(sentence)) and (found["draft"] or found["base"]):
        made = ("gh", "pr", "create")
        calls = (
            ((*made, "--draft"), (*made, "-d"))
            if found["draft"]
            else ((*made, f"--base={found['base']}"), (*made, "--base", found["base"]))
        )
        return Condition(calls=calls), ""
    return None, ""


def _of_order(
    sentence: str, spans: Sequence[str], paths: Sequence[str], serving: _Serving
) -> _Found:
    """First this, then that."""
    if found := _RUN_BEFORE.search(sentence):
        span, check, then, verb = found.groups()
    elif found := _BEFORE_RUN.search(sentence):
        then, verb, span, check = found.groups()
    else:
        return None, ""
    if _is_conditional(sentence, found.start()) or _is_conditional(
        sentence[found.start() :], len(found[0])
    ):
        return None, ""
    named = "" if span else check.lower()
    first = (spans[int(span)],) if span else tuple(serving.get(_CHECKS.get(named, ""), ()))
    if named.endswith("lint") and named != "lint":
        first = (named, f"{named}-cli2", f"{named}-cli")
    calls = _calls([spans[int(then)]]) if then else Condition(calls=(_BY_VERB[verb.lower()],))
    rows = tuple(row for each in first if (row := _row(each)))
    if not rows or calls is None or any(row in rows for row in calls.calls):
        return None, ""
    return Condition(calls=calls.calls, first=rows), first[0]


def _of_branch(
    sentence: str, spans: Sequence[str], paths: Sequence[str], serving: _Serving
) -> _Found:
    """Not on this branch."""
    spelled = _SPAN.sub(lambda at: spans[int(at[1])], sentence)
    found = _BRANCH.search(spelled)
    if found is None or _is_conditional(spelled, found.start()):
        return None, ""
    return Condition(calls=(_BY_VERB[found[1].lower()],), branch=(found[2].lower(),)), ""


def _of_files(
    sentence: str, spans: Sequence[str], paths: Sequence[str], serving: _Serving
) -> _Found:
    """Not this file."""
    found = _FILE.search(sentence)
    if found is None or _is_conditional(sentence, found.start()):
        return None, ""
    named = _SPAN.sub(lambda at: spans[int(at[1])], found[1]).rstrip(".")
    if ("." in named or "/" in named) and " " not in named and "://" not in named:
        return Condition(
            files=(named.removeprefix("./").rstrip("/") + ("/*" if named.endswith("/") else ""),)
        ), ""
    held = (
        [path for path in paths if named.lower() in path.rpartition("/")[2].lower()]
        if len(named) > 5
        else []
    )
    return (Condition(files=(held[0],)), "") if len(held) == 1 else (None, "")


def _is_conditional(sentence: str, start: int) -> bool:
    """Whether the clause around a place says when it holds: that no call shows."""
    clause = re.split(r"[;]", sentence[:start])[-1] + re.split(r"[;:]", sentence[start:])[0]
    return _CONDITIONAL.search(_SPAN.sub("", clause)) is not None


def _marked(text: str) -> tuple[str, list[str]]:
    """A text with its commands as numbers, and they."""
    spans: list[str] = []

    def mark(span: str) -> str:
        spans.append(span.strip())
        return f"⟦{len(spans) - 1}⟧"

    if "`" in text:
        return _CODE.sub(lambda code: mark(code[1]), text), spans
    out, at = "", 0
    for word in re.finditer(r"(?<![\w./-])[a-z][\w-]+(?= )", text):
        if word.start() < at or word[0] not in _PROGRAMS - _PROSE_PROGRAMS:
            continue
        end = _STOP.search(text, word.end())
        stop = end.start() if end else len(text)
        if stop == word.end() and word[0] in MANY_COMMANDS:
            continue
        out, at = out + text[at : word.start()] + mark(text[word.start() : stop]), stop
    return out + text[at:], spans


def _calls(commands: Iterable[str]) -> Condition | None:
    rows = tuple(dict.fromkeys(row for each in commands if (row := _row(each))))
    return Condition(calls=rows) if rows else None


def _row(command: str) -> tuple[str, ...]:
    """The words of a command as a pattern; none where it is no call, or one that says too little."""
    cut = re.split(r"\s(?:<|…|\.\.\.|\[)|[<…]", command, maxsplit=1)[0].strip()
    if cut in _ALONE:
        return (cut,)
    found = read(cut) if cut else None
    if not found or len(found) != 1:
        found = (
            found[-1:] if found and all(each.program in LOOKING for each in found[:-1]) else None
        )
    if not found:
        return ()
    words = tuple(word for word in found[0].words if word not in ("--", ".") and "*" not in word)
    program = found[0].program
    if program not in _KNOWN_FORMS and not found[0].words[0].startswith(
        ("./", "scripts/", "bin/", "script/")
    ):
        return ()
    few = len(words) < 2
    return (
        ()
        if few and (program in LOOKING or program in MANY_COMMANDS or program in _BY_VERB)
        else (program, *words[1:])
    )
