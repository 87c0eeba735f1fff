"""What the project's instruction files already say: commands they name, and lines that evidence speaks against."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tacit.core.value import value
from tacit.stores.incidents import Noted

PATHS_FROM = 3  # lineages that looked for a path in vain, before a file is said to be wrong about it
FAILS_FROM = 3  # lineages in which something that a file orders failed
# there once it was built
MADE = re.compile(r"(?:target|build|dist|out|bin|coverage|node_modules|vendor|\.venv|\.next|\.git)(?:/|$)")
_SHARE = 0.3  # of the lineages since, in which it failed


@value
class Contradiction:
    """A line of an instruction file, and what happened to those who followed it."""

    file: str
    line: str  # as it stands there
    about: str  # the path or program it names
    said: str  # what happens, in our own words
    lineages: int
    patch: str = ""  # how the line should read, for people
    # the same for a program: what is replaced by what; with nothing to replace, what is added
    swap: tuple[str, str] = ("", "")


def names_command(lines: Mapping[str, str], form: str) -> str:
    """The instruction file that names a command, with or without its options; empty where none does."""
    words = form.split()
    plain = [word for word in words if not word.startswith(("-", "<"))]
    for wanted in dict.fromkeys((form, " ".join(plain))):
        pattern = re.compile(rf"(?<![\w:-]){re.escape(wanted)}(?![\w:-])", re.I)
        for line, file in lines.items():
            if pattern.search(line):
                return file
    return ""


def contradictions(lines: Mapping[str, str], failures: Sequence[Noted], sessions: int) -> list[Contradiction]:
    """Lines that name a path which sessions looked for in vain, or order a program which then failed as it was used."""
    found: list[Contradiction] = []
    by_mark: dict[str, list[Noted]] = {}
    for each in failures:
        if each.incident.family in ("path", "usage", "command", "script"):
            by_mark.setdefault(each.incident.mark, []).append(each)
    for same in by_mark.values():
        first, met = same[0].incident, {each.lineage for each in same}
        if first.family == "path":
            if (
                len(met) >= PATHS_FROM
                and not MADE.match(first.name)
                and ("/" in first.name or "." in first.name.strip("."))
            ):
                said = f"`{first.name}` is not there"
                found += [
                    Contradiction(file, line, first.name, said, len(met), f"… ({said})", ("", said))
                    for line, file in _naming(lines, first.name)[:1]
                ]
            continue
        program = first.name if first.family == "command" else first.program.split(" ")[0]
        if len(met) < FAILS_FROM or first.ended == "retry":
            continue
        order = re.compile(_ORDERS.format(re.escape(program)), re.I)
        ordered = [(line, file) for line, file in _naming(lines, program) if order.search(line)]
        if not ordered:
            continue
        line, file = ordered[0]
        if first.family == "command":
            instead = Counter(each.incident.cure for each in same if each.incident.cure.startswith("as ")).most_common(
                1
            )
            other = instead[0][0].removeprefix("as ") if instead and instead[0][1] > 1 else ""
            missing = f"`{program}` is not installed"
            patch, swap = (
                (f"… `{other}` instead of `{program}`", (program, other))
                if other
                else (f"… ({missing})", ("", missing))
            )
            found.append(
                Contradiction(file, line, program, f"the command `{program}` is not there", len(met), patch, swap)
            )
        elif sum(each.incident.cure == f"without {program}" for each in same) * 2 > len(met):
            said, but = f"`{program} {first.name}` fails", f"except `{first.name}`: run it without `{program}`"
            found.append(Contradiction(file, line, program, said, len(met), f"… ({but})", ("", but)))
    return sorted(found, key=lambda each: -each.lineages)


_ORDERS = (
    r"\b(?:prefix|use|using|run|running|execute|call|with|via|through)\b[^.;:]{{0,30}}?(?<![\w./-]){}(?![\w/-]|\.\w)"
)


def _naming(lines: Mapping[str, str], name: str) -> list[tuple[str, str]]:
    pattern = re.compile(rf"(?<![\w./-]){re.escape(name)}(?![\w-])", re.I)
    return [(line, file) for line, file in lines.items() if pattern.search(line)]
