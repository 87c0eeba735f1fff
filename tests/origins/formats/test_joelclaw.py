"""joelclaw's files and MEMORY.md, in and out: sessions, observation documents, pages, and whatever bad files hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests import verbs

import tacit
from tacit.core.exchange import Opening, Row, Skipped
from tacit.core.states import record_of
from tacit.hosts import formats, markdown
from tacit.hosts.source import BytesSource
from tacit.origins.joelclaw import observations as joelclaw
from tacit.origins.origin import stage

DOCUMENT: dict[str, Any] = {
    "id": "0b6f1c1e-1f0a-4b57-9d55-0a5b8f1c2d3e",
    "session_id": "s-1",
    "source": "pi-session",
    "timestamp": 1773057600,
    "updated_at": "2026-03-09T12:00:00.000Z",
    "observation": "Größe der Warteschlange: 再試行 nach fünf Sekunden",
    "observation_type": "segment_fact",
    "embedding": [0.1, -0.25],
    "write_verdict": "allow",
    "write_confidence": 0.92,
    "write_reason": "durable_fix",
    "write_gate_version": "v1",
    "write_gate_fallback": False,
    "category_id": "jc:operations",
    "category_confidence": 0.92,
    "category_source": "llm",
    "taxonomy_version": "v1",
    "merged_count": 2,
    "recall_count": 3,
    "retrieval_priority": 0.35,
    "stale": False,
    "last_used_at": "2026-03-10T12:00:00.000Z",
    "tags": ["queue"],
    "unheard_of": {"deep": [1, None, "x"]},
}


def lines(*documents: Any) -> bytes:
    raw = [
        each if isinstance(each, bytes) else json.dumps(each, ensure_ascii=False).encode()
        for each in documents
    ]
    return b"".join(each + b"\n" for each in raw)


def items(*documents: Any) -> list[Any]:
    return list(joelclaw.memories(BytesSource(lines(*documents), "memory_observations.jsonl")))


def memories(at: Path, name: str) -> tacit.Memories:
    return verbs.open(str(at / f"{name}.db"), profile="joelclaw", cwd=str(at), by="joel", yes=True)


# --- runs ---------------------------------------------------------------------------------------------------------------


def test_an_observer_s_answer_is_a_session() -> None:
    """Facts keep their annotations and priorities; the narrative is context, and the task is the session's."""
    raw = "<observations><segment><narrative>Fixed it.</narrative><facts>\n- 🔴 [gate=allow] Größe prüfen\n- 🟢 minor\n\n</facts></segment></observations><current-task>Payout</current-task>"
    source = BytesSource(raw.encode(), "s-7.xml")
    assert formats.detect(source) == "joelclaw"
    (run,) = joelclaw.read(source)
    assert (run.id, run.task, run.complete, run.extra) == (
        "s-7",
        "Payout",
        True,
        {"narratives": ["Fixed it."]},
    )
    assert [(each.place, each.text, each.severity) for each in run.findings] == [
        ("segment:0/0", "🔴 [gate=allow] Größe prüfen", "warning"),
        ("segment:0/1", "🟢 minor", "info"),
    ]


def test_a_page_about_observations_is_no_session() -> None:
    """A readme with coloured dots, or one that quotes the format, is left alone."""
    for raw in ("# Status\n- 🔴 Build is broken\n", "Facts stand in `<observations><facts>`.\n"):
        assert formats.detect(BytesSource(raw.encode(), "README.md")) is None


def test_a_daily_log_is_read_by_its_marks() -> None:
    """Lines with a priority count, prose does not."""
    (run,) = joelclaw.read(
        BytesSource("# 2026-03-09\nWe met.\n- 🟡 Mondays are busy\n".encode(), "2026-03-09.md")
    )
    assert [(each.text, each.severity) for each in run.findings] == [
        ("🟡 Mondays are busy", "recommendation")
    ]


def test_submitted_observations_are_sorted_by_session() -> None:
    """Broken lines, unknown events and empty observations are counted; everything else is there."""
    data = {
        "observation": "Payout needs columns",
        "sessionId": "s-1",
        "category": "ops",
        "tags": ["a", 7],
    }
    event = {"name": "memory/observation.submitted", "data": data}
    raw = lines(
        event,
        b"{",
        {"name": "other/event", "data": {}},
        {"name": "memory/observation.submitted", "data": {"observation": " "}},
        {"observation": "Ganz ohne Ereignis", "session_id": "s-2"},
    )
    first, second = joelclaw.read(BytesSource(raw, "events.jsonl"))
    said = {run.id: [each.text for each in run.findings] for run in (first, second)}
    assert said == {"s-1": ["Payout needs columns"], "s-2": ["Ganz ohne Ereignis"]}
    assert first.findings[0].tags == ("a",)
    assert first.reading is not None
    assert (first.reading.malformed, first.reading.unknown) == (2, {"other/event": 1})


