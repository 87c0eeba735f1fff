"""tend and log: an origin's nights, and its journal as its people read and write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.cli.listing import moment, typed
from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.cli.words import entry_line, one_line, table
from tacit.core.errors import UsageError, numbered
from tacit.learn import correcting, queries
from tacit.origins import tending
from tacit.screens.views import entry_json, picked

if TYPE_CHECKING:
    from tacit.origins.night.context import StepReport
    from tacit.origins.tending import Tended

MOVES = 40  # that are told one by one
CHANGE = ("memory", "from", "to", "reason")


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
@opt("--only", default="", metavar="STEP", help="sweep, merge, triage, page, stats or prune")
@opt("--run", default="", metavar="RUN", help="the run that is over; it counts once")
@opt("--below", type=float, metavar="FLOOR", help="with --only prune: what is less sure")
@opt("--older", type=float, metavar="DAYS", help="with --only prune: what was not met for so long")
@opt("--unused", is_flag=True, help="with --only prune: what was never used")
@opt("--staged", is_flag=True, help="with --only prune: what `tacit learn --stage` staged")
@opt("--dry-run", is_flag=True, help="say what would be done, change nothing")
def tend_verb(args: Asked, cli: Cli) -> Answer:
    said = {name: getattr(args, name) for name in ("below", "older", "unused", "staged")}
    named: Any = {name: at for name, at in said.items() if at not in (None, False)}
    if named and args.only != "prune":
        how = "tacit origin tend --only prune --older 90 --unused"
        raise UsageError(f"--{next(iter(named))} goes with --only prune.", how)

    def report(step: str, words: str) -> None:
        cli.progress(f"  {step} {one_line(words, 60)}")

    with cli.open(args, create=False) as memories:
        asked: Any = {"only": args.only, "dry_run": args.dry_run, "report": report}
        done = tending.tend(memories, args.run, **asked, **named)
    cli.progress()
    notes = [note for step in done.steps for note in step.notes]
    if done.left:
        notes.append(f"{numbered(done.left, 'more change')} due, beyond what one pass makes")
    return Answer(_json(done), _text(done), warnings=notes)


def _json(done: Tended) -> dict[str, Any]:
    steps = [
        {
            **picked(step, "name done left"),
            "skipped": step.skipped or None,
            "changes": [dict(zip(CHANGE, change)) for change in step.changes],
            "proposals": list(step.proposals),
            "notes": list(step.notes),
            "figures": dict(step.figures),
        }
        for step in done.steps
    ]
    return {
        **picked(done, "counted faded left dry_run"),
        "run": done.run or None,
        "stale": list(done.stale),
        "moves": [dict(zip(CHANGE, change)) for change in done.moves],
        "steps": steps,
    }


def _text(done: Tended) -> str:
    lines = [table([[step.name, _came_of(step)] for step in done.steps])]
    moves = [[id, f"{was} → {to}", one_line(why, 80)] for id, was, to, why in done.moves]
    lines += [table(moves[:MOVES])] if moves else []
    if len(moves) > MOVES:
        lines.append(f"and {len(moves) - MOVES} more: tacit origin log --by tend")
    return "\n".join(lines + ["nothing was changed"] * done.dry_run)


def _came_of(step: StepReport) -> str:
    if step.skipped:
        return step.skipped
    said = []
    for name, at in step.figures.items():
        many = len(at) if isinstance(at, tuple) else at
        if many:
            said.append("this run counted" if many is True else f"{many} {name}")
    if step.changes:
        said.append(f"{len(step.changes)} changed")
    if step.proposals and not step.figures.get("proposed"):
        said.append(f"{len(step.proposals)} proposed")
    return ", ".join(said) or "nothing due"


@verb(
    "log",
    "the journal: what changed, by whom, and why",
    end="""Here --by NAME shows the entries by that person, rule or agent.""",
)
@opt("--tail", type=int, default=50, metavar="N", help="the newest N entries")
@opt("--since", metavar="SINCE")
@opt("--verb", metavar="VERB")
@opt("--run", metavar="RUN")
@opt("--memory", default="", metavar="ID")
@opt("--note", metavar="TEXT", help="write a line of your own: what was changed, and --reason why")
@opt("--reason", default="", metavar="REASON")
@opt("--all-projects", is_flag=True)
def log_verb(args: Asked, cli: Cli) -> Answer:
    if args.note:
        with cli.open(args) as memories:
            entry = correcting.note(memories, args.note, reason=args.reason)
        return Answer(entry_json(entry), f"noted: {one_line(entry.reason, 100)}")
    with cli.open(args, create=False) as memories:
        asked: Any = {**typed(args, ("verb", "by", "run")), "since": moment(args.since)}
        asked |= {"everywhere": args.all_projects, "limit": max(0, args.tail)}
        if args.memory:
            asked["memory"] = memories.get(args.memory).id
        found = queries.log(memories, newest=True, **asked)[::-1]
    text = table([*map(entry_line, found)]) or "the journal has no such entry"
    return Answer({"entries": [*map(entry_json, found)]}, text)
