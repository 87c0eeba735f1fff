"""kill -9 at random points of reading sessions: learn, ask, keep the answer, take it in.

One `tacit learn` after the other reads a session with a model of ours, a program that writes down what it was asked; it is killed at a random
moment and started again until the session is read. Nothing may be lost or taken in twice, and no question may be asked more often than it was
interrupted: an answer that came is on the disk before the next question.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from common import command, doctor, new_home, surroundings, tacit, texts, transcript

MODEL = Path(__file__)
TWINS = '{"pairs": [{"new"'  # how the question about lessons alone wants its answer


def batch(seed: int, place: Path, kills: int = 20) -> dict[str, Any]:
    """Read sessions until so many processes were killed, then the reckoning."""
    random.seed(seed)
    home = new_home(place)
    asked = home / "asked"
    config = home / ".config" / "tacit" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        f'[model]\ncommand = "{sys.executable} {MODEL} --model {asked}"\ndaily_tokens = 100000000\n[reader]\nby = "model"\nhosts = ["*"]\n'
    )
    asked.touch()
    began, killed, number = time.monotonic(), 0, 0
    failures: list[str] = []
    while killed < kills:
        number += 1
        path = transcript(home, number)
        while True:
            process = subprocess.Popen(
                command("learn", str(path), "--as", "ada", "--over", "--json"),
                cwd=home / "work",
                env=surroundings(home),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            if killed < kills and _dies(process, asked):
                killed += 1
                continue
            _, said = process.communicate()
            if process.returncode:
                failures.append(f"learn {number} ended with {process.returncode}: {said[-200:]!r}")
            break
    failures += reckon(home, number, killed, asked)
    return {
        "seed": seed,
        "kills": killed,
        "sessions": number,
        "asked": _lines(asked),
        "seconds": round(time.monotonic() - began, 1),
        "failures": failures[:20],
    }


def _dies(process: subprocess.Popen[bytes], asked: Path) -> bool:
    """Kill a process a moment after its next word with the model, or the one after that; whether it lived to be killed."""
    size, words = asked.stat().st_size, random.randint(0, 7)
    while process.poll() is None:
        with asked.open("rb") as file:
            file.seek(size)
            if file.read().count(b"\n") >= words:
                break
        time.sleep(0.002)
    time.sleep(random.uniform(0.0, 0.15 if words else 1.0))
    if process.poll() is not None:
        return False
    process.kill()
    process.communicate()
    return True


def reckon(home: Path, sessions: int, killed: int, asked: Path) -> list[str]:
    """What is wrong after the storm."""
    wrong = [] if (health := doctor(home))["sound"] else [f"doctor: {health['faults'][:3]}"]
    kept = texts(home)
    for number in range(1, sessions + 1):
        count = sum(f"tool-zebra{number} " in text for text in kept)
        if count != 1:
            wrong.append(f"the lesson of session {number} is there {count} times")
    told = " ".join(tacit(home, "doctor").stdout.split())  # as it stands on a wide terminal
    if f"; {sessions} {'session' if sessions == 1 else 'sessions'} read" not in told:
        wrong.append(f"not every session of {sessions} was read: {told[-200:]}")
    finished = Counter(
        line.removeprefix("answered ")
        for line in asked.read_text().splitlines()
        if line.startswith("answered ")
    )
    begun = Counter(
        line.removeprefix("asked ")
        for line in asked.read_text().splitlines()
        if line.startswith("asked ")
    )
    repeated = sum(count - 1 for count in begun.values())
    if repeated > killed:
        wrong.append(f"{repeated} questions were asked again after {killed} kills")
    # An answer may be lost between the model's last byte and the disk; more than one kill can hit the same question.
    wrong += [
        f"{name} was answered {count} times"
        for name, count in finished.items()
        if count > 1 + killed
    ]
    return wrong


def lesson(number: int) -> str:
    """What the model says of a session."""
    return f"Run tool-zebra{number} --strict before a commit, whatever the change is."


def _lines(asked: Path) -> int:
    return sum(line.startswith("asked ") for line in asked.read_text().splitlines())


def answer(prompt: str) -> str:
    """What the model of this campaign says: of a session its one wish, that it is the one which stood there as typed, and what passes the
    exam."""
    import re

    from tacit.reading.exam import EXAM_PAIRS

    if TWINS in prompt:
        names = re.findall(r"^(n\d+): .*tool-zebra(\d+) .*\n +(\w+): .*tool-zebra\2 ", prompt, re.M)
        pairs = [{"new": new, "other": other, "word": "same"} for new, _, other in names]
        return json.dumps({"pairs": pairs})
    if "never start the dev server yourself" in prompt:
        told = _told(
            "Never start the dev server yourself.", 4, "please never start the dev server yourself"
        )
        told["quotes"][0]["line"] = int(re.findall(r"^(\d+) U please never start", prompt, re.M)[0])
    else:
        numbers = re.findall(
            r"always run tool-zebra(\d+) --strict", prompt.rpartition("=== record ")[2]
        ) or ["0"]
        told = _told(
            lesson(int(numbers[0])),
            1,
            f"always run tool-zebra{numbers[0]} --strict before you commit",
        )
    if EXAM_PAIRS[0][1] in prompt:
        said = [
            {"n": n, "says": says[0], "holds": holds[0]}
            for n, (_, _, says, holds) in enumerate(EXAM_PAIRS, 1)
        ]
    else:
        said = [{"n": n, "says": "yes", "holds": "working"} for n in range(1, 10)]
    return json.dumps({"lessons": [told], "struck": [], "answers": said, "verdicts": []})


def _told(text: str, line: int, words: str) -> dict[str, Any]:
    quotes = [{"line": line, "words": words}]
    return {
        "text": text,
        "kind": "way",
        "standing": "said",
        "about": None,
        "quotes": quotes,
        "sign": None,
    }


def model(log: str) -> None:
    """The program that is asked."""
    prompt = sys.stdin.read()
    name = hashlib.sha256(prompt.encode()).hexdigest()[:16]
    for word in ("asked", "answered"):
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{word} {name}\n")
        time.sleep(0.05 if word == "asked" else 0.0)
    print(answer(prompt))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--model"]:
        model(sys.argv[2])
    else:
        from common import campaign

        sys.exit(campaign("reading", batch, "kills", 100))
