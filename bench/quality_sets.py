"""The questions of `bench/quality.py`: five sets of other people's data, each as stages of lessons that are kept and questions that are asked then.

alfworld.trouble  A run of trial 1 or later failed. Asked in the words of its own reflection, against the reflections of all tasks in the trials
                  before; right are those of the same task.
alfworld.start    The same run at its start, when only the task is known: the plan that its reflection states, otherwise the things it handles.
webshop.trouble   The same on WebShop's logs. webshop.start: the search that its reflection says it was about.
whowhen.step      184 failed logs; each annotated mistake is a lesson. Asked with the text of the guilty step; right is that log's own lesson.
whowhen.start     Where a task failed in two logs: asked with the task, the log's own lesson left out; right is the other log's.
gitbugs.title     Duplicate reports: asked with a report's title, itself left out; right are its linked twins. gitbugs.report: title and the first
                  600 characters of the description.
sessions.lesson   Every turn of real sessions is an item, in a row with those of its session. Asked with a lesson as an expert worded it; right are the
                  turns that hold its quotes.
sessions.again    What a person asked for again: asked with the message, before its session is kept; right are the messages that said it before.

Halves: a question belongs to the dev half if the first byte of SHA-256 of "tacit " and its item's id is even; linked reports are one
finding, and findings are numbered in file order: even ones are the dev half. All lessons are in the store either way.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

CORPORA = {"hadoop": "hadoop/hadoop_bugs", "seamonkey": "seamonkey/SeaMonkey_bugs"}
DESCRIPTION = 600  # characters of a report's description
LONGEST_TURN = 2000  # characters; what is longer is a paste
BEFORE = Path(__file__).resolve().parents[1] / ".bench" / "quality"


class Lesson(NamedTuple):
    """One lesson, with the text of the task it was learned in, what it stands in a row with, and whose words they are if not the person's who adds them."""

    id: str
    text: str
    task: str = ""
    group: str = ""
    trust: str = ""


class Question(NamedTuple):
    """One question: what is asked, what is right, and what may not be answered because it is the question itself."""

    id: str
    text: str
    right: frozenset[str]
    hidden: frozenset[str] = frozenset()
    start: bool = False


class Stage(NamedTuple):
    """Lessons that are kept, then questions that are asked."""

    lessons: list[Lesson]
    questions: list[Question]


Kinds = dict[str, list[list[Stage]]]  # kind of question -> stores, each with its stages


def half_of(item: str) -> str:
    """Which half an item belongs to, for good."""
    return "dev" if sha256(f"tacit {item}".encode()).digest()[0] % 2 == 0 else "heldout"


def alfworld(data: Path, half: str) -> Kinds:
    """The trials of Reflexion's ALFWorld run, one stage each."""
    return _trials(
        data / "reflexion" / "alfworld_runs" / "logs" / "reflexion_run_logs",
        "alfworld",
        half,
        task_of,
    )


def webshop(data: Path, half: str) -> Kinds:
    """The trials of Reflexion's WebShop run."""
    return _trials(
        data / "reflexion" / "webshop_runs" / "reflexion_run_logs_1", "webshop", half, search_of
    )


def _trials(logs: Path, name: str, half: str, task_in: Any) -> Kinds:
    trouble_stages: list[Stage] = []
    start_stages: list[Stage] = []
    learned: dict[str, set[str]] = defaultdict(set)  # task -> its lessons so far
    known: dict[str, Lesson] = {}
    fresh: list[Lesson] = []
    before: dict[str, int] = defaultdict(int)
    paths = sorted(
        logs.glob("env_results_trial_*.json"),
        key=lambda path: int(re.findall(r"\d+", path.stem)[-1]),
    )
    for trial, path in enumerate(paths):
        trouble, start, new = [], [], []
        for run in json.loads(path.read_text(encoding="utf-8")):
            task, said = run["name"], run["memory"][before[run["name"]] :]
            before[task] = len(run["memory"])
            if not said:
                continue
            text = " ".join(said[-1].split())
            right = frozenset(learned[task])
            if right and half_of(f"{name} {task}") == half:
                trouble.append(Question(f"{task}/{trial}", text, right))
                if task_in(text):
                    start.append(Question(f"{task}/{trial}", task_in(text), right, start=True))
            new.append((task, text))
        trouble_stages.append(Stage(fresh, trouble))
        start_stages.append(Stage(fresh, start))
        fresh = []
        for task, text in new:
            if text not in known:
                known[text] = Lesson(f"{task}/{trial}", text, task_in(text))
                fresh.append(known[text])
            learned[task].add(known[text].id)
    return {f"{name}.trouble": [trouble_stages], f"{name}.start": [start_stages]}


