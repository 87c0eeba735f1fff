"""Having past sessions read by a model: what that would bring and cost, in the same words on every
screen, and doing it on a yes.

What is read is what was chosen, and nothing else. Each lesson is shown as soon as its session is
read; once there is something to look at, the rest goes on in the background.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacit.cli.looks import first_looks
from tacit.cli.moved import AskedOnce
from tacit.cli.settings_file import set_keys
from tacit.cli.verb import Cli
from tacit.cli.words import WIDEST, hung, one_line, wrapped
from tacit.core.errors import TacitError, numbered
from tacit.core.installation import search_path
from tacit.core.rows import run_id
from tacit.core.run import Run
from tacit.core.standing import is_order_of_a_day
from tacit.core.states import KEPT
from tacit.hooks.start_worker import spawned
from tacit.hosts import formats, readers
from tacit.hosts.source import Source
from tacit.learn import learning, queries
from tacit.learn.learning import NOBODY, RULES_ALONE, agree_to
from tacit.learn.looking import SWITCH
from tacit.memory import Memory as Memories
from tacit.opened import config_path
from tacit.reading.estimate import (
    MINUTES,
    Estimate,
    UnreadSession,
    in_order,
    reading_estimate,
    with_looks,
    within,
)
from tacit.screens.moments import moment_words
from tacit.screens.numbers import COLUMNS, names_to_type
from tacit.screens.one_screen import one_screen, without_details
from tacit.screens.selection import news
from tacit.screens.wording import came_up
from tacit.settings import settings_at
from tacit.store.counts import event
from tacit.store.readings import is_kept, readings_folder
from tacit.worker.turns import is_paused

if TYPE_CHECKING:
    from tacit.learn.stage import Learned
    from tacit.reading.record import Left

DEAREST = 2.0  # dollars that one reading costs at most, unless somebody says more
SHOWN_FIRST, FIRST_SESSIONS = 5, 8  # lessons, or sessions, after which the rest is read behind
_UNANSWERED = 3  # sessions that could not be read, with none that was, after which a reading ends
PROGRESS = "reading_past"  # where the store keeps how far a reading in the background has come


@dataclass(frozen=True)
class Reader:
    """Who could read."""

    by: str  # as `reader.by` names it
    title: str
    hosts: tuple[str, ...]  # whose sessions it may read; empty: everybody's
    priced: bool  # whether the list price is known


@dataclass(frozen=True)
class Plan:
    """Which sessions would be read, in their order, and what that brings and costs."""

    reader: Reader
    sessions: tuple[UnreadSession, ...]
    estimate: Estimate
    left: int = 0  # sessions beyond the cap
    whole: float = 0.0  # dollars of all of them
    others: int = 0  # sessions of agents that this reader does not read

    @property
    def sentence(self) -> str:
        """The same on every screen."""
        found = self.estimate
        tokens = f"{_about(found.tokens)} tokens"
        price = f"about ${max(found.usd, 0.01):.2f}, or {tokens} of your plan"
        of = f", of {found.sessions + self.left} those with most" if self.left else ""
        first = ", and first what you ask for again and again" if len(self.sessions) > 1 else ""
        return (
            f"{numbered(found.sessions, 'session')} with words of yours{of}: read by"
            f" {self.reader.title} they would teach {_lessons(found.lessons)}{first}"
            f" ({price if self.reader.priced else tokens}); a session hears the few that fit."
            " Sent is what was said and done in them, without secrets."
        )

    @property
    def question(self) -> str:
        """The sentence with what a yes would want to know beside it."""
        said = [self.sentence]
        if self.left:
            cap = f"--cap {self.whole + 0.05:.1f}"
            said.append(f"{self.left} more would come to ${self.whole:.2f} in all: {cap}")
        if self.others:
            said.append(_unread_words(self.others))
        if (many := len(self.sessions)) > 1:
            minutes = numbered(max(1, round(many * MINUTES)), "minute")
            said.append(
                f"The first lessons come in about a minute, all of them in about {minutes}."
            )
        them = "it" if many == 1 else "them"
        return "\n".join(wrapped(" ".join(said), 0, WIDEST)) + f"\nRead {them} now? [y/N] "

    def json(self) -> dict[str, Any]:
        found = self.estimate
        told = {"sessions": found.sessions, "lessons": found.lessons, "tokens": found.tokens}
        usd = round(found.usd, 2) if self.reader.priced else None
        return {"by": self.reader.by, **told, "usd": usd, "beyond_cap": self.left}


def _about(figure: int) -> str:
    """A guess, without digits that it does not have."""
    step = 1 if figure < 20 else 5 if figure < 200 else 10 if figure < 1000 else 1000
    return f"{round(figure / step) * step:,}"


def _lessons(count: int) -> str:
    return f"about {_about(count)} {'lesson' if count == 1 else 'lessons'}" if count else "little"


def _unread_words(others: int) -> str:
    stay = f"{numbered(others, 'session')} of other agents {'stays' if others == 1 else 'stay'}"
    return f"{stay} unread: tacit config set reader.hosts '*', then tacit lookback asks."


def plan_of(
    sessions: Iterable[UnreadSession], reader: Reader | None, cap: float = DEAREST
) -> Plan | None:
    """What would be read of some sessions; None where nobody reads them, or nothing in them was typed."""
    if reader is None:
        return None
    typed = [each for each in sessions if each.typed]
    every = in_order(each for each in typed if not reader.hosts or each.host in reader.hosts)
    kept = within(every, cap) if reader.priced else every
    if not kept:
        return None
    whole, brings = reading_estimate(every).usd, with_looks(reading_estimate(kept), kept)
    beyond, others = len(every) - len(kept), len(typed) - len(every)
    return Plan(reader, tuple(kept), brings, beyond, whole, others)


def reader_here(settings: Mapping[str, Any], env: Mapping[str, str]) -> Reader | None:
    """Who could read on this machine: whom the user named, else a host's own program that is here, else a model that is named."""
    by, named = str(settings["reader.by"].value), tuple(settings["reader.hosts"].value)
    path, hosts = search_path(env), () if "*" in named else named
    here = [host for host, line in readers().items() if shutil.which(line.split()[0], path=path)]
    if by not in ("", NOBODY, "model"):
        here = [host for host in here if host == by]
    if by != "model" and here:
        name = here[0].replace("-", " ").title().removesuffix(" Code")
        title = f"your own {name} ({settings['reader.model'].value})"
        return Reader(here[0], title, hosts if named else (here[0],), True)
    model = settings["model.url"].value or settings["model.command"].value
    if model and by in ("", NOBODY, "model"):
        return Reader("model", "the model you named", hosts, False)
    return None


