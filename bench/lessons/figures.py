"""What can be counted without a judge, from the log of a feeding, its store and the answer key."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from bench.lessons.feed import World, rows, sessions

TELLABLE = ("convention", "gate", "env", "git")
GROUPED, NAMES = 5, 8  # lines of the commonest list at a start, names in each


def logged(world: World) -> list[dict[str, Any]]:
    """The lines of a feeding."""
    return [json.loads(line) for line in world.log.read_text().splitlines()]


class Past:
    """The failures of each session in the order of feeding, by the data's own lineages."""

    def __init__(self, world: World) -> None:
        known = {each.id: each.lineage for each in sessions(world.data, world.project)}
        by_run: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for run, *row in rows(
            world,
            "SELECT r.foreign_id, i.mark, i.nature, i.family, i.tool, i.program, i.calls, i.seconds, i.soft, i.ended, i.cure FROM incident i"
            " JOIN run r ON r.id = i.run WHERE i.kind = 'failure'",
        ):
            by_run[run].append(tuple(row))
        self.sessions = [
            (line, known[line["session"]], [each for run in line["learned"] for each in by_run.get(run["run"], [])])
            for line in logged(world)
        ]


def noticed(world: World) -> dict[str, Any]:
    """Recurring failures of the key that the counter met in two lineages or more; matched by the words of their signature."""
    key = world.data / world.project / "truth" / "failures.jsonl"
    items = [json.loads(line) for line in key.read_text().splitlines()] if key.exists() else []
    met: dict[str, set[str]] = defaultdict(set)
    of_session: dict[str, set[str]] = defaultdict(set)
    for line, lineage, failures in Past(world).sessions:
        for mark, *_ in failures:
            met[mark].add(lineage)
            of_session[line["session"]].add(mark)
    found = []
    for item in items:
        inside = [of_session.get(each["session"], set()) for each in item["sessions"]]
        shared = Counter(mark for marks in inside for mark in marks)
        words = set(re.findall(r"[a-z]{3,}", item["signature"].lower()))
        likely = [(mark, n) for mark, n in shared.most_common() if n >= 2 and words & set(re.findall(r"[a-z]{3,}", mark.lower()))]
        found.append({"signature": item["signature"], "noticed": likely[:2]})
    return {"items": len(items), "noticed": sum(bool(each["noticed"]) for each in found), "of": found}


def forewarned(world: World) -> dict[str, Any]:
    """Shares of failures that a start, or the moment before a program's first call, would have named, beside the commonest list."""
    before: dict[str, set[str]] = defaultdict(set)
    meta: dict[str, tuple[str, str, str]] = {}
    texts = {id: (text, signature, tags) for id, text, signature, tags in rows(world, "SELECT id, text, signature, tags FROM memory")}
    at_start, with_program, at_need = Counter(), Counter(), Counter()
    for line, lineage, failures in Past(world).sessions:
        known = {mark for mark, lineages in before.items() if len(lineages - {lineage}) >= 2}
        may = [mark for mark in known if meta[mark][0] in TELLABLE]
        groups: dict[str, list[str]] = defaultdict(list)
        for mark in sorted(may, key=lambda mark: (-len(before[mark]), mark)):
            groups[_group(*meta[mark])].append(mark)
        top = sorted(groups.values(), key=lambda marks: -sum(len(before[mark]) for mark in marks))[:GROUPED]
        listed = {mark for marks in top for mark in marks[:NAMES]}
        common = set(sorted(known, key=lambda mark: (-len(before[mark]), mark))[:10])
        given = [texts[id] for id in (*line["given"], *line["withheld"]) if id in texts]
        told = {mark for text, signature, tags in given for mark in known if _about(mark, text, signature, tags)}
        tellable = [each for each in failures if each[1] in TELLABLE]
        at_start["failures"] += len([each for each in failures if each[1] != "host"])
        at_start["tellable"] += len(tellable)
        at_start["grouped"] += sum(each[0] in listed for each in tellable)
        at_start["grouped names"] += len(listed)
        at_start["commonest ten"] += sum(each[0] in common for each in failures if each[1] != "host")
        at_start["given"] += sum(each[0] in told for each in tellable)
        at_start["given lines"] += len(given)
        at_start["given lines that fit"] += sum(any(_about(each[0], *one) for each in failures) for one in given)
        # Before the first call of a program: its three commonest, known from two lineages.
        for program in line["programs"]:
            mine = [mark for mark in may if meta[mark][2] == program][:3]
            happened = {each[0] for each in tellable if each[4] == program}
            with_program["said"] += len(mine)
            with_program["hit"] += len(set(mine) & happened)
        at_need["told"] += len({each[0] for each in tellable if any(signature == each[0] for _, signature, _ in texts.values())} & known)
        for mark, nature, family, tool, program, *_ in failures:
            before[mark].add(lineage)
            meta[mark] = (nature, tool if nature == "convention" else family, program)
    start = at_start["grouped"] / max(1, at_start["grouped names"])
    need = with_program["hit"] / max(1, with_program["said"])
    return {
        "failures": at_start["failures"], "tellable": at_start["tellable"],
        "forewarned by grouped lines at the start": _share(at_start["grouped"], at_start["tellable"]),
        "names at a start": round(at_start["grouped names"] / max(1, len(logged(world))), 1),
        "precision of the start list": round(start, 3), "precision before the program's first call": round(need, 3),
        "times as precise": round(need / start, 2) if start else None,
        "commonest ten, all failures": _share(at_start["commonest ten"], at_start["failures"]),
        "forewarned by what was given": _share(at_start["given"], at_start["tellable"]),
        "lines given at starts": at_start["given lines"], "of these about a failure of that session": at_start["given lines that fit"],
        "a lesson stood ready at the failure": _share(at_need["told"], at_start["tellable"]),
    }  # fmt: skip


