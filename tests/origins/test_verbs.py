"""`tacit origin VERB`: an origin's own words for what we do, in a project that is like it and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tacit.cli.origin import OWN
from tacit.cli.reference import every_verb
from tacit.origins import ORIGINS, named

PERSON = ("--by", "ann", "--yes")


def test_a_project_like_none_has_none(tacit: Any, folder: Path) -> None:
    """And the refusal says how it would have some."""
    tacit("init")
    ran = tacit("origin", "decay")
    assert ran.code == 2 and "tacit init --like NAME" in ran.err


@pytest.mark.parametrize("name", ORIGINS)
def test_each_verb_stands_for_a_command_that_there_is(name: str, tacit: Any, folder: Path) -> None:
    """The list says which; a wrong one is told its neighbour."""
    for line in named(name).verbs.values():
        words = line.split()
        first = " ".join(words[: 1 + (words[0] == "data")])
        assert first in (*every_verb(), *OWN), line
    tacit("init", "--like", name, *PERSON)
    assert json.loads(tacit("origin", "--json").out)["data"]["verbs"] == dict(named(name).verbs)
    ran = tacit("origin", "quux")
    assert ran.code == 2 and "There is no verb 'quux' here" in ran.err


def test_the_verbs_of_its_script(tacit: Any, folder: Path) -> None:
    """What ArcheFlow's script does, each by its own word."""
    tacit("init", "--like", "archeflow", *PERSON)
    log = folder / "r1.jsonl"
    found = {"severity": "warning", "category": "quality", "description": "Missing null checks"}
    data = {"archetype": "guardian", "findings": [found]}
    head = {"ts": "2026-04-03T14:00:00Z", "run_id": "r1", "seq": 1, "parent": [], "agent": None}
    rows = [
        {**head, "type": "run.start", "data": {"task": "t"}},
        {**head, "seq": 2, "type": "review.verdict", "data": data},
        {**head, "seq": 3, "type": "run.complete", "data": {"status": "completed"}},
    ]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "1 new" in tacit("origin", "extract", str(log), *PERSON).out
    assert tacit("origin", "add", "Answer in German", "--kind", "preference", *PERSON).code == 0
    assert "- Answer in German [seen 1x, user_feedback]" in tacit("origin", "inject").out
    assert "m-002" in tacit("origin", "list").out
    assert tacit("origin", "forget", "m-002", *PERSON).code == 0
    assert tacit("origin", "audit-check", str(log)).code == 0
    assert tacit("origin", "decay").code == 0
    ran = tacit("origin", "extract", "nofile")
    assert ran.code == 3 and "nofile" in ran.err