def task_of(reflection: str) -> str:
    """The task, as far as a reflection tells it: the plan it states, otherwise the things it handles ("apple, fridge")."""
    told = re.search(r"my plan (?:was|is) to ([^.]+)\.", reflection)
    return (
        told[1].strip()
        if told
        else ", ".join(dict.fromkeys(re.findall(r"\b([a-z]+) \d+\b", reflection)))
    )


def search_of(reflection: str) -> str:
    """What a shopper says that it searched for."""
    told = re.search(r'"([^"]{8,})"', reflection)
    return told[1].strip() if told else ""


def whowhen(data: Path, half: str) -> Kinds:
    """Failed logs of many agents: the annotated mistake is the lesson."""
    logs = {
        f"{path.parent.name}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((data / "whowhen").glob("*/*.json"))
    }
    lessons = [
        Lesson(id, " ".join(log["mistake_reason"].split()), log["question"].strip())
        for id, log in logs.items()
    ]
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
            step.append(
                Question(lesson.id, log["history"][guilty]["content"], frozenset({lesson.id}))
            )
        if others := tasks[lesson.task] - {lesson.id}:
            start.append(
                Question(lesson.id, lesson.task, frozenset(others), frozenset({lesson.id}), True)
            )
    return {"whowhen.step": [[Stage(lessons, step)]], "whowhen.start": [[Stage(lessons, start)]]}


class Report(NamedTuple):
    """One bug report; `finding` is the same for all reports that are linked as duplicates."""

    filed: str
    id: str
    finding: int
    title: str
    description: str

    def text(self, form: str) -> str:
        return self.title if form == "title" else f"{self.title}\n{self.description[:DESCRIPTION]}"


def reports_of(data: Path, corpus: str, half: str) -> list[Report]:
    """The reports of one half, in the order in which they were filed."""
    csv.field_size_limit(sys.maxsize)
    base = data / "gitbugs" / CORPORA[corpus]
    with base.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    parent = {row["Issue id"]: row["Issue id"] for row in rows}

    def root(id: str) -> str:
        while parent[id] != id:
            id = parent[id]
        return id

    with base.with_name(base.name + "-combined.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for other in row["Duplicate id"].split(","):
                if row["Issue id"] in parent and other.strip() in parent:
                    parent[root(row["Issue id"])] = root(other.strip())
    findings: dict[str, int] = {}
    for row in rows:
        findings.setdefault(root(row["Issue id"]), len(findings))
    wanted = 0 if half == "dev" else 1
    reports = [
        Report(
            _date(row["Created"]),
            row["Issue id"],
            findings[root(row["Issue id"])],
            row["Summary"],
            row["Description"] or "",
        )
        for row in rows
    ]
    return sorted(report for report in reports if report.finding % 2 == wanted)


def _date(text: str) -> str:
    return datetime.strptime(text, "%d/%b/%y %H:%M").isoformat() if "/" in text else text


def gitbugs(data: Path, half: str) -> Kinds:
    """Duplicate reports of two trackers; each tracker is a store of its own."""
    found: Kinds = {"gitbugs.title": [], "gitbugs.report": []}
    for form in ("title", "report"):
        for corpus in CORPORA:
            both = {each: reports_of(data, corpus, each) for each in ("dev", "heldout")}
            reports = sorted(both["dev"] + both["heldout"])
            twins: dict[int, set[str]] = defaultdict(set)
            for report in reports:
                twins[report.finding].add(report.id)
            lessons = [Lesson(report.id, report.text(form)) for report in reports]
            asked = [
                Question(
                    f"{corpus}/{report.id}",
                    report.text(form),
                    frozenset(twins[report.finding] - {report.id}),
                    frozenset({report.id}),
                )
                for report in both[half]
                if len(twins[report.finding]) > 1
            ]
            found[f"gitbugs.{form}"].append([Stage(lessons, asked)])
    return found


def sessions(data: Path, half: str) -> Kinds:
    """Real sessions, each project a store of its own. DATA/sessions/NAME, or the folder that `dev-pack.tar.xz` was unpacked to."""
    found: Kinds = {"sessions.lesson": [], "sessions.again": []}
    for project in sorted(each.parent for each in session_folder(data).glob("*/index.json")):
        lessons = turns(project)
        by_session: dict[str, list[Lesson]] = defaultdict(list)
        for lesson in lessons:
            by_session[lesson.group].append(lesson)
        asked = [
            question
            for question in _lessons(project, by_session)
            if half_of(f"sessions {question.id}") == half
        ]
        found["sessions.lesson"].append([Stage(lessons, asked)])
        found["sessions.again"].append(_again(project, by_session, half))
    return found


def session_folder(data: Path) -> Path:
    """Where the sessions lie: unpacked beside the other sets, or in the folder that is named itself."""
    for folder in (
        data / "sessions",
        data / "sessions" / "dev-pack",
        data.parent / "dev-pack",
        data,
    ):
        if any(folder.glob("*/index.json")):
            return folder
    return data / "sessions"


def turns(project: Path) -> list[Lesson]:
    """What was said in the sessions of a project, in the order of time. Reading takes minutes, so the turns are kept in .bench."""
    kept = BEFORE / f"{project.name}.said.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(
            json.dumps([list(each) for each in _read(project)], ensure_ascii=False),
            encoding="utf-8",
        )
    return [Lesson(*each) for each in json.loads(kept.read_text(encoding="utf-8"))]


