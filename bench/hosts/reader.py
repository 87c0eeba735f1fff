#!/usr/bin/env python3
"""The host's own program as the reader of its sessions, driven: a real session fails, ends and is learned, then Tacit has `claude -p` read it.

    reader.py [--host claude-code-newest] [--troubles]

The home is full of bait (`bare.py`). Looked at: every request that the reading brought (tools offered, words of the bait), which hooks
and servers of the user's ran meanwhile, whether the answer was taken, and that reading brought no session of its own. Exit status 1
where one of these is not as it should be.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from bare import lay_bait  # noqa: E402
from drive import ROOT, World, call  # noqa: E402
from model import Model, strings  # noqa: E402
from programs import PROGRAMS, Program, install  # noqa: E402
from run import prepare  # noqa: E402

from tacit.reading.exam import EXAM_PAIRS  # noqa: E402

LESSON = "The tables of the shop are made by `make db`; without it the tests fail."
QUOTES = {  # words that a reader of a session would copy, and what it would make of them
    "please never start the dev server yourself": (
        "Never start the dev server yourself.",
        "way",
        "said",
    ),
    'relation "orders" does not exist': (LESSON, "cure", "found"),
}
SCRIPT = {
    "main": [
        {"shell": "./bin/pytest -q tests"},
        {"shell": "make db"},
        {"shell": "./bin/pytest -q tests"},
        {"say": "All pass: the tables were not there."},
    ]
}


def as_a_reader(body: Any) -> str:
    """What a model that reads well answers: lessons with quotes, weights, no verdicts."""
    asked = "\n".join(strings(body.get("messages") or []))
    if '"answers"' in asked:
        known = {lesson: (says[0], holds[0]) for lesson, _, says, holds in EXAM_PAIRS}
        listed = re.findall(r"^(\d+)\. lesson: (.*)$", asked, re.M)
        told = [(int(n), *known.get(lesson, ("yes", "working"))) for n, lesson in listed]
        return json.dumps(
            {"answers": [{"n": n, "says": says, "holds": holds} for n, says, holds in told]}
        )
    if '"verdicts"' in asked:
        return json.dumps({"verdicts": []})
    lessons = []
    for words, (text, kind, standing) in QUOTES.items():
        found = re.search(rf"^\s*(\d+)\D.*{re.escape(words)}", asked, re.M)
        if found:
            quote = {"line": int(found[1]), "words": words}
            lessons.append(
                {
                    "text": text,
                    "kind": kind,
                    "standing": standing,
                    "quotes": [quote],
                    "sign": None,
                }
            )
    return json.dumps({"lessons": lessons})


def _cut(body: Any) -> str:
    return as_a_reader(body)[:-9]


# What goes wrong, how the model answers then, and what bare `tacit` or `doctor` must say; the last are not the model's.
TROUBLES: tuple[tuple[str, Any, str], ...] = (
    (
        "in a code fence, with chat around it",
        lambda body: f"Sure:\n```json\n{as_a_reader(body)}\n```\nAnything else?",
        "passed its exam",
    ),
    (
        "prose",
        "I have read the session and found it interesting.",
        "in the form that was asked for",
    ),
    ("JSON cut short", _cut, "in the form that was asked for"),
    ("429", lambda body: {"status": 429, "error": "rate_limit_error"}, "429"),
    ("401", lambda body: {"status": 401, "error": "authentication_error"}, "401"),
    ("not logged in", as_a_reader, "logged in"),
    ("hangs", lambda body: {"wait": 600}, "did not answer in time"),
    ("program gone", as_a_reader, "cannot be started"),
    ("host upgraded in between", as_a_reader, "passed its exam"),
)


def troubles(program: Program, older: Program) -> int:
    """Each trouble in a home of its own: whether it is said, nothing is lost, and the session is read once the trouble is over."""
    with ThreadPoolExecutor(3) as pool:
        rows = list(pool.map(lambda each: _trouble(program, older, *each), TROUBLES))
    for (name, _, _), (said, wrong) in zip(TROUBLES, rows, strict=True):
        print(f"  {name:38} {'FAILS: ' + '; '.join(wrong) if wrong else 'yes'}   {said}")
    return 1 if any(wrong for _, wrong in rows) else 0


def _trouble(
    program: Program, older: Program, name: str, answers: Any, wanted: str
) -> tuple[str, list[str]]:
    upgraded, gone, unknown = (
        name.startswith("host upgraded"),
        name == "program gone",
        name == "not logged in",
    )
    with tempfile.TemporaryDirectory(prefix="tacit-trouble-") as folder:
        model = Model()
        world = World(Path(folder), model, {"TACIT_NO_WORKER": "1"})
        link = Path(folder) / "bin" / "claude"  # the program as PATH has it
        link.parent.mkdir()
        link.symlink_to((older if upgraded else program).path)
        world.env["PATH"] = f"{link.parent}:{world.env['PATH']}"
        world.env.update(program.ready(world.home, world.project, model.url))
        prepare(program, world, {})
        config = world.home / ".config" / "tacit" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text('[reader]\nby = "claude-code"\n')
        kept = dict(world.env)
        wrong: list[str] = []
        for part in range(2 if upgraded else 1):
            model.play(SCRIPT)
            (world.project / ".db-up").unlink(missing_ok=True)
            call(
                older if upgraded and not part else program,
                world,
                {"prompt": "run the tests of the shop"},
                [],
            )
            if part or gone:
                link.unlink()
            if part:
                link.symlink_to(program.path)
            if unknown:
                world.env.pop("ANTHROPIC_API_KEY")
            model.play({}, untold=answers)
            world.settle()
        told = world.said() + world.said("doctor")
        said = next((line.strip() for line in told.splitlines() if wanted in line), "")
        if not said:
            wrong.append(f"nobody says “{wanted}”: {told[-700:]}")
        if gone:
            link.symlink_to(program.path)
        world.env = kept
        model.play({}, untold=as_a_reader)
        world.tacit("doctor", "--exam", check=False)
        world.tacit(
            "learn",
            "--again",
            *map(str, (world.home / ".claude" / "projects").rglob("*.jsonl")),
            check=False,
        )
        world.settle()
        if not any(
            memory["text"] == LESSON for memory in world.tacit("list", "--limit", "100")["memories"]
        ):
            wrong.append("the session was not read once the trouble was over")
        model.close()
    return said[:160], wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--host", default="claude-code-newest", help="claude-code-newest or claude-code-npm"
    )
    parser.add_argument("--programs", type=Path, default=ROOT / ".hosts")
    parser.add_argument(
        "--troubles", action="store_true", help="what a user sees where the reader cannot read"
    )
    given = parser.parse_args()
    [program] = [
        install(each, given.programs)
        for each in PROGRAMS
        if f"{each.host}-{each.pick}" == given.host
    ]
    if program.missing:
        print(f"{program.name}: {program.missing}")
        return 2
    if given.troubles:
        older = [
            install(each, given.programs)
            for each in PROGRAMS
            if f"{each.host}-{each.pick}" == "claude-code-npm"
        ]
        return troubles(program, older[0])
    with tempfile.TemporaryDirectory(prefix="tacit-reader-") as folder:
        model = Model()
        # so that what reading starts can be told from what the session started
        world = World(Path(folder), model, {"TACIT_NO_WORKER": "1"})
        world.env["PATH"] = f"{Path(program.path).parent}:{world.env['PATH']}"
        world.env.update(program.ready(world.home, world.project, model.url))
        lay_bait(world.home, world.project)
        prepare(program, world, {})
        model.play(SCRIPT)
        call(program, world, {"prompt": "run the tests of the shop"}, [])
        config = world.home / ".config" / "tacit" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text('[reader]\nby = "claude-code"\n')
        fired = world.home / "fired"
        for each in fired.iterdir():
            each.unlink()
        model.play({}, untold=as_a_reader)
        sessions = sorted((world.home / ".claude" / "projects").rglob("*.jsonl"))
        world.settle()
        told = world.said("doctor")
        asked = model.seen(tools=False)
        facts = {
            "requests": len(asked),
            "tools": sorted({name for each in asked for name in each.tools}),
            "bait read": sorted(
                {
                    word.strip("\"'`.,:;()[]{}<>")
                    for each in asked
                    for word in each.text.split()
                    if "BAIT-" in word
                }
            ),
            "bait ran": sorted(each.name for each in fired.iterdir()),
            "lessons": [
                memory["text"]
                for memory in world.tacit("list", "--limit", "100")["memories"]
                if memory["text"] == LESSON
            ],
            "exam": "passed" if "passed its exam" in told else told[-600:],
            "runs": len(world.tacit("origin", "audit")["runs"]),
            "new transcripts": len(sorted((world.home / ".claude" / "projects").rglob("*.jsonl")))
            - len(sessions),
        }
        model.close()
    print(program.name)
    for name, found in facts.items():
        print(f"  {name:19} {found}")
    right = (
        facts["requests"] > 0
        and not facts["tools"]
        and not facts["bait read"]
        and not facts["bait ran"]
        and facts["lessons"] == [LESSON]
        and facts["exam"] == "passed"
        and facts["runs"] == 1
        and facts["new transcripts"] == 0
    )
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
