"""What can be counted without a judge, from the log of a feeding, its store and the answer key."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
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
            (
                line,
                known[line["session"]],
                [each for run in line["learned"] for each in by_run.get(run["run"], [])],
            )
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
        likely = [
            (mark, n)
            for mark, n in shared.most_common()
            if n >= 2 and words & set(re.findall(r"[a-z]{3,}", mark.lower()))
        ]
        found.append({"signature": item["signature"], "noticed": likely[:2]})
    return {
        "items": len(items),
        "noticed": sum(bool(each["noticed"]) for each in found),
        "of": found,
    }


def forewarned(world: World) -> dict[str, Any]:
    """Shares of failures that a start, or the moment before a program's first call, named or would have named, beside the commonest list."""
    from tacit.words.diagnose import told_of

    before: dict[str, set[str]] = defaultdict(set)
    of_program: dict[tuple[str, str], set[str]] = defaultdict(
        set
    )  # program and signature: lineages
    meta: dict[str, tuple[str, str]] = {}
    in_force: list[dict[str, Any]] = []  # as the session before left it
    n: Counter[str] = Counter()
    for line, lineage, failures in Past(world).sessions:
        known = {mark for mark, lineages in before.items() if len(lineages - {lineage}) >= 2}
        may = sorted(
            (mark for mark in known if meta[mark][0] in TELLABLE),
            key=lambda mark: (-len(before[mark]), mark),
        )
        groups: dict[str, list[str]] = defaultdict(list)
        for mark in may:
            groups[" ".join(meta[mark])].append(mark)
        top = sorted(groups.values(), key=lambda marks: -sum(len(before[mark]) for mark in marks))[
            :GROUPED
        ]
        listed = {mark for marks in top for mark in marks[:NAMES]}
        common = set(sorted(known, key=lambda mark: (-len(before[mark]), mark))[:10])
        about = {
            each["id"]: set(told_of(each["signature"], tuple(each["tags"]))) for each in in_force
        }
        given = [about[id] & known for id in (*line["given"], *line["withheld"]) if id in about]
        told = {mark for marks in given for mark in marks}
        ours = sum(id in about for id in (*line["given"], *line["withheld"]))
        tellable = [each for each in failures if each[1] in TELLABLE]
        met = {each[0] for each in tellable}
        n["failures"] += len([each for each in failures if each[1] != "host"])
        n["tellable"] += len(tellable)
        n["knowable"] += len(met & known)
        n["grouped"] += len(met & listed)
        n["grouped names"] += len(listed)
        n["commonest ten"] += sum(each[0] in common for each in failures if each[1] != "host")
        n["commonest ten, tellable"] += len(met & common)
        n["tellable as many"] += len(met & {*may[:ours]})
        n["tellable ten"] += len(met & {*may[:10]})
        n["given"] += len(met & told)
        n["given names"] += len(told)
        n["given lines"] += len(line["given"]) + len(line["withheld"])
        n["given lines that fit"] += sum(bool(marks & met) for marks in given)
        # Before the first call of a program that does something: its three commonest, known from two lineages as that program's.
        for program in line["programs"]:
            mine = [mark for mark in may if len(of_program[program, mark] - {lineage}) >= 2][:3]
            n["need names"] += len(mine)
            n["need"] += len(set(mine) & {each[0] for each in tellable if each[4] == program})
        for moment in ("need", "host"):
            spoken = _named(line.get(moment, ()), about, of_program) & known
            n[f"{moment} told"] += len(spoken)
            n[f"{moment} right"] += len(spoken & met)
        n["commonest names"] += len(common)
        in_force = line["noticed"]
        for mark, nature, family, tool, program, *_ in failures:
            before[mark].add(lineage)
            of_program[program, mark].add(lineage)
            meta[mark] = (nature, tool if nature == "convention" else family)
    list_is, given_is, need_is = (
        n[part] / max(1, n[f"{part} names"]) for part in ("grouped", "given", "need")
    )
    return {
        "failures": n["failures"],
        "tellable": n["tellable"],
        "of these known from two lineages": _share(n["knowable"], n["tellable"]),
        "forewarned by what was given": _share(n["given"], n["tellable"]),
        "a list of five grouped lines would name": _share(n["grouped"], n["tellable"]),
        "commonest ten, tellable": _share(n["commonest ten, tellable"], n["tellable"]),
        "commonest of the tellable, as many lines as were given": _share(
            n["tellable as many"], n["tellable"]
        ),
        "commonest ten of the tellable": _share(n["tellable ten"], n["tellable"]),
        "commonest ten, all failures": _share(n["commonest ten"], n["failures"]),
        "precision of what was given": round(given_is, 3),
        "precision of the grouped list": round(list_is, 3),
        "precision before the program's first call": round(need_is, 3),
        "names before first calls": n["need names"],
        "right": n["need"],
        "names in the grouped list": n["grouped names"],
        "right there": n["grouped"],
        "times as precise as the grouped list": round(need_is / list_is, 2) if list_is else None,
        "times as precise as what was given": round(need_is / given_is, 2) if given_is else None,
        "forewarned before the program's first call": _share(n["need"], n["tellable"]),
        "told by the hook before first calls": n["need told"],
        "right of these": n["need right"],
        "told by it after a start": n["host told"],
        "right of those": n["host right"],
        "names given at starts": n["given names"],
        "right at starts": n["given"],
        "names of the commonest ten": n["commonest names"],
        "right of the ten": n["commonest ten, tellable"],
        "lines given at starts": n["given lines"],
        "of these about a failure of that session": n["given lines that fit"],
    }


