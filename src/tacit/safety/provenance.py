"""Whose word a lesson is: the one question that decides whether it may be told without a yes.

Every name of the lesson needs a clean first appearance, and no text from outside may hold its words or its claim.
The answer names the first that fails, and where it stood. A claim in quite other words no code can know.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tacit.safety.acts import act_in
from tacit.safety.names import HYPHENATED, Programs, has, names_in, plain
from tacit.safety.record import CUT, END_OF_LINE, Text
from tacit.safety.repository import NOWHERE, Repository
from tacit.safety.shell import calls

SESSION, OUTSIDE, ACT = "session", "outside", "act"

# chosen on the 178 found lessons and 340 places of three projects
IN_A_ROW = 6  # words that nobody writes twice by chance
NEAR = 30  # steps around its quote in which a text from outside may have said a claim
HALF = 0.5  # of a lesson's content words that such a text holds
FEWEST = 3  # content words of a claim
_READ = 40_000  # characters of a text that are looked at for rows and claims
_STEM = re.compile(r"(?:ing|ies|ied|ed|es|s|ly|tion|tions|ment|e)$")
_HELP = re.compile(r"(?<![\w-])(?:--help|-h|help)(?![\w-])|agent-help")
_STOP = frozenset(
    "the a an and or of to in on for with without is are be it its that this when where which who"
    " as at by from not no do does did so than then there these those was were will would can could"
    " should may must only also if but into onto over under after before have has had them they you"
    " your our we one two any all each every other new use used uses using run runs ran instead"
    " because".split()
)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Whose word a lesson is."""

    word: str  # session: may be told; outside or act: waits for a person
    bare: bool = False  # names nothing, and only the agent's prose vouches for it
    name: str = ""  # the first name, row of words or act that is not grounded
    place: str = ""  # the tool or program that showed it first
    why: str = ""

    @property
    def grounded(self) -> bool:
        return self.word == SESSION

    @property
    def reason(self) -> str:
        """In words for the person who decides."""
        if self.word == ACT:
            return f"it would act unasked: `{self.name}`"
        if self.word == SESSION:
            return ""
        where = f"; it stood first in what {self.place} printed" if self.place else ""
        return f"{self.why}{where}"


GROUNDED = Provenance(SESSION)


def judge(
    text: str, texts: Sequence[Text], repository: Repository = NOWHERE, quotes: Sequence[int] = ()
) -> Provenance:
    """Whose word a lesson is."""
    text, programs = plain(text), programs_of(texts)
    if act := act_in(text, programs):
        return Provenance(ACT, name=act)
    last = max(quotes, default=len(texts) and texts[-1].at)
    heard = [each for each in texts if each.whose == OUTSIDE]  # whatever line is quoted for it
    if copied := _row_from_outside(text, texts, heard):
        return copied
    named = names_in(text, programs)
    for name in named.acting if texts else named.brought:
        if found := _why_acting_is_not(name, texts, repository, programs):
            return found
    for name in named.pointing:
        if found := _why_pointing_is_not(name, texts, repository):
            return found
    prose = {each.at for each in texts if each.whose == "said"}
    bare = not named.acting and not named.pointing and all(at in prose for at in quotes)
    return _claimed_outside(text, texts, heard, last, quotes) or Provenance(SESSION, bare=bare)


@lru_cache(maxsize=4)
def _programs(texts: tuple[Text, ...]) -> Programs:
    found: dict[str, set[str]] = {}
    for each in texts:
        if each.whose == "call":
            for call in calls(each.text.partition(f"\n{END_OF_LINE}")[0]):
                if call.run:
                    found.setdefault(call.run[0], set()).update(call.run[1:])
    return {program: frozenset(words) for program, words in found.items()}


def programs_of(texts: Sequence[Text]) -> Programs:
    """The programs that a session called, each with the words behind it."""
    return _programs(tuple(texts))


# --- words and claims -----------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    found = re.findall(r"[^\s`\"'“”‘’(),;]+", text.casefold())
    return [word for each in found if (word := each.strip(".:!?*_-"))]


@lru_cache(maxsize=4096)
def _spaced(text: str) -> str:
    return f" {' '.join(_words(text[:_READ]))} "


def _row_from_outside(text: str, texts: Sequence[Text], heard: Sequence[Text]) -> Provenance | None:
    """Six words in a row that stood outside before the project had them."""
    words = _words(text)
    for at in range(len(words) - IN_A_ROW + 1):
        row = f" {' '.join(words[at : at + IN_A_ROW])} "
        first = next((each for each in heard if row in _spaced(each.text)), None)
        if first is not None and not any(
            row in _spaced(each.text)
            for each in texts
            if each.whose in ("typed", "own", "file")
            or (each.whose in ("call", "said", "written") and each.at < first.at)
        ):
            said = row.strip()
            return Provenance(OUTSIDE, False, said, first.name, f"“{said}” are words from outside")
    return None


