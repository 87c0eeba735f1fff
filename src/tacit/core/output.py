"""Whether a command failed, told from the end of its output, where nobody recorded its exit status.

Only what ends as a failed command ends counts: an uncaught traceback, a test runner's count of failures, a shell that did not find
the command, a tool's last word that it gave up. What merely mentions an error is none. Without regular expressions: hooks ask
this too.
"""

from __future__ import annotations

import itertools

_TAIL = 4000  # characters at the end that are looked at
_SHORT = 3  # lines; a shell's own complaint stands alone
UNCAUGHT = ("Error", "Exception", "Interrupt", "Exit", "Warning")
GAVE_UP = (
    "fatal: ",
    "error: ",
    "npm ERR! ",
    "npm error ",
    "make: *** ",
    "gmake: *** ",
    "FAILED (failures=",
    "FAILED (errors=",
)
NOT_THERE = (": command not found", ": not found", ": No such file or directory", ": Permission denied")
_COUNTED = ("failed", "error", "errors")


def ends_in_failure(output: str) -> bool:
    """Whether an output ends as only a failed command's does."""
    lines = [line.strip() for line in output[-_TAIL:].splitlines() if line.strip()]
    if not lines:
        return False
    last = lines[-1]
    if _is_uncaught(last):
        return "Traceback (most recent call last):" in output or 'File "' in output
    if last.startswith("=") and last.endswith("="):
        return _counts_failures(last)
    return last.startswith(GAVE_UP) or (last.endswith(NOT_THERE) and len(lines) <= _SHORT and len(output) < _TAIL)


def _is_uncaught(line: str) -> bool:
    name = line.partition(":")[0].rpartition(".")[2]
    return name.isidentifier() and name[0].isupper() and name.endswith(UNCAUGHT)


def _counts_failures(line: str) -> bool:
    """`==== 2 failed, 1 passed in 0.2s ====`, as pytest ends."""
    words = line.strip("= ").replace(",", " ").split()
    return any(
        number.isdigit() and number.strip("0") and word in _COUNTED for number, word in itertools.pairwise(words)
    )