def nobody_reads(sessions: Iterable[UnreadSession] = ()) -> str:
    """What a model would find in some sessions, where none is here that could read, and the two ways to have one."""
    command = next(iter(readers().values()), "claude").split()[0]
    return (
        f"{_would_find(sessions)} Failures are counted without a reader; lessons take one: your own"
        f" {command.title()}, by tacit lookback in a shell that finds it ({command} is not on this"
        " shell's PATH); or a model of this machine, by tacit config set model.command 'ollama run"
        " qwen2.5:7b' (any program that answers a prompt), then tacit lookback --read"
    )


def _would_find(sessions: Iterable[UnreadSession]) -> str:
    found = reading_estimate(each for each in sessions if each.typed)
    if not found.sessions:
        return "No model reads here."
    return (
        f"{numbered(found.sessions, 'session')} with words of yours: read by a model they would"
        f" teach {_lessons(found.lessons)} (about ${max(found.usd, 0.01):.2f} at Claude Haiku's price)."
    )


# -- sessions --------------------------------------------------------------------------------------


def session_of(run: Run, here: bool = False) -> UnreadSession:
    """What is known of a run before it is read."""
    return UnreadSession(run.id, run.host, run.typed, len(run.steps), run.started_at, here)


def unread(memories: Memories, sessions: Iterable[UnreadSession]) -> list[UnreadSession]:
    """Those of some sessions that nobody has read yet."""
    folder = readings_folder(memories.store.path)
    projects = [project.id for project in memories.store.projects()]
    return [
        each
        for each in sessions
        if not any(is_kept(folder, run_id(one, each.host, each.run)) for one in projects)
    ]


