"""keep, drop: a word in passing, by the numbers of the screens or by ids.

To keep makes a lesson the person's word, or answers a question with yes; to drop takes a lesson out, reversibly, or answers no. A number
that was never shown means nothing: nobody's word is guessed at.
"""

from __future__ import annotations

import argparse
from functools import partial

from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.words import one_line
from tacit.surfaces.passing import meant, word_done


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="+", metavar="N|ID", help="numbers of the screens, or ids")
    parser.add_argument("--reason", default="", help="why; it is kept in the journal")
    parser.epilog = "examples:\n  tacit keep 1 3\n  tacit drop 2\n  tacit undo 2       takes it back"


def _each(word: str, args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        memories.need_person("Keeping or dropping")
        ids = {name: meant(memories, name) for name in args.what}  # all of them, before anything is done
        done = [{"what": name, **word_done(memories, id, word, args.reason, name)} for name, id in ids.items()]
    lines = [f"{each['what']}: {each['did']}: {one_line(each['text'], 200)}" for each in done]
    return Answer({"done": done}, "\n".join(lines))


COMMANDS = {word: (_declare, partial(_each, word)) for word in ("keep", "drop")}
