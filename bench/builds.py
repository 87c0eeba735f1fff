"""Do two builds of one store answer alike? The same lessons with other ids at other times, in the same order and shuffled; a thousand questions.

    python bench/builds.py [--lessons 3000] [--questions 1000]

Compared are the texts of the first ten answers, in their order (a score ages with every second), by words. The exit code is 1 if any differ.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile

from stores import opened
from texts import Writer

FIRST = 10


def build(folder: str, lessons: list[dict[str, object]]) -> str:
    path = os.path.join(folder, "tacit.db")
    os.makedirs(folder)
    with opened(path) as kept:
        kept.add_many(lessons)
    return path


def answers(path: str, questions: list[str]) -> list[list[str]]:
    with opened(path) as kept:
        return [
            [hit.memory.text for hit in kept.recall(each, limit=FIRST).hits] for each in questions
        ]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lessons", type=int, default=3000)
    parser.add_argument("--questions", type=int, default=1000)
    args = parser.parse_args()
    writer = Writer(11)
    lessons = list(
        {
            str(each["text"]): each for each in (writer.lesson() for _ in range(args.lessons))
        }.values()
    )
    shuffled = random.Random(3).sample(lessons, len(lessons))
    questions = [
        writer.prompt(str(lessons[at % len(lessons)]["text"])) for at in range(args.questions)
    ]
    with tempfile.TemporaryDirectory(prefix="tacit-builds-") as folder:
        told = [
            answers(build(os.path.join(folder, str(at)), each), questions)
            for at, each in enumerate((lessons, lessons, shuffled))
        ]
    again, other = (sum(one != two for one, two in zip(told[0], each)) for each in told[1:])
    print(
        f"of {len(questions):,} questions to {len(lessons):,} lessons {again} differ in a second build,"
        f" {other} in one written in another order"
    )
    return int(again + other > 0)


if __name__ == "__main__":
    sys.exit(main())
