"""Answers about pairs of texts, kept pair by pair: which ones a question puts together changes with every rule of the product.

`FOLDER/pairs-kept.json` holds what a reader said of each pair (a hash of its two texts): of two lessons which say the same (`twins`), of a lesson and the line in which
it is said to be told (`weigh`, `revoke`). `near` answers a later question from it and says how many of its pairs nobody was asked about.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any

STEPS = ("twins", "weigh", "revoke")
_NEW, _OTHER = re.compile(r"^(n\d+): (.*)$"), re.compile(r"^    ([kn]\d+): (.*)$")
_LESSON = re.compile(
    r"^(\d+)\. lesson: ([^\n]*)\n   line: (.*?)(?=^\d+\. lesson: |\Z)", re.M | re.S
)


def pairs(step: str, prompt: str) -> dict[tuple[str, ...], str]:
    """The pairs of a question by their names in it, each as the hash of its two texts."""
    record = "\n".join(
        re.findall(r"^=== record(?: \w+)? ===$\n(.*?)\n^=== end of record", prompt, re.M | re.S)
    )
    if step != "twins":
        return {(at[1],): _hash(step, at[2], at[3].strip()) for at in _LESSON.finditer(record)}
    found, new = {}, ("", "")
    for line in record.splitlines():
        if at := _NEW.match(line):
            new = at[1], at[2]
        elif at := _OTHER.match(line):
            found[new[0], at[1]] = _hash(step, new[1], at[2])
    return found


def kept(folder: str) -> dict[str, Any]:
    """What was said, by its pair."""
    try:
        with open(os.path.join(folder, "pairs-kept.json"), encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
            return found
    except FileNotFoundError:
        return {}


def keep(folder: str) -> int:
    """Take every answer that lies beside its question into the file; how many pairs there are."""
    found = kept(folder)
    for name in sorted(os.listdir(folder)):
        step, answer = name.partition("-")[0], os.path.join(folder, f"{name[:-4]}.json")
        if step in STEPS and name.endswith(".txt") and os.path.exists(answer):
            with (
                open(os.path.join(folder, name), encoding="utf-8") as asked,
                open(answer, encoding="utf-8") as said,
            ):
                words = _said(step, json.load(said))
                found |= {
                    pair: words[at]
                    for at, pair in pairs(step, asked.read()).items()
                    if at in words or step == "twins"
                }
    path = os.path.join(folder, "pairs-kept.json")
    with open(f"{path}.half", "w", encoding="utf-8") as file:
        json.dump(dict(sorted(found.items())), file)
    os.replace(f"{path}.half", path)
    return len(found)


def near(folder: str, step: str, prompt: str) -> tuple[str, int]:
    """What is known of a question's pairs, and how many of them nobody was asked about."""
    found, asked = kept(folder), pairs(step, prompt)
    known = {at: found[pair] for at, pair in asked.items() if pair in found}
    if step == "twins":
        rows = [
            {"new": new, "other": other, "word": word}
            for (new, other), word in known.items()
            if word != "different"
        ]
        return json.dumps({"pairs": rows}), len(asked) - len(known)
    rows = [{"n": int(n), "says": says, "holds": holds} for (n,), (says, holds) in known.items()]
    return json.dumps({"answers": rows}), len(asked) - len(known) or not asked


class _Different(dict[Any, Any]):
    def __missing__(self, pair: Any) -> str:
        return "different"


def _said(step: str, answer: dict[str, Any]) -> dict[Any, Any]:
    if step == "twins":
        return _Different({(row["new"], row["other"]): row["word"] for row in answer["pairs"]})
    return {(str(row["n"]),): [row["says"], row["holds"]] for row in answer["answers"]}


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
