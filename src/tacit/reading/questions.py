"""Asking, one question at a time: an answer that is there already is taken, a new one is kept
before anything else happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.errors import ModelUnavailable
from tacit.core.ports import MODEL_ANSWER_CHARS
from tacit.core.profile import Profile
from tacit.core.rows import Project
from tacit.core.value import replace, value
from tacit.reading import answers, check, prompt
from tacit.reading.answers import Lesson, Struck, Verdict, Weighed
from tacit.reading.check import Checked
from tacit.reading.excerpt import lesson_lines
from tacit.reading.page import OVERLAP, PERSON, Line, Rendering, parts_of_session, without
from tacit.reading.remembered import known_lines
from tacit.safety.redact import redact
from tacit.store import readings
from tacit.store.readings import Reading

if TYPE_CHECKING:
    from tacit.core.ports import Model
    from tacit.store.reads import Store


@value
class ReaderContext:
    """What reading needs."""

    store: Store
    project: Project
    profile: Profile
    folder: str  # where readings lie
    model: Model
    now: Callable[[], str]
    ids: Callable[[], str]
    known_lines: Mapping[str, str] | None = None
    headings: Sequence[str] = ()
    person: str = ""  # whose session it is
    hold_all: bool = False
    examine: bool = False  # have the model take its exam first, if it did not lately
    advises: str = ""  # why its word does not count by itself
    own: Store | None = None  # what only this machine's user writes; None: the store itself


class Questions:
    """The questions about one session. Each answer is on the disk before the next question is
    asked."""

    def __init__(
        self, reading: Reading, folder: str, model: Model, timeout: float, now: Callable[[], str]
    ) -> None:
        self.reading, self.folder, self.model, self.timeout, self.now = (
            reading,
            folder,
            model,
            timeout,
            now,
        )
        self.lines = lines_of(reading)

    def lessons(self) -> tuple[Checked, ...]:
        """What the session teaches, each with its quotes looked for. A session that grew is read
        on from where it was left."""
        found: list[Lesson] = [
            answers.lesson_from(each["lesson"])
            for each in self.reading.lessons
            if each.get("lesson")
        ]
        new: list[Lesson] = []
        most = prompt.most_lessons(Rendering("", self.lines).typed)
        for part in parts_of_session(Rendering(self.reading.run, lesson_lines(self._new_lines()))):
            before = [lesson.text for lesson in found]
            said = self._ask(
                prompt.lessons(part, most, before),
                prompt.lessons_schema(most, len(before)),
                "lessons",
            )
            fresh = [
                lesson for lesson in answers.lessons_of(said, most) if lesson.text not in before
            ]
            struck = self._struck(answers.struck_of(said), found)
            found = [lesson for lesson in found if lesson.text not in struck] + fresh
            new = [lesson for lesson in new if lesson.text not in struck] + fresh
        return tuple(check.check(lesson, self.lines) for lesson in new)

    def _struck(self, struck: Sequence[Struck], found: Sequence[Lesson]) -> set[str]:
        """The texts of lessons that the person takes back: only a later line of theirs does."""
        names = {f"p{number}": lesson for number, lesson in enumerate(found, 1)}
        names |= {lesson.text: lesson for lesson in found}
        back: set[str] = set()
        for each in struck:
            lesson, at = (
                names.get(each.id),
                check.find_quote(each.quote, self.lines) if each.quote else None,
            )
            if lesson is not None and at is not None and at.line.letter in PERSON:
                stood = [quote.line.number for quote in check.check(lesson, self.lines).quotes]
                if at.line.number > max(stood, default=0):
                    back.add(lesson.text)
        return back

    def _new_lines(self) -> tuple[Line, ...]:
        return self.lines[max(0, self.reading.done - OVERLAP) if self.reading.done else 0 :]

    def weighed(self, pairs: Sequence[tuple[str, str]]) -> Mapping[int, Weighed]:
        """Whether a line alone says a lesson, and whether it will hold, by number from 1: asked
        of all at once, of two texts each and nothing else."""
        return self._of_pairs(prompt.weigh, pairs)

    def known(
        self,
        remembered: Sequence[tuple[str, str]],
        new: Sequence[str],
        headings: Sequence[str],
        ids: Sequence[str] = (),
    ) -> tuple[Verdict, ...]:
        """What the session says of lessons that are remembered, by their names `k1` …"""
        if not remembered and not (headings and new):
            return ()
        found: list[Verdict] = []
        # What the agent hands back of a lesson would tell who was given it.
        texts = [text for _, text in remembered]
        blind = without(Rendering(self.reading.run, self._new_lines()), texts, ids)
        for part in parts_of_session(replace(blind, lines=known_lines(blind.lines, texts))):
            asked = prompt.known(part, remembered, new, headings)
            found += answers.verdicts_of(
                self._ask(asked, prompt.known_schema(len(remembered), len(new)), "verdicts")
            )
        return tuple(found)

    def twins(
        self, groups: Sequence[tuple[str, str, Sequence[tuple[str, str]]]]
    ) -> Mapping[tuple[str, str], str]:
        """Which lessons say the same, asked of their texts alone: the word on each pair by its
        names. An answer in another form is none: a thing told twice costs a line, a session that
        waits costs all its lessons."""
        pairs = sum(len(near) for _, _, near in groups)
        try:
            return answers.twins_of(
                self._ask(prompt.twins(groups), prompt.twins_schema(pairs), "pairs")
            )
        except ModelUnavailable as error:
            if error.why != "garbage":
                raise
            return {}

    def revoked(self, pairs: Sequence[tuple[str, str]]) -> Mapping[int, Weighed]:
        """Whether lines of the person take lessons back, by number from 1."""
        return self._of_pairs(prompt.revoke, pairs)

    def _of_pairs(
        self, question: Callable[[Sequence[tuple[str, str]]], str], pairs: Sequence[tuple[str, str]]
    ) -> Mapping[int, Weighed]:
        if not pairs:
            return {}
        said = self._ask(question(pairs), prompt.weigh_schema(len(pairs)), "answers")
        return answers.weighed_of(said, len(pairs))

    def _ask(self, asked: str, schema: dict[str, Any], holds: str) -> str:
        name = prompt.prompt_name(asked)
        kept = self.reading.answers.get(name)
        if kept is not None:
            return str(kept["said"])
        said = redact(self.model.ask(asked, schema=schema, timeout=self.timeout)).text[
            :MODEL_ANSWER_CHARS
        ]
        if not answers.is_answer(said, holds):
            raise ModelUnavailable(
                f"{self.model.identity} did not answer in the form that was asked for.",
                why="garbage",
            )
        row = {
            "step": holds,
            "said": said,
            "model": self.model.identity,
            "at": self.now(),
            "chars": len(asked),
        }
        self.reading = replace(
            self.reading, answers={**self.reading.answers, name: row}, model=self.model.identity
        )
        readings.keep_on(self.folder, self.reading, self.reading.at)
        return said


def lines_of(reading: Reading) -> tuple[Line, ...]:
    """The lines of a kept reading."""
    return tuple(
        Line(number, letter, text, whole or text, step, place)
        for number, letter, text, whole, step, place in reading.lines
    )


def kept_lines(rendering: Rendering) -> tuple[tuple[Any, ...], ...]:
    """Lines as they are kept: the whole text only where it is longer than what is shown."""
    return tuple(
        (
            line.number,
            line.letter,
            line.text,
            "" if line.whole == line.text else line.whole,
            line.step,
            line.place,
        )
        for line in rendering.lines
    )
