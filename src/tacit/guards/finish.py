"""A check at the end of the work: what must be so when an agent says that it is done, in a small closed form.

*ran* (this command passed after the last change of these files), *with* (where this changed, that changed too), *holds*
(each file written here has this key, time, name, or a copy beside it), *not* (these files are unchanged). Nothing is
run: judged is what the host recorded and what the written files hold; what cannot be decided is silent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

from tacit.core.errors import UsageError
from tacit.core.run import Run, Step
from tacit.core.shell_line import simple_commands
from tacit.core.value import value
from tacit.guards.command import fits, read
from tacit.reading.command import line_of

RAN, WITH, HOLDS, NOT = "ran", "with", "holds", "not"
NEW = "new"
KEY, TIME, NAME, COPY = "key", "time", "name", "copy"  # what a file may be asked to hold
CHECKS = "checks:"  # with a project's id, what the store notes: its armed checks by lesson
KEPT, BROKEN, MOOT, UNDECIDED = "kept", "broken", "moot", "undecided"
LARGEST = 1_000_000  # characters of a file that are looked at
_MANY = 50  # files whose contents are looked at
_WRITING_TOOLS = frozenset("Write write_file create create_file".split())
_EDITING_TOOLS = frozenset(
    "Edit MultiEdit NotebookEdit apply_patch replace edit str_replace_editor".split()
) | frozenset(_WRITING_TOOLS)
# What a name may be made of, in braces; everything else stands for itself.
_NAME_PARTS = {
    "date": r"\d{8}",
    "day": r"\d{4}-\d\d-\d\d",
    "snake": r"[a-z0-9]+(?:_[a-z0-9]+)*",
    "kebab": r"[a-z0-9]+(?:-[a-z0-9]+)*",
    "number": r"\d+",
    "any": r".+",
}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)")
_EXAMPLES = (
    "For instance 'ran make test after src/*.py', 'with src/*.py: CHANGELOG.md', "
    "'holds *.json: key meta.author', 'holds *.json: time due_date, *_at', "
    "'holds new *.md: key author', 'holds reports/*: name {date}_{snake}.{any}', "
    "'holds *.md: copy .bak', 'not package-lock.json'."
)


@value
class Check:
    """One condition on a session's end."""

    form: str
    files: tuple[str, ...] = ()  # patterns of what it is about; empty: any file
    call: tuple[str, ...] = ()  # of `ran`: the words of the command
    partner: str = ""  # of `with`: the pattern of what must have changed too
    wants: str = ""  # of `holds`: key, time, name or copy …
    what: str = ""  # … and which one
    only: str = ""  # of `holds`: NEW where only files that this work made are meant


@value
class Ran:
    """A command that ran, and whether the host's record shows that it passed; None where it does not tell."""

    words: tuple[str, ...]
    passed: bool | None


@value
class Wrote:
    """A file that was changed."""

    path: str  # from the folder of the session, where it lies below it
    text: str | None = None  # all of it, where the record has it
    was_there: bool | None = None  # before this change


@value
class Judged:
    """What became of a check, and what the agent is told to do where it is broken."""

    word: str
    said: str = ""


Work = tuple[Ran | Wrote, ...]


# -- the form -----------------------------------------------------------------------------------------


def check_of(text: str) -> Check:
    """A check as a person types it; UsageError where it is none of the four forms."""
    form, _, rest = " ".join(text.split()).partition(" ")
    about, _, wanted = rest.partition(":")
    about, wanted = about.strip(), wanted.strip()
    if form == RAN and rest:
        command, _, files = rest.partition(" after ")
        found = read(command)
        if found and len(found) == 1:
            return Check(RAN, _patterns(files), found[0].words)
        raise UsageError(f"{command!r} is not one plain command.", _EXAMPLES)
    if form == WITH and about and wanted and "," not in wanted:
        return Check(WITH, _patterns(about), partner=wanted)
    if form == NOT and rest:
        return Check(NOT, _patterns(rest))
    kind, _, what = wanted.partition(" ")
    if form == HOLDS and about and kind in (KEY, TIME, NAME, COPY) and what.strip():
        if kind == NAME:
            _name_pattern(what)  # says what is wrong with it
        # a name is asked of files that were made: nobody renames what is only changed
        only = NEW if kind == NAME or about.startswith(f"{NEW} ") else ""
        named = _patterns(about.removeprefix(f"{NEW} "))
        return Check(HOLDS, named, wants=kind, what=what.strip(), only=only)
    raise UsageError(f"{text!r} is no check on the end of the work.", _EXAMPLES)


def sentence(check: Check) -> str:
    """A check as a person reads it before it is armed."""
    files = " or ".join(check.files) or "any file"
    if check.form == RAN:
        return f"where {files} changed, `{' '.join(check.call)}` passed after the last change"
    if check.form == WITH:
        return f"where {files} changed, {check.partner} changed too"
    if check.form == NOT:
        return f"{files} is left as it was"
    made = "made" if check.only else "written"
    return f"each {files} that was {made} {_WANTED[check.wants].format(check.what)}"


