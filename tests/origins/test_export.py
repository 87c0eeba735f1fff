"""Nothing of theirs is ever destroyed: an export over a file of another system's, whatever the store knows of it, however it ends.

Each round makes a system's own files by a seed, brings store and files into one of six situations, exports over them, and looks for every
entry that stood there: in the files, with its id and its text, or in the store, and the very bytes in the copies where they were replaced.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import verbs

from tacit.core.errors import Refused
from tacit.origins.ralph import checksum

WORDS = "cache retry queue login timeout parser header cursor schema branch token socket index worker ledger".split()
SITUATIONS = ("known", "half known", "unknown", "import refused", "twice", "killed")
SYSTEMS = ("archeflow", "ralph", "geas", "joelclaw", "markdown")
ROUNDS = 100
IN_SUITE = 12

Files = dict[str, bytes]


def _text(dice: random.Random) -> str:
    return f"Check the {dice.choice(WORDS)} before the {dice.choice(WORDS)} of the {dice.choice(WORDS)}, case {dice.randrange(10**6)}"


def _rows(rows: list[Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _lesson(dice: random.Random, number: int) -> dict[str, Any]:
    return {
        "id": f"m-{number:03d}",
        "ts": "2026-05-04T10:00:00Z",
        "run_id": "r1",
        "type": "pattern",
        "source": "guardian",
        "description": _text(dice),
        "frequency": dice.randint(1, 6),
        "severity": "warning",
        "domain": "code",
        "tags": ["a"],
        "archetype": None,
        "last_seen_run": "r1",
        "runs_since_last_seen": 0,
        "note": dice.random(),
    }


def _learning(dice: random.Random, number: int) -> dict[str, Any]:
    return {
        "id": f"learn-{number:08x}",
        "type": "strategy",
        "taskType": "test-fix",
        "content": {"description": _text(dice)},
        "confidence": 0.8,
        "sourceLoops": ["l-1"],
        "createdAt": "2026-05-04T10:00:00Z",
        "updatedAt": "2026-05-04T10:00:00Z",
        "useCount": dice.randint(0, 4),
        "successRate": 0.5,
    }


def _entry(dice: random.Random, number: int) -> dict[str, Any]:
    at = "2026-05-04T10:00:00Z"
    return {
        "meta": {
            "version": "1.0",
            "artifact_type": "memory_entry",
            "artifact_id": f"mem-task-{number}-1",
            "producer_type": "orchestration_authority",
            "created_at": at,
        },
        "memory_id": f"mem-task-{number}-1",
        "memory_type": "failure_lesson",
        "state": "provisional",
        "title": "A lesson",
        "summary": _text(dice),
        "scope": "project",
        "evidence_refs": ["retro-task-1"],
        "signals": {
            "evidence_count": 2,
            "reuse_count": 0,
            "successful_reuses": 0,
            "failed_reuses": 0,
            "contradiction_count": 0,
            "confidence": 0.6,
        },
        "review_after": "2027-05-04T10:00:00Z",
        "supersedes": [],
        "superseded_by": None,
        "tags": [],
        "body": [],
    }


def _observation(dice: random.Random, number: int) -> dict[str, Any]:
    return {
        "id": f"00000000-0000-4000-8000-{number:012d}",
        "session_id": "s1",
        "observation": _text(dice),
        "timestamp": 1777888800,
        "category_id": "jc:operations",
        "write_verdict": "allow",
        "write_confidence": 0.9,
        "recall_count": 1,
        "merged_count": 0,
    }


class Theirs:
    """A system's own files in a folder, as its own program writes them."""

    def __init__(self, system: str, top: Path, seed: int) -> None:
        self.system, self.dice = system, random.Random(seed)
        self.top = top / {
            "archeflow": ".archeflow/memory",
            "ralph": ".aiwg/knowledge",
            "geas": ".geas",
        }.get(system, "kept")
        self.entries = [self.one(number) for number in range(1, self.dice.randint(2, 5))]
        self.save()

    def one(self, number: int) -> Any:
        make = {
            "archeflow": _lesson,
            "ralph": _learning,
            "geas": _entry,
            "joelclaw": _observation,
        }.get(self.system)
        return make(self.dice, number) if make else _text(self.dice)

    def save(self) -> None:
        for name, data in self._files().items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def _files(self) -> Files:
        if self.system == "archeflow":
            audit = {
                "ts": "2026-05-05T10:00:00Z",
                "run_id": "r2",
                "domain": "code",
                "archetype": "",
            }
            audit |= {"lessons_injected": ["m-001"], "lesson_count": 1}
            return {"lessons.jsonl": _rows(self.entries), "audit.jsonl": _rows([audit])}
        if self.system == "ralph":
            store = {
                "version": "1.0.0",
                "checksum": checksum(self.entries),
                "lastUpdated": "2026-05-04T10:00:00Z",
                "project": "ours",
                "learnings": self.entries,
                "stats": {},
            }
            return {"ralph-learnings.json": json.dumps(store, indent=2).encode()}
        if self.system == "geas":
            rules = "# Project Rules\n\n## Style\n" + "".join(
                f"- Rule {n} of the house\n" for n in range(3)
            )
            return {
                f"memory/entries/{each['memory_id']}.json": json.dumps(each, indent=2).encode()
                for each in self.entries
            } | {"rules.md": rules.encode()}
        if self.system == "joelclaw":
            return {"memory_observations.jsonl": _rows(self.entries)}
        lines = "".join(
            f"- (2026-05-04) **Case** — {text} <!-- k{n} -->\n"
            for n, text in enumerate(self.entries)
        )
        return {"MEMORY.md": f"# Memory\n\n## Patterns\n{lines}".encode()}

    def grow(self) -> None:
        """Its own program writes another entry."""
        self.entries.append(self.one(len(self.entries) + 7))
        self.save()

    def now(self) -> Files:
        return {
            str(path): path.read_bytes() for path in sorted(self.top.rglob("*")) if path.is_file()
        }

    def texts(self) -> list[str]:
        """What each entry says, read without any code of ours."""
        fields = ("description", "summary", "observation")
        found = []
        for each in self.entries:
            said = each.get("content", each) if isinstance(each, dict) else {"description": each}
            found.append(next(said[name] for name in fields if name in said))
        return found


