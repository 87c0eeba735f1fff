"""replay: past tasks done again with a lesson and without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.cli.verb import Answer, Asked, Cli, arg, opt, verb
from tacit.cli.words import one_line, table, width
from tacit.core.errors import UsageError, numbered
from tacit.core.value import fields
from tacit.lesson import memory_json
from tacit.replay import Replay, replaying, words
from tacit.replay.pairs import parsed_budget
from tacit.replay.request import ReplayPlan
from tacit.words.blocks import CHARS_OF_TOKEN, file_of_name

if TYPE_CHECKING:
    from tacit.memory import Memory as Memories
    from tacit.replay.request import ReplayOptions

SERVICES = 6  # sockets that a plan names


@verb(
    "replay",
    "do past tasks again with a lesson and without it: proof in a night",
    end="""Killed or stopped, the same command goes on. Nothing of it is learned. Page: docs/replay.md.

examples:
  tacit replay 7KQ2 --agent 'claude -p {prompt} --permission-mode acceptEdits' --plan
  tacit replay 7KQ2 --agent 'claude -p {prompt} --permission-mode acceptEdits' --check 'make test' --budget 20usd,8h
  tacit replay 7KQ2""",
)
@arg(
    "id",
    metavar="LESSON",
    required=False,
    help="the lesson; without --agent what its replays said; without it all replays",
)
@opt(
    "--agent",
    metavar="CMD",
    help="your agent's command; {prompt} stands for the task, {notes} for the lesson as text",
)
@opt(
    "--without",
    default="",
    metavar="FILE:FIRST-LAST",
    help="instead of a lesson, lines of an instruction file: with them and without",
)
@opt(
    "--check",
    default="",
    metavar="CMD",
    help="a command that exits 0 in the work tree where the work is well (125: cannot tell)",
)
@opt(
    "--setup",
    default="",
    metavar="CMD",
    help="run in each clone before the agent, for instance 'npm ci'",
)
@opt("--pairs", type=int, default=0, metavar="N", help="at most so many pairs (40)")
@opt("--budget", default="", metavar="AMOUNT", help="money, tokens, time: 20usd,8h or 3Mtok")
@opt("--timeout", type=float, default=30.0, metavar="MINUTES", help="for one run of the agent (30)")
@opt("--plan", is_flag=True, help="say which tasks, what cost and what power; run nothing")
@opt(
    "--keep-env",
    metavar="NAME",
    multiple=True,
    help="hand this variable on to the agent; NAME* for a beginning",
)
@opt(
    "--read",
    metavar="PATH",
    multiple=True,
    help="let the agent read here although it lies in a hidden folder",
)
@opt(
    "--write",
    metavar="PATH",
    multiple=True,
    help="let the agent write here too, for instance a cache",
)
@opt(
    "--host",
    default="",
    metavar="HOST",
    help="which host the command starts, where its name does not tell",
)
@opt("--unconfined", is_flag=True, help="do without the kernel's walls around the agent")
@opt("--anew", is_flag=True, help="start over; without it a replay goes on where it was")
def replay_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        if not args.agent:
            if args.plan or args.check or args.setup:
                raise UsageError(
                    "tacit replay: which agent?", "For instance --agent 'claude -p {prompt}'."
                )
            return _replays_answer(memories, args.id or "")
        if bool(args.id) == bool(args.without):
            raise UsageError(
                "tacit replay: which lesson, or which lines?",
                "tacit list shows ids; --without CLAUDE.md:12-18.",
            )
        options: ReplayOptions = {
            "check": args.check,
            "setup": args.setup,
            "pairs": args.pairs,
            "timeout": 60.0 * args.timeout,
            "keep_env": args.keep_env,
            "read": args.read,
            "write": args.write,
            "host": args.host,
            "unconfined": args.unconfined,
            "anew": args.anew,
        }
        budget = parsed_budget(args.budget)
        if args.plan:
            plan = replaying.plan_replay(
                memories, args.id or "", agent=args.agent, without=args.without, **options
            )
            return Answer(replay_plan_json(plan), _plan_text(plan))
        found = replaying.replay(
            memories,
            args.id or "",
            agent=args.agent,
            without=args.without,
            budget=budget,
            say=cli.progress,
            **options,
        )
        cli.progress()
    return Answer(replay_json(found), _text(found))


def _replays_answer(memories: Memories, id: str) -> Answer:
    found = replaying.replays(memories, id)
    data = {"replays": [replay_json(each) for each in found]}
    if not found:
        return Answer(
            data,
            "Nothing was replayed here yet. tacit replay LESSON --agent 'claude -p {prompt}' --plan says what it would take.",
        )
    if id:
        return Answer(data, "\n\n".join(map(_text, found)))
    rows = [
        [
            each.lesson,
            each.standing.word,
            str(len(each.pairs)),
            each.started_at[:16].replace("T", " "),
            one_line(each.text, max(20, width() - 60)),
        ]
        for each in found
    ]
    return Answer(data, table(rows, ("lesson", "verdict", "pairs", "started", "text")))


def _text(found: Replay) -> str:
    lines = [
        found.text,
        "",
        words.sentence(found),
        *_price(found),
        f"Judged by {found.instrument}; {found.tasks} past tasks; {words.used(found.spent)}.",
    ]
    lines.append(
        f"Stopped: {found.stopped}." if found.stopped else "Not finished: the same command goes on."
    )
    return "\n".join([*lines, f"Transcripts of every run: {found.folder}"])


def _price(found: Replay) -> list[str]:
    """What lines of an instruction file cost: they stand in every context, and are read again with every call."""
    if not file_of_name(found.lesson):
        return []
    tokens = -(-len(found.text) // CHARS_OF_TOKEN)
    named = (
        f" {found.lesson} is what harms: take it out, or word it otherwise."
        if found.standing.word == "harms"
        else ""
    )
    return [
        f"{found.lesson} takes about {tokens:,} tokens in every context that loads it, read again with each call of a run.{named}"
    ]


def _plan_text(plan: ReplayPlan) -> str:
    lines = [
        plan.lesson.text,
        "",
        f"{len(plan.tasks)} past tasks can be replayed, judged by {plan.instrument}:",
    ]
    lines += [
        f"  {task.run}  {task.commit[:10]}  {one_line(task.prompt, max(20, width() - 60))}"
        for task in plan.tasks
    ]
    if plan.skipped:
        lines += [
            "",
            f"{len(plan.skipped)} that met the problem are left out:",
            *words.skipped_lines(plan.skipped),
        ]
    if plan.tasks:
        cost = f"about {words.used(plan.expected)}, by what the tasks took the first time"
        lines += ["", f"at most {numbered(plan.pairs, 'pair')}: {cost}"]
    if plan.done:
        lines.append(
            f"{numbered(plan.done, 'pair')} run already; the same command without --plan goes on."
        )
    how = "in a clone of its own, without remotes, hooks and credentials"
    walls = (
        ", behind the kernel's walls"
        if plan.confined
        else "; NOT confined: it can write wherever you can"
    )
    given = (
        f"through the hooks of {plan.host}"
        if plan.host
        else "by {notes} in the command, or by the agent's own call of tacit inject"
    )
    lines.append(f"Each run {how}{walls}. The lesson is given {given}.")
    if plan.confined and plan.services:
        shown, more = plan.services[:SERVICES], len(plan.services) - SERVICES
        named = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
        lines.append(f"No wall stands before what listens at {named}: it acts for whoever asks.")
    return "\n".join(lines)


def replay_json(found: Replay) -> dict[str, Any]:
    """What a replay came to, as JSON."""
    standing = found.standing
    return {
        **{
            name: getattr(found, name)
            for name in ("id", "folder", "lesson", "text", "instrument", "tasks")
        },
        **{name: getattr(found, name) for name in ("stopped", "unreached", "started_at")},
        "verdict": standing.word,
        **{name: getattr(standing, name) for name in ("better", "worse", "e_help", "e_harm")},
        "pairs": [{**fields(pair), "difference": pair.difference} for pair in found.pairs],
        "spent": fields(found.spent),
    }


def replay_plan_json(found: ReplayPlan) -> dict[str, Any]:
    """What a replay would do, as JSON."""
    return {
        "lesson": memory_json(found.lesson),
        **{
            name: getattr(found, name)
            for name in ("folder", "instrument", "confined", "host", "done")
        },
        "tasks": [fields(task) for task in found.tasks],
        "skipped": [fields(each) for each in found.skipped],
        "estimate": {**fields(found.expected), "pairs": found.pairs},
    }
