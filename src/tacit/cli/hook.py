"""hook and worker, as a person may call them. The host's own calls of `tacit hook` never come through here."""

from __future__ import annotations

import argparse
import json
import os

from tacit.app import open, store_path
from tacit.cli import Answer, Cli
from tacit.cli.parsing import declared
from tacit.cli.words import one_line
from tacit.core.errors import UsageError
from tacit.stores.queue import failed_jobs
from tacit.surfaces.hooks import EVENTS, main
from tacit.worker import IDLE, LearnJob, work
from tacit.worker.turns import detach


def _hook(args: argparse.Namespace, cli: Cli) -> Answer:
    words = [args.event, "--host", args.host, "--store", args.store or ""]
    return Answer(code=main(words, cli.env), printed=True)


def _worker(args: argparse.Namespace, cli: Cli) -> Answer:
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


COMMANDS = declared(
    {"hook": _hook, "worker": _worker},
    EVENTS=EVENTS,
    IDLE=f"{IDLE:g}",
    EVENT_NAMES=", ".join(EVENTS),
)
