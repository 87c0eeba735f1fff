"""effect, audit, feedback: does it help?"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING

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
from tacit.learn import queries
from tacit.memory import Memory as Memories
from tacit.replay import replaying
from tacit.screens.selection import counted
from tacit.screens.views import effect_json
from tacit.screens.wording import standing_words
from tacit.trial import proving

WITH_BARS = 110  # columns of a screen that has room for intervals as bars

if TYPE_CHECKING:
    from tacit.trial.effect import Effects, LessonEffect


# -- effect ---------------------------------------------------------------------------------------------------------------


@verb(
    "effect",
    "does it help? with the sessions that went without",
    end="""Method, assumptions and limits: docs/effect.md.""",
    long=True,
)
@arg(
    "id",
    metavar="ID",
    required=False,
    help="one lesson; without it all of them and the whole memory",
)
@opt("--csv", is_flag=True, help="one tidy row per use, with assignment probabilities")
@opt("--limit", type=int, default=30, metavar="LIMIT")
def effect_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        if args.csv:
            csv.writer(cli.out, lineterminator="\n").writerows(
                proving.effect_rows(memories, args.id or "")
            )
            return Answer(printed=True)
        found = memories.effect(args.id or "")
        nothing = "" if found.lessons else _nothing(memories)
        hidden, profile = queries.withheld_in(memories, run_in_shell(cli.env)), memories.profile
        replays = replaying.replayed(memories, args.id or "")
    lessons = [
        replace(each, memory=replace(each.memory, text=WITHHELD_HERE))
        if each.memory.id in hidden
        else each
        for each in found.lessons
    ]
    found = replace(found, lessons=tuple(lessons))
    text = nothing or _effect_text(cli, found, profile, args.id, args.limit)
    told = [
        f"Done again in pairs, {each['lesson']} on {each['day']}: {each['sentence']}"
        for each in replays
    ]
    lines = [line for said in told for line in wrapped(said, 0, 118)]
    return Answer({**effect_json(found), "replays": replays}, "\n".join([text, *lines]))


def _nothing(memories: Memories) -> str:
    """What is missing where nothing was given yet: a lesson in force, a host that is connected, or the next session."""
    from tacit.cli.connect import connected_hosts

    count, hosts = counted(memories).in_force, connected_hosts(memories.place.root, memories.env)
    given = "No lesson was given here yet"
    compare = "and those that can be measured are left out now and then to compare"
    if not hosts:
        return f"{given}. A connected host gives them, {compare}: tacit connect HOST"
    if not count:
        return f"{given}: none is in force. Connected: {', '.join(hosts)}; tacit learn takes in past sessions."
    return f"{given}. Connected: {', '.join(hosts)}. The next session is given what fits of {numbered(count, 'lesson')}, {compare}."


def _effect_text(cli: Cli, found: Effects, profile: Profile, one: str | None, limit: int) -> str:
    if one:
        return "\n".join(_one(found, profile))
    shown = found.lessons[:limit]
    narrow = cli.out.isatty() and width() < WITH_BARS  # a bar that is cut says less than none
    rows = [
        [
            each.memory.id,
            _word(each, profile, cli),
            str(each.known.units or "-"),
            "" if narrow or not each.known.units else bar,
            one_line(each.memory.text, PIPE_CHARACTERS),
        ]
        for each, bar in zip(shown, plot(shown, 31))
    ]
    lines = [line for said in found.headline for line in wrapped(said, 0, 118)] + [""]
    heads = ("id", "does it help?", "sessions", "fewer problems 0 more problems ", "lesson")
    lines += [table(*filled(rows, heads), flow=True), ""]
    beneath = [
        f"Given: {found.tokens:,} tokens. {found.unsettled} uses wait for their session's end,"
        f" {found.unknown} could not be told.",
        *found.notes,
    ]
    return "\n".join([*lines, *(line for said in beneath for line in wrapped(said, 0, 118))])


def _one(found: Effects, profile: Profile) -> list[str]:
    """All that is known of one lesson."""
    each = found.lessons[0]
    lines = [*wrapped(each.memory.text, 0, 118), ""]
    if each.known.units:
        lines += [f"  fewer problems {plot([each], 61)[0]} more", ""]
    lines += each.known.lines
    for wish in found.again.wishes:
        lines.append(wish.sentence)
        lines += [f"  {day} “{words}”" for day, words in wish.quotes]
    if each.known.former:
        lines.append(f"Of its former words: {each.known.former}")
    return lines + [each.sentence for each in (found.guards, found.checks) if each]


def _word(each: LessonEffect, profile: Profile, cli: Cli) -> str:
    """How a lesson stands, as `tacit list` and `why` say it."""
    said = standing_words(each.memory, profile)
    return paint(cli, said.tone, said.words.replace(" sessions)", ")"))


def plot(lessons: Sequence[LessonEffect], width: int = 41) -> list[str]:
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
