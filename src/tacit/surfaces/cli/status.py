"""status, and bare `tacit`: what is in force here, what it did this week, and what asks for you."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.app import store_path
from tacit.core import clock
from tacit.core.errors import Unavailable
from tacit.core.plural import numbered
from tacit.stores.cache import is_far
from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.health import cache_lines
from tacit.surfaces.cli.reading import offer_lines
from tacit.surfaces.cli.words import one_line, paint, printable, table, width, wrapped
from tacit.surfaces.selection import Counted, counted, counted_words, is_given
from tacit.surfaces.views import overview
from tacit.surfaces.wording import standing_words

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.app import Memories
    from tacit.core.memory import Memory
    from tacit.core.profile import Profile

_SHOWN = 10  # lessons on the first screen
_WEEK = 7

NOTHING = """Nothing is kept yet.

  tacit lookback               what your agents' past sessions would have taught
  tacit connect claude-code    let Claude Code remember (codex, gemini, copilot … alike)
  tacit add 'TEXT'             keep a first lesson by hand"""


NONE_YET = (
    "No lesson is given here yet. {} learned: rules alone need {} that met the same failure and got over it alike, or your word"
    " (tacit add 'TEXT')."
)


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "examples:\n  tacit\n  tacit status --json"


def _status(args: argparse.Namespace, cli: Cli) -> Answer:
    try:
        memories, away = open_or_near(args, cli)
    except Unavailable as error:
        if error.code != "unavailable" or is_far(store_path(args.store, cli.env)):
            raise
        return Answer({"store": None, "project": None, "states": {}}, NOTHING)
    with memories:
        data = overview(memories)
        given, more = in_force(memories, _SHOWN)
        week = memories.week(clock.after_days(memories.now(), -_WEEK)) if memories.project else {}
        chosen, profile = memories.profile_choice().note, memories.profile
        offered = offer_lines(cli, memories) if memories.project else []
    stands = counted_words(Counted(more, data["waiting"], data["questions"]))
    data["in_force"] = {"count": more, "ids": [memory.id for memory in given]}
    data["week"] = week
    return Answer(
        data, _screen(cli, data, given, profile, stands, offered), warnings=[told for told in (away, chosen) if told]
    )


def open_or_near(args: argparse.Namespace, cli: Cli) -> tuple[Memories, str]:
    """The memories; where their server does not answer and this machine has a cache, that, and what is wrong with the server."""
    try:
        return cli.open(args, create=False), ""
    except Unavailable as error:
        try:
            if is_far(store_path(args.store, cli.env)):
                return cli.open(args, create=False, near=True), error.message
        except Unavailable:
            pass  # nothing of it is here
        raise


def in_force(memories: Memories, most: int) -> tuple[list[Memory], int]:
    """The lessons that agents are given here, what was met most often first, and how many there are."""
    from tacit.core.states import INJECTABLE

    if memories.project is None:
        return [], 0
    found = memories.list(states=INJECTABLE, equal={"gate": "allow"}, sort="seen", limit=2 * most)
    return [each for each in found if is_given(each)][:most], counted(memories).in_force


def _screen(
    cli: Cli, data: Mapping[str, Any], given: Sequence[Memory], profile: Profile, stands: str, offered: Sequence[str]
) -> str:
    name = data["project"]["name"] if data["project"] else "no project yet"
    count = data["in_force"]["count"]
    lines = [f"{paint(cli, 'bold', printable(name))}: {stands}", ""]
    if given:
        lines += [paint(cli, "bold", "In force"), lesson_table(cli, given, profile)]
        lines += [paint(cli, "quiet", f"  and {count - len(given)} more: tacit list")] if count > len(given) else []
    elif data["runs"]:
        lines += wrapped(NONE_YET.format(numbered(data["runs"], "session"), profile.trust.runs))
    else:
        lines += [
            "No lesson is given here yet: tacit learn takes in past sessions, tacit add 'TEXT' keeps one by hand."
        ]
    lines += ["", paint(cli, "bold", "This week"), *_week(data["week"], data)]
    if data["for_you"]:
        lines += ["", paint(cli, "wait", "For you")]
        for told in data["for_you"]:
            first, *rest = wrapped(one_line(told, 400), 4, 118)
            lines += [f"  - {first}", *(f"    {line}" for line in rest)]
    if data["needs_word"]:
        lines += ["", f"{paint(cli, 'wait', numbered(data['needs_word'], 'question'))} for you to decide: tacit review"]
    lines += ["", *(line for said in offered for line in wrapped(said, 0, 118))] if offered else []
    lines += cache_lines(data["cache"], "cache: ")[:1] if data["cache"] else []
    if data["paused"]:
        lines.append(
            paint(cli, "bad", f"paused until {data['paused'][:16].replace('T', ' ')} UTC: tacit pause --off goes on")
        )
    if data["queue"]:
        lines.append(f"{numbered(data['queue'], 'session')} still to be learned")
    lines += ["", paint(cli, "quiet", one_line("tacit why ID · tacit effect · tacit help", width()))]
    return "\n".join(lines)


def lesson_table(cli: Cli, memories: Sequence[Memory], profile: Profile) -> str:
    """Lessons with how they stand, as people say it."""
    said = [standing_words(memory, profile) for memory in memories]
    rows = [
        [paint(cli, "id", memory.id), paint(cli, each.tone, each.words), one_line(memory.text, 2000) or "(erased)"]
        for memory, each in zip(memories, said)
    ]
    return table(rows, before=2, flow=True)


def _week(week: Mapping[str, Any], data: Mapping[str, Any]) -> list[str]:
    if not week or not (week["sessions"] or week["given"] or week["new"]):
        past = f"; {numbered(data['runs'], 'session')} learned so far" if data["runs"] else ""
        return [f"  nothing happened{past}"]
    lines = [f"  {numbered(week['sessions'], 'session')} learned, {numbered(week['new'], 'new lesson')}"]
    if week["given"]:
        out = f", left out {numbered(week['withheld'], 'time')} to compare" if week["withheld"] else ""
        lines.append(f"  lessons given {numbered(week['given'], 'time')} in {numbered(week['units'], 'session')}{out}")
    if week["told"]:
        back = f"came back {numbered(week['back'], 'time')}" if week["back"] else "did not come back"
        lines.append(f"  their problems {back} in the {numbered(week['told'], 'use')} that could be told")
    return lines


COMMANDS = {"status": (_declare, _status)}