def learned_sessions(memories: Memories, most: int = 500) -> list[UnreadSession]:
    """The latest sessions of this project, as the store knows them, that nobody has read yet."""
    folder = readings_folder(memories.store.path)
    rows = memories.store.runs(memories.project_id, limit=most) if memories.project else []
    found = []
    for row in rows:
        facts = row.facts or {}
        if facts.get("typed") and not is_kept(folder, row.id):
            figures = int(facts["typed"]), int(facts.get("steps", 0))
            found.append(UnreadSession(row.foreign_id, row.host, *figures, row.started_at))
    return found


def offer_lines(cli: Cli, memories: Memories, always: bool = True) -> list[str]:
    """For a screen about a project: what reading its sessions would bring, or how far it has come; nothing where all is read nor, but for
    `always`, where no model is here."""
    if going := progress_words(memories):
        return [going]
    settings = memories.settings()
    if str(settings["reader.by"].value) == NOBODY:
        return []
    sessions, reader = learned_sessions(memories), reader_here(settings, cli.env)
    of = "Of this project, " if len(memories.store.projects()) > 1 else ""
    if plan := plan_of(sessions, reader):
        return [f"{of}{plan.sentence} Do it: tacit lookback --read"]
    if reader is None and always and sessions:
        return [f"{of}{_would_find(sessions)} tacit lookback says how to name one."]
    return []


def progress_words(memories: Memories) -> str:
    """How far a reading in the background has come, for people; empty where none goes on."""
    if not (going := progress(memories)):
        return ""
    if is_paused(memories.store):
        return "Reading stops behind the session it is at. After tacit config pause off: tacit lookback reads the rest."
    done, rest = going["done"], going["total"] - going["done"]
    took = time.time() - going.get("began", time.time())
    left = numbered(max(1, round(took / done * rest / 60)), "minute") if done and took else ""
    spent = spent_words(memories, going)
    said = [
        f"{done} of {numbered(going['total'], 'session')}",
        f"{numbered(going['lessons'], 'new lesson')} so far",
        *([spent] if spent else []),
        *([f"about {left} left"] if left and rest else []),
    ]
    return f"Reading in the background: {', '.join(said)}."


def progress(memories: Memories) -> dict[str, int]:
    """How far a reading in the background has come; empty where none goes on."""
    try:
        at: dict[str, int] = json.loads(memories.store.meta(PROGRESS) or "{}")
        os.kill(int(at["pid"]), 0)
    except (ValueError, KeyError, OSError):
        return {}
    return at


def unfinished(memories: Memories) -> str:
    """What to do about a reading that was stopped before its end, for people; empty where none was."""
    with suppress(ValueError):
        at = json.loads(memories.store.meta(PROGRESS) or "{}")
        if left := at.get("total", 0) - at.get("done", 0) if not progress(memories) else 0:
            wait = "waits" if left == 1 else "wait"
            return f"; {numbered(left, 'session')} of a reading that was stopped {wait}: tacit lookback"
    return ""


def spent_words(memories: Memories, since: Mapping[str, int] | None = None) -> str:
    """What models have cost here, in all or since a reading began; empty where none was asked."""
    sent, got = (count - (since or {}).get(way, 0) for way, count in _tokens(memories).items())
    if sent + got <= 0:
        return ""
    settings = memories.settings()
    if settings["reader.by"].value == "model" or settings["model.command"].value:
        return f"{_about(sent + got)} tokens spent"
    return f"about ${max(Estimate(0, 0, sent, got).usd, 0.01):.2f} spent"


def _tokens(memories: Memories) -> dict[str, int]:
    return {way: event(memories.store, f"model.tokens.{way}") for way in ("in", "out")}


# -- a yes, and reading ----------------------------------------------------------------------------


def agreed_later(
    cli: Cli, reader: Reader, settings: Mapping[str, Any], past: Sequence[UnreadSession]
) -> bool:
    """Whether sessions are read as they end: said already, or asked now, with what one costs by those of the past."""
    by, usd = str(settings["reader.by"].value), reading_estimate(past).usd
    price = f", about {100 * usd / len(past):.1f} ct each" if reader.priced and past else ""
    asked = (
        f"Have later sessions read too by {reader.title}, each as it ends{price}? Without it they are"
        f" learned by rules. (tacit config set reader.by {NOBODY} ends it) [y/N]"
    )
    if by != reader.by and cli.ask("\n".join(wrapped(asked)) + " "):
        by = reader.by
        remember(config_path(cli.env), by)
    return by == reader.by


