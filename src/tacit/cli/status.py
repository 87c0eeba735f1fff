"""Bare `tacit`: what agents are told here, what it did this week, and what asks for you."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

from tacit.cli.connect import connected_hosts, standing_notes
from tacit.cli.reading import offer_lines, progress_words
from tacit.cli.verb import Answer, Asked, Cli, verb
from tacit.cli.words import WIDEST, hung, one_line, paint, printable, width, wrapped
from tacit.core import clock
from tacit.core.errors import Unavailable, numbered
from tacit.core.value import replace
from tacit.hosts import HOSTS
from tacit.learn import queries, readers
from tacit.memory import Memory as Memories
from tacit.screens.numbers import COLUMNS, WHOLE, remember_numbers
from tacit.screens.one_screen import OneScreen, ProblemRow, one_screen, screen_json, shortened
from tacit.screens.views import overview

_WEEK = 7
FEWEST = 3  # rows of a kind, however small a terminal is
HOW = "tacit keep N, tacit drop N"
FOOT = "tacit why N · edit N 'TEXT' · list · review · inject: what is told · effect: how do we know · help"

NOTHING_KEPT = """Nothing is kept yet.

  tacit lookback               what your agents' past sessions would have taught
  tacit connect claude-code    let Claude Code remember (codex, gemini, copilot … alike)
  tacit add 'TEXT'             keep a first lesson by hand"""
NONE_YET = (
    "No lesson is given here yet. {} learned: rules alone need {} that met the same failure and got over it alike, or your word"
    " (tacit add 'TEXT')."
)
NOTHING_LEARNED = "No lesson is given here yet: tacit learn takes in past sessions, tacit add 'TEXT' keeps one by hand."


@verb("status", "what agents are told here and what it did this week (bare `tacit`)")
def status_verb(args: Asked, cli: Cli) -> Answer:
    try:
        memories = cli.open(args, create=False)
    except Unavailable as error:
        if error.code != "no_store":
            raise
        return Answer({"store": None, "project": None, "states": {}}, NOTHING_KEPT)
    with memories:
        data, found = overview(memories), one_screen(memories)
        since = clock.after_days(memories.now(), -_WEEK)
        data["week"] = queries.week(memories, since) if memories.project else {}
        alone = unconnected(cli, memories) if memories.project else []
        data["connected"] = not any("No agent" in line for line in alone)
        offered = [*alone, *offer_lines(cli, memories, always=False)] if memories.project else []
        if not data["in_force"]:
            others = [each for each in memories.store.projects() if each.id != memories.project_id]
            offered += [f"Of {each.name}: tacit --project {each.name}" for each in others[:3]]
        if progress_words(memories):
            # one count of sessions at a time: how many are read, not how many are known by rules
            found = replace(found, week=found.week if data["week"].get("given") else "")
            data["queue"] = 0
        notes = [each for each in (*readers.unread(memories), *readers.reading_trouble(memories))]
        runs = memories.profile.trust.runs
        found, text = _fitting(cli, data, found, offered, runs, len(notes))
        if not cli.json:  # a program's look is none of the person's
            remember_numbers(memories, [row.id for row in found.rows if row.number])
    data["in_force"] = {"count": data["in_force"], "ids": [row.id for row in found.told]}
    data["screen"] = screen_json(found)
    return Answer(data, text, warnings=[note for note in notes if note])


def unconnected(cli: Cli, memories: Memories) -> list[str]:
    """That no agent hears of it yet, where none is connected or a host passes over our hooks; the host of the last session is named."""
    root = (memories.project.root if memories.project else "") or memories.place.root
    if connected_hosts(root, cli.env):
        return [note for note in standing_notes(root, cli.env) if "do not run" in note]
    rows = memories.store.runs(memories.project_id, limit=1)
    last = [row.host for row in rows if row.host in HOSTS]
    host = [*last, *HOSTS][0]
    return [f"No agent is connected here yet, so none hears of this: tacit connect {host}"]


def _fitting(
    cli: Cli, data: dict[str, Any], found: OneScreen, offered: Sequence[str], runs: int, above: int
) -> tuple[OneScreen, str]:
    """The screen with as many rows as a terminal has room for, and its text; whoever asks from a script gets all of them."""
    text = _screen(cli, data, found, offered, runs)
    room = shutil.get_terminal_size().lines - 2 - above if cli.out.isatty() else 0
    while room and len(text.splitlines()) > room and max(len(found.told), len(found.new)) > FEWEST:
        told, new = len(found.told), len(found.new)
        found = shortened(found, told - (told > new), new - (told <= new))
        text = _screen(cli, data, found, offered, runs)
    return found, text


def _screen(
    cli: Cli, data: dict[str, Any], found: OneScreen, offered: Sequence[str], runs: int
) -> str:
    def sentence(said: str, tone: str = "plain") -> list[str]:
        return [paint(cli, tone, line) for line in wrapped(said, 0, WIDEST)] if said else []

    how = f"{HOW}; here, or typed to your agent" if data["connected"] else HOW
    name = printable(found.project or "no project yet")
    lines = [f"{paint(cli, 'bold', name)}: {found.stands}"]
    if data["paused"]:
        until = f"{data['paused'][:16].replace('T', ' ')} UTC"
        off = "no agent hears anything, nothing is learned. tacit config pause off goes on"
        lines += sentence(f"Paused until {until}: {off}", "bad")
    lines += [*sentence(found.again), *sentence(found.week)]
    lines += [line for said in offered for line in sentence(said, "wait")]
    if found.told:
        hear = "hear" if data["connected"] else "will hear"
        lines += ["", *sentence(f"What agents {hear} ({how}):", "wait")]
        lines += rows_text(cli, found.told)
    elif not found.new:
        learned = NONE_YET.format(numbered(data["runs"], "session"), runs)
        lines += ["", *sentence(learned if data["runs"] else NOTHING_LEARNED)]
    for title, rows in found.shelves:
        said = title if found.told else f"{title} ({how}):"
        lines += ["", *sentence(said, "wait"), *rows_text(cli, rows)]
    if found.more + found.later:
        lines.append(paint(cli, "quiet", "    and more: tacit list, tacit review"))
    if found.unknown:
        lines += ["", paint(cli, "bold", "Came back, nothing known yet")]
        lines += rows_text(cli, found.unknown)
        lines.append(paint(cli, "quiet", "    you know the way out? tacit add 'TEXT'"))
    if data["queue"]:
        lines.append(f"{numbered(data['queue'], 'session')} still to be learned")
    return "\n".join([*lines, "", paint(cli, "quiet", one_line(FOOT, width()))])


def rows_text(cli: Cli, rows: Sequence[ProblemRow]) -> list[str]:
    """Rows on two lines each: what it is and what it cost; what agents hear, when, and what came of it since."""
    lines: list[str] = []
    for row in rows:
        number = paint(cli, "id", f"{row.number or row.id:>3} ")
        cost = f"  {row.cost}" if row.cost else ""
        lines += hung(number, f"{one_line(row.problem, COLUMNS)}{cost}", WIDEST)
        tick = " ✓" if row.proven else ""
        told = [
            f"→ {one_line(row.arrow, COLUMNS + WHOLE)}" if row.arrow else "",
            f"({row.stands})" if row.stands else "",
            f"[since then {row.since} came back{tick}]" if row.since else "",
        ]
        if said := "  ".join(filter(None, told)):
            tone = "good" if row.proven else "quiet"
            lines += [f"      {paint(cli, tone, line)}" for line in wrapped(said, 6, WIDEST)]
    return lines
