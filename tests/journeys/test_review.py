"""`tacit review` from outside: what waits, who may decide, roles that sign one after the other, merges taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests import verbs
from tests.terminals import ask

from tacit.core.digest import new_id
from tacit.core.errors import Refused
from tacit.learn.review import Reviewed
from tacit.origins.origin import stage


@pytest.fixture
def ids(tacit: Any) -> list[str]:
    """Two lessons, added by a person."""
    return [
        tacit("add", text, "--json").data["id"]
        for text in ("Run make migrate before the tests", "Run `make migrate` before any test")
    ]


def test_nothing_waits_at_first(tacit: Any, ids: list[str]) -> None:
    """An empty queue says so, and lists as JSON."""
    assert tacit("review").out == "nothing waits for you\n"
    waiting = {
        "proposals": [],
        "doubted": [],
        "held": [],
        "heard": [],
        "candidates": [],
        "replay": [],
        "refused": [],
        "why_held": {},
    }
    assert tacit("review", "--json").data == waiting


def test_a_review_is_opened_and_closed(tacit: Any, ids: list[str]) -> None:
    """Under review nothing is given; reinstated it is back where it was, with better words."""
    assert (
        tacit("review", "open", ids[0], "--reason", "too vague", "--json").data["state"]
        == "doubted"
    )
    assert tacit("review", "--json").data["doubted"] == [ids[0]]
    assert tacit("review", "show", ids[0]).code == 0
    done = tacit(
        "review",
        "close",
        ids[0],
        "--outcome",
        "reinstate",
        "--text",
        "Run make migrate first",
        "--json",
    ).data
    assert (done["state"], done["was"]) == ("active", "doubted")
    assert tacit("why", ids[0], "--json").data["memory"]["text"] == "Run make migrate first"
    verbs = [
        entry["verb"]
        for entry in tacit("origin", "log", "--memory", ids[0], "--json").data["entries"]
    ]
    assert sorted(verbs) == ["add", "edit", "move", "move"]


def test_a_third_review_ends_in_the_archive(tacit: Any, ids: list[str]) -> None:
    """Twice reinstated, the next sweep after a third review takes it out."""
    for _ in range(2):
        assert tacit("review", "open", ids[0]).code == 0
        assert tacit("review", "close", ids[0]).code == 0
    assert tacit("review", "open", ids[0]).code == 0
    assert tacit("origin", "tend").code == 0
    assert tacit("why", ids[0], "--json").data["memory"]["state"] == "gone"


def test_a_merge_and_its_undoing(tacit: Any, ids: list[str]) -> None:
    """The merged one points to the other; unmerged both stand as before."""
    assert tacit("review", "merge", *ids, "--json").data["state"] == "gone"
    assert tacit("why", ids[0], "--json").data["memory"]["superseded_by"] == ids[1]
    assert tacit("review", "unmerge", ids[0], "--json").data["state"] == "active"
    assert tacit("why", ids[1], "--json").data["memory"]["supersedes"] == []
    assert tacit("doctor", "--json").code == 0


def test_proposals_are_approved_edited_and_rejected(
    tacit: Any, folder: Path, ids: list[str]
) -> None:
    """Each changes what it says, or nothing; a decided one is not decided again; clear closes the rest."""

    made = [new_id() for _ in range(4)]
    with verbs.open(cwd=str(folder)) as memories:
        for id in made:
            ask(memories, "edit", "better words", ids[0], id=id, text=f"Migrate first ({id})")
    assert tacit("review", "approve", made[0][:8], "--json").data["proposal"] == made[0]
    assert tacit("why", ids[0], "--json").data["memory"]["text"] == f"Migrate first ({made[0]})"
    assert tacit("review", "edit", made[1], "--text", "Migrate, then test").code == 0
    assert tacit("why", ids[0], "--json").data["memory"]["text"] == "Migrate, then test"
    assert tacit("review", "reject", made[2], "--reason", "no").code == 0
    assert tacit("review", "approve", made[2]).code == 1
    assert [each["id"] for each in tacit("review", "--json").data["proposals"]] == [made[3]]
    assert tacit("review", "clear", "--json").data == {"closed": 0}
    assert tacit("review", "clear", "--all", "--json").data == {"closed": 1}
    states = {
        each["id"]: each["state"]
        for each in tacit("review", "list", "--all", "--json").data["proposals"]
    }
    assert [states[id] for id in made] == ["approved", "approved", "rejected", "rejected"]


def geas_entry(state: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The head and the whole of an entry as geas writes it."""
    signals = {
        "evidence_count": 5,
        "reuse_count": 5,
        "successful_reuses": 5,
        "failed_reuses": 0,
        "contradiction_count": 0,
        "confidence": 0.9,
    }
    meta = {
        "version": "1.0",
        "artifact_type": "memory_entry",
        "artifact_id": "mem-1",
        "producer_type": "orchestration_authority",
        "created_at": "2026-11-06T08:15:00Z",
    }
    entry = {
        "meta": meta,
        "memory_id": "mem-1",
        "memory_type": "security_pattern",
        "state": state,
        "title": "t",
        "summary": "Never log a token",
        "scope": "project",
        "evidence_refs": ["r"],
        "signals": signals,
        "review_after": "2099-01-01T00:00:00Z",
        "supersedes": [],
        "superseded_by": None,
        "tags": [],
        "body": [],
    }
    return meta, entry


