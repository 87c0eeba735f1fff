"""Answers about lessons that may say the same, kept pair by pair: which ones a question puts together changes with every rule of the product.

`FOLDER/pairs-kept.json` holds a word for each pair of texts (a hash) that a reader was asked about. `near` answers a later question from it and
says how many of its pairs were never asked about.
"""

from __future__ import annotations

import hashlib
import json
import os
import re

_NEW, _OTHER = re.compile(r"^(n\d+): (.*)$"), re.compile(r"^    ([kn]\d+): (.*)$")


def pairs(prompt: str) -> dict[tuple[str, str], str]:
    """The pairs of a question by their names, each as the hash of its two texts."""
    found, new = {}, ("", "")
    record = re.findall(r"^=== record(?: \w+)? ===$(.*?)^=== end of record", prompt, re.M | re.S)
    for line in "\n".join(record).splitlines():
        if at := _NEW.match(line):
            new = at[1], at[2]
        elif at := _OTHER.match(line):
            found[new[0], at[1]] = hashlib.sha256(f"{new[1]}\n{at[2]}".encode()).hexdigest()[:12]
    return found


def kept(folder: str) -> dict[str, str]:
    """Every word by its pair."""
    try:
        with open(os.path.join(folder, "pairs-kept.json"), encoding="utf-8") as file:
            found: dict[str, str] = json.load(file)
            return found
    except FileNotFoundError:
        return {}


def keep(folder: str) -> int:
    """Take every answer that lies beside its question into the file; how many pairs there are."""
    found = kept(folder)
    for name in sorted(os.listdir(folder)):
        answer = os.path.join(folder, f"{name[:-4]}.json")
        if name.startswith("twins-") and name.endswith(".txt") and os.path.exists(answer):
            with open(os.path.join(folder, name), encoding="utf-8") as asked, open(answer, encoding="utf-8") as said:
                words = {(row["new"], row["other"]): row["word"] for row in json.load(said)["pairs"]}
                found |= {pair: words.get(at, "different") for at, pair in pairs(asked.read()).items()}
    path = os.path.join(folder, "pairs-kept.json")
    with open(f"{path}.half", "w", encoding="utf-8") as file:
        json.dump(dict(sorted(found.items())), file, indent=0)
    os.replace(f"{path}.half", path)
    return len(found)


def near(folder: str, prompt: str) -> tuple[str, int]:
    """What is known of a question's pairs, and how many of them nobody was asked about."""
    found, asked = kept(folder), pairs(prompt)
    rows = [{"new": at[0], "other": at[1], "word": found[pair]} for at, pair in asked.items() if pair in found]
    said = json.dumps({"pairs": [row for row in rows if row["word"] != "different"]})
    return said, len(asked) - len(rows)
