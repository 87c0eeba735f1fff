"""Lives of stores that are the same each time: fixed draws, every step's answer and every row in the end, compared with a recorded file.

After a change that is meant, LIVES=write before the tests writes what happens now, and the difference is what was changed.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.recorded_answers import Unfit, answering_as_declared, encoded, is_same

from tacit.app import Memories
from tacit.core.errors import TacitError
from tacit.core.profile import profile_id
from tacit.testing import content

APART = ("profile", "seal", "meta")  # rows that name versions and dates of their own


def fix_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whoever draws bytes get the next of their own: what a process made once for all may be made already."""
    calls = Counter[str]()

    def drawn(size: int) -> bytes:
        who = sys._getframe(1).f_code.co_qualname
        calls[who] += 1
        return (sha256(f"{who} {calls[who]}".encode()).digest() * (size // 32 + 1))[:size]

    monkeypatch.setattr(os, "urandom", drawn)


def answer_of(done: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What a step answers, or why it was refused."""
    try:
        said = done(*args, **named)
    except TacitError as error:
        return f"{type(error).__name__}: {error}"
    try:
        return encoded(said)
    except Unfit:
        return repr(said)


def rows_of_store(memories: Memories) -> Iterator[tuple[str, Any]]:
    """Every row of a store, by table, and how far each lesson has come."""
    for table, rows in content(memories.store).items():
        for row in rows if table not in APART else ():
            shown = ["bytes" if isinstance(each, bytes) else each for each in row]
            yield (
                table,
                json.loads(json.dumps(shown).replace(profile_id(memories.profile), "PROFILE")),
            )
    for id, epoch, course in memories.store.rows(
        "SELECT memory, epoch, kept FROM course ORDER BY memory, epoch"
    ):
        yield "course", [id, epoch, json.loads(course)]


def is_as_recorded(path: Path, folder: Path, told: Iterable[Any]) -> None:
    """Compare what is told now with what a file says; on the way nothing may answer None that does not declare it."""
    with answering_as_declared():
        said = [
            json.loads(json.dumps(each, ensure_ascii=False).replace(str(folder), "FOLDER"))
            for each in told
        ]
    if os.environ.get("LIVES") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in said), encoding="utf-8"
        )
    was = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for now, before in zip(said, was):
        assert is_same(now, before), (
            "if this is meant, run the test with LIVES=write and look at git diff",
            now,
            before,
        )
    assert len(said) == len(was), (
        "if this is meant, run the test with LIVES=write and look at git diff"
    )