def _read(project: Path) -> Iterator[Lesson]:
    from tacit.hosts.formats import read
    from tacit.hosts.source import FileSource

    seen: set[str] = set()
    for entry in sorted(
        json.loads((project / "index.json").read_text()), key=lambda each: str(each["start"])
    ):
        if not entry.get("real", True):
            continue
        for run in read(FileSource(str(project / entry["file"]))):
            for number, step in enumerate(run.steps):
                said = step.role == "assistant" or (step.role == "user" and step.typed)
                text = " ".join(step.text.split())[:LONGEST_TURN] if said and not step.agent else ""
                if len(text) > 8 and (step.record or text) not in seen:
                    seen.add(step.record or text)
                    trust = "agent" if step.role == "assistant" else ""
                    yield Lesson(
                        f"{entry['session']}/{run.id}/{number}", text, "", entry["session"], trust
                    )


def _truth(project: Path, name: str) -> list[dict[str, Any]]:
    path = project / "truth" / f"{name}.jsonl"
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if path.exists()
        else []
    )


def _holding(quote: str, among: list[Lesson]) -> list[Lesson]:
    wanted = " ".join(quote.lower().split())
    return [each for each in among if wanted in each.text.lower()]


def _lessons(project: Path, by_session: dict[str, list[Lesson]]) -> Iterator[Question]:
    for item in _truth(project, "expert"):
        right = {
            each.id
            for quote in item["quotes"]
            for each in _holding(quote["text"], by_session[item["session"]])
        }
        if right:
            yield Question(f"{project.name} {item['lesson']}", item["lesson"], frozenset(right))
    for item in _truth(project, "repeated"):
        right = {
            each.id
            for met in item["occurrences"]
            for each in _holding(met["quote"], by_session[met["session"]])
        }
        if right:
            yield Question(f"{project.name} {item['meaning']}", item["meaning"], frozenset(right))


def _again(project: Path, by_session: dict[str, list[Lesson]], half: str) -> list[Stage]:
    """Session after session: before one begins, each of its requests that stood in an earlier one is asked."""
    asked: dict[str, list[Question]] = defaultdict(list)
    order = list(by_session)
    for item in _truth(project, "repeated"):
        if half_of(f"sessions {project.name} {item['meaning']}") != half:
            continue
        said = [
            (met["session"], _holding(met["quote"], by_session[met["session"]]))
            for met in item["occurrences"]
        ]
        said = sorted(
            ((order.index(session), found) for session, found in said if found),
            key=lambda each: each[0],
        )
        for place, (at, mine) in enumerate(said):
            right = frozenset(
                each.id for then, found in said[:place] if then < at for each in found
            )
            if right:
                asked[order[at]].append(
                    Question(f"{project.name} {item['meaning']} {at}", mine[0].text, right)
                )
    stages: list[Stage] = []
    before: list[Lesson] = []
    for session in order:
        if asked[session]:
            stages.append(Stage(before, asked[session]))
            before = []
        before = before + by_session[session]
    return stages


SETS = {
    "alfworld": ("reflexion/alfworld_runs", alfworld),
    "webshop": ("reflexion/webshop_runs", webshop),
    "whowhen": ("whowhen", whowhen),
    "gitbugs": ("gitbugs", gitbugs),
    "sessions": ("", sessions),
}