def test_roles_sign_one_after_the_other(tacit: Any, folder: Path) -> None:
    """A joint approval waits for the second head, and says for whom."""
    meta, entry = geas_entry("stable")
    log = {
        "meta": {**meta, "artifact_type": "memory_application_log"},
        "memory_id": "mem-1",
        "applied_by_type": "qa_engineer",
        "usage_surface": "task_packet",
        "effect": "positive",
        "notes": "n",
        "followup_action": "none",
    }
    (folder / "memory" / "entries").mkdir(parents=True)
    (folder / "memory" / "logs").mkdir()
    (folder / "memory" / "entries" / "mem-1.json").write_text(json.dumps(entry))
    for n in range(3):
        (folder / "memory" / "logs" / f"{n}.json").write_text(
            json.dumps({**log, "task_id": f"task-{n}"})
        )
    geas = ("--like", "geas", "--json")
    assert tacit("data", "import", ".", "--trust", "user", *geas).code == 0
    first = tacit(
        "review",
        "approve",
        "mem-1",
        "--to",
        "canonical",
        "--role",
        "risk_specialist",
        "--by",
        "ann",
        *geas,
    ).data
    assert (first["state"], first["waits_for"]) == (
        "stable",
        "the approval of orchestration_authority",
    )
    again = tacit(
        "review",
        "approve",
        "mem-1",
        "--to",
        "canonical",
        "--role",
        "orchestration_authority",
        "--by",
        "ann",
        *geas,
    ).data
    assert again["state"] == "stable"
    last = tacit(
        "review",
        "approve",
        first["proposal"],
        "--role",
        "orchestration_authority",
        "--by",
        "olga",
        *geas,
    ).data
    assert (last["state"], last["waits_for"]) == ("canonical", None)
    assert tacit("review", "approve", "mem-1", "--role", "janitor", *geas).code == 2


def test_what_is_kept_is_asked_about_no_more(folder: Path) -> None:
    """Its review date is put off, contradictions are weighed and done with, the proposal is turned down with the reason."""
    from tacit.core.value import replace

    with verbs.open(profile="default", by="ada") as memories:
        id = memories.add("Deploys go through the blue queue.").id
        memories.feedback(id, "wrong", reason="it is green")
        ask(memories, "archive", "no difference", id, to="gone")
        done = memories.review(id, "close", outcome="keep", reason="the green one is gone")
        memory = memories.get(id)
        assert isinstance(done, Reviewed) and (
            done.state,
            memory.state,
            memory.tally.contradicted,
        ) == (
            "active",
            "active",
            0,
        )
        assert memory.review_after > memory.updated_at
        (turned,) = memories.proposals(state="")
        assert (turned.state, turned.decided_by, turned.decision) == (
            "rejected",
            "ada",
            "kept by ada: the green one is gone",
        )
        assert [entry.verb for entry in memories.log(memory=id)][-1] == "approve"
        memories.review(id, "open")
        kept = memories.review(id, "close", outcome="keep")
        assert replace(kept, reason="") == Reviewed(id, "active", "doubted", "")


