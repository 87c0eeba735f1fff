"""A session as texts in their order, each with whose it is: what every question of provenance asks.

*typed* the person's · *said* the agent's prose · *call* what the agent ran or wrote · *file* a tracked file as a
reading tool shows it · *own* what the project's own commands print · *written* a file that the agent itself put into
words · *plan* what the agent planned elsewhere and the person accepted · *outside* everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tacit.hosts.tools import tools_of
from tacit.safety.repository import Repository
from tacit.safety.shell import OWN, Printed, Shell, calls

if TYPE_CHECKING:
    from tacit.core.run import Run, Step

TYPED = frozenset({"typed", "answer", "refusal", "choice"})
END_OF_LINE = "\0"  # in the text of a call: before it the shell line, behind it the other arguments
LONGEST, MOST = 60_000, 1_500_000  # characters of one text, and of a session, that are kept
CUT = "cut"  # whose the last text is where something was left out
_PATH_FIELDS = ("file_path", "path", "filePath", "notebook_path", "absolute_path", "target_file")
_LINE_FIELDS = ("command", "cmd", "script", "commandLine")
_CALLED_TOOL = re.compile(r"\btools\.(\w+)")
_CALLED_LINE = re.compile(r"\bcmd\s*:\s*([\"'`])(.*?)(?<!\\)\1", re.S)
_PATCHED = re.compile(r"\*\*\* (?:Add|Update) File: ([^\n\\]+)")
_JOB = re.compile(r"(?:with ID: |session ID |task )(\w+)")
_COMMITTED = re.compile(r"^\[[^\]\n]* ([0-9a-f]{7,40})\]", re.M)
_REMOTE = re.compile(r"\s*remote:|.*\[remote rejected\]|(?:fatal|error): remote error:")
# `make` and `set -x` show a call before what it prints: a program, an option, an address elsewhere.
_ASKS = re.compile(
    r"[+$> ]*[a-z][\w./-]* +(?:\S+ +)*?-\S+ +(?:\S+ +)*?[\"']?"
    r"[a-z]+://(?!localhost|127\.|0\.0\.0\.0|\[::1)"
)
# Of a search over files: the path before the number of the line.
_ROW = re.compile(r"[:-]\d+[:-]|:")


class Text(NamedTuple):
    """One text of a session."""

    at: int  # the number of its step
    whose: str
    text: str
    name: str = ""  # the tool or program that brought it
    usage: bool = False  # what one program said of itself when it failed


def texts_of(run: Run, repository: Repository) -> tuple[Text, ...]:
    """Every text of a session in order; of a very long one the first of them, and a last one that
    says so."""
    kept: list[Text] = []
    room, whole = MOST, True
    for text in _texts(run, repository):
        short = text.text[: min(LONGEST, room)]
        whole = whole and len(short) == len(text.text)
        room -= len(short)
        if short:
            kept.append(text._replace(text=short))
    return tuple(kept) if whole else (*kept, Text(len(run.steps), CUT, ""))


def _texts(run: Run, repository: Repository) -> Iterator[Text]:
    shell, tools = Shell(repository, run.cwd or repository.root), tools_of(run.host)
    jobs: dict[str, Printed] = {}
    begun = False  # somebody of the project spoke or called
    for at, step in enumerate(run.steps):
        if not step.tool:
            whose = _speaker(step)
            begun = begun or whose != "outside"
            if step.text and (begun or step.speaker not in ("host", "notice")):
                yield Text(at, whose, step.text, step.speaker or step.role)
            continue
        begun = True
        yield from _of_call(at, step, tools.get(step.tool, ""), shell, jobs)


def _speaker(step: Step) -> str:
    if step.role == "user" and (step.typed or step.speaker in TYPED):
        return "typed"
    if step.role == "assistant":
        return "said"
    return "plan" if step.speaker == "plan" else "outside"


def _of_call(
    at: int, step: Step, does: str, shell: Shell, jobs: dict[str, Printed]
) -> Iterator[Text]:
    given: Mapping[str, Any] = step.input or {}
    line, paths = _line(does, given), _paths(does, given)
    yield Text(at, "call", _called(line, given), step.tool)
    printed = _printed(step, does, line, paths, given, shell, jobs)
    output = step.output or step.error
    shell.took_in(output)
    if "commit" in line:
        shell.branches.update(_COMMITTED.findall(output[:4000]))
    if line:
        jobs.update((job, printed) for job in _JOB.findall(output[:400]))
    if not output:
        return
    name = printed.outside or _program(line) or step.tool
    if does == "person":
        yield Text(at, "typed", output, step.tool)
    elif printed.outside:
        alone = bool(step.error) and len(list(calls(line))) == 1
        yield Text(at, "outside", output, name, usage=alone)
    elif printed.by_line:
        yield from _rows(at, output, name, shell)
    elif printed.written:
        yield Text(at, "written", output, name)
    elif does == "read":
        yield Text(at, "file", output, name)
    else:
        own, brought = parted(output)
        if own:
            yield Text(at, "own", own, name)
        if brought:
            yield Text(at, "outside", brought, f"{name}, from a server")


def _printed(
    step: Step,
    does: str,
    line: str,
    paths: Sequence[str],
    given: Mapping[str, Any],
    shell: Shell,
    jobs: Mapping[str, Printed],
) -> Printed:
    """Whose words a call prints; what it does to the tree is followed."""
    root = shell.repository.root
    if does in ("shell", "script") and line:
        return shell.printed(line, str(given.get("workdir") or ""))
    if does == "write" or (does == "script" and paths):
        folders = {shell.folder, str(given.get("workdir") or root)}
        full = {shell.path(path, folder) for path in paths for folder in folders}
        shell.written |= full
        shell.worded |= full
        return OWN
    if does == "read":
        tracked = paths and all(shell.is_own(path, root) for path in paths)
        written = any(shell.path(path, root) in shell.worded for path in paths)
        return Printed(written=written) if tracked else Printed(f"{step.tool} of an untracked file")
    if does == "search":
        inside = bool(root) and all(shell.inside(shell.path(path, root)) for path in paths)
        return Printed(by_line=True) if inside else Printed(f"{step.tool} elsewhere")
    if does == "later":
        named = (given.get(key) for key in ("task_id", "bash_id", "session_id", "shellId"))
        return jobs.get(str(next(filter(None, named), "")), Printed(step.tool))
    return OWN if does in ("host", "person") else Printed(step.tool)


def _line(does: str, given: Mapping[str, Any]) -> str:
    """The shell line of a call; of a script that calls tools its lines, where it does nothing else."""
    if does == "script":
        script = str(given.get("input", ""))
        used = {*_CALLED_TOOL.findall(script)}
        plain = used <= {"exec_command", "apply_patch", "update_plan", "write_stdin"}
        return "\n".join(found[1] for found in _CALLED_LINE.findall(script)) if plain else ""
    if does != "shell":
        return ""
    value = next((given[key] for key in _LINE_FIELDS if given.get(key)), "")
    if isinstance(value, (list, tuple)):
        words = [str(word) for word in value]
        return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return str(value)


def _paths(does: str, given: Mapping[str, Any]) -> list[str]:
    named = [str(given[key]) for key in _PATH_FIELDS if isinstance(given.get(key), str)]
    if does in ("write", "script") and not named:
        return [path.strip() for path in _PATCHED.findall(str(given.get("input", "")))]
    return named


def _called(line: str, given: Mapping[str, Any]) -> str:
    """What the agent wrote in a call: its line, its words as a shell reads them, its arguments."""
    short = (
        f"{key}={value} {value}" if len(str(value)) <= 40 else str(value)
        for key, value in given.items()
        if value != line
    )
    words = (" ".join(call.words) for call in calls(line))
    return "\n".join((f"{line}\n{END_OF_LINE}", *short, *words))


def _program(line: str) -> str:
    first = next(calls(line), None) if line else None
    return first.program if first else ""


def parted(output: str) -> tuple[str, str]:
    """What a line of the project printed, and what of it a server said: the rows that git hands on,
    and all that follows a call, traced there, that asks an address."""
    rows = output.split("\n")
    asked = next((at for at, row in enumerate(rows) if _ASKS.match(row)), len(rows))
    said = {at for at, row in enumerate(rows) if at > asked or _REMOTE.match(row)}
    own = "\n".join(row for at, row in enumerate(rows) if at not in said)
    return own, "\n".join(rows[at] for at in sorted(said))


def _rows(at: int, output: str, name: str, shell: Shell) -> Iterator[Text]:
    """What a search found, apart by whether the file of a row is the project's."""
    rows: dict[bool, list[str]] = {True: [], False: []}
    for row in output.split("\n"):
        path = _ROW.split(row, maxsplit=1)[0].strip()
        strange = "/" in path and " " not in path
        own = not strange or any(
            shell.is_own(path, folder) for folder in (shell.repository.root, shell.folder)
        )
        rows[own].append(row)
    if any(rows[True]):
        yield Text(at, "own", "\n".join(rows[True]), name)
    if any(rows[False]):
        yield Text(at, "outside", "\n".join(rows[False]), f"{name} over untracked files")