def _group(nature: str, group: str, program: str) -> str:
    return f"{nature} {group}"


def _about(mark: str, text: str, signature: str, tags: str) -> bool:
    if signature == mark:
        return True
    code = mark.partition(" ")[2]
    return signature.startswith("lint by ") and bool(code) and (f'"{code}"' in tags)


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.3f}" if whole else "0/0"


def natures(world: World) -> dict[str, int]:
    """Failures by nature, hard and soft."""
    found = Counter()
    for nature, soft, n in rows(world, "SELECT nature, soft, COUNT(*) FROM incident WHERE kind = 'failure' GROUP BY 1, 2"):
        found[f"{nature}{' (soft)' if soft else ''}"] += n
    return dict(found)


def commands(world: World) -> list[dict[str, Any]]:
    """The commands that are told, beside what the instruction files of the last day say."""
    lines = [line for path in world.repository.rglob("*.md") if ".git/" not in str(path) for line in path.read_text(errors="replace").splitlines()]
    told = []
    for text, state in rows(world, "SELECT text, state FROM memory WHERE source = 'notice' AND signature LIKE 'command %'"):
        command = re.findall(r"`([^`]+)`", text)[0]
        told.append({"text": text, "state": state, "in an instruction file": any(command in line for line in lines)})
    return told


def size(world: World) -> dict[str, Any]:
    """Bytes of an incident, its index included."""
    import apsw

    path = next(world.home.rglob("tacit.db"))
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    count = connection.execute("SELECT COUNT(*) FROM incident").fetchall()[0][0]
    pages = connection.execute("SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'incident%'").fetchall()[0][0]
    return {"incidents": count, "bytes each": round(pages / max(1, count)), "store MB": round(Path(path).stat().st_size / 1e6, 2)}


def lines(world: World) -> dict[str, list[str]]:
    """All lessons in force and all lines for the person, as they stand at the end."""
    force = rows(world, "SELECT source, trust, text FROM memory WHERE state IN ('provisional', 'stable', 'canonical') AND gate = 'allow' ORDER BY n")
    person = rows(world, "SELECT kind, reason FROM proposal WHERE kind IN ('request', 'notice') AND state = 'open' ORDER BY created_at")
    return {"in force": [f"{source}/{trust}: {text}" for source, trust, text in force], "person": [f"{kind}: {reason}" for kind, reason in person]}
