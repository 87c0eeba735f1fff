"""Having past sessions read by a model: what that would bring and cost, in the same words on every screen, and doing it on a yes.

What is read is what was chosen, and nothing else. The session with most of the person's own words comes first; each lesson is shown as
soon as its session is read; once there is something to look at, the rest goes on in the background.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
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
from tacit.core.value import value
from tacit.hooks.start_worker import spawned
from tacit.hosts import formats, readers
from tacit.hosts.source import Source
from tacit.learn import learning, queries
from tacit.learn.learning import NOBODY, RULES_ALONE, agree_to
from tacit.learn.looking import SWITCH
from tacit.memory import Memory as Memories
from tacit.opened import config_path
from tacit.screens.numbers import COLUMNS, names_to_type
from tacit.screens.one_screen import (
    came_up,
    moment_words,
    one_screen,
    without_details,
)
from tacit.screens.selection import news
from tacit.settings import settings_at
from tacit.store.counts import event
from tacit.store.readings import is_kept, readings_folder
from tacit.trial.proving import lookback_part
from tacit.worker.turns import is_paused

if TYPE_CHECKING:
    from tacit.learn.stage import Learned
    from tacit.lookback.estimate import Estimate, UnreadSession
    from tacit.reading.record import Left

DEAREST = 2.0  # dollars that one reading costs at most, unless somebody says more
SHOWN_FIRST, FIRST_SESSIONS = (
    5,
    8,
)  # lessons, or sessions, after which the rest is read in the background
_UNANSWERED = 3  # sessions that could not be read, with none that was, after which a reading ends
PROGRESS = "reading_past"  # where the store keeps how far a reading in the background has come


@value
class Reader:
    """Who could read."""

    by: str  # as `reader.by` names it
    title: str
    hosts: tuple[str, ...]  # whose sessions it may read; empty: everybody's
    priced: bool  # whether the list price is known


@value
class Plan:
    """Which sessions would be read, in their order, and what that brings and costs; `left` are those beyond the cap."""

    reader: Reader
    sessions: tuple[UnreadSession, ...]
    estimate: Estimate
    left: int = 0
    whole: float = 0.0  # dollars of all of them
    others: int = 0  # sessions of agents that this reader does not read

    @property
    def sentence(self) -> str:
        """The same on every screen."""
        found = self.estimate
        tokens, usd = f"{_about(found.tokens)} tokens", f"about ${max(found.usd, 0.01):.2f}"
        price = f" ({usd}, or {tokens} of your plan)" if self.reader.priced else f" ({tokens})"
        which = f"{numbered(found.sessions, 'session')} with words of yours" + (
            f", of {found.sessions + self.left} those with most" if self.left else ""
        )
        return (
            f"{which}: read by {self.reader.title} they would teach {_lessons(found.lessons)}"
            f"{', and first what you ask for again and again' if len(self.sessions) > 1 else ''}{price}; a session hears the few that fit."
            f" Sent is what was said and done in them, without secrets."
        )

    def json(self) -> dict[str, Any]:
        found = self.estimate
        return {
            "by": self.reader.by,
            "sessions": found.sessions,
            "lessons": found.lessons,
            "tokens": found.tokens,
            "usd": round(found.usd, 2) if self.reader.priced else None,
            "beyond_cap": self.left,
        }


def _about(figure: int) -> str:
    """A guess, without digits that it does not have."""
    step = 1 if figure < 20 else 5 if figure < 200 else 10 if figure < 1000 else 1000
    return f"{round(figure / step) * step:,}"


def _lessons(count: int) -> str:
    return f"about {_about(count)} {'lesson' if count == 1 else 'lessons'}" if count else "little"


def plan_of(
    sessions: Iterable[UnreadSession], reader: Reader | None, cap: float = DEAREST
) -> Plan | None:
    """What would be read of some sessions; None where nobody reads them, or nothing in them was typed."""
    if reader is None:
        return None
    room = lookback_part("estimate")
    typed = [each for each in sessions if each.typed]
    every = room.in_order(each for each in typed if not reader.hosts or each.host in reader.hosts)
    kept = room.within(every, cap) if reader.priced else every
    if not kept:
        return None
    beyond, others = len(every) - len(kept), len(typed) - len(every)
    return Plan(
        reader,
        tuple(kept),
        room.with_looks(room.reading_estimate(kept), kept),
        beyond,
        room.reading_estimate(every).usd,
        others,
    )


def reader_here(settings: Mapping[str, Any], env: Mapping[str, str]) -> Reader | None:
    """Who could read on this machine: whom the user named, else a host's own program that is here, else a model that is named."""
    by, named = str(settings["reader.by"].value), tuple(settings["reader.hosts"].value)
    programs = {
        host: command
        for host, command in readers().items()
        if shutil.which(command.split()[0], path=search_path(env))
    }
    hosts = () if "*" in named else named
    model = bool(settings["model.url"].value or settings["model.command"].value)
    if by not in ("", NOBODY, "model"):
        programs = {host: command for host, command in programs.items() if host == by}
    if by != "model" and programs:
        host = next(iter(programs))
        title = f"your own {host.replace('-', ' ').title().removesuffix(' Code')} ({settings['reader.model'].value})"
        return Reader(host, title, hosts if named else (host,), True)
    return (
        Reader("model", "the model you named", hosts, False)
        if model and by in ("", NOBODY, "model")
        else None
    )