_KILLED = """
import os, sys
after, calls = int(sys.argv.pop(1)), 0
def count(real):
    def call(*args, **named):
        global calls
        calls += 1
        if calls == after:
            os.kill(os.getpid(), 9)
        return real(*args, **named)
    return call
for name in ("open", "rename", "replace", "fsync", "unlink", "makedirs"):
    setattr(os, name, count(getattr(os, name)))
from tacit.cli import main
sys.exit(main(sys.argv[1:]))
"""


class World:
    def __init__(self, system: str, folder: Path, seed: int) -> None:
        self.theirs, self.system, self.folder = Theirs(system, folder, seed), system, folder
        self.profile = "default" if system == "markdown" else system
        self.memories = verbs.open(None, profile=self.profile, cwd=str(folder), by="ada", yes=True)

    def bring(self) -> None:
        self.memories.import_(str(self.theirs.top), trust="user")

    def export(self) -> bool:
        """Whether it was written."""
        texts = self.memories.export_files(self.system)
        try:
            self.memories.write_files(
                self.system, {str(self.theirs.top / file): text for file, text in texts.items()}
            )
        except Refused:
            return False
        return True

    def killed_export(self, after: int) -> None:
        """`tacit data export` in a process of its own that ends, by kill -9, at the so many-th call that touches a file."""
        subprocess.run(
            [
                sys.executable,
                "-c",
                _KILLED,
                str(after),
                "data",
                "export",
                "--format",
                self.system,
                "--out",
                str(self.theirs.top),
            ],
            cwd=self.folder,
            capture_output=True,
            timeout=60,
            check=False,
        )

    def close(self) -> None:
        self.memories.close()


