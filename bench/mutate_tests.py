"""Which tests execute which line, and a run of only those: the half of `make mutate` that speaks with pytest (`-p mutate_tests`).

With MUTATE_RECORD=FOLDER a run of tests records which lines of tacit each of them executes, as if it ran alone, the processes that it starts
included: modules are imported first, and what a process remembers between tests (caches) is emptied before each. As a program it runs only the tests that it is asked for, in their
order, each until it took three times the CPU that it took when it was recorded.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

ENOUGH = 3  # times the CPU that a test took when it was recorded, and …
GRACE = 20  # … so many seconds more
SEEN = 3  # seconds of CPU of one test that are recorded; what it executes after them it has mostly executed before
SLOWEST = 3600  # seconds of wall clock for a run, for what waits instead of working
READY = (
    "hypothesis",
    "hypothesis.strategies",
    "hypothesis.extra",
    "apsw",
    "sqlite3",
    "asyncio",
    "email",
    "http.client",
    "unittest.mock",
)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Record:
    """The lines that each test executes, and the CPU that it takes. Its context is the test, or the file for what all its tests share."""

    def __init__(self) -> None:
        from mutate_lines import CONTEXT, Lines

        self.variable, self.lines = CONTEXT, Lines()
        for path in sorted(Path("src/tacit").rglob("*.py")):
            if path.stem != "__main__":
                try:
                    importlib.import_module(
                        ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
                    )
                except Exception:
                    pass  # an extra that is not installed, each says it in its own way
        ours = [module for name, module in sys.modules.items() if name.startswith("tacit.")]
        self.memos = [
            value
            for module in ours
            for value in vars(module).values()
            if type(value) is dict and not value
        ]
        self.caches = []
        for each in gc.get_objects():
            if isinstance(each, functools._lru_cache_wrapper) and each.__module__.startswith(
                "tacit."
            ):
                try:
                    each()  # what asks for nothing is a constant that is made when it is first used
                except TypeError:
                    self.caches.append(each)
        self.lines.taken()
        self.context = ""

    def switch(self, context: str) -> str:
        """To another context; which one it was."""
        was, self.context = self.context, context
        if (taken := self.lines.taken()) and was:
            self.lines.keep("lines", was, taken)
        os.environ[self.variable] = context
        return was

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what is known already."""
        known = set(json.loads(Path(os.environ["MUTATE_KNOWN"]).read_text()))
        items[:] = [item for item in items if item.nodeid not in known]

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """What a file of tests calls while it is read counts for all its tests."""
        was = self.switch(collector.nodeid.split("::")[0])
        try:
            return (yield)
        finally:
            self.switch(was)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """So does what it makes once for all of them."""
        was = self.switch(
            self.context.split("::")[0] if fixturedef.scope != "function" else self.context
        )
        try:
            return (yield)
        finally:
            self.switch(was)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """One test: its lines, its CPU."""
        for memo in self.memos:
            memo.clear()
        for cache in self.caches:
            cache.cache_clear()
        self.passed = True
        self.switch(item.nodeid)
        began = _cpu()
        signal.signal(signal.SIGPROF, lambda *_: self.lines.coverage.stop())
        signal.setitimer(signal.ITIMER_PROF, SEEN)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.switch("")
            self.lines.coverage.stop()
            self.lines.coverage.start()
            self.lines.keep("test", item.nodeid, round(_cpu() - began, 3), self.passed)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Who fails, or is skipped, without a mutant can tell nothing."""
        self.passed &= report.outcome == "passed"


class Ask:
    """The tests of a list, in its order."""

    def __init__(self, path: Path) -> None:
        self.path, self.told = path, False
        self.usual: dict[str, float] = json.loads(path.read_text())

    def tell(self, how: str, name: str) -> None:
        """Who noticed, the first of them."""
        if not self.told:
            self.told = True
            self.path.with_suffix(".told").write_text(json.dumps([how, name]))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be read any more."""
        if report.failed:
            self.tell("import", report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails."""
        if report.failed:
            self.tell("failed", report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the others."""
        order = {name: place for place, name in enumerate(self.usual)}
        items[:] = sorted(
            (item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid]
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """End a test that goes on for ever."""

        def ended(*_: Any) -> None:
            self.tell("time", item.nodeid)
            os._exit(99)

        signal.signal(signal.SIGPROF, ended)
        signal.setitimer(signal.ITIMER_PROF, ENOUGH * self.usual[item.nodeid] + GRACE)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


_RECORD = None
if os.environ.get("MUTATE_RECORD"):  # before conftest.py imports anything
    _RECORD = Record()


def pytest_configure(config: pytest.Config) -> None:
    """Only a run that records has more to do."""
    if _RECORD:
        config.pluginmanager.register(_RECORD)


def serve() -> None:
    """Run what is asked, a line of JSON each, in forks of a process that has pytest but nothing of ours; answer with exit code and CPU."""
    for name in READY:
        importlib.import_module(name)
    questions, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    gc.freeze()
    for line in questions:
        child = os.fork()
        if not child:
            for fd in (0, 1, 2):
                os.dup2(nothing, fd)
            signal.alarm(SLOWEST)
            asked = json.loads(line)
            os._exit(int(pytest.main(asked["argv"], plugins=[Ask(Path(asked["ask"]))])))
        _, status, used = os.wait4(child, 0)
        told = [os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime]
        os.write(answers, json.dumps(told).encode() + b"\n")


if __name__ == "__main__":
    serve()
