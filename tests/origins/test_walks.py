"""The four journeys and the drop-in script as printed, each walked by a person, a script and from an agent's shell: fifteen walks in fresh homes.

What is printed under *In five minutes* of docs/internals/origins is typed line by line: the first block by a person, once; the others by whoever
calls. Every step gives a script or an agent what it gives the person, or says why a person is needed and what to type; nothing is empty with
status 0 where the person gets something. `make test-origins` walks all, `make test` one of each caller.
"""

from __future__ import annotations

import atexit
import json
import re
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from callers import AGENT, CALLERS, NULLS, PERSON, SYSTEMS, Ended, World, write_logs

from tacit.origins.ralph import checksum

PAGES = Path(__file__).parents[2] / "docs" / "internals" / "origins"
SCRIPT_FILE = Path(__file__).parents[2] / "examples" / "archeflow-memory.sh"
DROP_IN = "drop-in"
IN_SUITE = (("archeflow", PERSON), ("ralph", AGENT))  # the script's verbs: checklist
ASKED = "y\n" * 3  # what a person answers where they are asked

pytestmark = [pytest.mark.process]


def blocks(system: str) -> list[list[str]]:
    """The commands under *In five minutes*, block by block; for the drop-in script those of its own head."""
    if system == DROP_IN:
        run = f"bash {SCRIPT_FILE}"
        said = [
            "extract .archeflow/events/r1.jsonl",
            "extract .archeflow/events/r2.jsonl",
            "inject code '' --audit r8",
            "extract .archeflow/events/r8.jsonl",
            "audit-check r8",
            "regression-check r8",
            "decay",
            "list",
            "add preference 'User prefers one bundled pull request'",
            "forget m-001",
        ]
        return [["tacit init --like archeflow"], [f"{run} {each}" for each in said]]
    page = (PAGES / f"{system}.md").read_text("utf-8")
    part = page.split("## In five minutes")[1].split("\n## W")[0]
    every = [
        re.findall(r"^\$ (.*)$", block, re.M)
        for block in re.findall(r"```console\n(.*?)```", part, re.S)
    ]
    assert len(every) == 3, every
    return every


def before(system: str, world: World) -> None:
    """What the system has learned on its own so far."""
    lesson = {
        "id": "m-001",
        "ts": "2026-05-01T10:00:00Z",
        "run_id": "r0",
        "type": "pattern",
        "source": "guardian",
        "description": NULLS,
        "frequency": 3,
        "severity": "warning",
        "domain": "code",
        "tags": [],
        "archetype": None,
        "last_seen_run": "r0",
        "runs_since_last_seen": 0,
    }
    learning = {
        "id": "learn-00abc123",
        "type": "strategy",
        "taskType": "test-fix",
        "content": {
            "description": "Test-driven development approach",
            "effectiveness": 0.85,
            "iterations": 12,
        },
        "confidence": 0.85,
        "sourceLoops": ["ralph-001", "ralph-003"],
        "createdAt": "2026-02-01T15:00:00Z",
        "updatedAt": "2026-02-03T10:30:00Z",
        "useCount": 5,
        "successRate": 0.85,
    }
    knowledge = {
        "version": "1.0.0",
        "checksum": checksum([learning]),
        "lastUpdated": "2026-02-03T10:30:00Z",
        "learnings": [learning],
        "stats": {},
    }
    entry = {
        "meta": {
            "version": "1.0",
            "artifact_type": "memory_entry",
            "artifact_id": "mem-task-014-1",
            "producer_type": "orchestration_authority",
            "created_at": "2026-04-06T08:15:00Z",
        },
        "memory_id": "mem-task-014-1",
        "memory_type": "architecture_precedent",
        "state": "provisional",
        "title": "Queue retries",
        "summary": "Make the queue retry with a growing pause",
        "scope": "project",
        "evidence_refs": ["retro-task-014"],
        "review_after": "2027-05-06T08:15:00Z",
        "supersedes": [],
        "superseded_by": None,
        "tags": ["queue"],
        "body": [],
        "signals": {
            "evidence_count": 3,
            "reuse_count": 4,
            "successful_reuses": 4,
            "failed_reuses": 0,
            "contradiction_count": 0,
            "confidence": 0.8,
        },
    }
    observation = {
        "id": "00000000-0000-4000-8000-000000000001",
        "session_id": "s1",
        "observation": "The import stalls when the queue holds more than a thousand jobs",
        "timestamp": 1793000000,
        "category_id": "jc:operations",
        "write_verdict": "allow",
        "write_confidence": 0.9,
        "recall_count": 3,
        "merged_count": 0,
    }
    files: dict[str, str] = {
        "archeflow": {".archeflow/memory/lessons.jsonl": json.dumps(lesson) + "\n"},
        "ralph": {".aiwg/knowledge/ralph-learnings.json": json.dumps(knowledge, indent=2)},
        "geas": {".geas/memory/entries/mem-task-014-1.json": json.dumps(entry, indent=2)},
        "joelclaw": {
            "memory_observations.jsonl": json.dumps(observation) + "\n",
            "MEMORY.md": "# Memory\n\n## Patterns\n- (2025-11-02) **Retries** — the queue retries three times, then parks the job in `dead/`\n",
        },
    }.get(system, {})
    for name, text in files.items():
        (world.repo / name).parent.mkdir(parents=True, exist_ok=True)
        (world.repo / name).write_text(text)