ODD = [b"", b"{", b"\xff\xfe", b"[1,2]", b"<observations>", b"<facts></facts>", b"{}\n" * 50]


@pytest.mark.parametrize("raw", [*ODD, b"<facts>" * 200_000, "🔴".encode() * 200_000])
def test_bad_files_never_raise(raw: bytes) -> None:
    """Whatever stands in a file, reading it ends."""
    for name in ("x.jsonl", "x.xml"):
        source = BytesSource(raw, name)
        joelclaw.detect(source)
        for run in joelclaw.read(source):
            assert isinstance(run.findings, tuple)
        list(joelclaw.memories(source))


# --- memories ----------------------------------------------------------------------------------------------------------------


def test_a_document_comes_in_whole() -> None:
    """Verdict, category, times and counts as ours; the record itself beside them."""
    (row,) = items(DOCUMENT)
    memory = row.memory
    told = (row.alias, memory.text, memory.kind, memory.category, memory.gate, memory.state)
    said = (DOCUMENT["id"], DOCUMENT["observation"])
    assert told == (*said, "operations", "jc:operations", "allow", "active")
    made, used = "2026-03-09T12:00:00.000Z", "2026-03-10T12:00:00.000Z"
    assert (memory.created_at, memory.updated_at, memory.tags, record_of(memory.extra)) == (
        made,
        made,
        ("queue",),
        DOCUMENT,
    )
    balances = [
        ("seen", 3, made),
        ("confidence", 0.92, made),
        ("recalls", 3, used),
        ("priority", 0.35, used),
    ]
    assert row.openings == tuple(Opening(*each) for each in balances)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"write_verdict": "hold"}, ("hold", "candidate")),
        ({"write_verdict": "discard"}, ("discard", "rejected")),
        ({"write_verdict": "HOLD"}, ("hold", "candidate")),
        ({"write_verdict": None}, ("allow", "provisional")),
        ({"superseded_by": "x"}, ("allow", "superseded")),
    ],
)
def test_a_verdict_is_a_gate_and_a_state(change: dict[str, Any], expected: tuple[str, str]) -> None:
    """allow may be recalled; hold waits; discard is never recallable; a superseded one stays out."""
    (row,) = items({**DOCUMENT, **change})
    assert (row.memory.gate, stage(row.memory)) == expected


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"timestamp": "yesterday"}, "timestamp"),
        ({"write_confidence": "0.9"}, "write_confidence"),
        ({"write_confidence": 1.7}, "write_confidence"),
        ({"recall_count": "3"}, "recall_count"),
        ({"stale": "no"}, "stale"),
        ({"category_id": "jc:finance"}, "category_id"),
        ({"write_verdict": "maybe"}, "write_verdict"),
        ({"tags": "queue"}, "tags"),
        ({"retrieval_priority": [1]}, "retrieval_priority"),
        ({"write_gate_fallback": 1}, "write_gate_fallback"),
    ],
)
def test_a_wrong_field_is_told_and_the_rest_is_kept(change: dict[str, Any], field: str) -> None:
    """String numbers and unknown words cost nobody the observation."""
    *told, row = items({**DOCUMENT, **change})
    assert isinstance(row, Row)
    assert [each.field for each in told] == [field]


def test_bad_lines_are_left_out_one_by_one() -> None:
    """Malformed, empty and endless lines by their place; the rest is there."""
    said = [{"observation": text} for text in (7, "  ", "x" * 5_000_000)]
    found = items(b"{", DOCUMENT, *said, b"[]", {**DOCUMENT, "id": "b"})
    lost = [(each.place, isinstance(each, Skipped)) for each in found]
    assert lost == [(f"line:{n}", n not in (2, 7)) for n in range(1, 8)]


