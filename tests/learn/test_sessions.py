"""Sessions of several projects, step by step: what was noticed in each, and what was told after it.

sessions/PROJECT.txt holds the sessions as somebody would have seen them, sessions/PROJECT.jsonl what came of them. After a change that is meant:
LIVES=write python -m pytest tests/learn/test_sessions.py, and read the difference.

    == one, two         one session, lived once under each of these lineages
    > words             typed by the person
    < words             said by the agent
    $ command           run in a shell: below it "! " a line of its error, "= " one of its output, "| " one more of the command
    * Tool path         another tool: below it "+ " a line brought in, "- " one taken out, "! " a line of its error
    @ {"status": null}  other fields of the step above; "after" are the seconds until the next, "input" is added to
    # CLAUDE.md words   before all sessions: a line of an instruction file
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.recorded_answers import encoded
from tests.recorded_lives import fix_draws, is_as_recorded, rows_of_store

from tacit.app import open as open_memories
from tacit.core.run import Run, Step
from tacit.core.value import replace
from tacit.learn.notice import notice
from tacit.learn.tell import propose, told_by, witnesses
from tacit.learn.tell.notebook import Notebook
from tacit.testing import Clock

SESSIONS = Path(__file__).with_name("sessions")
PROJECTS = sorted(path.stem for path in SESSIONS.glob("*.txt"))
CWD = "/home/me/app"


def step_of(line: str, rest: list[str], at: str, place: str) -> tuple[Step, float]:
    """One step as it is written, and the seconds until the next."""
    sign, _, said = line.partition(" ")
    below = {sign: "\n".join(each[2:] for each in rest if each[:1] == sign) for sign in "!=|+-"}
    more: dict[str, Any] = next(
        (json.loads(each[2:]) for each in rest if each.startswith("@ ")), {}
    )
    after, given = more.pop("after", 7.0), more.pop("input", {})
    if sign == ">":
        step = Step(
            "user", place, text="\n".join(filter(None, (said, below["|"]))), typed=True, at=at
        )
    elif sign == "<":
        step = Step("assistant", place, text=said, at=at)
    elif sign == "$":
        command = "\n".join(filter(None, (said, below["|"])))
        step = Step(
            "tool",
            place,
            tool="Bash",
            input={"command": command},
            status=int(bool(below["!"])),
            at=at,
        )
    else:
        name, _, path = said.partition(" ")
        edits = (
            {"old_string": below["-"], "new_string": below["+"]} if below["+"] or below["-"] else {}
        )
        step = Step(
            "tool",
            place,
            tool=name,
            input={"file_path": f"{CWD}/{path}", **edits},
            files=(path,),
            at=at,
        )
    if step.tool:
        step = replace(
            step, error=below["!"], output=below["="], input={**(step.input or {}), **given}
        )
    return replace(
        step, **{key: tuple(each) if isinstance(each, list) else each for key, each in more.items()}
    ), after


def sessions_of(text: str) -> Iterator[tuple[str, Run]]:
    """(lineage, run) of each session of a file."""
    for number, part in enumerate(text.split("\n== ")[1:]):
        head, *lines = part.splitlines()
        starts = [at for at, line in enumerate(lines) if line[:2] in ("> ", "< ", "$ ", "* ")]
        clock, steps = datetime(2026, 1, 5, 10), []
        for n, (start, end) in enumerate(zip(starts, [*starts[1:], len(lines)])):
            at = clock.isoformat(timespec="milliseconds") + "Z"
            step, after = step_of(lines[start], lines[start + 1 : end], at, f"step:{n}")
            steps.append(step)
            clock += timedelta(seconds=after)
        for lineage in head.split(", "):
            yield (
                lineage,
                Run(
                    f"r{number}{lineage}",
                    "claude-code",
                    steps=tuple(steps),
                    cwd=CWD,
                    branch="topic/x",
                ),
            )


class Inbox:
    """The proposals of one project, as far as telling asks for them."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    def proposals(self, project: str, **_: Any) -> list[Any]:
        return [each for each in self.known.values() if each.kind == "request"]

    def proposal(self, id: str) -> Any:
        return self.known.get(id)

    def put_proposal(self, proposal: Any) -> None:
        self.known[proposal.id] = proposal


