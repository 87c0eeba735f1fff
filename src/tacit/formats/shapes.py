"""A session file as its shapes: one record of each, with the marks that a host sets and without anybody's words.

For a report about a host that is no longer read right. What stays is what a reader goes by: names of fields, and values that are short
words of the host's own under fields that are marks. Every other text is the word "text", every number 0, and names of fields that are
somebody's (questions, paths) are gone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from tacit.formats.source import json_record

MOST = 60  # shapes of one file
ITEMS = 3  # of a list
_MARKS = frozenset(
    "type subtype role kind entrypoint promptSource source origin version cliVersion copilotVersion cli_version operation"
    " commandMode hookType hookEvent hook_event_name turn_trigger permissionMode toolDenialKind status phase originator"
    " producer userType name tool reason".split()
)
_WORD = re.compile(r"[A-Za-z][\w.:/+-]{0,39}|\d[\w.+-]{0,29}")
_FIELD = re.compile(r"[A-Za-z_$][\w$-]{0,39}")


def shapes(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The first record of each shape, in the order of the file."""
    seen: set[str] = set()
    for line in lines:
        found = json_record(line)
        if found is None:
            continue
        bare = _bare(found, "")
        key = json.dumps(bare, sort_keys=True)
        if key not in seen and len(seen) < MOST:
            seen.add(key)
            yield bare


def _bare(at: Any, field: str) -> Any:
    if isinstance(at, dict):
        return {name if _FIELD.fullmatch(name) else "field": _bare(each, name) for name, each in at.items()}
    if isinstance(at, list):
        return [_bare(each, field) for each in at[:ITEMS]]
    if isinstance(at, str):
        return at if field in _MARKS and _WORD.fullmatch(at) else "text" if at else ""
    return at if at is None or isinstance(at, bool) else 0
