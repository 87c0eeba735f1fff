"""Answers about remembered lessons, kept by what they are about: a session's record and the words of a lesson.

`FOLDER/about-<hash of the record>.json` holds which lessons were put to the reader (the hash of their words) and what it said of each. A later question about the same
session is answered from it as far as it lists the same words; `asked` and `judged` count how much of it that is. A record is known by what people and the host say in it
(letters A, T, E and X, and the numbers of lines, are left out): which lines of the agent are masked depends on the lessons that are asked about, and which line of a failing
output tells most on the rules that find it. Where hardly anybody speaks, by its calls, too. A quote is looked for by its words.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any


def about(prompt: str) -> tuple[str, dict[str, str]]:
    """The name of a question's record, and the words behind each of its names (k1, h1, n1)."""
    record, *lists = re.findall(
        r"^=== record(?: \w+)? ===$(.*?)^=== end of record", prompt, re.M | re.S
    )
    listed = "\n".join(lists)
    lines = [
        line.split(" ", 1)[-1] for line in record.splitlines() if re.match(r"\d+ [A-Z] ", line)
    ]
    said = [line for line in lines if line[0] not in "ATEX"]
    others = "\n".join(
        said if len(said) > 1 else [*said, *(line for line in lines if line[0] == "T")]
    )
    found = {each[1]: each[2] for each in re.finditer(r"^([khn]\d+): (.*)$", listed, re.M)}
    return hashlib.sha256(others.encode()).hexdigest()[:20], found


def keep(folder: str, prompt: str, said: str) -> None:
    """Keep an answer by the words it is about."""
    record, words = about(prompt)
    try:
        verdicts = json.loads(said)["verdicts"]
    except (ValueError, KeyError, TypeError):
        return
    told = [
        {
            **each,
            "id": words.get(str(each.get("id")), ""),
            "new": words.get(str(each.get("new")), ""),
        }
        for each in verdicts
    ]
    path = os.path.join(folder, f"about-{record}.json")
    with open(f"{path}.half", "w", encoding="utf-8") as file:
        json.dump(
            {
                "listed": sorted(map(_name, words.values())),
                "verdicts": [each for each in told if each["id"]],
            },
            file,
            ensure_ascii=False,
        )
    os.replace(f"{path}.half", path)


def near(folder: str, prompt: str) -> str:
    """What was said of the same session, in this question's names; empty where nothing was."""
    record, words = about(prompt)
    try:
        with open(os.path.join(folder, f"about-{record}.json"), encoding="utf-8") as file:
            kept: dict[str, Any] = json.load(file)
    except FileNotFoundError:
        return ""
    names = {text: name for name, text in words.items()}
    told = []
    for each in kept["verdicts"]:
        if each["id"] in names and (not each["new"] or each["new"] in names):
            told.append({**each, "id": names[each["id"]], "new": names.get(each["new"])})
    listed = set(kept["listed"])
    judged = sum(_name(text) in listed or text in listed for text in words.values())
    return json.dumps({"verdicts": told, "asked": len(words), "judged": judged}, ensure_ascii=False)


def _name(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
