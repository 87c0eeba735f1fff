"""Plain logs of CI: GitHub Actions, GitLab, Jenkins and what prints its commands like them. A log is a run, a failed command a finding.

A log is whatever a build cares to print, its own test data and dependencies included. So none of its prose becomes a lesson: a
finding is our own sentence over the command and the decisive line of its error, and the rest is evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.digest import short_hash
from tacit.core.run import Finding, Reading, Run, Step
from tacit.formats.source import Source
from tacit.words.diagnose import in_our_words
from tacit.words.signature import signature

NAME = "cilog"
MOST_LINES = 500_000
_KEPT = 200  # last lines of a command's output that are kept
_MOST = 200  # commands of a log

_MARKS = re.compile(
    rb"##\[(?:group|error|section|command)\]|section_start:\d+:|Running with gitlab-runner|^::(?:group|error)|Pipeline\] (?:sh|stage)",
    re.M,
)
_TERMINAL_CODES = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|section_(?:start|end):\d+:[^\r\n]*[\r]?"
)
_STAMP = re.compile(
    r"^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?\]?|\[\d\d:\d\d:\d\d\])\s?(?:\d\d[OE]\+?\s)?"
)
_COMMAND = re.compile(
    r"^(?:##\[group\]Run |::group::Run |##\[command\]|\[command\]|\$ |\+ )(?P<it>\S.*)$"
)
_FAILED = re.compile(
    r"^(?:##\[error\]|::error\b[^:]*::|ERROR: )?(?:The )?"
    r"(?:Process completed with exit code|Job failed: exit (?:code|status)|script returned exit code|process .* failed with exit code"
    r"|make(?:\[\d+\])?: \*\*\* .* Error|npm ERR! code ELIFECYCLE)[^\d]*(?P<code>\d+)?",
    re.I,
)
_ERROR = re.compile(r"^(?:##\[error\]|::error\b(?P<at>[^:]*)::)(?P<it>.+)$")


def detect(source: Source) -> float:
    """How sure we are: a log that bears the marks of a runner."""
    head = source.head()
    if b"\0" in head[:4096] or head.lstrip()[:1] in (b"{", b"["):
        return 0.0
    return (
        0.7
        if _MARKS.search(head) or (source.name.endswith(".log") and _FAILED_BYTES.search(head))
        else 0.0
    )


_FAILED_BYTES = re.compile(
    rb"Process completed with exit code|Job failed: exit|script returned exit code"
)


class _Block:
    """One command and what it printed."""

    def __init__(self, command: str, line: int, at: str) -> None:
        self.command, self.line, self.at = command, line, at
        self.output: list[str] = []
        self.errors: list[str] = []
        self.status: int | None = None
        self.failed = False

    def take(self, line: str) -> None:
        error = _ERROR.match(line)
        failed = _FAILED.match(line)
        if failed:
            self.failed = True
            self.status = int(failed["code"]) if failed["code"] and len(failed["code"]) < 6 else 1
        elif error:
            self.errors.append(error["it"].strip())
            self.failed = True
        self.output.append(line)
        del self.output[:-_KEPT]


def read(source: Source) -> Iterator[Run]:
    """The log as one run."""
    blocks, lines, left = [_Block("", 1, "")], 0, 0
    for number, raw in enumerate(source.lines(), 1):
        if number > MOST_LINES:
            left += 1
            continue
        lines = number
        line = raw.decode("utf-8", "replace").rstrip("\r\n").lstrip("\ufeff")
        stamp = _STAMP.match(line)
        plain = (
            _TERMINAL_CODES.sub("", line[stamp.end() :] if stamp else line)
            .replace("\0", "")
            .strip()
        )
        command = _COMMAND.match(plain)
        if command and len(blocks) < _MOST:
            blocks.append(_Block(command["it"][:500], number, _time(stamp[0] if stamp else "")))
        elif plain:
            blocks[-1].take(plain)
    failed = [block for block in blocks if block.failed]
    reading = Reading(
        lines,
        0,
        warnings=(f"{left} lines beyond the first {MOST_LINES:,} were left out",) if left else (),
    )
    # The beginning of a log bears times; a log that grew is the same run.
    id = f"{source.stem[:80]}:{short_hash('cilog', source.head(4096).hex())}"
    yield Run(
        id,
        NAME,
        steps=tuple(_step(block) for block in blocks if block.command),
        findings=tuple(each for block in failed if (each := _finding(id, block)) is not None),
        agent="ci",
        outcome="failure" if failed else "unknown",
        complete=True,
        started_at=next((block.at for block in blocks if block.at), ""),
        path=source.path,
        reading=reading,
    )


def _time(stamp: str) -> str:
    found = re.search(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)", stamp)
    return f"{found[1]}T{found[2]}Z" if found else ""


def _step(block: _Block) -> Step:
    output = "\n".join(block.output)
    return Step(
        "tool",
        f"line:{block.line}",
        tool="shell",
        input={"command": block.command},
        output="" if block.failed else output,
        error=(_decisive(block) or "failed") if block.failed else "",
        status=block.status if block.failed else None,
        at=block.at,
    )


def _decisive(block: _Block) -> str:
    """The line that says what went wrong: an annotated error, or the last that reads like one."""
    for error in block.errors:
        if signature(error):
            return error
    said = [line for line in block.output if not _FAILED.match(line)]
    return next(
        (line for line in reversed(said) if _SAYS_ERROR.search(line) and signature(line)), ""
    )


_SAYS_ERROR = re.compile(
    r"\b(?:error|exception|failed|failure|fatal|cannot|not found|denied|undefined|no such|panic)\b|[A-Z]\w+(?:Error|Exception)\b",
    re.I,
)


def _finding(run: str, block: _Block) -> Finding | None:
    error = " ".join(_decisive(block).replace("`", "'").split())[:240]
    if not block.command or not error:
        return None
    command = " ".join(block.command.replace("`", "'").split())[:160]
    # A job's output is anybody's text: only what a grammar recognises of it is told, the rest is quoted for people.
    known = in_our_words(error)
    return Finding(
        run,
        f"line:{block.line}",
        f"In CI `{command}` failed{known and f': {known}'}.",
        by="ci",
        tier="review",
        severity="bug",
        signature=signature(error),
        quote="\n".join(block.output[-6:])[:400],
        at=block.at,
    )
