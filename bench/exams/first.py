"""E14: does the hook tell at a prompt what `recall` puts first, or nothing by its floor? On prompts of real sessions, each in a session of its own.

The projects are learned by their kept answers; then 100 of their typed prompts, drawn by a fixed seed, are asked both ways. `recall` also
shows what waits, which no hook may tell: the first that may be told is looked for.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.exams.feed import Copy, copied, feed, sessions, world_of
from bench.exams.product import Product
from bench.exams.rows import Row
from bench.exams.transcript import events

PROMPTS, SEED = 100, 14
ASKED = 4_000  # characters of a prompt that a hook looks at
SHOWN = 20  # of recall's answers that are looked at for one that may be told


def rows(projects: list[Path], product: Product, work: Path) -> Iterator[Row]:
    """How often both agree, and how often the hook says nothing."""
    asked = [(project, text) for project in projects for text in prompts(project)]
    drawn = random.Random(SEED).sample(asked, min(PROMPTS, len(asked)))
    found = [
        each
        for project in projects
        for each in both(project, product, [text for of, text in drawn if of == project])
    ]
    (work / "first.json").write_text(json.dumps(found, indent=1, ensure_ascii=False))
    told = [each for each in found if each["told"]]
    first = sum(each["first"] in each["told"] for each in told)
    silent = len(found) - len(told)
    yield Row("E14", "recall's first is told, or nothing is", f"{first + silent} of {len(found)}")
    yield Row(
        "E14", "prompts that are told something, recall's first among it", f"{first} of {len(told)}"
    )


def prompts(project: Path) -> list[str]:
    """Every prompt of a project's sessions that has a word."""
    found = (each for session in sessions(project) for each in events(session.file))
    return [
        each.text[:ASKED]
        for each in found
        if each.moment == "prompt" and any(map(str.isalpha, each.text))
    ]


def both(project: Path, product: Product, asked: list[str]) -> Iterator[dict[str, Any]]:
    """What `recall` and the hook say to each prompt, when the whole project was learned."""
    world = world_of(project, product)
    try:
        for _ in feed(world, play=False):
            pass
        known = world.home.lessons()
        may = {id for id, lesson in known.items() if lesson.state == "active"}
        copy = copied(world.home, world.folder)
        for number, text in enumerate(asked):
            words = said(copy, f"first-{number}", text)
            ranked = [each for each in recalled(copy, text) if each in may]
            told = sorted((id for id in may if id in words), key=words.index)
            first = ranked[0] if ranked else ""
            yield {"project": project.name, "prompt": text, "first": first, "told": told}
    finally:
        shutil.rmtree(world.folder.parent, ignore_errors=True)


def said(copy: Copy, session: str, text: str) -> str:
    """What the hook tells at a prompt, the first of a session."""
    here = {"session_id": session, "cwd": str(copy.repository), "permission_mode": "default"}
    return copy.hook("prompt", {**here, "hook_event_name": "UserPromptSubmit", "prompt": text})


def recalled(copy: Copy, text: str) -> list[str]:
    """What `recall` finds for the same words, best first."""
    found = copy.data("recall", "--limit", str(SHOWN), "--", text)
    return [each["id"] for each in found["hits"]]
