"""drop: take lessons out, by number, by source or all, reversibly or for good."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tacit.cli.decide import REASON, WHAT, each_done, need_something
from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.core.errors import Refused, UsageError, numbered
from tacit.learn import correcting
from tacit.lesson import Lesson, memory_json
from tacit.screens.passing import lesson_meant


@verb(
    "drop",
    "drop what a number of the screens stands for, reversibly",
    end="""examples:
  tacit drop 2
  tacit drop --from https://example.org/page     everything that came from there
  tacit drop 2 --erase     blank its text everywhere, also in journal and backups: no way back""",
)
@WHAT
@REASON
@opt("--from", "source", metavar="SOURCE", help="all that came from this document or stream")
@opt("--all", "every", is_flag=True, help="everything in this project")
@opt("--erase", is_flag=True, help="blank its text everywhere, for good (asks)")
def drop_verb(args: Asked, cli: Cli) -> Answer:
    if args.source or args.every:
        return _dropped(args, cli)
    return _erased(args, cli) if args.erase else each_done("drop", args, cli)


def _dropped(args: Asked, cli: Cli) -> Answer:
    """All that came from one source, or everything."""
    if args.what or (args.every and args.source):
        raise UsageError("tacit drop: --from SOURCE, --all, or numbers: one of them.")
    with cli.open(args, create=False) as memories:
        memories.need_person("Keeping or dropping")
        if args.every:
            gone = correcting.clear(memories, reason=args.reason)
        else:
            gone = memories.drop(source=args.source, reason=args.reason)
    back = "tacit undo ID, each" if args.every else f"tacit undo --from {args.source}"
    return _gone(gone, f"dropped {numbered(len(gone), 'lesson')}; {back}, brings it back")


def _erased(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        need_something("drop", args)
        memories.need_person("Erasing")
        found = [memories.get(lesson_meant(memories, name)) for name in args.what]
        if not args.yes:
            if not sys.stdin.isatty():
                raise Refused("Erasing asks at a terminal.", memories.actor.how)
            lines = [*(each.text for each in found), "Erase this everywhere, for good? [y/N] "]
            if not cli.put("\n".join(lines)):
                raise Refused("Nothing was erased.")
        gone = [memories.drop(each.id, erase=True, reason=args.reason)[0] for each in found]
    return _gone(gone, f"erased {', '.join(each.id for each in gone)}")


def _gone(gone: Sequence[Lesson], told: str) -> Answer:
    return Answer({"memories": [memory_json(each) for each in gone]}, told)