def _copies() -> list[bytes]:
    root = Path(os.environ["XDG_DATA_HOME"]) / "tacit" / "replaced"
    return [path.read_bytes() for path in root.rglob("*") if path.is_file()]


def _lost(world: World, before: Files) -> list[str]:
    """What stood in the files and is nowhere now; and files that changed without a copy."""
    after = world.theirs.now()
    everything = b"\n".join(after.values()).decode()
    held, copies = {each.text for each in world.memories.list(limit=-1, archived=True)}, _copies()
    kept = everything + b"\n".join(copies).decode()
    lost = [text for text in world.theirs.texts() if text not in kept and text not in held]
    return lost + [
        path for path, data in before.items() if after.get(path) != data and data not in copies
    ]


def _play(system: str, situation: str, folder: Path, seed: int) -> None:
    world = World(system, folder, seed)
    try:
        written = True
        if situation == "known":
            world.bring()
        elif situation == "half known":
            world.bring()
            world.theirs.grow()
            written = False
        elif situation == "unknown":
            world.memories.add("A lesson of our own, number one")
            world.memories.export_files(system)  # it has a number of theirs now
            written = False
        elif situation == "import refused":
            os.environ["CLAUDECODE"] = "1"
            try:
                with (
                    verbs.open(None, profile="", cwd=str(folder)) as agent,
                    pytest.raises(Refused),
                ):
                    agent.import_(str(world.theirs.top), trust="user")
            finally:
                del os.environ["CLAUDECODE"]
            written = False
        elif situation == "twice":
            world.bring()
            assert world.export()
            world.memories.add("A lesson of our own, number one")
        elif situation == "killed":
            world.bring()
            [first, *_] = world.memories.list(limit=1)
            world.memories.edit(first.id, text="Another text for it, said by a person")
        before = world.theirs.now()
        if situation == "killed":
            world.killed_export(1 + random.Random(seed).randrange(60))
        elif written:
            assert world.export(), "everything in it is known, and yet it was refused"
        else:
            world.export()  # an empty store has no file for geas, and for the others it is refused
            assert world.theirs.now() == before, (
                "it was replaced, although something in it is unknown"
            )
            world.memories.add("One more lesson of our own")
            assert not world.export()
        assert _lost(world, before) == []
    finally:
        world.close()


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=() if n < IN_SUITE else pytest.mark.slow) for n in range(ROUNDS)]
)
def test_nothing_of_theirs_is_destroyed(seed: int, folder: Path) -> None:
    """All in all a hundred exports: each situation with each system, and kills at many places (`make campaign` plays those beyond the slice)."""
    _play(SYSTEMS[seed % len(SYSTEMS)], SITUATIONS[seed % len(SITUATIONS)], folder, seed)


@pytest.fixture
def theirs(folder: Path) -> Theirs:
    return Theirs("archeflow", folder, 1)


def test_a_refusal_says_what_would_be_lost_and_what_to_do(theirs: Theirs, tacit: Any) -> None:
    """The review's own case: a fresh store has an m-001 too, an agent's import was refused, and the export that follows must not write."""
    before = theirs.now()
    tacit("init", "--like", "archeflow")
    assert tacit("data", "import", ".archeflow/memory", "--trust", "user", CLAUDECODE="1").code == 1
    tacit("add", "A lesson of our own", "--kind", "preference")
    ran = tacit("data", "export", "--format", "archeflow", "--out", ".archeflow/memory")
    assert (ran.code, theirs.now()) == (1, before)
    assert "m-001" in ran.err and "tacit data import .archeflow/memory/lessons.jsonl" in ran.err
    # What it says works, from an agent's shell too: they come in, held, and leave again as they came.
    assert tacit("data", "import", ".archeflow/memory", CLAUDECODE="1").code == 0
    ran = tacit(
        "data",
        "export",
        "--format",
        "archeflow",
        "--out",
        ".archeflow/memory",
        "--json",
        CLAUDECODE="1",
    )
    assert (ran.code, len(ran.data["copies"])) == (0, 2)
    lessons = (theirs.top / "lessons.jsonl").read_text()
    assert all(text in lessons for text in theirs.texts())


