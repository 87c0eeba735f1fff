"""Lessons that say the same: one is written, and of those that stay apart one is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.rows import FindingRow, scope_projects
from tacit.core.run import Finding
from tacit.core.value import replace
from tacit.lesson import Lesson
from tacit.reading.check import Checked
from tacit.reading.decide import Decided
from tacit.reading.remembered import is_shown
from tacit.words.match import compare, shares_half
from tacit.words.prepared import prepare
from tacit.words.tokens import query_words

if TYPE_CHECKING:
    from tacit.reading.questions import ReaderContext

    _Group = tuple[str, str, Sequence[tuple[str, str]]]
    _Said = Mapping[tuple[str, str], str]

# How alike two must be to be asked about, how many of each, of how many that words find.
ALIKE_TWINS, NEAREST_TWINS, FOUND = 0.25, 3, 12
# … and how alike the two nearest of a session, for a question at all: of 168 questions of three
# projects 36 had no pair so near, and one of those was answered with a word.
WORTH_A_QUESTION = 0.35
SURE = 0.36  # … and from which on its word that two are one stands by itself
_WORDS = 24  # of a new lesson, by which the others are found
_RANK = ("said", "shown", "agreed", "asked", "found")  # whose words stay of two that say the same


def are_alike(one: str, other: str) -> bool:
    """Whether two lessons are one without asking: their texts are equal after folding."""
    return prepare(one).text == prepare(other).text


def is_sure(one: str, other: str) -> bool:
    """Whether two lessons are so near that a reader that called them the same is not asked
    again."""
    return compare(prepare(one), prepare(other)) >= SURE


def without_twins(
    heard: Sequence[tuple[Checked, Decided]], alike: Callable[[str, str], bool]
) -> list[tuple[Checked, Decided]]:
    """The same lessons; of those that say the same only the one with the best word is still one."""
    found = [*heard]
    order = sorted(
        (at for at, (_, each) in enumerate(heard) if each.word),
        key=lambda at: (_RANK.index(heard[at][1].word), at),
    )
    kept: list[int] = []
    for at in order:
        checked, decided = heard[at]
        twin = next((one for one in kept if alike(heard[one][1].text, decided.text)), None)
        if twin is None:
            kept.append(at)
        else:
            found[at] = (
                checked,
                replace(decided, word="", reason=f"says the same as: {heard[twin][1].text}"),
            )
    return found


def typed_as_it_stands(finding: Finding, rows: Sequence[FindingRow]) -> str:
    """The lesson that the rules made of the very line that a finding quotes, as it was typed;
    empty where they made none."""
    place = finding.place.partition("#")[0]
    raw = (
        row
        for row in rows
        if row.memory
        and row.extractor != finding.extractor
        and row.by == "user"
        and row.place.partition("#")[0] == place
    )
    return next(
        (
            row.memory
            for row in raw
            if shares_half(finding.text, row.text) or shares_half(row.text, finding.text)
        ),
        "",
    )


def near_ones(desk: ReaderContext, new: Mapping[int, str]) -> dict[int, list[Lesson | int]]:
    """Of each new lesson (number and text) those it may say the same as: remembered ones, or
    numbers of new ones before it. Nobody is asked about one that words vouch for."""
    found: dict[int, list[Lesson | int]] = {}
    nearest = 0.0
    for number, text in new.items():
        hits = desk.store.find(
            scope_projects(desk.project.id), query_words(text, _WORDS), limit=FOUND
        ).hits
        others: list[tuple[Lesson | int, str]] = [
            (hit.memory, hit.memory.text) for hit in hits if is_shown(hit.memory)
        ]
        if any(are_alike(text, each) for _, each in others):
            continue
        others += [(before, new[before]) for before in new if before < number]
        scored = [
            (compare(prepare(text), prepare(each)), at, other)
            for at, (other, each) in enumerate(others)
        ]
        best = sorted(
            (each for each in scored if each[0] >= ALIKE_TWINS),
            key=lambda each: (-each[0], each[1]),
        )
        if best:
            nearest = max(nearest, best[0][0])
            found[number] = [other for _, _, other in best[:NEAREST_TWINS]]
    return found if nearest >= WORTH_A_QUESTION else {}


def twin_words(
    near: Mapping[int, Sequence[Lesson | int]],
    new: Mapping[int, str],
    ask: Callable[[list[_Group]], _Said],
) -> dict[int, tuple[str, Lesson | int]]:
    """Of each new lesson the one it says the same as, and how: "same", or one says more than the
    other. One question for all."""
    names: dict[str, str] = {}  # of remembered lessons, as the question calls them
    for each in near.values():
        for other in each:
            if not isinstance(other, int):
                names.setdefault(other.id, f"k{len(names) + 1}")

    def name(other: Lesson | int) -> str:
        return f"n{other}" if isinstance(other, int) else names[other.id]

    groups: list[_Group] = [
        (
            f"n{number}",
            new[number],
            [(name(each), new[each] if isinstance(each, int) else each.text) for each in others],
        )
        for number, others in near.items()
    ]
    said = ask(groups) if groups else {}
    found: dict[int, tuple[str, Lesson | int]] = {}
    for number, others in near.items():
        for word in ("same", "less", "more"):
            fits = [each for each in others if said.get((f"n{number}", name(each))) == word]
            if fits:
                found.setdefault(number, (word, fits[0]))
    return found
