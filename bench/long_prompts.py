"""Is a lesson that a short question finds also found when the question stands inside a pasted log, a ticket or code?

    python bench/long_prompts.py [DATA] [--sessions FOLDER] [--half dev|heldout] [--other] [--lessons 200] [--out FILE]

Lessons are Hadoop's and SeaMonkey's reports, a store each; a short question is the title of a linked duplicate (itself left out), and counts where it finds a
twin among the first three. The same question is then put at a random place into 30, 100 and 300 lines: of tool output of real sessions, of the other tracker's reports,
of this repository's source. Found is a twin among the first ten of `recall(prompt)`, default settings; beside it, whether one is among the three lines that `inject(prompt)` gives an agent. With `--other` the same for data of other origin (bench/quality_machine.py): what ruff, rustc
and perl say, and Perl's FAQ, each beside lines of the next one's texts, some fifty questions of each.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

from quality import Tacit  # noqa: E402
from quality_machine import kinds  # noqa: E402
from quality_sets import Lesson, Question, gitbugs, session_folder  # noqa: E402

LINES = (30, 100, 300)
WIDE = 300  # characters of a line
FIRST = 3


def noise(data: Path, sessions: Path, other: list[Lesson]) -> dict[str, list[str]]:
    """Lines of each kind; a kind whose data is not there is left out."""
    found = {
        "tickets": [line for each in other for line in each.text.splitlines()],
        "code": [
            line
            for path in sorted((HERE.parent / "src").rglob("*.py"))[:80]
            for line in path.read_text(encoding="utf-8").splitlines()
        ],
        "logs": list(_outputs(sessions)),
    }
    return {
        kind: kept
        for kind, lines in found.items()
        if len(kept := [line[:WIDE] for line in lines if line.strip()]) > max(LINES)
    }


def _outputs(folder: Path) -> list[str]:
    from tacit.formats import read
    from tacit.formats.source import FileSource

    found: list[str] = []
    for path in sorted(folder.glob("*/sessions/*.jsonl"))[:25]:
        for run in read(FileSource(str(path))):
            found += [
                line for step in run.steps for line in (step.output or step.error).splitlines()
            ]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "data", nargs="?", type=Path, default=HERE.parent.parent / "shared" / "data"
    )
    parser.add_argument("--sessions", type=Path)
    parser.add_argument("--half", choices=("dev", "heldout"), default="dev")
    parser.add_argument("--other", action="store_true", help="data of other origin")
    parser.add_argument("--lessons", type=int, default=200)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    if not args.other and not (args.data / "gitbugs").is_dir():
        print(f"Nothing to measure: no gitbugs in {args.data}.", file=sys.stderr)
        return 0
    found: dict[tuple[str, int], list[bool]] = {}
    given: list[bool] = []
    asked = 0
    if args.other:
        stages = [
            stages[0]
            for kind, stages in kinds(args.data, args.half, ["lint", "faq", "perl", "rust"])
            if kind != "rust.output"
        ]
        texts, questions = (
            [stage.lessons for stage in stages],
            [stage.questions for stage in stages],
        )
    else:
        halves = ("dev", "heldout") if args.lessons > 90 else (args.half,)
        stores = [gitbugs(args.data, half)["gitbugs.title"] for half in halves]
        texts = [stage[0].lessons for stage in gitbugs(args.data, "dev")["gitbugs.report"]]
        questions = [
            [each for store in stores for each in store[place][0].questions]
            for place in range(len(texts))
        ]
    for place, lessons in enumerate(texts):
        method, most = (
            Tacit(),
            args.lessons * (place + 1) // len(texts) if args.other else args.lessons,
        )
        method.learn(lessons)
        lines = noise(
            args.data, args.sessions or session_folder(args.data), texts[(place + 1) % len(texts)]
        )
        for question in questions[place]:
            if asked >= most or not _found(method, question, question.text, FIRST):
                continue
            asked += 1
            for kind, some in lines.items():
                for size in LINES:
                    chance = random.Random(f"{question.id} {kind} {size}")
                    start = chance.randrange(len(some) - size)
                    prompt = some[start : start + size]
                    prompt.insert(chance.randrange(size), question.text)
                    found.setdefault((kind, size), []).append(
                        _found(method, question, "\n".join(prompt), 10)
                    )
                    given.append(
                        _found(method, question._replace(start=True), "\n".join(prompt), 3)
                    )
        method.close()
    table = [
        "| inside | " + " | ".join(f"{size} lines" for size in LINES) + " |",
        "|---" * (1 + len(LINES)) + "|",
    ]
    for kind in dict.fromkeys(kind for kind, _ in found):
        table.append(
            f"| {kind} | "
            + " | ".join(
                f"{100 * sum(hits) / len(hits):.0f} %"
                for size in LINES
                for hits in [found[kind, size]]
            )
            + " |"
        )
    every = [hit for hits in found.values() for hit in hits]
    text = "\n".join(
        [
            f"# Long prompts: {asked} lessons that a short question finds",
            "",
            *table,
            "",
            f"all: {100 * sum(every) / max(1, len(every)):.1f} %",
            f"among the three lines that are given: {100 * sum(given) / max(1, len(given)):.1f} %",
            "",
        ]
    )
    print(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")
    return 0


def _found(method: Tacit, question: Question, prompt: str, first: int) -> bool:
    answers = method.answer(question._replace(text=prompt))
    return any(
        id in question.right for id in [id for id in answers if id not in question.hidden][:first]
    )


if __name__ == "__main__":
    sys.exit(main())
