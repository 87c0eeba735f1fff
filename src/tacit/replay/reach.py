"""What a past run did beyond its own folder: pushed, published, deployed, posted; and whether it read from a forge.

Whoever publishes, deploys or posts again does it to others again: such a task is not replayed. One that pushed, or opened a pull
request, may be:
a clone has neither remotes nor credentials, so that doing it again fails and reaches nobody. One that reads from a forge cannot
be done without
them. An attempt counts, whether or not it worked. Asking others for something else (a fetch, an install, a page) is no such thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tacit.core.run import Step
from tacit.core.tables import Tables
from tacit.reading.command import commands, line_of

_tables = Tables(__file__)
_VERBS: dict[str, dict[str, str]] = {}
for _line in _tables.lines("DOES_TO_OTHERS"):
    _named, _, _words = _line.partition(":")
    _done, *_programs = _named.split()
    for _program in _programs:
        _VERBS.setdefault(_program, {}).update(
            dict.fromkeys((each.strip() for each in _words.split("/")), _done)
        )
_HARMLESS = ("--dry-run", "-n", "--help", "-h", "--version")
_PROGRAMS_THAT_POST = ("curl", "http", "https", "xh", "wget")
_POSTS = re.compile(
    r"(?:^|\s)(?:-X\s*|--request[= ])(?:POST|PUT|PATCH|DELETE)\b|(?:^|\s)(?:-d|-F|-T|--data\S*|--form\S*|--json|--upload-file)\b"
    r"|(?:^|\s)(?:--post-data|--post-file|--method=(?:POST|PUT|PATCH|DELETE))\b"
    r"|^(?:http|https|xh)\s+(?:POST|PUT|PATCH|DELETE)\b"
)
_AT_HOME = re.compile(
    r"(?:^|[\s'\"/@])(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|host\.docker\.internal)(?=[:/\s'\"]|$)"
    r"|(?:^|\s):\d{2,5}(?:/|\s|$)|--unix-socket"
)
# A tool that is no shell tells by its name what it does: `mcp__slack__post_message`, `send_email`, `create_pull_request`.
_TOOL = re.compile(
    r"(?:^|[_./-])(?:(?P<posted>post|send|reply|comment"
    r"|create_(?:issue|pull_request|pr|comment|page|message|event|ticket)|add_(?:issue_)?comment|merge_pull_request|update_issue)"
    r"|(?P<pushed>push(?:_files)?)|(?P<published>publish)|(?P<deployed>deploy\w*))(?:_|$|[./-])",
    re.IGNORECASE,
)
_OWN_TOOLS = re.compile(
    r"^(?:Todo|Task|Agent|Send(?:User)?Message|Read|Write|Edit|Bash|update_plan)", re.IGNORECASE
)


def reached(steps: Iterable[Step]) -> str:
    """What steps did to others that a replay would do again, or read from a forge, with the command; empty where they kept to
    themselves."""
    for step in steps:
        if step.role != "tool":
            continue
        found = _of_step(step)
        if found and not found.startswith(_HARMLESS_IN_A_CLONE):
            return found
        if not found and (read := _reads_forge(line_of(step))):
            return f"it reads from a forge, which a replay cannot reach: {read[:80]}"
    return ""


# without remotes and credentials these reach nobody
_HARMLESS_IN_A_CLONE = ("it pushed: ", "it posted: gh ", "it posted: glab ")
_FORGES = ("gh", "glab")


def _reads_forge(line: str) -> str:
    calls = commands(line) if line else ()
    return next((" ".join(call.words) for call in calls if call.program in _FORGES), "")


def _of_step(step: Step) -> str:
    line = line_of(step)
    if line:
        return of_line(line)
    if _OWN_TOOLS.match(step.tool):
        return ""
    named = _TOOL.search(step.tool.rpartition("__")[2] if "__" in step.tool else step.tool)
    return f"it {named.lastgroup}: {step.tool}" if named else ""


def of_line(line: str) -> str:
    """The same of one line for a shell."""
    for call in commands(line):
        words = list(call.proper)
        if not words:
            continue
        program, rest = words[0].rpartition("/")[2], words[1:]
        said = " ".join(call.words)
        if any(word in _HARMLESS for word in rest) and program not in ("curl", "wget", "ssh"):
            continue
        inner = next(
            (rest[at + 1] for at, word in enumerate(rest[:-1]) if word in ("-c", "-lc", "-ec")), ""
        )
        if inner and program in _SHELLS:
            if found := of_line(inner):
                return found
            continue
        kind = _kind(program, rest) or (
            _by_name(program, rest)
            if program in _RUNNERS or "/" in call.words[0] or program in _SHELLS
            else ""
        )
        if kind:
            return f"it {kind}: {said[:80]}"
        if program == "rsync" and any(re.match(r"[^/\s]+@?[\w.-]+:", word) for word in rest):
            return f"it deployed: {said[:80]}"
        if program in _PROGRAMS_THAT_POST and _POSTS.search(said) and not _AT_HOME.search(said):
            return f"it posted: {said[:80]}"
        if (
            program == "gh"
            and rest[:1] == ["api"]
            and re.search(
                r"(?:-X|--method)[= ]?(?:POST|PUT|PATCH|DELETE)|(?:^|\s)(?:-f|-F|--field|--raw-field|--input)\b",
                said,
            )
        ):
            return f"it posted: {said[:80]}"
    return ""


def _by_name(program: str, rest: list[str]) -> str:
    """What a script or target of the project's own does, by what it is called: `make deploy`, `./scripts/release.sh`."""
    named = next(
        (_NAMED.search(word) for word in (program, *rest[:3]) if _NAMED.search(word)), None
    )
    return (
        {"deploy": "deployed", "ship": "deployed", "push": "pushed"}.get(
            named[1].lower(), "published"
        )
        if named
        else ""
    )


_SHELLS = ("sh", "bash", "zsh", "dash")
_RUNNERS = _tables.words("RUNNERS")
_NAMED = re.compile(r"(?:^|[/:_-])(deploy|publish|release|ship|push)(?:$|[.:_-])", re.IGNORECASE)


def _kind(program: str, rest: list[str]) -> str:
    verbs = _VERBS.get(program, {})
    plain = (
        _without_values(rest)
        if program == "git"
        else [word for word in rest if not word.startswith("-")]
    )
    said = [
        " ".join(plain[:2]),
        *plain[:1],
        *(word for word in rest if word.startswith("--")),
        "" if plain else "-",
        "*",
    ]
    return next((verbs[each] for each in said if each in verbs), "")


def _without_values(rest: list[str]) -> list[str]:
    """Git's words without its own options, of which some take a value: -C PATH and -c NAME=VALUE come before the verb."""
    kept: list[str] = []
    skip = False
    for word in rest:
        if skip:
            skip = False
        elif word in ("-C", "-c", "--git-dir", "--work-tree", "--namespace"):
            skip = True
        elif not word.startswith("-"):
            kept.append(word)
    return kept