def nobody_reads(env: Mapping[str, str], sessions: Iterable[UnreadSession] = ()) -> str:
    """What a model would find in some sessions, where none is here that could read, and the two ways to have one."""
    command = next(iter(readers().values()), "claude").split()[0]
    return (
        f"{_would_find(sessions)} Failures are counted without a reader; lessons take one. Have it read by your own"
        f" {command.title()}: tacit lookback in a shell that finds {command} ({command} is not on this shell's PATH). Or by a model of this"
        " machine: tacit config set model.command 'ollama run qwen2.5:7b' (any program that answers a prompt), then tacit lookback --read"
    )


def _would_find(sessions: Iterable[UnreadSession]) -> str:
    found = lookback_part("estimate").reading_estimate(each for each in sessions if each.typed)
    if not found.sessions:
        return "No model reads here."
    return (
        f"{numbered(found.sessions, 'session')} with words of yours: read by a model they would teach {_lessons(found.lessons)}"
        f" (about ${max(found.usd, 0.01):.2f} at Claude Haiku's price); a session hears the few that fit."
    )


# -- sessions ------------------------------------------------------------------------------------------------------------


def session_of(run: Run) -> UnreadSession:
    """What is known of a run before it is read."""
    found: UnreadSession = lookback_part("estimate").UnreadSession(
        run.id, run.host, run.typed, len(run.steps), run.started_at
    )
    return found


def unread(memories: Memories, sessions: Iterable[UnreadSession]) -> list[UnreadSession]:
    """Those of some sessions that nobody has read yet; by their names, since a server's copy holds no run that was only learned."""
    folder, projects = (
        readings_folder(memories.store.path),
        [project.id for project in memories.store.projects()],
    )
    return [
        each
        for each in sessions
        if not any(is_kept(folder, run_id(one, each.host, each.run)) for one in projects)
    ]


def learned_sessions(memories: Memories, most: int = 500) -> list[UnreadSession]:
    """The latest sessions of this project, as the store knows them, that nobody has read yet."""
    folder, session = readings_folder(memories.store.path), lookback_part("estimate").UnreadSession
    rows = memories.store.runs(memories.project_id, limit=most) if memories.project else []
    typed = (
        (row, facts)
        for row in rows
        if (facts := row.facts or {}).get("typed") and not is_kept(folder, row.id)
    )
    return [
        session(
            row.foreign_id,
            row.host,
            int(facts["typed"]),
            int(facts.get("steps", 0)),
            row.started_at,
        )
        for row, facts in typed
    ]


def offer_lines(cli: Cli, memories: Memories, always: bool = True) -> list[str]:
    """For a screen about a project: what reading its sessions would bring, or how far it has come; nothing where all is read, nor, but for
    `always`, where no model is here."""
    if going := progress_words(memories):
        return [going]
    settings = memories.settings()
    if str(settings["reader.by"].value) == NOBODY:
        return []
    sessions = learned_sessions(memories)
    plan = plan_of(sessions, reader_here(settings, cli.env))
    of = "Of this project, " if len(memories.store.projects()) > 1 else ""
    if plan is None:
        none = not (always and sessions) or reader_here(settings, cli.env)
        return [] if none else [f"{of}{_would_find(sessions)} tacit lookback says how to name one."]
    return [f"{of}{plan.sentence} Do it: tacit lookback --read"]


