"""The files in `.tacit/journal`: one per machine, one JSON object a line, appended to.

    {"kind":"entry","machine":…,"memory":…,"verb":…,"by":…,"at":…,"run":…,"profile":…,"parents":[…],"digest":…,"salt":…,"words":[reason,before,after]}
    {"kind":"evidence","machine":…,"memory":…,…,"digest":…,"salt":…,"words":quote}
    {"kind":"use","machine":…,"memory":…,…}
    {"kind":"mark","machine":…,"memory":…,…,"digest":…,"salt":…,"words":reason}
    {"kind":"signature","of":[ids of lines],"repository":first commit,"seen":{machine: lines of it that are known},"signature":…}

A signature names the lines it covers, so that a line may stand anywhere, twice, or be merged by git in any order; a line
that was edited has another id and is covered by none. Where words were erased, `words` and `salt` are missing. Signatures of older
versions name neither a repository nor what was seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tacit.core.exchange import Skipped
from tacit.core.value import value
from tacit.team.lines import ENTRY, LINKED_FIELDS, JournalLine, fault_in, line

_LONGEST = 2 << 20  # bytes of a line; the longest lesson fits four times
MOST_IDS = 1_000_000
_LARGEST = 1 << 53
_HEX = frozenset("0123456789abcdef")
_FLAG_COLUMNS = ("opening", "instrument_eligible", "blank")
_NUMBER_FIELDS: dict[str, tuple[type, ...]] = {
    "amount": (int, float),
    "probability": (int, float),
    "seq": (int,),
    **dict.fromkeys(_FLAG_COLUMNS, (bool,)),
}


@value
class Signature:
    """Somebody's word that these lines are theirs."""

    of: tuple[str, ...]
    signature: str
    repository: str = ""  # the hash of its first commit
    seen: tuple[tuple[str, int], ...] = ()  # machine, and how many lines of it were known

    @property
    def message(self) -> bytes:
        """What was signed."""
        return message(self.of, self.repository, self.seen)


def message(
    ids: Sequence[str], repository: str = "", seen: Sequence[tuple[str, int]] = ()
) -> bytes:
    """What a signature of these lines signs, for a repository; without one, as older versions did."""
    if not repository:
        return ("tacit journal 1\n" + "\n".join(ids) + "\n").encode()
    facts = [
        f"repository {repository}",
        *(f"seen {count} {_dump(machine)}" for machine, count in seen),
    ]
    return ("tacit journal 2\n" + "\n".join((*facts, *ids)) + "\n").encode()


def text_of(item: JournalLine | Signature) -> str:
    """One line of a file, without its end."""
    if isinstance(item, Signature):
        bound = {"repository": item.repository, "seen": dict(item.seen)} if item.repository else {}
        return _dump(
            {"kind": "signature", "of": list(item.of), **bound, "signature": item.signature}
        )
    at = {"kind": item.kind, "machine": item.machine, "memory": item.memory, **item.head}
    if item.digest:
        at["digest"] = item.digest
    if item.words is not None:
        at.update(salt=item.salt, words=item.words)
    return _dump(at)


def read(data: bytes, machine: str) -> Iterator[JournalLine | Signature | Skipped]:
    """What a machine's file says; what cannot be read, or is another machine's, is skipped with its reason."""
    for number, raw in enumerate(data.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            yield _read(raw, machine)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            yield Skipped(f"line:{number}", str(error)[:200] or type(error).__name__)


def _read(raw: bytes, machine: str) -> JournalLine | Signature:
    if len(raw) > _LONGEST:
        raise ValueError(f"longer than {_LONGEST:,} bytes")
    at = json.loads(raw.decode("utf-8"))
    if not isinstance(at, dict):
        raise ValueError("not an object")
    kind = at.pop("kind", None)
    if kind == "signature":
        return _signature(at)
    if kind != "entry" and kind not in LINKED_FIELDS:
        raise ValueError("of no kind that is known")
    if at.pop("machine", None) != machine:
        raise ValueError("another machine's line")
    memory, words = _text(at.pop("memory")), at.pop("words", None)
    digest, salt = at.pop("digest", ""), at.pop("salt", "")
    if (
        not memory
        or not (_is_hex(digest) and _is_hex(salt))
        or (words is None) == bool(salt)
        or (kind != "use") != bool(digest)
    ):
        raise ValueError("its digest, salt and words do not belong together")
    found = line(kind, machine, memory, _head(kind, at), digest, salt, _words(kind, words))
    if wrong := fault_in(found):
        raise ValueError(wrong)
    return found


def _signature(at: dict[str, Any]) -> Signature:
    repository, seen = _text(at.get("repository", "")), at.get("seen", {})
    if not _is_hex(repository) or len(repository) > 64:
        raise ValueError("its repository is no hash of a commit")
    if not isinstance(seen, dict) or not all(
        type(count) is int and 0 <= count < _LARGEST for count in seen.values()
    ):
        raise ValueError("what it has seen is not counted by machine")
    return Signature(
        _ids(at["of"]),
        _text(at["signature"]),
        repository,
        tuple((_text(name), seen[name]) for name in sorted(seen)),
    )


def _head(kind: str, at: dict[str, Any]) -> dict[str, Any]:
    names = ENTRY if kind == "entry" else LINKED_FIELDS[kind]
    if set(at) != set(names):
        raise ValueError(f"its fields are not those of a line of kind {kind}")
    for name in names:
        if name == "parents":
            at[name] = list(_ids(at[name]))
        elif type(at[name]) not in _NUMBER_FIELDS.get(name, (str,)):
            raise ValueError(f"{name} is not of its type")
        elif name in _NUMBER_FIELDS and not -_LARGEST < at[name] < _LARGEST:
            raise ValueError(f"{name} is out of range")
    return {name: at[name] for name in names}


def _words(kind: str, words: Any) -> Any:
    if words is None or kind == "use":
        return None
    if kind != "entry":
        return _text(words)
    if not (
        isinstance(words, list)
        and len(words) == 3
        and isinstance(words[1], dict)
        and isinstance(words[2], dict)
    ):
        raise ValueError("an entry's words are its reason and the fields before and after")
    _text(words[0])
    return words


def _ids(at: Any) -> tuple[str, ...]:
    if (
        not isinstance(at, list)
        or len(at) > MOST_IDS
        or not all(type(id) is str and len(id) == 40 and _is_hex(id) for id in at)
    ):
        raise ValueError("not a list of ids")
    return tuple(at)


def _text(at: Any) -> str:
    if type(at) is not str:
        raise ValueError("not a text")
    at.encode()
    return at


def _is_hex(at: Any) -> bool:
    return type(at) is str and _HEX.issuperset(at) and len(at) % 2 == 0


def _dump(at: Any) -> str:
    return json.dumps(at, ensure_ascii=False, separators=(",", ":"))
