"""Does recall find the right lessons? Five sets of other people's data, through the public API with default settings, plain FTS5 beside it.

    python bench/quality.py [DATA] [--half dev|heldout] [--set NAME] [--only METHOD …] [--no-speaker] [--out FILE]

DATA is a folder with `reflexion/`, `whowhen/`, `gitbugs/` and `sessions/` (origins and licences: docs/internals/recall.md); a set that is not there is skipped
and named. Nothing of it enters the repository. What is asked, and what is right: bench/quality_sets.py.

Lessons are kept by `add_many` with their task and group and, where the data says that an agent said them, as an agent's words (`--no-speaker`: as
if one person had said everything, which is all that FTS5 can know); questions go to `recall(question, limit=10)`, starts to `inject(task)`: nothing
else is set. FTS5 has the same texts (lesson and task) in one column, all words of the question but stop words, `bm25()`. The commonest list gives
everybody the lessons that were met in most runs.

hit@k      one of the first k is right         nDCG@10   right ones among the first ten, weighed by place
given@3    at a start: one of the lessons that are given is right; three are looked at, of ours and of the others

Intervals: 95 %, questions drawn anew in pairs within their kind. A set's figure is the mean of its kinds' headline figures, the pooled one the mean of the sets'.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import re
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import tacit

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import apsw  # noqa: E402

from quality_sets import SETS, Lesson, Question, Stage, session_folder  # noqa: E402
from tacit.learn import correcting  # noqa: E402
from tacit.testing import signed  # noqa: E402

DEPTH = 10
STOP = set(
    "a about above after again all also am an and any are as at be because been before being below both but by can "
    "cannot could did do does doing done during each either else ever every few for from further get got had has "
    "have having he her here hers him his how however i if in into is it its itself just let made make makes may me "
    "might more most much must my need needs neither never no nor not now of off often on once only or other "
    "otherwise our ours out over own per please quite rather same shall she should since so some still such than "
    "that the their theirs them then there therefore these they this those through thus to too under until up upon "
    "us very via was we were what when where whether which while who whom whose why will with within without would "
    "yet you your yours".split()
)
GIVEN = 3
HEADLINE = {
    "start": "given@3",
    "step": "hit@1",
}  # by the kind's second word; nDCG@10 for the others
PLAIN = "FTS5"
RESAMPLES = 4000


class Method(Protocol):
    """Something that keeps lessons and answers questions."""

    def learn(self, lessons: list[Lesson]) -> None: ...
    def answer(self, question: Question) -> list[str]: ...
    def close(self) -> None: ...


def plain_words(text: str) -> list[str]:
    """The words of a question for plain full text: distinct, without the commonest English ones, of no rule of the product's."""
    found = dict.fromkeys(re.findall(r"\w{2,}", text.lower()))
    return [word for word in found if word not in STOP][:400]


# --- the methods


class Tacit:
    """The public API with default settings."""

    speaker = True  # whether it is told whose words are an agent's

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="tacit-quality-")
        place = self.folder.name
        env = signed(
            {
                "HOME": place,
                "XDG_DATA_HOME": place,
                "XDG_CONFIG_HOME": place,
            }
        )
        self.memories = tacit.open(
            str(Path(place) / "tacit.db"),
            project="quality",
            env=env,
            cwd=place,
            by="bench",
            yes=True,
        )
        self.ours: dict[str, str] = {}  # our id -> theirs

    def learn(self, lessons: list[Lesson]) -> None:
        told = ("text", "task", "group", *(("trust",) if self.speaker else ()))
        facets = [
            {"kind": "pitfall", **{name: getattr(each, name) for name in told}} for each in lessons
        ]
        for lesson, kept in zip(lessons, correcting.add_many(self.memories, facets)):
            self.ours[kept.id] = lesson.id

    def answer(self, question: Question) -> list[str]:
        if question.start:
            return [
                self.ours[id] for id in self.memories.inject(question.text, trial=False).injected
            ]
        found = self.memories.recall(question.text, limit=DEPTH + len(question.hidden))
        return [self.ours[hit.memory.id] for hit in found.hits]

    def close(self) -> None:
        self.memories.close()
        self.folder.cleanup()


class Ranking(Tacit):
    """The ranking alone (`hooks/search.py`): what fits the words, without moments, ages and counts."""

    def answer(self, question: Question) -> list[str]:
        from tacit.core.rows import scope_projects
        from tacit.hooks.search import Search
        from tacit.store.finding import FullText

        full = FullText(self.memories.store, scope_projects(self.memories.project_id), False)
        found = Search(full, question.text).best(DEPTH + len(question.hidden))
        hits = full.lessons({each.n: each.score for each in found})
        return [self.ours[hit.memory.id] for hit in hits]