def progress_words(memories: Memories) -> str:
    """How far a reading in the background has come, for people; empty where none goes on."""
    if not (going := progress(memories)):
        return ""
    if is_paused(memories.store):
        return "Reading stops behind the session it is at. After tacit config pause off: tacit lookback reads the rest."
    done, rest = going["done"], going["total"] - going["done"]
    of = f"{done} of {numbered(going['total'], 'session')}"
    took = time.time() - going.get("began", time.time())
    left = (
        f", about {numbered(max(1, round(took / done * rest / 60)), 'minute')} left"
        if done and took and rest
        else ""
    )
    paid = f", {spent}" if (spent := spent_words(memories, going)) else ""
    return f"Reading in the background: {of}, {numbered(going['lessons'], 'new lesson')} so far{paid}{left}."


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
            return f"; {numbered(left, 'session')} of a reading that was stopped {'waits' if left == 1 else 'wait'}: tacit lookback"
    return ""


def spent_words(memories: Memories, since: Mapping[str, int] | None = None) -> str:
    """What models have cost here, in all or since a reading began; empty where none was asked."""
    before = since or {}
    sent, got = (
        event(memories.store, f"model.tokens.{way}") - before.get(way, 0) for way in ("in", "out")
    )
    if sent + got <= 0:
        return ""
    priced = (
        str(memories.settings()["reader.by"].value) != "model"
        and not memories.settings()["model.command"].value
    )
    usd = lookback_part("estimate").Estimate(0, 0, sent, got).usd
    return f"about ${max(usd, 0.01):.2f} spent" if priced else f"{_about(sent + got)} tokens spent"


# -- a yes, and reading ---------------------------------------------------------------------------------------------------


def agreed(cli: Cli, plan: Plan, after: bool = False) -> bool:
    """Whether the person wants these sessions read, now or after others; later ones are `connect`'s question."""
    when = "after those that are being read" if after else "now"
    return cli.ask(
        f"{_question(plan, after)}\nRead {'it' if len(plan.sessions) == 1 else 'them'} {when}? [y/N] "
    )


def agreed_later(
    cli: Cli, reader: Reader, settings: Mapping[str, Any], host: str, past: Sequence[UnreadSession]
) -> bool:
    """Whether sessions are read as they end: said already, or asked now, with what one costs by those of the past."""
    by, usd = str(settings["reader.by"].value), lookback_part("estimate").reading_estimate(past).usd
    price = f", about {100 * usd / len(past):.1f} ct each" if reader.priced and past else ""
    asked = (
        f"Have later sessions read too by {reader.title}, each as it ends{price}? Without it they are learned by rules."
        f" (tacit config set reader.by {NOBODY} ends it) [y/N]"
    )
    if by != reader.by and cli.ask("\n".join(wrapped(asked)) + " "):
        by = reader.by
        remember(config_path(cli.env), by)
    return by == reader.by


def _question(plan: Plan, after: bool) -> str:
    beyond = (
        f" {plan.left} more would come to ${plan.whole:.2f} in all: --cap {plan.whole + 0.05:.1f}"
        if plan.left
        else ""
    )
    others = f" {unread_words(plan.others)}" if plan.others else ""
    minutes = numbered(
        max(1, round(len(plan.sessions) * lookback_part("estimate").MINUTES)), "minute"
    )
    first = f" The first lessons come in about a minute, the rest in the background, which takes about {minutes}."
    first = first if len(plan.sessions) > 1 and not after else ""
    return "\n".join(wrapped(plan.sentence + beyond + others + first, 0, 118))


def unread_words(others: int) -> str:
    """What becomes of sessions that the reader does not read, since they are of other agents."""
    stay = "stays" if others == 1 else "stay"
    return f"{numbered(others, 'session')} of other agents {stay} unread: tacit config set reader.hosts '*', then tacit lookback asks."


def unread_of(sessions: Iterable[UnreadSession], reader: Reader) -> str:
    """The same of some sessions; empty where the reader reads all of them."""
    others = (
        sum(each.typed > 0 and each.host not in reader.hosts for each in sessions)
        if reader.hosts
        else 0
    )
    return unread_words(others) if others else ""


def remember(path: str, by: str) -> None:
    """Write who reads into the user's own file, whatever else stands there."""
    set_keys(path, "reader", {"by": by})