_WANTED = {
    KEY: "has the key {}",
    TIME: "has a date, a time and an offset in {}",
    NAME: "is named {}",
    COPY: "has a copy ending in {} beside it, if it was there before",
}


def check_json(check: Check) -> dict[str, object]:
    """A check as it is kept."""
    return {name: at for name, at in check.__dict__.items() if at}


def check_from(kept: dict[str, object]) -> Check:
    """A check from what was kept; ValueError for what is none."""
    rows = {name: kept.get(name, ()) for name in ("files", "call")}
    texts = {name: kept.get(name, "") for name in ("form", "partner", "wants", "what", "only")}
    lists = all(isinstance(each, (list, tuple)) for each in rows.values())
    if not lists or not all(isinstance(each, str) for each in texts.values()):
        raise ValueError("no check")
    if texts["form"] not in (RAN, WITH, HOLDS, NOT):
        raise ValueError("no check of this version")
    return Check(**{name: tuple(map(str, at)) for name, at in rows.items()}, **texts)  # type: ignore[arg-type, call-overload]


def _patterns(text: str) -> tuple[str, ...]:
    return tuple(each.strip().removeprefix("./") for each in text.split(",") if each.strip())


# -- the work -----------------------------------------------------------------------------------------


def work_of(run: Run, steps: Sequence[Step] | None = None) -> Work:
    """What a session ran and wrote, in its order; `steps` where only a part of it is asked about."""
    texts: dict[str, str | None] = {}
    found: list[Ran | Wrote] = []
    for step in run.steps if steps is None else steps:
        if line := line_of(step):
            found += _of_line(step, line)
        elif step.tool in _EDITING_TOOLS and step.files and not step.error and not step.interrupted:
            for path in step.files:
                wrote = _written(step, _below(path, run.cwd), texts)
                texts[wrote.path] = wrote.text
                found.append(wrote)
    return tuple(found)


def _of_line(step: Step, line: str) -> Iterator[Ran | Wrote]:
    parts = list(simple_commands(line))
    for at, (words, _, _, _, writes, _) in enumerate(parts):
        for path in writes if not step.error else ():
            yield Wrote(path.removeprefix("./"))
        command = read(" ".join(words))
        if command and len(command) == 1 and words[0] != "!":
            yield Ran(command[0].words, _passed(step, [part[1:3] for part in parts], at))


def _passed(step: Step, operators: Sequence[tuple[str, str]], at: int) -> bool | None:
    """Whether the record shows that one command of a line passed."""
    given = step.input or {}
    if step.interrupted or given.get("run_in_background"):
        return None
    before, after = operators[at]
    if before in ("|", "|&", "||") or after in ("|", "|&", "||", "&", "(", ")"):
        return None
    if any(sign != "&&" for _, sign in operators[at:-1]):
        return None
    failed = bool(step.error) if step.status is None else step.status != 0
    if not failed:
        return True
    return False if len(operators) == 1 else None


def _written(step: Step, path: str, texts: dict[str, str | None]) -> Wrote:
    given = step.input or {}
    known = path in texts
    if step.tool in _WRITING_TOOLS:
        text, said = given.get("content"), step.output[:200].lower()
        was = True if known or "updated" in said else False if "created" in said else None
        return Wrote(path, text if isinstance(text, str) else None, was)
    old, new, text = given.get("old_string"), given.get("new_string"), texts.get(path)
    if isinstance(old, str) and isinstance(new, str) and text is not None and old in text:
        return Wrote(path, text.replace(old, new, 1), True)
    patch = str(given.get("input") or given.get("patch") or "")
    return Wrote(path, None, f"*** Add File: {path}" not in patch)


def _below(path: str, folder: str) -> str:
    top = folder.rstrip("/") + "/"
    return path[len(top) :] if folder and path.startswith(top) else path.removeprefix("./")


# -- the judgement ------------------------------------------------------------------------------------

Reads = Callable[[str], str | None]  # what a file holds; None where it is not there or no text


def judged(check: Check, work: Work, reads: Reads) -> Judged:
    """What becomes of a check after this work. `reads` looks into a file where the record does not hold all of it."""
    mine = [
        (at, each)
        for at, each in enumerate(work)
        if isinstance(each, Wrote) and _is_any(check.files, each.path)
    ]
    if not mine:
        return Judged(MOOT)
    last = mine[-1][1].path
    if check.form == NOT:
        return Judged(BROKEN, f"{last} is to be left as it was: take the change back")
    if check.form == WITH:
        done = any(isinstance(each, Wrote) and _is_file(check.partner, each.path) for each in work)
        told = f"{last} changed, and {check.partner} did not: bring it up to date"
        return Judged(KEPT) if done else Judged(BROKEN, told)
    if check.form == RAN:
        return _ran(check, work[mine[-1][0] + 1 :], last)
    return _holds(check, {each.path: each for _, each in mine}, [*work], reads)


def _ran(check: Check, after: Work, last: str) -> Judged:
    command = f"`{' '.join(check.call)}`"
    ended = [each.passed for each in after if isinstance(each, Ran) and _is_call(check, each)]
    if True in ended:
        return Judged(KEPT)
    if None in ended:
        return Judged(UNDECIDED, f"the record does not show whether {command} passed")
    if ended:
        return Judged(BROKEN, f"{command} failed after the last change of {last}: mend it")
    return Judged(BROKEN, f"{command} did not run since {last} changed: run it")


