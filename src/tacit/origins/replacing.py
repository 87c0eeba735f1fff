"""What a file that an export would replace holds, beside what the store holds: what would be lost with it.

An id alone proves nothing: a fresh store's first lesson is `m-001` too. So an entry is known if the store holds it with that id *and*
the text it came with, or had here at some time. What stands in a file and in no entry of it (prose, a comment) is known if the new
file says it too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.exchange import Given, Header, OriginVerdict, Row, Skipped
from tacit.core.states import GONE
from tacit.core.value import value
from tacit.lesson import Lesson
from tacit.origins.intake import Read, is_same, other_name, row_name
from tacit.safety.redact import redacted_record
from tacit.store.lookups import by_alias
from tacit.store.outgoing import rows_namespace

if TYPE_CHECKING:
    from tacit.store.reads import Reads


@value
class Standing:
    """What stands in a file that is to be replaced."""

    unknown: tuple[str, ...] = ()  # what would be lost with it, told for people
    differs: bool = (
        False  # all of it is known, but not every record is as it came here: others wrote in it
    )


def standing(
    store: Reads, project: str, read: Read, written: Sequence[object], *, replaced: bool = True
) -> Standing:
    """What the items of a file are to a store that is about to write others; `replaced`: and this very file among them."""
    rows: dict[str, set[str]] = {}  # the fields that each text leaves with
    for each in written:
        if isinstance(each, Row):
            rows.setdefault(each.memory.text, set()).update(each.memory.extra or {})
    said = {_canon(each.record) for each in written if isinstance(each, (Given, OriginVerdict))}
    heads = {name for each in written if isinstance(each, Header) for name in each.record or {}}
    names: dict[str, int] = {}
    unknown: list[str] = []
    differs = False
    for item in read.items:
        if isinstance(item, Row):
            known = _bearer(store, project, read, item, names)
            told = _lost(known, item, rows.get(known.text) if known else None, replaced)
            unknown += [f"{item.alias or item.place}: {told}"] if told else []
            came = item.memory.extra or None
            differs = differs or known is None or (known.extra or None) != came
        elif isinstance(item, Skipped) and replaced and not item.field:
            unknown.append(f"{item.place}: {item.reason}")
        elif (
            isinstance(item, (Given, OriginVerdict))
            and replaced
            and _canon(item.record) not in said
        ):
            unknown.append(
                f"{item.place}: what the run {item.run} was given or said of {_names(item)}"
            )
        elif isinstance(item, Header) and replaced:
            unknown += [f"its field {name}" for name in item.record or {} if name not in heads]
    return Standing(tuple(unknown), differs)


def beside_entries(old: str, again: str, new: str) -> list[str]:
    """Lines of a file of lines that no entry of it holds (`again`: its own entries, written anew) and the new file has not either."""
    kept = " ".join(again.split()) + "\n" + " ".join(new.split())
    lines = ((number, " ".join(line.split())) for number, line in enumerate(old.splitlines(), 1))
    return [
        f"line {number}: {_short(line)}"
        for number, line in lines
        if line.lstrip("-*# ") and line not in kept
    ]


def _bearer(
    store: Reads, project: str, read: Read, row: Row, names: dict[str, int]
) -> Lesson | None:
    """The memory that a row is, by its id and its text."""
    namespace, name = row_name(row, names, read.format, read.namespace or read.format)
    found = [
        by_alias(store, project, namespace, name),
        by_alias(store, project, rows_namespace(read.format), other_name(row)),
    ]
    if row.tier:
        found.append(row.alias)  # a lesson of ours, by the id it was born with
    memories = store.memories([id for id in found if id])
    return next(
        (each for each in memories if is_same(each, row) or row.memory.text in _texts(store, each)),
        None,
    )


def _texts(store: Reads, memory: Lesson) -> Iterator[str]:
    """Every text that a memory had here."""
    for entry in store.entries(memory=memory.id):
        yield from (str(at["text"]) for at in (entry.before, entry.after) if at.get("text"))


def _lost(known: Lesson | None, row: Row, new: set[str] | None, replaced: bool) -> str:
    if known is None:
        return f"“{_short(row.memory.text)}” is not in the store"
    if not replaced:
        return ""
    if new is None and known.gate != "allow" and known.state != GONE:
        return f"“{_short(row.memory.text)}” waits for a person here, and would leave the file"
    gone = [name for name in row.memory.extra or {} if new is not None and name not in new]
    return f"its field {gone[0]} is not in the store" if gone else ""


def _names(item: Given | OriginVerdict) -> str:
    return ", ".join(item.memories) if isinstance(item, Given) else item.memory


def _canon(record: object) -> str:
    return json.dumps(redacted_record(record), ensure_ascii=False, sort_keys=True)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def listed(unknown: Iterable[str], many: int = 3) -> str:
    """The first of what would be lost, and how many more there are."""
    every = list(unknown)
    more = f"; and {len(every) - many} more" if len(every) > many else ""
    return "; ".join(every[:many]) + more
