"""The kept answers of a careful reader and the labels of two judges: one file a project, in bench/labels/looks."""

from __future__ import annotations

import json
from pathlib import Path

from bench.looks.walk import LESSONS

LABELS = Path(__file__).resolve().parents[1] / "labels" / "looks"
ANSWERS, JUDGED = "*/*.answer.json", "*.labels*.json"
WHOLE = "all"  # the name of what is about no one project


def pack(out: Path) -> None:
    """Keep what was answered and judged in a folder."""
    LABELS.mkdir(parents=True, exist_ok=True)
    for project in sorted(each for each in out.iterdir() if (each / "sessions.json").exists()):
        files = [*project.glob(ANSWERS), *project.glob(LESSONS)]
        files += (out / "sheets").glob(f"{project.name}.{JUDGED}")
        _write(project.name, {str(each.relative_to(out)): each.read_text() for each in files})
    whole = (out / "sheets").glob(f"habits.shown.{JUDGED[2:]}")
    _write(WHOLE, {str(each.relative_to(out)): each.read_text() for each in whole})
    print(f"kept in {LABELS}")


def unpack(out: Path) -> None:
    """Lay them where the questions and sheets are written; what lies there stays."""
    for file in sorted(LABELS.glob("*.json")):
        for name, text in json.loads(file.read_text()).items():
            place = out / name
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists():
                place.write_text(text)


def _write(name: str, files: dict[str, str]) -> None:
    text = json.dumps(files, indent=1, sort_keys=True, ensure_ascii=False)
    (LABELS / f"{name}.json").write_text(text + "\n")
