"""Secrets taken out of what was written before the rules knew them: rows, and the files beside the store.

What was written is redacted on its way in, by the rules of that day. A new version of them looks through all of it once. Nothing
is journaled: a secret that stood in the journal would stand there still. Lines that a team signed stay as they were signed.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.value import value
from tacit.place.files import put_whole
from tacit.place.folders import captured_folder
from tacit.safety.redact import redact, rules_version
from tacit.store.looks import looks_folder
from tacit.store.readings import readings_folder

if TYPE_CHECKING:
    from tacit.store.reads import Store
    from tacit.store.writes import Transaction

DONE_BY = "redacted by"  # what the store notes: the version of the rules that looked through it
# Where words of sessions and people stand. In columns of JSON each text is looked at by itself.
WORDS = {
    "lesson": "text about files sign reason guard extra",
    "journal": "why before after",
    "evidence": "quote extra",
    "session": "task extra",
    "question": "text payload answer",
    "failure": "sign line cure extra",
}
_KEYS = {"session": "id", "question": "id", "failure": "session sign"}


@value
class RedactedAgain:
    """What held a secret by the rules of today."""

    rows: int
    files: int


def redact_again(store: Store) -> RedactedAgain | None:
    """Redact what is kept, where the rules are others than at the last time; None where they are the same."""
    version = rules_version()
    if store.meta(DONE_BY) == version:
        return None
    with store.write() as tx:
        rows = sum(_rows(tx, table, columns.split()) for table, columns in WORDS.items())
        tx.rows("UPDATE job SET error = '' WHERE error <> ''")  # it quotes what it stumbled over
        tx.put_meta(DONE_BY, version)
    files = sum(_file(path) for path in _files(store.path))
    return RedactedAgain(rows, files)


def _rows(tx: Transaction, table: str, columns: list[str]) -> int:
    key = _KEYS.get(table, "n").split()
    found = tx.rows(f"SELECT {', '.join((*key, *columns))} FROM {table}")
    is_key = " AND ".join(f"{name} = :k_{name}" for name in key)
    changed = 0
    for row in found:
        at = {f"k_{name}": held for name, held in zip(key, row)}
        said = dict(zip(columns, row[len(key) :]))
        clean = {name: new for name, old in said.items() if (new := _column(old)) != old}
        if clean:
            setting = ", ".join(f"{name} = :{name}" for name in clean)
            tx.rows(f"UPDATE OR IGNORE {table} SET {setting} WHERE {is_key}", **clean, **at)
            changed += 1
    return changed


def _column(said: str) -> str:
    if said[:1] not in ("{", "["):
        return redact(said).text
    try:
        told = json.loads(said)
    except ValueError:
        return redact(said).text
    clean = _clean(told)
    return said if clean == told else json.dumps(clean, ensure_ascii=False, separators=(",", ":"))


def _clean(told: Any) -> Any:
    """The same without secrets in its texts. What looks like an id of ours is one: no rule may take it for a secret."""
    if isinstance(told, dict):
        return {name: _clean(each) for name, each in told.items()}
    if isinstance(told, list):
        return [_clean(each) for each in told]
    if not isinstance(told, str) or _is_id(told):
        return told
    return redact(told).text


def _is_id(text: str) -> bool:
    return len(text) <= 32 and text.isascii() and text.isalnum() and text == text.lower()


def _files(store: str) -> Iterator[str]:
    for folder in (readings_folder(store), looks_folder(store), captured_folder(store)):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            if name.endswith((".json.gz", ".texts.gz", ".jsonl")):
                yield os.path.join(folder, name)


def _file(path: str) -> bool:
    """Whether a file held a secret; it is written anew, whole or not at all."""
    packed = path.endswith(".gz")
    try:
        with gzip.open(path, "rb") if packed else open(path, "rb") as file:
            lines = [json.loads(line) for line in file.read().splitlines()]
    except (OSError, EOFError, ValueError, zlib.error):
        return False  # nobody can read it, and it is made anew when it is needed
    clean = _clean(lines)
    if clean == lines:
        return False
    text = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in clean).encode()
    put_whole(path, gzip.compress(text, 6, mtime=0) if packed else text)
    return True
