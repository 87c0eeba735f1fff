"""With a model for what words leave open: how many duplicates come together, how many strangers, how many opposites?

    python bench/same.py [DATA] [--half dev|heldout]          tables, from the words that a model gave before
    python bench/same.py [DATA] --through                     the same through the whole pipeline: learned, gated, tended in a store
    python bench/same.py --pairs FILE… [--sets ad ae]         of pairs like those of tests/words/strangers.jsonl instead, of all sets or some
    python bench/same.py … --model                            ask the model of your own configuration about what it was not asked yet
    python bench/same.py … --ask FOLDER, then --take FOLDER   the same by files: NNNN.question is written, NNNN.answer is read

Reports arrive as in `bench/matching.py`. Where a model reads after the words, learning counts only what has the same words, and a model is
asked what `tacit.tend.by_model` would ask it, in its words: whether the nearest that words leave open are the same, those among them
that words alone would have matched. A report is found if the nearest that it calls the same is a twin, and a false merge if it is a
stranger. What it was not asked is as words have it. One question follows from another, so questions by files take two rounds.

A model's word on each pair is kept in `bench/labels/same-*.json` by the ids of the two reports, and holds none of their text.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import matching
from matching import CORPORA, HERE, Report, Stream, Tally, _share, load
from tacit.core.digest import short_hash
from tacit.guard.redact import private, redact
from tacit.tend import same
from tacit.tend.same import BATCH, SAME, Pairing
from tacit.words.match import choose_same, compare, grown
from tacit.words.prepared import MatchSettings, prepare

LABELS = HERE / "labels"


class Arrived(NamedTuple):
    """A report, what words match it to, whether in the same words, and what is left to a model; nearest first."""

    report: Report
    matched: Report | None
    equal: bool
    open: tuple[Report, ...]


def arrived(stream: Stream) -> Iterator[Arrived]:
    """Every report in its turn."""
    for arrival in stream.arrivals:
        mine, reports = stream.prepared[arrival.number], stream.reports

        def idf(term: str, arrival: matching.Arrival = arrival) -> float:
            return arrival.idf.get(term, arrival.unseen)

        known = [(f"{other:06}", stream.prepared[other]) for other in arrival.candidates]
        chosen = choose_same(mine, known, grown(MatchSettings(), arrival.number), idf)
        near = same.worth_asking((other, compare(mine, stream.prepared[other], idf)) for other in arrival.candidates)
        matched = reports[int(chosen.id)] if chosen.id else None
        equal = bool(chosen.id) and stream.prepared[int(chosen.id)].text == mine.text
        yield Arrived(reports[arrival.number], matched, equal, tuple(reports[other] for other, _ in near))


class Recorded:
    """A model that says what it said before. What it was never asked is noted, and different until somebody answers."""

    identity = "recorded"

    def __init__(self, stream: list[Report], corpus: str, form: str, words: Words) -> None:
        self.words, self.prefix, self.asked = words, f"{corpus}/{form}", 0
        # of equal ones the first
        self.ids = {_shown(redact(private(report.text(form))).text): report.id for report in reversed(stream)}
        self.exam = {(a, b): word for word, a, b in same.EXAM}

    def ask(self, prompt: str, *, schema: dict[str, Any] | None = None, timeout: float = 60.0) -> str:
        """As a model would, in JSON."""
        pairs = json.loads(prompt.rpartition("\n\n")[2])
        return json.dumps({"pairs": [{"id": each["id"], "word": self._word(each["a"], each["b"])} for each in pairs]})

    def _word(self, a: str, b: str) -> str:
        if (a, b) in self.exam:
            return self.exam[a, b]
        self.asked += 1
        one, other = sorted((self.ids[_shown(a)], self.ids[_shown(b)]), key=int, reverse=True)
        return (
            self.words.of(f"{self.prefix}/{one}/{other}", a, b)
            or self.words.said.get(f"{self.prefix}/{other}/{one}")
            or same.DIFFERENT
        )


def _shown(text: str) -> str:
    return " ".join(text.split())[:500]


def through(reports: list[Report], form: str, model: Recorded | None) -> Tally:
    """The reports as findings of runs, learned in turn, tended after each 25; who ends up as one lesson? One merge in ten waits for a
    person, who is taken to agree. What the gate takes for a guess is no lesson and finds nobody."""
    import tacit
    from tacit import tend as tending
    from tacit.core.errors import Refused
    from tacit.tend import bound, tend
    from tacit.tend.context import Context
    from tacit.testing import finding, run

    with (
        tempfile.TemporaryDirectory() as folder,
        tacit.open(f"{folder}/a.db", cwd=folder, by="bench", yes=True) as memories,
    ):
        bound.LEAST = tending.LEAST = len(reports)

        def tended() -> None:
            tend(Context(memories.work, model=model), ("merge",))

        tended()
        lesson: dict[str, str] = {}
        for number, report in enumerate(reports, 1):
            (told,) = memories.learn(run(report.id, finding(report.id, report.text(form), severity="bug")))
            lesson.update((report.id, id) for id in (*told.new, *told.matched))
            if number % 25 == 0 or number == len(reports):
                tended()
        for proposal in memories.proposals():
            if proposal.kind == "merge" and (proposal.payload or {}).get("judged"):
                with contextlib.suppress(Refused):  # one of the two went with another meanwhile
                    memories.review(proposal.id, "approve")
        return _grouped(reports, {id: _last(memories, at) for id, at in lesson.items()})


def _last(memories: Any, id: str) -> str:
    while by := memories.get(id).superseded_by:
        id = by
    return id


def _grouped(reports: list[Report], lesson: dict[str, str]) -> Tally:
    """Each report by those that came before it into its lesson: a twin among them, or strangers only."""
    seen, held = set[int](), dict[str, set[int]]()
    tally = Tally(len(reports), 0, 0, 0)
    for report in reports:
        tally = tally._replace(twins=tally.twins + (report.finding in seen))
        seen.add(report.finding)
        if report.id in lesson:
            before = held.setdefault(lesson[report.id], set())
            right = report.finding in before
            tally = tally._replace(found=tally.found + right, false=tally.false + bool(before and not right))
            before.add(report.finding)
    return tally


class Words:
    """What a model said of each pair, in a file that grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.said: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.open: dict[str, Pairing] = {}

    def of(self, key: str, a: str, b: str) -> str:
        """The model's word; empty where it was not asked, and then it is noted."""
        if key not in self.said:
            self.open[key] = Pairing(key, a, b)
        return self.said.get(key, "")

    def questions(self) -> list[tuple[str, list[Pairing], dict[str, str]]]:
        """(question, its pairs under names that tell nothing, whose names they are) of what is open."""
        made = []
        # opposites and twins stand apart in their files
        waiting = sorted(self.open.values(), key=lambda each: short_hash(each.id))
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            named = [Pairing(f"p{n}", each.a, each.b) for n, each in enumerate(batch, 1)]
            made.append((same.question(named), named, {new.id: each.id for new, each in zip(named, batch)}))
        return made

    def take(self, answer: str, named: list[Pairing], keys: dict[str, str]) -> int:
        """Keep what an answer says; how many pairs it says nothing of."""
        told = same.answers(answer, named)
        self.said |= {keys[id]: word for id, word in told.items()}
        self.path.write_text(json.dumps(dict(sorted(self.said.items())), indent=0) + "\n", encoding="utf-8")
        return len(named) - len(told)


