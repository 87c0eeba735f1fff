"""E2: what real sessions teach, and whether it is there when it matters: every project with answer keys, read by kept answers."""

from __future__ import annotations

import json
import shutil
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.exams import judged
from bench.exams.feed import World, feed, sessions, world_of
from bench.exams.judged import Item, Seen, Worth, key_of
from bench.exams.product import Product
from bench.exams.rows import Row
from bench.exams.transcript import events

UNANSWERED = 0.02  # of the questions; the figures of a project with more of them without an answer are marked
Log = list[dict[str, Any]]


def fed(
    project: Path,
    product: Product,
    out: Path,
    *,
    limit: int = 0,
    keep: bool = False,
    play: bool = True,
) -> Log:
    """Feed a project and keep its log, from which every figure is counted."""
    world = world_of(project, product)
    log: Log = []
    try:
        with (out / f"{project.name}.jsonl").open("w") as file:
            for line in feed(world, play=play, limit=limit):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                file.flush()
                log.append(line)
        keep_questions(world, out)
    finally:
        if not keep:
            shutil.rmtree(world.folder.parent, ignore_errors=True)
    if keep:
        print(f"{project.name}: its home is kept in {world.folder}")
    return log


def keep_questions(world: World, out: Path) -> None:
    """Questions that have no answer, for a reader to answer."""
    place = out / "questions" / world.project.name
    shutil.rmtree(place, ignore_errors=True)
    for file in (world.queue / world.project.name).glob("*.txt"):
        if not file.with_suffix(".json").exists():
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place / file.name)


def rows(project: Path, log: Log) -> Iterator[Row]:
    """The figures of one project."""
    name = project.name
    asked = [each for line in log for each in line["questions"]]
    without = Counter(each["step"] for each in asked if not each["answered"])
    share = sum(without.values()) / max(1, len(asked))

    def row(figure: str, value: object) -> Row:
        marked = f"{value} (marked)" if share > UNANSWERED else value
        return Row("E2", f"{name}: {figure}", marked)

    yield Row("E2", f"{name}: sessions", len(log))
    yield Row("E2", f"{name}: questions", len(asked))
    yield Row("E2", f"{name}: questions without an answer", dict(sorted(without.items())) or 0)
    last = log[-1]["states"]
    active, waiting = len(last.get("active", ())), len(last.get("waiting", ()))
    yield row(
        "lessons active, waiting, doubted", f"{active}, {waiting}, {len(last.get('doubted', ()))}"
    )
    yield row("held share", round(waiting / max(1, active + waiting), 3))
    heard = any(line["hooks"] for line in log)
    for figure, seen in reached(project, log).items():
        if heard or " told " not in figure:
            yield row(figure, str(seen))
    if not heard:
        yield Row("E2", f"{name}: skipped", "no hook was played, or none said anything")
        return
    yield from (row(figure, value) for figure, value in worth(name, log))
    yield from (row(figure, value) for figure, value in spoken(log))


def on_file(line: dict[str, Any]) -> set[str]:
    """The lessons that are kept after a session."""
    return {id for state, ids in line["states"].items() if state != "gone" for id in ids}


def reached(project: Path, log: Log) -> dict[str, Seen]:
    """Which items of the answer keys are on file, active, and told in time; nothing where nobody judged the project's lessons."""
    covers = judged.covers(project.name)
    if not covers:
        return {}
    by_key: dict[str, set[str]] = defaultdict(set)
    for line in log:
        for id, text in line["texts"].items():
            by_key[key_of(project.name, text)].add(id)
    order = {line["session"]: n for n, line in enumerate(log)}
    files = {each.id: each.file for each in sessions(project)}
    seen: dict[str, Seen] = defaultdict(Seen)
    for item in judged.items(project, order):
        ids = {id for key in covers.get(item.name, ()) for id in by_key.get(key, ())}
        for figure, held, where in met(item, ids, log, order, files):
            seen[figure].add(held, f"{item.name}{where}")
    return dict(seen)


