"""What a lesson names that is not there any more: files of the work tree, and decision records.

Only what can be told is told. A path counts as gone where its first folder is in the tree and it is not; one of another
tree, or of a machine, never was here. A decision record counts as gone where the project keeps such records and has none
of that number. Of several things named, one that is still there keeps the lesson up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

GONE = "gone"  # the signal under which `tend` keeps how many things that a lesson names are gone
RECORDS = ("docs/decisions", "docs/adr", "docs/adrs", "doc/adr", "adr", "docs/architecture/decisions")
_RECORD = re.compile(r"\bADR[- ]?0*(\d{1,5})\b", re.I)
_PATH = re.compile(r"(?<![\w/.:@~$-])((?:[\w.@-]+/)+[\w.@-]*\w)(?![\w/])")
_NUMBER = re.compile(r"(?:adr[-_ ]?)?0*(\d{1,5})(?=\D|$)", re.I)


def named_paths(text: str, paths: Sequence[str] = ()) -> tuple[str, ...]:
    """The paths and decision records that a lesson names, each once."""
    said = [path for path in (*paths, *_PATH.findall(text)) if not path.startswith(("/", "~"))]
    return tuple(dict.fromkeys([*said, *(f"ADR-{number}" for number in _RECORD.findall(text))]))


def missing_paths(names: Sequence[str], there: Callable[[str], bool], records: frozenset[str]) -> tuple[str, ...]:
    """Those that are gone, if nothing that is named is still there; `there` asks the work tree, `records` are its numbers."""
    found = []
    for name in names:
        if name.startswith("ADR-"):
            if records and name[4:] not in records:
                found.append(name)
            elif records:
                return ()
        elif there(name):
            return ()
        elif there(name.split("/", 1)[0]) and "/" in name:
            found.append(name)
    return tuple(found)


def record_number(file: str) -> str:
    """The number of a decision record by its file's name; empty where it has none."""
    number = _NUMBER.match(file)
    return number[1] if number else ""