def report_lines(data: Path, half: str, words: Words, whole: bool = False) -> list[str]:
    """Duplicates found and strangers merged, by words alone, with the model, and by ArcheFlow's rule; or through the `whole` pipeline."""
    lines = [
        "| reports | rule | recall | precision | false merges per 100 | asked per 100 |",
        "|---|---|---|---|---|---|",
    ]
    pooled: dict[tuple[str, str], list[tuple[Tally, int]]] = {}
    for form in ("title", "report"):
        for corpus in CORPORA:
            stream = Stream(load(data, corpus, half), form)
            tallied = (
                _piped(stream, corpus, form, words) if whole else _tallied(stream, f"{corpus}/{form}", form, words)
            )
            for name, told in tallied.items():
                pooled.setdefault((form, name), []).append(told)
                pooled.setdefault(("both forms", name), []).append(told)
                lines.append(_row(f"{corpus}, {form}", name, [told]))
    return [*lines, *(_row(f"both trackers, {form}", name, parts) for (form, name), parts in pooled.items())]


def _piped(stream: Stream, corpus: str, form: str, words: Words) -> dict[str, tuple[Tally, int]]:
    model = Recorded(stream.reports, corpus, form, words)
    by_words, with_model = through(stream.reports, form, None), through(stream.reports, form, model)
    return {
        "words": (by_words, 0),
        "words, then a model": (with_model, model.asked),
        matching.FIRST: (stream.run_first(), 0),
    }


def _tallied(stream: Stream, prefix: str, form: str, words: Words) -> dict[str, tuple[Tally, int]]:
    of = Tally(len(stream.reports), sum(stream.has_twin), 0, 0)
    by_words = with_model = of
    asked = 0

    def word(one: Report, other: Report) -> str:
        nonlocal asked
        asked += 1
        return words.of(f"{prefix}/{one.id}/{other.id}", one.text(form), other.text(form))

    for report, matched, equal, left_open in arrived(stream):
        by_words = _counted(by_words, report, matched)
        one_with = matched if equal else next((other for other in left_open if word(report, other) == SAME), None)
        if one_with is None and matched is not None and not words.said.get(f"{prefix}/{report.id}/{matched.id}"):
            one_with = matched
        with_model = _counted(with_model, report, one_with)
    return {"words": (by_words, 0), "words, then a model": (with_model, asked), matching.FIRST: (stream.run_first(), 0)}


def _counted(tally: Tally, report: Report, met: Report | None) -> Tally:
    if met is None:
        return tally
    right = met.finding == report.finding
    return tally._replace(found=tally.found + right, false=tally.false + (not right))