def met(
    item: Item, ids: set[str], log: Log, order: dict[str, int], files: dict[str, Path]
) -> Iterator[tuple[str, bool, str]]:
    """What an item says of the product: a figure, whether it holds, and where."""
    if item.kind in ("expert", "team") and item.visible:
        then = log
        if item.kind == "team":
            then = [line for line in log if line["start"][:10] <= item.date] or log[:1]
        yield f"{item.kind} on file", bool(ids & on_file(then[-1])), ""
        yield f"{item.kind} active", bool(ids & set(then[-1]["states"].get("active", ()))), ""
    elif item.kind == "superseded":
        yield "superseded gone", not ids & set(log[-1]["states"].get("active", ())), ""
    elif item.kind == "repeated":
        for session, quote in zip(item.sessions[1:], item.quotes[1:], strict=True):
            n = order[session]
            until = place_of(files[session], quote)
            told = [each for each in log[n]["hooks"] if each["at"] < until]
            yield "repeats on file before", bool(ids & on_file(log[n - 1])), f" {n}"
            yield "repeats told before they are said again", _given(told, ids), f" {n}"
    elif item.kind == "failures":
        for session in item.sessions[1:]:
            n = order[session]
            yield "cures on file before", bool(ids & on_file(log[n - 1])), f" {n}"
            yield "cures told before or with the failure", _given(log[n]["hooks"], ids), f" {n}"


def _given(told: list[dict[str, Any]], ids: set[str]) -> bool:
    return any(ids & set(each["given"]) for each in told)


def place_of(file: Path, quote: str) -> int:
    """The line of a transcript in which a prompt says it; where none does, only its start comes before."""
    wanted = " ".join(quote.split()).lower()[:60]
    for event in events(file):
        if event.moment == "prompt" and wanted and wanted in " ".join(event.text.split()).lower():
            return event.at
    return 1


def worth(project: str, log: Log) -> Iterator[tuple[str, object]]:
    """What judges say of what was told, each telling counted."""
    said, told = judged.letters(), {"starts": Worth(), "other moments": Worth()}
    for line in log:
        for each in line["hooks"]:
            for id in each["given"]:
                text = next(
                    (log[n]["texts"][id] for n in (line["n"] - 1,) if id in log[n]["texts"]), ""
                )
                place = "starts" if each["moment"] == "start" else "other moments"
                told[place].add(said.get(key_of(project, text), ""))
    for place, found in told.items():
        yield f"{place}: useful", found.share("a")
        yield f"{place}: wrong", found.share("d")
        yield f"{place}: not judged", found.unjudged()


def spoken(log: Log) -> Iterator[tuple[str, object]]:
    """How much a session is told, and how often a prompt is answered."""
    played = [line for line in log if line["n"]]
    spent = sorted(sum(each["tokens"] for each in line["hooks"]) for line in played)
    prompts = sum(len(line["prompts"]) for line in played)
    answered = sum(each["moment"] == "prompt" for line in played for each in line["hooks"])
    if spent:
        yield (
            "tokens a session, median, 95 %",
            f"{round(statistics.median(spent))}, {spent[int(0.95 * (len(spent) - 1))]}",
        )
    yield "prompts answered", f"{answered} of {prompts}"


def pooled(logs: dict[Path, Log]) -> Iterator[Row]:
    """The counts of all projects together."""
    whole: dict[str, Seen] = defaultdict(Seen)
    for project, log in logs.items():
        heard = any(line["hooks"] for line in log)
        for figure, seen in reached(project, log).items():
            if not heard and " told " in figure:
                continue
            whole[figure].yes += seen.yes
            whole[figure].of += seen.of
    for figure, seen in whole.items():
        yield Row("E2", f"all: {figure}", str(seen))


def pages(logs: dict[Path, Log]) -> dict[str, dict[str, list[str]]]:
    """By project and session the hashes of the pages and of the questions that a reader was shown of it alone."""
    return {
        project.name: {
            line["session"]: [
                f"{each['page']} {each['name']}"
                for each in line["questions"]
                if each["step"] == "lessons"
            ]
            for line in log
        }
        for project, log in logs.items()
    }
