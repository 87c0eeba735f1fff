"""The looks at a whole project: when they are due, over which sessions, asked of whom, and what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacit.core.journal import Hand
from tacit.core.states import KEPT
from tacit.learn import learning
from tacit.learn.learning import instruction_files
from tacit.learn.looked import BY, Brought, is_dropped
from tacit.learn.tidied import known_lessons, tidied
from tacit.place.git import ask_git
from tacit.reading import failures, habits, instructions, tidy
from tacit.reading.asked import Answer, items_as, items_from, tokens
from tacit.reading.record import Left, as_families, left_from
from tacit.reading.session import READING_PATIENCE, examined
from tacit.safety.redact import redact
from tacit.store.looks import keep_state, looks_folder, sessions_kept, state_of

if TYPE_CHECKING:
    from tacit.core.ports import Model
    from tacit.opened import Opened

    Ask = Callable[[str], str]

ROOMS = {"habits": habits, "failures": failures}
LOOKS = (*ROOMS, "tidy", "instructions")
FILES_EVERY = 20  # sessions after which the instruction files are asked about again
FIRST_PART = 4  # of the sessions so many parts: the first is not held against the files as they stood after it
NOBODY_MAY = (
    "nobody may read these sessions: tacit connect HOST --read, or tacit config set reader.by"
)
SWITCH = "TACIT_LOOKS"  # "off": no look is asked by itself
LONGEST_ANSWER = 40_000  # characters
MOST_COUNTED = 5_000  # lessons


@dataclass(frozen=True)
class Looked:
    """What one look came to."""

    look: str
    why_not: str = ""  # it was not asked
    answer: Answer | None = None  # of the first two
    plan: tidy.Plan | None = None
    findings: instructions.Findings | None = None
    lessons: Mapping[str, str] | None = None  # item -> lesson; number in the plan -> lesson
    tokens: int = 0
    gone: int = 0  # lessons that tidying took out


def sessions_left(opened: Opened) -> dict[str, Left]:
    """What this project's sessions left, by run, in order of time."""
    kept = sessions_kept(looks_folder(opened.store.path), opened.project_id)
    run_of = {at["session"]: run for run, at in kept.items()}
    families = as_families([left_from(at) for at in kept.values()])
    return {run_of[left.session]: left for left in families}


def looked(opened: Opened) -> dict[str, Any]:
    """What the looks brought so far, by look, as it is kept."""
    return state_of(looks_folder(opened.store.path), opened.project_id)


def looks_due(opened: Opened) -> list[str]:
    """The looks for which enough came since they were asked last; none where they are switched off or nobody reads."""
    if opened.env.get(SWITCH) == "off" or not opened.project:
        return []
    model, sessions = _read_by(opened)
    if model is None:
        return []
    state, found = looked(opened), []
    for look, room in ROOMS.items():
        at = state.get(look, {})
        fresh = frozenset(left.session for left in sessions.values()) - {*at.get("asked", ())}
        if room.is_due([*sessions.values()], items_from(at.get("items", ())), fresh):
            found.append(look)
    at, lessons = state.get("tidy", {}), len(_open_lessons(opened))
    if tidy.is_due(lessons, at.get("lessons", 0), len(sessions), at.get("sessions", 0)):
        found.append("tidy")
    since = len(sessions) - state.get("instructions", {}).get("sessions", 0)
    if since >= FILES_EVERY and instruction_files(opened.place.root):
        found.append("instructions")
    return found


def look(opened: Opened, name: str, *, dry_run: bool = False) -> Looked:
    """Ask one look now and take in what it brings; a dry run asks, and changes nothing."""
    model, sessions = _read_by(opened)
    if model is None:
        none = "no session of this project was learned yet: tacit learn"
        return Looked(name, NOBODY_MAY if sessions_left(opened) else none)
    desk = examined(learning.context(opened, model))
    timeout = READING_PATIENCE * opened.profile.model.timeout_s

    def ask(question: str) -> str:
        return redact(model.ask(question, timeout=timeout)).text[:LONGEST_ANSWER]

    if name in ROOMS:
        return _whole(opened, name, sessions, ask, desk.advises, dry_run)
    if name == "tidy":
        return _tidied(opened, sessions, ask, dry_run or bool(desk.advises))
    return _against_files(opened, sessions, ask)


