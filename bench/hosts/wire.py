#!/usr/bin/env python3
"""What a reading takes on the wire: the prompts of real sessions through each program that may read, counted where they arrive.

    wire.py DATA QUEUE [--project cc-backend] [--questions 24] [--host claude-code-newest] [--worlds FOLDER]

QUEUE holds kept answers (bench/lessons/answers.py unpack), so that follow-up questions come up as well. Every question goes through the
program's own command as Tacit calls it, to a scripted model on loopback that keeps each request. Told: requests a question, bytes that a
request carries beside the prompt, and with --worlds (the homes that `python -m bench.lessons feed` left behind) the tokens of whole
readings, median and 95 %, each question with what the program adds to it. A token is four bytes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lessons"), str(HERE.parents[1])]

from drive import ROOT, World  # noqa: E402
from model import Model  # noqa: E402
from programs import PROGRAMS, install  # noqa: E402
from questions import questions  # noqa: E402

from tacit.hosts import readers  # noqa: E402
from tacit.providers.command import ModelCommand  # noqa: E402
from tacit.stores import readings  # noqa: E402

BYTES_A_TOKEN = 4


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("queue", type=Path)
    parser.add_argument("--project", default="cc-backend")
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument(
        "--host", default="claude-code-newest", help="claude-code-newest or claude-code-npm"
    )
    parser.add_argument("--programs", type=Path, default=ROOT / ".hosts")
    parser.add_argument(
        "--worlds", type=Path, help="the folder in which the feeding left a home for each project"
    )
    args = parser.parse_args()
    [program] = [
        install(each, args.programs) for each in PROGRAMS if f"{each.host}-{each.pick}" == args.host
    ]
    if program.missing:
        print(f"{program.name}: {program.missing}")
        return 2
    every = sorted(questions(args.data, args.project, args.queue), key=lambda each: len(each[2]))
    most = min(args.questions, len(every))
    chosen = [
        every[round(at * (len(every) - 1) / max(1, most - 1))] for at in range(most)
    ]  # of all sizes
    with tempfile.TemporaryDirectory(prefix="tacit-wire-") as folder:
        model = Model()
        world = World(Path(folder), model, {})
        world.env["PATH"] = f"{Path(program.path).parent}:{world.env['PATH']}"
        world.env.update(program.ready(world.home, world.project, model.url))
        reader = ModelCommand(readers(world.env)[program.host].format(model="haiku"), world.env)
        rows = [sent(model, reader, asked) for _, _, asked, _ in chosen]
        model.close()
    beside = [text - prompt for prompt, text, _, _ in rows]
    print(f"{program.name}: {len(rows)} questions of {rows[0][0]:,} to {rows[-1][0]:,} bytes")
    print(f"  requests a question   {sum(count for *_, count in rows) / len(rows):.2f}")
    print(f"  tools offered         {max(tools for _, _, tools, _ in rows)}")
    print(
        f"  beside the prompt     {min(beside):,} to {max(beside):,} bytes, about {statistics.median(beside) / BYTES_A_TOKEN:.0f} tokens"
    )
    if args.worlds:
        told(whole(args.worlds), statistics.median(beside))
    return 0


def sent(model: Model, reader: ModelCommand, prompt: str) -> tuple[int, int, int, int]:
    """One question through the program: bytes of the prompt, of all that reached the model, tools offered, requests."""
    model.play({}, untold='{"lessons": [], "struck": []}')
    reader.answer(prompt, None, 120.0)
    seen = model.seen(tools=False)
    return (
        len(prompt.encode()),
        sum(len(each.text.encode()) for each in seen),
        max((len(each.tools) for each in seen), default=0),
        len(seen),
    )


def whole(worlds: Path) -> list[list[tuple[str, int, int]]]:
    """The questions of each session that was read: step, characters asked, characters answered."""
    found: list[list[tuple[str, int, int]]] = []
    for store in sorted(worlds.glob("*/home/**/tacit.db")):
        place = readings.readings_folder(str(store))
        for path in sorted(Path(place).glob("*.json.gz")):
            kept = readings.load(place, path.name.removesuffix(".json.gz"))
            if kept is not None and kept.answers:
                found.append(
                    [
                        (str(each["step"]), int(each["chars"]), len(str(each["said"])))
                        for each in kept.answers.values()
                    ]
                )
    return found


def told(sessions: list[list[tuple[str, int, int]]], beside: float) -> None:
    """Tokens of whole readings, without and with what the program adds."""

    def both(totals: list[float]) -> str:
        ordered = sorted(totals)
        return f"median {ordered[len(ordered) // 2]:,.0f}, 95 % {ordered[len(ordered) * 95 // 100]:,.0f}"

    plain = [sum(asked for _, asked, _ in each) / BYTES_A_TOKEN for each in sessions]
    wire = [one + len(each) * beside / BYTES_A_TOKEN for one, each in zip(plain, sessions)]
    out = [sum(answered for *_, answered in each) / BYTES_A_TOKEN for each in sessions]
    print(
        f"  {len(sessions)} sessions read, {sum(map(len, sessions)) / len(sessions):.1f} questions each"
    )
    print(f"  prompts alone         {both(plain)}")
    print(f"  on the wire           {both(wire)}")
    print(f"  answers               {both(out)}")


if __name__ == "__main__":
    sys.exit(main())
