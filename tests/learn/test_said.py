"""A finding is known by its run and its content: nothing that is new is lost, nothing that is known counts twice."""

from __future__ import annotations

import json
from typing import Any

from tests.verbs import Memories

from tacit.hosts.source import BytesSource
from tacit.testing import finding, run, tool

DELTA = "Delta module leaks handles under load"
OMEGA = "Omega exports must be sorted before they are signed"
SIGMA = "Sigma refuses uploads without a content length header"


def submit(memories: Memories, text: str, **fields: Any) -> Any:
    line = json.dumps({"type": "finding", "run": "j", "text": text, "by": "reviewer", **fields})
    [learned] = memories.learn(BytesSource(line.encode()), format="neutral")
    return learned


def texts(memories: Memories) -> set[str]:
    return {memory.text for memory in memories.list(limit=50)}


def test_submissions_under_one_run_id_are_all_kept(memories: Memories) -> None:
    """One line each on standard input: all of them stand at line 1."""
    told = [submit(memories, text) for text in (DELTA, OMEGA, SIGMA)]
    assert [(each.already, each.findings) for each in told] == [(False, 1)] * 3
    assert texts(memories) == {DELTA, OMEGA, SIGMA}
    again = submit(memories, OMEGA)
    assert (again.already, again.findings, again.known) == (True, 0, 1)
    assert {memory.tally.seen for memory in memories.list()} == {
        1
    }  # one run, however often it speaks


def test_submissions_of_joelclaw_in_a_loop_are_all_kept(memories: Memories) -> None:
    for text in (DELTA, OMEGA, SIGMA):
        event = {
            "name": "memory/observation.submitted",
            "data": {"observation": text, "category": "jc:operations"},
        }
        [learned] = memories.learn(BytesSource(json.dumps(event).encode()), format="joelclaw")
        assert (learned.already, learned.findings) == (False, 1)
    assert texts(memories) == {DELTA, OMEGA, SIGMA}


def test_new_findings_beside_known_ones_are_learned(memories: Memories) -> None:
    """Also where they took the places of others."""
    memories.learn(
        run("r1", finding("r1", DELTA, place="line:1"), finding("r1", OMEGA, place="line:2"))
    )
    [learned] = memories.learn(
        run("r1", finding("r1", SIGMA, place="line:1"), finding("r1", DELTA, place="line:2"))
    )
    assert (learned.already, learned.findings, learned.known) == (False, 1, 1)
    assert texts(memories) == {DELTA, OMEGA, SIGMA}


def test_a_graver_word_or_another_speaker_is_new(memories: Memories) -> None:
    """Said as a hint first and as a bug then: the second is no repetition."""
    assert submit(memories, DELTA, severity="info").findings == 1
    assert submit(memories, DELTA, severity="bug").findings == 1
    assert submit(memories, DELTA, severity="bug", by="tester").findings == 1
    assert submit(memories, DELTA, severity="bug", by="tester").already


def test_a_submission_takes_nothing_back(memories: Memories) -> None:
    """What the run's own log said of it stands: outcome, times, files."""
    memories.learn(
        run(
            "j",
            tool("make test"),
            outcome="success",
            ended_at="2026-01-02T00:00:00.000Z",
            files=("a.py",),
        )
    )
    before = memories.store.find_run(memories.project_id, "j")
    submit(memories, DELTA)
    after = memories.store.find_run(memories.project_id, "j")
    assert before is not None and after is not None
    assert (after.outcome, after.ended_at, after.complete) == ("success", before.ended_at, True)
    assert (after.facts or {})["files"] == ["a.py"] and (after.facts or {})["steps"] == 1


def test_what_erasing_leaves_out_is_said(memories: Memories) -> None:
    """Nothing else comes in at the erased place of a file, and the report says so; what is submitted has a place of its own."""
    memories.learn(run("r1", finding("r1", DELTA, place="line:1")))
    memories.erase(memories.list()[0].id)
    [learned] = memories.learn(run("r1", finding("r1", OMEGA, place="line:1")))
    assert (learned.findings, learned.buried) == (0, 1) and "erased" in learned.warnings[0]
    submit(memories, DELTA)
    memories.erase(memories.list()[0].id)
    assert submit(memories, OMEGA).findings == 1
    assert submit(memories, DELTA).findings == 0
