"""Whose words: how much pasted text passes as a person's own, and whether their own words are kept.

    python bench/own_words.py FOLDER        FOLDER: projects, each with sessions/*.jsonl and truth/*.jsonl

Messages that were read by hand are in bench/labels/own-words.json, as a hash of the text and the person's own spans: 75
that the rules were made with, and 40 that were read afterwards (at the first look some 4 % of their foreign characters
passed; the rules were mended once after it). Quotes of a person in the keys must stand in a typed message's own words.
"""

from __future__ import annotations

import glob
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tacit import formats
from tacit.formats.source import FileSource
from tacit.words.own_words import own_text, own_words

LABELS = Path(__file__).parent / "labels" / "own-words.json"


def messages(folder: str) -> Iterator[tuple[str, str, str]]:
    """Session, typed message, and what the agent had said before it."""
    for path in sorted(glob.glob(f"{folder}/sessions/*.jsonl")):
        for run in formats.read(FileSource(path)):
            before = ""
            for step in run.steps:
                if step.typed:
                    yield Path(path).stem, step.text, before
                elif step.role == "assistant":
                    before = step.text


def quotes(folder: str) -> Iterator[tuple[str, str]]:
    """Session and quote of everything that the keys say a person typed."""
    for name, key in (("repeated", "occurrences"), ("expert", "quotes")):
        path = Path(folder, "truth", f"{name}.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            item = json.loads(line)
            for said in item[key]:
                if "user" in said.get("found_in", ()):
                    yield said.get("session") or item["session"], said.get("quote") or said["text"]


def folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().lower()


def main(root: str) -> None:
    labels = {row["message"]: row for row in json.loads(LABELS.read_text())}
    count: Counter[tuple[str, str]] = Counter()
    said = kept = 0
    for folder in sorted(glob.glob(f"{root}/*/")):
        by_session: dict[str, list[str]] = {}
        for session, text, before in messages(folder):
            by_session.setdefault(session, []).append(folded(own_text(text, before)))
            label = labels.pop(hashlib.sha256(text.encode()).hexdigest()[:16], None)
            if label is None:
                continue
            true = {at for start, end in label["own"] for at in range(start, end)}
            given = {at for start, end in own_words(text, before).own for at in range(start, end)}
            for at, character in enumerate(text):
                if not character.isspace():
                    count[label["set"], ("own" if at in true else "foreign")] += 1
                    count[label["set"], ("own kept" if at in true else "foreign passed")] += (
                        at in given
                    )
        for session, quote in quotes(folder):
            said += 1
            kept += any(folded(quote) in own for own in by_session.get(session, ()))
    for name in ("fitted", "held out"):
        row = {what: count[name, what] for what in ("foreign", "foreign passed", "own", "own kept")}
        print(
            f"{name}: foreign characters passed {row['foreign passed']} of {row['foreign']}"
            f" ({row['foreign passed'] / max(1, row['foreign']):.1%}), own kept {row['own kept'] / max(1, row['own']):.1%}"
        )
    print(
        f"quotes of a person kept: {kept} of {said} ({kept / max(1, said):.1%}); labels not found: {len(labels)}"
    )


if __name__ == "__main__":
    main(sys.argv[1])
