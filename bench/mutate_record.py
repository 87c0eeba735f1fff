"""Which tests execute which line, recorded once and kept in .bench/mutate: what mutate.py asks before it asks a test.

A test is recorded again when its file, what tests share, or a module of which it executes a function has changed; only then can it execute other
lines. (A constant of another module may lead it elsewhere too: a record made anew, without the folder, is the exact one.)
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from mutate_places import ROOT, Mutant, bodies, mentions, statement

KEPT = ROOT / ".bench" / "mutate"
# What reads or copies the tree itself, or needs the network's tools: it says nothing of behaviour.
NOT_ASKED = (
    "tests/test_docs.py",
    "tests/test_house.py",
    "tests/test_rooms.py",
    "tests/test_bench.py",
    "tests/faults",
)
CAP = 300  # seconds of recorded CPU that one mutant may be asked of


class Known:
    """Which tests execute which line, and the CPU that each takes."""

    def __init__(self, tests: dict[str, float], lines: dict[str, dict[str, int]]) -> None:
        self.tests = tests
        self.passes: dict[str, bool] = {}  # without any mutant, of those that were asked for it
        self.lines = lines  # of each context (a test, or a file for what its tests share), by module, as bits
        self.files: dict[str, list[str]] = defaultdict(list)
        for test in tests:
            self.files[test.split("::")[0]].append(test)

    def contexts(self, path: str, lines: Iterable[int] | None) -> set[str]:
        """The contexts in which some of these lines of a module were executed, or any."""
        mask = -1 if lines is None else sum(1 << line for line in set(lines))
        return {context for context, found in self.lines.items() if found.get(path, 0) & mask}

    def named(self, contexts: set[str]) -> set[str]:
        """The tests of contexts; that of a file is all its tests."""
        return {
            test
            for each in contexts
            for test in (self.files.get(each) or ([each] if each in self.tests else []))
        }

    def asked(self, mutant: Mutant) -> list[tuple[str, float]]:
        """The tests that can notice a mutant, with their CPU, in the order of asking."""
        first, last, names, within = statement(mutant.path, mutant.line)
        tests = self.named(self.contexts(mutant.path, range(first, last + 1)))
        if not within:
            tests |= self.named(self.contexts(mutant.path, None)) | self.named(
                self.mentioned(names)
            )
        stem = (
            Path(mutant.path).stem
            if Path(mutant.path).stem != "__init__"
            else Path(mutant.path).parent.name
        )
        cost: dict[str, float] = defaultdict(float)
        for test in tests:
            cost[test.split("::")[0]] += self.tests[test]

        def nearness(file: str) -> tuple[int, float]:
            own = file.startswith(f"tests/{mutant.room}/")
            return 0 if own and stem in Path(file).stem else 1 if own else 2, cost[file]

        total = 0.0
        return [
            (test, self.tests[test])
            for file in sorted(cost, key=nearness)
            for test in self.files[file]
            if test in tests
            and self.passes.get(test, True)
            and (total := total + self.tests[test]) <= CAP
        ]

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


def _digests(paths: Iterable[Path]) -> dict[str, str]:
    return {
        str(path.relative_to(ROOT)): sha256(_read(path)).hexdigest()[:16] for path in sorted(paths)
    }


def _read(path: Path) -> bytes:
    """A file, and the tables beside it that it names."""
    raw = path.read_bytes()
    return raw + b"".join(
        each.read_bytes()
        for each in sorted(path.parent.glob("*.jsonl"))
        if each.name.encode() in raw
    )


def recorded(copy: Path, env: dict[str, str], workers: int, only: tuple[str, ...]) -> Known:
    """The record, with the tests that it lacks recorded now, in a copy of the tree."""
    source = _digests((ROOT / "src").rglob("*.py"))
    files = _digests((ROOT / "tests").rglob("test_*.py"))
    shared = _digests(
        path
        for path in (ROOT / "tests").rglob("*")
        if path.suffix in (".py", ".toml", ".txt", ".json") and not path.name.startswith("test_")
    )
    kept = KEPT / "record.json"
    was = json.loads(kept.read_text()) if kept.exists() else {"shared": shared}
    if any(
        shared.get(path) != digest for path, digest in was["shared"].items()
    ):  # what is new, nobody used
        was = {}
    changed = {path for path, digest in was.get("source", {}).items() if source.get(path) != digest}
    stands = {file for file, digest in was.get("files", {}).items() if files.get(file) == digest}
    lines: dict[str, dict[str, int]] = {
        context: {path: int(bits, 16) for path, bits in found.items()}
        for context, found in was.get("lines", {}).items()
        if context.split("::")[0] in stands and not changed & set(found)
    }
    tests: dict[str, tuple[float, bool]] = {
        test: (cpu, passed)
        for test, (cpu, passed) in was.get("tests", {}).items()
        if test.split("::")[0] in stands and not changed & set(was["lines"].get(test, ()))
    }
    stale = {test.split("::")[0] for test in was.get("tests", {}) if test not in tests}
    new = [
        file
        for file in files
        if (file not in stands or file in stale)
        and file.startswith(only)
        and not file.startswith(NOT_ASKED)
    ]
    if new:
        _record(new, tests, lines, copy, env, workers)
        done = {test.split("::")[0] for test in tests}
        told = {
            "source": source,
            "shared": shared,
            "files": {
                file: digest for file, digest in files.items() if file in stands or file in done
            },
            "tests": tests,
            "lines": {
                each: {path: f"{bits:x}" for path, bits in found.items()}
                for each, found in lines.items()
            },
        }
        kept.write_text(json.dumps(told))
    return Known(
        {test: cpu for test, (cpu, passed) in tests.items() if passed and test.startswith(only)},
        lines,
    )


def _record(
    new: list[str],
    tests: dict[str, tuple[float, bool]],
    lines: dict[str, dict[str, int]],
    copy: Path,
    env: dict[str, str],
    workers: int,
) -> None:
    """Run what is not known of these files, and add what was seen."""
    known, said = KEPT / "known.json", KEPT / "said.txt"
    known.write_text(json.dumps(list(tests)))
    print(f"recording {len(new)} files of tests", flush=True)
    new.sort(key=lambda name: -(ROOT / name).stat().st_size)
    argv = [
        sys.executable,
        *"-m pytest -p mutate_tests -q --tb=short -p no:cacheprovider -p no:xdist".split(),
    ]
    with tempfile.TemporaryDirectory(dir=KEPT) as place, said.open("w") as output:
        path = f"{env['PYTHONPATH']}:{ROOT / 'bench' / 'mutate_process'}"
        env = {**env, "PYTHONPATH": path, "MUTATE_RECORD": place, "MUTATE_KNOWN": str(known)}
        started = [
            subprocess.Popen(
                [*argv, "-m", "not slow", *new[part::workers]],
                cwd=copy,
                env=env,
                stdout=output,
                stderr=output,
            )
            for part in range(min(workers, len(new)))
        ]
        codes = {process.wait() for process in started}
        rows = [
            json.loads(line)
            for part in Path(place).glob("*.rows")
            for line in part.read_text().splitlines()
        ]
    ran = {
        test: (cpu, passed)
        for kind, test, *rest in rows
        if kind == "test"
        for cpu, passed in [rest]
    }
    if not ran and max(codes) not in (
        0,
        5,
    ):  # 5: only files that are skipped whole, which leave no test
        sys.exit(f"no test could be recorded: {said}")
    tests |= ran
    inside: dict[str, int] = {}
    for kind, context, *rest in rows:
        if kind == "cpu" and context in ran:
            tests[context] = round(tests[context][0] + rest[0], 3), tests[context][1]
        elif kind == "lines":
            found = lines.setdefault(context, {})
            for path, bits in rest[0].items():
                # Pages that a template engine compiled have lines too.
                if not path.endswith(".py"):
                    continue
                if path not in inside:
                    inside[path] = sum(1 << line for line in bodies(path))
                if called := int(bits, 16) & inside[path]:
                    found[path] = found.get(path, 0) | called
    lost = sum(not passed for _, passed in ran.values())
    print(
        f"{len(ran)} tests recorded; {lost} were skipped or failed and are not asked: {said}",
        flush=True,
    )
