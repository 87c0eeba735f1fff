"""status, and bare `tacit`: what is in force here, what it did this week, and what asks for you."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
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
from tacit.screens.one_screen import (
    OneScreen,
    ProblemRow,
    one_screen,
    screen_json,
    shortened,
)
from tacit.screens.views import overview

_WEEK = 7
FEWEST = 3  # rows of a kind, however small a terminal is
HOW = "tacit keep N, tacit drop N"

NOTHING_KEPT = """Nothing is kept yet.

  tacit lookback               what your agents' past sessions would have taught
  tacit connect claude-code    let Claude Code remember (codex, gemini, copilot … alike)
  tacit add 'TEXT'             keep a first lesson by hand"""


NONE_YET = (
    "No lesson is given here yet. {} learned: rules alone need {} that met the same failure and got over it alike, or your word"
    " (tacit add 'TEXT')."
)


NOTHING_LEARNED = "No lesson is given here yet: tacit learn takes in past sessions, tacit add 'TEXT' keeps one by hand."


@verb(
    "status",
    "what is in force and what it did this week (also: bare `tacit`)",
    end="""examples:
  tacit
  tacit --json""",
)
def status_verb(args: Asked, cli: Cli) -> Answer:
    try:
        memories = cli.open(args, create=False)
    except Unavailable as error:
        if error.code != "no_store":
            raise
        return Answer({"store": None, "project": None, "states": {}}, NOTHING_KEPT)
    with memories:
        data, found = overview(memories), one_screen(memories)
        data["week"] = (
            queries.week(memories, clock.after_days(memories.now(), -_WEEK))
            if memories.project
            else {}
        )
        runs = memories.profile.trust.runs
        alone = unconnected(cli, memories) if memories.project else []
        data["connected"] = not any("No agent" in line for line in alone)
        offered = [*alone, *offer_lines(cli, memories, always=False)] if memories.project else []
        others = [each.name for each in memories.store.projects() if each.id != memories.project_id]
        offered += (
            []
            if data["in_force"]
            else [f"Of {name}: tacit --project {name}" for name in others[:3]]
        )
        # one count of sessions at a time: how many are read, not how many are known by rules
        if progress_words(memories):
            found, data["queue"] = (
                replace(found, week=found.week if data["week"].get("given") else ""),
                0,
            )
        unread = [*readers.unread(memories), *readers.reading_trouble(memories)]
        notes = [told for told in unread if told]
        found, text = _fitting(
            cli, found, lambda shown: _screen(cli, data, shown, offered, runs), len(notes)
        )
        if not cli.json:  # a program's look is none of the person's
            remember_numbers(memories, [row.id for row in found.rows if row.number])
    data["in_force"] = {"count": data["in_force"], "ids": [row.id for row in found.told]}
    data["screen"] = screen_json(found)
    return Answer(data, text, warnings=notes)


def unconnected(cli: Cli, memories: Memories) -> list[str]:
    """That no agent hears of it yet, where none is connected or a host passes over our hooks; the host of the last session is named."""
    root = (
        memories.project.root if memories.project and memories.project.root else memories.place.root
    )
    if connected_hosts(root, cli.env):
        return [note for note in standing_notes(root, cli.env) if "do not run" in note]
    last = [
        row.host for row in memories.store.runs(memories.project_id, limit=1) if row.host in HOSTS
    ]
    return [
        f"No agent is connected here yet, so none hears of this: tacit connect {[*last, *HOSTS][0]}"
    ]


def _fitting(
    cli: Cli, found: OneScreen, text_of: Callable[[OneScreen], str], above: int
) -> tuple[OneScreen, str]:
    """The screen with as many rows as a terminal has room for, and its text; whoever asks from a script gets all of them."""
    text = text_of(found)
    room = shutil.get_terminal_size().lines - 2 - above if cli.out.isatty() else 0
    while room and len(text.splitlines()) > room and max(len(found.told), len(found.new)) > FEWEST:
        told, new = len(found.told), len(found.new)
        found = shortened(found, told - (told > new), new - (told <= new))
        text = text_of(found)
    return found, text


def _screen(
    cli: Cli, data: Mapping[str, Any], found: OneScreen, offered: Sequence[str], runs: int
) -> str:
    name, how = (
        found.project or "no project yet",
        f"{HOW}; here, or typed to your agent" if data["connected"] else HOW,
    )
    lines = [f"{paint(cli, 'bold', printable(name))}: {found.stands}"]
    if data["paused"]:
        until = data["paused"][:16].replace("T", " ")
        said = f"Paused until {until} UTC: no agent hears anything, nothing is learned. tacit config pause off goes on"
        lines += [paint(cli, "bad", line) for line in wrapped(said, 0, WIDEST)]
    lines += wrapped(found.again, 0, WIDEST) if found.again else []
    lines += wrapped(found.week, 0, WIDEST) if found.week else []
    lines += [paint(cli, "wait", line) for said in offered for line in wrapped(said, 0, WIDEST)]
    if found.told:
        hear = "hear" if data["connected"] else "will hear"
        lines += [
            "",
            *(
                paint(cli, "wait", line)
                for line in wrapped(f"What agents {hear} ({how}):", 0, WIDEST)
            ),
        ]
        lines += rows_text(cli, found.told)
    if not found.told and not found.new:
        none = (
            NONE_YET.format(numbered(data["runs"], "session"), runs)
            if data["runs"]
            else NOTHING_LEARNED
        )
        lines += ["", *wrapped(none, 0, WIDEST)]
    for title, rows in found.shelves:
        said = title if found.told else f"{title} ({how}):"
        lines += [
            "",
            *(paint(cli, "wait", line) for line in wrapped(said, 0, WIDEST)),
            *rows_text(cli, rows),
        ]
    lines += (
        [paint(cli, "quiet", "    and more: tacit list, tacit review")]
        if found.more + found.later
        else []
    )
    if found.unknown:
        lines += [
            "",
            paint(cli, "bold", "Came back, nothing known yet"),
            *rows_text(cli, found.unknown),
        ]
        lines += [paint(cli, "quiet", "    you know the way out? tacit add 'TEXT'")]
    if data["queue"]:
        lines.append(f"{numbered(data['queue'], 'session')} still to be learned")
    foot = "tacit why N · edit N 'TEXT' · list · review · inject: what is told · effect: how do we know · help"
    return "\n".join([*lines, "", paint(cli, "quiet", one_line(foot, width()))])


def rows_text(cli: Cli, rows: Sequence[ProblemRow]) -> list[str]:
    """Rows on two lines each: what it is and what it cost; what agents hear, when, and what came of it since."""
    lines: list[str] = []
    for row in rows:
        number = f"{row.number or row.id:>3} "
        cost = f"  {row.cost}" if row.cost else ""
        lines += hung(paint(cli, "id", number), f"{one_line(row.problem, COLUMNS)}{cost}", WIDEST)
        since = (
            f"  [since then {row.since} came back{' ✓' if row.proven else ''}]" if row.since else ""
        )
        stands = f"  ({row.stands})" if row.stands else ""
        if row.arrow or stands or since:
            told = wrapped(
                f"→ {one_line(row.arrow, COLUMNS + WHOLE)}{stands}{since}"
                if row.arrow
                else f"{stands}{since}".strip(),
                6,
                WIDEST,
            )
            lines += [
                f"      {paint(cli, 'good' if row.proven else 'quiet', line)}" for line in told
            ]
    return lines