def _whole(
    opened: Opened, name: str, sessions: Mapping[str, Left], ask: Ask, advises: str, dry_run: bool
) -> Looked:
    """One of the first two looks, with the reader's last answer but for what a person dropped."""
    room, at, left = ROOMS[name], looked(opened).get(name, {}), [*sessions.values()]
    lessons: dict[str, str] = at.get("lessons", {})
    held = {memory.id: memory for memory in opened.store.memories([*lessons.values()])}
    dropped = {id for id, memory in held.items() if is_dropped(memory)}
    items = items_from(at.get("items", ()))
    last = [item for item in items if lessons.get(item.id, "") not in dropped]
    asked = {*at.get("asked", ())}
    fresh = frozenset(each.session for each in left) - asked
    question = room.ask(left, last, fresh, [held[id].text for id in sorted(dropped)])
    said = ask(question)
    answer = room.check(said, left, last, [*lessons])
    cost = tokens(question) + tokens(said)
    if dry_run:
        return Looked(name, answer=answer, tokens=cost)
    if answer.answered:
        hand = Hand(BY, opened.now(), "", opened.work.project.profile)
        brought = Brought(opened.work, name, sessions, hand, advises)
        lessons = brought.take_in(answer, lessons)
    _keep_look(
        opened,
        name,
        items=items_as(answer.items),
        lessons=lessons,
        asked=sorted(asked | fresh),
        struck=[[each.what, each.why] for each in answer.struck],
    )
    return Looked(name, answer=answer, lessons=lessons, tokens=cost)


def _tidied(opened: Opened, sessions: Mapping[str, Left], ask: Ask, dry_run: bool) -> Looked:
    """Tidying, list by list where the lessons do not fit one question."""
    known, lessons = known_lessons(opened.work, sessions)
    wanted = {*looked(opened).get("tidy", {}).get("wanted", ())}
    keeps = [each for each in known if lessons[each.id].id in wanted]
    plans, cost = list[tidy.Plan](), 0
    for some in tidy.in_room(known):
        question = tidy.ask(some, keeps)
        said = ask(question)
        cost += tokens(question) + tokens(said)
        plans.append(tidy.check(said, some, keeps))
    plan = tidy.joined(plans)
    named = {number: memory.id for number, memory in lessons.items()}
    if dry_run:
        return Looked("tidy", plan=plan, lessons=named, tokens=cost)
    gone = tidied(opened.work, plan, lessons)
    _keep_look(
        opened,
        "tidy",
        lessons=len(_open_lessons(opened)),
        sessions=len(sessions),
        # what a person was asked about is asked once
        wanted=sorted(wanted | {named[each.id] for each in plan.asked}),
    )
    return Looked("tidy", plan=plan, lessons=named, tokens=cost, gone=gone)


def _against_files(opened: Opened, sessions: Mapping[str, Left], ask: Ask) -> Looked:
    """The instruction files as they stand, of which only lines count that stood before the sessions shown."""
    every = [*sessions.values()]
    left = every[len(every) // FIRST_PART :]
    files = instruction_files(opened.place.root)
    if not files or not left:
        return Looked("instructions", "there is no instruction file" if left else "no session")
    question = instructions.ask(files, left)
    said = ask(question)
    found = instructions.check(said, files, left, _stood(opened, files, left[0].started))
    _keep_look(
        opened,
        "instructions",
        sessions=len(every),
        found=[
            {"verdict": each.verdict, "at": each.at, "text": each.text, "change": each.change}
            | {"sessions": each.sessions, "lines": [cite.words for cite in each.cites]}
            for each in found.found
        ],
    )
    return Looked("instructions", findings=found, tokens=tokens(question) + tokens(said))


def _stood(opened: Opened, files: Mapping[str, str], at: str) -> Mapping[str, str] | None:
    """The files as they stood at a time, as git knows them; None where it does not."""
    root, found = opened.place.root, {}
    for name in files:
        last = ask_git(root, "rev-list", "-1", f"--before={at}", "HEAD", "--", name)
        if last is None or last.returncode != 0 or not last.stdout.strip():
            continue
        shown = ask_git(root, "show", f"{last.stdout.strip()}:{name}")
        if shown is not None and shown.returncode == 0:
            found[name] = shown.stdout
    return found or None


def _read_by(opened: Opened) -> tuple[Model | None, dict[str, Left]]:
    """Who may read the sessions of this project, and which; of several the one that may read most."""
    every = sessions_left(opened)
    readers = {
        run: model
        for run, left in every.items()
        if (model := learning.reader_of(opened, left.host, left.session)) is not None
    }
    most = Counter(model.identity for model in readers.values()).most_common(1)
    if not most:
        return None, {}
    mine = {run: model for run, model in readers.items() if model.identity == most[0][0]}
    return next(iter(mine.values())), {run: every[run] for run in mine}


def _open_lessons(opened: Opened) -> list[Any]:
    return list(opened.store.select([opened.project_id], states=KEPT, limit=MOST_COUNTED))


def _keep_look(opened: Opened, look: str, **what: Any) -> None:
    folder = looks_folder(opened.store.path)
    state = state_of(folder, opened.project_id)
    keep_state(folder, opened.project_id, {**state, look: {**what, "at": opened.now()}})
