"""`python -m bench.decisions`: see the package."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from bench.decisions import plain
from bench.lessons.feed import BENCH, World, rows, sessions

from tacit.core.states import CLOSED, INJECTABLE
from tacit.recall.budget import tokens_of

PROJECTS = ("settled", "amended")
ARMS = ("hooks", "coins")  # played through the hooks; beside them scout, chats and none
LABELS = Path(__file__).parents[1] / "labels" / "decisions"
NOTES = BENCH / "decisions-notes.json"


def world_of(data: Path, project: str) -> World:
    return World(data, project, f"decisions-{project}")


def feed(data: Path, queue: Path, wait: float) -> None:
    """Learn every chat in the order of time."""
    for project in PROJECTS:
        world = world_of(data, project)
        world.read_by(queue.resolve(), *(["--wait", str(wait)] if wait else []))
        world.fresh()
        for session in sessions(data, project):
            place = world.placed(session)
            world.tacit("learn", str(place), "--over")
            place.unlink()
        left = Counter(
            file.stem.split("-")[0]
            for file in (queue / project).glob("*.txt")
            if not file.with_suffix(".json").exists()
        )
        kept = rows(world, "SELECT state, count(*) FROM memory GROUP BY 1")
        print(
            f"{project}: {dict(kept)}; questions without an answer: {dict(left) or 'none'}",
            flush=True,
        )


def tasks(data: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """Each bug: its project, its id, its report."""
    whose = {
        project: json.loads((data / project / "whose.json").read_text()) for project in PROJECTS
    }
    return [
        (project, task, json.loads((data / "tasks" / f"{task}.json").read_text()))
        for project in PROJECTS
        for task in sorted(whose[project])
    ]


def played(
    data: Path, project: str, task: str, report: dict[str, Any], arm: str
) -> list[tuple[str, str]]:
    """What the host's hooks hear before and while this bug is worked on: (moment, words), from a copy of the home after all chats."""
    world = world_of(data, project)
    copy = BENCH / "decisions-play"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(world.folder, copy, symlinks=True)
    world.folder = copy
    world.home, world.repository = copy / "home", copy / "home" / "work" / project
    shutil.copytree(data / "tasks" / task, world.repository, dirs_exist_ok=True)
    shutil.rmtree(copy / "home" / ".config", ignore_errors=True)
    if arm != "coins":
        place = world.home / "plain.toml"
        place.write_text(f'extends = "default"\nname = "plain"\n[trial]\n{_no_coin()}')
        choose = [
            sys.executable,
            "-m",
            "tacit",
            "profile",
            "use",
            str(place),
            "--by",
            "dev",
            "--yes",
        ]
        subprocess.run(
            choose, env=world.env(), cwd=world.repository, check=True, capture_output=True
        )
    module = str(world.repository / report["module"])
    said = {
        "session_id": f"exam-{task}",
        "cwd": str(world.repository),
        "permission_mode": "default",
    }
    tool = {"hook_event_name": "PreToolUse", "tool_use_id": "t1"}
    heard = []
    for moment, payload in (
        ("session-start", {"hook_event_name": "SessionStart", "source": "startup"}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": report["bug_report"]}),
        ("at-file", {**tool, "tool_name": "Read", "tool_input": {"file_path": module}}),
        (
            "at-file",
            {
                **tool,
                "tool_use_id": "t2",
                "tool_name": "Edit",
                "tool_input": {"file_path": module, "old_string": "", "new_string": ""},
            },
        ),
    ):
        answer = subprocess.run(
            [sys.executable, "-m", "tacit", "hook", moment, "--host", "claude-code"],
            input=json.dumps({**said, **payload}),
            env=world.env(),
            cwd=world.repository,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        words = (
            json.loads(answer).get("hookSpecificOutput", {}).get("additionalContext", "")
            if answer.strip()
            else ""
        )
        heard.append((moment, words))
    return heard


def _no_coin() -> str:
    """Every rate of the trial at nought, whatever rates there are."""
    default = Path(__import__("tacit").__file__).parent / "profiles" / "default.toml"
    rates = [key for key in tomllib.loads(default.read_text())["trial"] if key.startswith("rate")]
    return "".join(f"{key} = 0.0\n" for key in rates)


def lessons(data: Path, project: str) -> list[tuple[str, str]]:
    """Every lesson on file that is not closed, with the session that taught it first."""
    closed = ", ".join(f"'{state}'" for state in CLOSED)
    return [
        (text, session)
        for text, session in rows(
            world_of(data, project),
            f"""SELECT m.text, (SELECT r.foreign_id FROM evidence e JOIN run r ON r.id = e.run WHERE e.memory = m.id ORDER BY e.n LIMIT 1)
            FROM memory m WHERE m.state NOT IN ({closed}) ORDER BY m.n""",
        )
    ]


def parts(data: Path) -> None:
    """A sheet for a judge: each rule of the keys beside the lessons that its chats left in force; and how many the other chats left."""
    for project in PROJECTS:
        told = {
            text
            for text, state in rows(world_of(data, project), "SELECT text, state FROM memory")
            if state in INJECTABLE
        }
        known = [each for each in lessons(data, project) if each[0] in told]
        whose = json.loads((data / project / "whose.json").read_text())
        for task, settled in sorted(whose.items()):
            print(
                f"\n## {task}\nrule\t{json.loads((data / 'keys' / task / 'key.json').read_text())['policy']}"
            )
            print("\n".join(f"lesson\t{text}" for text, session in known if session in settled))
        decoys = {each.id for each in sessions(data, project)} - {
            each for settled in whose.values() for each in settled
        }
        left = [text for text, session in known if session in decoys]
        print(f"\n## {project}: {len(left)} lessons of {len(decoys)} chats that settle nothing")
        print("\n".join(f"decoy\t{text}" for text in left))


def chats(data: Path, project: str) -> list[str]:
    """What was said in each chat."""
    found = []
    for session in sessions(data, project):
        records = [
            json.loads(line)["message"]["content"] for line in session.file.read_text().splitlines()
        ]
        found.append(
            "\n".join(
                each if isinstance(each, str) else " ".join(part.get("text", "") for part in each)
                for each in records
            )
        )
    return found


def notes(data: Path) -> dict[str, dict[str, str]]:
    """What each arm tells the agent of each bug, kept for the folders; beside it what of the bug's own sessions is among it."""
    whose = {
        task: own
        for each in PROJECTS
        for task, own in json.loads((data / each / "whose.json").read_text()).items()
    }
    every: dict[str, dict[str, str]] = {}
    sums: Counter[str] = Counter()
    for project, task, report in tasks(data):
        asked, on_file = report["bug_report"] + " " + report["module"], lessons(data, project)
        own = [text for text, session in on_file if session in whose[task]]
        moments = {arm: played(data, project, task, report, arm) for arm in ARMS}
        every[task] = {
            **{
                arm: "\n".join(words for _, words in heard if words)
                for arm, heard in moments.items()
            },
            "scout": "\n".join(plain.scout(on_file, asked)),
            "chats": "\n".join(plain.passages(chats(data, project), asked)),
            "none": "",
        }
        told = {
            arm: (sum(text in words for text in own), tokens_of(words))
            for arm, words in every[task].items()
        }
        by_moment = Counter({moment: 0 for moment, _ in moments["hooks"]})
        for moment, words in moments["hooks"]:
            by_moment[moment] += tokens_of(words)
        print(
            f"{task}: own lessons {len(own)}; "
            + ", ".join(f"{arm} {n} ({size} tokens)" for arm, (n, size) in told.items())
            + f"; tokens by moment {dict(by_moment)}",
            flush=True,
        )
        for arm, (n, size) in told.items():
            sums[f"{arm} own lessons"] += n
            sums[f"{arm} tokens"] += size
        sums["own lessons on file"] += len(own)
    print({key: n if "own" in key else round(n / len(every)) for key, n in sums.items()})
    NOTES.write_text(json.dumps(every, indent=1, ensure_ascii=False))
    return every


def folders(data: Path, arm: str, out: Path) -> None:
    """What each bug's agent gets, and nothing else: no keys, no hidden tests, no other bug."""
    told = json.loads(NOTES.read_text())
    for _, task, report in tasks(data):
        place = out / task
        shutil.copytree(data / "tasks" / task, place)
        (place / "REPORT.md").write_text(f"{report['bug_report']}\n\nModule: {report['module']}\n")
        (place / "NOTES.md").write_text(told[task][arm] + "\n")
        shutil.copy(data / "AGENT.md", place / "AGENT.md")


def grade(data: Path, fixed: Path) -> str:
    """The grader's own words."""
    done = subprocess.run(
        [sys.executable, str(data / "grade.py"), str(fixed)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def keep(data: Path, fixed: Path, solved: str) -> Path:
    """The fixes of a run beside the bench, as lines changed and no others, so that the table can be made again."""
    LABELS.mkdir(parents=True, exist_ok=True)
    kept = {}
    for _, task, _ in tasks(data):
        changed = {}
        for source in sorted((data / "tasks" / task).rglob("*.py")):
            name = str(source.relative_to(data / "tasks" / task))
            if name.startswith("tests/") or not (fixed / task / name).exists():
                continue
            before, after = (
                source.read_text().splitlines(),
                (fixed / task / name).read_text().splitlines(),
            )
            edits = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
            if hunks := [[a, b, after[c:d]] for what, a, b, c, d in edits if what != "equal"]:
                changed[name] = hunks
        kept[task] = changed
    path = LABELS / f"{re.sub(r'[^a-z0-9-]', '-', fixed.name.lower())}.json"
    path.write_text(
        json.dumps(
            {"solved": json.loads(solved[: solved.rindex("}") + 1]), "fixes": kept},
            ensure_ascii=False,
        )
        + "\n"
    )
    return path


def again(data: Path, name: str) -> None:
    """Lay out the fixes of a kept run and grade them."""
    out = BENCH / "decisions-again"
    shutil.rmtree(out, ignore_errors=True)
    for task, changed in json.loads((LABELS / f"{name}.json").read_text())["fixes"].items():
        shutil.copytree(data / "tasks" / task, out / task)
        for file, hunks in changed.items():
            lines = (out / task / file).read_text().splitlines()
            for a, b, after in reversed(hunks):
                lines[a:b] = after
            (out / task / file).write_text("\n".join(lines) + "\n")
    print(grade(data, out))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.decisions",
        description=__import__("bench.decisions").decisions.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("step", choices=["feed", "parts", "notes", "folders", "grade", "again"])
    parser.add_argument("data", type=Path)
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--queue", type=Path, default=Path(".bench/decisions-reader"))
    parser.add_argument(
        "--wait", type=float, default=0.0, help="seconds to wait for a reader's answer"
    )
    args = parser.parse_args()
    if not (args.data / "settled" / "index.json").exists():
        parser.error(
            f"no settled/index.json in {args.data}: unpack decisions.tar.xz and name the folder it holds."
        )
    os.environ.pop("TACIT_STORE", None)
    if args.step == "feed":
        feed(args.data, args.queue, args.wait)
    elif args.step == "parts":
        parts(args.data)
    elif args.step == "notes":
        notes(args.data)
    elif args.step == "folders":
        folders(args.data, args.rest[0], Path(args.rest[1]))
    elif args.step == "grade":
        print(solved := grade(args.data, Path(args.rest[0])))
        print(keep(args.data, Path(args.rest[0]), solved))
    else:
        again(args.data, args.rest[0])


if __name__ == "__main__":
    main()
