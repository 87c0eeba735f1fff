"""How an error reads: the one line that says what went wrong.

A harness records an error as whatever the tool printed: build chatter, a stack of frames, and somewhere the line a
person would quote. A reader is shown that line; signatures are the grammar's (`words/diagnose.py`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_ERROR = 60_000  # characters read of one error: the telling line stands near its start or its end

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|(?=\x1b)|$)")
_FRAME = re.compile(r"^[\s┃│|└─╰╭├┌>]+")
_TAGS = re.compile(r"</?tool_use_error>|</?error>|</?stderr>|</?stdout>")
_STATUS = re.compile(
    r"^(?:Exit code:?|exit status|Command failed with exit code|Process exited with code"
    r"|exitcode:)\s*-?\d+\W*(?:\(.*\))?\s*$",
    re.I,
)

# Chatter around the error. A line may be both chatter and all there is; then it is still better than nothing.
_CHATTER = re.compile(
    r"""^(?:
    npm\ (?:warn|notice|WARN)\b|warn(?:ing)?\b|\[?warn|DeprecationWarning|\(node:\d+\)|note:|hint:|help:|info\b|INFO\b
    |\[INFO\]|(?:Compiling|Generated|Checking|Getting|Running|Resolving|Downloading|Downloaded|Installing|Collecting
    |Building|Fetching|Finding|Starting|Loading|Updating)\b|==>|>\ [\w@./-]+@[\w.-]+\ |>\ [\w-]+\ [\w-]+$
    |at\ |File\ "|in\ <module>|Traceback|stacktrace:|Stack\ trace|code:|\(\w+\ [\d.]+\)\ |During\ handling
    |The\ above\ exception|\.{2,}|-{2,}|={2,}|_{3,}|\*{3,}|~+$|\^+$|\d+\ │|\d+\ \||\d+\)\ |\[$|\]$|\{$|\}$
    |Please\ report|Analysis\ took|Use\ `|For\ more\ info|See\ |To\ |Try\ |(?:ERROR:\ )?[Uu]sage:|Randomized\ with|Finished\ in
    |npm\ (?:ERR!|error)\ (?:A\ complete\ log|code\b|errno|path|command|cwd)
    |seed\b|platform\ |rootdir|plugins:|collected\ |cachedir|configfile|done\ in|PLT\b
    )""",
    re.X,
)
_PROGRESS = re.compile(r"\.\.\.$|\d%")  # one digit is enough, and a line of digits is read once

# What a person would quote, best first. Where several lines fit: the last for a traceback, the first otherwise.
_LAST_OF = re.compile(
    r"^(?:E\s+)?(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Failure|NotFound)(?:\s*\[[\w-]+\])?: \S"
    r"|^Caused by: \S"
)
_BEFORE_IT = (
    re.compile(r"^! \[(?:remote )?rejected\]"),  # git push, above its general complaint
    re.compile(r"^\*\* \([\w.]+\) \S"),  # Elixir
    re.compile(r"\berror(?:\[\w+\]| TS\d+)?: \S|\berror (?:TS|CS|E)\d+: \S", re.I),  # compilers
)
_AFTER_IT = (
    re.compile(r"^(?:fatal|panic|abort|error|failure|failed)\b[:!] \S", re.I),
    re.compile(r"^\[?\w*(?:Error|Exception)\b[^:]{0,40}: \S"),
    re.compile(r"^npm (?:ERR!|error) \S+ \S+ \S"),
    re.compile(r"^ERR_\w+"),
    re.compile(
        r"command not found|not found:|No such file|[Pp]ermission denied|not recognized as|is not installed"
        r"|No module named|Cannot find module"
    ),
    re.compile(r"^[\w./\\-]+\.\w+[:(]\d+(?:[:,]\d+)?\)?:\s*\S"),  # file:line: …
    re.compile(r"^\[[A-Z]\] [→↘↗↑] \S"),  # Credo
    re.compile(r"^FAILED\b|^FAIL\b|^--- FAIL|^not ok\b|[Aa]ssertion .*failed|AssertionError"),
    re.compile(
        r"\b(?:cannot|can't|could not|couldn't|unable to|failed|not allowed|not permitted|invalid|undefined|missing"
        r"|required?|requires|unknown|unrecogni[sz]ed|unexpected|refused|denied|rejected|unsupported|conflict|mismatch"
        r"|doesn't exist|does not exist|not exist|already exists|already in use|must |has not been|haven't|has no"
        r"|no such"
        r"|not found|timed out|not formatted|too (?:complex|long|many|large|old))\b",
        re.I,
    ),
)


# A piped command's own exit status is lost; its output may still tell.
_OUTPUT_OF_FAILURE = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?\b)|^FAILED\b|^FAIL\b|^error(?:\[|:| TS)|\*\* \(\w+Error\)|^Traceback"
    r"|npm (?:ERR!|error)|BUILD FAILED|Build failed|^fatal:|^panic:|command not found|== Compilation error"
    r"|Total errors: [1-9]|not formatted|build error occurred|^E   |exit(?:ed with)? (?:code|status) [1-9]",
    re.M | re.I,
)


def telling_line(error: str) -> str:
    """The line of an error a person would quote; empty where nothing tells."""
    lines = _lines(error)
    if not lines:
        return ""
    head = lines[0]
    if head.endswith(":") and len(head) < 80 and len(lines) > 1 and not _CHATTER.match(head):
        # "Pre-commit validation failed:" says who refused, the next lines say why.
        rest = lines[1:]
        if re.fullmatch(r"\[[\w -]+\]", rest[0]) and len(rest) > 1:
            return f"{head} {rest[0]} {_best(rest[1:])}"
        return f"{head} {rest[0] if not _CHATTER.match(rest[0]) else _best(rest)}"
    return _best(lines)


def shows_failure(output: str) -> bool:
    """The output reads like a failure although no exit status says so."""
    return bool(_OUTPUT_OF_FAILURE.search(_ANSI.sub("", output[-LONGEST_ERROR:])))


def _lines(error: str) -> list[str]:
    text = error if len(error) <= LONGEST_ERROR else error[: LONGEST_ERROR // 2] + "\n" + error[-LONGEST_ERROR // 2 :]
    text = _TAGS.sub("", _ANSI.sub("", text))
    # Some hooks print their line breaks as two characters.
    lines = (_FRAME.sub("", line).strip() for line in text.replace("\\n", "\n").splitlines())
    return [line for line in lines if line and not _STATUS.match(line)]


def _best(lines: Sequence[str]) -> str:
    clear = [line for line in lines if not _CHATTER.match(line)]
    quiet = [line for line in clear if not _PROGRESS.search(line)]
    for pattern in _BEFORE_IT:
        if found := next(filter(pattern.search, clear), ""):
            return found
    if found := next(filter(_LAST_OF.search, reversed(clear)), ""):
        return found
    for pattern in _AFTER_IT:
        if found := next(filter(pattern.search, quiet), ""):
            return found
    worded = [line for line in quiet if re.search(r"[^\W\d_]{3,}", line)]
    return (worded or clear or list(lines))[0]