def test_what_was_replaced_lies_in_the_data_folder(theirs: Theirs, tacit: Any) -> None:
    """Nothing stands beside the file; of versions that were known whole the last ten stay, of others every one."""
    tacit("init", "--like", "archeflow")
    tacit("data", "import", ".archeflow/memory", "--trust", "user")
    with verbs.open(None, cwd=os.getcwd(), by="ada", yes=True) as memories:
        for n in range(12):
            memories.add(f"Lesson number {n} about the {WORDS[n]}", kind="preference")
            file = str(theirs.top / "lessons.jsonl")
            memories.write_files("archeflow", {file: memories.export("archeflow")})
        rows = [
            json.loads(line) for line in (theirs.top / "lessons.jsonl").read_text().splitlines()
        ]
        (theirs.top / "lessons.jsonl").write_bytes(
            _rows([{**row, "frequency": 9} for row in rows])
        )  # their own count
        [done] = memories.write_files("archeflow", {file: memories.export("archeflow")})
        assert "/theirs/" in done.copy
        root = Path(os.environ["XDG_DATA_HOME"]) / "tacit" / "replaced"
        assert len(list(root.glob("lessons.jsonl-*/*.jsonl"))) == 10
        assert sorted(path.name for path in theirs.top.iterdir()) == [
            "audit.jsonl",
            "lessons.jsonl",
        ]
        # Who erases a lesson erases it there too.
        first = next(each for each in memories.list(limit=-1) if each.text == theirs.texts()[0])
        memories.erase(first.id)
    assert not any(first.text.encode() in data for data in _copies())


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"not json at all\n", "JSON"),
        (b'{"id": "m-009", "ts"', "JSON"),
        (b"\xff\xfe\x00\x01", "archeflow"),
    ],
)
def test_what_cannot_be_read_is_not_replaced(
    data: bytes, told: str, folder: Path, tacit: Any
) -> None:
    path = folder / "out" / "lessons.jsonl"
    path.parent.mkdir()
    path.write_bytes(data)
    tacit("init", "--like", "archeflow")
    tacit("add", "A lesson of our own")
    ran = tacit("data", "export", "--format", "archeflow", "--out", "out")
    assert (ran.code, path.read_bytes()) == (1, data)
    assert "lessons.jsonl" in ran.err


def test_prose_and_comments_are_not_replaced(folder: Path, tacit: Any) -> None:
    """What stands between the entries of a page or a list, and in none of them, would be lost as well."""
    page = "# Memory\n\nRead this first: our page is kept by hand.\n\n## Patterns\n- (2026-05-04) **Case** — Check the cache <!-- k1 -->\n"
    (folder / "MEMORY.md").write_text(page)
    tacit("init")
    tacit("data", "import", "MEMORY.md", "--trust", "user")
    ran = tacit("data", "export", "--format", "markdown", "--out", ".")
    assert (ran.code, (folder / "MEMORY.md").read_text()) == (1, page)
    assert "Read this first" in ran.err


@pytest.mark.parametrize("out", ["there", "lessons.jsonl"])
def test_a_file_where_a_folder_is_wanted_is_said(out: str, folder: Path, tacit: Any) -> None:
    tacit("init", "--like", "archeflow")
    if out == "there":
        (folder / out).write_text("mine")
    ran = tacit("data", "export", "--format", "archeflow", "--out", out)
    assert ran.code == 2 and "folder" in ran.err
