"""Carry recorded answers over where the page of a session is shown otherwise: what readers answered is found by the hash of its prompt.

    python bench/lessons/answers.py unpack QUEUE
    python bench/lessons/moved.py seen DATA QUEUE FILE      with the program as it was: every question about a session alone, as JSON lines
    python bench/lessons/moved.py move DATA QUEUE FILE      with the program as it is: its answers under the names that the questions have now
    python bench/lessons/answers.py pack QUEUE

Only the numbers of the quoted lines change: a line of another letter than E and X is found by its words, a failing output by its place
between those. An answer whose quoted line is gone is not carried over, and is counted.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections import Counter
from pathlib import Path

from questions import questions

_LINE = re.compile(r"^(\d+) ([A-Z]) (.*)$", re.M)


def seen(data: Path, queue: Path) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """(project, session, (name, prompt) of each question in its order)."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for project in sorted(each.name for each in data.iterdir() if (each / "index.json").exists()):
        for entry, name, asked, _ in questions(data, project, queue):
            found.setdefault((project, str(entry["session"])), []).append((name, asked))
    return [(*key, asked) for key, asked in found.items()]


def numbers(before: str, now: str) -> dict[int, int]:
    """Where each line of a page stands in another rendering of the same session."""
    old, new = (
        [
            (int(number), letter if letter in "EX" else f"{letter} {text}")
            for number, letter, text in _LINE.findall(page)
        ]
        for page in (before, now)
    )
    match = difflib.SequenceMatcher(
        None, [said for _, said in old], [said for _, said in new], autojunk=False
    )
    return {
        old[block.a + n][0]: new[block.b + n][0]
        for block in match.get_matching_blocks()
        for n in range(block.size)
    }


def moved(answer: str, before: str, now: str) -> str | None:
    """The answer with its line numbers as they are now; None where a quoted line is gone."""
    said, at = json.loads(answer), numbers(before, now)
    for lesson in said.get("lessons", ()):
        for quote in lesson.get("quotes", ()):
            if quote["line"] not in at:
                return None
            quote["line"] = at[quote["line"]]
    return json.dumps(said, ensure_ascii=False)


def move(data: Path, queue: Path, file: Path) -> Counter[str]:
    """Copy answers to their new names, again until nothing new is asked: a second question names the first one's lessons."""
    then = {
        (project, session): asked
        for project, session, asked in map(json.loads, file.read_text().splitlines())
    }
    while True:
        count: Counter[str] = Counter()
        for project, session, asked in seen(data, queue):
            before = then.get((project, session), [])
            for n, (name, prompt) in enumerate(asked):
                target = queue / project / f"{name}.json"
                step = name.partition("-")[0]
                order = sum(each.startswith(step) for each, _ in asked[:n])
                same = [each for each in before if each[0].startswith(step)][order : order + 1]
                source = queue / project / f"{same[0][0]}.json" if same else None
                if target.exists() or source is None or not source.exists():
                    count["stays" if target.exists() else "has no answer"] += 1
                elif (told := moved(source.read_text(), same[0][1], prompt)) is None:
                    count["quotes a line that is gone"] += 1
                else:
                    target.write_text(told)
                    count["moved"] += 1
        print(dict(count), flush=True)
        if not count["moved"]:
            return count


def main() -> None:
    step, data, queue, file = sys.argv[1], *map(Path, sys.argv[2:5])
    if step == "seen":
        file.write_text(
            "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in seen(data, queue))
        )
    else:
        move(data, queue, file)


if __name__ == "__main__":
    main()
