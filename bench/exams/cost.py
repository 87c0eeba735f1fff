"""E4, a slice: what a hook costs beside a bare interpreter, in fresh processes, in interleaved pairs. The whole: `make bench`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from bench.exams.product import OURS
from bench.exams.rows import Row

LESSONS, PAIRS = 1_000, 25
TOPICS = "invoices exports retries tokens sessions caches uploads reports queues locks".split()


def rows(python: str) -> Iterator[Row]:
    """The medians of pairs: a prompt that is told something, and a command that nothing is known about."""
    place = Path(tempfile.mkdtemp(prefix="tacit-cost-"))
    try:
        env = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
        env |= {"HOME": str(place), "USER": "dev", "TACIT_NO_WORKER": "1", "TACIT_COIN": "never"}
        repository = place / "shop"
        repository.mkdir()
        subprocess.run(["git", "init", "-q", str(repository)], check=True)
        fill(python, env, repository)
        prompt = {
            "hook_event_name": "UserPromptSubmit",
            "prompt": "why does job 0417 fail at gate417 behind lock417?",
        }
        quiet = {
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "uptime -p"},
        }
        for figure, moment, payload, speaks in (
            ("a prompt that is told something, over a bare interpreter", "prompt", prompt, True),
            (
                "a command with nothing to say, over a bare interpreter",
                "before-command",
                quiet,
                False,
            ),
        ):
            ratios = [
                pair(python, env, repository, moment, payload, n, speaks) for n in range(PAIRS)
            ]
            yield Row("E4", f"{figure}, {LESSONS} lessons", round(median(ratios), 2))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def fill(python: str, env: dict[str, str], repository: Path) -> None:
    """A store of a thousand lessons of a person's, by the library; and the product compiled, as an installation is."""
    script = (
        "import sys, json, tacit, compileall\n"
        "compileall.compile_dir(tacit.__path__[0], quiet=2)\n"  # as an installation is
        "with tacit.open(by='dev', yes=True) as memory:\n"
        "    for line in sys.stdin: memory.add(json.loads(line), kind='fact')\n"
        "    memory.store.tidy()\n"  # as the worker leaves it
    )
    texts = [
        f"The {TOPICS[n % 10]} job {n:04} fails at gate{n} when {TOPICS[n // 10 % 10]} hold lock{n}."
        for n in range(LESSONS)
    ]
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    subprocess.run(
        [python, "-c", script],
        input=lines,
        text=True,
        env=env,
        cwd=repository,
        check=True,
        capture_output=True,
    )


def pair(
    python: str,
    env: dict[str, str],
    cwd: Path,
    moment: str,
    payload: dict[str, object],
    n: int,
    speaks: bool,
) -> float:
    """One hook over one bare interpreter, one after the other; a hook that did not do what is measured fails."""
    said = json.dumps({"session_id": f"s{n}", "cwd": str(cwd), "tool_use_id": f"t{n}", **payload})
    hook, answer = spent(
        [str(Path(python).with_name("tacit")), "hook", moment, "--host", "claude-code"],
        env,
        cwd,
        said,
    )
    if bool(answer.strip()) != speaks:
        raise SystemExit(f"the hook {moment} said {answer[:200]!r}")
    bare, _ = spent([python, "-c", "pass"], env, cwd, "")
    return hook / bare


def spent(words: list[str], env: dict[str, str], cwd: Path, said: str) -> tuple[float, str]:
    """CPU seconds of a process, and what it printed."""
    before = getrusage(RUSAGE_CHILDREN)
    done = subprocess.run(words, input=said, env=env, cwd=cwd, capture_output=True, text=True)
    after = getrusage(RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{words} ended with {done.returncode}: {done.stderr[-400:]}")
    return (
        after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
        done.stdout,
    )
