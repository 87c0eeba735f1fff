"""Does matching find the same finding in other words, and leave strangers and opposites apart?

    python bench/matching.py [DATA] [--half dev|heldout] [--sweep] [--out FILE]

DATA is a folder with `gitbugs/` (Hadoop and SeaMonkey reports with duplicate links, av9ash/gitbugs, CC BY 4.0), ../shared/data by default; without
it, only the pairs of `tests/words/opposites.jsonl` are measured. Reports arrive in the order in which they were filed; each
is compared with up to 50 earlier ones that full text proposes, and is then stored. Linked reports are one finding.
Findings (not reports) are numbered in file order: even ones are the dev half, on which thresholds were chosen, odd ones
are held out and to be run once.

recall        of the reports with an earlier twin, those that were matched to one
precision     of the reports that were matched, those that were matched to a twin
false merges  reports matched to a stranger, per 100 reports; unlinked true duplicates count as false
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import platform
import re
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

import apsw  # noqa: E402

from tacit.words.match import choose_same, compare, grown, keywords  # noqa: E402
from tacit.words.prepared import MATCH_MARGIN, THRESHOLD, MatchSettings, Prepared, prepare  # noqa: E402
from tacit.words.signature import signature  # noqa: E402
from tacit.words.tokens import index_words, query_words  # noqa: E402

CORPORA = {"hadoop": "hadoop/hadoop_bugs", "seamonkey": "seamonkey/SeaMonkey_bugs"}
CANDIDATES = 50
DESCRIPTION = 600  # characters of a report's description: what a finding quotes, not a dump
BUDGETS = (1, 2, 3, 5, 10, 15, 25)  # false merges per 100, for --sweep

RULES = {
    "lexical": MatchSettings(),
    "lexical, no margin": MatchSettings(margin=0.0),
    "overlap .50, best": MatchSettings("overlap", 0.5, 0.0),
    "jaccard .70": MatchSettings("jaccard", 0.7, 0.0),
    "jaccard .85": MatchSettings("jaccard", 0.85, 0.0),
}
PERCENTILES = (0.9, 0.95)
FIRST = "overlap .50, first (ArcheFlow)"
EQUAL = "lexical at ArcheFlow's false merges, nothing doubted"


def calibrated(nearest: list[float], percentile: float) -> float:
    """A threshold from the store itself, which was tried and lost: how alike is each report to its nearest other?"""
    if len(nearest) < 100:
        return THRESHOLD
    ordered = sorted(nearest)
    return min(
        0.75, max(0.4, ordered[min(len(ordered) - 1, math.ceil(percentile * len(ordered)) - 1)])
    )


class Report(NamedTuple):
    """One bug report; `finding` is the same for all reports that are linked as duplicates."""

    filed: str
    id: str
    finding: int
    title: str
    description: str

    def text(self, form: str) -> str:
        return self.title if form == "title" else f"{self.title}\n{self.description[:DESCRIPTION]}"


class Tally(NamedTuple):
    """What one rule did on one stream."""

    reports: int
    twins: int  # reports with an earlier twin
    found: int
    false: int

    @property
    def recall(self) -> float:
        return self.found / self.twins if self.twins else 0.0

    @property
    def false_per_100(self) -> float:
        return 100 * self.false / self.reports if self.reports else 0.0

    def told(self) -> str:
        """Recall, precision and false merges, as cells of a table."""
        matched = self.found + self.false
        return f"{_share(self.found, self.twins)} | {100 * self.found / matched if matched else 0:.0f} % | {self.false_per_100:.1f}"


def load(data: Path, corpus: str, half: str) -> list[Report]:
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


class Arrival(NamedTuple):
    """One report as it arrived: what full text proposed, with what was known of words at that time."""

    number: int
    candidates: tuple[int, ...]
    idf: dict[str, float]
    unseen: float


class Stream:
    """The reports of one half in one form, read once and replayed under each rule."""

    def __init__(self, reports: list[Report], form: str) -> None:
        self.reports = reports
        self.prepared = [prepare(report.text(form)) for report in reports]
        self.arrivals: list[Arrival] = []
        db = apsw.Connection(":memory:")
        db.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, extra, tokenize = 'porter unicode61')"
        )
        seen: Counter[str] = Counter()
        for number, report in enumerate(reports):
            text = report.text(form)
            asked = " OR ".join(f'"{word}"' for word in query_words(text))
            found = db.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?",
                (asked or '""', CANDIDATES),
            )
            candidates = tuple(row[0] for row in found)
            known = {
                term for other in (number, *candidates) for term in self.prepared[other].weights
            }
            idf = {
                term: math.log(1 + (number - seen[term] + 0.5) / (seen[term] + 0.5))
                for term in known
            }
            self.arrivals.append(Arrival(number, candidates, idf, math.log(2 * number + 2)))
            db.execute(
                "INSERT INTO words(rowid, text, extra) VALUES (?, ?, ?)",
                (number, text, index_words(text)),
            )
            seen.update(self.prepared[number].weights)
        first: set[int] = set()
        self.has_twin = [
            report.finding in first or first.add(report.finding) is not None for report in reports
        ]

    def run(self, settings: MatchSettings) -> Tally:
        """Every report decided by one rule."""
        found = false = 0
        for arrival in self.arrivals:
            candidates = [(f"{other:06}", self.prepared[other]) for other in arrival.candidates]
            rules = grown(settings, arrival.number) if settings.matcher == "lexical" else settings
            chosen = choose_same(
                self.prepared[arrival.number],
                candidates,
                rules,
                lambda t: arrival.idf.get(t, arrival.unseen),
            )
            if chosen.id:
                same = self.reports[int(chosen.id)].finding == self.reports[arrival.number].finding
                found, false = found + same, false + (not same)
        return Tally(len(self.reports), sum(self.has_twin), found, false)

    def run_calibrated(self, percentile: float) -> Tally:
        """The lexical rule with a threshold from what was stored before: how near was each report to its nearest other?"""
        found = false = 0
        nearest: list[float] = []
        for arrival in self.arrivals:
            settings = MatchSettings(threshold=calibrated(nearest, percentile))
            candidates = [(f"{other:06}", self.prepared[other]) for other in arrival.candidates]
            chosen = choose_same(
                self.prepared[arrival.number],
                candidates,
                settings,
                lambda t: arrival.idf.get(t, arrival.unseen),
            )
            nearest.append(chosen.score)
            if chosen.id:
                same = self.reports[int(chosen.id)].finding == self.reports[arrival.number].finding
                found, false = found + same, false + (not same)
        return Tally(len(self.reports), sum(self.has_twin), found, false)

    def run_first(self) -> Tally:
        """ArcheFlow as it is: the first stored report, in order of storing, that shares half of the keywords."""
        words = [keywords(each.text) for each in self.prepared]
        found = false = 0
        for number, own in enumerate(words):
            for other in range(number):
                if own and 2 * len(own & words[other]) >= len(own):
                    same = self.reports[other].finding == self.reports[number].finding
                    found, false = found + same, false + (not same)
                    break
        return Tally(len(self.reports), sum(self.has_twin), found, false)

    def sweep(self) -> list[tuple[float, float, bool]]:
        """For each report its best unblocked score, the margin, and whether it is the right one."""
        rows = []
        for arrival in self.arrivals:
            scored = []
            for other in arrival.candidates:
                likeness = compare(
                    self.prepared[arrival.number],
                    self.prepared[other],
                    lambda t: arrival.idf.get(t, arrival.unseen),
                )
                if not likeness.blocked:
                    scored.append(
                        (
                            likeness.score,
                            self.reports[other].finding == self.reports[arrival.number].finding,
                        )
                    )
            scored.sort(key=lambda each: -each[0])
            if scored:
                rows.append(
                    (
                        scored[0][0],
                        scored[0][0] - (scored[1][0] if len(scored) > 1 else 0.0),
                        scored[0][1],
                    )
                )
        return rows

    def at_most(self, rows: list[tuple[float, float, bool]], budget: int) -> Tally:
        """What the lexical score finds at the threshold that just keeps a budget of false merges."""
        best = Tally(len(self.reports), sum(self.has_twin), 0, 0)
        found = false = 0
        for _, _, right in sorted(rows, reverse=True):
            found, false = found + right, false + (not right)
            if false > budget:
                break
            best = best._replace(found=found, false=false)
        return best


def bug_lines(data: Path, half: str, sweep: bool) -> list[str]:
    """Recall and false merges of every rule on both corpora, and pooled."""
    lines = [
        "| reports | rule | recall | precision | false merges per 100 |",
        "|---|---|---|---|---|",
    ]
    pooled: dict[tuple[str, str], list[Tally]] = {}
    for form in ("title", "report"):
        for corpus in CORPORA:
            stream = Stream(load(data, corpus, half), form)
            tallies = {name: stream.run(settings) for name, settings in RULES.items()}
            tallies |= {
                f"lexical, calibrated {p:.2f}": stream.run_calibrated(p) for p in PERCENTILES
            }
            tallies[FIRST] = stream.run_first()
            rows = stream.sweep()
            tallies[EQUAL] = stream.at_most(rows, tallies[FIRST].false)
            for name, tally in tallies.items():
                pooled.setdefault((form, name), []).append(tally)
                lines.append(f"| {corpus}, {form} | {name} | {tally.told()} |")
            if sweep:
                _print_sweep(f"{corpus}, {form}", stream, rows)
    for (form, name), parts in pooled.items():
        tally = Tally(*(sum(column) for column in zip(*parts)))
        lines.append(f"| both, {form} | {name} | {tally.told()} |")
    return lines


def _print_sweep(name: str, stream: Stream, rows: list[tuple[float, float, bool]]) -> None:
    for margin in (0.0, 0.03, 0.05, 0.08, 0.1):
        wide = [row for row in rows if row[1] >= margin]
        tallies = [
            stream.at_most(wide, int(budget * len(stream.reports) / 100)) for budget in BUDGETS
        ]
        told = (f"{budget}: {tally.recall:.2f}" for budget, tally in zip(BUDGETS, tallies))
        print(f"sweep {name}, margin {margin}: {'  '.join(told)}", file=sys.stderr)


def pair_lines() -> list[str]:
    """Opposites merged and twins found among our own pairs, pairwise and with all others in the store."""
    ours = {
        name: fresh_pairs("opposites", name)
        for name in (
            "known",
            "more",
            "blind",
            "later",
            "unseen",
            "same",
            "more_same",
            "unseen_same",
        )
    }
    lines = ["| pairs | rule | merged |", "|---|---|---|"]
    sets = {
        "known opposites": (*ours["known"], *ours["more"]),
        "blind opposites": ours["blind"],
        "later opposites": ours["later"],
        "a stranger's opposites": ours["unseen"],
        "another stranger's opposites": fresh_pairs("opposites_fresh"),
        "many strangers' opposites": tuple(
            pair for pair in fresh_pairs("strangers") if pair[0] != "same"
        ),
        "strangers' opposites, reports only": tuple(
            pair for pair in fresh_pairs("reported") if pair[0] != "same"
        ),
    }
    same = {
        "same meaning": (*ours["same"], *ours["more_same"]),
        "same meaning, a stranger's": ours["unseen_same"],
        "same meaning, many strangers'": tuple(
            pair for pair in fresh_pairs("strangers") if pair[0] == "same"
        ),
        "same problem, strangers' reports": tuple(
            pair for pair in fresh_pairs("reported") if pair[0] == "same"
        ),
    }
    for title, pairs in {**sets, **same}.items():
        for name, settings in RULES.items():
            merged = sum(
                bool(choose_same(_read(kind, a), [("1", _read(kind, b))], settings).id)
                for kind, a, b in pairs
            )
            lines.append(f"| {title} | {name} | {_share(merged, len(pairs))} |")
    store = [
        (f"{n:04}", _read(kind, a))
        for n, (kind, a, _) in enumerate((*ours["same"], *ours["known"], *ours["blind"]))
    ]
    for name, settings in RULES.items():
        chosen = [choose_same(_read(kind, b), store, settings).id for kind, _, b in ours["same"]]
        right = sum(id == f"{n:04}" for n, id in enumerate(chosen))
        lines.append(
            f"| same meaning among {len(store)} lessons | {name} | {_share(right, len(chosen))}, to a stranger {sum(map(bool, chosen)) - right} |"
        )
    return lines


def fresh_pairs(name: str, chosen: str = "") -> tuple[tuple[str, str, str], ...]:
    """The pairs of a file beside the matcher's tests, or of one set of it."""
    lines = (
        (HERE.parent / "tests" / "words" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    )
    return tuple(
        (pair["kind"], pair["a"], pair["b"])
        for pair in map(json.loads, lines)
        if not chosen or pair["set"] == chosen
    )


def flipped_lines(data: Path) -> list[str]:
    """Real lessons (ace-agent/ace-appworld) against themselves with one word flipped mechanically: "always" to "never", a modal
    denied, a number changed. Nobody wrote these with the matcher in view.
    """
    lessons = dict.fromkeys(
        re.sub(r"^\[[^\]]*\]\s*(?:helpful=\d+ harmful=\d+ ::)?", "", line).strip()
        for path in sorted((data / "ace_playbooks").glob("*.txt"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("[")
    )
    flips = {
        "always to never": (r"(?i)\balways\b", lambda found: "never"),
        "a modal denied": (
            r"\b(?:must|should|can|will)\b(?! not)",
            lambda found: f"{found[0]} not",
        ),
        "another number": (
            r"\b\d+\b",
            lambda found: str(int(found[0]) + 1 + len(found.string) % 9),
        ),
    }
    lines = ["| flipped | rule | merged |", "|---|---|---|"]
    for title, (pattern, flip) in flips.items():
        pairs = []
        for lesson in lessons:
            said = re.split(r"(?<=[.!?])\s", lesson)[0]
            if len(said) >= 20 and re.search(pattern, said):
                pairs.append((lesson, re.sub(pattern, flip, said, count=1) + lesson[len(said) :]))
        for name, settings in RULES.items():
            merged = sum(
                bool(choose_same(prepare(a), [("1", prepare(b))], settings).id) for a, b in pairs
            )
            lines.append(f"| {title} | {name} | {_share(merged, len(pairs))} |")
    return lines


def _read(kind: str, text: str) -> Prepared:
    return prepare(text, signature=signature(text) if kind == "error" else "")


def speed_lines() -> list[str]:
    """Microseconds a call, the best of five rounds."""
    texts = [
        "Missing null checks in API response handlers",
        "Add null checks to the handlers of API responses",
        "Never run the migrations without a backup, they cannot be undone",
        "Do not run migrations unless a backup exists",
    ]
    read = [prepare(text) for text in texts]
    jobs = {
        "prepare": lambda: [prepare(text) for text in texts],
        "compare": lambda: [compare(a, b, float_idf) for a in read for b in read if a is not b],
        "decide among 50": lambda: choose_same(
            read[0],
            [(str(n), read[n % 4]) for n in range(50)],
            MatchSettings("lexical", 0.99),
            float_idf,
        ),
    }
    calls = {"prepare": len(texts), "compare": 12, "decide among 50": 1}
    lines = ["| call | µs |", "|---|---|"]
    for name, job in jobs.items():
        best = min(_timed(job) for _ in range(5))
        lines.append(f"| {name} | {best / calls[name] * 1e6:.0f} |")
    return lines


def float_idf(term: str) -> float:
    return 1.0 + len(term) / 10


def _timed(job) -> float:  # type: ignore[no-untyped-def]
    begun = time.perf_counter()
    for _ in range(50):
        job()
    return (time.perf_counter() - begun) / 50


def _share(part: int, whole: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    if not whole:
        return "—"
    p, z = part / whole, 1.96
    middle, spread = (
        p + z * z / (2 * whole),
        z * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole)),
    )
    low, high = (middle - spread) / (1 + z * z / whole), (middle + spread) / (1 + z * z / whole)
    return f"{part} of {whole}, {100 * p:.0f} % ({100 * max(0, low):.0f}–{100 * min(1, high):.0f})"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "data", nargs="?", type=Path, default=HERE.parent.parent / "shared" / "data"
    )
    parser.add_argument("--half", choices=("dev", "heldout"), default="dev")
    parser.add_argument("--pairs", action="store_true", help="only pairs of lessons, no reports")
    parser.add_argument(
        "--sweep",
        action="store_true",
        help="also recall at several budgets of false merges, to stderr",
    )
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    lines = [
        f"# Matching, {datetime.now(UTC):%Y-%m-%d}",
        "",
        f"`python bench/matching.py DATA --half {args.half}`, Python {platform.python_version()}, {platform.machine()}; "
        f"lexical at threshold {THRESHOLD}, margin {MATCH_MARGIN}.",
        "",
        "## Opposites and twins in our own words",
        "",
        *pair_lines(),
    ]
    if args.data and (args.data / "ace_playbooks").is_dir():
        lines += ["", "## Real lessons, one word flipped", "", *flipped_lines(args.data)]
    if args.pairs:
        pass
    elif args.data and (args.data / "gitbugs").is_dir():
        lines += [
            "",
            f"## Duplicate reports, {args.half} half",
            "",
            *bug_lines(args.data, args.half, args.sweep),
        ]
    else:
        print("Duplicate reports skipped: name the folder that holds gitbugs/.", file=sys.stderr)
    lines += ["", "## Speed", "", *speed_lines()]
    text = "\n".join(lines) + "\n"
    print(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
