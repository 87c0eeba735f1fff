"""A project's sessions in order of time, with the questions that the product would ask after them.

The question of a step is written only when the answer of the one before stands in the folder, so that no reader sees a later session.
What an answer comes to is the product's own check; nothing of it is stored by the product here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tacit.hosts import formats
from tacit.hosts.source import FileSource
from tacit.reading import failures, habits, instructions, tidy
from tacit.reading.asked import Answer, Item, tokens
from tacit.reading.record import Left, as_families, left_by, left_from

LOOKS = {"habits": habits, "failures": failures}
LESSONS = "lessons.jsonl"
NAMES = "names.json"  # of sessions: a file may name itself otherwise than the keys do


@dataclass(frozen=True)
class Step:
    """One question of a walk."""

    place: Path  # of the question; the answer lies beside it
    number: int  # of sessions that had been by then
    question: str
    said: str  # empty: not answered yet
    answer: Any = None  # Answer, Plan or Findings

    @property
    def tokens(self) -> int:
        """What the step costs, question and answer."""
        return tokens(self.question) + tokens(self.said)


def place_of(data: Path, project: str) -> Path:
    """A project's folder, in a folder of projects or of packs of them."""
    found = (data / project, *(pack / project for pack in sorted(data.iterdir())))
    return next((each for each in found if (each / "index.json").exists()), data / project)


def left(data: Path, project: str, out: Path) -> tuple[Left, ...]:
    """What each session of a project leaves, in order of time; kept, for reading them takes a while."""
    kept, names = out / project / "sessions.json", out / project / NAMES
    if not (kept.exists() and names.exists()):
        place = place_of(data, project)
        index = json.loads((place / "index.json").read_text())
        about = json.loads((place / "project.json").read_text())
        several = (about.get("developers") or 1) > 1
        found = [
            (each["session"], left_by(run, person=each["developer"] if several else ""))
            for each in index
            if each.get("real", True)
            for run in formats.read(FileSource(str(place / each["file"])))
        ]
        kept.parent.mkdir(parents=True, exist_ok=True)
        all = as_families([each for _, each in found])
        kept.write_text(json.dumps([each.as_json() for each in all]))
        names.write_text(json.dumps({name: each.session for name, each in found}))
    return tuple(left_from(each) for each in json.loads(kept.read_text()))


def named(project: str, out: Path) -> dict[str, str]:
    """A project's sessions as its record calls them, by the names that its keys give them."""
    found: dict[str, str] = json.loads((out / project / NAMES).read_text())
    return found


def walk(data: Path, project: str, look: str, out: Path, lessons: Path | None) -> Iterator[Step]:
    """The steps of a project up to the first that nobody has answered."""
    if look in LOOKS:
        yield from _whole(data, project, look, out)
    elif look == "tidy":
        yield from _tidied(data, project, out, lessons or out / project / LESSONS)
    else:
        yield from _against(data, project, out)


def handed_in(data: Path, project: str, look: str, out: Path, file: Path) -> str:
    """Take an answer to the open question; what the product would strike of it is said, and it stands as it is."""
    step = [*walk(data, project, look, out, None)][-1]
    place = _answer_of(step.place)
    place.write_text(file.read_text())
    answer = next(
        each.answer for each in walk(data, project, look, out, None) if each.place == step.place
    )
    if not answer.answered:
        place.unlink()
        raise SystemExit(
            f"{file} is no answer: one JSON object of the form that the question ends with"
        )
    struck = "".join(f"\nstruck: {each.what}: {each.why}" for each in answer.struck)
    return f"taken: {place}{struck}"


def _answer_of(question: Path) -> Path:
    return question.with_name(question.name.replace(".question.txt", ".answer.json"))


def _whole(data: Path, project: str, look: str, out: Path) -> Iterator[Step]:
    room = LOOKS[look]
    all = left(data, project, out)
    items: tuple[Item, ...] = ()
    asked: frozenset[str] = frozenset()
    for number in range(1, len(all)):  # after the last session there is nothing to tell any more
        known = all[:number]
        fresh = frozenset(each.session for each in known) - asked
        if not room.is_due(known, items, fresh):
            continue
        step = _step(out / project / look, number, room.ask(known, items, fresh))
        if not step.said:
            yield step
            return
        answer: Answer = room.check(step.said, known, items)
        yield Step(step.place, number, step.question, step.said, answer)
        items, asked = answer.items, asked | fresh