def with_room(env: Mapping[str, str], plan: Plan, settings: Mapping[str, Any]) -> dict[str, str]:
    """Surroundings in which what was agreed to may be spent today: the daily bound is for what nobody was asked about."""
    room = {
        f"TACIT_MODEL_{span.upper()}_TOKENS": str(
            int(settings[f"model.{span}_tokens"].value) + 2 * plan.estimate.tokens
        )
        for span in ("daily", "monthly")
    }
    return {**env, **room}


def read_chosen(
    cli: Cli,
    memories: Memories,
    plan: Plan,
    sources: Mapping[str, Source],
    again: Sequence[str] = (),
    left: Mapping[str, Left] | None = None,
) -> dict[str, Any]:
    """Read sessions one at a time, and show each lesson as soon as its session is read. `again` is the command that goes on in the
    background, once there is something to look at; without it all is read here. It may be stopped: what was read is not read twice. What
    all of them say together comes first (`left`: what each session of this project left), then what rules find."""
    whose = AskedOnce(cli, False)
    going, reads = progress(memories), not _nobody(cli)
    before = (
        going if going.get("pid") == os.getpid() else {}
    )  # what the terminal had read that this goes on from
    agree_to(memories.store, plan.reader.by, [each.run for each in plan.sessions])
    unasked: list[str] = []
    if not before:
        if left and memories.env.get(SWITCH) != "off":
            learning.keep_sessions(memories, left.values())
            unasked = first_looks(cli, memories)
        _by_rules(cli, memories, plan, sources, whose)
    done, brought = before.get("done", 0), before.get("lessons", 0)
    since = before or {
        "began": int(time.time()),
        **{way: event(memories.store, f"model.tokens.{way}") for way in ("in", "out")},
    }
    failed: list[str] = []  # why sessions could not be read
    total = done + len(plan.sessions)
    said: dict[str, Any] = {
        "sessions": len(plan.sessions),
        "read": 0,
        "lessons": 0,
        "waiting": 0,
        "background": 0,
    }
    for n, session in enumerate(plan.sessions):
        rest = len(plan.sessions) - n
        enough = said["lessons"] >= SHOWN_FIRST or n >= FIRST_SESSIONS
        if again and rest > 1 and enough and (pid := _goes_on(cli, again)):
            said["background"] = rest
            _tell(
                memories,
                since,
                pid=pid,
                total=total,
                done=done + n,
                lessons=brought + said["lessons"],
            )
            break
        if is_paused(memories.store) or (reads and _nobody(cli)):
            said["stopped"] = True
            break
        cli.progress(
            f"  reading {n + 1} of {len(plan.sessions)} sessions, the one with {session.typed} messages of yours, about a minute …"
        )
        learned = _read_one(memories, session, sources[session.run], whose)
        cli.progress()
        if not (n or before or cli.json or cli.quiet):
            cli.out.write(f"Read by {plan.reader.title}:\n")
        waits = sum(any("not read yet" in note for note in each.warnings) for each in learned)
        said["read"] += len(learned) - waits
        said["waiting"] += waits
        said["lessons"] += sum(len(each.new) for each in learned)
        failed += [
            why
            for each in learned
            for note in each.warnings
            if (why := note.partition("not read yet. ")[2])
        ]
        if said["waiting"] >= _UNANSWERED and not (said["read"] or before):
            said.update(stopped=True, why=failed[0])
            break
        _show(
            cli,
            memories,
            [id for one in learned if one.project == memories.project_id for id in one.new],
        )
        _elsewhere(cli, memories, learned)
        _tell(
            memories,
            since,
            pid=os.getpid(),
            total=total,
            done=done + n + 1,
            lessons=brought + said["lessons"],
        )
    said["spent"] = spent_words(memories, since)
    said["minutes"] = round(
        (time.time() - since["began"]) / max(1, said["read"]) * said["background"] / 60
    )
    return {**said, "notes": [*unasked, *whose.notes()]}


def _nobody(cli: Cli) -> bool:
    """Whether the person wants no session read: said since a reading began, it ends behind the session that it is at."""
    return str(settings_here(cli)["reader.by"].value) == NOBODY


