"""keep, drop: a word in passing, by the numbers of the last screen or by ids.

To keep makes a lesson the person's word, or answers a question with yes; to drop takes a lesson out, reversibly, or answers no. A number
that was not shown last means nothing: nobody's word is guessed at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.errors import NotFound, UsageError
from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.words import one_line
from tacit.surfaces.one_screen import numbers_shown

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from tacit.app import Memories


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="+", metavar="N|ID", help="numbers of the last screen, or ids")
    parser.add_argument("--reason", default="", help="why; it is kept in the journal")
    parser.epilog = "examples:\n  tacit keep 1 3\n  tacit drop 2\n  tacit undo ID      takes it back"


def _keep(args: argparse.Namespace, cli: Cli) -> Answer:
    return _each(args, cli, "keep")


def _drop(args: argparse.Namespace, cli: Cli) -> Answer:
    return _each(args, cli, "drop")


def _each(args: argparse.Namespace, cli: Cli, word: str) -> Answer:
    with cli.open(args, create=False) as memories:
        memories.need_person("Keeping or dropping")
        ids = {name: meant(memories, name) for name in args.what}  # all of them, before anything is done
        done = [{"what": name, **word_done(memories, id, word, args.reason)} for name, id in ids.items()]
    lines = [f"{each['what']}: {each['did']}: {one_line(each['text'], 200)}" for each in done]
    return Answer({"done": done}, "\n".join(lines))


def meant(memories: Memories, name: str) -> str:
    """What a number of the last screen stands for; what is no number is an id already."""
    if not name.isdigit() or len(name) > 2:
        return name
    shown = numbers_shown(memories)
    if int(name) not in shown:
        most = f"The last screen had the numbers 1 to {len(shown)}" if shown else "No screen was shown yet"
        raise NotFound(f"There is no number {name}: {most[0].lower()}{most[1:]}.", "tacit shows it.")
    return shown[int(name)]


def word_done(memories: Memories, id: str, word: str, reason: str = "") -> dict[str, Any]:
    """Do what a word says about a lesson or a question."""
    asked = next((each for each in memories.proposals() if each.id.startswith(id.lower())), None)
    if asked is not None:
        if word == "keep" and asked.kind == "contradiction":
            raise UsageError(
                "Of two lessons that contradict each other one stays: which?", f"tacit review show {asked.id}"
            )
        about = next(iter(memories.store.memories([asked.memory])), None) if asked.memory else None
        memories.review(asked.id, "approve" if word == "keep" else "reject", reason=reason)
        if word == "drop" and about is not None and asked.kind in ("confirm", "promote"):
            memories.forget(about.id, reason=reason)
        did = "answered with yes" if word == "keep" else "answered with no"
        return {"id": asked.id, "did": did, "text": about.text if about else asked.reason}
    memory = memories.get(id)
    if word == "keep":
        memories.review(memory.id, "approve", reason=reason)
        return {"id": memory.id, "did": "kept, it is your word now", "text": memory.text}
    memories.forget(memory.id, reason=reason)
    return {"id": memory.id, "did": f"dropped (tacit undo {memory.id} brings it back)", "text": memory.text}


COMMANDS = {"keep": (_declare, _keep), "drop": (_declare, _drop)}
