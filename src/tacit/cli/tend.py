"""tend: what happens between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.cli.words import one_line, table
from tacit.core.errors import UsageError, numbered
from tacit.guards import guarding
from tacit.origins import tending
from tacit.screens.views import picked
from tacit.store.lookups import CAME_BACK, used_often

if TYPE_CHECKING:
    from tacit.core.proposal import Proposal
    from tacit.memory import Memory as Memories
    from tacit.origins.night.context import StepReport
    from tacit.origins.tending import Tended


def _guards_offered(memories: Memories) -> list[Proposal]:
    """Guards for what came back although it was told; where nothing was told twice neither they nor any format are loaded."""
    if memories.project is None or not used_often(memories.store, memories.project_id, CAME_BACK):
        return []
    from tacit.screens.past import past_sessions

    ask = guarding.reader_asks(memories)
    offered: list[Proposal] = guarding.offer_guards(memories, lambda: past_sessions(memories), ask)
    return offered


@verb(
    "tend",
    "what happens between runs: fade, merge, propose, write the page",
    end="""examples:
  tacit origin tend                       everything that is due, once
  tacit origin tend --dry-run             what would be done
  tacit origin tend --only sweep --run 2026-04-03-auth-fix
  tacit origin tend --only prune --older 90 --unused""",
    long=True,
)
@opt(
    "--only",
    metavar="STEP",
    help="take one step only: sweep, merge, triage, page, stats or prune",
)
@opt("--run", metavar="RUN", help="the run that is over; it counts once, however often it is named")
@opt(
    "--below",
    type=float,
    metavar="FLOOR",
    help="with --only prune: take out what is less sure, or seldom successful",
)
@opt("--older", type=float, metavar="DAYS", help="with --only prune: what was not met for so long")
@opt("--unused", is_flag=True, help="with --only prune: what was never used")
@opt("--staged", is_flag=True, help="with --only prune: what `tacit learn --stage` staged")
@opt("--dry-run", is_flag=True, help="say what would be done, change nothing")
def tend_verb(args: Asked, cli: Cli) -> Answer:
    named = {
        name: at
        for name in ("below", "older", "unused", "staged")
        if (at := getattr(args, name)) not in (None, False)
    }
    if named and args.only != "prune":
        raise UsageError(
            f"--{next(iter(named))} goes with --only prune.",
            "tacit origin tend --only prune --older 90 --unused",
        )
    with cli.open(args, create=False) as memories:
        done = tending.tend(
            memories,
            args.run or "",
            only=args.only or "",
            dry_run=args.dry_run,
            report=lambda step, words: _progress(cli, step, words),
            **named,
        )
        whole = not (args.only or args.dry_run)
        offered = _guards_offered(memories) if whole else []
    _progress(cli, "", "")
    notes = [note for step in done.steps for note in step.notes]
    notes += [f"a guard is offered for {each.memory}: tacit review" for each in offered]
    if done.left:
        notes.append(f"{numbered(done.left, 'more change')} due, beyond what one pass makes")
    return Answer(_json(done), _text(done), warnings=notes)


def _progress(cli: Cli, step: str, words: str) -> None:
    if cli.err.isatty() and not cli.quiet:
        cli.err.write("\r\x1b[K" + (f"  {step} {one_line(words, 60)}" if step else ""))
        cli.err.flush()


def _json(done: Tended) -> dict[str, Any]:
    return {
        "run": done.run or None,
        **picked(done, "counted faded"),
        "stale": list(done.stale),
        "moves": [_change(change) for change in done.moves],
        **picked(done, "left dry_run"),
        "steps": [_step(step) for step in done.steps],
    }


def _step(step: StepReport) -> dict[str, Any]:
    return {
        **picked(step, "name done"),
        "skipped": step.skipped or None,
        "changes": [_change(change) for change in step.changes],
        "proposals": list(step.proposals),
        "left": step.left,
        "notes": list(step.notes),
        "figures": dict(step.figures),
    }


def _change(change: tuple[str, str, str, str]) -> dict[str, str]:
    return dict(zip(("memory", "from", "to", "reason"), change))


def _text(done: Tended) -> str:
    rows = [[step.name, _step_words(step)] for step in done.steps]
    lines = [table(rows)]
    if done.moves:
        lines.append(
            table(
                [[id, f"{was} → {to}", one_line(why, 80)] for id, was, to, why in done.moves[:40]]
            )
        )
    if len(done.moves) > 40:
        lines.append(f"and {len(done.moves) - 40} more: tacit origin log --by tend")
    return "\n".join(lines) + ("\nnothing was changed" if done.dry_run else "")


def _step_words(step: StepReport) -> str:
    if step.skipped:
        return step.skipped
    told = {
        name: len(at) if isinstance(at, tuple) else at for name, at in step.figures.items() if at
    }
    figures = ", ".join(
        "this run counted" if at is True else f"{at} {name}" for name, at in told.items()
    )
    counted = [
        f"{len(step.changes)} changed" if step.changes else "",
        f"{len(step.proposals)} proposed" if step.proposals and "proposed" not in told else "",
    ]
    return ", ".join(word for word in (figures, *counted) if word) or "nothing due"