def remember(path: str, by: str) -> None:
    """Write who reads into the user's own file, whatever else stands there."""
    set_keys(path, "reader", {"by": by})


def with_room(env: Mapping[str, str], plan: Plan, settings: Mapping[str, Any]) -> dict[str, str]:
    """Surroundings in which what was agreed to may be spent today: the daily bound is for what nobody was asked about."""
    room = int(settings["model.daily_tokens"].value) + 2 * plan.estimate.tokens
    return {**env, "TACIT_MODEL_DAILY_TOKENS": str(room)}


def read_chosen(
    cli: Cli,
    memories: Memories,
    plan: Plan,
    sources: Mapping[str, Source],
    again: Sequence[str] = (),
    left: Mapping[str, Left] | None = None,
) -> dict[str, Any]:
    """Read sessions one at a time, and show each lesson as soon as its session is read.

    What all of them say together comes first (`left`: what each session of this project left), then
    what rules find. `again` is the command that goes on in the background, once there is something
    to look at; without it all is read here. It may be stopped: what was read is not read twice.
    """
    going = progress(memories)
    before = going if going.get("pid") == os.getpid() else {}  # what this goes on from
    since = before or {"began": int(time.time()), **_tokens(memories)}
    whose, notes, reads = AskedOnce(cli, False), list[str](), not _is_off(cli)
    agree_to(memories.store, plan.reader.by, [each.run for each in plan.sessions])
    if not before:
        if left and memories.env.get(SWITCH) != "off":
            learning.keep_sessions(memories, left.values())
            notes = first_looks(cli, memories)
        _by_rules(cli, memories, plan, sources, whose)
    read = waiting = lessons = background = 0
    stopped, why = False, ""
    for n, session in enumerate(plan.sessions):
        at = {"total": before.get("done", 0) + len(plan.sessions)}
        at |= {"done": before.get("done", 0) + n, "lessons": before.get("lessons", 0) + lessons}
        rest, enough = len(plan.sessions) - n, lessons >= SHOWN_FIRST or n >= FIRST_SESSIONS
        if again and rest > 1 and enough and (pid := _goes_on(cli, again)):
            background = rest
            _note(memories, {**since, **at, "pid": pid})
            break
        if stopped := is_paused(memories.store) or (reads and _is_off(cli)):
            break
        own = f"the one with {session.typed} messages of yours, about a minute …"
        cli.progress(f"  reading {n + 1} of {len(plan.sessions)} sessions, {own}")
        learned = _read_one(memories, session, sources[session.run], whose)
        cli.progress()
        unanswered = [
            note.partition("not read yet. ")[2]
            for each in learned
            for note in each.warnings
            if "not read yet" in note
        ]
        waiting, read = waiting + len(unanswered), read + len(learned) - len(unanswered)
        lessons += sum(len(each.new) for each in learned)
        if stopped := waiting >= _UNANSWERED and not (read or before):
            why = next(filter(None, unanswered), "")
            break
        if not (n or before):
            _say(cli, f"Read by {plan.reader.title}:")
        here = [id for one in learned if one.project == memories.project_id for id in one.new]
        _show(cli, memories, here)
        _elsewhere(cli, memories, learned)
        done = {"done": at["done"] + 1, "lessons": before.get("lessons", 0) + lessons}
        _note(memories, {**since, **at, **done, "pid": os.getpid()})
    minutes = round((time.time() - since["began"]) / max(1, read) * background / 60)
    found = {"sessions": len(plan.sessions), "read": read, "lessons": lessons, "waiting": waiting}
    said = {"background": background, "stopped": stopped, "why": why, "minutes": minutes}
    spent = spent_words(memories, since)
    return {**found, **said, "spent": spent, "notes": [*notes, *whose.notes()]}


def _is_off(cli: Cli) -> bool:
    """Whether the person wants no session read: said since a reading began, it ends behind the session that it is at."""
    return str(settings_here(cli)["reader.by"].value) == NOBODY


