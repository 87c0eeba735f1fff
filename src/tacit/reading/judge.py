"""What the answers about a session come to: lessons as they are to be kept, and rulings on lessons
that are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.digest import short_hash
from tacit.core.states import ACTIVE
from tacit.core.trust import tier_to_take_away
from tacit.core.value import replace, value
from tacit.lesson import Lesson, family_of, said_as
from tacit.reading.amend import changed_lesson
from tacit.reading.answers import Verdict, Weighed
from tacit.reading.check import Checked, Found, find_quote, telling
from tacit.reading.decide import AGREED_BY_WORD, Decided, decide, spoken_around
from tacit.reading.page import Line
from tacit.reading.remembered import headings_about, remembered
from tacit.reading.twins import are_alike, is_sure, near_ones, twin_words, without_twins
from tacit.reading.verdicts import Ruled, needs_weighing, ruled, ruled_by_yes
from tacit.reading.whose import witness_of
from tacit.safety.witness import Witness
from tacit.words.match import shares_half

if TYPE_CHECKING:
    from tacit.reading.questions import Questions, ReaderContext


@value
class Twin:
    """The name that lessons share which say the same, the family they are counted in, and which
    of the two says more."""

    said: str
    family: str
    word: str = ""  # of this lesson beside the other: same, less or more

    def kept(self) -> list[str]:
        """As a lesson keeps it."""
        return [self.said, self.family, *([self.word] if self.word else [])]


@value
class NewLesson:
    """One lesson of a session as it is to be kept, and what it is to the lessons that are known."""

    checked: Checked
    decided: Decided
    number: int = 0  # among the lessons that later questions are about; 0: it is none
    same_as: str = ""  # the known lesson that it says again
    better: str = ""  # a wording that is true to both
    twin: Twin | None = None
    replaces: tuple[Lesson, ...] = ()  # lessons of which a part changed
    written: bool = False  # in an instruction file already

    @property
    def why_not(self) -> str:
        """Why it is not kept; empty where it is."""
        if not self.decided.word:
            return self.decided.reason
        return "an instruction file says it" if self.written else ""


@value
class Ruling:
    """A verdict on a known lesson whose quote stands in the session, and what it does."""

    memory: str
    ruled: Ruled
    verdict: Verdict
    quote: Found


@value
class Heard:
    """All that a session says."""

    lessons: tuple[NewLesson, ...]
    rulings: tuple[Ruling, ...]
    listed: frozenset[str]  # lessons it was held against, given and withheld alike
    agreed: frozenset[str]  # lessons that a plain yes to the agent's proposal suspends
    witness: Witness


@value
class _Known:
    """What a session was held against, and what the reader says of it."""

    names: Mapping[str, Lesson] = {}  # as the question calls them
    headings: Mapping[str, str] = {}  # of instruction files, that may say what a new lesson says
    said: tuple[Verdict, ...] = ()
    same: tuple[Verdict, ...] = ()  # those by which a new lesson is one of these


@value
class _Quoted:
    """A verdict with its lesson and the words that are quoted for it."""

    verdict: Verdict
    memory: Lesson
    quote: Found
    spoken: str  # what the person said around it, where they said a plain yes to the agent's line


def judge(desk: ReaderContext, asking: Questions) -> Heard:
    """What a session says, asked question by question. A model that failed its exam touches no
    known lesson."""
    told = asking.lessons()
    witness = witness_of(desk.folder, asking.reading)
    new = [each for each in told if not each.dropped]
    known = _Known() if desk.advises else _held_against(desk, asking, new)
    lessons = _weighed(asking, told, new, known, witness)
    quoted = [*_quoted(known, asking.lines)]
    rulings, lessons, agreed = _ruled(desk, asking, quoted, lessons, witness)
    if not desk.advises:
        lessons = _beside_each_other(desk, asking, lessons)
    listed = frozenset(memory.id for memory in known.names.values())
    return Heard(tuple(lessons), tuple(rulings), listed, agreed, witness)


def _held_against(desk: ReaderContext, asking: Questions, new: Sequence[Checked]) -> _Known:
    """What the session says of remembered lessons and of what instruction files hold."""
    store, row = desk.store, desk.store.run(asking.reading.run)
    unit = row.root if row else asking.reading.run
    texts = [each.lesson.text for each in new]
    used = [use.memory for use in store.uses(unit=unit) if use.memory]
    known = remembered(store, desk.project.id, texts, asking.lines, used)
    names = {f"k{number}": memory for number, memory in enumerate(known, 1)}
    headings = headings_about(desk.headings, texts)
    pairs = [(name, memory.text) for name, memory in names.items()]
    said = asking.known(pairs, texts, headings, [each.id for each in known])
    same = tuple(each for each in said if each.verdict == "same" and 1 <= each.new <= len(new))
    return _Known(names, {f"h{at}": text for at, text in enumerate(headings, 1)}, said, same)


def _weighed(
    asking: Questions,
    told: Sequence[Checked],
    new: Sequence[Checked],
    known: _Known,
    witness: Witness,
) -> list[NewLesson]:
    """The lessons with their words, by one question over pairs of two texts each: whether the
    person's line says a lesson, and whether a new lesson says a known one where words alone do
    not tell."""
    own = [
        (each, (each.lesson.text, each.person.around))
        for each in new
        if each.person is not None and each.lesson.standing != AGREED_BY_WORD
    ]
    same = [each for each in known.same if each.id in known.names]
    pairs = [(known.names[each.id].text, new[each.new - 1].lesson.text) for each in same]
    unsure = [at for at, pair in enumerate(pairs) if not is_sure(*pair)]
    said = asking.weighed([*(pair for _, pair in own), *(pairs[at] for at in unsure)])
    by = {id(each): said.get(number) for number, (each, _) in enumerate(own, 1)}
    denied = {
        at
        for number, at in enumerate(unsure, len(own) + 1)
        if number not in said or said[number].says != "yes"
    }
    called: dict[int, tuple[Lesson, str]] = {}  # by the number of the new lesson
    for at, each in enumerate(same):
        if at not in denied:
            called.setdefault(each.new, (known.names[each.id], each.into))
    written = _written(known, new)
    heard = [(each, decide(each, by.get(id(each)), asking.lines, witness)) for each in told]
    found: list[NewLesson] = []
    number = 0
    for checked, decided in without_twins(heard, are_alike):
        number += not checked.dropped
        lesson = NewLesson(checked, decided, 0 if checked.dropped else number)
        if not checked.dropped:
            lesson = replace(lesson, written=number in written)
            if number in called:
                memory, better = called[number]
                twin = Twin(said_as(memory), family_of(memory))
                lesson = replace(lesson, same_as=memory.id, better=better, twin=twin)
        found.append(lesson)
    return found


def _written(known: _Known, new: Sequence[Checked]) -> set[int]:
    """Which new lessons an instruction file says already: none that quotes a person, unless half
    of its words stand in the heading."""
    found = ((each, new[each.new - 1], known.headings.get(each.id, "")) for each in known.same)
    return {
        each.new
        for each, lesson, heading in found
        if heading and (lesson.person is None or shares_half(lesson.lesson.text, heading))
    }


def _quoted(known: _Known, lines: Sequence[Line]) -> Iterator[_Quoted]:
    for verdict in known.said:
        if verdict.id not in known.names or not verdict.quote:
            continue
        stands = find_quote(verdict.quote, lines)
        if stands is not None:
            spoken = spoken_around(stands.line, lines)
            yield _Quoted(verdict, known.names[verdict.id], stands, spoken)


def _ruled(
    desk: ReaderContext,
    asking: Questions,
    quoted: Sequence[_Quoted],
    lessons: list[NewLesson],
    witness: Witness,
) -> tuple[list[Ruling], list[NewLesson], frozenset[str]]:
    """What each verdict does, and the lessons with those that take the place of one of which a
    part changed."""
    open_ones = [at for at, each in enumerate(quoted) if _needs_weighing(each)]
    said = asking.revoked(
        [(quoted[at].memory.text, quoted[at].spoken or quoted[at].quote.around) for at in open_ones]
    )
    weighed = {at: said.get(number) for number, at in enumerate(open_ones, 1)}
    rulings: list[Ruling] = []
    agreed: set[str] = set()
    for at, each in enumerate(quoted):
        ruling, words, by_yes = _ruling(desk, asking, each, weighed.get(at), witness)
        if by_yes:
            agreed.add(each.memory.id)
        if ruling.act == "amend":
            amended = _in_its_place(lessons, each.memory, each.verdict, words)
            if amended is None:
                act = "suspend" if each.memory.state == ACTIVE else "contradiction"
                ruling = replace(ruling, act=act)
            lessons = amended or lessons
        rulings.append(Ruling(each.memory.id, ruling, each.verdict, each.quote))
    return rulings, lessons, frozenset(agreed)


def _needs_weighing(each: _Quoted) -> bool:
    """A mere yes takes nothing back: what was said around it must be about the lesson."""
    about = bool(telling(each.spoken) & telling(each.memory.text))
    return needs_weighing(each.verdict.verdict, each.quote, about)


def _ruling(
    desk: ReaderContext,
    asking: Questions,
    each: _Quoted,
    weighed: Weighed | None,
    witness: Witness,
) -> tuple[Ruled, Found, bool]:
    """What one verdict does, the words it goes by, and whether it is the person's plain yes to
    what the agent proposed."""
    word, memory, quote = each.verdict.verdict, each.memory, each.quote
    needed = tier_to_take_away(memory, desk.store.evidence(memory.id))
    ruling = ruled(word, memory, quote, weighed, needed=needed, agreed=bool(each.spoken))
    if ruling.act in ("nothing", "propose"):
        yes = ruled_by_yes(word, memory, quote, asking.lines, witness)
        if yes is not None:
            return *yes, True
    return ruling, quote, False


def _in_its_place(
    lessons: Sequence[NewLesson], memory: Lesson, verdict: Verdict, quote: Found
) -> list[NewLesson] | None:
    """The lessons with one that takes the place of a known one of which a part changed: a new
    one of the session, worded for it, or one of its own; None where no wording fits."""
    found = [*lessons]
    at = next((n for n, each in enumerate(found) if each.number == verdict.new != 0), -1)
    new = found[at] if at >= 0 and found[at].decided.word else None
    worded = changed_lesson(
        memory, verdict.into, quote, (new.checked, new.decided) if new else None
    )
    if worded is None:
        return None
    if new is None:
        number = 1 + max((each.number for each in found), default=0)
        return [*found, NewLesson(*worded, number, replaces=(memory,))]
    kept = replace(new, checked=worded[0], decided=worded[1], replaces=(*new.replaces, memory))
    found[at] = replace(kept, same_as="", better="") if kept.same_as == memory.id else kept
    return found


def _beside_each_other(
    desk: ReaderContext, asking: Questions, lessons: Sequence[NewLesson]
) -> list[NewLesson]:
    """Ask of the new lessons that nobody called known yet which of them say what another one
    says."""
    found = {each.number: each for each in lessons if each.number}
    new = {
        number: each.decided.text
        for number, each in found.items()
        if each.decided.word and not (each.same_as or each.written or each.replaces)
    }
    near = near_ones(desk, new)
    for number, (word, other) in twin_words(near, new, asking.twins).items():
        if isinstance(other, int):  # an earlier one of this session
            name = short_hash("twin", new[other])
            group = found[other].twin or Twin(name, name)
            lesser = replace(group, word="less") if word == "more" else group
            found[other] = replace(found[other], twin=lesser)
            found[number] = replace(found[number], twin=replace(group, word=word))
            continue
        twin = Twin(said_as(other), family_of(other), word)
        same = other.id if word == "same" else found[number].same_as
        found[number] = replace(found[number], twin=twin, same_as=same)
    return [found.get(each.number, each) for each in lessons]
