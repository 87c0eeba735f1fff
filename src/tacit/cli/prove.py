"""effect: does it help?"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.cli.connect import connected_hosts
from tacit.cli.verb import Answer, Asked, Cli, arg, opt, verb
from tacit.cli.words import (
    PIPE_CHARACTERS,
    WITHHELD_HERE,
    filled,
    one_line,
    paint,
    table,
    width,
    wrapped,
)
from tacit.core.errors import numbered
from tacit.core.profile import Profile
from tacit.core.value import replace
from tacit.hosts import run_in_shell
from tacit.memory import Memory as Memories
from tacit.replay import replaying
from tacit.screens.selection import counted
from tacit.screens.views import effect_json
from tacit.screens.wording import standing_words
from tacit.store.lookups import withheld_in
from tacit.trial import proving

if TYPE_CHECKING:
    from tacit.trial.effect import Effects, LessonEffect

WITH_BARS = 110  # columns of a screen that has room for intervals as bars
WIDE = 118


@verb(
    "effect",
    "does it help? with the sessions that went without",
    end="""Method, assumptions and limits: docs/effect.md.""",
    long=True,
)
@arg("id", default="", metavar="ID", required=False, help="one lesson; without it the whole memory")
@opt("--csv", is_flag=True, help="one tidy row per use, with assignment probabilities")
@opt("--limit", type=int, default=30, metavar="LIMIT")
def effect_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        if args.csv:
            rows = proving.effect_rows(memories, args.id)
            csv.writer(cli.out, lineterminator="\n").writerows(rows)
            return Answer(printed=True)
        found, replays = memories.effect(args.id), replaying.replayed(memories, args.id)
        hidden, profile = (
            withheld_in(memories.store, memories.project_id, run_in_shell(cli.env)),
            memories.profile,
        )
        lines = [] if found.lessons else [_nothing(memories)]
    lessons = [
        replace(each, memory=replace(each.memory, text=WITHHELD_HERE))
        if each.memory.id in hidden
        else each
        for each in found.lessons
    ]
    found = replace(found, lessons=tuple(lessons))
    if found.lessons:
        one = found.lessons[0]
        lines = _one(one, found) if args.id else _all(cli, found, profile, args.limit)
    for each in replays:
        said = f"Done again in pairs, {each['lesson']} on {each['day']}: {each['sentence']}"
        lines += wrapped(said, 0, WIDE)
    return Answer({**effect_json(found), "replays": replays}, "\n".join(lines))


def _nothing(memories: Memories) -> str:
    """What is missing where nothing was given yet: a lesson in force, a host that is connected, or the next session."""
    count, hosts = counted(memories).in_force, connected_hosts(memories.place.root, memories.env)
    given, on = "No lesson was given here yet", f"Connected: {', '.join(hosts)}"
    compare = "and those that can be measured are left out now and then to compare"
    if not hosts:
        return f"{given}. A connected host gives them, {compare}: tacit connect HOST"
    if not count:
        return f"{given}: none is told to them. {on}; tacit learn takes in past sessions."
    many = numbered(count, "lesson")
    return f"{given}. {on}. The next session is given what fits of {many}, {compare}."


def _all(cli: Cli, found: Effects, profile: Profile, limit: int) -> list[str]:
    narrow = cli.out.isatty() and width() < WITH_BARS  # a bar that is cut says less than none
    shown, rows = found.lessons[:limit], []
    for each, bar in zip(shown, plot(shown, 31)):
        said, units = standing_words(each.memory, profile), each.known.units
        stands = paint(cli, said.tone, said.words.replace(" sessions)", ")"))
        text = one_line(each.memory.text, PIPE_CHARACTERS)
        shows = "" if narrow or not units else bar
        rows.append([each.memory.id, stands, str(units or "-"), shows, text])
    heads = ("id", "does it help?", "sessions", "fewer problems 0 more problems ", "lesson")
    told = f"Given: {found.tokens:,} tokens. {found.unsettled} uses wait for their session's end,"
    told += f" {found.unknown} could not be told."
    lines = [line for said in found.headline for line in wrapped(said, 0, WIDE)]
    lines += ["", table(*filled(rows, heads), flow=True), ""]
    return [*lines, *(line for said in (told, *found.notes) for line in wrapped(said, 0, WIDE))]


def _one(each: LessonEffect, found: Effects) -> list[str]:
    """All that is known of one lesson."""
    lines = [*wrapped(each.memory.text, 0, WIDE), ""]
    if each.known.units:
        lines += [f"  fewer problems {plot([each], 61)[0]} more", ""]
    lines += each.known.lines
    for wish in found.again.wishes:
        lines += [wish.sentence, *(f"  {day} “{words}”" for day, words in wish.quotes)]
    return lines + [one.sentence for one in (found.guards, found.checks) if one]


def plot(lessons: Sequence[LessonEffect], width: int) -> list[str]:
    """A line per lesson on a common axis from −1 to +1: interval as a bar, estimate as a dot, zero as a rule."""

    def at(x: float) -> int:
        return round((x + 1) / 2 * (width - 1))

    lines = []
    for each in lessons:
        cells = [" "] * width
        for n in range(at(each.known.low), at(each.known.high) + 1):
            cells[n] = "─"
        cells[at(0)] = "│" if cells[at(0)] == " " else "┼"
        if each.known.difference is not None:
            cells[at(each.known.difference)] = "●"
        lines.append("".join(cells))
    return lines
