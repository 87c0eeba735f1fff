"""A stand-in for a reader: answers the reader's own prompts from kept answers, whatever their words are by now.

    ln -s …/bench/lessons/standin.py ~/bin/claude        then: tacit lookback --read
    STANDIN_SECONDS=8 STANDIN_SLOW=25 STANDIN_LIMIT=7    seconds an answer takes, every tenth one, and the question that is refused (429)

A lesson is answered where every quote of it stands in the record. A person's line is taken to say its lesson, what is remembered is not
judged. So the screens are Tacit's, and the lessons those of a careful reader; it is for walking through the product, not for measuring it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

LABELS = Path(__file__).resolve().parents[1] / "labels" / "reader"
MOST = 8
KINDS = {"preference": "preference", "rule": "way", "pitfall": "cure", "fix": "cure", "command": "way", "fact": "fact"}
LINE = re.compile(r"^(\d+) ([A-Z]) (.*)$", re.M)


def main() -> int:
    """Answer the prompt on standard input."""
    if "--version" in sys.argv:
        print("2.1.999 (stand-in)")
        return 0
    prompt = sys.stdin.read()
    number = _count()
    time.sleep(float(os.environ.get("STANDIN_SLOW" if number % 10 == 0 else "STANDIN_SECONDS", "0")))
    if number == int(os.environ.get("STANDIN_LIMIT", "0")):
        print("API Error: 429 rate_limit_error", file=sys.stderr)
        return 1
    print(json.dumps(answer(prompt), ensure_ascii=False))
    return 0


def answer(prompt: str) -> dict[str, Any]:
    """What a careful reader said of such a question."""
    if '"answers"' in prompt and '"says"' in prompt:
        return {"answers": _weighed(prompt)}
    if '"verdicts"' in prompt:
        return {"verdicts": []}
    return {"lessons": _lessons(prompt)}


def _weighed(prompt: str) -> list[dict[str, Any]]:
    from tacit.learn.reader.exam import PAIRS

    known = {lesson: (says[0], holds[0]) for lesson, _, says, holds in PAIRS}
    numbers = dict.fromkeys(int(n) for n in re.findall(r"^(\d+)\. lesson: ", prompt, re.M))
    said = []
    for n in numbers:
        text = next((lesson for lesson in known if f"{n}. lesson: {lesson}\n" in prompt), "")
        says, holds = known.get(text, ("yes", "working"))
        said.append({"n": n, "says": says, "holds": holds})
    return said


def _lessons(prompt: str) -> list[dict[str, Any]]:
    lines = {int(n): text for n, _, text in LINE.findall(prompt)}
    words = "please never start the dev server yourself"
    found: list[dict[str, Any]] = []
    for n, text in lines.items():
        if words in text:
            exam = {
                "text": "Never start the dev server.",
                "kind": "way",
                "standing": "said",
                "about": None,
                "sign": None,
            }
            return [{**exam, "quotes": [{"line": n, "words": words}]}]
    for each in _kept():
        quotes = []
        for quote in each["quotes"][:3]:
            at = next((n for n, text in lines.items() if quote["words"] in text), None)
            quotes += [{"line": at, "words": quote["words"]}] if at is not None else []
        if quotes and len(quotes) == len(each["quotes"][:3]) and each["text"] not in [one["text"] for one in found]:
            kind = KINDS.get(str(each.get("kind")), "fact")
            found.append(
                {
                    "text": each["text"],
                    "kind": kind,
                    "standing": each["standing"],
                    "about": None,
                    "quotes": quotes,
                    "sign": None,
                }
            )
    return found[:MOST]


def _kept() -> list[dict[str, Any]]:
    every: list[dict[str, Any]] = []
    for file in sorted(LABELS.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            every += json.loads(line)["answer"].get("lessons", ())
    return every


def _count() -> int:
    """How many questions were asked so far, counted in the home of whoever asks."""
    path = Path(os.environ.get("STANDIN_COUNT", os.path.expanduser("~/.standin")))
    number = int(path.read_text() or 0) + 1 if path.exists() else 1
    path.write_text(str(number))
    return number


if __name__ == "__main__":
    sys.exit(main())
