"""Does recall find the right lessons? ALFWorld, Who&When and GitBugs, every method on the same questions.

    python bench/quality.py [DATA] [--half dev|heldout] [--set NAME] [--only METHOD …] [--out FILE]

DATA is a folder with `reflexion/`, `whowhen/` and `gitbugs/` (origins and licences: docs/recall.md); a set that is not
there is skipped and named. Nothing of it enters the repository.

Six kinds of questions, three sets:

alfworld.trouble  A run of trial 1 or later failed. Asked in the words of its own reflection, against the reflections of all
                  tasks in the trials before; right are those of the same task.
alfworld.start    The same run at its start, when only the task is known. The logs do not hold it, so it is taken from the
                  run's own reflection: the plan it states, otherwise the things it handles. Right as above. Runs are
                  given lessons as `tacit inject` gives them.
whowhen.step      184 failed logs; each annotated mistake is a lesson. Asked with the text of the guilty step; right is that
                  log's own lesson.
whowhen.start     Where a task failed in two logs: asked with the task, at the start, the log's own lesson left out; right is
                  the other log's lesson.
gitbugs.title     Duplicate reports: asked with a report's title, itself left out; right are its linked twins.
gitbugs.report    The same with title and the first 600 characters of the description.

hit@k       one of the first k is right            recall@10   share of the right ones among the first ten
nDCG@10     the same, weighed by place             forewarned@5   hit@5 of what a run is given at its start

Halves: a question belongs to the dev half if the first byte of SHA-256 of "tacit " and its item's id (task, question
id) is even; reports go by the halves of bench/matching.py, which were drawn before. All lessons are in the store either way.
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
from collections import defaultdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

import apsw  # noqa: E402

import matching  # noqa: E402
import tacit  # noqa: E402
from tacit.core.clock import now  # noqa: E402
from tacit.core.errors import TacitError  # noqa: E402
from tacit.core.rows import FindingRow, RunRow, run_id  # noqa: E402
from tacit.core.words import index_words, query_words  # noqa: E402
from tacit.testing import signed  # noqa: E402

DEPTH = 40  # answers that are looked at before those of the question's own item are taken out
HEADLINE = {
    "alfworld.trouble": "nDCG@10", "alfworld.start": "forewarned@5", "whowhen.step": "hit@1",
    "whowhen.start": "forewarned@5", "gitbugs.title": "nDCG@10", "gitbugs.report": "nDCG@10",
}  # fmt: skip
SINGLE = ("bm25", "bm25 + task", "vectors", "vectors + task")  # against which ours must hold
RESAMPLES = 10_000


class Lesson(NamedTuple):
    """One lesson, with the text of the task it was learned in and how many runs said it word for word."""

    id: str
    text: str
    task: str = ""


class Question(NamedTuple):
    """One question: what is asked, what is right, and what may not be answered because it is the question itself."""

    id: str
    text: str
    right: frozenset[str]
    hidden: frozenset[str] = frozenset()
    start: bool = False


class Stage(NamedTuple):
    """Lessons that are learned, then questions that are asked."""

    lessons: list[Lesson]
    questions: list[Question]


class Method(Protocol):
    """Something that keeps lessons and answers questions."""

    def learn(self, lessons: list[Lesson]) -> None: ...
    def answer(self, question: Question) -> list[str]: ...
    def close(self) -> None: ...


# --- the sets


def half_of(item: str) -> str:
    """Which half an item belongs to, for good."""
    return "dev" if sha256(f"tacit {item}".encode()).digest()[0] % 2 == 0 else "heldout"


def alfworld(data: Path, half: str) -> dict[str, list[Stage]]:
    """The trials of Reflexion's ALFWorld run, one stage each."""
    logs = data / "reflexion" / "alfworld_runs" / "logs" / "reflexion_run_logs"
    found: dict[str, list[Stage]] = {"alfworld.trouble": [], "alfworld.start": []}
    learned: dict[str, set[str]] = defaultdict(set)  # task -> its lessons so far
    known: dict[str, Lesson] = {}
    fresh: list[Lesson] = []
    before: dict[str, int] = defaultdict(int)
    paths = sorted(logs.glob("env_results_trial_*.json"), key=lambda path: int(re.findall(r"\d+", path.stem)[-1]))
    for trial, path in enumerate(paths):
        trouble, start, new = [], [], []
        for task in json.loads(path.read_text(encoding="utf-8")):
            name, said = task["name"], task["memory"][before[task["name"]] :]
            before[name] = len(task["memory"])
            if not said:
                continue
            text = " ".join(said[-1].split())
            right = frozenset(learned[name])
            if right and half_of(f"alfworld {name}") == half:
                trouble.append(Question(f"{name}/{trial}", text, right))
                start.append(Question(f"{name}/{trial}", task_of(text), right, start=True))
            new.append((name, text))
        found["alfworld.trouble"].append(Stage(fresh, trouble))
        found["alfworld.start"].append(Stage(fresh, start))
        fresh = []
        for name, text in new:
            lesson = known.setdefault(text, Lesson(f"{name}/{trial}", text, task_of(text)))
            fresh.append(lesson)
            learned[name].add(lesson.id)
    return found


