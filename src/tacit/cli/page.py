"""page: the files that hosts load and people read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import one_line, width
from tacit.core.errors import UsageError, numbered
from tacit.learn import block, correcting
from tacit.memory import Memory as Memories

if TYPE_CHECKING:
    from tacit.learn.block import Written


class HostOrPage(OneOf):
    """A host's name, or a file that agents load."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if is_page(str(value)) else super().convert(value, param, ctx)


def is_page(name: str) -> bool:
    """Whether a file is meant, and no host."""
    return name.endswith(".md")


def kept_page(args: Asked, cli: Cli) -> Answer:
    """connect FILE: keep a block of lessons in a file that agents load, or no more."""
    page = Asked(**vars(args), verb="write", ids=[], target=[args.host], off=args.undo)
    page.diff = page.check = False
    if args.dry_run:
        with cli.open(args, create=False) as memories:
            text = block.page_preview(memories)
        told = f"{args.host} would hold, between two marks of ours:\n\n{text}".rstrip()
        return Answer({"preview": text, "dry_run": True}, told)
    answer: Answer = page_verb.callback(page, cli)  # type: ignore[misc]
    return answer


LINES_LISTED = 30  # lines that are shown before somebody is asked about them


@verb(
    "page",
    "the page that hosts load and people read: write, compare, approve",
    end="""examples:
  tacit origin page                                 how the page would read; nothing is written before you ask for it
  tacit origin page --target AGENTS.md              keep a block there: not a byte outside of it changes
  tacit origin page --diff                          what would change
  tacit origin page approve k3v9                    let a lesson onto the page, which takes it off trial
  tacit origin page --target AGENTS.md --off        take the block out again

A page goes one way: tacit edit changes a lesson, tacit data import MEMORY.md --trust user takes in what you wrote.""",
    long=True,
)
@arg(
    "verb",
    type=OneOf(("write", "approve")),
    default="write",
    required=False,
    help="without it: write",
)
@arg(
    "ids",
    metavar="ID",
    nargs=-1,
    required=False,
    help="approve: these lessons; without ids, all that have earned a line",
)
@opt("--target", metavar="FILE", multiple=True, help="keep this page from now on; may be repeated")
@opt("--off", is_flag=True, help="with --target: keep it no more")
@opt("--diff", is_flag=True, help="show what would change, write nothing")
@opt("--check", is_flag=True, help="write nothing; exit 1 if a page is not up to date")
def page_verb(args: Asked, cli: Cli) -> Answer:
    if args.off and not args.target:
        raise UsageError(
            "tacit origin page --off: of which page?",
            "Name it: tacit origin page --target AGENTS.md --off",
        )
    if args.ids and args.verb != "approve":
        raise UsageError(
            f"tacit origin page: {args.ids[0]} is not a page's verb.",
            "tacit origin page approve ID",
        )
    looks_only = args.diff or args.check
    with cli.open(args, create=bool(args.target) and not looks_only) as memories:
        if memories.project is None and not args.target:
            return Answer({"kept": [], "preview": ""}, "no lesson has earned a line yet")
        for target in args.target:
            block.keep_page(memories, target, not args.off)
        if args.verb == "approve":
            _approve(memories, args.ids)
        if not block.kept_pages(memories):
            return _nothing_kept(memories, args)
        if looks_only:
            return _compared(block.page(memories, dry_run=True), args.check)
        return _written(memories, args, cli)


def _nothing_kept(memories: Memories, args: Asked) -> Answer:
    if args.off:
        return Answer({"kept": []}, "no page is kept any more")
    text = block.page_preview(memories)
    note = "nothing is written: tacit connect AGENTS.md keeps a block of it there"
    return Answer(
        {"kept": [], "preview": text},
        text.rstrip("\n") or "no lesson has earned a line yet",
        warnings=[note],
    )


def _approve(memories: Memories, ids: Sequence[str]) -> None:
    earned = [memories.get(id) for id in ids] or block.earned(memories)
    for memory in earned:
        correcting.put_on_page(memories, memory.id)


def _written(memories: Memories, args: Asked, cli: Cli) -> Answer:
    earned = block.earned(memories)
    if earned and args.verb != "approve":
        lines = [one_line(memory.text, width() - 6) for memory in earned]
        head = f"{numbered(len(earned), 'lesson has', 'lessons have')} earned a line:"
        if _agreed(args, cli, head, lines, "On the page with it, and off trial?"):
            _approve(memories, ())
    by_hand = block.page(memories, dry_run=True).by_hand
    question = "Replace what was written there by hand?"
    head = "changed between Tacit's marks:"
    over = bool(by_hand) and _agreed(args, cli, head, by_hand, question)
    done = block.page(memories, over=over)
    lines = [f"{'removed' if each.removed else 'wrote'} {each.path}" for each in done.files]
    notes = [*done.notes]
    left = len(block.earned(memories))
    if left:
        notes.append(
            f"{numbered(left, 'lesson has', 'lessons have')} earned a line: tacit origin page approve"
        )
    told = "\n".join(lines) or "every page is up to date"
    return Answer(_json(memories, done), told, warnings=notes)


def _agreed(args: Asked, cli: Cli, head: str, lines: Sequence[str], question: str) -> bool:
    """Ask a person at a terminal; without one, only `--yes` is a yes."""
    if args.yes:
        return True
    if cli.json or not sys.stdin.isatty():
        return False
    more = [f"  … and {len(lines) - LINES_LISTED} more"] if len(lines) > LINES_LISTED else []
    return cli.put(
        "\n".join(
            [head, *(f"  {line}" for line in lines[:LINES_LISTED]), *more, f"{question} [y/N] "]
        )
    )


def _compared(done: Written, check: bool) -> Answer:
    diffs = [
        "".join(
            unified_diff(
                each.before.splitlines(True),
                each.after.splitlines(True),
                each.path,
                f"{each.path} (new)",
            )
        )
        for each in done.files
    ]
    behind = bool(done.files or done.notes)
    shown = [{**each.__dict__, "diff": diff} for each, diff in zip(done.files, diffs)]
    text = "\n".join(diff.rstrip("\n") for diff in diffs) or "every page is up to date"
    data = {"files": shown, "up_to_date": not behind}
    return Answer(data, text, code=int(check and behind), warnings=done.notes)


def _json(memories: Memories, done: Written) -> dict[str, Any]:
    return {
        "kept": [*block.kept_pages(memories)],
        "written": [each.path for each in done.files],
        "by_hand": list(done.by_hand),
    }
