"""Which remembered lessons a session is held against, and which of its lines speak of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

from tacit.core.rows import scope_projects
from tacit.core.states import KEPT
from tacit.core.value import replace, value
from tacit.lesson import LOOKED, Lesson, names_of, topic_of
from tacit.reading.page import PERSON, Line, stems
from tacit.words.stop_words import all_stop_words
from tacit.words.tokens import english_stem, query_words

if TYPE_CHECKING:
    from tacit.store.reads import Store

MOST_REMEMBERED, NEAREST_REMEMBERED = 2000, 6  # that are looked at; of the nearest to new ones
OF_EACH = 2  # neighbours of one new lesson
# A line concerns a lesson if it holds so much of what the lesson says, rare words before common ones, and a person's line sooner than a
# call. Of 813 verdicts that readers of five projects gave on remembered lessons, 78 % are about one of those chosen so.
FLOOR = 0.2
# lessons of one question: one more for so many lines of the session
FEWEST_ASKED, MOST_ASKED, PER_LINES = 8, 40, 10
# how much a line counts by its letter, others 1
LETTER_WEIGHTS = {**dict.fromkeys(PERSON, 1.6), "E": 1.3, "X": 1.3, "S": 0.0}
OF_LESSON, MORE_LINES_PER = 2, 80  # lines that speak most of one lesson, one more for so many lines
TYPED, OTHER = 400, 160  # characters shown of what was typed, of other lines
# letters of lines that are shown only where they speak of a lesson
UNASKED = ("A", "T", "P", "Q", "S")
READ = 3000  # characters of a line that are compared
_WORDS = 24  # of a new lesson, by which its neighbours are found
HEADINGS, LONGEST_HEADING = 40, 120  # of instruction files; characters of one
SHOWN_TO_NOBODY = ("quoted", "imported")  # held words of others are shown to no model


@value
class Concern:
    """How much of a lesson one line of a session holds, and the lines that hold most of it."""

    share: float
    lines: tuple[Line, ...] = ()


def remembered(
    store: Store, project: str, new: Sequence[str], lines: Sequence[Line], used: Iterable[str] = ()
) -> list[Lesson]:
    """The lessons that a session is held against, oldest first."""
    found = {memory.id: memory for memory in store.memories([*used]) if is_shown(memory)}
    held = [
        memory
        for memory in store.select([project], states=KEPT, limit=MOST_REMEMBERED)
        if is_shown(memory)
    ]
    found.update((memory.id, memory) for memory in held if is_met(memory, lines))
    concerned = list(zip(concerns([_words(memory) for memory in held], lines), held))
    concerned.sort(key=lambda each: (-each[0].share, each[1].created_at, each[1].text))
    # A few go in whatever they share: "skip it this once" has hardly a word of the rule.
    near_enough = [
        memory
        for at, (concern, memory) in enumerate(concerned)
        if concern.share >= FLOOR or at < FEWEST_ASKED
    ]
    more = [memory for memory in near_enough if memory.id not in found]
    found.update((memory.id, memory) for memory in more[: max(0, _most(lines) - len(found))])
    near: dict[str, Lesson] = {}
    for text in new:
        hits = store.find(scope_projects(project), query_words(text, _WORDS), limit=OF_EACH).hits
        near.update(
            (hit.memory.id, hit.memory)
            for hit in hits
            if is_shown(hit.memory) and hit.memory.id not in found
        )
    found.update(list(near.items())[:NEAREST_REMEMBERED])
    return sorted(
        found.values(), key=lambda memory: (memory.created_at, memory.text)
    )  # ids differ from store to store


def concerns(texts: Sequence[str], lines: Sequence[Line]) -> list[Concern]:
    """Of each text, what lines hold of it; a word that many of the texts have says less."""
    holding: dict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        for stem in _terms(line.whole[:READ]):
            holding[stem].append(at)
    own = [_terms(text) for text in texts]
    often = Counter(stem for each in own for stem in each)
    found: list[Concern] = []
    for each in own:
        weights = {stem: log(1 + len(texts) / often[stem]) for stem in each}
        shares: dict[int, float] = defaultdict(float)
        for stem, weight in weights.items():
            for at in holding.get(stem, ()):
                shares[at] += (
                    LETTER_WEIGHTS.get(lines[at].letter, 1.0) * weight / sum(weights.values())
                )
        best = sorted(shares, key=lambda at: (-shares[at], at))[
            : OF_LESSON + len(lines) // MORE_LINES_PER
        ]
        spoken = tuple(lines[at] for at in best if shares[at] >= FLOOR)
        found.append(Concern(shares[best[0]] if best else 0.0, spoken))
    return found


def known_lines(lines: Sequence[Line], texts: Sequence[str]) -> tuple[Line, ...]:
    """The lines that tell what became of lessons."""
    steps = {line.step for line in lines if line.letter in ("E", "X")}
    spoken = {line.number for concern in concerns(texts, lines) for line in concern.lines}
    return tuple(
        replace(line, text=f"{line.text[:most]} …")
        if len(line.text) > (most := OTHER if line.letter in "ATEX" else TYPED)
        else line
        for line in lines
        if line.letter not in UNASKED
        or (line.letter == "T" and line.step in steps)
        or line.number in spoken
    )


def is_met(memory: Lesson, lines: Sequence[Line]) -> bool:
    """Whether a session holds the sign by which a lesson's matter shows."""
    where, words = (memory.extra or {}).get("sign") or ("", "")
    letters = {"E": ("E", "X"), "T": ("T",), "U": PERSON}.get(where, ())
    return bool(words) and any(line.letter in letters and words in line.whole for line in lines)


def _most(lines: Sequence[Line]) -> int:
    """How many lessons a session is held against: a long one can concern more."""
    return min(MOST_ASKED, FEWEST_ASKED + len(lines) // PER_LINES)


@lru_cache(4096)
def _terms(text: str) -> frozenset[str]:
    """The telling words of a text by their stems; also short ones, for "CI" and "PR" tell."""
    words = re.findall(r"[a-z0-9]{2,}", text.casefold())
    return frozenset(english_stem(word)[:7] for word in words if word not in all_stop_words())


def _words(memory: Lesson) -> str:
    return " ".join((memory.text, topic_of(memory.about), *names_of(memory.about)))


def is_shown(memory: Lesson) -> bool:
    if memory.source == LOOKED:  # what all sessions show is no matter of one session's page
        return False
    if not memory.text or memory.superseded_by or memory.gate in ("quarantine", "discard"):
        return False
    return memory.gate != "hold" or memory.trust not in SHOWN_TO_NOBODY


def headings_of(files: Mapping[str, str]) -> list[str]:
    """The headings of instruction files, each with its file's name."""
    found = [
        f"{name}: {line.lstrip('#').strip()}"[:LONGEST_HEADING]
        for name, text in files.items()
        for line in text.splitlines()
        if line.startswith("#") and line.lstrip("#").strip()
    ]
    return found[:HEADINGS]


def headings_about(headings: Sequence[str], new: Sequence[str]) -> list[str]:
    """The headings that may say what a new lesson says: most of whose words stand in it."""
    lessons = [stems(text) for text in new]
    return [
        heading
        for heading in headings
        if (words := stems(heading.partition(": ")[2]))
        and any(2 * len(words & each) > len(words) for each in lessons)
    ]