class Fts5:
    """SQLite's own full text and `bm25()`, all words of the question."""

    def __init__(self) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute(
            "CREATE VIRTUAL TABLE lesson USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')"
        )

    def learn(self, lessons: list[Lesson]) -> None:
        self.db.executemany(
            "INSERT INTO lesson VALUES (?, ?)",
            [(each.id, f"{each.text}\n{each.task}") for each in lessons],
        )

    def answer(self, question: Question) -> list[str]:
        asked = " OR ".join(f'"{word}"' for word in plain_words(question.text))
        if not asked:
            return []
        most = DEPTH + len(question.hidden)
        return [
            id
            for (id,) in self.db.execute(
                "SELECT id FROM lesson WHERE lesson MATCH ? ORDER BY bm25(lesson) LIMIT ?",
                (asked, most),
            )
        ]

    def close(self) -> None:
        self.db.close()


class Commonest:
    """Everybody gets the same: what was met most often, the latest of equals."""

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()
        self.ids: dict[str, str] = {}

    def learn(self, lessons: list[Lesson]) -> None:
        for each in lessons:
            self.met[each.text] += 1
            self.ids[each.text] = each.id

    def answer(self, question: Question) -> list[str]:
        best = sorted(reversed(self.ids), key=lambda text: -self.met[text])
        return [self.ids[text] for text in best[: DEPTH + len(question.hidden)]]

    def close(self) -> None:
        pass


def methods() -> dict[str, Any]:
    """What is compared, each as a function that makes an empty one."""
    return {"tacit, words": Tacit, "ranking": Ranking, PLAIN: Fts5, "commonest": Commonest}


# --- the measures


def measured(answers: list[str], question: Question) -> dict[str, float]:
    """Every measure of one answer."""
    right = [id in question.right for id in answers if id not in question.hidden]
    ideal = math.fsum(1 / math.log2(place + 2) for place in range(min(10, len(question.right))))
    gained = math.fsum(hit / math.log2(place + 2) for place, hit in enumerate(right[:10]))
    given = right[:GIVEN]
    return {
        "hit@1": float(any(right[:1])),
        "hit@10": float(any(right[:10])),
        "nDCG@10": gained / ideal,
        "given@3": float(any(given)),
        "lines": float(len(given)),
        "of use": float(sum(given)),
    }


def ask(make: Any, stages: list[Stage]) -> dict[str, dict[str, float]]:
    """A method's measures, by question."""
    method = make()
    found: dict[str, dict[str, float]] = {}
    try:
        for stage in stages:
            method.learn(stage.lessons)
            for question in stage.questions:
                found[question.id] = measured(method.answer(question), question)
    finally:
        method.close()
    return found


Scores = dict[
    str, dict[str, dict[str, dict[str, float]]]
]  # kind of question -> method -> question -> measure -> value


def run(data: Path, half: str, only: list[str], sets: list[str]) -> Scores:
    """Every method on every set that is there."""
    scores: Scores = {}
    for name, (folder, load) in SETS.items():
        if sets and name not in sets:
            continue
        here = data / folder if folder else session_folder(data)
        if not here.is_dir() or (not folder and not any(here.glob("*/index.json"))):
            print(f"{name} is left out: nothing in {here}.", file=sys.stderr)
            continue
        for kind, stores in load(data, half).items():
            for method, make in methods().items():
                if only and method not in only:
                    continue
                told = scores.setdefault(kind, {}).setdefault(method, {})
                for stages in stores:
                    if any(stage.questions for stage in stages):
                        told.update(ask(make, stages))
                print(f"{kind}: {method}", file=sys.stderr)
    return scores


def measure_of(kind: str) -> str:
    return HEADLINE.get(kind.partition(".")[2], "nDCG@10")


def mean(values: Any) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def apart(scores: Scores, kinds: list[str], one: str, other: str) -> dict[str, list[float]]:
    """Question by question, how much better one method is than another."""
    return {
        kind: [
            scores[kind][one][key][measure_of(kind)] - scores[kind][other][key][measure_of(kind)]
            for key in scores[kind][one]
        ]
        for kind in kinds
    }


