"""keep, drop: a person's word about what a number of the screens, or an id, stands for.

To keep makes a lesson the person's word, or answers a question with yes; to drop takes a lesson out,
reversibly, or answers no. A number that was never shown means nothing: nobody's word is guessed at.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tacit.cli.verb import Answer, Asked, Cli, arg, opt, verb
from tacit.cli.words import one_line
from tacit.core.errors import Refused, UsageError, numbered
from tacit.learn import correcting
from tacit.lesson import Lesson, memory_json
from tacit.screens.numbers import COLUMNS
from tacit.screens.passing import lesson_meant, meant, word_done

WHAT = arg("what", nargs=-1, required=False, metavar="N|ID", help="numbers of the screens, or ids")
REASON = opt("--reason", default="", metavar="REASON", help="why; it is kept in the journal")


@verb(
    "keep",
    "keep what a number of the screens stands for: your word",
    end="""examples:
  tacit keep 1 3
  tacit keep 1 --always     stands at every start
  tacit undo 1              takes it back""",
)
@WHAT
@REASON
@opt("--always/--not-always", default=None, help="tell it at every start, whatever else fits")
def keep_verb(args: Asked, cli: Cli) -> Answer:
    return _each("keep", args, cli)


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
    return _erased(args, cli) if args.erase else _each("drop", args, cli)


def _each(word: str, args: Asked, cli: Cli) -> Answer:
    """Keep or drop each; all of them are known before anything is done."""
    always = getattr(args, "always", None)
    with cli.open(args, create=False) as memories:
        _need_something(word, args)
        memories.need_person("Keeping or dropping")
        which = meant if always is None else lesson_meant
        done = []
        for name, id in {name: which(memories, name) for name in args.what}.items():
            if always is None:
                said = word_done(memories, id, word, args.reason, name)
            else:
                memory = memories.keep(id, always=always, reason=args.reason)
                did = "told at every start" + (" no more" if not always else "")
                did += f" (tacit keep {name} --{'not-' if always else ''}always takes it back)"
                said = {"id": memory.id, "did": did, "text": memory.text}
            done.append({"what": name, **said})
    lines = [f"{each['what']}: {each['did']}: {one_line(each['text'], COLUMNS)}" for each in done]
    return Answer({"done": done}, "\n".join(lines))


def _need_something(word: str, args: Asked) -> None:
    if not args.what:
        raise UsageError(f"tacit {word}: what?", f"tacit shows numbers: tacit {word} 1 3")


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
        _need_something("drop", args)
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