def _by_rules(
    cli: Cli, memories: Memories, plan: Plan, sources: Mapping[str, Source], whose: AskedOnce
) -> None:
    """Learn what was looked at without a model, and show what that brought; nobody is asked about sessions that are not read."""
    read = {sources[each.run].path for each in plan.sessions}
    every = list({source.path: source for source in sources.values()}.values())
    found: list[Learned] = []
    env, memories.env = memories.env, {**memories.env, "TACIT_READER_BY": RULES_ALONE}
    for n, source in enumerate(every, 1):
        cli.progress(f"  by rules, {n} of {len(every)} files …")
        apart = whose if source.path in read else lambda folder: False
        with suppress(TacitError, OSError):
            found += learning.learn(memories, source, over=True, by_place=True, apart=apart)
    memories.env = env
    cli.progress()
    if any(each.new for each in found if each.project == memories.project_id):
        _say(cli, "By rules alone:")
        rows = one_screen(memories).rows  # numbered as bare `tacit` shows them
        _show(cli, memories, [row.id for row in rows if not row.is_question])
    _elsewhere(cli, memories, found)


def _read_one(
    memories: Memories, session: UnreadSession, source: Source, whose: AskedOnce
) -> list[Learned]:
    found: list[Learned] = []
    with suppress(TacitError, OSError):
        for run in formats.read(source, formats.detect(source)):
            if run.id == session.run:
                found += learning.learn(memories, run, over=True, by_place=True, apart=whose)
    return found


def _say(cli: Cli, *lines: str) -> None:
    if not (cli.json or cli.quiet):
        cli.out.write("".join(f"{line}\n" for line in lines))
        cli.out.flush()


def _show(cli: Cli, memories: Memories, ids: Sequence[str]) -> None:
    """Lessons as they come, each with its number and what becomes of it."""
    if cli.json or cli.quiet:
        return
    by_id = {each.id: each for each in memories.store.memories(ids) if each.state in KEPT}
    every = [by_id[id] for id in ids if id in by_id]
    found = without_details([each for each in every if not is_order_of_a_day(each)])
    names = names_to_type(memories, {memory.id: memory.text for memory in found})
    for memory in found:
        at_start = queries.is_told_at_starts(memories, memory)
        said = news(memory) or f"{came_up(memory)}; told {moment_words(memory, at_start)}"
        text = f"{one_line(memory.text, COLUMNS)} ({said})"
        _say(cli, *hung(f"{names[memory.id]:>4}  ", text, WIDEST))
    if rest := len(every) - len(found):
        _say(
            cli, f"      and {numbered(rest, 'decision')} about the product or the day: tacit list"
        )


def _elsewhere(cli: Cli, memories: Memories, learned: Sequence[Learned]) -> None:
    """How many lessons other projects got, whose numbers are their own, and how to see them."""
    for project in memories.store.projects():
        new = sum(len(each.new) for each in learned if each.project == project.id)
        if new and project.id != memories.project_id:
            name = project.name
            _say(cli, f"  {name}: {numbered(new, 'lesson')}, tacit --project {name}")


def _note(memories: Memories, at: Mapping[str, int]) -> None:
    with memories.store.write() as tx:
        tx.put_meta(PROGRESS, json.dumps(at))


def _goes_on(cli: Cli, again: Sequence[str]) -> int:
    """Start the same reading apart from this terminal, and its process; 0 where that cannot be."""
    if cli.env.get("TACIT_NO_WORKER") or not sys.executable:
        return 0
    try:
        return spawned(again, cli.env)
    except OSError:
        return 0


def told(said: Mapping[str, Any]) -> str:
    """What a reading came to, for people."""
    if said["why"]:
        return f"no session was read: {said['why']} What waits is tried again later; tacit doctor says why it failed."
    lines = [f"read {numbered(said['read'], 'session')}, {numbered(said['lessons'], 'new lesson')}"]
    lines[0] += f"; {said['spent']}" if said["spent"] else ""
    if said["waiting"]:
        lines[0] += f"; {said['waiting']} not read yet, tried again later (tacit doctor says why)"
    if said["background"]:
        minutes = numbered(max(1, said["minutes"]), "minute")
        lines.append(
            f"The other {said['background']} are read in the background, about {minutes}; tacit shows"
            " how far it is and what it cost, tacit config pause stops it."
        )
    return "\n".join(lines)


def settings_here(cli: Cli) -> Mapping[str, Any]:
    """The user's own settings, also where there is no store yet."""
    return settings_at("", config_path(cli.env), cli.env).by_key
