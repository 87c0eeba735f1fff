"""Tier 1 of triage on 150 proposals labelled twice: how far two labellers agree, then what the rules do with them.

    python bench/triage.py             the agreement and the confusion tables
    python bench/triage.py --sheet     a blind sheet in random order, for another labeller
    python bench/triage.py --second F  agreement and tables with that labeller's sheet in place of the second labels

The first labels (bench/labels/triage.jsonl) are their writer's, the second (bench/labels/triage-second.tsv) those of somebody who had
seen neither texts nor labels before; both were given before the rules were looked at. promote: a lasting, specific line that may go
on the page unasked. reject: noise, a passing state, narration, an instruction to an editor. merge: the page says it already.
review: somebody should look, because it is an opinion, a guess, risky, or says otherwise than the page does.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path

from tacit.core.profile_toml import standard
from tacit.core.run import Finding
from tacit.hookspecs import of_origins
from tacit.learn.prepare import gate_of
from tacit.tend.triage_rules import RULES, Suggested

LABELS = ("promote", "reject", "merge", "review")
FILE = Path(__file__).parent / "labels" / "triage.jsonl"
SECOND = FILE.with_name("triage-second.tsv")
# The pages have joelclaw's sections; the default profile calls them otherwise.
DEFAULT = {
    "Hard Rules": "Rules",
    "Conventions": "Rules",
    "System Architecture": "Facts",
    "Patterns": "What works",
    "Joel": "Preferences",
    "Miscellaneous": "Facts",
}


def read() -> tuple[dict[str, list[str]], list[dict[str, str]]]:
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    pages = {
        row["page"]: [line for lines in row["sections"].values() for line in lines]
        for row in rows
        if "sections" in row
    }
    return pages, [row for row in rows if "text" in row]


def kappa(first: list[str], second: list[str]) -> float:
    """Cohen's: agreement beyond what two labellers of these habits reach by chance."""
    n = len(first)
    seen = sum(a == b for a, b in zip(first, second)) / n
    one, two = Counter(first), Counter(second)
    chance = sum(one[label] * two[label] for label in LABELS) / n**2
    return (seen - chance) / (1 - chance)


def judged(row: dict[str, str], pages: dict[str, list[str]], profile: str) -> str:
    """What tier 1 makes of a proposal; a rejected duplicate is what a labeller calls merge."""
    settings = standard(profile).triage
    section = row["section"] if profile == "joelclaw" else DEFAULT[row["section"]]
    text = f"(2026-11-15) {row['text']}" if "date" in settings.promote_needs else row["text"]
    rule = RULES.get(settings.rules) or of_origins("triage", settings.rules)
    word = rule(Suggested("new", section, text), pages[row["page"]], (), settings)
    return "merge" if word.reason.startswith("duplicate") else word.action


def gated(row: dict[str, str]) -> str:
    """What the gate made of it before it could become a proposal: everything for the page was once a finding."""
    word = gate_of(
        Finding("r", "p", row["text"], extractor="observe", tier="agent", by="model"),
        standard("default"),
        None,
        False,
    )
    return {"discard": "reject", "hold": "review", "quarantine": "review"}.get(word.outcome, "")


def table(title: str, truth: list[str], said: list[str]) -> str:
    counts = Counter(zip(truth, said))
    decided = [(a, b) for a, b in zip(truth, said) if b != "review"]
    right = sum(a == b for a, b in decided)
    lines = [
        f"{title}: {len(decided)} of {len(truth)} decided, {right} of them as labelled",
        "",
        f"| label \\ tier 1 | {' | '.join(LABELS)} | |",
        "|---" * 6 + "|",
    ]
    for label in LABELS:
        row = [counts[label, each] for each in LABELS]
        lines.append(f"| {label} | {' | '.join(map(str, row))} | {sum(row)} |")
    return "\n".join(lines)


def main() -> None:
    pages, rows = read()
    if "--sheet" in sys.argv:
        order = random.Random(8).sample(rows, len(rows))
        for page, lines in pages.items():
            print(f"# the page {page}", *(f"#   {line}" for line in lines), sep="\n")
        print(
            *(f"{row['id']}\t\t{row['page']}\t{row['section']}\t{row['text']}" for row in order),
            sep="\n",
        )
        return
    file = Path(sys.argv[sys.argv.index("--second") + 1]) if "--second" in sys.argv else SECOND
    sheet = file.read_text(encoding="utf-8").splitlines()
    given = {
        int(line.split("\t")[0]): line.split("\t")[1].strip()
        for line in sheet
        if line and line[0].isdigit()
    }
    rows = [{**row, "second": given[int(row["id"])]} for row in rows]
    first, second = [row["first"] for row in rows], [row["second"] for row in rows]
    same = sum(a == b for a, b in zip(first, second))
    print(f"labellers agree on {same} of {len(rows)}; Cohen's kappa {kappa(first, second):.3f}\n")
    both = [row for row in rows if row["first"] == row["second"]]
    for profile in ("joelclaw", "default"):
        said = {row["id"]: judged(row, pages, profile) for row in rows}
        print(
            table(
                f"{profile}, where both labels agree",
                [row["first"] for row in both],
                [said[row["id"]] for row in both],
            ),
            end="\n\n",
        )
        for which in ("first", "second"):
            right = sum(
                row[which] == said[row["id"]] for row in rows if said[row["id"]] != "review"
            )
            decided = sum(at != "review" for at in said.values())
            print(
                f"{profile}, by the {which} labels alone: {right} of {decided} decided as labelled"
            )
        if profile == "default":
            behind = [gated(row) or said[row["id"]] for row in both]
            print(
                "",
                table(
                    "default behind its gate, where both labels agree",
                    [row["first"] for row in both],
                    behind,
                ),
                sep="\n",
            )
        wrong = [row for row in both if said[row["id"]] not in ("review", row["first"])]
        print(
            *(f"  {row['first']} but {said[row['id']]}: {row['text']}" for row in wrong),
            "",
            sep="\n",
        )


if __name__ == "__main__":
    main()