def _claimed_outside(
    text: str, texts: Sequence[Text], heard: Sequence[Text], last: int, quotes: Sequence[int]
) -> Provenance | None:
    """A claim that a near text from outside holds half of, more than anything of the project's, and
    that what is quoted of the session holds less than half as much of."""
    want = stems(text)
    if len(want) < FEWEST:
        return None
    near = [(_covered(want, each.text), each) for each in heard if abs(each.at - last) <= NEAR]
    best, place = max(near, key=lambda each: each[0], default=(0.0, None))
    if place is None or best < HALF:
        return None
    own = [each for each in texts if each.whose in ("typed", "own", "file", "call")]
    before = [each for each in own if each.at <= last or each.whose == "typed"]
    said = {place.at for held, place in near if held == best}  # a later call may repeat it
    before = [each for each in before if each.whose != "call" or each.at <= min(said)]
    ours = [(_covered(want, each.text), each.at) for each in before]
    quoted = max((held for held, at in ours if at in quotes), default=0.0)
    if max(ours, default=(0.0, 0))[0] >= best or quoted >= best / 2:
        return None
    return Provenance(OUTSIDE, False, text, place.name, "the agent says what it had read")


def stems(text: str) -> frozenset[str]:
    """The content words of a text, without their endings."""
    words = re.findall(r"[a-z][a-z0-9_]{3,}", text.casefold())
    return frozenset(_STEM.sub("", word) for word in words if word not in _STOP)


@lru_cache(maxsize=4096)
def _windows(text: str) -> tuple[frozenset[str], ...]:
    """The content words of a text, two sentences or lines at a time."""
    parts = [stems(each) for each in re.split(r"(?<=[.!?])\s|\n", text[:_READ]) if len(each) > 8]
    return tuple(one | other for one, other in zip(parts, [*parts[1:], frozenset[str]()]))


def _covered(want: frozenset[str], text: str) -> float:
    return max((len(want & each) / len(want) for each in _windows(text)), default=0.0)


# --- names ----------------------------------------------------------------------------------------


def _stands(text: str, name: str, programs: Programs) -> bool:
    """Whether a name stands in a text."""
    program, _, word = name.partition(" … ")
    if not word:
        return has(text, name)
    if word not in text:
        return False
    end = r"(?![\w-])"
    behind = rf"(?<![\w/-]){re.escape(program)}\b[^\n|;&]{{0,60}}(?<![\w-]){re.escape(word)}{end}"
    if re.search(behind, text):
        return True
    rows = [row for row in text.split("\n") if has(row, word)] if word.startswith("--") else []
    others = [each for each in programs if each != program and len(each) > 1]
    return any(not any(has(row, each) for each in others) for row in rows)


def _why_acting_is_not(
    name: str, texts: Sequence[Text], repository: Repository, programs: Programs
) -> Provenance | None:
    """A name that acts: typed, in a tracked file, or called before any output had shown it."""
    if repository.holds(name) or name.removeprefix("origin/") in repository.branches:
        return None
    program, _, word = name.partition(" … ")
    shown, called = "", False
    lines = {each.at: each.text for each in texts if each.whose == "call"}
    for each in texts:
        if each.whose == "call" and word and has(each.text, program):
            called = called or not _HELP.search(each.text)
        if each.whose in ("said", "written") or not _stands(each.text, name, programs):
            continue
        if each.whose in ("typed", "file") or (each.whose == "call" and not shown):
            return None
        if each.whose == "call":
            continue
        line = lines.get(each.at, "")
        usage = word and called and has(line, program)
        if usage and (each.whose == "own" or each.usage or _HELP.search(line)):
            continue  # a program that was called before spells its own words
        shown = shown or each.name
    if shown:
        why = f"`{name}` was not first called or typed here"
        return Provenance(OUTSIDE, False, name, shown, why)
    nobody = "nobody typed or called" if texts else "no tracked file names"
    return Provenance(OUTSIDE, False, name, "", f"{nobody} `{name}`")


def _why_pointing_is_not(
    name: str, texts: Sequence[Text], repository: Repository
) -> Provenance | None:
    """A name that points: in the project's own text, or with the agent before outside text had it."""
    plain = name.rstrip("/")
    if repository.tracks(plain) or repository.holds(plain):
        return None
    shown = ""
    for each in texts:
        if not has(each.text, plain):
            continue
        if each.whose in ("typed", "own", "file"):
            return None
        if each.whose == OUTSIDE:
            shown = shown or each.name
        elif not shown:
            return None
    if shown and HYPHENATED.fullmatch(plain) and _of_known_words(plain, texts, repository):
        return None
    if not shown and (not texts or texts[-1].whose != CUT):
        return None  # the reader's own wording: the check of its quotes judges it
    if not shown:
        return Provenance(OUTSIDE, False, plain, "", f"the session is too long to follow `{plain}`")
    return Provenance(OUTSIDE, False, plain, shown, f"`{plain}` is known from outside only")


def _of_known_words(name: str, texts: Sequence[Text], repository: Repository) -> bool:
    """Whether the project knows each part of a hyphenated word: then it is no name of its own."""
    own = [each.text for each in texts if each.whose in ("typed", "own", "file", "call")]
    return all(
        any(has(text, part) for text in own) or repository.holds(part) for part in name.split("-")
    )
