"""A run's way through `learn`, drawn from a trace of real calls: `python -m bench.walk [SESSION …] [--write]`.

Every session is learned into a store in memory, as `tacit learn` does. A step is what the conductor (`learn.learn`) calls; below it stand the
modules that the step goes to, in the order of their first call. `--write` puts the drawing into docs/internals/learning.md. It ends with a
failure where a step is entered twice (but once for each finding), where two sessions differ in their order, or where a command line is parsed twice.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import tacit
from tacit import learn as room
from tacit.app import open as open_memories
from tacit.formats import read
from tacit.formats.source import FileSource
from tacit.learn import command

HERE = Path(__file__).parents[1]
ROOM = str(Path(tacit.__file__).parent / "learn") + "/"
PAGE = HERE / "docs" / "internals" / "learning.md"
BEGIN, END = "<!-- walk -->", "<!-- end of walk -->"
EACH = ("without_secrets", "judged_by_gate")  # asked once for each finding


class Walk:
    """What one call of `learn` went through."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str, list[str]]] = []  # name, module, the modules it goes to
        self.parsed: Counter[str] = Counter()
        self._conductor: FrameType | None = None

    def traced(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "return" and frame is self._conductor:
            self._conductor = None
        if event != "call" or not code.co_filename.startswith(ROOM) or code.co_name.startswith("<"):
            return
        if code is room.learn.__code__:
            self._conductor = frame
            return
        module = code.co_filename.removeprefix(ROOM).removesuffix(".py").removesuffix("/__init__")
        caller = frame.f_back
        if caller is not None and caller.f_code.co_name.startswith(
            "<"
        ):  # a comprehension has a frame of its own before 3.12
            caller = caller.f_back
        if caller is self._conductor and self._conductor is not None:
            self.steps.append((code.co_name, module, []))
        elif (
            self.steps
            and self._conductor is not None
            and module not in (self.steps[-1][1], *self.steps[-1][2])
        ):
            self.steps[-1][2].append(module)

    def drawn(self) -> list[tuple[str, str, list[str]]]:
        """The steps, those that are asked for each finding once."""
        kept: list[tuple[str, str, list[str]]] = []
        for name, module, below in self.steps:
            same = next((each for each in kept if each[0] == name and name in EACH), None)
            if same:
                same[2].extend(each for each in below if each not in same[2])
            else:
                kept.append((name, module, below))
        return kept


def walked(files: list[str]) -> list[Walk]:
    """One walk per run of these sessions, learned in their order."""
    walks = []
    parse = command.simple_commands
    with tempfile.TemporaryDirectory() as folder, open_memories(f"{folder}/tacit.db") as memories:
        for file in files:
            for run in read(FileSource(file)):
                walk = Walk()

                def counted(line: str, walk: Walk = walk) -> Any:
                    walk.parsed[line] += 1
                    return parse(line)

                command.commands.cache_clear()
                command.simple_commands = counted  # type: ignore[assignment]
                sys.setprofile(walk.traced)
                try:
                    memories.learn(run, over=True)
                finally:
                    sys.setprofile(None)
                    command.simple_commands = parse
                walks.append(walk)
    return walks


def faults(walks: list[Walk]) -> list[str]:
    """Steps that are entered twice, sessions that go another way, lines that are parsed twice."""
    found = []
    order = [name for name, _, _ in walks[0].drawn()]
    for walk in walks:
        names = [name for name, _, _ in walk.drawn()]
        found += [f"{name} is entered {n} times" for name, n in Counter(names).items() if n > 1]
        found += (
            [f"another order: {names}"]
            if [name for name in order if name in names] != names
            else []
        )
        found += [f"parsed {n} times: {line[:60]}" for line, n in walk.parsed.items() if n > 1]
    return found


def drawing(walks: list[Walk]) -> str:
    """The steps as a list, with the modules that any of the walks went to."""
    lines, below = [], dict[str, dict[str, None]]()
    for walk in walks:
        for name, _, modules in walk.drawn():
            below.setdefault(name, {}).update(dict.fromkeys(modules))
    for n, (name, module, _) in enumerate(walks[0].drawn(), 1):
        how = ", for each finding" if name in EACH else ""
        to = "".join(f" → {each}" for each in below[name])
        lines.append(
            f"{n}. `{module.replace('/', '.')}.{name.strip('_')}`{how}{':' + to if to else ''}"
        )
    parsed = sum(len(walk.parsed) for walk in walks)
    return "\n".join([*lines, "", f"{parsed} command lines, each parsed once."])


if __name__ == "__main__":
    given = [each for each in sys.argv[1:] if each != "--write"]
    found = walked(
        given or [str(each) for each in sorted((HERE / "examples" / "sessions").glob("*.jsonl"))]
    )
    text = drawing(found)
    print(text)
    if "--write" in sys.argv:
        page = PAGE.read_text()
        PAGE.write_text(re.sub(f"(?<={BEGIN}\n).*?(?=\n{END})", lambda _: text, page, flags=re.S))
    sys.exit("\n".join(faults(found)) or 0)
