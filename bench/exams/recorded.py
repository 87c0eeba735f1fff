"""A model whose answers lie in a folder: a prompt that has none is put there to be answered, and the question is answered later.

    [model]
    command = "python bench/exams/recorded.py QUEUE/mise --fold REPOSITORY"
    [reader]
    by = "model"

Reads a prompt on standard input. `FOLDER/<hash>.json` is its answer; where there is none the prompt is written to `FOLDER/<hash>.txt` and the
exit status is 75, which Tacit takes as "later". `--wait SECONDS` waits for the answer instead, so that questions which depend on earlier
answers can be answered in their order. `--no-known` answers every question about remembered lessons with "nothing to say".

What is remembered when a session ends changes with every rule of the product, and with it the hash of the question about it. So its answer
is kept a second time by what it is about (`known_by.py`): `--near` answers from there, lesson by lesson, where the very question has no answer.
Answers about pairs of texts are kept pair by pair (`pairs_by.py`); without `--wait` two lessons that nobody was asked about yet count as
different, and the question lies there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import time

import known_by
import pairs_by

ASKED = "[tacit asks]"  # the line that Tacit puts in front of what it asks a command
LATER = 75
KNOWN = "against the remembered lessons"
STEPS = (
    (KNOWN, "known"),
    ("that may say the same", "twins"),
    ("is said to take it back", "revoke"),
    ("is said to have told it", "weigh"),
    ("what is worth remembering", "lessons"),
    ("The same failure was met", "cure"),
)
_RECORD_LINES = re.compile(r"^=== record(?: \w+)? ===$\n(.*?)\n^=== end of record", re.M | re.S)
_RECORD = re.compile(r"^=== record( \w+)? ===$.*?^=== end of record\1 ===$", re.M | re.S)


def name_of(prompt: str) -> str:
    """A prompt's name in a folder."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:20]


def folded(prompt: str, folder: str) -> str:
    """A prompt without the folder of the bench, also where a line is cut inside its name; the marks around a record are hashes of it."""
    text = re.sub(
        r"(?<![^\s'\"(=])(/[^\s…]+)(?= …$)",
        lambda cut: "/" if folder.startswith(cut[1]) else cut[1],
        prompt.replace(folder, "/repo"),
        flags=re.M,
    )
    return (
        prompt
        if text == prompt
        else re.sub(r"^=== (end of )?record \w+ ===$", r"=== \1record ===", text, flags=re.M)
    )


def step_of(prompt: str) -> str:
    """Which of the reader's questions a prompt is: by its own words, not by those of a record."""
    asked = _RECORD.sub("", prompt)
    return next((step for words, step in STEPS if words in asked), "other")


def note(log: str, step: str, name: str, prompt: str, answered: bool) -> None:
    """One line on a question: what it is, the hash of the page in it, and whether an answer is kept."""
    page = hashlib.sha256("\n".join(_RECORD_LINES.findall(prompt)).encode()).hexdigest()[:20]
    with open(log, "a", encoding="utf-8") as file:
        told = {"step": step, "name": name, "page": page, "answered": answered}
        file.write(json.dumps(told) + "\n")


def known(args: argparse.Namespace, step: str, answer: str, prompt: str) -> bool:
    """Whether every part of a question has a kept answer."""
    if os.path.exists(answer):
        return True
    if step == "known":
        return bool(known_by.near(args.folder, prompt))
    return step in pairs_by.STEPS and not pairs_by.near(args.folder, step, prompt)[1]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("--wait", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--no-known", action="store_true")
    parser.add_argument("--near", action="store_true")
    parser.add_argument(
        "--fold",
        default="",
        metavar="FOLDER",
        help="the repository of the bench, which is no part of a prompt",
    )
    parser.add_argument("--log", default="", metavar="FILE", help="gets a line for each question")
    args = parser.parse_args()
    prompt = sys.stdin.read().removeprefix(ASKED).lstrip("\n")
    if args.fold:
        prompt = folded(prompt, args.fold)
    step = step_of(prompt)
    if step == "known" and args.no_known:
        print('{"verdicts": []}')
        return 0
    os.makedirs(args.folder, exist_ok=True)
    name = f"{step}-{name_of(prompt)}"
    answer, question = (
        os.path.join(args.folder, f"{name}.json"),
        os.path.join(args.folder, f"{name}.txt"),
    )
    if args.log:
        note(args.log, step, name, prompt, known(args, step, answer, prompt))
    deadline = time.monotonic() + args.wait
    while True:
        try:
            with open(answer, encoding="utf-8") as file:
                said = file.read()
        except FileNotFoundError:
            said = ""
        if said.strip():
            if step == "known":
                known_by.keep(args.folder, prompt, said)
            print(said)
            return 0
        if step == "known" and args.near and (near := known_by.near(args.folder, prompt)):
            print(near)
            return 0
        near, unasked = (
            pairs_by.near(args.folder, step, prompt) if step in pairs_by.STEPS else ("", 1)
        )
        if not unasked:
            print(near)
            return 0
        if not os.path.exists(question):
            half = f"{question}.half"
            with open(half, "w", encoding="utf-8") as file:
                file.write(prompt)
            os.replace(half, question)
        if step == "twins" and args.near and not args.wait:
            print(near)
            return 0
        if time.monotonic() >= deadline:
            print(f"{name} waits to be answered", file=sys.stderr)
            return LATER
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