def _row(reports: str, name: str, parts: list[tuple[Tally, int]]) -> str:
    tally = Tally(*(sum(column) for column in zip(*(each for each, _ in parts))))
    asked = sum(each for _, each in parts)
    return f"| {reports} | {name} | {tally.told()} | {100 * asked / tally.reports:.0f} |"


def pair_lines(path: Path, words: Words, sets: list[str]) -> list[str]:
    """Opposites and twins: merged by words, and with the model."""
    counts: dict[str, list[int]] = {}
    merged = []
    for pair in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if sets and pair.get("set") not in sets:
            continue
        count = counts.setdefault(pair["kind"], [0, 0, 0, 0])
        a, b = prepare(pair["a"]), prepare(pair["b"])
        by_words = bool(choose_same(a, [("1", b)], MatchSettings()).id)
        asked = a.text != b.text and (by_words or same.is_open(compare(a, b)))
        word = words.of(short_hash(pair["a"], pair["b"]), pair["a"], pair["b"]) if asked else ""
        with_model = word == SAME if word else by_words
        for place, told in enumerate((True, by_words, asked, with_model)):
            count[place] += told
        if pair["kind"] != "same" and with_model:
            merged.append(f"- {pair['kind']}: “{pair['a']}” / “{pair['b']}”")
    opposites = [sum(column) for column in zip(*(count for kind, count in counts.items() if kind != "same"))]
    lines = ["| pairs | of | by words | asked | with the model |", "|---|---|---|---|---|"]
    for kind, (of, by_words, asked, both) in {**counts, "all opposites": opposites}.items():
        lines.append(f"| {kind} | {of} | {by_words} | {asked} | {_share(both, of)} |")
    return [*lines, "", *merged]


def by_model(words: Words) -> None:
    """Ask the model of the user's own configuration."""
    import tacit

    with tacit.open(":memory:") as memories:
        model = memories.model("same")
        if model is None:
            raise SystemExit("No model is configured: docs/models.md.")
        for asked, named, keys in words.questions():
            left = words.take(model.ask(asked, schema=same.schema(), timeout=120.0), named, keys)
            print(f"{len(words.said)} answered{f', {left} left out' if left else ''}", file=sys.stderr)


def by_files(words: Words, folder: Path, take: bool) -> None:
    """Write the questions, or read the answers: whoever answers sees no key."""
    folder.mkdir(parents=True, exist_ok=True)
    if not take:
        for number, (asked, _, keys) in enumerate(words.questions(), 1):
            (folder / f"{number:04}.question").write_text(asked, encoding="utf-8")
            (folder / f"{number:04}.keys").write_text(json.dumps(keys), encoding="utf-8")
    for answer in sorted(folder.glob("*.answer")) if take else ():
        keys = json.loads(answer.with_suffix(".keys").read_text(encoding="utf-8"))
        left = words.take(answer.read_text(encoding="utf-8"), [Pairing(id, "", "") for id in keys], keys)
        if left:
            print(f"{answer.name}: {left} pairs left out", file=sys.stderr)
    print(f"{len(words.open)} pairs {'were' if take else 'are'} open: {folder}", file=sys.stderr)


def tables(args: argparse.Namespace) -> tuple[list[str], list[Words]]:
    """What is asked for, and the words it rests on."""
    if args.pairs:
        lines, every = [], []
        for path in args.pairs:
            words = Words(args.labels / f"same-{path.stem}.json")
            lines += ["", f"## {path.stem}", "", *pair_lines(path, words, args.sets)]
            every.append(words)
        return lines, every
    words = Words(args.labels / f"same-{args.half}.json")
    title = f"## Duplicate reports, {args.half} half{', through the whole pipeline' if args.through else ''}"
    return ["", title, "", *report_lines(args.data, args.half, words, args.through)], [words]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=HERE.parent.parent / "shared" / "data")
    parser.add_argument("--half", choices=("dev", "heldout"), default="dev")
    parser.add_argument("--through", action="store_true", help="through the whole pipeline")
    parser.add_argument("--pairs", type=Path, nargs="+")
    parser.add_argument("--sets", nargs="+", default=[])
    parser.add_argument("--labels", type=Path, default=LABELS, help="the folder of what the model said")
    parser.add_argument("--model", action="store_true", help="ask the model of your own configuration")
    parser.add_argument("--ask", type=Path, metavar="FOLDER", help="write the open questions there")
    parser.add_argument("--take", type=Path, metavar="FOLDER", help="read their answers from there")
    args = parser.parse_args()
    lines, every = tables(args)
    if args.model or args.ask or args.take:
        for number, words in enumerate(every):
            if args.model:
                by_model(words)
            else:
                by_files(words, (args.ask or args.take) / str(number), take=bool(args.take))
        lines, every = tables(args)
    unanswered = sum(len(words.open) for words in every)
    print(f"# Same finding, with a model, {datetime.now(UTC):%Y-%m-%d}")
    print("\n".join(lines))
    if unanswered:
        print(f"\n{unanswered} pairs were not answered and count as not the same.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