def _by_rules(
    cli: Cli, memories: Memories, plan: Plan, sources: Mapping[str, Source], whose: AskedOnce
) -> None:
    """Learn what was looked at without a model, and say how many lessons that brought; nobody is asked about sessions that are not read."""
    read = {sources[each.run].path for each in plan.sessions}
    every = list({source.path: source for source in sources.values()}.values())
    found: list[Learned] = []
    env = memories.env
    memories.env = {**env, "TACIT_READER_BY": RULES_ALONE}
    for n, source in enumerate(every, 1):
        cli.progress(f"  by rules, {n} of {len(every)} files …")
        with suppress(TacitError, OSError):
            apart = whose if source.path in read else lambda folder: False
            found += learning.learn(memories, source, over=True, by_place=True, apart=apart)
    memories.env = env
    cli.progress()
    if any(each.new for each in found if each.project == memories.project_id) and not (
        cli.json or cli.quiet
    ):
        cli.out.write("By rules alone:\n")
        rows = one_screen(memories).rows  # numbered as bare `tacit` shows them
        _show(cli, memories, [row.id for row in rows if not row.is_question])
    _elsewhere(cli, memories, found)


def _read_one(
    memories: Memories, session: UnreadSession, source: Source, whose: Any
) -> list[Learned]:
    found: list[Learned] = []
    try:
        for run in formats.read(source, formats.detect(source)):
            if run.id == session.run:
                found += learning.learn(memories, run, over=True, by_place=True, apart=whose)
    except (TacitError, OSError):
        pass
    return found


def _show(cli: Cli, memories: Memories, ids: Sequence[str]) -> None:
    """Lessons as they come, each with its number and what becomes of it."""
    if cli.json or cli.quiet:
        return
    by_id = {each.id: each for each in memories.store.memories(ids) if each.state in KEPT}
    every = [by_id[id] for id in ids if id in by_id]
    found = without_details([each for each in every if not is_order_of_a_day(each)])
    names = names_to_type(memories, {memory.id: memory.text for memory in found})
    for memory in found:
        said = (
            news(memory)
            or f"{came_up(memory)}; told {moment_words(memory, queries.is_told_at_starts(memories, memory))}"
        )
        text = f"{one_line(memory.text, COLUMNS)} ({said})"
        lines = hung(f"{names[memory.id]:>4}  ", text, WIDEST)
        cli.out.write("\n".join(lines) + "\n")
    if rest := len(every) - len(found):
        cli.out.write(
            f"      and {numbered(rest, 'decision')} about the product or the day: tacit list\n"
        )
    cli.out.flush()


def _elsewhere(cli: Cli, memories: Memories, learned: Sequence[Learned]) -> None:
    """How many lessons other projects got, whose numbers are their own, and how to see them."""
    for project in memories.store.projects() if not (cli.json or cli.quiet) else ():
        new = sum(len(each.new) for each in learned if each.project == project.id)
        if new and project.id != memories.project_id:
            cli.out.write(
                f"  {project.name}: {numbered(new, 'lesson')}, tacit --project {project.name}\n"
            )


def _tell(memories: Memories, since: Mapping[str, int], **at: int) -> None:
    with memories.store.write() as tx:
        tx.put_meta(PROGRESS, json.dumps({**since, **at}))


def _goes_on(cli: Cli, again: Sequence[str]) -> int:
    """Start the same reading apart from this terminal, and its process; 0 where that cannot be."""
    try:
        return (
            0 if cli.env.get("TACIT_NO_WORKER") or not sys.executable else spawned(again, cli.env)
        )
    except OSError:
        return 0


def told(said: Mapping[str, Any]) -> str:
    """What a reading came to, for people."""
    lessons = numbered(said["lessons"], "new lesson")
    again = (
        f"; {said['waiting']} not read yet, tried again later (tacit doctor says why)"
        if said["waiting"]
        else ""
    )
    if rest := said["background"]:
        rest = f"\nThe other {rest} are read in the background, about {numbered(max(1, said['minutes']), 'minute')}; tacit shows"
        rest += " how far it is and what it cost, tacit config pause stops it."
    if said.get("why"):
        return f"no session was read: {said['why']} What waits is tried again later; tacit doctor says why it failed."
    spent = f"; {said['spent']}" if said.get("spent") else ""
    return f"read {numbered(said['read'], 'session')}, {lessons}{spent}{again}{rest or ''}"


def settings_here(cli: Cli) -> Mapping[str, Any]:
    """The user's own settings, also where there is no store yet."""
    return settings_at("", config_path(cli.env), cli.env).by_key