def task_of(reflection: str) -> str:
    """The task, as far as a reflection tells it: the plan it states, otherwise the things it handles ("apple, fridge")."""
    told = re.search(r"my plan (?:was|is) to ([^.]+)\.", reflection)
    return told[1].strip() if told else ", ".join(dict.fromkeys(re.findall(r"\b([a-z]+) \d+\b", reflection)))


def whowhen(data: Path, half: str) -> dict[str, list[Stage]]:
    """Failed logs of many agents: the annotated mistake is the lesson."""
    logs = {
        f"{path.parent.name}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((data / "whowhen").glob("*/*.json"))
    }
    lessons = [Lesson(id, " ".join(log["mistake_reason"].split()), log["question"].strip()) for id, log in logs.items()]
    tasks: dict[str, set[str]] = defaultdict(set)
    for lesson in lessons:
        tasks[lesson.task].add(lesson.id)
    step, start = [], []
    for lesson in lessons:
        log = logs[lesson.id]
        if half_of(f"whowhen {lesson.task}") != half:
            continue
        guilty = int(log["mistake_step"])
        if guilty < len(log["history"]):
            step.append(Question(lesson.id, log["history"][guilty]["content"], frozenset({lesson.id})))
        if others := tasks[lesson.task] - {lesson.id}:
            start.append(Question(lesson.id, lesson.task, frozenset(others), frozenset({lesson.id}), True))
    return {"whowhen.step": [Stage(lessons, step)], "whowhen.start": [Stage(lessons, start)]}


def gitbugs(data: Path, half: str) -> dict[str, list[Stage]]:
    """Duplicate reports of two trackers; each tracker is a store of its own."""
    found: dict[str, list[Stage]] = {}
    for form in ("title", "report"):
        for corpus in matching.CORPORA:
            both = {each: matching.load(data, corpus, each) for each in ("dev", "heldout")}
            reports = sorted(both["dev"] + both["heldout"])
            twins: dict[int, set[str]] = defaultdict(set)
            for report in reports:
                twins[report.finding].add(report.id)
            lessons = [Lesson(report.id, report.text(form)) for report in reports]
            asked = [
                Question(f"{corpus}/{report.id}", report.text(form), frozenset(twins[report.finding] - {report.id}), frozenset({report.id}))
                for report in both[half]
                if len(twins[report.finding]) > 1
            ]  # fmt: skip
            found[f"gitbugs.{form}.{corpus}"] = [Stage(lessons, asked)]
    return found


SETS = {"alfworld": ("reflexion", alfworld), "whowhen": ("whowhen", whowhen), "gitbugs": ("gitbugs", gitbugs)}


# --- the methods


class Tacit:
    """The real thing: a store on disk, `recall` for questions, `inject` at the start of a run."""

    def __init__(self, profile: str = "default", embedder: str = "", change: Any = None) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="tacit-quality-")
        env = signed({"HOME": self.folder.name, "XDG_DATA_HOME": self.folder.name, "XDG_CONFIG_HOME": self.folder.name, "TACIT_EMBEDDER": embedder})
        self.memories = tacit.open(
            str(Path(self.folder.name) / "tacit.db"), project="quality", profile=profile, env=env, cwd=self.folder.name, by="bench", yes=True
        )
        if change is not None:
            self.memories._profile = change(self.memories.profile)
        self.ours: dict[str, str] = {}  # our id -> theirs
        self.theirs: dict[str, str] = {}
        self.words_only = profile != "default"
        kinds = self.memories.profile.kinds
        self.kind = next((name for name, kind in kinds.items() if kind.klass == "pitfall"), next(iter(kinds)))
        self.embeds = bool(embedder)

    def learn(self, lessons: list[Lesson]) -> None:
        new = [lesson for lesson in dict.fromkeys(lessons) if lesson.id not in self.theirs]
        for lesson, kept in zip(new, self.memories.add_many([{"text": lesson.text, "kind": self.kind} for lesson in new])):
            self.ours[kept.id], self.theirs[lesson.id] = lesson.id, kept.id
        project = self.memories.ensure_project().id
        with self.memories.store.write() as tx:
            for number, lesson in enumerate(lessons):
                if not lesson.task:
                    continue
                name = f"{lesson.id} {len(self.theirs)} {number}"
                id = run_id(project, "bench", name)
                tx.put_run(RunRow(id, project, "bench", name, id, seq=len(self.theirs) + number, task=lesson.task, started_at=now(), learned_at=now()))
                tx.put_finding(_finding(id, project, lesson, self.theirs[lesson.id]))
                tx.reword(self.theirs[lesson.id])
        if self.embeds:
            self.memories.embed()

    def answer(self, question: Question) -> list[str]:
        if question.start or self.words_only:
            told = self.memories.inject(question.text, budget="deep", trial=False)
            return [self.ours[id] for id in told.injected]
        found = self.memories.recall(question.text, limit=DEPTH, include_held=True, include_stale=True, min_score=0.0)
        return [self.ours[hit.memory.id] for hit in found.hits]

    def close(self) -> None:
        self.memories.close()
        self.folder.cleanup()


def _finding(run: str, project: str, lesson: Lesson, memory: str) -> FindingRow:
    key = sha256(f"{run} {memory}".encode()).hexdigest()[:24]
    return FindingRow(
        key, project, run, "", "outright", 1, memory, "new", "", "allow", lesson.text, b"", "pitfall", "bench", "agent", "", "", 0.0, 0.0, now()
    )


class Bm25:
    """SQLite's own full text and `bm25()`, all words of the question; with `task`, over the task's text as well."""

    def __init__(self, task: bool = False) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE lesson USING fts5(id UNINDEXED, text, words, tokenize = 'porter unicode61')")
        self.task = task
        self.known: set[str] = set()

    def learn(self, lessons: list[Lesson]) -> None:
        for lesson in lessons:
            if lesson.id not in self.known:
                text = f"{lesson.text}\n{lesson.task}" if self.task else lesson.text
                self.db.execute("INSERT INTO lesson VALUES (?, ?, ?)", (lesson.id, text, index_words(text)))
                self.known.add(lesson.id)

    def answer(self, question: Question) -> list[str]:
        asked = " OR ".join(f'"{word}"' for word in query_words(question.text, 400))
        if not asked:
            return []
        found = self.db.execute("SELECT id FROM lesson WHERE lesson MATCH ? ORDER BY bm25(lesson) LIMIT ?", (asked, DEPTH))
        return [row[0] for row in found]

    def close(self) -> None:
        self.db.close()


class Vectors:
    """Static vectors alone, nearest first; with `task`, over the task's text as well."""

    def __init__(self, embedder: Any, task: bool = False) -> None:
        self.embedder, self.task = embedder, task
        self.ids: list[str] = []
        self.rows: list[Any] = []

    def learn(self, lessons: list[Lesson]) -> None:
        new = [lesson for lesson in dict.fromkeys(lessons) if lesson.id not in set(self.ids)]
        texts = [f"{lesson.text}\n{lesson.task}" if self.task else lesson.text for lesson in new]
        self.ids += [lesson.id for lesson in new]
        self.rows += list(self.embedder.embed(texts)) if texts else []

    def answer(self, question: Question) -> list[str]:
        import numpy

        if not self.ids:
            return []
        near = numpy.array(self.rows) @ numpy.array(self.embedder.embed([question.text])[0])
        return [self.ids[at] for at in numpy.argsort(-near)[:DEPTH]]

    def close(self) -> None:
        pass


class Rrf:
    """Reciprocal-rank fusion of full text and vectors, equal weights, the usual constant of 60."""

    def __init__(self, embedder: Any) -> None:
        self.parts: list[Method] = [Bm25(), Vectors(embedder)]

    def learn(self, lessons: list[Lesson]) -> None:
        for part in self.parts:
            part.learn(lessons)

    def answer(self, question: Question) -> list[str]:
        score: dict[str, float] = defaultdict(float)
        for part in self.parts:
            for place, id in enumerate(part.answer(question)):
                score[id] += 1 / (60 + place + 1)
        return sorted(score, key=lambda id: (-score[id], id))[:DEPTH]

    def close(self) -> None:
        for part in self.parts:
            part.close()


def methods() -> dict[str, Any]:
    """What is compared, each as a function that makes an empty one."""
    found: dict[str, Any] = {
        "tacit, words": Tacit,
        "bm25": Bm25,
        "bm25 + task": lambda: Bm25(task=True),
        "archeflow": lambda: Tacit("archeflow"),
        "ralph": lambda: Tacit("ralph"),
        "geas": lambda: Tacit("geas"),
        "joelclaw": lambda: Tacit("joelclaw"),
    }
    try:
        from tacit.providers.static import Static

        embedder = Static()
    except (TacitError, ImportError) as error:
        print(f"vectors are left out: {error}", file=sys.stderr)
        return found
    ours = {"tacit, words and vectors": lambda: Tacit(embedder="static")}
    return {
        **ours,
        **found,
        "vectors": lambda: Vectors(embedder),
        "vectors + task": lambda: Vectors(embedder, task=True),
        "rrf": lambda: Rrf(embedder),
    }


# --- the measures


def measured(answers: list[str], question: Question) -> dict[str, float]:
    """Every measure of one answer."""
    told = [id for id in answers if id not in question.hidden]
    right = [id in question.right for id in told]
    ideal = math.fsum(1 / math.log2(place + 2) for place in range(min(10, len(question.right))))
    gained = math.fsum(hit / math.log2(place + 2) for place, hit in enumerate(right[:10]))
    return {
        "hit@1": float(any(right[:1])),
        "hit@5": float(any(right[:5])),
        "hit@10": float(any(right[:10])),
        "recall@10": sum(right[:10]) / min(10, len(question.right)),
        "nDCG@10": gained / ideal,
        "forewarned@5": float(any(right[:5])),
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


def mean(values: Any) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def interval(one: list[float], other: list[float]) -> tuple[float, float, float]:
    """The mean difference of paired values, and the middle 95 % of its bootstrap."""
    apart = [a - b for a, b in zip(one, other)]
    draw = random.Random(7)
    means = sorted(mean(draw.choices(apart, k=len(apart))) for _ in range(RESAMPLES)) if apart else [0.0]
    return mean(apart), means[int(0.025 * len(means))], means[min(len(means) - 1, int(0.975 * len(means)))]


Scores = dict[str, dict[str, dict[str, dict[str, float]]]]  # kind of question -> method -> question -> measure -> value


def run(data: Path, half: str, only: list[str], sets: list[str]) -> Scores:
    """Every method on every set that is there."""
    scores: Scores = {}
    for name, (folder, load) in SETS.items():
        if sets and name not in sets:
            continue
        if not (data / folder).is_dir():
            print(f"{name} is left out: there is no {data / folder}.", file=sys.stderr)
            continue
        for kind, stages in load(data, half).items():
            for method, make in methods().items():
                if only and method not in only:
                    continue
                told = scores.setdefault(".".join(kind.split(".")[:2]), {}).setdefault(method, {})
                told.update(ask(make, stages))
                print(f"{kind}: {method}", file=sys.stderr)
    return scores


def tables(scores: Scores) -> list[str]:
    """The measures of each kind of question, and the headline figures side by side."""
    lines: list[str] = []
    for kind, by_method in scores.items():
        shown = ["forewarned@5"] if HEADLINE[kind] == "forewarned@5" else ["hit@1", "hit@5", "hit@10", "recall@10", "nDCG@10"]
        count = len(next(iter(by_method.values())))
        lines += [f"### {kind}, {count} questions", "", f"| method | {' | '.join(shown)} |", "|---" * (len(shown) + 1) + "|"]
        for method, told in by_method.items():
            figures = [f"{100 * mean(each[measure] for each in told.values()):.1f}" for measure in shown]
            lines.append(f"| {method} | {' | '.join(figures)} |")
        lines.append("")
    names = list(dict.fromkeys(method for by_method in scores.values() for method in by_method))
    lines += ["### Headline figures, in points", "", f"| method | {' | '.join(f'{kind} {HEADLINE[kind]}' for kind in scores)} | mean |", "|---" * (len(scores) + 2) + "|"]
    for method in names:
        figures = [headline(scores, kind, method) for kind in scores]
        lines.append(f"| {method} | {' | '.join(f'{figure:.1f}' for figure in figures)} | {mean(figures):.1f} |")
    return lines


def headline(scores: Scores, kind: str, method: str) -> float:
    return 100 * mean(each[HEADLINE[kind]] for each in scores[kind][method].values())


def bars(means: dict[str, float], title: str) -> str:
    """The mean headline figure of each method, as a small SVG."""
    rows, height = [], 26
    for place, (method, figure) in enumerate(sorted(means.items(), key=lambda each: -each[1])):
        y, colour = 40 + place * height, "#2a6f97" if method.startswith("tacit") else "#adb5bd"
        rows.append(f'<text x="190" y="{y + 14}" text-anchor="end">{method}</text>')
        rows.append(f'<rect x="200" y="{y}" width="{4 * figure:.0f}" height="18" fill="{colour}"/>')
        rows.append(f'<text x="{206 + 4 * figure:.0f}" y="{y + 14}">{figure:.1f}</text>')
    size = f'width="660" height="{50 + len(means) * height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">'
    return "\n".join((head, f'<text x="10" y="22" font-weight="bold">{title}</text>', *rows, "</svg>\n"))


def against(scores: Scores, ours: str) -> list[str]:
    """Ours against the best single method of each kind of question: difference and interval, by paired bootstrap."""
    lines = [f"### {ours} against the best single method of each", "", "| questions | best single | difference | 95 % interval | within 2 points |", "|---|---|---|---|---|"]
    for kind, by_method in scores.items():
        single = [method for method in SINGLE if method in by_method]
        if ours not in by_method or not single:
            continue
        best = max(single, key=lambda method: headline(scores, kind, method))
        measure, keys = HEADLINE[kind], list(by_method[ours])
        apart, low, high = interval([by_method[ours][key][measure] for key in keys], [by_method[best][key][measure] for key in keys])
        lines.append(f"| {kind} | {best} | {100 * apart:+.1f} | {100 * low:+.1f} … {100 * high:+.1f} | {'yes' if apart >= -0.02 else 'NO'} |")
    return lines


def of_mean(scores: Scores, ours: str) -> list[str]:
    """The mean over the kinds of questions, ours less each single method's: questions are drawn anew within each kind, in pairs."""
    lines = [f"### {ours}, mean over the kinds of questions", "", "| less | difference | 95 % interval |", "|---|---|---|"]
    for other in SINGLE:
        if not all(ours in told and other in told for told in scores.values()):
            continue
        apart = [
            [told[ours][key][HEADLINE[kind]] - told[other][key][HEADLINE[kind]] for key in told[ours]]
            for kind, told in scores.items()
        ]
        draw = random.Random(7)
        means = sorted(mean(mean(draw.choices(each, k=len(each))) for each in apart) for _ in range(RESAMPLES // 5))
        low, high = means[int(0.025 * len(means))], means[int(0.975 * len(means))]
        lines.append(f"| {other} | {100 * mean(map(mean, apart)):+.1f} | {100 * low:+.1f} … {100 * high:+.1f} |")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=HERE.parent.parent / "shared" / "data")
    parser.add_argument("--half", choices=("dev", "heldout"), default="dev")
    parser.add_argument("--set", dest="sets", action="append", default=[], choices=list(SETS))
    parser.add_argument("--only", nargs="+", default=[], metavar="METHOD")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    scores = run(args.data, args.half, args.only, args.sets)
    if not scores:
        print(f"Nothing to measure: no set in {args.data}. Name the folder that holds them.", file=sys.stderr)
        return 0
    ours = [method for method in ("tacit, words and vectors", "tacit, words") if any(method in told for told in scores.values())]
    lines = [
        f"# Quality of recall, {datetime.now(UTC):%Y-%m-%d}", "",
        f"`python bench/quality.py DATA --half {args.half}`, Python {platform.python_version()}, {platform.machine()}.", "",
        *tables(scores),
    ]  # fmt: skip
    for method in ours:
        lines += ["", *against(scores, method), "", *of_mean(scores, method)]
    text = "\n".join(lines) + "\n"
    print(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")
        names = next(iter(scores.values()))
        means = {name: mean(headline(scores, kind, name) for kind in scores) for name in names}
        args.out.with_suffix(".svg").write_text(bars(means, f"Mean of the headline figures, {args.half} half"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
