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
    """Shares of failures that a start, or the moment before a program's first call, named or would have named, beside the commonest list."""
    from tacit.core.diagnose import told_of
    from tacit.core.memory import Memory
    from tacit.core.programs import is_about

    before: dict[str, set[str]] = defaultdict(set)
    of_program: dict[tuple[str, str], set[str]] = defaultdict(set)  # program and signature: lineages
    meta: dict[str, tuple[str, str]] = {}
    in_force: list[dict[str, Any]] = []  # as the session before left it
    n: Counter[str] = Counter()
    for line, lineage, failures in Past(world).sessions:
        known = {mark for mark, lineages in before.items() if len(lineages - {lineage}) >= 2}
        may = sorted((mark for mark in known if meta[mark][0] in TELLABLE), key=lambda mark: (-len(before[mark]), mark))
        groups: dict[str, list[str]] = defaultdict(list)
        for mark in may:
            groups[" ".join(meta[mark])].append(mark)
        top = sorted(groups.values(), key=lambda marks: -sum(len(before[mark]) for mark in marks))[:GROUPED]
        listed = {mark for marks in top for mark in marks[:NAMES]}
        common = set(sorted(known, key=lambda mark: (-len(before[mark]), mark))[:10])
        about = {each["id"]: set(told_of(each["signature"], tuple(each["tags"]))) for each in in_force}
        given = [about[id] & known for id in (*line["given"], *line["withheld"]) if id in about]
        told = {mark for marks in given for mark in marks}
        tellable = [each for each in failures if each[1] in TELLABLE]
        met = {each[0] for each in tellable}
        n["failures"] += len([each for each in failures if each[1] != "host"])
        n["tellable"] += len(tellable)
        n["knowable"] += len(met & known)
        n["grouped"] += len(met & listed)
        n["grouped names"] += len(listed)
        n["commonest ten"] += sum(each[0] in common for each in failures if each[1] != "host")
        n["commonest ten, tellable"] += len(met & common)
        n["given"] += len(met & told)
        n["given names"] += len(told)
        n["given lines"] += len(line["given"]) + len(line["withheld"])
        n["given lines that fit"] += sum(bool(marks & met) for marks in given)
        # Before the first call of a program that does something: what its three commonest are, and what the lesson about it names.
        for program in line["programs"]:
            mine = [mark for mark in may if len(of_program[program, mark] - {lineage}) >= 2][:3]
            n["need names"] += len(mine)
            n["need"] += len(set(mine) & {each[0] for each in tellable if each[4] == program})
        for program in dict.fromkeys(each.split(" ")[0] for each in line["programs"]):
            lesson = next((each for each in in_force if is_about(Memory("", "", each["text"], "", each["class"]), (program,))), None)
            said = about[lesson["id"]] & known if lesson else set()
            said = {mark for mark in said if any(mark == other and called.split(" ")[0] == program for called, other in of_program)}
            n["told names"] += len(said)
            n["told"] += len(said & {each[0] for each in tellable if each[4].split(" ")[0] == program})
        in_force = line["noticed"]
        for mark, nature, family, tool, program, *_ in failures:
            before[mark].add(lineage)
            of_program[program, mark].add(lineage)
            meta[mark] = (nature, tool if nature == "convention" else family)
    list_is, given_is, need_is = (n[part] / max(1, n[f"{part} names"]) for part in ("grouped", "given", "need"))
    told_is = n["told"] / max(1, n["told names"])
    return {
        "failures": n["failures"], "tellable": n["tellable"], "of these known from two lineages": _share(n["knowable"], n["tellable"]),
        "forewarned by what was given": _share(n["given"], n["tellable"]),
        "a list of five grouped lines would name": _share(n["grouped"], n["tellable"]),
        "commonest ten, tellable": _share(n["commonest ten, tellable"], n["tellable"]),
        "commonest ten, all failures": _share(n["commonest ten"], n["failures"]),
        "precision of what was given": round(given_is, 3), "precision of the grouped list": round(list_is, 3),
        "precision before the program's first call: its three commonest": round(need_is, 3),
        "precision before the program's first call: the lesson about it": round(told_is, 3), "names in these": n["told names"],
        "times as precise as the start list: three commonest, lesson": [round(each / list_is, 2) if list_is else None for each in (need_is, told_is)],
        "times as precise as what the start was given: three commonest, lesson": [round(each / given_is, 2) if given_is else None for each in (need_is, told_is)],
        "forewarned before first calls: three commonest": _share(n["need"], n["tellable"]),
        "forewarned before first calls: the lesson about the program": _share(n["told"], n["tellable"]),
        "lines given at starts": n["given lines"], "of these about a failure of that session": n["given lines that fit"],
    }  # fmt: skip


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.3f}" if whole else "0/0"


def themes(world: World) -> dict[str, Any]:
    """Themes of the key that the person had to say again, reached by a request that is asked about or a lesson in force: all its telling words in two sayings."""
    from tacit.core.words import all_stop_words

    key = world.data / world.project / "truth" / "repeated.jsonl"
    items = [json.loads(line) for line in key.read_text().splitlines()] if key.exists() else []
    asked = [re.findall(r"“([^”]+)”", reason) for (reason,) in rows(world, "SELECT reason FROM proposal WHERE kind = 'request' AND state = 'open'")]
    told = [[text] for (text,) in rows(world, "SELECT text FROM memory WHERE trust = 'user' AND gate = 'allow'")]
    reached = []
    for item in items:
        said = [_stems(each["quote"]) for each in item["occurrences"]]
        wordings = [_stems(text) - _stems(" ".join(all_stop_words())) for texts in (*asked, *told) for text in texts]
        if any(len(words) > 1 and sum(words <= quote for quote in said) >= min(2, len(said)) for words in wordings):
            reached.append(item["meaning"])
    return {"themes": len(items), "reached": len(reached), "which": reached}


def _stems(text: str) -> set[str]:
    return {word.removesuffix("s").removesuffix(".md") for word in re.findall(r"[a-z][a-z.]+[a-z]", text.lower())}


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
