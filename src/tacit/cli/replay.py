"""replay: past tasks done again with a lesson and without it."""

from __future__ import annotations

from typing import Any

from tacit.cli.verb import Answer, Asked, Cli, arg, opt, verb
from tacit.cli.words import one_line, table, width
from tacit.core.errors import UsageError, numbered
from tacit.core.value import fields
from tacit.lesson import memory_json
from tacit.memory import Memory as Memories
from tacit.replay import replaying, words
from tacit.replay.pairs import MOST_PAIRS
from tacit.replay.replaying import Replay
from tacit.replay.request import ReplayPlan
from tacit.screens.views import picked
from tacit.words.blocks import CHARS_OF_TOKEN, file_of_name

SERVICES = 6  # sockets that a plan names
NOTHING = "Nothing was replayed here yet. tacit replay LESSON --agent 'claude -p {prompt}' --plan says what it would take."


@verb(
    "replay",
    "do past tasks again with a lesson and without it: proof in a night",
    end="""Killed or stopped, the same command goes on. Nothing of it is learned. Page: docs/replay.md.

examples:
  tacit replay 7KQ2 --agent 'claude -p {prompt} --permission-mode acceptEdits' --plan
  tacit replay 7KQ2 --agent 'claude -p {prompt} --permission-mode acceptEdits' --check 'make test' --pairs 20
  tacit replay 7KQ2""",
)
@arg(
    "id",
    default="",
    metavar="LESSON",
    required=False,
    help="the lesson; without --agent its replays",
)
@opt(
    "--agent", metavar="CMD", help="your agent's command; {prompt} is the task, {notes} the lesson"
)
@opt("--without", default="", metavar="FILE:FIRST-LAST", help="lines of a file instead of a lesson")
@opt("--check", default="", metavar="CMD", help="exits 0 in the work tree where the work is well")
@opt("--setup", default="", metavar="CMD", help="run in each clone first, for instance 'npm ci'")
@opt("--pairs", type=int, default=MOST_PAIRS, metavar="N", help="at most so many pairs (40)")
@opt("--timeout", type=float, default=30.0, metavar="MINUTES", help="for one run of the agent (30)")
@opt("--plan", is_flag=True, help="say which tasks, what cost and what power; run nothing")
@opt(
    "--keep-env", metavar="NAME", multiple=True, help="hand this variable on; NAME* for a beginning"
)
@opt("--read", metavar="PATH", multiple=True, help="let the agent read here although it is hidden")
@opt("--write", metavar="PATH", multiple=True, help="let the agent write here too, say a cache")
@opt("--unconfined", is_flag=True, help="do without the kernel's walls around the agent")
def replay_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        if not args.agent:
            if args.plan or args.check or args.setup:
                how = "For instance --agent 'claude -p {prompt}'."
                raise UsageError("tacit replay: which agent?", how)
            return _replays(memories, args.id)
        if bool(args.id) == bool(args.without):
            how = "tacit list shows ids; --without CLAUDE.md:12-18."
            raise UsageError("tacit replay: which lesson, or which lines?", how)
        named = "agent without check setup pairs keep_env read write unconfined"
        options = {**picked(args, named), "timeout": 60.0 * args.timeout}
        if args.plan:
            plan = replaying.plan_replay(memories, args.id, **options)
            return Answer(plan_json(plan), _plan_text(plan))
        found = replaying.replay(memories, args.id, say=cli.progress, **options)
        cli.progress()
    return Answer(replay_json(found), _text(found))


def _replays(memories: Memories, id: str) -> Answer:
    found = replaying.replays(memories, id)
    rows = []
    for each in found:
        at, text = (
            each.started_at[:16].replace("T", " "),
            one_line(each.text, max(20, width() - 60)),
        )
        rows.append([each.lesson, each.standing.word, str(len(each.pairs)), at, text])
    shown = table(rows, ("lesson", "verdict", "pairs", "started", "text"))
    text = "\n\n".join(map(_text, found)) if id else shown
    return Answer({"replays": [replay_json(each) for each in found]}, text if found else NOTHING)


def _text(found: Replay) -> str:
    lines = [found.text, "", words.sentence(found)]
    if file_of_name(found.lesson):  # lines of a file stand in every context
        tokens = -(-len(found.text) // CHARS_OF_TOKEN)
        told = f"{found.lesson} takes about {tokens:,} tokens in every context that loads it, read again with each call of a run."
        if found.standing.word == "harms":
            told += f" {found.lesson} is what harms: take it out, or word it otherwise."
        lines.append(told)
    judged = f"Judged by {found.instrument}; {found.tasks} past tasks; {words.used(found.spent)}."
    ended = f"Stopped: {found.stopped}." if found.stopped else ""
    lines += [judged, ended or "Not finished: the same command goes on."]
    return "\n".join(
        [*lines, f"Transcripts of every run: {found.folder} (without it, it starts over)"]
    )


def _plan_text(plan: ReplayPlan) -> str:
    many = f"{len(plan.tasks)} past tasks can be replayed, judged by {plan.instrument}:"
    lines = [plan.lesson.text, "", many]
    for task in plan.tasks:
        said = one_line(task.prompt, max(20, width() - 60))
        lines.append(f"  {task.run}  {task.commit[:10]}  {said}")
    if plan.skipped:
        lines += ["", f"{len(plan.skipped)} that met the problem are left out:"]
        lines += words.skipped_lines(plan.skipped)
    if plan.tasks:
        cost = f"about {words.used(plan.expected)}, by what the tasks took the first time"
        lines += ["", f"at most {numbered(plan.pairs, 'pair')}: {cost}"]
    if plan.done:
        done = numbered(plan.done, "pair")
        lines.append(f"{done} run already; the same command without --plan goes on.")
    walls = ", behind the kernel's walls"
    if not plan.confined:
        walls = "; NOT confined: it can write wherever you can"
    given = "by {notes} in the command, or by the agent's own call of tacit inject"
    if plan.host:
        given = f"through the hooks of {plan.host}"
    how = "in a clone of its own, without remotes, hooks and credentials"
    lines.append(f"Each run {how}{walls}. The lesson is given {given}.")
    if plan.confined and plan.services:
        more = len(plan.services) - SERVICES
        named = ", ".join(plan.services[:SERVICES]) + (f" and {more} more" if more > 0 else "")
        lines.append(f"No wall stands before what listens at {named}: it acts for whoever asks.")
    return "\n".join(lines)


def replay_json(found: Replay) -> dict[str, Any]:
    """What a replay came to, as JSON."""
    return {
        **picked(found, "id folder lesson text instrument tasks stopped unreached started_at"),
        "verdict": found.standing.word,
        **picked(found.standing, "better worse e_help e_harm"),
        "pairs": [{**fields(pair), "difference": pair.difference} for pair in found.pairs],
        "spent": fields(found.spent),
    }


def plan_json(found: ReplayPlan) -> dict[str, Any]:
    """What a replay would do, as JSON."""
    return {
        "lesson": memory_json(found.lesson),
        **picked(found, "folder instrument confined host done"),
        "tasks": [fields(task) for task in found.tasks],
        "skipped": [fields(each) for each in found.skipped],
        "estimate": {**fields(found.expected), "pairs": found.pairs},
    }
