"""`python -m bench.decisions`: see the package."""

from __future__ import annotations

import argparse
import difflib
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from bench.decisions import plain
from bench.exams.decisions import PROJECTS, at_bug, learned
from bench.exams.feed import sessions, world_of
from bench.exams.product import Product

LABELS = Path(__file__).parents[1] / "labels" / "decisions"
NOTES = Path(".bench") / "decisions-notes.json"


def tasks(data: Path, project: str) -> dict[str, list[str]]:
    """Each bug of a project, and the chats in which its fix was settled."""
    found: dict[str, list[str]] = json.loads((data / project / "whose.json").read_text())
    return dict(sorted(found.items()))


def chats(data: Path, project: str) -> list[str]:
    """What was said in each chat."""
    found = []
    for session in sessions(data / project):
        said = [
            json.loads(line)["message"]["content"] for line in session.file.read_text().splitlines()
        ]
        texts = [
            each if isinstance(each, str) else " ".join(part.get("text", "") for part in each)
            for each in said
        ]
        found.append("\n".join(texts))
    return found


def notes(data: Path) -> None:
    """What each arm tells the agent of each bug, kept for the folders; beside it what of the bug's own lessons is among it."""
    every: dict[str, dict[str, str]] = {}
    figures: Counter[str] = Counter()
    product = Product()
    for project in PROJECTS:
        world = world_of(data / project, product, f"decisions-{project}")
        try:
            born = learned(world)
            texts = {id: lesson.text for id, lesson in world.home.lessons().items()}
            on_file = [(texts[id], session) for id, session in born.items()]
            for task, settled in tasks(data, project).items():
                report = json.loads((data / "tasks" / f"{task}.json").read_text())
                asked = f"{report['bug_report']} {report['module']}"
                every[task] = {
                    "hooks": at_bug(world, data, task),
                    "scout": "\n".join(plain.scout(on_file, asked)),
                    "chats": "\n".join(plain.passages(chats(data, project), asked)),
                    "none": "",
                }
                own = [text for text, session in on_file if session in settled]
                told = {
                    arm: f"{sum(text in words for text in own)} ({(len(words) + 3) // 4} tokens)"
                    for arm, words in every[task].items()
                }
                for arm, words in every[task].items():
                    figures[f"{arm}: own lessons"] += sum(text in words for text in own)
                    figures[f"{arm}: tokens"] += (len(words) + 3) // 4
                figures["own lessons"] += len(own)
                arms = ", ".join(f"{arm} {words}" for arm, words in told.items())
                print(f"{task}: own lessons {len(own)}; {arms}", flush=True)
        finally:
            shutil.rmtree(world.folder.parent, ignore_errors=True)
    product.close()
    print(dict(figures), f"of {len(every)} bugs")
    NOTES.parent.mkdir(exist_ok=True)
    NOTES.write_text(json.dumps(every, indent=1, ensure_ascii=False))


def folders(data: Path, arm: str, out: Path) -> None:
    """What each bug's agent gets, and nothing else: no keys, no hidden tests, no other bug."""
    for task, told in json.loads(NOTES.read_text()).items():
        report, place = json.loads((data / "tasks" / f"{task}.json").read_text()), out / task
        shutil.copytree(data / "tasks" / task, place)
        (place / "REPORT.md").write_text(f"{report['bug_report']}\n\nModule: {report['module']}\n")
        (place / "NOTES.md").write_text(told[arm] + "\n")
        shutil.copy(data / "AGENT.md", place / "AGENT.md")


def grade(data: Path, fixed: Path) -> str:
    """The grader's own words."""
    words = [sys.executable, str(data / "grade.py"), str(fixed)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def keep(data: Path, fixed: Path, solved: str) -> Path:
    """The fixes of a run beside the bench, as lines changed and no others, so that the table can be made again."""
    kept = {}
    for task in (task for project in PROJECTS for task in tasks(data, project)):
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
            hunks = [[a, b, after[c:d]] for what, a, b, c, d in edits if what != "equal"]
            changed |= {name: hunks} if hunks else {}
        kept[task] = changed
    LABELS.mkdir(parents=True, exist_ok=True)
    path = LABELS / f"{re.sub(r'[^a-z0-9-]', '-', fixed.name.lower())}.json"
    found = {"solved": json.loads(solved[: solved.rindex("}") + 1]), "fixes": kept}
    path.write_text(json.dumps(found, ensure_ascii=False) + "\n")
    return path


def again(data: Path, name: str) -> None:
    """Lay out the fixes of a kept run and grade them."""
    out = Path(".bench") / "decisions-again"
    shutil.rmtree(out, ignore_errors=True)
    for task, changed in json.loads((LABELS / f"{name}.json").read_text())["fixes"].items():
        shutil.copytree(data / "tasks" / task, out / task)
        for file, hunks in changed.items():
            lines = (out / task / file).read_text().splitlines()
            for a, b, after in reversed(hunks):
                lines[a:b] = after
            (out / task / file).write_text("\n".join(lines) + "\n")
    print(grade(data, out.resolve()))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.decisions", description=__doc__)
    parser.add_argument("step", choices=["notes", "folders", "grade", "again"])
    parser.add_argument("data", type=Path)
    parser.add_argument("rest", nargs="*")
    args = parser.parse_args()
    if not (args.data / "settled" / "index.json").exists():
        parser.error(
            f"no settled/index.json in {args.data}: unpack decisions.tar.xz and name its folder."
        )
    if args.step == "notes":
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
