"""Are the tests awake? One small change at a time in the rooms that decide, and whether any test notices: make mutate COUNT=100 SEED=1.

Places are drawn by seed from every comparison, condition, number, result and call of the rooms, so another seed is a fresh sample. Each mutant
is one edit in a copy of the tree: first the tests of its own room run, those of its own module before the others, then all other tests that
start no process. A mutant is caught when one fails, or when they take three times the CPU that they take without it. What survives is kept
in .bench/mutate with its difference; docs/mutants.md says of each which test it got, or why it needs none.

A run may be broken off and goes on where it was, as long as the commit is the same.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".bench" / "mutate"
ROOMS = ("core", "learn", "recall", "trial", "words")
# What reads or copies the tree itself, or needs the network's tools: it says nothing of behaviour.
NOT_ASKED = ("tests/test_extending.py", "tests/test_docs.py", "tests/test_house.py", "tests/test_rooms.py", "tests/test_bench.py", "tests/faults")
SWAPPED = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is",
    ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
ARITHMETIC = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}
ENOUGH = 3  # times the CPU of the same tests without a mutant, and …
GRACE = 30  # … so many seconds more
SLOWEST = 3600  # seconds of wall clock, for what waits instead of working


@dataclass(frozen=True)
class Mutant:
    """One edit."""

    room: str
    path: str
    line: int
    kind: str
    start: int  # in bytes of the file
    end: int
    new: str

    @property
    def id(self) -> str:
        return f"{self.path}:{self.line}:{self.start}:{self.kind}"


@dataclass
class Result:
    """What became of it."""

    id: str
    was: str
    now: str
    caught: str  # by its room, by others, by time; empty: it survived
    by: str
    cpu: float


# -- places ----------------------------------------------------------------------------------------------------------------


def places(path: Path, room: str) -> list[Mutant]:
    """Every edit of a module. What only the type checker reads, docstrings and annotations have none."""
    raw = path.read_bytes()
    tree = ast.parse(raw)
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    name = str(path.relative_to(ROOT))
    found: list[Mutant] = []

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        return at(node.lineno, node.col_offset), at(node.end_lineno or 0, node.end_col_offset or 0)

    def add(node: ast.expr | ast.stmt, kind: str, start: int, end: int, new: str) -> None:
        found.append(Mutant(room, name, node.lineno, kind, start, end, new))

    def between(left: ast.expr, right: ast.expr, old: str, new: str, kind: str) -> None:
        low, high = span(left)[1], span(right)[0]
        where = raw.find(old.encode(), low, high)
        if where >= 0:
            add(left, kind, where, where + len(old.encode()), new)

    for node in _behaviour(tree):
        if isinstance(node, ast.Compare):
            for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators):
                low, high = span(left)[1], span(right)[0]
                old = raw[low:high].decode()
                if type(op) in SWAPPED and old.strip() and not set(old) & set("()\n#"):
                    add(left, "comparison", low, high, f" {SWAPPED[type(op)]} ")
        elif isinstance(node, ast.BoolOp):
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:]):
                between(left, right, old, new, "boolean")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            add(node, "boolean", span(node)[0], span(node)[0] + len("not"), "")
        elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            between(node.left, node.right, *ARITHMETIC[type(node.op)], "arithmetic")
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            add(node, "constant", *span(node), f"({node.value!r} + 1)")
        elif isinstance(node, ast.Constant) and type(node.value) is bool:
            add(node, "constant", *span(node), repr(not node.value))
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            low, high = span(node.test)
            add(node.test, "condition", low, high, f"(not ({raw[low:high].decode()}))")
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            add(node, "result", *span(node.value), "None")
        elif isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Yield, ast.YieldFrom)):
            add(node, "dropped call", *span(node), "pass")
    return found


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _behaviour(node: ast.AST) -> list[ast.AST]:
    """The nodes below this one that decide something while the program runs."""
    found: list[ast.AST] = []
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if not isinstance(child, ast.AST):
                continue
            typing = isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING"
            flag = isinstance(child, ast.Assign) and isinstance(child.targets[0], ast.Name) and child.targets[0].id == "TYPE_CHECKING"
            if not typing and not flag:
                found += [child, *_behaviour(child)]
    return found


def edited(raw: bytes, mutant: Mutant) -> bytes:
    """The module with the edit."""
    return raw[: mutant.start] + mutant.new.encode() + raw[mutant.end :]


def _compiles(raw: bytes, mutant: Mutant) -> bool:
    try:
        return ast.dump(ast.parse(edited(raw, mutant))) != ast.dump(ast.parse(raw))
    except SyntaxError:
        return False


def drawn(count: int, seed: int, rooms: tuple[str, ...]) -> list[Mutant]:
    """A sample over all places of the rooms, none twice."""
    files = [(path, room) for room in rooms for path in sorted((ROOT / "src" / "tacit" / room).rglob("*.py"))]
    every = [each for path, room in files for each in places(path, room)]
    random.Random(seed).shuffle(every)
    return list(islice((each for each in every if _compiles((ROOT / each.path).read_bytes(), each)), count))


# -- tests -----------------------------------------------------------------------------------------------------------------


class Copy:
    """A copy of the tree, in which one mutant at a time lives."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.rmtree(root, ignore_errors=True)
        left = shutil.ignore_patterns(".git", ".venv*", ".bench", ".hosts", ".*_cache", ".hypothesis", "results", "corpus.zip")
        for name in ("src", "tests", "bench", "docs", "examples", "plugins"):
            shutil.copytree(ROOT / name, root / name, ignore=left)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy2(path, root / path.name)

    def tested(self, paths: list[str], ignored: list[str], most: float) -> tuple[str, float]:
        """The first test that failed, or `time`, or nothing; and the CPU that it took. `most` is that of all of them, 0 for no limit."""
        limit = int(most * ENOUGH + GRACE) if most else 0
        argv = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
        argv += ["-m", "not slow and not process", *(f"--ignore={each}" for each in (*ignored, *NOT_ASKED)), *paths]
        env = {**os.environ, "PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        with tempfile.TemporaryFile("w+") as said:
            process = subprocess.Popen(
                argv, cwd=self.root, env=env, stdout=said, stderr=subprocess.STDOUT,
                preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))) if limit else None,
            )  # fmt: skip
            waits = threading.Timer(SLOWEST, process.kill)
            waits.start()
            _, status, used = os.wait4(process.pid, 0)
            waits.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            lines = said.read().splitlines()
        spent = used.ru_utime + used.ru_stime
        if process.returncode in (0, 5):  # 5: no test was chosen
            return "", spent
        named = next((line.split()[1] for line in lines if line.startswith(("FAILED ", "ERROR "))), "")
        return named or ("time" if process.returncode < 0 else (lines or ["?"])[-1][:120]), spent

    def rounds(self, room: str, path: str) -> list[tuple[str, list[str], list[str]]]:
        """What is asked, one after the other: the tests of its room, those of its module first, and all the others."""
        own = f"tests/{room}"
        stem = Path(path).stem if Path(path).stem != "__init__" else Path(path).parent.name
        first = sorted(str(each.relative_to(self.root)) for each in (self.root / own).rglob("test_*.py") if stem in each.stem)
        rest = [own] if (self.root / own).is_dir() else []
        return [("its room", [*first, *rest], []), ("others", ["tests"], [own])]

    def judged(self, mutant: Mutant, usual: dict[str, float], own_only: bool = False) -> Result:
        """Whether a test notices."""
        path = self.root / mutant.path
        raw = (ROOT / mutant.path).read_bytes()
        path.write_bytes(edited(raw, mutant))
        was, now = (text.decode().splitlines()[mutant.line - 1].strip() for text in (raw, path.read_bytes()))
        result = Result(mutant.id, was, now, "", "", 0.0)
        try:
            for name, paths, ignored in self.rounds(mutant.room, mutant.path)[: 1 if own_only else 2]:
                own = usual.get(f"tests/{mutant.room}", 0.0)
                most = own if name == "its room" else sum(usual.values()) - own
                by, spent = self.tested(paths, ignored, most) if paths else ("", 0.0)
                result.cpu += spent
                if by:
                    result.caught, result.by = "time" if by == "time" else name, by
                    break
        finally:
            shutil.copy2(ROOT / mutant.path, path)
        return result


