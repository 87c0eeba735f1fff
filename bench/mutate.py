"""Are the tests awake? One small change at a time in the rooms that decide, and whether any test notices: make mutate COUNT=100 SEED=1.

Places are drawn by seed from every comparison, condition, number, result and call of the rooms, so another seed is a fresh sample. Each mutant
is one edit in a copy of the tree, and is asked of the tests that execute its statement, themselves or in a process that they start: a test that
never does cannot notice it. Those of its own module come first, then those of its room, then all others, the quickest files first, up to CAP seconds
of CPU. What runs only while modules are imported (constants, defaults, class bodies) is asked of the tests that execute a line which mentions what
it defines, or anything of its module. A mutant is caught when a test fails that passes without it, or takes three times its usual CPU. What
survives is kept in .bench/mutate with its difference; each gets a test, or is a change that nobody could see.

Which tests execute which line is recorded once (mutate_record.py). A run may be broken off and goes on where it was, as long as the commit is the same.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from mutate_places import ROOT, Mutant, drawn, edited
from mutate_record import KEPT, Known, recorded

ROOMS = ("core", "learn", "recall", "safety", "trial", "words")
ROUNDS = (15, 90)  # the same seconds, after which a mutant's next tests are collected


@dataclass
class Result:
    """What became of it."""

    id: str
    was: str
    now: str
    caught: str  # by its room, by others, by time; empty: it survived
    by: str
    asked: int  # how many tests could notice
    cpu: float


class Copy:
    """A copy of the tree, in which one mutant of a worker at a time lives."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.edits = 0
        shutil.rmtree(root, ignore_errors=True)
        left = shutil.ignore_patterns(
            ".git", ".venv*", ".bench", ".hosts", ".*_cache", ".hypothesis", "results", "corpus.zip"
        )
        for name in ("src", "tests", "bench", "docs", "examples", "plugins"):
            shutil.copytree(ROOT / name, root / name, ignore=left)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy2(path, root / path.name)
        self.env = {
            **os.environ,
            "PYTHONPATH": f"{root / 'src'}:{ROOT / 'bench'}",
            "PYTHONDONTWRITEBYTECODE": "",
        }
        argv = [sys.executable, str(ROOT / "bench" / "mutate_tests.py")]
        self.server = subprocess.Popen(
            argv, cwd=root, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def tested(self, tests: dict[str, float]) -> tuple[str, str, float]:
        """How it was noticed first (failed, import, time) and by whom, or nothing; and the CPU of all."""
        ask, told = self.root / "ask.json", self.root / "ask.told"
        ask.write_text(json.dumps(tests))
        told.unlink(missing_ok=True)
        argv = [
            "-x",
            "-q",
            "--tb=no",
            *"-p no:cacheprovider -p no:xdist -W ignore::pytest.PytestAssertRewriteWarning".split(),
        ]
        argv += dict.fromkeys(test.split("::")[0] for test in tests)
        assert self.server.stdin and self.server.stdout
        self.server.stdin.write(json.dumps({"ask": str(ask), "argv": argv}).encode() + b"\n")
        self.server.stdin.flush()
        answer = self.server.stdout.readline()
        if not answer:
            raise RuntimeError(
                "the process that runs the tests was ended from outside; start again, what is done is kept"
            )
        code, spent = json.loads(answer)
        if code in (0, 5):  # 5: no test was chosen
            return "", "", spent
        if told.exists():
            how, by = json.loads(told.read_text())
            return how, by, spent
        return *(
            ("import", "pytest does not start") if code > 0 else ("time", "all of them")
        ), spent

    def steady(self, test: str, known: Known) -> bool:
        """Whether a test that failed passes without a mutant, here and now; if not, it is not asked any more."""
        if test not in known.passes:
            known.passes[test] = not self.tested({test: known.tests[test]})[0]
        return known.passes[test]

    def judged(self, mutant: Mutant, known: Known, own_only: bool = False) -> Result:
        """Whether a test notices that passes without it."""
        path, raw = self.root / mutant.path, (ROOT / mutant.path).read_bytes()
        new = edited(raw, mutant)
        was, now = (text.decode().splitlines()[mutant.line - 1].strip() for text in (raw, new))
        tests = [
            each
            for each in known.asked(mutant)
            if not own_only or each[0].startswith(f"tests/{mutant.room}/")
        ]
        result = Result(mutant.id, was, now, "", "", len(tests), 0.0)
        waiting = batches(tests)
        while waiting and not result.caught:
            self.edits += 1
            path.write_bytes(new)
            os.utime(
                path, (self.edits, self.edits)
            )  # bytecode is kept by the second, and two edits may be as long
            how, by, spent = self.tested(waiting[0])
            shutil.copy2(ROOT / mutant.path, path)
            result.cpu += spent
            if how == "failed" and not self.steady(by, known):
                waiting[0].pop(by)
                waiting = [each for each in waiting if each]
                continue
            waiting.pop(0)
            if how:
                result.caught = (
                    "time"
                    if how == "time"
                    else "its room"
                    if by.startswith(f"tests/{mutant.room}/")
                    else "others"
                )
                result.by = by
        return result


def batches(tests: list[tuple[str, float]]) -> list[dict[str, float]]:
    """The tests in a few parts: most mutants are caught by the first, and what is not collected costs nothing."""
    parts: list[dict[str, float]] = [{} for _ in (*ROUNDS, 0)]
    total = 0.0
    for test, cpu in tests:
        parts[sum(total > limit for limit in ROUNDS)][test] = cpu
        total += cpu
    return [part for part in parts if part]


# -- the run ---------------------------------------------------------------------------------------------------------------


def main() -> None:
    """Draw, ask, tell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument(
        "--tests", default="tests/", help="the beginnings of the files of tests that are asked"
    )
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--own",
        action="store_true",
        help="ask the tests of a mutant's own room only; what survives there is not yet a survivor",
    )
    parser.add_argument("--list", action="store_true", help="only say what would be tried")
    args = parser.parse_args()
    chosen = drawn(args.count, args.seed, tuple(args.rooms.split(",")))
    if args.list:
        for each in chosen:
            print(each.id, "→", each.new)
        return
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    KEPT.mkdir(parents=True, exist_ok=True)
    ledger = KEPT / f"{commit}-{args.seed}{'-own' if args.own else ''}.jsonl"
    done = (
        {row["id"]: Result(**row) for row in map(json.loads, ledger.read_text().splitlines())}
        if ledger.exists()
        else {}
    )
    waiting = [each for each in chosen if each.id not in done]
    ends = time.monotonic() + args.minutes * 60
    copies = [Copy(KEPT / f"tree-{number}") for number in range(args.workers)]
    known = recorded(copies[0].root, copies[0].env, args.workers, tuple(args.tests.split(",")))
    lock = threading.Lock()

    def work(copy: Copy) -> None:
        while time.monotonic() < ends:
            with lock:
                if not waiting:
                    return
                mutant = waiting.pop(0)
            result = copy.judged(mutant, known, args.own)
            with lock, ledger.open("a") as file:
                file.write(json.dumps(asdict(result)) + "\n")
                done[result.id] = result
                print(
                    f"{'caught' if result.caught else 'SURVIVED':8}  {result.id}  {result.by}  {result.asked} tests, {result.cpu:.0f} s",
                    flush=True,
                )

    workers = [threading.Thread(target=work, args=(copy,)) for copy in copies]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    tell(chosen, done, commit, args.seed)


def tell(chosen: list[Mutant], done: dict[str, Result], commit: str, seed: int) -> None:
    """The table, and what survived."""
    tried = [each for each in chosen if each.id in done]
    print(f"\n{len(tried)} of {len(chosen)} mutants tried at {commit}, seed {seed}\n")
    print(
        "| room | tried | caught by its room | by others | by time | survived |\n|---|---|---|---|---|---|"
    )
    for room in (*sorted({each.room for each in tried}), ""):
        found = Counter(done[each.id].caught for each in tried if room in ("", each.room))
        print(
            f"| {room or 'all'} | {sum(found.values())} | {found['its room']} | {found['others']} | {found['time']} | {found['']} |"
        )
    caught = sum(bool(done[each.id].caught) for each in tried)
    print(f"\ncaught: {caught} of {len(tried)}, {100 * caught / max(1, len(tried)):.0f} %\n")
    for each in tried:
        if not done[each.id].caught:
            print(
                f"- `{each.path}:{each.line}` ({each.kind}): `{done[each.id].was}` → `{done[each.id].now}`"
            )


if __name__ == "__main__":
    main()
