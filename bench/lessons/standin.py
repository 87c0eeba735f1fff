"""A stand-in for a reader: answers the reader's own prompts from kept answers, whatever their words are by now.

    #!/bin/sh                                            ~/bin/claude, then: tacit lookback --read
    exec python …/bench/lessons/standin.py "$@"
    STANDIN_ANSWERS=FOLDER                               FOLDER/PROJECT/*.json, as recorded.py keeps them, instead of bench/labels/reader
    STANDIN_FOLD=REPOSITORY:REPOSITORY                   as recorded.py's --fold: their very answers are found by their prompts
    STANDIN_UNKNOWN=FOLDER                               which lessons say the same, and nobody was asked yet: such questions are kept there
    STANDIN_SECONDS=8 STANDIN_SLOW=25 STANDIN_LIMIT=7    seconds an answer takes, every tenth one, and the question that is refused (429)

A prompt that has an answer gets it. Else a lesson is answered where every quote of it stands in the record, a person's line is taken to say a
part of its lesson and to hold as the reader called it, and what is remembered is judged as far as the same session was asked about the same words. So the screens are Tacit's, and the lessons
those of a careful reader; it is for walking through the product, not for measuring it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

import known_by
import pairs_by
from recorded import ASKED, folded, name_of, step_of

LABELS = Path(__file__).resolve().parents[1] / "labels" / "reader"
MOST = 8
KINDS = {
    "preference": "preference",
    "rule": "way",
    "pitfall": "cure",
    "fix": "cure",
    "command": "way",
    "fact": "fact",
}
LINE = re.compile(r"^(\d+) ([A-Z]) (.*)$", re.M)


def main() -> int:
    """Answer the prompt on standard input."""
    if "--version" in sys.argv:
        print("2.1.999 (stand-in)")
        return 0
    prompt = sys.stdin.read()
    number = _count()
    time.sleep(
        float(os.environ.get("STANDIN_SLOW" if number % 10 == 0 else "STANDIN_SECONDS", "0"))
    )
    if number == int(os.environ.get("STANDIN_LIMIT", "0")):
        print("API Error: 429 rate_limit_error", file=sys.stderr)
        return 1
    print(_recorded(prompt) or json.dumps(answer(prompt), ensure_ascii=False))
    return 0


def _recorded(prompt: str) -> str:
    """The very answer, where one is kept; of what is remembered also what was said of the same session."""
    if not (kept := os.environ.get("STANDIN_ANSWERS", "")):
        return ""
    asked = prompt.removeprefix(ASKED).lstrip("\n")
    for repository in os.environ.get("STANDIN_FOLD", "/repo").split(":"):
        asked = folded(asked, repository)
    step, twins = step_of(asked), ""
    for folder in sorted(each for each in Path(kept).iterdir() if each.is_dir()):
        answer = folder / f"{step}-{name_of(asked)}.json"
        if answer.exists() and (said := answer.read_text().strip()):
            return said
        if step == "known" and (near := known_by.near(str(folder), asked)):
            return near
        if step in pairs_by.STEPS and (told := pairs_by.near(str(folder), step, asked)):
            if not told[1]:
                return told[0]
            if step == "weigh":
                return json.dumps(
                    {"answers": _weighed_as_kept(asked, json.loads(told[0])["answers"])}
                )
            twins = max(
                twins, told[0] if step == "twins" else "", key=len
            )  # a pair nobody was asked about counts as different
    if twins and (place := os.environ.get("STANDIN_UNKNOWN", "")):
        Path(place).mkdir(parents=True, exist_ok=True)
        (Path(place) / f"twins-{name_of(asked)}.txt").write_text(asked)
    return twins


def answer(prompt: str) -> dict[str, Any]:
    """What a careful reader said of such a question."""
    if '"answers"' in prompt and '"says"' in prompt:
        return {"answers": _weighed(prompt)}
    if '"verdicts"' in prompt:
        return {"verdicts": []}
    return {"lessons": _lessons(prompt)}


def _weighed(prompt: str) -> list[dict[str, Any]]:
    from tacit.learn.reader.exam import EXAM_PAIRS

    known = {lesson: (says[0], holds[0]) for lesson, _, says, holds in EXAM_PAIRS}
    numbers = dict.fromkeys(int(n) for n in re.findall(r"^(\d+)\. lesson: ", prompt, re.M))
    said = []
    for n in numbers:
        text = next((lesson for lesson in known if f"{n}. lesson: {lesson}\n" in prompt), "")
        says, holds = known.get(text, ("yes", "working"))
        said.append({"n": n, "says": says, "holds": holds})
    return said


def _weighed_as_kept(prompt: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was said of these pairs; of the others what was said of that lesson beside another line (`weighed-kept.json`: text -> says,
    holds), else the line is taken to say a part of it, as half of the kept answers do, and to hold as its reader called it."""
    said = {each["n"]: each for each in known}
    kept = Path(os.environ["STANDIN_ANSWERS"]) / "weighed-kept.json"
    beside = json.loads(kept.read_text()) if kept.exists() else {}
    kinds = {each["text"]: str(each.get("kind")) for each in _kept()}
    for n, text in (
        (int(at[1]), at[2]) for at in re.finditer(r"^(\d+)\. lesson: ([^\n]*)", prompt, re.M)
    ):
        holds = {"decision": "decision", "fact": "fact", "cure": "fact"}.get(
            kinds.get(text, ""), "working"
        )
        says, holds = beside.get(text, ("partly", holds))
        said.setdefault(n, {"n": n, "says": says, "holds": holds})
    return list(said.values())


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
        if (
            quotes
            and len(quotes) == len(each["quotes"][:3])
            and each["text"] not in [one["text"] for one in found]
        ):
            kind = str(each.get("kind"))
            found.append(
                {
                    "about": None,
                    "sign": None,
                    **each,
                    "kind": KINDS.get(kind, kind),
                    "quotes": quotes,
                }
            )
    return found[:MOST]


def _kept() -> list[dict[str, Any]]:
    if kept := os.environ.get("STANDIN_ANSWERS", ""):
        said = [
            json.loads(file.read_text()) for file in sorted(Path(kept).glob("*/lessons-*.json"))
        ]
    else:
        said = [
            json.loads(line)["answer"]
            for file in sorted(LABELS.glob("*.jsonl"))
            for line in file.read_text().splitlines()
        ]
    return [lesson for each in said for lesson in each.get("lessons", ())]


def _count() -> int:
    """How many questions were asked so far, counted in the home of whoever asks."""
    path = Path(os.environ.get("STANDIN_COUNT", os.path.expanduser("~/.standin")))
    number = int(path.read_text() or 0) + 1 if path.exists() else 1
    path.write_text(str(number))
    return number


if __name__ == "__main__":
    sys.exit(main())
