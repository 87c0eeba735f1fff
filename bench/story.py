"""Does the loop find out what helps? Simulated agents over the real command line and hooks: `python bench/story.py [--seeds 20] [--runs 200]`.

Each seed is a project with six recurring problems and an agent whose mistakes depend on what it was told: two lessons help (.6 → .1), two harm (.1 → .5), two do
little (.3 → .25). A session starts with the real hook (`tacit hook session-start`), the agent reads what it is told, and the session's transcript is learned by
`tacit learn --over`. Seeds are independent and resumable: each leaves a line in bench/results/story/; the table is made from all lines.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from tacit.testing import signed

HERE = os.path.dirname(os.path.abspath(__file__))
TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")

# name: (rate when told, rate when not, command, error, cure)
PROBLEMS = {
    "database": (
        0.1,
        0.6,
        "pytest -q tests/db",
        "psycopg.OperationalError: connection refused on port 5432",
        "docker compose up -d db",
    ),
    "protobuf": (
        0.1,
        0.6,
        "make build",
        "ModuleNotFoundError: No module named 'shop_pb2'",
        "make protos",
    ),
    "licence": (
        0.5,
        0.1,
        "npm run bundle",
        "error: licence header missing in vendored files",
        "npm run headers",
    ),
    "kernel": (
        0.5,
        0.1,
        "cargo test",
        "error: could not find the linker mold on this host",
        "apt-get install -y mold",
    ),
    "locale": (
        0.25,
        0.3,
        "python manage.py check",
        "ImproperlyConfigured: environment variable LANG must be set",
        "make locale",
    ),
    "tunnel": (
        0.25,
        0.3,
        "terraform plan",
        "Error: could not connect to the state backend: tunnel is closed",
        "make tunnel",
    ),
}


class World:
    """One seed: a home, a project, an agent."""

    def __init__(self, folder: str, seed: int) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.project = os.path.join(folder, "shop")
        os.makedirs(self.project, exist_ok=True)
        own = ("HOME", "XDG_", "TACIT_", "CLAUDE", "CODEX", "CURSOR", "GEMINI")
        self.env = signed(
            {k: v for k, v in os.environ.items() if not k.startswith(own)}
            | {"HOME": folder, "USER": "sam"}
        )
        self.lessons: dict[str, str] = {}  # id -> problem
        self.truth: dict[tuple[str, str], bool] = {}  # (session, problem) -> it occurred
        self.clock = time.time() - 40 * 86400

    def tacit(self, *args: str, stdin: str = "") -> str:
        done = subprocess.run(
            [TACIT, *args],
            cwd=self.project,
            env=self.env,
            input=stdin,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"tacit {args} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def data(self, *args: str) -> dict[str, object]:
        answer: dict[str, object] = json.loads(self.tacit(*args, "--json"))["data"]
        return answer

    def session(self, name: str, mistakes: list[str]) -> None:
        """Write the transcript of a session in which these problems occurred, and learn it."""
        path = os.path.join(self.folder, f"{name}.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for record in self._records(name, mistakes):
                file.write(json.dumps(record) + "\n")
        self.tacit("learn", path, "--over", "--as", "sim", "--quiet")
        os.unlink(path)

    def _records(self, name: str, mistakes: list[str]) -> list[dict[str, object]]:
        start, out, number = time.time(), [], 0

        def stamp() -> str:
            nonlocal number
            number += 1
            return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(start + 2 + number)) + ".000Z"

        base = {
            "sessionId": name,
            "cwd": self.project,
            "version": "2.1.40",
            "isSidechain": False,
            "userType": "external",
        }

        def put(kind: str, message: dict[str, object], **more: object) -> None:
            at = stamp()
            out.append(
                {
                    **base,
                    "type": kind,
                    "uuid": f"{name}-{number}",
                    "timestamp": at,
                    "message": message,
                    **more,
                }
            )

        def run(command: str, output: str, error: bool = False) -> None:
            tool = f"toolu_{name}_{number}"
            put(
                "assistant",
                {
                    "id": f"msg_{name}_{number}",
                    "role": "assistant",
                    "model": "sim-1",
                    "content": [
                        {
                            "type": "tool_use",
                            "id": tool,
                            "name": "Bash",
                            "input": {"command": command},
                        }
                    ],
                },
            )
            block: dict[str, object] = {
                "type": "tool_result",
                "tool_use_id": tool,
                "content": f"Exit code 1\n{output}" if error else output,
            }
            if error:
                block["is_error"] = True
            put(
                "user",
                {"role": "user", "content": [block]},
                toolUseResult=f"Error: {output}"
                if error
                else {"stdout": output, "stderr": "", "interrupted": False},
            )

        put(
            "user",
            {"role": "user", "content": f"Work on ticket {self.chance.randrange(10**6)}."},
            permissionMode="default",
        )
        for problem, (_, _, command, error, cure) in PROBLEMS.items():
            if problem in mistakes:
                run(command, error, error=True)
                run(cure, "done")
            run(command, "ok")
        return out

    def told(self, name: str) -> set[str]:
        """What the hook says at the start of a session: the problems whose lessons are in it."""
        payload = {
            "session_id": name,
            "transcript_path": "",
            "cwd": self.project,
            "hook_event_name": "SessionStart",
            "source": "startup",
            "model": "sim-1",
        }
        said = self.tacit("hook", "session-start", stdin=json.dumps(payload))
        return {problem for id, problem in self.lessons.items() if id in said}


def play(seed: int, runs: int, folder: str) -> dict[str, object]:
    """One seed from the first session to the figures."""
    world = World(folder, seed)
    for n in range(2):  # every problem is met in two independent sessions, and so becomes a lesson
        world.session(f"s{seed}-before-{n}", list(PROBLEMS))
    found = world.data("list")["memories"]
    for memory in found:  # type: ignore[attr-defined]
        for problem, (_, _, _, error, _) in PROBLEMS.items():
            if memory["kind"] in ("fix", "pitfall") and error[:30] in memory["text"]:
                world.lessons[memory["id"]] = problem
    assert sorted(world.lessons.values()) == sorted(PROBLEMS), (
        f"each problem must be one lesson: {world.lessons}"
    )
    for n in range(runs):
        name = f"s{seed}-{n}"
        told = world.told(name)
        mistakes = [
            p
            for p, (told_rate, untold, *_) in PROBLEMS.items()
            if world.chance.random() < (told_rate if p in told else untold)
        ]
        world.truth |= {(name, p): p in mistakes for p in PROBLEMS}
        world.session(name, mistakes)
    return figures(world, seed, runs)


def figures(world: World, seed: int, runs: int) -> dict[str, object]:
    """What the store says, beside the truth."""
    effect = world.data("effect", "--limit", "50")
    rows = list(csv.DictReader(io.StringIO(world.tacit("effect", "--csv"))))
    by_unit = dict(_units(world))
    recalled = missed = wrong = 0
    differences, coins = [], []
    for row in rows:
        problem = world.lessons.get(row["memory"])
        session = by_unit.get(row["unit"])
        if problem is None or session is None or row["outcome"] not in ("occurred", "not_occurred"):
            continue
        differences.append(PROBLEMS[problem][0] - PROBLEMS[problem][1])
        coins.append(
            f"{problem}:{row['h']}:{row['arm']}:{row['outcome']}:{session.rsplit('-', 1)[-1]}"
        )
        if world.truth.get((session, problem)):
            recalled += row["outcome"] == "occurred"
            missed += row["outcome"] != "occurred"
        else:
            wrong += row["outcome"] == "occurred"
    lessons = {}
    for each in effect["lessons"]:  # type: ignore[attr-defined]
        if each["id"] in world.lessons:
            lessons[world.lessons[each["id"]]] = {
                "verdict": each["verdict"],
                "state": each["state"],
                "units": each["units"],
                "expected": each["belief"]["expected"],
            }
    whole = effect["whole"]
    truth = sum(differences) / len(differences) * whole["lessons_per_run"] if differences else None  # type: ignore[index]
    return {
        "seed": seed,
        "runs": runs,
        "lessons": lessons,
        "recall": recalled / max(1, recalled + missed),
        "false": wrong,
        "truth": truth,
        "whole": whole,
        "coins": " ".join(coins),
        "date": str(datetime.date.today()),
    }


def _units(world: World) -> list[tuple[str, str]]:
    """(unit, session) pairs, from the store itself."""
    import apsw

    path = os.path.join(world.folder, ".local", "share", "tacit", "tacit.db")
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    return connection.execute("SELECT root, foreign_id FROM run").fetchall()


def summary(lines: list[dict[str, object]]) -> tuple[list[str], bool]:
    """The table over all seeds, and whether everything holds."""
    helping, harming, weak = ("database", "protobuf"), ("licence", "kernel"), ("locale", "tunnel")

    def share(problems: tuple[str, ...], good: object) -> tuple[int, int]:
        cases = [line["lessons"].get(p) for line in lines for p in problems]  # type: ignore[attr-defined]
        return sum(1 for case in cases if case and good(case)), len(cases)  # type: ignore[operator]

    top = [
        (sorted(line["lessons"], key=lambda p: line["lessons"][p]["expected"])[:2])
        for line in lines  # type: ignore[arg-type,index,call-overload]
    ]
    on_top = sum(p in best for best in top for p in helping)
    helps = share(helping, lambda case: case["verdict"] == "helps")
    out = share(harming, lambda case: case["state"] not in ("provisional", "stable", "canonical"))
    unknown = share(weak, lambda case: case["verdict"] == "not yet known")
    covered = sum(
        1
        for line in lines
        if line["truth"] is not None
        and line["whole"]["low"] <= line["truth"] <= line["whole"]["high"]
    )  # type: ignore[index,operator]
    recall = sum(float(line["recall"]) for line in lines) / len(lines)  # type: ignore[arg-type]
    n = len(lines)
    checks = [
        ("matcher's recall on the story's findings", f"{recall:.3f}", "≥ .9", recall >= 0.9),
        (
            "helpful lessons (.6 → .1) are the two on top",
            f"{on_top} of {2 * n}",
            "≥ 90 %",
            on_top >= 0.9 * 2 * n,
        ),
        ("… and have the verdict helps", f"{helps[0]} of {helps[1]}", "", True),
        (
            "harmful lessons (.1 → .5) are out",
            f"{out[0]} of {out[1]}",
            "≥ 90 %",
            out[0] >= 0.9 * out[1],
        ),
        ("weak lessons (.3 → .25) are not yet known", f"{unknown[0]} of {unknown[1]}", "", True),
        (
            "the whole-memory interval holds the truth",
            f"{covered} of {n}",
            "≥ 19 of 20",
            covered >= 0.95 * n,
        ),
    ]
    return [
        f"| {what} | {figure} | {bound} | {'holds' if held else 'MISSED'} |"
        for what, figure, bound, held in checks
    ], all(c[3] for c in checks)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument(
        "--first",
        type=int,
        default=1,
        help="begin with this seed: two processes may share the work",
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--keep", default=os.path.join(HERE, "results", "story"))
    parser.add_argument(
        "--out", default=os.path.join(HERE, "results", f"{datetime.date.today()}-story.md")
    )
    args = parser.parse_args()
    os.makedirs(args.keep, exist_ok=True)
    lines = []
    for seed in range(args.first, args.seeds + 1):
        kept = os.path.join(args.keep, f"{args.runs}-{seed}.json")
        if not os.path.exists(kept):
            folder = tempfile.mkdtemp(prefix="tacit-story-")
            try:
                line = play(seed, args.runs, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            with open(kept, "w", encoding="utf-8") as file:
                json.dump(line, file, indent=1, sort_keys=True)
        with open(kept, encoding="utf-8") as file:
            lines.append(json.load(file))
        print(
            f"seed {seed}: recall {lines[-1]['recall']:.2f}",
            {p: (c["verdict"], c["state"]) for p, c in lines[-1]["lessons"].items()},
            flush=True,
        )
    rows, held = summary(lines)
    text = f"# The story, {datetime.date.today()}\n\n`python bench/story.py --seeds {args.seeds} --runs {args.runs}` · real command line and hooks, rate .3\n\n"
    text += "| what | figure | bound | |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    print("\n" + text)
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(text)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