def usual(copy: Copy, known: dict[str, float], only: set[str] | None = None) -> dict[str, float]:
    """The CPU of each folder of tests without a mutant; what is not green then can tell nothing."""
    every = [f"tests/{path.name}" for path in sorted((copy.root / "tests").iterdir()) if path.is_dir() or path.name.startswith("test_")]
    for name in every:
        if name not in known and name not in NOT_ASKED and not name.endswith("__pycache__") and (only is None or name in only):
            by, known[name] = copy.tested([name], [], 0)
            print(f"without a mutant: {name} {known[name]:.0f} s of CPU", flush=True)
            if by:
                sys.exit(f"{name} is not green without a mutant: {by}")
    return known


# -- the run ---------------------------------------------------------------------------------------------------------------


def main() -> None:
    """Draw, ask, tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--own", action="store_true", help="ask the tests of a mutant's own room only; what survives there is not yet a survivor")
    parser.add_argument("--list", action="store_true", help="only say what would be tried")
    args = parser.parse_args()
    chosen = drawn(args.count, args.seed, tuple(args.rooms.split(",")))
    if args.list:
        for each in chosen:
            print(each.id, "→", each.new)
        return
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    KEPT.mkdir(parents=True, exist_ok=True)
    ledger = KEPT / f"{commit}-{args.seed}{'-own' if args.own else ''}.jsonl"
    done = {row["id"]: Result(**row) for row in map(json.loads, ledger.read_text().splitlines())} if ledger.exists() else {}
    waiting = [each for each in chosen if each.id not in done]
    ends = time.monotonic() + args.minutes * 60
    copies = [Copy(KEPT / f"tree-{number}") for number in range(args.workers)]
    times = KEPT / f"{commit}-usual.json"
    asked = {f"tests/{room}" for room in args.rooms.split(",")} if args.own else None
    costs = usual(copies[0], json.loads(times.read_text()) if times.exists() else {}, asked)
    times.write_text(json.dumps(costs))
    lock = threading.Lock()

    def work(copy: Copy) -> None:
        while time.monotonic() < ends:
            with lock:
                if not waiting:
                    return
                mutant = waiting.pop(0)
            result = copy.judged(mutant, costs, args.own)
            with lock, ledger.open("a") as file:
                file.write(json.dumps(asdict(result)) + "\n")
                done[result.id] = result
                print(f"{'caught' if result.caught else 'SURVIVED':8}  {result.id}  {result.by}  {result.cpu:.0f} s", flush=True)

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
        print(f"| {room or 'all'} | {sum(found.values())} | {found['its room']} | {found['others']} | {found['time']} | {found['']} |")
    caught = sum(bool(done[each.id].caught) for each in tried)
    print(f"\ncaught: {caught} of {len(tried)}, {100 * caught / max(1, len(tried)):.0f} %\n")
    for each in tried:
        if not done[each.id].caught:
            print(f"- `{each.path}:{each.line}` ({each.kind}): `{done[each.id].was}` → `{done[each.id].now}`")


if __name__ == "__main__":
    main()
