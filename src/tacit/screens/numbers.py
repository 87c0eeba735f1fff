"""The numbers that screens give to lessons and questions, each with the words that a person was shown.

A number stands for one lesson or question for good, and only a person's screen hands one out. A yes by it counts for the words that stood
there: whatever changed them since, it is refused with a line that says so. What is too long to be shown whole gets no number.
"""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.core.errors import Refused, TacitError
from tacit.core.proposal import new_words
from tacit.core.value import dumps, loads, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tacit.memory import Memory as Memories

ROWS = "shown"  # where the store keeps what was shown with a number, by project
KEPT = 999  # the latest numbers; one before them means nothing any more, and is never given again
DIGITS = 6  # of a number; what has more is an id
WHOLE = 600  # characters of a text that a screen shows whole: what is longer has no number
COLUMNS = 2 * WHOLE  # that so many characters may take
# What of a question's payload a yes does not put in force.
_COUNTED = (
    "runs",
    "count",
    "sessions",
    "said",
    "known",
    "needs",
    "judged",
    "gate",
    "gate_reason",
)


@value
class Shown:
    """What was shown so far: of each number whose it is, and the digest of its words."""

    next: int = 1  # the first number that nobody has seen; 0 where no new ones are given
    rows: Mapping[int, tuple[str, str]] = {}

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each that has one."""
        return {id: n for n, (id, _) in self.rows.items()}

    def with_rows(self, ids: Iterable[str], instead: str = "") -> Shown:
        """After some more were shown. `instead` of it what has no number yet gets the one that it had."""
        rows, numbers, following = dict(self.rows), self.numbers, self.next
        for id in ids:
            if id not in numbers and instead in numbers:
                numbers[id] = numbers.pop(instead)
            elif id not in numbers and following:
                numbers[id] = following
                following += 1
            if id in numbers:
                rows[numbers[id]] = (id, rows.get(numbers[id], ("", ""))[1])
        return Shown(following, dict(sorted(rows.items())[-KEPT:]))

    def with_words(self, words: Mapping[str, str]) -> Shown:
        """After the words of some were shown, by the digest of each."""
        rows = {n: (id, words.get(id, was)) for n, (id, was) in self.rows.items()}
        return Shown(self.next, rows)


def is_number(name: str) -> bool:
    """Whether somebody typed a number, and no id."""
    return name.isdecimal() and len(name) <= DIGITS


def fits(*texts: str) -> bool:
    """Whether a screen shows these texts whole."""
    return all(len(text) <= WHOLE for text in texts)


def kept_as_text(shown: Shown) -> str:
    """What was shown, as the store keeps it."""
    return dumps({"next": shown.next, "rows": [[n, *row] for n, row in shown.rows.items()]})


def read_shown(text: str) -> Shown:
    """The same read back; what is no such record, or one of a former version, knows no number."""
    try:
        kept = loads(text or "{}")
        return Shown(
            int(kept["next"]), {int(n): (str(id), str(words)) for n, id, words in kept["rows"]}
        )
    except (ValueError, TypeError, KeyError):
        return Shown()


def shown_here(memories: Memories) -> Shown:
    """What the screens of this project have shown; nobody but a person is given new numbers."""
    shown = read_shown(memories.store.meta(f"{ROWS}:{memories.project_id}"))
    return shown if memories.actor.is_person else Shown(0, shown.rows)


def numbers_shown(memories: Memories) -> dict[int, str]:
    """What the numbers stand for."""
    return {n: id for n, (id, _) in shown_here(memories).rows.items()}


def remember_numbers(
    memories: Memories, ids: Sequence[str], instead: str = "", unseen: Collection[str] = ()
) -> dict[str, int]:
    """The numbers of what a person is shown now, theirs from now on, with its words as they are; of what is `unseen` the number alone is
    shown. A store that cannot be written to knows those of before only."""
    before = shown_here(memories)
    after = before.with_rows(ids, instead)
    if not memories.actor.is_person or not memories.project:
        return after.numbers
    after = after.with_words({id: digest_of(memories, id) for id in ids if id not in unseen})
    if after != before:
        try:
            with memories.store.write() as tx:
                tx.put_meta(f"{ROWS}:{memories.project_id}", kept_as_text(after))
        except TacitError:
            return before.numbers
    return after.numbers


def names_to_type(memories: Memories, texts: Mapping[str, str]) -> dict[str, str]:
    """What a person types for each of what a screen shows: its number where its text stands there whole, else its id."""
    whole = [id for id, text in texts.items() if fits(text)]
    numbers = remember_numbers(memories, whole)
    return {id: str(numbers.get(id, id) if id in whole else id) for id in texts}


def seen_whole(memories: Memories, *ids: str) -> None:
    """A person set these words or read them: the number that each has, if any, stands for them from now on."""
    numbers = shown_here(memories).numbers
    if known := [id for id in ids if id in numbers]:
        remember_numbers(memories, known)


def need_same_words(memories: Memories, name: str, id: str, words: str = "") -> None:
    """Refuse a word about other words than those that were shown; `words` is the digest that a form or a wish brought along."""
    shown = shown_here(memories)
    number = shown.numbers.get(id, 0)
    words = words or (shown.rows[number][1] if number else "")
    if number and not words:
        raise Refused(f"{name}: its words were not shown yet.", f"tacit why {name} shows them.")
    if words and words != digest_of(memories, id):
        raise Refused(
            f"{name}: its words changed since they were shown; nothing was done.",
            "tacit shows them as they are now.",
        )


def digest_of_lesson(*text: str) -> str:
    """The digest of a lesson's own words."""
    return short_hash("lesson", *text)


def digest_of(memories: Memories, id: str) -> str:
    """The digest of the words that stand behind an id now: a lesson's, or all that a yes to a question would put in force."""
    question = memories.store.proposal(id)
    of = question.memory if question else id
    texts = [each.text for each in memories.store.memories([of])] if of else []
    if question is None:
        return digest_of_lesson(*texts)
    payload = question.payload or {}
    would = {name: at for name, at in payload.items() if name not in _COUNTED}
    both = [each.text for each in memories.store.memories([str(payload.get("other") or "")])]
    return short_hash(question.kind, dumps(would), *texts, *both)


def words_of(memories: Memories, id: str) -> str:
    """The words that a yes puts in force, to be shown with it."""
    question = memories.store.proposal(id)
    would = new_words(question) if question else ""
    of = memories.store.memories([question.memory if question else id])
    return would or (of[0].text if of else question.reason if question else "")
