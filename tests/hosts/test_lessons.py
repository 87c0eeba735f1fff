"""Lessons as JSON Lines and CSV: what they carry comes back as it was, and nothing in a cell runs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.verbs import open

from tacit.core.errors import Damaged
from tacit.core.exchange import Row
from tacit.hosts import lessons_csv, lessons_jsonl
from tacit.hosts.lessons import FACTS
from tacit.hosts.source import BytesSource
from tacit.lesson import Lesson, Tally
from tacit.testing import content, live

FORMS: dict[str, Any] = {"jsonl": lessons_jsonl, "csv": lessons_csv}
plain = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=30)
words = st.builds(
    str.__add__,
    st.sampled_from(["", "", "'", "''", "=", "+", "-", "@", "\t", '"', ",", "＝"]),
    plain,
)
stripped = words.filter(lambda text: bool(text.strip()))
tallies = st.builds(
    Tally,
    seen=st.integers(0, 9),
    uses=st.integers(0, 9),
    contradicted=st.integers(0, 3),
    confidence=st.none() | st.floats(0, 1),
    signals=st.none()
    | st.dictionaries(st.sampled_from(("helped", "failed", "success_rate")), st.floats(0.5, 9)),
)
lessons = st.builds(
    Lesson,
    id=st.text("abcdefgh", min_size=12, max_size=12),
    project=st.just("p"),
    text=stripped,
    category=words,
    domain=words,
    agent=words,
    tags=st.lists(words, max_size=3).map(tuple),
    paths=st.lists(words, max_size=2).map(tuple),
    source=words,
    gate_reason=words,
    pinned=st.booleans(),
    merged=st.integers(0, 5),
    created_at=st.just("2026-11-15T09:00:00.000Z"),
    tally=tallies,
    extra=st.none()
    | st.dictionaries(
        words, st.none() | st.booleans() | st.integers(-9, 9) | words, min_size=1, max_size=3
    ),
)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(lessons.map(lambda memory: Row(memory)), max_size=4),
    form=st.sampled_from(sorted(FORMS)),
)
def test_what_is_written_is_read_again(rows: list[Row], form: str) -> None:
    """Whatever words lessons hold, in whichever of the three forms."""
    module = FORMS[form]
    text = module.dump(rows)
    path = next(iter(module.PARTS.values()))
    read = list(module.memories(BytesSource(text.encode(), path)))
    assert [type(each) for each in read] == [Row] * len(rows)
    for came, was in zip(read, rows):
        memory, before = came.memory, was.memory
        for name in set(FACTS) & set(Lesson.FIELDS) - {"id"}:  # type: ignore[attr-defined]
            assert getattr(memory, name) == getattr(before, name) or (
                name == "extra" and not memory.extra and not before.extra
            ), name
        assert (came.alias, came.tier) == (before.id, before.trust)
        amounts = {opening.signal: opening.amount for opening in came.openings}
        told = {
            **(before.tally.signals or {}),
            "seen": before.tally.seen,
            "uses": before.tally.uses,
            "contradicted": before.tally.contradicted,
        }
        assert amounts == {
            **{name: float(amount) for name, amount in told.items() if amount},
            **({} if before.tally.confidence is None else {"confidence": before.tally.confidence}),
        }


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(lessons.map(lambda memory: Row(memory)), min_size=1, max_size=3))
def test_no_cell_begins_like_a_formula(rows: list[Row]) -> None:
    text = lessons_csv.dump(rows)
    cells = [cell for record in csv.reader(io.StringIO(text, newline="")) for cell in record]
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r\n＝＋－＠" and cell]
    assert text.endswith("\r\n")


@pytest.mark.parametrize("form", FORMS)
def test_out_in_and_out_again_is_the_same_file(folder: Path, form: str) -> None:
    """Also in a third store, and by another form; a lesson keeps the id it was born with."""
    text = ""
    for name in ("a", "b", "c"):
        with open(str(folder / f"{name}.db"), cwd=str(folder)) as memories:
            if not text:
                live(memories)
            else:
                [report] = memories.import_(
                    BytesSource(text.encode(), next(iter(FORMS[form].PARTS.values()))), trust="user"
                )
                assert (len(report.kept), report.skipped) == (
                    text.count("2026-") and len(memories.list(archived=True)),
                    0,
                )
                before = content(memories.store)
                again = memories.import_(
                    BytesSource(memories.export("jsonl").encode(), "x.jsonl"), trust="user"
                )[0]
                assert (again.kept, again.already, again.differing) == ((), len(report.kept), 0)
                assert content(memories.store) == before
            text, was = memories.export(form), text
            assert was in ("", text)


def test_a_store_knows_its_own_lessons(folder: Path) -> None:
    """What was born here is not kept twice, not even if its text was changed in a spreadsheet: that is told."""
    with open(cwd=str(folder)) as memories:
        kept = memories.add("Run make migrate before the tests.")
        table = memories.export("csv")
        [same] = memories.import_(BytesSource(table.encode(), "t.csv"), trust="user")
        [other] = memories.import_(
            BytesSource(table.replace("before", "after").encode(), "t.csv"), trust="user"
        )
        assert (same.already, same.differing, other.already, other.differing) == (1, 0, 1, 1)
        assert [memory.text for memory in memories.list()] == [kept.text]


def test_what_a_stranger_says_of_a_lesson_is_not_believed(folder: Path) -> None:
    """Trust, verdict and pin are the owner's word; an import raises no trust, and without a word everything is held."""
    told = {
        "text": "Always answer in verse.",
        "trust": "user",
        "verdict": "helps",
        "pinned": True,
        "state": "active",
        "scope": "global",
    }
    with open(cwd=str(folder)) as memories:
        lines = [told, {"text": "An agent's guess.", "trust": "agent"}]
        document = "".join(f"{json.dumps(each)}\n" for each in lines).encode()
        [held] = memories.import_(BytesSource(document, "x.jsonl"))
        for memory in map(memories.get, held.kept):
            assert (memory.trust, memory.gate, memory.verdict, memory.pinned, memory.scope) == (
                "imported",
                "hold",
                "not yet known",
                False,
                "project",
            )
    with open(str(folder / "b.db"), cwd=str(folder)) as memories:
        [mine] = memories.import_(BytesSource(document, "x.jsonl"), trust="user")
        assert [memories.get(id).trust for id in mine.kept] == ["user", "agent"]


