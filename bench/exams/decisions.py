"""E1: bugs whose right fix was settled in an earlier chat. Do the hooks tell what was settled, and keep silent about what was not?

The chats of both projects are learned in the order of time; then each bug's start, report and file are played, and the first prompt of every chat that
settles nothing. What a fixing agent makes of it: `python -m bench.decisions`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from bench.exams.feed import Copy, World, copied, feed, sessions, world_of
from bench.exams.product import Product
from bench.exams.rows import Row
from bench.exams.transcript import events

PROJECTS = ("settled", "amended")


def rows(data: Path, product: Product) -> Iterator[Row]:
    """The figures of both projects."""
    own = told = tokens = bugs = prompts = answered = lessons = 0
    asked, without = 0, 0
    for project in PROJECTS:
        world = world_of(data / project, product, f"decisions-{project}")
        try:
            born = learned(world)
            questions = world.questions()
            asked += len(questions)
            without += sum(not each["answered"] for each in questions)
            whose = json.loads((data / project / "whose.json").read_text())
            for task, settled in sorted(whose.items()):
                mine = {id for id, session in born.items() if session in settled}
                words = at_bug(world, data, task)
                own, told = own + len(mine), told + sum(id in words for id in mine)
                tokens, bugs = tokens + (len(words) + 3) // 4, bugs + 1
            settling = {session for each in whose.values() for session in each}
            for words in at_nothing(world, settling):
                given = sum(id in words for id in born)
                prompts, answered, lessons = prompts + 1, answered + bool(given), lessons + given
        finally:
            shutil.rmtree(world.folder.parent, ignore_errors=True)
    yield Row("E1", "questions without an answer", f"{without} of {asked}")
    yield Row("E1", "own lessons delivered", f"{told} of {own}")
    yield Row("E1", "tokens a bug", round(tokens / bugs))
    yield Row("E1", "prompts about nothing that are answered", f"{answered} of {prompts}")
    yield Row("E1", "lessons told there", lessons)


def learned(world: World) -> dict[str, str]:
    """Learn every chat; each lesson that is still kept afterwards, and the chat that taught it first."""
    born: dict[str, str] = {}
    kept: list[str] = []
    world.asked.touch()
    for line in feed(world, play=False):
        kept = [id for state, ids in line["states"].items() if state != "gone" for id in ids]
        for id in line["texts"]:
            born.setdefault(id, line["session"])
    world.read = 0  # its questions are counted once, at the end
    return {id: born[id] for id in kept}


def at_bug(world: World, data: Path, task: str) -> str:
    """All that the hooks tell an agent before and while it works on a bug."""
    report = json.loads((data / "tasks" / f"{task}.json").read_text())
    repository = world.home.repository
    shutil.copytree(data / "tasks" / task, repository, dirs_exist_ok=True)
    copy = copied(world.home, world.folder)
    module = {"file_path": str(repository / report["module"])}
    edit = {**module, "old_string": "", "new_string": ""}
    call = {"hook_event_name": "PreToolUse"}
    words = [
        said(copy, f"exam-{task}", moment, payload)
        for moment, payload in (
            ("session-start", {"hook_event_name": "SessionStart", "source": "startup"}),
            ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": report["bug_report"]}),
            (
                "before-command",
                {**call, "tool_use_id": "t1", "tool_name": "Read", "tool_input": module},
            ),
            (
                "before-command",
                {**call, "tool_use_id": "t2", "tool_name": "Edit", "tool_input": edit},
            ),
        )
    ]
    for place in (data / "tasks" / task).iterdir():
        target = repository / place.name
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    return "\n".join(each for each in words if each)


def at_nothing(world: World, settling: set[str]) -> Iterator[str]:
    """What is told at the first prompt of each chat that settles nothing."""
    copy = copied(world.home, world.folder)
    for session in sessions(world.project):
        if session.id not in settling:
            prompt = next(each.text for each in events(session.file) if each.moment == "prompt")
            payload = {"hook_event_name": "UserPromptSubmit", "prompt": prompt}
            yield said(copy, f"nothing-{session.id}", "prompt", payload)


def said(copy: Copy, session: str, moment: str, payload: dict[str, object]) -> str:
    """What a host is told at a moment of a session."""
    here = {"session_id": session, "cwd": str(copy.repository), "permission_mode": "default"}
    return copy.hook(moment, {**here, **payload})
