"""effect, audit, feedback: does it help?"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacit.app import Memories
from tacit.cli import Answer, Cli
from tacit.cli.parsing import declared
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
from tacit.core.errors import UsageError, numbered
from tacit.core.memory import memory_json
from tacit.core.profile import Profile
from tacit.core.value import replace
from tacit.hosts import run_in_shell
from tacit.screens.selection import counted
from tacit.screens.views import audit_json, effect_json
from tacit.screens.wording import CAME, standing_words
from tacit.trial.audit import by_subject

WITH_BARS = 110  # columns of a screen that has room for intervals as bars

if TYPE_CHECKING:
    from tacit.trial.audit import GivenLesson
    from tacit.trial.effect import Effects, LessonEffect


# -- effect ---------------------------------------------------------------------------------------------------------------


def _effect(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        if args.csv:
            csv.writer(cli.out, lineterminator="\n").writerows(memories.effect_rows(args.id or ""))
            return Answer(printed=True)
        found = memories.effect(args.id or "")
        nothing = "" if found.lessons else _nothing(memories)
        hidden, profile = memories.withheld_in(run_in_shell(cli.env)), memories.profile
        replays = memories.replayed(args.id or "")
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
    return lines + ([found.guards.sentence] if found.guards else [])


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


# -- audit ----------------------------------------------------------------------------------------------------------------


def _audit(args: argparse.Namespace, cli: Cli) -> Answer:
    if args.check or args.fail_on:
        return _origins_audit(args, cli)
    with cli.open(args, create=False) as memories:
        found = memories.audit(args.run or "")
        hidden = memories.withheld_in(run_in_shell(cli.env))
        headline = [] if args.run else [memories.said_again().sentence]
    for n, each in enumerate(found):
        lessons = (
            replace(one, text=WITHHELD_HERE) if one.memory in hidden else one
            for one in each.lessons
        )
        found[n] = replace(each, lessons=tuple(lessons))
    data: dict[str, Any] = {"runs": [audit_json(each) for each in found]}
    if not args.run:
        data["headline"] = headline
        lines = [line for said in headline for line in wrapped(said, 0, 118)]
        short = telling_length([each.run.foreign_id for each in found])
        rows = [
            [
                each.run.foreign_id[:short],
                each.run.started_at[:16].replace("T", " "),
                *_came(each.lessons),
                one_line(each.run.task, 200),
            ]
            for each in found
        ]
        if not rows:
            return Answer(data, "no session is known here yet")
        heads = ("session", "started", "given", "left out", "came back", "task")
        lines += [
            *([""] if lines else []),
            table(rows, heads),
            "",
            "tacit audit SESSION tells which lessons",
        ]
        return Answer(data, "\n".join(lines))
    [one] = found
    given, out, back = _came(one.lessons)
    lines = [*wrapped(f"{one.run.foreign_id}: {one_line(one.run.task, 200)}"), ""]
    if not one.lessons:
        return Answer(
            data, "\n".join([*lines, "No lesson was given to this session, and none left out."])
        )
    lines += [
        *wrapped(
            f"{given} given, {out} left out to compare; of those given the problem of {back} came back."
        ),
        "",
    ]
    rows = [
        [
            each.memory,
            "left out" if each.arm == "withheld" else "given",
            CAME.get(each.outcome, each.outcome) + (", cited" if each.cited else ""),
            one_line(each.text, 400),
        ]
        for each in one.lessons
    ]
    lines.append(table(rows, ("id", "lesson was", "its problem", "lesson"), flow=True))
    quoted = [
        f"{each.memory} came back: “{each.quote}”"
        for each in one.lessons
        if each.quote and each.memory not in hidden
    ]
    lines += ["", *(line for said in quoted for line in wrapped(said, 2, 118))] if quoted else []
    return Answer(data, "\n".join(lines))


_SHORT = 8  # characters of a session's id at least


def telling_length(ids: Sequence[str]) -> int:
    """How many characters tell these sessions apart, to be said to `tacit audit`: some hosts' ids begin with the time."""
    many = len(set(ids))
    return next(
        (
            n
            for n in range(_SHORT, max(map(len, ids), default=_SHORT))
            if len({id[:n] for id in ids}) == many
        ),
        1 << 10,
    )


def _came(lessons: Sequence[GivenLesson]) -> tuple[str, str, str]:
    """How many subjects were given, how many left out, and of how many lessons the problem came back."""
    given, out = by_subject(lessons)
    back = sum(each.outcome == "occurred" for each in lessons if each.arm != "withheld")
    return str(given), str(out), str(back)


def _origins_audit(args: argparse.Namespace, cli: Cli) -> Answer:
    """An origin's own measures of one run: lessons that a finding repeated, fixes that came undone."""
    if not args.run:
        raise UsageError("Audit which run?", "Give its id or its file.")
    with cli.open(args, create=bool(args.fail_on)) as memories:
        back = memories.regressions(args.run) if args.fail_on else []
        checked = memories.check(args.run) if args.check else []
        names = {each.memory: memories.get(each.memory).alias or each.memory for each in checked}
    data = {
        "checks": [{**each.__dict__, "name": names[each.memory]} for each in checked],
        "regressions": [{**each.__dict__, "sentence": each.sentence} for each in back],
    }
    lines = [each.sentence for each in back]
    lines += [
        f"{each.signal:<11} {each.overlap:>3} %  {names[each.memory]}  {one_line(each.text, max(20, width() - 34))}"
        for each in checked
    ]
    return Answer(data, "\n".join(lines), code=1 if back else 0)


# -- feedback -----------------------------------------------------------------------------------------------------


def _feedback(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        run = args.run or run_in_shell(cli.env)
        memory = memories.feedback(args.id, args.word, run=run, reason=args.reason or "")
        said, against = standing_words(memory, memories.profile), memory.tally.contradicted
        counts = args.word == "helped" or memories.may_change(memory)
        note = f"kept as a doubt: it stands on more than an agent's word. {memories.actor.how}"
    told = f"noted: {args.word}. {memory.id} is now: {said.words}"
    told += f"; {against} spoke against it so far" if against else ""
    return Answer(memory_json(memory), told, warnings=[] if counts else [note])


COMMANDS = declared({"effect": _effect, "audit": _audit, "feedback": _feedback})
