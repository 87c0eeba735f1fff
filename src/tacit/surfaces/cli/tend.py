"""tend: what happens between runs."""

from __future__ import annotations

from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.words import one_line, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def _declare_tend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run", help="the run that is over; it counts once, however often it is named")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, change nothing")
    parser.epilog = "example:\n  tacit tend --run 2026-04-03-auth-fix"


def _tend(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        done = memories.tend(args.run or "", dry_run=args.dry_run)
    data = {
        "run": done.run or None,
        "counted": done.counted,
        "faded": done.faded,
        "stale": list(done.stale),
        "moves": [{"memory": id, "from": was, "to": to, "reason": why} for id, was, to, why in done.moves],
        "left": done.left,
        "dry_run": done.dry_run,
    }
    lines = [f"{done.faded} faded, {len(done.stale)} stale, {len(done.moves)} moved"]
    if done.moves:
        lines.append(table([[id, f"{was} → {to}", one_line(why, 80)] for id, was, to, why in done.moves]))
    notes = [f"{done.left} more moves are due; tacit review shows the proposal"] if done.left else []
    return Answer(data, "\n".join(lines) + ("\nnothing was changed" if done.dry_run else ""), warnings=notes)


COMMANDS = {"tend": (_declare_tend, _tend)}