def came_of(text: str) -> Iterator[list[Any]]:
    """What was noticed in each session, what was told after it, and the inbox; in the end what all of it tells those who have no instruction files."""
    lines = {
        " ".join(line.split()[2:]): line.split()[1]
        for line in text.split("\n== ")[0].splitlines()
        if line[:2] == "# "
    }
    book, inbox, every = Notebook(), Inbox(), list[Any]()
    for number, (lineage, run) in enumerate(sessions_of(text)):
        noticed = notice(run)
        every += noticed
        book.add(run.id, lineage, noticed)
        yield ["noticed", run.id, encoded(list(noticed))]
        told = told_by(book, noticed, lines, here=lambda path: path.startswith("here/"))
        for each in told.lessons:
            yield [
                "told",
                each.subject,
                encoded(replace(each, witnesses=())),
                [list(one) for one in witnesses(each)],
            ]
        yield ["silent", list(told.silent), propose(inbox, "p", told.person, f"day {number}")]  # type: ignore[arg-type]
        for id, each in list(inbox.known.items()):
            if each.created_at == f"day {number}" and number % 3:
                inbox.put_proposal(
                    replace(each, state=("approved", "rejected", "open")[number % 3])
                )
                yield ["answered", id, encoded(each)]
    yield ["inbox", encoded(list(inbox.known.values()))]
    for each in told_by(book, every, {}).lessons:
        yield ["told without files", each.subject, each.text, len(each.witnesses)]


def kept_of(text: str, folder: Path) -> Iterator[list[Any]]:
    """What learning the sessions answered, with a few decisions of a person between, and the rows in the end."""
    clock = Clock("2026-01-05T08:00:00.000Z")
    named = [
        line.split(maxsplit=2)[1:]
        for line in text.split("\n== ")[0].splitlines()
        if line[:2] == "# "
    ]
    for file in {file for file, _ in named}:
        (folder / file).write_text("".join(f"{said}\n" for name, said in named if name == file))
    with open_memories(now=clock) as memories:
        for number, (lineage, run) in enumerate(sessions_of(text)):
            clock.advance(days=0.5)
            memories.inject(errors=[step.error for step in run.steps if step.error], run=run.id)
            placed = replace(
                run, cwd=str(folder), lineage=lineage, complete=True, outcome="success"
            )
            yield ["learned", run.id, encoded(memories.learn(placed))]
            told = [each.id for each in memories.list(limit=50)]
            if number == 6 and told:
                memories.edit(
                    told[0], text="Mind what the linter says of each file.", reason="shorter"
                )
                memories.review(told[-1], "approve", reason="so it is")
            if number == 9 and len(told) > 2:
                memories.forget(told[1], reason="known")
            if number == 10:
                (folder / "CLAUDE.md").write_text(
                    "Generate with `npm run codegen`, migrate with `docker compose exec web python manage.py migrate`."
                )
        clock.advance(days=40)
        memories.tend()
        kept = ("memory", "proposal", "evidence", "incident", "journal", "run")
        yield from ([table, row] for table, row in rows_of_store(memories) if table in kept)


@pytest.mark.file_only("rows are compared as a file has them")
@pytest.mark.parametrize("project", ["engine", "shop"])
def test_what_a_store_keeps_of_the_sessions_of_a_project(
    project: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every answer and every row: sessions/PROJECT.store.jsonl."""
    fix_draws(monkeypatch)
    text = (SESSIONS / f"{project}.txt").read_text(encoding="utf-8")
    is_as_recorded(SESSIONS / f"{project}.store.jsonl", folder, kept_of(text, folder))


@pytest.mark.parametrize("project", PROJECTS)
def test_what_came_of_the_sessions_of_a_project(project: str, folder: Path) -> None:
    """Every incident, lesson and proposal, in their order."""
    text = (SESSIONS / f"{project}.txt").read_text(encoding="utf-8")
    is_as_recorded(SESSIONS / f"{project}.jsonl", folder, came_of(text))