def _is_call(check: Check, ran: Ran) -> bool:
    return any(fits(check.call, ran.words[at:]) for at in range(min(4, len(ran.words))))


def _holds(check: Check, files: dict[str, Wrote], work: list[Ran | Wrote], reads: Reads) -> Judged:
    undecided = ""
    for path, wrote in [*files.items()][:_MANY]:
        made = not check.only or _was_made(path, work)
        if made is False:
            continue
        if made is None:
            verdict = None
        elif check.wants == NAME:
            verdict = _name_pattern(check.what).fullmatch(path.rpartition("/")[2]) is not None
        elif check.wants == COPY:
            verdict = _has_copy(check, path, wrote, work, reads)
        else:
            text = wrote.text if wrote.text is not None else reads(path)
            verdict = None if text is None else _holds_text(check, path, text)
        if verdict is False:
            return Judged(BROKEN, f"{path}: {_MISSING[check.wants].format(check.what)}")
        undecided = path if verdict is None else undecided
    return Judged(UNDECIDED, f"{undecided} cannot be read") if undecided else Judged(KEPT)


_MISSING = {
    KEY: "the key {} is missing",
    TIME: "{} is no date and time with an offset (2026-03-16T09:30:00+08:00)",
    NAME: "its name is not {}",
    COPY: "it was there before, and no copy ending in {} lies beside it: make one of what it was",
}


def _was_made(path: str, work: list[Ran | Wrote]) -> bool | None:
    """Whether this work made a file; None where the record does not tell."""
    first = next(each for each in work if isinstance(each, Wrote) and each.path == path)
    return None if first.was_there is None else not first.was_there


def _has_copy(
    check: Check, path: str, wrote: Wrote, work: list[Ran | Wrote], reads: Reads
) -> bool | None:
    first = next(each for each in work if isinstance(each, Wrote) and each.path == path)
    if first.was_there is False:
        return True
    copy = path + check.what if check.what.startswith(".") else check.what
    copied = any(
        isinstance(each, Ran) and each.words[:1] == ("cp",) and copy in each.words for each in work
    )
    if copied or reads(copy) is not None:
        return True
    return None if first.was_there is None else False


def _holds_text(check: Check, path: str, text: str) -> bool | None:
    """Whether a JSON document, or the block in front of a Markdown page, has a key; None for any other file."""
    if len(text) > LARGEST:
        return None
    if path.endswith(".json"):
        try:
            held: object = json.loads(text)
        except (ValueError, RecursionError):
            return None
    elif path.endswith((".md", ".markdown")):
        held = _front(text)
    else:
        return None
    if check.wants == KEY:
        return bool([*_at(held, check.what.split("."))])
    said = [
        each
        for name in _patterns(check.what)
        for each in (_at(held, name.split(".")) if "." in name else _named(held, name))
    ]
    if not said:
        return None  # a file without times is about something else
    return all(isinstance(each, str) and _MOMENT.fullmatch(each) for each in said)


def _front(text: str) -> dict[str, str]:
    """The `name: value` lines between the first two lines of three dashes."""
    lines = text.split("\n")
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        return {}
    rows = (line.partition(":") for line in lines[1 : lines.index("---", 1)])
    return {name.strip(): said.strip() for name, colon, said in rows if colon}


def _at(held: object, names: Sequence[str]) -> Iterator[object]:
    """What stands behind a path of keys; a list is gone through."""
    if isinstance(held, list):
        for each in held:
            yield from _at(each, names)
    elif not names:
        yield held
    elif isinstance(held, dict) and names[0] in held:
        yield from _at(held[names[0]], names[1:])


def _named(held: object, name: str) -> Iterator[object]:
    """Everything that stands behind a key of this name, however deep; `*` is any part of it."""
    if isinstance(held, list):
        for each in held:
            yield from _named(each, name)
    elif isinstance(held, dict):
        for key, each in held.items():
            if _is_file(name, key):
                yield from each if isinstance(each, list) else [each]
            else:
                yield from _named(each, name)


def _name_pattern(what: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", what)
    unknown = [name for name in parts[1::2] if name not in _NAME_PARTS]
    if unknown:
        raise UsageError(
            f"{{{unknown[0]}}} is no part of a name.", f"Known are {', '.join(_NAME_PARTS)}."
        )
    shown = [_NAME_PARTS[each] if n % 2 else re.escape(each) for n, each in enumerate(parts)]
    return re.compile("".join(shown))


def _is_any(patterns: Sequence[str], path: str) -> bool:
    return not patterns or any(_is_file(each, path) for each in patterns)


def _is_file(pattern: str, path: str) -> bool:
    """Whether a pattern is about a path: without a slash its name, else the path from the top."""
    if "/" not in pattern:
        path = path.rpartition("/")[2]
    said = "".join(
        {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}.get(each) or re.escape(each)
        for each in re.split(r"(\*\*/|\*\*|\*)", pattern)
    )
    return re.fullmatch(said, path) is not None
