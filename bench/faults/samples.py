"""Where fuzzing begins: what the tests of the formats give them to read, recorded into the corpus.

A format that is new in the registry, with tests of its own, gets its beginnings by running this once more.

    python bench/faults/samples.py
"""

from __future__ import annotations

import sys
from typing import Any

import corpus
import pytest
from common import ROOT

MOST = 12  # samples of a door
SIZE = 3000  # bytes of one


def recorded() -> set[bytes]:
    """Every small source that the tests open."""
    from tacit.hosts.source import BytesSource, FileSource

    seen: set[bytes] = set()
    for kind in (BytesSource, FileSource):
        opened = kind.open

        def watched(self: Any, opened: Any = opened) -> Any:
            with opened(self) as file:
                raw = file.read(SIZE + 1)
            if 0 < len(raw) <= SIZE:
                seen.add(bytes(raw))
            return opened(self)

        kind.open = watched  # type: ignore[method-assign]
    if pytest.main(["-q", "-p", "no:cacheprovider", str(ROOT / "tests" / "hosts")]):
        sys.exit("the tests of the formats do not pass; nothing was recorded")
    return seen


def main() -> None:
    """Give each sample to the doors that would take it."""
    from tacit.hosts import formats
    from tacit.hosts.source import BytesSource

    found: dict[str, list[bytes]] = {}
    for raw in sorted(recorded(), key=lambda raw: (len(raw), raw)):
        source = BytesSource(raw)
        name = formats.detect(source)
        if name:
            found.setdefault(f"read-{name}", []).append(raw)
            found.setdefault("learn", []).append(raw)
        for each in formats.exchanging():
            if formats.exchange(each).holds(source) > formats.FORMAT_DOUBT:
                found.setdefault(f"import-{each}", []).append(raw)

    def edit(every: dict[str, bytes]) -> None:
        for door, samples in sorted(found.items()):
            for old in [name for name in every if name.startswith(f"{door}/sample-")]:
                del every[old]
            step = max(1, len(samples) // MOST)  # short ones and long ones
            every.update((corpus.named(door, "sample", raw), raw) for raw in samples[::step][:MOST])
            print(f"{door}: {min(len(samples), MOST)} of {len(samples)} samples")

    corpus.change(edit)


if __name__ == "__main__":
    main()
