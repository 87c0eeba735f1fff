"""What the instruction files of this folder take in every session, part by part."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tacit.guard.one_line import plain_line
from tacit.hosts import every_host
from tacit.words.blocks import Block, blocks_of

BLOCKS = 3  # parts of instruction files on one screen


def blocks_here() -> list[Block]:
    """The blocks of the instruction files in this folder, the dearest first."""
    found: list[Block] = []
    for name in dict.fromkeys(os.path.basename(each) for host in every_host().values() for each in host.instructions):
        if name.endswith(".md") and os.path.isfile(name) and os.path.getsize(name) < 1_000_000:
            with open(name, encoding="utf-8", errors="replace") as file:
                found += blocks_of(name, file.read())
    return sorted(found, key=lambda each: -each.tokens)


def block_lines(blocks: Sequence[Block]) -> list[str]:
    """What they take together, the dearest ones, and how to find out whether one helps."""
    if not blocks:
        return []
    total = sum(each.tokens for each in blocks)
    lines = ["", f"Your instruction files take about {total:,} tokens in every session. The dearest parts:"]
    lines += [f"  {each.tokens:>6,}  {each.name}  {plain_line(each.title, 60)}" for each in blocks[:BLOCKS]]
    return [
        *lines,
        f"Whether a part helps: tacit replay --without {blocks[0].name} --agent 'claude -p {{prompt}}' --check 'make test' --plan",
    ]