def afterwards(system: str, world: World) -> None:
    """What it writes once its profile was chosen."""
    if system in ("archeflow", DROP_IN):
        write_logs("archeflow", world.repo)
        write_logs("archeflow", world.repo, name="r8-")
        events = world.repo / ".archeflow/events"
        text = (events / "r8-1.jsonl").read_text().replace("r8-1", "r8")
        (events / "r8.jsonl").write_text(text)
        (events / "r8-1.jsonl").unlink()
        (events / "r8-2.jsonl").unlink()
        rows = [
            {"run_id": run, "status": "completed", "task": "t", "ts": "2026-05-04T11:00:00Z"}
            for run in ("r2", "r8")
        ]
        (events / "index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif system == "ralph":
        for name, to in (("a", "state"), ("b", "next")):
            write_logs(
                "ralph",
                world.repo,
                f"Read the failing {'token' if name == 'a' else 'session'} test first",
                name=name,
            )
            folder = world.repo / ".aiwg/ralph-external"
            state: dict[str, Any] = json.loads((folder / name / "state.json").read_text())
            state["iterations"] = [
                json.loads(path.read_text())
                for path in sorted((folder / name / "iterations").iterdir())
            ]
            (folder / f"{to}.json").write_text(json.dumps(state))
    elif system == "geas":
        write_logs(
            "geas", world.repo, "Make the queue retry only what is safe to repeat", name="task"
        )
    else:
        [path] = write_logs(
            "joelclaw",
            world.repo,
            "The import stalls until `bin/import --resume` is run",
            name="session",
        )
        assert path == ".joelclaw/session.xml"


def walk(system: str, caller: str) -> list[tuple[str, Ended]]:
    folder = mkdtemp(prefix="walk-")
    atexit.register(shutil.rmtree, folder, True)
    world = World(Path(folder))
    first, *rest = blocks(system)
    before(system, world)
    found = [(line, world.run(PERSON, ["bash", "-c", line], ASKED)) for line in first]
    afterwards(system, world)
    return found + [
        (line, world.run(caller, ["bash", "-c", line], ASKED if caller == PERSON else ""))
        for block in rest
        for line in block
    ]


@cache
def as_a_person(system: str) -> tuple[tuple[str, Ended], ...]:
    return tuple(walk(system, PERSON))


def plain(text: str) -> str:
    """An answer without what differs between two worlds: ids, times, sizes, paths."""
    text = re.sub(r"\b[a-z0-9]{12}\b", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?Z?", "TIME", text)
    return re.sub(
        r"/\S+/|[\d,]+ bytes|\blearn-[0-9a-f]{8}|-[0-9a-z]{8}/\S+|p-\w+",
        "…",
        re.sub(r" {2,}", "  ", text),
    ).strip()


NEEDS_A_PERSON = re.compile(r"\bperson\b", re.I)
WHAT_TO_TYPE = re.compile(r"\b(?:at|in) a terminal\b|\bkey\b|tacit review|tacit learn --as", re.I)


def says_who(step: Ended) -> bool:
    """A line that says why a person is needed and what they type."""
    return bool(NEEDS_A_PERSON.search(step.err) and WHAT_TO_TYPE.search(step.err))


WALKS = [
    pytest.param(
        system,
        caller,
        id=f"{system}-{caller}",
        marks=() if (system, caller) in IN_SUITE else (pytest.mark.slow,),
    )
    for system in (*SYSTEMS, DROP_IN)
    for caller in CALLERS
]


@pytest.mark.parametrize(("system", "caller"), WALKS)
def test_the_journey_as_printed(system: str, caller: str) -> None:
    person = as_a_person(system)
    wrong = [f"$ {line}\n{step}" for line, step in person if step.code]
    assert not wrong, "\n".join(wrong)
    given = next(step.out for line, step in person if "inject" in line)
    assert re.search(
        NULLS if system in ("archeflow", DROP_IN) else "Test-driven|queue retry|import stalls",
        given,
    ), given
    if caller == PERSON:
        return
    like, told = 0, 0
    for (line, mine), (_, step) in zip(walk(system, caller), person, strict=True):
        assert caller != AGENT or "--yes" not in mine.err, (
            f"$ {line}: a recipe that an agent could follow\n{mine}"
        )
        if (mine.code, plain(mine.out)) == (step.code, plain(step.out)):
            like += 1
        elif says_who(mine):
            told += 1
        else:
            wrong.append(f"$ {line}\n--- a person\n{step}\n--- {caller}\n{mine}")
    print(
        f"\n{system}, {caller}: {like} of {len(person)} steps as for a person, {told} say why one is needed"
    )
    assert not wrong, "\n".join(wrong)
    assert like >= len(person) - 4
