"""Two hundred subjects of real sessions, asked cold: what Tacit tells of each beside as many lines of plain full text over the same lessons.

    python -m bench.lessons.subjects draw DATA [--project NAME]      after a feeding; .bench/lessons/PROJECT.subjects.tsv
    python -m bench.lessons.subjects count SHEET…                    the sheets with a judge's letters in their first column (u useful, else not)

Files, commands, errors and tasks are drawn from the sessions by their hash, the same ones each time. Each is asked in a session of its own with
nothing told before, coins off. A sheet's lines are mixed and do not say whose they are; `.subjects.json` beside it does.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import apsw
from bench.lessons.feed import BENCH, World, sessions, unpacked
from bench.lessons.need import _copy
from bench.lessons.played import WITHOUT, events, judge_by

from tacit.core.states import INJECTABLE

EACH = 50  # subjects of each kind, over all projects that are drawn together
KINDS = {"prompt": "task", "before-command": "command", "tool-failure": "error"}


def drawn(world: World, most: int) -> list[tuple[str, str, dict[str, Any]]]:
    """Subjects of a project: what kind, what is asked, and the host's payload."""
    found: dict[str, dict[str, tuple[str, str, dict[str, Any]]]] = defaultdict(dict)
    for session in sessions(world.data, world.project):
        place = world.placed(session)
        for name, _, payload in events(place, str(world.repository)):
            if name not in KINDS:
                continue
            given = payload.get("tool_input", {})
            kind = "file" if "file_path" in given else KINDS[name]
            said = (
                payload.get("prompt")
                or payload.get("error")
                or given.get("file_path")
                or given.get("command", "")
            )
            said = str(said).replace(f"{world.repository}/", "")  # wherever the feeding was done
            key = hashlib.sha256(f"{kind} {said}".encode()).hexdigest()
            found[kind][key] = (kind, said, {**payload, "_event": name})
        place.unlink()
    return [each for kind in sorted(found) for _, each in sorted(found[kind].items())[:most]]


def plain(lessons: list[tuple[str, str]], asked: str, most: int) -> list[str]:
    """The best lessons by FTS5's own ranking of their texts."""
    with apsw.Connection(":memory:") as base:
        base.execute(
            "CREATE VIRTUAL TABLE f USING fts5 (id UNINDEXED, text, tokenize = 'porter unicode61')"
        )
        base.executemany("INSERT INTO f VALUES (?, ?)", lessons)
        words = list(dict.fromkeys(re.findall(r"\w{2,}", asked)))[:200]
        match = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT id FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT ?"
        return [row[0] for row in base.execute(sql, (match, most))] if match and most else []


def draw(world: World, most: int) -> None:
    """Ask each subject and write the sheet."""
    from tacit.surfaces.hooks import respond_and_tell

    store = next(world.home.rglob("tacit.db"))
    env = world.env() | {"TACIT_NO_WORKER": "1"}
    states = ", ".join(f"'{state}'" for state in INJECTABLE)
    with apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY) as base:
        lessons = base.execute(
            f"SELECT id, text FROM memory WHERE gate = 'allow' AND superseded_by = '' AND state IN ({states})"
        ).fetchall()
    texts, sheet, whose = dict(lessons), ["label\tkind\tsubject\tlesson"], {}
    for number, (kind, said, payload) in enumerate(drawn(world, most)):
        twin = world.folder / "asked.db"
        _copy(store, twin)
        judge_by(world, twin, WITHOUT)
        common = {
            "session_id": f"cold-{number}",
            "cwd": str(world.repository),
            "transcript_path": "",
        }
        event = payload.pop("_event")
        _, told = respond_and_tell(
            event, {**common, **payload}, env, host="claude-code", store=str(twin)
        )
        for each in world.folder.glob("asked.db*"):
            each.unlink()
        lines = dict(
            re.findall(r"^- \[(\w+)\] (.*)", told.context, re.M)
        )  # of a notice only the part that is told
        ours = [id for id in lines if id in texts]
        theirs = plain(lessons, said, len(ours))
        for id in sorted(
            {*ours, *theirs}, key=lambda id: hashlib.sha256(f"{number} {id}".encode()).digest()
        ):
            whose[str(len(sheet))] = {
                "kind": kind,
                "ours": id in ours,
                "plain": id in theirs,
                "subject": number,
            }
            part = re.sub(r" \([^()]*\)$", "", lines.get(id, ""))  # without its trust
            text = part if part and part != texts[id] and id not in theirs else texts[id]
            sheet.append(
                "\t".join(("", kind, " ".join(said.split())[:400], " ".join(text.split())))
            )
    path = BENCH / f"{world.project}.subjects.tsv"
    path.write_text("\n".join(sheet) + "\n")
    path.with_suffix(".json").write_text(json.dumps(whose))
    print(path, len(sheet) - 1, "lines")


def count(sheet: Path) -> dict[str, dict[str, list[int]]]:
    """Useful lines and all lines, ours and plain, by kind."""
    whose = json.loads(sheet.with_suffix(".json").read_text())
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: {"ours": [0, 0], "plain": [0, 0]})
    for number, line in enumerate(sheet.read_text().splitlines()[1:], 1):
        at = whose[str(number)]
        for arm in ("ours", "plain"):
            if at[arm]:
                found[at["kind"]][arm][0] += line.split("\t")[0] == "u"
                found[at["kind"]][arm][1] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.lessons.subjects", description=__doc__)
    parser.add_argument("step", choices=["draw", "count"])
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--project", action="append")
    args = parser.parse_args()
    if args.step == "count":
        for sheet in args.paths:
            print(sheet.name, json.dumps(count(sheet)))
        return
    data = unpacked(args.paths[0])
    names = args.project or sorted(
        each.name for each in data.iterdir() if (BENCH / each.name / "home").is_dir()
    )
    for name in names:
        draw(World(data, name), -(-EACH // len(names)))


if __name__ == "__main__":
    main()
