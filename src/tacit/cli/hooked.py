"""hook, worker and inject, as a person may call them. The host's own calls of `tacit hook` never come through here."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from tacit.cli.inject import USAGE
from tacit.cli.inject import main as inject
from tacit.cli.verb import Answer, Asked, Cli, OneOf, Verb, arg, opt, verb
from tacit.cli.words import one_line
from tacit.core.errors import UsageError
from tacit.hooks.main import EVENTS, HELP, main
from tacit.memory import open
from tacit.opened import store_path
from tacit.store.jobs import failed as failed_jobs
from tacit.worker import IDLE, LearnJob, work
from tacit.worker.turns import detach


@verb("hook", "answer a host's event (called by the host)", end=HELP)
@arg("event", type=OneOf(EVENTS), help="what happened")
@opt(
    "--host",
    default="",
    metavar="HOST",
    help="the host that speaks, where its payload does not tell",
)
def hook_verb(args: Asked, cli: Cli) -> Answer:
    words = [args.event, "--host", args.host, "--store", args.store or ""]
    return Answer(code=main(words, cli.env), printed=True)


@verb(
    "worker",
    "drain the queue (started by hooks)",
    end="""Hooks start it by themselves, at most one per store.

example:
  tacit worker --now""",
)
@opt("--now", is_flag=True, help="learn what waits, also what is not due yet, and end")
@opt("--idle", type=float, metavar="SECONDS", help=f"end after so long without work ({IDLE})")
@opt("--detached", is_flag=True, hidden=True)
@opt("--wish", "job", default="", metavar="WISH", hidden=True)
@opt("--turn", type=int, default=0, metavar="TURN", hidden=True)
def worker_verb(args: Asked, cli: Cli) -> Answer:
    if args.detached:
        detach(args.turn)
    try:
        idle = float(cli.env.get("TACIT_WORKER_IDLE") or IDLE) if args.idle is None else args.idle
    except ValueError:
        raise UsageError("TACIT_WORKER_IDLE is not a number of seconds.") from None
    address = store_path(args.store, cli.env)
    path = address if "://" in address else os.path.abspath(address)
    asked = LearnJob(**json.loads(args.job)) if args.job else None
    worked = work(path, cli.env, idle=idle, at_once=args.now, job=asked, turn=args.turn)
    with open(path, env=cli.env, cwd="/", create=False) as memories:
        waiting = failed_jobs(memories.store)
    did = f"learned {worked.learned}, failed {worked.failed}, skipped {worked.skipped}"
    lines = [did if worked.alone else "another worker serves this store"]
    for job in waiting:
        when = (
            f"again at {job['again_at'][:16].replace('T', ' ')} UTC"
            if job["again_at"]
            else "not tried again by itself"
        )
        lines.append(
            f"  {job['job']}, attempt {job['attempts']}, {when}: {one_line(job['error'], 100)}"
        )
    return Answer({**worked.__dict__, "waiting": waiting}, "\n".join(lines))


class _Raw(Verb):
    """A verb whose words are read elsewhere: a loop calls it before each run, and waits."""

    def __init__(self, name: str, **facts: Any) -> None:
        super().__init__(name, **facts)
        self.params = []

    def get_help(self, ctx: click.Context) -> str:
        return self.epilog or ""

    def invoke(self, ctx: click.Context) -> Answer:
        cli: Cli = ctx.obj
        before = [
            f"--{name}" if at is True else f"--{name}={at}" for name, at in cli.shared.items()
        ]
        return Answer(code=inject(["inject", *before, *ctx.args], cli.env), printed=True)


inject_verb = _Raw(
    "inject",
    does="what an agent should know before a run, or hears at a moment",
    end=USAGE,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