def _named(
    told: Sequence[dict[str, Any]],
    about: dict[str, set[str]],
    of_program: dict[tuple[str, str], set[str]],
) -> set[str]:
    """The signatures that the hook's words before some commands are about: of a lesson those that the command at hand was met with."""
    from tacit.core.programs import runs_command

    found: set[str] = set()
    for each in told:
        ids = {
            match[1]
            for text in (*each["given"], *each["withheld"])
            if (match := re.match(r"\[(\w+)\]", text))
        }
        for mark in {mark for id in ids for mark in about.get(id, ())}:
            programs = [
                program
                for program, of in of_program
                if of == mark and len(of_program[program, of]) > 1
            ]
            programs += [mark.removeprefix("command ")] if mark.startswith("command ") else []
            if any(runs_command(each["line"], program) for program in programs):
                found.add(mark)
    return found


def pooled(every: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Each share over all projects, with Wilson's interval (95 %); and how much more precise the moment before a program's first call is."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for told in every:
        parts = {
            name: said.split(" ")[0].split("/")
            for name, said in told["forewarned"].items()
            if isinstance(said, str) and "/" in said
        }
        for name, (part, whole) in parts.items():
            sums[name] = [sums[name][0] + int(part), sums[name][1] + int(whole)]
        for name, (part, whole) in {
            "noticed of the key": ("noticed", "items"),
            "themes of the key": ("reached", "themes"),
        }.items():
            counts = told["themes" if "themes" in name else "noticed"]
            sums[name] = [sums[name][0] + counts[part], sums[name][1] + counts[whole]]
    found = {name: interval(*both) for name, both in sums.items()}
    return {
        **found,
        **{name: precision(every, *names) for name, names in PRECISION.items()},
        "first calls by the hook": _times(every),
    }


# Names that were told, and how many of them came: by the hook's own words before first calls, in a session that was told nothing at its start;
# the same after its start; what starts were given; and three lists that nobody is given.
PRECISION = {
    "precision before first calls, by the hook": (
        "right of these",
        "told by the hook before first calls",
    ),
    "precision before first calls, by the hook, after a start": (
        "right of those",
        "told by it after a start",
    ),
    "precision of what starts are given": ("right at starts", "names given at starts"),
    "precision of the grouped list": ("right there", "names in the grouped list"),
    "precision of the commonest ten": ("right of the ten", "names of the commonest ten"),
    "precision of the three commonest of each program": ("right", "names before first calls"),
}


def _sums(every: Sequence[dict[str, Any]], right: str, named: str) -> tuple[int, int]:
    return sum(told["forewarned"][right] for told in every), sum(
        told["forewarned"][named] for told in every
    )


def precision(every: Sequence[dict[str, Any]], right: str, named: str) -> str:
    """Of the names told the share that came."""
    return interval(*_sums(every, right, named))


def _times(every: Sequence[dict[str, Any]]) -> str:
    """How many times as precise as the start list the hook's words before first calls are."""
    (need, of), (given, at) = (
        _sums(every, *PRECISION["precision before first calls, by the hook"]),
        _sums(every, *PRECISION["precision of what starts are given"]),
    )
    (listed, among) = _sums(every, *PRECISION["precision of the grouped list"])
    if not (of and given and listed):
        return "-"
    return f"{need / of * at / given:.2f} times what starts are given, {need / of * among / listed:.2f} times the grouped list"


def interval(good: int, of: int) -> str:
    """A share with Wilson's interval, 95 %."""
    if not of:
        return "0/0"
    share, z = good / of, 1.96
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * (share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5 / (1 + z * z / of)
    return (
        f"{good}/{of} = {share:.3f} [{max(0.0, middle - half):.2f}, {min(1.0, middle + half):.2f}]"
    )


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.3f}" if whole else "0/0"


def themes(world: World) -> dict[str, Any]:
    """Themes of the key that the person had to say again, reached by a request that is asked about or a lesson in force: all its telling words in two sayings."""
    from tacit.words.tokens import all_stop_words

    key = world.data / world.project / "truth" / "repeated.jsonl"
    items = [json.loads(line) for line in key.read_text().splitlines()] if key.exists() else []
    asked = [
        re.findall(r"“([^”]+)”", reason)
        for (reason,) in rows(
            world, "SELECT reason FROM proposal WHERE kind = 'request' AND state = 'open'"
        )
    ]
    told = [
        [text]
        for (text,) in rows(
            world, "SELECT text FROM memory WHERE trust = 'user' AND gate = 'allow'"
        )
    ]
    reached = []
    for item in items:
        said = [_stems(each["quote"]) for each in item["occurrences"]]
        wordings = [
            _stems(text) - _stems(" ".join(all_stop_words()))
            for texts in (*asked, *told)
            for text in texts
        ]
        if any(
            len(words) > 1 and sum(words <= quote for quote in said) >= min(2, len(said))
            for words in wordings
        ):
            reached.append(item["meaning"])
    return {"themes": len(items), "reached": len(reached), "which": reached}


def _stems(text: str) -> set[str]:
    return {
        word.removesuffix("s").removesuffix(".md")
        for word in re.findall(r"[a-z][a-z.]+[a-z]", text.lower())
    }


def natures(world: World) -> dict[str, int]:
    """Failures by nature, hard and soft."""
    found = Counter()
    for nature, soft, n in rows(
        world, "SELECT nature, soft, COUNT(*) FROM incident WHERE kind = 'failure' GROUP BY 1, 2"
    ):
        found[f"{nature}{' (soft)' if soft else ''}"] += n
    return dict(found)


def commands(world: World) -> list[dict[str, Any]]:
    """The commands that are told, beside what the instruction files of the last day say."""
    lines = [
        line
        for path in world.repository.rglob("*.md")
        if ".git/" not in str(path)
        for line in path.read_text(errors="replace").splitlines()
    ]
    told = []
    for text, state in rows(
        world,
        "SELECT text, state FROM memory WHERE source = 'notice' AND signature LIKE 'command %'",
    ):
        command = re.findall(r"`([^`]+)`", text)[0]
        told.append(
            {
                "text": text,
                "state": state,
                "in an instruction file": any(command in line for line in lines),
            }
        )
    return told


def size(world: World) -> dict[str, Any]:
    """Bytes of an incident, its index included."""
    import apsw

    path = next(world.home.rglob("tacit.db"))
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    count = connection.execute("SELECT COUNT(*) FROM incident").fetchall()[0][0]
    pages = connection.execute(
        "SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'incident%'"
    ).fetchall()[0][0]
    return {
        "incidents": count,
        "bytes each": round(pages / max(1, count)),
        "store MB": round(Path(path).stat().st_size / 1e6, 2),
    }


def lines(world: World) -> dict[str, list[str]]:
    """All lessons in force and all lines for the person, as they stand at the end."""
    force = rows(
        world,
        "SELECT source, trust, text FROM memory WHERE state IN ('provisional', 'stable', 'canonical') AND gate = 'allow' ORDER BY n",
    )
    person = rows(
        world,
        "SELECT kind, reason FROM proposal WHERE kind IN ('request', 'notice') AND state = 'open' ORDER BY created_at",
    )
    return {
        "in force": [f"{source}/{trust}: {text}" for source, trust, text in force],
        "person": [f"{kind}: {reason}" for kind, reason in person],
    }