def _tidied(data: Path, project: str, out: Path, file: Path) -> Iterator[Step]:
    lessons = lessons_in(file)
    gone, seen, last = set[str](), 0, 0
    wording: dict[str, str] = {}
    for number in range(1, len(left(data, project, out)) + 1):
        known = [
            tidy.Known(**{**each.__dict__, "text": wording.get(each.id, each.text)})
            for each in lessons
            if each.session <= number and each.id not in gone
        ]
        if not tidy.is_due(len(known), seen, number, last):
            continue
        for part, some in enumerate(tidy.in_room(known)):
            step = _step(out / project / "tidy", number, tidy.ask(some), f"-{part}" if part else "")
            if not step.said:
                yield step
                return
            plan = tidy.check(step.said, some)
            yield Step(step.place, number, step.question, step.said, plan)
            gone |= {id for each in plan.same for id in each.goes} | {each.id for each in plan.out}
            wording |= {each.stays: each.text for each in plan.same}
        seen, last = sum(each.id not in gone for each in known), number


def lessons_in(file: Path) -> list[tidy.Known]:
    """A project's lessons as they were kept."""
    return [tidy.Known(**json.loads(line)) for line in file.read_text().splitlines()]


def lessons_of(data: Path, project: str, store: Path, out: Path) -> Path:
    """A project's open lessons, each with the number of the session that taught it, for `tidy`: from a store that its sessions were fed to."""
    number = {each.session: at for at, each in enumerate(left(data, project, out), 1)}
    query = (
        "SELECT m.id, m.text, m.about, m.word, r.name FROM lesson m"
        " LEFT JOIN evidence e ON e.lesson = m.id LEFT JOIN session r ON r.id = e.session"
        " WHERE m.gate = 'allow' AND m.state <> 'gone'"
    )
    found: dict[str, dict[str, Any]] = {}
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as opened:
        for id, text, about, trust, session in opened.execute(query):
            topic = "" if about == "*" else about.partition(";")[0]
            one = found.setdefault(id, {"text": text, "topic": topic, "persons": trust == "person"})
            at = number.get(session, len(number))
            one["session"] = min(one.get("session", at), at)
    rows = sorted(found.values(), key=lambda one: (one["session"], one["text"]))
    place = out / project / LESSONS
    lines = [json.dumps({"id": str(at), **one}) for at, one in enumerate(rows, 1)]
    place.write_text("\n".join(lines) + "\n")
    return place


def _against(data: Path, project: str, out: Path) -> Iterator[Step]:
    """One question, over the files as they stood a quarter into the history and everything since."""
    all = left(data, project, out)
    at = len(all) // 4
    files = instruction_files(place_of(data, project), all[at].started)
    step = _step(out / project / "instructions", at, instructions.ask(files, all[at:]))
    answer = instructions.check(step.said, files, all[at:]) if step.said else None
    yield Step(step.place, at, step.question, step.said, answer)


def instruction_files(folder: Path, at: str) -> dict[str, str]:
    """CLAUDE.md and AGENTS.md as they stood at a time."""
    found: dict[str, str] = {}
    manifest: list[dict[str, Any]] = json.loads(
        (folder / "instructions" / "manifest.json").read_text()
    )
    for each in sorted(manifest, key=lambda one: one["date"]):
        known = each["path"] in ("CLAUDE.md", "AGENTS.md") and "file" in each
        stood = known and datetime.fromisoformat(each["date"]) <= datetime.fromisoformat(at)
        if stood and (folder / each["file"]).exists():
            found[each["path"]] = (folder / each["file"]).read_text()
    return found


def _step(folder: Path, number: int, question: str, part: str = "") -> Step:
    """The step of a number; its question is written where it does not stand yet."""
    place = folder / f"{number:03}{part}.question.txt"
    answer = _answer_of(place)
    said = answer.read_text() if answer.exists() else ""
    if not place.exists() or place.read_text() != question:
        if said and place.exists():
            raise SystemExit(f"{place} changed since it was answered: put {answer.name} aside")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(question)
    return Step(place, number, question, said)


def standing(steps: Sequence[Step], session: int) -> tuple[Answer | None, set[str]]:
    """The newest answer before a session (counted from 1), and the ids that answers up to it had dropped."""
    before = [step for step in steps if step.answer is not None and step.number < session]
    dropped = {each.what for step in before for each in step.answer.dropped}
    return (before[-1].answer if before else None), dropped
