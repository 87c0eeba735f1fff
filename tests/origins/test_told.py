"""What the commands say of an origin's memories, in words that its users know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from callers import NULLS, write_logs

from tacit.origins import named
from tacit.origins.ladder import Known


@pytest.fixture
def flow(tacit: Any, folder: Path) -> Any:
    """ArcheFlow's profile, and two runs that found the same."""
    tacit("init", "--like", "archeflow")
    for path in write_logs("archeflow", folder):
        tacit("learn", path, "--domain", "code")
    return tacit


def test_a_forgotten_preference_leaves_as_it_was(flow: Any) -> None:
    """Only silence wears a frequency down to nothing."""
    flow("add", "User prefers one bundled pull request", "--kind", "preference")
    name = next(
        each["alias"]
        for each in flow("list", "--json").data["memories"]
        if each["kind"] == "preference"
    )
    flow("origin", "forget", name)
    [row] = [
        json.loads(line)
        for line in flow(
            "data", "export", "--format", "archeflow", "--part", "archive"
        ).out.splitlines()
    ]
    assert (row["id"], row["frequency"]) == (name, 1)


def test_an_audit_names_lessons_as_the_lists_do(flow: Any, folder: Path) -> None:
    assert NULLS in flow("inject", "--domain", "code", "--run", "r2").out
    assert "m-001" in flow("origin", "audit", "r2", "--check").out


def test_tending_counts_what_it_counts_once(flow: Any) -> None:
    told = flow("origin", "tend", "--run", "r9").out
    assert "True" not in told and "this run counted" in told
    assert "proposed, " not in told


def test_a_renewed_entry_is_told(tacit: Any, folder: Path) -> None:
    """An import that brings an entry up to date did something."""
    entry = {
        "meta": {
            "version": "1.0",
            "artifact_type": "memory_entry",
            "artifact_id": "mem-a-1",
            "producer_type": "orchestration_authority",
            "created_at": "2026-04-06T08:15:00Z",
        },
        "memory_id": "mem-a-1",
        "memory_type": "failure_lesson",
        "state": "provisional",
        "title": "Queue",
        "summary": "The queue drops what is older than a day",
        "scope": "project",
        "evidence_refs": ["retro-a"],
        "review_after": "2027-05-06T08:15:00Z",
        "supersedes": [],
        "superseded_by": None,
        "tags": [],
        "body": [],
        "signals": {
            "evidence_count": 1,
            "reuse_count": 0,
            "successful_reuses": 0,
            "failed_reuses": 0,
            "contradiction_count": 0,
            "confidence": 0.4,
        },
    }
    path = folder / ".geas/memory/entries/mem-a-1.json"
    path.parent.mkdir(parents=True)
    tacit("init", "--like", "geas")
    for refs in (["retro-a"], ["retro-a", "retro-b"]):
        path.write_text(json.dumps({**entry, "evidence_refs": refs}))
        ran = tacit("data", "import", ".geas", "--trust", "user")
    heads, row = ran.out.splitlines()[:2]
    assert dict(zip(heads.split()[2:5], row.split()[2:5], strict=True)) == {
        "kept": "0",
        "already": "0",
        "renewed": "1",
    }


def test_the_word_of_a_person_is_asked_for_once_in_a_sentence() -> None:
    way = named("archeflow")
    told = way.ladder.next_move(Known("candidate", way=way, klass="pitfall", held=True))
    assert told.count("since the gate holds it") == 1
