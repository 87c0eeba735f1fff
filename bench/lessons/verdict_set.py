"""Reversals, amendments in part and exceptions, each a small session of its own: what a reader finds, and what becomes of the lesson.

    python -m bench.lessons.verdict_set SET.jsonl QUEUE [--wait SECONDS]

One case a line: `id`, `kind` (reversed, amended, excepted), `lessons` that are remembered, `about` (which of them), `said_by` (user or
agent), `steps` (role, text; command, output or error), `now` (what holds afterwards), `again` (the case of the same store that came
before). Asked and answered like any session (recorded.py), in a home of its own for each store: a first run puts the questions into
QUEUE/verdicts, a run after they were answered prints the table. Told: of each kind how many lessons are still given as they were, and of
amendments how many have a wording in their place; whether that says what it should is for a judge, who gets it with `now`.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

GIVEN = ("provisional", "stable", "canonical")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path)
    parser.add_argument("queue", type=Path)
    parser.add_argument("--wait", type=float, default=0.0)
    args = parser.parse_args()
    queue = args.queue.resolve()  # each store has a folder of its own
    cases = [json.loads(line) for line in args.cases.read_text().splitlines() if line.strip()]
    found = [
        each
        for case in cases
        if not case.get("again")
        for each in stored(case, cases, queue, args.wait)
    ]
    for each in found:
        print(json.dumps(each, ensure_ascii=False))
    for kind in ("reversed", "amended", "excepted"):
        mine = [each for each in found if each["kind"] == kind and not each["again"]]
        print(
            f"{kind}: {len(mine)}; {dict(Counter(each['became'] for each in mine))}",
            file=sys.stderr,
        )
    twice = [each for each in found if each["again"]]
    print(
        f"exceptions that came twice: {len(twice)}; {dict(Counter(each['became'] for each in twice))}",
        file=sys.stderr,
    )
    return 0


def stored(
    case: dict[str, Any], cases: list[dict[str, Any]], queue: Path, wait: float
) -> list[dict[str, Any]]:
    """What becomes of a case, and of the one that comes after it in the same store."""
    with tempfile.TemporaryDirectory() as home:
        env = dict(os.environ)
        os.environ.update(
            HOME=home,
            XDG_DATA_HOME=f"{home}/data",
            XDG_CONFIG_HOME=f"{home}/config",
            TACIT_NO_WORKER="1",
        )
        folder = Path(home) / "work"
        folder.mkdir()
        os.chdir(folder)
        words = [
            sys.executable,
            str(Path(__file__).with_name("recorded.py").resolve()),
            str(queue / "verdicts"),
            "--near",
            "--fold",
            home,
        ]
        words += ["--wait", str(wait)] if wait else []
        config = Path(home) / "config" / "tacit" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(
            f'profile = "{home}/patient.toml"\n[model]\ncommand = "{shlex.join(words)}"\ndaily_tokens = 1000000000\n'
            'monthly_tokens = 10000000000\n[reader]\nby = "model"\nhosts = ["*"]\n'
        )
        (Path(home) / "patient.toml").write_text(
            'extends = "default"\nname = "patient"\n[model]\ntimeout_s = 3600.0\n'
        )
        from tacit.stores.places import make

        os.environ["TACIT_KEY"] = make(
            "ada", str(config.with_name("keys"))
        )  # without a terminal she shows a key
        try:
            return played(
                folder, [case, *(each for each in cases if each.get("again") == case["id"])]
            )
        finally:
            os.chdir("/")
            os.environ.clear()
            os.environ.update(env)


def played(folder: Path, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Enter the lessons, play the sessions, and tell what became of the one that each is about."""
    import tacit
    from tacit.testing import run, say, tool, user

    found = []
    with tacit.open(str(folder / "tacit.db")) as memories:
        trust = {} if cases[0].get("said_by", "user") == "user" else {"trust": "agent"}
        ids = [memories.add(text, **trust).id for text in cases[0]["lessons"]]
        for case in cases:
            steps = [
                user(each["text"])
                if each["role"] == "user"
                else say(each["text"])
                if each["role"] == "assistant"
                else tool(each["command"], each.get("output", "ok"), error=each.get("error", ""))
                for each in case["steps"]
            ]
            told = list(
                memories.learn(
                    run(case["id"], *steps, task=case["id"], lineage=case["id"]), over=True
                )
            )
            memory = memories.get(ids[case["about"]])
            into = memories.get(memory.superseded_by).text if memory.superseded_by else ""
            unread = any(each.warnings for each in told)
            became = (
                "unread"
                if unread
                else "replaced"
                if into
                else memory.state
                if memory.state not in GIVEN
                else "given"
            )
            others = [
                each
                for number, each in enumerate(ids)
                if number != case["about"] and memories.get(each).state not in GIVEN
            ]
            found.append(
                {
                    "id": case["id"],
                    "kind": case["kind"],
                    "again": case.get("again", ""),
                    "became": became,
                    "lesson": memory.text,
                    "into": into,
                    "now": case.get("now", ""),
                    "bystanders taken out": len(others),
                }
            )
    return found


if __name__ == "__main__":
    sys.exit(main())
