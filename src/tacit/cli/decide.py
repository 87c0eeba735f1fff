"""keep, drop: a person's word about what a number of the screens, or an id, stands for.

To keep makes a lesson the person's word, or answers a question with yes; to drop takes a lesson out,
reversibly, or answers no. A number that was never shown means nothing: nobody's word is guessed at.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tacit.cli.verb import Answer, Asked, Cli, arg, opt, verb
from tacit.core.errors import Refused, UsageError, numbered
from tacit.learn import correcting
from tacit.lesson import memory_json
from tacit.screens.numbers import COLUMNS
from tacit.screens.passing import lesson_meant, meant, word_done

if TYPE_CHECKING:
    from tacit.memory import Memory as Memories

_WHAT = arg("what", nargs=-1, required=False, metavar="N|ID", help="numbers of the screens, or ids")
_REASON = opt("--reason", default="", metavar="REASON", help="why; it is kept in the journal")


@verb(
    "keep",
    "keep what a number of the screens stands for: your word",
    end="""examples:
  tacit keep 1 3
  tacit keep 1 --always     stands at every start
  tacit undo 1              takes it back""",
)
@_WHAT
@_REASON
@opt("--always/--not-always", default=None, help="tell it at every start, whatever else fits")
def keep_verb(args: Asked, cli: Cli) -> Answer:
    if args.always is None:
        return _each("keep", args, cli)
    _need_something("keep", args)
    with cli.open(args, create=False) as memories:
        memories.need_person("Keeping or dropping")
        ids = {name: lesson_meant(memories, name) for name in args.what}
        done = [
            {"what": name, **_always(memories, id, args.always, args.reason, name)}
            for name, id in ids.items()
        ]
    return _said(done)


def _always(memories: Memories, id: str, on: bool, reason: str, name: str) -> dict[str, str]:
    memory = correcting.pin(memories, id, on, reason=reason)
    did = "told at every start" if on else "told at every start no more"
    did += f" (tacit keep {name} --{'not-' * on}always takes it back)"
    return {"id": memory.id, "did": did, "text": memory.text}


@verb(
    "drop",
    "drop what a number of the screens stands for, reversibly",
    end="""examples:
  tacit drop 2
  tacit drop --from https://example.org/page     everything that came from there
  tacit drop 2 --erase     blank its text everywhere, also in journal and backups: no way back""",
)
@_WHAT
@_REASON
@opt("--from", "source", metavar="SOURCE", help="all that came from this document or stream")
@opt("--all", "every", is_flag=True, help="everything in this project")
@opt("--erase", is_flag=True, help="blank its text everywhere, for good (asks)")
def drop_verb(args: Asked, cli: Cli) -> Answer:
    if args.source or args.every:
        return _dropped(args, cli)
    if args.erase:
        return _erased(args, cli)
    return _each("drop", args, cli)


def _each(word: str, args: Asked, cli: Cli) -> Answer:
    _need_something(word, args)
    with cli.open(args, create=False) as memories:
        memories.need_person("Keeping or dropping")
        # all of them are known before anything is done
        ids = {name: meant(memories, name) for name in args.what}
        done = [
            {"what": name, **word_done(memories, id, word, args.reason, name)}
            for name, id in ids.items()
        ]
    return _said(done)


def _need_something(word: str, args: Asked) -> None:
    if not args.what:
        raise UsageError(f"tacit {word}: what?", f"tacit shows numbers: tacit {word} 1 3")


def _said(done: list[dict[str, str]]) -> Answer:
    from tacit.cli.words import one_line

    lines = [f"{each['what']}: {each['did']}: {one_line(each['text'], COLUMNS)}" for each in done]
    return Answer({"done": done}, "\n".join(lines))


def _dropped(args: Asked, cli: Cli) -> Answer:
    """All that came from one source, or everything."""
    if args.what or (args.every and args.source):
        raise UsageError("tacit drop: --from SOURCE, --all, or numbers: one of them.")
    with cli.open(args, create=False) as memories:
        memories.need_person("Keeping or dropping")
        gone = (
            correcting.clear(memories, reason=args.reason)
            if args.every
            else correcting.forget(memories, "", origin=args.source, reason=args.reason)
        )
    back = "tacit undo ID, each" if args.every else f"tacit undo --from {args.source}"
    told = f"dropped {numbered(len(gone), 'lesson')}; {back}, brings it back"
    return Answer({"memories": [memory_json(each) for each in gone]}, told)


def _erased(args: Asked, cli: Cli) -> Answer:
    _need_something("drop", args)
    with cli.open(args, create=False) as memories:
        memories.need_person("Erasing")
        found = [memories.get(lesson_meant(memories, name)) for name in args.what]
        if not args.yes:
            if not sys.stdin.isatty():
                raise Refused("Erasing asks at a terminal.", memories.actor.how)
            lines = [*(each.text for each in found), "Erase this everywhere, for good? [y/N] "]
            if not cli.put("\n".join(lines)):
                raise Refused("Nothing was erased.")
        gone = [correcting.erase(memories, each.id, reason=args.reason) for each in found]
    data = {"memories": [memory_json(each) for each in gone]}
    return Answer(data, f"erased {', '.join(each.id for each in gone)}")
