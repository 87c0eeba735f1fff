"""Tend killed, tend twice at once, tend beside learners."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from tests import verbs

from tacit.core.clock import after_days, now

PAIRS = 15


def prepared(place: Path) -> dict[str, str]:
    """A home with lessons to merge and to archive; the environment of whoever works there."""
    work = place / "work"
    work.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    env = {
        **{name: at for name, at in os.environ.items() if not name.startswith(("TACIT_", "XDG_"))},
        "HOME": str(place),
        "USER": "ada",
    }
    with verbs.open(str(place / "a.db"), env={**env, "TACIT_RUN": "r1"}, cwd=str(work)) as agent:
        old = after_days(now(), -120)
        agent.add_many(
            [
                {"text": f"The parser{n} drops field{n} of table{n}", "kind": "pitfall", "at": old}
                for n in range(PAIRS)
            ]
        )
        for n in range(PAIRS):
            agent.add(f"The worker{n} leaks handle{n} when queue{n} is full", kind="pitfall")
            agent.add(f"The worker{n} leaks the handle{n} when queue{n} is full", kind="pitfall")
    return {**env, "TACIT_NO_WORKER": "1", "TACIT_STORE": str(place / "a.db")}


def started(env: dict[str, str], *args: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "tacit", *args, "--json"]
    return subprocess.Popen(
        argv,
        env=env,
        cwd=Path(env["HOME"]) / "work",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(env: dict[str, str]) -> dict[str, object]:
    """What the store came to: states, and how often each memory was written about."""
    with verbs.open(env["TACIT_STORE"], env=env, cwd=str(Path(env["HOME"]) / "work")) as memories:
        assert memories.health().health.is_sound
        return {
            "states": memories.store.rows(
                "SELECT id, stood, extra ->> '$.was.merged' FROM lesson ORDER BY 1"
            ),
            "entries": memories.store.rows(
                "SELECT lesson, verb, count(*) FROM journal GROUP BY 1, 2 ORDER BY 1, 2"
            ),
            "seen": memories.store.rows(
                "SELECT lesson, sum(amount) FROM evidence GROUP BY 1 ORDER BY 1"
            ),
        }


def test_a_killed_pass_is_made_good(tmp_path: Path) -> None:
    """Killed three times somewhere and then left alone: the very store that an undisturbed pass leaves."""
    calm = prepared(tmp_path / "calm")
    shutil.copytree(tmp_path / "calm", tmp_path / "killed")
    killed = {
        **calm,
        "HOME": str(tmp_path / "killed"),
        "TACIT_STORE": str(tmp_path / "killed" / "a.db"),
    }
    out, err = started(calm, "origin", "tend").communicate()
    assert json.loads(out)["ok"], err
    dice = random.Random(7)
    for _ in range(3):
        process = started(killed, "origin", "tend")
        try:
            process.communicate(timeout=dice.uniform(0.15, 0.9))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
    out, err = started(killed, "origin", "tend").communicate()
    assert json.loads(out)["ok"], err
    assert told(killed) == told(calm)


def test_two_passes_and_eight_learners_at_once(tmp_path: Path) -> None:
    """Nobody fails, every run is learned; of two passes one may say that the other is at work."""
    env = prepared(tmp_path / "home")
    runs = tmp_path / "runs"
    runs.mkdir()
    for n in range(8):
        said = {
            "place": "f",
            "text": f"The worker{n} leaks handle{n} when queue{n} is full",
            "by": "guardian",
            "tier": "review",
        }
        (runs / f"r{n}.jsonl").write_text(
            json.dumps({"type": "run", "id": f"r{n}", "task": "t", "findings": [said]}) + "\n"
        )
    at_once = [started(env, "origin", "tend") for _ in range(2)]
    at_once += [started(env, "learn", str(file)) for file in sorted(runs.iterdir())]
    for process in at_once:
        out, err = process.communicate()
        assert process.returncode == 0 and json.loads(out)["ok"], out + err
    with verbs.open(env["TACIT_STORE"], env=env, cwd=str(tmp_path / "home" / "work")) as memories:
        assert {run.foreign_id for run in memories.store.runs(memories.project_id)} >= {
            f"r{n}" for n in range(8)
        }
    assert told(env)["states"]
