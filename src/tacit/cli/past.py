"""What learning the past sessions of a host would cost, and learning them if that is wanted; what instruction files take in each."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from tacit.cli.verb import Cli
from tacit.core.clock import seconds
from tacit.core.errors import TacitError, numbered
from tacit.core.value import value
from tacit.hosts import every_host
from tacit.hosts.source import FileSource, Source
from tacit.learn import learning
from tacit.memory import Memory as Memories
from tacit.safety.one_line import plain_line
from tacit.screens.past import keeping, transcripts
from tacit.store.counts import learned_paths
from tacit.words.blocks import Block, blocks_of

BLOCKS = 3  # parts of instruction files on one screen


@value
class Cost:
    """What learning some transcripts takes."""

    sessions: int
    bytes: int
    seconds: float  # a guess from one of them

    def __str__(self) -> str:
        span = (
            f"{max(1, round(self.seconds))} s"
            if self.seconds < 90
            else f"{round(self.seconds / 60)} min"
        )
        return f"{numbered(self.sessions, 'session')}, {self.bytes / 1e6:.1f} MB, about {span}"


def offer(
    cli: Cli, memories: Memories, host: str, days: int, *, everywhere: bool, yes: bool
) -> tuple[dict[str, Any], str]:
    """Say what the last days' sessions would cost, and learn them if that is wanted. Data, and a line for people."""
    if host not in keeping():
        return {"sessions": 0}, ""
    paths = transcripts(
        memories.place,
        memories.env,
        host,
        days,
        everywhere=everywhere,
        was=learning.was_at(memories),
    )
    if not paths:
        return (
            {"sessions": 0},
            f"no session whose file changed in the last {numbered(days, 'day')} was found to learn from",
        )
    paths, known = _not_learned(memories, paths)
    if not paths:
        told = f"{numbered(known, 'session')} whose files changed in the last {numbered(days, 'day')}: learned already"
        return {"sessions": 0, "known": known}, told
    cost = _measured(memories, host, paths)
    said: dict[str, Any] = {"sessions": cost.sessions, "bytes": cost.bytes}
    said |= {"seconds": round(cost.seconds, 1), "learned": 0}
    if not yes and not cli.ask(f"Learn the last {days} days now ({cost})? [y/N] "):
        more = f"tacit connect {host} --learn-days {days} --yes learns them"
        return said, f"not learned: the last {days} days ({cost}); {more}"
    learned = lessons = failed = 0
    for number, source in enumerate(paths, 1):
        cli.progress(f"  {number}/{len(paths)} {source.name}")
        try:
            found = learning.learn(memories, source, format=host, by_place=True)
        except (TacitError, OSError):
            failed += 1
            continue
        learned += 1
        lessons += sum(len(each.new) for each in found)
    cli.progress()
    said.update(learned=learned, lessons=lessons, failed=failed)
    unread = f"; {failed} could not be read" if failed else ""
    return (
        said,
        f"learned {numbered(learned, 'session')}: {numbered(lessons, 'new lesson')}{unread}",
    )


def _not_learned(memories: Memories, sources: list[Source]) -> tuple[list[Source], int]:
    """Those that nobody learned since they last changed, and how many that leaves out. A file of many sessions is looked into again."""
    known = learned_paths(memories.store)
    new = [
        each
        for each in sources
        if not isinstance(each, FileSource)
        or os.stat(each.path).st_mtime > seconds(known.get(each.path, ""))
    ]
    return new, len(sources) - len(new)


def _measured(memories: Memories, host: str, paths: list[Source]) -> Cost:
    """From a try with the one of middle size; the try changes nothing."""
    sized = sorted(((each.size, n) for n, each in enumerate(paths) if os.path.exists(each.path)))
    total = sum(size for size, _ in sized)
    size, middle = sized[len(sized) // 2]
    began = time.perf_counter()
    try:
        learning.learn(memories, paths[middle], format=host, dry_run=True)
    except (TacitError, OSError):
        pass
    return Cost(len(sized), total, (time.perf_counter() - began) * max(1.0, total / max(1, size)))


def blocks_here() -> list[Block]:
    """The blocks of the instruction files in this folder, the dearest first."""
    found: list[Block] = []
    for name in dict.fromkeys(
        os.path.basename(each) for host in every_host().values() for each in host.instructions
    ):
        if name.endswith(".md") and os.path.isfile(name) and os.path.getsize(name) < 1_000_000:
            with open(name, encoding="utf-8", errors="replace") as file:
                found += blocks_of(name, file.read())
    return sorted(found, key=lambda each: -each.tokens)


def block_lines(blocks: Sequence[Block]) -> list[str]:
    """What they take together, the dearest ones, and how to find out whether one helps."""
    if not blocks:
        return []
    total = sum(each.tokens for each in blocks)
    lines = [
        "",
        f"Your instruction files take about {total:,} tokens in every session. The dearest parts:",
    ]
    lines += [
        f"  {each.tokens:>6,}  {each.name}  {plain_line(each.title, 60)}"
        for each in blocks[:BLOCKS]
    ]
    return [
        *lines,
        "Whether a part helps:",
        f"  tacit replay --without {blocks[0].name} --agent 'claude -p {{prompt}}' --check 'YOUR TESTS' --plan",
    ]
