"""page: the files that hosts load and people read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import one_line, width
from tacit.core.errors import UsageError, numbered
from tacit.learn import block, correcting
from tacit.memory import Memory as Memories

LISTED = 30  # lines that are shown before somebody is asked about them
NOTHING = "no lesson has earned a line yet"
EARNED = ("lesson has", "lessons have")


class HostOrPage(OneOf):
    """A host's name, or a file that agents load."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if is_page(str(value)) else super().convert(value, param, ctx)


def is_page(name: str) -> bool:
    """Whether a file is meant, and no host."""
    return name.endswith(".md")


def kept_page(args: Asked, cli: Cli) -> Answer:
    """connect FILE: keep a block of lessons in a file that agents load, or no more."""
    if args.dry_run:
        with cli.open(args, create=False) as memories:
            text = block.page_preview(memories)
        told = f"{args.host} would hold, between two marks of ours:\n\n{text}".rstrip()
        return Answer({"preview": text, "dry_run": True}, told)
    asked = {"verb": "write", "ids": [], "target": [args.host], "off": args.undo, "check": False}
    answer: Answer = page_verb.callback(Asked(**vars(args), **asked), cli)  # type: ignore[misc]
    return answer


@verb(
    "page",
    "the page that hosts load and people read: write, compare, approve",
    end="""examples:
  tacit origin page                                 how the page would read; nothing is written before you ask for it
  tacit origin page --target AGENTS.md              keep a block there: not a byte outside of it changes
  tacit origin page approve k3v9                    let a lesson onto the page, which takes it off trial
  tacit origin page --target AGENTS.md --off        take the block out again

A page goes one way: tacit edit changes a lesson, tacit data import MEMORY.md --trust user takes in what you wrote.""",
    long=True,
)
@arg(
    "verb", type=OneOf(("write", "approve")), default="write", required=False, help="default: write"
)
@arg(
    "ids", metavar="ID", nargs=-1, required=False, help="approve: these, or all that earned a line"
)
@opt("--target", metavar="FILE", multiple=True, help="keep this page from now on; may be repeated")
@opt("--off", is_flag=True, help="with --target: keep it no more")
@opt(
    "--check", is_flag=True, help="show what would change, write nothing; exit 1 if anything would"
)
def page_verb(args: Asked, cli: Cli) -> Answer:
    if args.off and not args.target:
        how = "Name it: tacit origin page --target AGENTS.md --off"
        raise UsageError("tacit origin page --off: of which page?", how)
    if args.ids and args.verb != "approve":
        how = "tacit origin page approve ID"
        raise UsageError(f"tacit origin page: {args.ids[0]} is not a page's verb.", how)
    with cli.open(args, create=bool(args.target) and not args.check) as memories:
        if memories.project is None and not args.target:
            return Answer({"kept": [], "preview": ""}, NOTHING)
        for target in args.target:
            block.keep_page(memories, target, not args.off)
        if args.verb == "approve":
            _approve(memories, args.ids)
        if not block.kept_pages(memories):
            return _nothing_kept(memories, args)
        return _compared(memories) if args.check else _written(memories, args, cli)


def _nothing_kept(memories: Memories, args: Asked) -> Answer:
    if args.off:
        return Answer({"kept": []}, "no page is kept any more")
    text = block.page_preview(memories)
    note = "nothing is written: tacit connect AGENTS.md keeps a block of it there"
    return Answer({"kept": [], "preview": text}, text.rstrip("\n") or NOTHING, warnings=[note])


def _approve(memories: Memories, ids: Sequence[str]) -> None:
    for memory in [memories.get(id) for id in ids] or block.earned(memories):
        correcting.put_on_page(memories, memory.id)


def _written(memories: Memories, args: Asked, cli: Cli) -> Answer:
    waiting = block.earned(memories)
    if waiting and args.verb != "approve":
        lines = [one_line(memory.text, width() - 6) for memory in waiting]
        head = f"{numbered(len(waiting), *EARNED)} earned a line:"
        if _agreed(args, cli, head, lines, "On the page with it, and off trial?"):
            _approve(memories, ())
    by_hand = block.page(memories, dry_run=True).by_hand
    ask = "Replace what was written there by hand?"
    over = bool(by_hand) and _agreed(args, cli, "changed between Tacit's marks:", by_hand, ask)
    done = block.page(memories, over=over)
    notes = [*done.notes]
    lines = [f"{'removed' if each.removed else 'wrote'} {each.path}" for each in done.files]
    if left := len(block.earned(memories)):
        notes.append(f"{numbered(left, *EARNED)} earned a line: tacit origin page approve")
    written = [each.path for each in done.files]
    data = {"kept": block.kept_pages(memories), "written": written, "by_hand": [*done.by_hand]}
    return Answer(data, "\n".join(lines) or "every page is up to date", warnings=notes)


def _agreed(args: Asked, cli: Cli, head: str, lines: Sequence[str], question: str) -> bool:
    """Ask a person at a terminal; without one, only `--yes` is a yes."""
    if args.yes or cli.json or not sys.stdin.isatty():
        return bool(args.yes)
    more = [f"  … and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    shown = [head, *(f"  {line}" for line in lines[:LISTED]), *more, f"{question} [y/N] "]
    return cli.put("\n".join(shown))


def _compared(memories: Memories) -> Answer:
    done = block.page(memories, dry_run=True)
    shown = []
    for each in done.files:
        before, after = each.before.splitlines(True), each.after.splitlines(True)
        diff = "".join(unified_diff(before, after, each.path, f"{each.path} (new)"))
        shown.append({**each.__dict__, "diff": diff})
    behind = bool(shown or done.notes)
    text = "\n".join(each["diff"].rstrip("\n") for each in shown) or "every page is up to date"
    data = {"files": shown, "up_to_date": not behind}
    return Answer(data, text, code=int(behind), warnings=done.notes)