@pytest.mark.parametrize(
    ("stood", "now"),
    [("canonical", "stable"), ("stable", "provisional"), ("provisional", "decayed")],
)
def test_what_is_weakened_comes_back_one_state_lower(folder: Path, stood: str, now: str) -> None:
    """And less sure, by a contradiction's worth; the journal and geas's own review say why."""
    from tacit.hosts.source import BytesSource

    _, entry = geas_entry(stood)
    with verbs.open(profile="geas", by="ada") as memories:
        memories.import_(BytesSource(json.dumps(entry).encode(), "mem-1.json"), trust="user")
        memories.review("mem-1", "open")
        with pytest.raises(Refused):
            memories.review(memories.add("another").id, "close", outcome="weaken")
        memories.review("mem-1", "close", outcome="weaken", reason="only in the old service")
        memory = memories.get("mem-1")
        assert (stage(memory), memory.tally.confidence) == (now, pytest.approx(0.7))
        last = memories.log(memory=memory.id)[-1]
        assert last.before["state"] == "doubted"
        assert "weakened to" in last.reason
        assert "only in the old service" in last.reason
        reviews = [json.loads(line) for line in memories.export("geas", "reviews").splitlines()]
        assert [each["decision"] for each in reviews] == ["weaken"]
        assert memories.tend().moves == () and not memories.health().health.faults


@pytest.mark.parametrize(("profile", "now"), [("default", "gone"), ("archeflow", "")])
def test_what_is_weakened_below_provisional_is_given_to_nobody(
    folder: Path, profile: str, now: str
) -> None:
    """By default it decays and may come back when it is met; a ladder that has no such rung says so, and what to do."""

    with verbs.open(profile=profile, by="ada") as memories:
        id = memories.add("Deploys go through the blue queue.").id
        memories.review(id, "open")
        if not now:
            with pytest.raises(Refused, match="knows nothing weaker"):
                memories.review(id, "close", outcome="weaken")
            return
        memories.review(id, "close", outcome="weaken", reason="only on Mondays")
        assert (memories.get(id).state, memories.inject("deploy queue", trial=False).injected) == (
            now,
            (),
        )
        for n in range(3):
            memories.learn(library_run(f"r{n}", "Deploys go through the blue queue."))
        assert [(each.memory, (each.payload or {})["to"]) for each in memories.proposals()] == [
            (id, "waiting")
        ]


def library_run(name: str, text: str) -> Any:
    """A run whose reviewer said this."""
    from tacit.testing import finding, run

    return run(name, finding(name, text))


def test_a_proposal_is_shown_with_what_was_said(tacit: Any, ids: list[str]) -> None:
    """Quoted evidence, for and against, beside the memory it is about."""
    assert (
        tacit(
            "origin", "feedback", ids[0], "--wrong", "--reason", "the tests migrate by themselves"
        ).code
        == 0
    )
    shown = tacit("review", "show", ids[0])
    assert "against it, ada" in shown.out and "“the tests migrate by themselves”" in shown.out
    assert (
        tacit("review", "show", ids[0], "--json").data["evidence"][0]["quote"]
        == "the tests migrate by themselves"
    )
    assert tacit("review", "open", ids[0], "--as", "person").code == 0


def test_what_was_turned_down_stays_quiet_until_more_is_known(folder: Path) -> None:
    """A forgotten lesson is proposed after three further runs; rejected, after three more, not after each."""
    from tacit.testing import finding, run

    said = "The importer drops rows with empty names"
    with verbs.open(by="ada") as memories:
        memories.learn(run("r0", finding("r0", said)))
        memories.forget(memories.list()[0].id)
        asked = []
        for n in range(1, 10):
            memories.learn(run(f"r{n}", finding(f"r{n}", said)))
            waiting = memories.proposals()
            asked += [n] if waiting else []
            for each in waiting:
                memories.review(each.id, "reject", reason="not again")
        assert asked == [3, 6, 9]