def interval(differences: dict[str, list[float]]) -> tuple[float, float, float]:
    """The mean over sets of the mean over their kinds, and the middle 95 % of its bootstrap."""
    draw = random.Random(7)

    def pooled(means: dict[str, float]) -> float:
        sets: dict[str, list[float]] = {}
        for kind, each in means.items():
            sets.setdefault(kind.partition(".")[0], []).append(each)
        return mean(mean(each) for each in sets.values())

    drawn = sorted(
        pooled({kind: mean(draw.choices(each, k=len(each))) for kind, each in differences.items()})
        for _ in range(RESAMPLES)
    )
    return (
        pooled({kind: mean(each) for kind, each in differences.items()}),
        drawn[int(0.025 * RESAMPLES)],
        drawn[int(0.975 * RESAMPLES)],
    )


def figure(scores: Scores, kind: str, method: str) -> float:
    return 100 * mean(each[measure_of(kind)] for each in scores[kind][method].values())


def loop(starts: list[dict[str, float]]) -> str:
    """How many starts were told what then happened, and of the lines given how many were about it."""
    named, lines, useful = (
        sum(each[what] for each in starts) for what in ("given@3", "lines", "of use")
    )
    return f"named {100 * named / len(starts):.0f} %, {useful:.0f} of {lines:.0f} lines ({100 * useful / max(1, lines):.0f} %)"


def tables(scores: Scores) -> list[str]:
    """The headline figure of each kind of question, method by method, and each set against plain full text."""
    names = list(dict.fromkeys(method for told in scores.values() for method in told))
    lines = [
        "| questions | n | measure | " + " | ".join(names) + " |",
        "|---" * (3 + len(names)) + "|",
    ]
    for kind, told in scores.items():
        figures = [f"{figure(scores, kind, name):.1f}" if name in told else "" for name in names]
        lines.append(
            f"| {kind} | {len(next(iter(told.values())))} | {measure_of(kind)} | {' | '.join(figures)} |"
        )
    if starts := [kind for kind in scores if kind.endswith(".start")]:
        lines += [
            "",
            "**The loop**: runs are learned in order; before the next, is what then happens named, and how much of what is given is of use?",
            "",
        ]
        lines += ["| starts | " + " | ".join(names) + " |", "|---" * (1 + len(names)) + "|"]
        lines += [
            f"| {kind} | {' | '.join(loop(list(scores[kind][name].values())) if name in scores[kind] else '' for name in names)} |"
            for kind in starts
        ]
    for ours in (name for name in names if name.startswith("tacit")):
        others = [name for name in (PLAIN, "tacit, words") if name in names and name != ours]
        for other in others:
            lines += [
                "",
                f"**{ours}, less {other}**, in points",
                "",
                "| set | difference | 95 % interval |",
                "|---|---|---|",
            ]
            by_set: dict[str, list[str]] = {}
            for kind in scores:
                by_set.setdefault(kind.partition(".")[0], []).append(kind)
            for name, kinds in [*by_set.items(), ("all", list(scores))]:
                middle, low, high = interval(apart(scores, kinds, ours, other))
                lines.append(
                    f"| {name} | {100 * middle:+.1f} | {100 * low:+.1f} … {100 * high:+.1f} |"
                )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "data", nargs="?", type=Path, default=HERE.parent.parent / "shared" / "data"
    )
    parser.add_argument("--half", choices=("dev", "heldout"), default="dev")
    parser.add_argument("--set", dest="sets", action="append", default=[], choices=list(SETS))
    parser.add_argument("--only", nargs="+", default=[], metavar="METHOD")
    parser.add_argument(
        "--no-speaker", dest="speaker", action="store_false", help="all words as one person's"
    )
    parser.add_argument("--sessions", type=Path, help="where the sessions lie, if not in DATA")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--scores", type=Path, help="every question's measures, as JSON")
    args = parser.parse_args()
    Tacit.speaker = args.speaker
    if args.sessions:
        load = SETS["sessions"][1]
        SETS["sessions"] = (
            str(args.sessions.resolve()),
            lambda data, half: load(args.sessions, half),
        )
    scores = run(args.data, args.half, args.only, args.sets)
    if not scores:
        print(
            f"Nothing to measure: no set in {args.data}. Name the folder that holds them.",
            file=sys.stderr,
        )
        return 0
    if args.scores:
        args.scores.write_text(json.dumps(scores, ensure_ascii=False))
    text = "\n".join(
        [
            f"# Quality of recall, {datetime.now(UTC):%Y-%m-%d}",
            "",
            f"`python bench/quality.py DATA --half {args.half}{'' if args.speaker else ' --no-speaker'}`, public API, default settings, Python {platform.python_version()}, {platform.machine()}.",
            "",
            *tables(scores),
            "",
        ]
    )
    print(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
