"""Are the tests awake? One small change at a time in the rooms that decide, and whether any test notices: make mutate COUNT=100 SEED=1.

Places are drawn by seed from every comparison, condition, number, result and call of the rooms, so another seed is a fresh sample. Each mutant
is one edit in a copy of the tree, and is asked of the tests that execute its statement: a test that never does cannot notice it. Those of its own
module come first, then those of its room, then all others that start no process, the quickest files first. What runs only while modules are
imported (constants, defaults, class bodies) is asked of the tests that execute a line which mentions what it defines, or anything of its module,
up to CAP seconds of CPU. A mutant is caught when a test fails that passes without it, or takes three times its usual CPU. What survives is kept in
.bench/mutate with its difference; docs/mutants.md says of each which test it got, or why it needs none.

Which tests execute which line is recorded once (mutate_tests.py), and kept for as long as src/ is the same: files of tests that are new are
recorded alone. A run may be broken off and goes on where it was, as long as the commit is the same.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from coverage import CoverageData

from mutate_places import Mutant, drawn, edited, mentions, statement
from mutate_tests import IMPORT

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".bench" / "mutate"
ROOMS = ("core", "learn", "recall", "trial", "words")
# What reads or copies the tree itself, or needs the network's tools: it says nothing of behaviour.
NOT_ASKED = (
    "tests/test_extending.py",
    "tests/test_docs.py",
    "tests/test_house.py",
    "tests/test_rooms.py",
    "tests/test_bench.py",
    "tests/faults",
)
CAP = 300  # seconds of recorded CPU, for what runs only while modules are imported
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


# -- tests -----------------------------------------------------------------------------------------------------------------


class Known:
    """Which tests execute which line, and the CPU that each takes."""

    def __init__(self, folder: Path, tests: dict[str, float]) -> None:
        self.tests = tests
        self.passes: dict[str, bool] = {}
        self.data = CoverageData(str(folder / "lines"))
        self.data.read()
        self.files: dict[str, list[str]] = defaultdict(list)
        for test in tests:
            self.files[test.split("::")[0]].append(test)

    def contexts(self, path: str, lines: set[int] | None) -> set[str]:
        """The contexts in which some of these lines of a module were executed, or any."""
        by_line = self.data.contexts_by_lineno(path)
        return {each for line, found in by_line.items() if lines is None or line in lines for each in found}

    def named(self, contexts: set[str]) -> set[str]:
        """The tests of contexts; that of a file is all its tests."""
        return {test for each in contexts for test in (self.files.get(each) or ([each] if each in self.tests else []))}

    def asked(self, mutant: Mutant) -> list[tuple[str, float]]:
        """The tests that can notice a mutant, with their CPU, in the order of asking."""
        first, last, names = statement(mutant.path, mutant.line)
        at_place = self.contexts(mutant.path, set(range(first, last + 1)))
        tests = self.named(at_place)
        if IMPORT in at_place:
            tests |= self.named(self.contexts(mutant.path, None)) | self.named(self.mentioned(names))
        stem = Path(mutant.path).stem if Path(mutant.path).stem != "__init__" else Path(mutant.path).parent.name
        cost: dict[str, float] = defaultdict(float)
        for test in tests:
            cost[test.split("::")[0]] += self.tests[test]

        def nearness(file: str) -> tuple[int, float]:
            own = file.startswith(f"tests/{mutant.room}/")
            return 0 if own and stem in Path(file).stem else 1 if own else 2, cost[file]

        ordered = [
            (test, self.tests[test])
            for file in sorted(cost, key=nearness)
            for test in self.files[file]
            if test in tests
        ]
        if IMPORT not in at_place:
            return ordered
        total = 0.0
        return [each for each in ordered if (total := total + each[1]) <= CAP]

    def steady(self, test: str, copy: Copy) -> bool:
        """Whether a test that failed passes without a mutant, here and now; if not, it is not asked any more."""
        if test not in self.passes:
            how, _, _ = copy.tested({test: self.tests[test]})
            self.passes[test] = not how
        if not self.passes[test]:
            self.tests.pop(test, None)
        return self.passes[test]

    def mentioned(self, names: set[str]) -> set[str]:
        """The contexts of the lines that mention a name, or one that is made of it while modules are imported."""
        places: dict[str, set[int]] = defaultdict(set)
        seen, waiting = set(names), list(names)
        while waiting:
            for path, line, bound in mentions()[waiting.pop()]:
                if path:
                    places[path].add(line)
                elif bound not in seen:
                    seen.add(bound)
                    waiting.append(bound)
        return {each for path, lines in places.items() for each in self.contexts(path, lines)}


def recorded(copy: Copy, workers: int, only: tuple[str, ...]) -> Known:
    """The record of this src/, with the files of tests that it lacks recorded now."""
    shared = [
        path
        for path in sorted((ROOT / "tests").rglob("*"))
        if path.suffix in (".py", ".toml", ".txt", ".json") and not path.name.startswith("test_")
    ]
    read = b"".join(path.read_bytes() for path in [*sorted((ROOT / "src").rglob("*.py")), *shared])
    folder = KEPT / f"record-{sha256(read).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    index = folder / "index.json"
    known: dict[str, tuple[str, dict[str, float]]] = json.loads(index.read_text()) if index.exists() else {}
    files = {
        str(path.relative_to(ROOT)): sha256(path.read_bytes()).hexdigest()
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
    }
    new = [
        name
        for name, digest in files.items()
        if name.startswith(only) and not name.startswith(NOT_ASKED) and known.get(name, ("", {}))[0] != digest
    ]
    if new:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            print(f"recording {len(new)} files of tests", flush=True)
            argv = [sys.executable, *"-m pytest -p mutate_tests -q --tb=short -p no:cacheprovider -p no:xdist".split()]
            env = {**copy.env, "MUTATE_RECORD": place}
            new.sort(key=lambda name: -(ROOT / name).stat().st_size)
            with (folder / "said.txt").open("w") as said:
                started = [
                    subprocess.Popen(
                        [*argv, "-m", "not slow and not process", *new[part::workers]],
                        cwd=copy.root,
                        env=env,
                        stdout=said,
                        stderr=said,
                    )
                    for part in range(min(workers, len(new)))
                ]
                for process in started:
                    process.wait()
            whole = CoverageData(str(folder / "lines"))
            for path in Path(place).glob("*.lines"):
                part = CoverageData(str(path))
                part.read()
                whole.update(part)
            rows = [json.loads(line) for path in Path(place).glob("*.tests") for line in path.read_text().splitlines()]
        if not rows:
            sys.exit(f"no test could be recorded: {folder / 'said.txt'}")
        for name in new:
            own = {test: cpu for test, cpu, passed in rows if passed and test.startswith(f"{name}::")}
            known[name] = files[name], own
        lost = [test for test, _, passed in rows if not passed]
        print(
            f"{len(rows)} tests recorded; {len(lost)} were skipped or failed and are not asked: {folder / 'said.txt'}",
            flush=True,
        )
        index.write_text(json.dumps(known))
    return Known(
        folder,
        {
            test: cpu
            for name in files
            if name.startswith(only) and name in known
            for test, cpu in known[name][1].items()
        },
    )


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
        self.env = {**os.environ, "PYTHONPATH": f"{root / 'src'}:{ROOT / 'bench'}", "PYTHONDONTWRITEBYTECODE": ""}
        argv = [sys.executable, str(ROOT / "bench" / "mutate_tests.py")]
        self.server = subprocess.Popen(argv, cwd=root, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

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
        return *(("import", "pytest does not start") if code > 0 else ("time", "all of them")), spent

    def judged(self, mutant: Mutant, known: Known, own_only: bool = False) -> Result:
        """Whether a test notices that passes without it."""
        path, raw = self.root / mutant.path, (ROOT / mutant.path).read_bytes()
        new = edited(raw, mutant)
        was, now = (text.decode().splitlines()[mutant.line - 1].strip() for text in (raw, new))
        tests = [each for each in known.asked(mutant) if not own_only or each[0].startswith(f"tests/{mutant.room}/")]
        result = Result(mutant.id, was, now, "", "", len(tests), 0.0)
        waiting = batches(tests)
        while waiting and not result.caught:
            self.edits += 1
            path.write_bytes(new)
            os.utime(path, (self.edits, self.edits))  # bytecode is kept by the second, and two edits may be as long
            how, by, spent = self.tested(waiting[0])
            shutil.copy2(ROOT / mutant.path, path)
            result.cpu += spent
            if how == "failed" and not known.steady(by, self):
                waiting[0].pop(by)  # it fails without the mutant too
                waiting = [each for each in waiting if each]
                continue
            waiting.pop(0)
            if how:
                result.caught = (
                    "time" if how == "time" else "its room" if by.startswith(f"tests/{mutant.room}/") else "others"
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument("--tests", default="tests/", help="the beginnings of the files of tests that are asked")
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
    known = recorded(copies[0], args.workers, tuple(args.tests.split(",")))
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
    print("| room | tried | caught by its room | by others | by time | survived |\n|---|---|---|---|---|---|")
    for room in (*sorted({each.room for each in tried}), ""):
        found = Counter(done[each.id].caught for each in tried if room in ("", each.room))
        print(
            f"| {room or 'all'} | {sum(found.values())} | {found['its room']} | {found['others']} | {found['time']} | {found['']} |"
        )
    caught = sum(bool(done[each.id].caught) for each in tried)
    print(f"\ncaught: {caught} of {len(tried)}, {100 * caught / max(1, len(tried)):.0f} %\n")
    for each in tried:
        if not done[each.id].caught:
            print(f"- `{each.path}:{each.line}` ({each.kind}): `{done[each.id].was}` → `{done[each.id].now}`")


if __name__ == "__main__":
    main()