def test_import_export_import_is_equal(folder: Path) -> None:
    """Field for field, in the order of the document, unknown fields included; equal rows stay two."""
    bare = {"observation": "Nothing but a text, longer than twelve"}
    held = {
        "id": "held",
        "write_verdict": "hold",
        "stale": True,
        "stale_tagged_at": "2026-06-09T12:00:00.000Z",
    }
    given = [DOCUMENT, {**DOCUMENT, **held}, {**DOCUMENT, "id": "held"}, bare, bare]
    with memories(folder, "one") as first:
        report = first.import_(
            BytesSource(lines(*given), "memory_observations.jsonl"), trust="user"
        )[0]
        assert (len(report.kept), report.skipped) == (5, 0)
        out = first.export("joelclaw")
        again = first.import_(
            BytesSource(lines(*given), "memory_observations.jsonl"), trust="user"
        )[0]
        assert (len(again.kept), again.already, again.differing) == (0, 5, 0)
    written = [json.loads(line) for line in out.splitlines()]
    assert written[:3] == given[:3]
    assert [list(each) for each in written[:3]] == [list(each) for each in given[:3]]
    assert [{**each, "id": ""} for each in written[3:]] == [{**bare, "id": ""}] * 2
    with memories(folder, "two") as second:
        second.import_(BytesSource(out.encode(), "memory_observations.jsonl"), trust="user")
        assert second.export("joelclaw") == out


def test_imported_words_are_held_until_somebody_vouches(folder: Path) -> None:
    """Without the owner's word nothing that came in is given to anybody."""
    with memories(folder, "one") as book:
        report = book.import_(BytesSource(lines(DOCUMENT), "memory_observations.jsonl"))[0]
        assert (report.held, book.inject("Warteschlange nach fünf Sekunden", run="r").injected) == (
            1,
            (),
        )
        book.review(DOCUMENT["id"], "approve")
        assert book.inject("Warteschlange nach fünf Sekunden", run="r2").injected == report.kept


# --- MEMORY.md ---------------------------------------------------------------------------------------------------------------

PAGE = """# Memory

Kept by hand.

## Hard Rules
- Never commit secrets to the repository
- Never commit secrets to the repository

## System Architecture
- (2026-01-12) **Ingest** — writes to `events.db` through one process
  and nobody else <!-- k3v9x2m4q7ab -->
- (2026-01-13) Größe: 再試行

```
## Not a section
- not a lesson
```

## Billing
- **Titel** —
- ****
"""


def page(raw: str = PAGE) -> list[Any]:
    return list(markdown.memories(BytesSource(raw.encode(), "MEMORY.md")))


def test_a_page_is_read_bullet_by_bullet() -> None:
    """Sections, dates, titles and ids are told apart; examples in fences are nobody's lesson; equal lines stay two."""
    rows = [each for each in page() if isinstance(each, Row)]
    ingest = "Ingest — writes to `events.db` through one process and nobody else"
    assert [
        (row.memory.category, row.memory.kind, row.memory.created_at[:10], row.memory.text)
        for row in rows
    ] == [
        ("Hard Rules", "rule", "", "Never commit secrets to the repository"),
        ("Hard Rules", "rule", "", "Never commit secrets to the repository"),
        ("System Architecture", "fact", "2026-01-12", ingest),
        ("System Architecture", "fact", "2026-01-13", "Größe: 再試行"),
        ("Billing", "fact", "", "**Titel** —"),
    ]
    assert len({row.alias for row in rows}) == 5
    assert [row.alias for row in rows if row.memory.created_at.startswith("2026-01-12")] == [
        "k3v9x2m4q7ab"
    ]
    assert [each for each in page() if isinstance(each, Skipped)] == [
        Skipped("line:21", "a bullet without words")
    ]


def test_a_page_goes_there_and_back(folder: Path) -> None:
    """Each line leaves as it came; one whose text was corrected leaves with its id."""

    def said(raw: str = PAGE) -> list[tuple[str, str]]:
        return [(row.memory.category, row.memory.text) for row in page(raw) if isinstance(row, Row)]

    with memories(folder, "one") as book:
        book.import_(BytesSource(PAGE.encode(), "MEMORY.md"), trust="user")
        out = book.export("markdown")
        assert said(out) == said()
        line = (
            "- (2026-01-12) **Ingest** — writes to `events.db` through one process and nobody else"
        )
        assert f"{line} <!-- k3v9x2m4q7ab -->\n" in out
        book.edit("k3v9x2m4q7ab", text="Ingest writes through two processes")
        assert (
            "- (2026-01-12) Ingest writes through two processes <!-- k3v9x2m4q7ab -->\n"
            in book.export("markdown")
        )
    with memories(folder, "two") as other:
        other.import_(BytesSource(out.encode(), "MEMORY.md"), trust="user")
        assert other.export("markdown") == out


LONG = [
    "- " + "x" * 300_000,
    "- a " + " " * 200_000 + "b",
    "- " + "<!--" * 100_000,
    "- (2026-01-12) " * 10_000,
]


@pytest.mark.parametrize("raw", ["", "- ", "-", "## ", "```\n- x", *LONG])
def test_bad_pages_never_raise(raw: str) -> None:
    """Reading a page ends, whatever it holds."""
    for each in page(raw):
        assert isinstance(each, (Row, Skipped))
