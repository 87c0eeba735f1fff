"""How often the reader is right about remembered lessons, on a fixed sample of sessions.

    python bench/lessons/known_sample.py sheet QUEUE > sheet.txt     what a judge reads: lesson, verdict, and the lines around its quote
    python bench/lessons/known_sample.py figures                     precision and verdicts a session, by the kept labels

QUEUE holds the questions of a feeding and their answers (`recorded.py`). The sample is fixed by the names of the sessions' records, never by what
was said of them: the 60 with the smallest hash (sessions we made up are left out). A judge writes one line per verdict into bench/labels/known/JUDGE.tsv: its key, a tab, `right`
or `wrong`, a tab, a word why. `right`: by the record the verdict is so, and the quote shows it (for `same`: whoever is told one needs not be
told the other, and the better wording, if there is one, is true to both).
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import known_by

LABELS = Path(__file__).parents[1] / "labels" / "known"
SESSIONS, AROUND = 60, 6


def sample(queue: Path) -> Iterator[tuple[str, str, list[dict[str, object]]]]:
    """(name of the record, question, verdicts) of the sampled sessions."""
    asked = {
        _record(text): (file, text)
        for file in sorted(queue.glob("*/known-*.txt"))
        if file.parent.name != "exceptions"
        for text in (file.read_text(),)
    }
    for record in sorted(asked, key=lambda name: hashlib.sha256(f"sample {name}".encode()).hexdigest())[:SESSIONS]:
        file, text = asked[record]
        yield record, text, json.loads(file.with_suffix(".json").read_text()).get("verdicts", [])


def _record(question: str) -> str:
    body = re.sub(
        r"=== (?:end of record )?\w+ ===", "", question.rpartition("=== record ")[2].partition("\n")[2]
    ).strip()
    return hashlib.sha256(body.encode()).hexdigest()[:20]


def sheet(queue: Path) -> None:
    """Print every verdict of the sample with what it speaks of."""
    for record, text, verdicts in sample(queue):
        _, words = known_by.about(text)
        lines = text.rpartition("=== record ")[2].split("\n")
        print(f"\n##### session {record[:8]}: {len(verdicts)} verdicts")
        for verdict in verdicts:
            lesson = words.get(str(verdict["id"]), "")
            print(f"\nKEY {key(record, lesson, str(verdict['verdict']), str(verdict.get('line')))}\nLESSON {lesson}")
            if verdict["verdict"] == "same":
                print(
                    f"VERDICT same as the new one: {words.get(str(verdict.get('new')), '?')}\nBETTER {verdict.get('better')}"
                )
                continue
            print(
                f"VERDICT {verdict['verdict']} {verdict.get('scope') or ''} QUOTE line {verdict.get('line')}: {verdict.get('words')}"
            )
            at = next((n for n, line in enumerate(lines) if re.match(rf"{verdict.get('line')} [A-Z] ", line)), None)
            print(
                "\n".join(f"   {line[:500]}" for line in lines[max(0, (at or 0) - AROUND) : (at or 0) + AROUND + 1])
                if at is not None
                else "   (no such line)"
            )


def key(record: str, lesson: str, verdict: str, line: str) -> str:
    """The name of a verdict."""
    return hashlib.sha256("\n".join((record, lesson, verdict, line)).encode()).hexdigest()[:10]


def figures() -> None:
    """What the kept labels say."""
    for file in sorted(LABELS.glob("*.tsv")):
        rows = [line.split("\t") for line in file.read_text().splitlines() if line and not line.startswith("#")]
        told = Counter(row[1] for row in rows)
        print(
            f"{file.stem}: {told['right']} of {len(rows)} right = {told['right'] / len(rows):.2f}; {len(rows) / SESSIONS:.1f} verdicts a session"
        )


if __name__ == "__main__":
    sheet(Path(sys.argv[2])) if sys.argv[1] == "sheet" else figures()
