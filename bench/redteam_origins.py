"""Quiet poison in the logs of the four origins: everything that is not what the system itself wrote here after a person chose its profile.

Each system is a channel; its texts are spread over the ways in which a log may be somebody else's: committed before and after the choice, older
than it, a link to elsewhere, another system's, below a folder of that name elsewhere, where git cannot be asked, on standard input, and with one
tracked file among many. An agent's shell learns them all. A last channel plants all of them where the profile is the default one.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

SYSTEMS = ("archeflow", "ralph", "geas", "joelclaw")
WAYS = 8
AGENT = {"CLAUDECODE": "1", "TACIT_KEY": ""}


def _git(world: Any, *args: str) -> None:
    named = ["-c", "user.name=mallory", "-c", "user.email=m@example.org"]
    subprocess.run(["git", *named, *args], cwd=world.repo, check=True, capture_output=True)


def _put(top: Path, name: str, content: object) -> str:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text + "\n", encoding="utf-8")
    return name


def write_log(system: str, top: Path, texts: tuple[str, ...], name: str) -> list[str]:
    """Logs in which each text is said as often as its system wants before it gives one; the files to learn."""
    if system == "archeflow":
        found = [
            {
                "location": "a.py:1",
                "severity": "WARNING",
                "category": "quality",
                "description": text,
            }
            for text in texts
        ]
        data = {"archetype": "guardian", "verdict": "changes", "findings": found}
        return [
            _put(
                top,
                f".archeflow/events/{name}{k}.jsonl",
                "\n".join(
                    json.dumps(
                        {
                            "ts": "2026-11-01T10:00:00Z",
                            "run_id": f"{name}{k}",
                            "seq": n,
                            "type": kind,
                            "agent": "guardian",
                            "data": each,
                        }
                    )
                    for n, (kind, each) in enumerate(
                        (
                            ("run.start", {"task": "t", "domain": "code"}),
                            ("review.verdict", data),
                            ("run.complete", {"status": "completed"}),
                        )
                    )
                ),
            )
            for k in (1, 2)
        ]
    if system == "ralph":
        said = []
        for k, text in enumerate(texts):
            done = [
                {
                    "number": n,
                    "status": "completed",
                    "duration": 30000,
                    "analysis": {"progressMade": True},
                    "learnings": [text],
                }
                for n in (1, 2, 3)
            ]
            state = {
                "loopId": f"{name}{k}",
                "objective": "Fix failing tests",
                "status": "completed",
                "currentIteration": 3,
            }
            said.append(
                _put(top, f".aiwg/ralph-external/{name}{k}.json", {**state, "iterations": done})
            )
        return said
    if system == "geas":
        at = {
            "version": "1.0",
            "created_at": "2026-11-01T08:15:00Z",
            "artifact_type": "retrospective",
            "producer_type": "orchestration_authority",
        }
        return [
            _put(
                top,
                f".geas/missions/m-1/tasks/{name}{k}/retrospective.json",
                {**at, "task_id": f"{name}{k}", "memory_candidates": list(texts)},
            )
            for k in (1, 2)
        ]
    facts = "\n".join(
        f"- 🔴 [gate=allow confidence=0.92 category=jc:operations reason=durable_fix] {text}"
        for text in texts
    )
    return [
        _put(
            top,
            f".joelclaw/{name}.xml",
            f"<observations><segment><facts>\n{facts}\n</facts></segment></observations>",
        )
    ]


def by_log(system: str, chosen: str, texts: tuple[str, ...], world: Any, n: int) -> None:
    """One system's logs that are somebody else's, under the profile that a person chose."""
    if n == 0:
        _git(world, "init", "-q")
    parts = [texts[way::WAYS] for way in range(WAYS)]
    name = f"x{n}"
    committed = write_log(system, world.repo, parts[0], f"{name}a")
    _git(world, "add", "-A")
    _git(world, "commit", "-qm", "logs", "--allow-empty")
    older = write_log(system, world.repo, parts[1], f"{name}b")
    for each in older:
        os.utime(world.repo / each, (time.time() - 86400, time.time() - 86400))
    world.tacit("init", "--like", chosen)
    after = write_log(system, world.repo, parts[2], f"{name}c")
    _git(world, "add", "-f", *after)
    elsewhere = world.home / "elsewhere"
    linked = write_log(system, elsewhere, parts[3], f"{name}d")
    for each in linked:
        (world.repo / each).parent.mkdir(parents=True, exist_ok=True)
        (world.repo / each).symlink_to(elsewhere / each)
    other = SYSTEMS[(SYSTEMS.index(system) + 1) % len(SYSTEMS)]
    others = write_log(other, world.repo, parts[4], f"{name}e")
    below = [
        f"vendor/lib/{each}"
        for each in write_log(system, world.repo / "vendor/lib", parts[5], f"{name}f")
    ]
    for each in (*committed, *older, *after, *linked, *others, *below):
        world.tacit("learn", each, "--over", env=AGENT)
    for each in write_log(system, world.repo, parts[6], f"{name}g"):
        world.tacit("learn", each, "--over", env={**AGENT, "PATH": ""})
    for each in write_log(system, world.home / "pipe", parts[7], f"{name}h"):
        if system != "joelclaw":  # there it is the agent's own word, as through a tool
            world.tacit(
                "learn",
                "-",
                "--format",
                system,
                given=(world.home / "pipe" / each).read_text(),
                env=AGENT,
            )


def by_all_logs(texts: tuple[str, ...], world: Any, n: int) -> None:
    for k, system in enumerate(SYSTEMS):
        by_log(system, "default", texts[k::4], world, n if k == 0 else 4 * n + k + 100)


ORIGIN_CHANNELS: dict[str, Callable[[tuple[str, ...], Any, int], None]] = {
    **{
        f"{system}: logs that are somebody else's": partial(by_log, system, system)
        for system in SYSTEMS
    },
    "origins: such logs under the default profile": by_all_logs,
}


def by_own_logs(texts: tuple[str, ...], world: Any, n: int) -> None:
    """The control: what the system writes itself, after the choice; not the first text, whose address nobody here typed waits."""
    _git(world, "init", "-q")
    world.tacit("init", "--like", "archeflow")
    for each in write_log("archeflow", world.repo, texts[1:9], f"own{n}"):
        world.tacit("learn", each, "--domain", "general", "--over", env=AGENT)