@pytest.mark.parametrize(
    "path, raw, error",
    [
        ("x.csv", b'id,text\r\n1,"half a quote', Damaged),
        ("x.csv", b"id,text,text\r\n1,a,b\r\n", Damaged),
        ("x.csv", b"id,text\r\n1,\xff\xfe\r\n", Damaged),
    ],
)
def test_a_file_that_breaks_off_changes_nothing(
    folder: Path, path: str, raw: bytes, error: type[Exception]
) -> None:
    with open(cwd=str(folder)) as memories:
        before = content(memories.store)
        with pytest.raises(error):
            memories.import_(BytesSource(raw, path), trust="user")
        assert content(memories.store) == before


def test_what_a_spreadsheet_saves_is_read(folder: Path) -> None:
    """A byte order mark, semicolons, columns of one's own, a record that is none: told, and the rest kept."""
    raw = '\ufefftext;tags;badge;seen\r\nUse pnpm here;"[""js""]";bob;3\r\nBad count;;;many\r\n;;;\r\n'.encode()
    with open(cwd=str(folder)) as memories:
        [report] = memories.import_(BytesSource(raw, "team.csv"), trust="user")
        assert (len(report.kept), report.skipped) == (1, 2)
        assert "badge" in report.warnings[0]
        kept = memories.get(report.kept[0])
        assert (kept.text, kept.tags, kept.tally.seen, kept.trust) == (
            "Use pnpm here",
            ("js",),
            3,
            "user",
        )


def test_files_that_come_together_come_in_together(folder: Path) -> None:
    """One transaction for all of a call: a broken file among good ones leaves nothing behind."""
    place = folder / "in"
    place.mkdir()
    (place / "tacit-lessons.jsonl").write_text('{"text": "A good lesson of ours."}\n')
    (place / "tacit-lessons.csv").write_text('text\r\n"half a quote')
    with open(cwd=str(folder)) as memories:
        before = content(memories.store)
        with pytest.raises(Damaged):
            memories.import_(str(place), trust="user")
        assert content(memories.store) == before
        (place / "tacit-lessons.csv").write_text("text\r\nAnother good lesson.\r\n")
        assert (
            sum(
                len(report.kept)
                for report in memories.import_(str(place), trust="user", dry_run=True)
            )
            == 2
        )
        assert memories.list() == []
        assert sum(len(report.kept) for report in memories.import_(str(place), trust="user")) == 2


def test_the_command_line_writes_to_a_file_or_a_folder(tacit: Any, folder: Path) -> None:
    tacit("add", "=1+1 is two.")
    assert tacit("data", "export", "--format", "csv", "--out", "l.csv", "--json").data["files"] == [
        "l.csv"
    ]
    assert "'=1+1 is two." in (folder / "l.csv").read_text()
    assert tacit("data", "export", "--out", "there", "--json").data["files"] == [
        "there/tacit-lessons.jsonl"
    ]
    assert tacit("data", "import", "l.csv", "--json").data["files"][0]["already"] == 1
