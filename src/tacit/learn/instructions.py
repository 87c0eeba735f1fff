"""Lines of the project's instruction files that failures speak against, and how they might read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.value import value
from tacit.reading.echo import plain_line
from tacit.store.failures import Noted

PATHS_FROM = (
    3  # lineages that looked for a path in vain, before a file is said to be wrong about it
)
FAILS_FROM = 3  # lineages in which something that a file orders failed
# there once it was built
MADE_PATHS = re.compile(
    r"(?:target|build|dist|out|bin|coverage|node_modules|vendor|\.venv|\.next|\.git)(?:/|$)"
)


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


def contradictions(
    lines: Mapping[str, str], failures: Sequence[Noted], sessions: int
) -> list[Contradiction]:
    """Lines that name a path which sessions looked for in vain, or order a program which then
    failed as it was used."""
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
                and not MADE_PATHS.match(first.name)
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
        order = re.compile(_ORDER_FORMS.format(re.escape(program)), re.I)
        ordered = [(line, file) for line, file in _naming(lines, program) if order.search(line)]
        if not ordered:
            continue
        line, file = ordered[0]
        if first.family == "command":
            instead = Counter(
                each.incident.cure for each in same if each.incident.cure.startswith("as ")
            ).most_common(1)
            other = instead[0][0].removeprefix("as ") if instead and instead[0][1] > 1 else ""
            missing = f"`{program}` is not installed"
            patch, swap = (
                (f"… `{other}` instead of `{program}`", (program, other))
                if other
                else (f"… ({missing})", ("", missing))
            )
            found.append(
                Contradiction(
                    file,
                    line,
                    program,
                    f"the command `{program}` is not there",
                    len(met),
                    patch,
                    swap,
                )
            )
        elif sum(each.incident.cure == f"without {program}" for each in same) * 2 > len(met):
            said, but = (
                f"`{program} {first.name}` fails",
                f"except `{first.name}`: run it without `{program}`",
            )
            found.append(
                Contradiction(file, line, program, said, len(met), f"… ({but})", ("", but))
            )
    return sorted(found, key=lambda each: -each.lineages)


_ORDERS = r"(?<!which )(?<!that )\b(?:prefix|use|using|run|running|execute|call|with|via|through)\b"
_ORDER_FORMS = _ORDERS + r"[^.;:(]{{0,30}}?(?<![\w./-]){}(?![\w/-]|\.\w)"


def _naming(lines: Mapping[str, str], name: str) -> list[tuple[str, str]]:
    pattern = re.compile(rf"(?<![\w./-]){re.escape(name)}(?![\w-])", re.I)
    return [(line, file) for line, file in lines.items() if pattern.search(line)]


# The one line of an instruction file that should read otherwise, and how: for a person to accept,
# and to take back byte for byte.
#
# What was noticed names a line by its plain spelling; here that line is found in the file as it
# stands now. An exception or a remark goes into the sentence's end, a command that is not there is
# replaced by the one that was. Everything else of the file stays as it is.

_STOPS = (".", ":", ";", "!")
_ORDERED_CODE = re.compile(r"(?<!`)(`{1,3})(?!`).+?(?<!`)\1(?!`)")
_NO_ROOM = re.compile(
    r"\s*(?:#{1,6}\s|\|.*\|\s*$|<!--)"
)  # a heading, a table's row, a comment: no sentence to add to


@value
class Patch:
    """One line of a file, as it stands and as it would."""

    file: str
    number: int  # from 1
    before: str
    after: str


def patch_of(payload: Mapping[str, Any], text: str) -> Patch | None:
    """The patch that a notice comes to in its file's present text; None where it has none, or
    the line is not there any more."""
    file, swap = str(payload.get("file") or ""), [*(payload.get("swap") or ())]
    quote = plain_line(str(payload.get("quote") or ""))
    if not (file and quote and len(swap) == 2):
        return None
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if plain_line(line) != quote:
            continue
        after = _reworded(line, str(swap[0]), str(swap[1]), fenced)
        return Patch(file, number, line, after) if after != line else None
    return None


def _reworded(line: str, old: str, new: str, fenced: bool) -> str:
    if old:
        word = re.compile(rf"(?<![\w./-]){re.escape(old)}(?![\w/-]|\.\w)")
        if fenced or "`" not in line:
            return word.sub(lambda _: new, line)
        return _ORDERED_CODE.sub(
            lambda span: word.sub(lambda _: new, span[0]), line
        )  # what is no code is prose, and stays
    if _NO_ROOM.match(line) and not fenced:
        return line
    body = line.rstrip()
    space = line[len(body) :]
    if fenced:
        return f"{body}  # {new}{space}"
    stop = body[-1:] if body[-1:] in _STOPS else ""
    return f"{body[: len(body) - len(stop)]} ({new}){stop}{space}"


def replaced(text: str, patch: Patch) -> str | None:
    """The text with the line as it should be; None where that line does not stand there as it
    did."""
    lines = text.split("\n")
    places = [n for n, line in enumerate(lines, 1) if line == patch.before]
    if not places:
        return None
    at = (
        patch.number if patch.number in places else min(places, key=lambda n: abs(n - patch.number))
    )
    lines[at - 1] = patch.after
    return "\n".join(lines)


def turned(patch: Patch) -> Patch:
    """The patch that takes this one back."""
    return Patch(patch.file, patch.number, patch.after, patch.before)
