"""`tacit review` from outside: what waits, who may decide, roles that sign one after the other, merges taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tacit.core.digest import new_id
from tacit.core.proposal import Proposal


@pytest.fixture
def ids(tacit: Any) -> list[str]:
    """Two lessons, added by a person."""
    return [tacit("add", text, "--json").data["id"] for text in ("Run make migrate before the tests", "Run `make migrate` before any test")]


def test_nothing_waits_at_first(tacit: Any, ids: list[str]) -> None:
    """An empty queue says so, and lists as JSON."""
    assert tacit("review").out == "nothing waits for you\n"
    assert tacit("review", "--json").data == {"proposals": [], "under_review": [], "held": []}


def test_a_review_is_opened_and_closed(tacit: Any, ids: list[str]) -> None:
    """Under review nothing is given; reinstated it is back where it was, with better words."""
    assert tacit("review", "open", ids[0], "--reason", "too vague", "--json").data["state"] == "under_review"
    assert tacit("review", "--json").data["under_review"] == [ids[0]]
    assert tacit("review", "show", ids[0]).code == 0
    done = tacit("review", "close", ids[0], "--outcome", "reinstate", "--text", "Run make migrate first", "--json").data
    assert (done["state"], done["was"]) == ("provisional", "under_review")
    assert tacit("show", ids[0], "--json").data["text"] == "Run make migrate first"
    verbs = [entry["verb"] for entry in tacit("log", "--memory", ids[0], "--json").data["entries"]]
    assert sorted(verbs) == ["add", "edit", "move", "move"]


def test_a_third_review_ends_in_the_archive(tacit: Any, ids: list[str]) -> None:
    """Twice reinstated, the next sweep after a third review takes it out."""
    for _ in range(2):
        assert tacit("review", "open", ids[0]).code == 0
        assert tacit("review", "close", ids[0]).code == 0
    assert tacit("review", "open", ids[0]).code == 0
    assert tacit("tend").code == 0
    assert tacit("show", ids[0], "--json").data["state"] == "archived"


def test_a_merge_and_its_undoing(tacit: Any, ids: list[str]) -> None:
    """The merged one points to the other; unmerged both stand as before."""
    assert tacit("review", "merge", *ids, "--json").data["state"] == "superseded"
    assert tacit("show", ids[0], "--json").data["superseded_by"] == ids[1]
    assert tacit("review", "unmerge", ids[0], "--json").data["state"] == "provisional"
    assert tacit("show", ids[1], "--json").data["supersedes"] == []
    assert tacit("doctor", "--json").code == 0


def test_proposals_are_approved_edited_and_rejected(tacit: Any, folder: Path, ids: list[str]) -> None:
    """Each changes what it says, or nothing; a decided one is not decided again; clear closes the rest."""
    import tacit as library

    made = [new_id() for _ in range(4)]
    with library.open(cwd=str(folder)) as memories, memories.store.write() as tx:
        for id in made:
            tx.put_proposal(Proposal(id, memories.project_id, "edit", "better words", "model", "2026-11-15T00:00:00Z", ids[0], payload={"text": f"Migrate first ({id})"}))
    assert tacit("review", "approve", made[0][:8], "--json").data["proposal"] == made[0]
    assert tacit("show", ids[0], "--json").data["text"] == f"Migrate first ({made[0]})"
    assert tacit("review", "edit", made[1], "--text", "Migrate, then test").code == 0
    assert tacit("show", ids[0], "--json").data["text"] == "Migrate, then test"
    assert tacit("review", "reject", made[2], "--reason", "no").code == 0
    assert tacit("review", "approve", made[2]).code == 1
    assert [each["id"] for each in tacit("review", "--json").data["proposals"]] == [made[3]]
    assert tacit("review", "clear", "--json").data == {"closed": 0}
    assert tacit("review", "clear", "--all", "--json").data == {"closed": 1}
    states = {each["id"]: each["state"] for each in tacit("review", "list", "--all", "--json").data["proposals"]}
    assert [states[id] for id in made] == ["approved", "approved", "rejected", "rejected"]


def test_an_agent_may_not_decide(tacit: Any, ids: list[str]) -> None:
    """Inside a host the command line is the agent's; a person signs with a name and --yes."""
    refused = tacit("review", "open", ids[0], "--json", CLAUDECODE="1")
    assert (refused.code, refused.error["code"]) == (1, "refused")
    assert tacit("review", "open", ids[0], "--by", "ada", "--yes", CLAUDECODE="1").code == 0


def test_roles_sign_one_after_the_other(tacit: Any, folder: Path) -> None:
    """A joint approval waits for the second head, and says for whom."""
    signals = {"evidence_count": 5, "reuse_count": 5, "successful_reuses": 5, "failed_reuses": 0, "contradiction_count": 0, "confidence": 0.9}
    meta = {"version": "1.0", "artifact_type": "memory_entry", "artifact_id": "mem-1", "producer_type": "orchestration_authority", "created_at": "2026-04-06T08:15:00Z"}
    entry = {"meta": meta, "memory_id": "mem-1", "memory_type": "security_pattern", "state": "stable", "title": "t", "summary": "Never log a token", "scope": "project", "evidence_refs": ["r"], "signals": signals, "review_after": "2099-01-01T00:00:00Z", "supersedes": [], "superseded_by": None, "tags": [], "body": []}  # fmt: skip
    log = {"meta": {**meta, "artifact_type": "memory_application_log"}, "memory_id": "mem-1", "applied_by_type": "qa_engineer", "usage_surface": "task_packet", "effect": "positive", "notes": "n", "followup_action": "none"}  # fmt: skip
    (folder / "memory" / "entries").mkdir(parents=True)
    (folder / "memory" / "logs").mkdir()
    (folder / "memory" / "entries" / "mem-1.json").write_text(json.dumps(entry))
    for n in range(3):
        (folder / "memory" / "logs" / f"{n}.json").write_text(json.dumps({**log, "task_id": f"task-{n}"}))
    geas = ("--profile", "geas", "--json")
    assert tacit("import", ".", "--trust", "user", *geas).code == 0
    first = tacit("review", "approve", "mem-1", "--to", "canonical", "--role", "risk_specialist", "--by", "ann", *geas).data
    assert (first["state"], first["waits_for"]) == ("stable", "the approval of orchestration_authority")
    again = tacit("review", "approve", "mem-1", "--to", "canonical", "--role", "orchestration_authority", "--by", "ann", *geas).data
    assert again["state"] == "stable"
    last = tacit("review", "approve", first["proposal"], "--role", "orchestration_authority", "--by", "olga", *geas).data
    assert (last["state"], last["waits_for"]) == ("canonical", None)
    assert tacit("review", "approve", "mem-1", "--role", "janitor", *geas).code == 2
