"""What a reader says is checked, never believed: whose words a quote is, whether they bear the
lesson, whether it still held at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.core.tables import Tables
from tacit.core.value import value
from tacit.lesson import WAY, joined
from tacit.reading.answers import Lesson, Quote
from tacit.reading.command import main_command
from tacit.reading.page import NOTE_MARK, PERSON, UNSURE, Line, one_line
from tacit.reading.whose import plain

_tables = Tables(__file__)

FEWEST_WORDS, FEWEST_CHARS = 3, 8  # of a quote that is not a whole line
AROUND_QUOTE = 240  # characters to each side of a quote that still are "the line", where a message is a long one
LONG_LINE = 480
WORDLESS_LETTERS = ("Q", "X", "P", "S")  # letters that cannot carry a lesson alone


@value
class Found:
    """A quote that stands in the session."""

    line: Line
    words: str
    around: str  # the line it stands in, of a long message the part around it


@value
class Checked:
    """A lesson whose quotes were looked for."""

    lesson: Lesson
    quotes: tuple[Found, ...] = ()
    dropped: str = ""  # why it is none; empty where it may be one

    @property
    def person(self) -> Found | None:
        """The person's line that is quoted first."""
        return next((quote for quote in self.quotes if quote.line.letter in PERSON), None)

    @property
    def unsure(self) -> bool:
        """Whether a quote is of words that are perhaps the person's: with several the least
        counts."""
        return any(quote.line.letter == UNSURE for quote in self.quotes)

    @property
    def all_person(self) -> bool:
        """Whether every quote is the person's: with several the least counts."""
        return bool(self.quotes) and all(quote.line.letter in PERSON for quote in self.quotes)


def check(lesson: Lesson, lines: Sequence[Line]) -> Checked:
    """Look for a lesson's quotes, and say whether it may stand."""
    agreed = lesson.standing == "agreed"
    found = [
        quote
        for each in lesson.quotes
        if (quote := find_quote(each, lines, briefly=agreed)) is not None
    ]
    if len(found) < len(lesson.quotes):
        return Checked(lesson, tuple(found), "a quote does not stand in the session")
    checked = Checked(lesson, tuple(found))
    if all(
        quote.line.letter in WORDLESS_LETTERS and not _on_own_server(quote.line, lines)
        for quote in found
    ):
        return Checked(lesson, checked.quotes, "only pasted, planned or outside words carry it")
    if reason := taken_back(checked, lines):
        return Checked(lesson, checked.quotes, reason)
    if checked.person is None and not is_late(checked, lines):
        return Checked(
            lesson, checked.quotes, "its quote stands before the last failure of that command"
        )
    return checked


def _on_own_server(line: Line, lines: Sequence[Line]) -> bool:
    """Whether an output is of a command that the agent ran over ssh: the work may be there. It
    stays a text from outside."""
    ran = (
        main_command(each.whole) for each in lines if each.letter == "T" and each.step == line.step
    )
    return line.letter == "X" and any(call is not None and call.program == "ssh" for call in ran)


def find_quote(quote: Quote, lines: Sequence[Line], *, briefly: bool = False) -> Found | None:
    """Where the words of a quote stand: in the line it names, else in the nearest one that holds
    them. A few words of a long line are no quote, unless they open the very line that is named
    and `briefly` says that a yes is looked for."""
    pieces = [comparable(piece) for piece in re.split(r"⏎|…|\[\.\.\.\]|\.\.\. ", quote.words)]
    pieces = [piece for piece in pieces if piece]
    if not pieces:
        return None
    for line in sorted(lines, key=lambda line: abs(line.number - quote.line)):
        whole = comparable(line.whole)
        at = _place(pieces, whole)
        if at is None:
            continue
        enough = (
            len(" ".join(pieces).split()) >= FEWEST_WORDS and sum(map(len, pieces)) >= FEWEST_CHARS
        )
        opens = briefly and at[0] == 0 and line.number == quote.line
        if enough or opens or len(" ".join(pieces)) * 2 >= len(whole):
            return Found(line, one_line(quote.words), _around(one_line(line.whole), at))
    return None


def _place(pieces: Sequence[str], whole: str) -> tuple[int, int] | None:
    """Beginning and end of pieces that stand in a text one after the other; None where they do
    not."""
    at, first = 0, -1
    for piece in pieces:
        start = whole.find(piece, at)
        if start < 0:
            return None
        first = start if first < 0 else first
        at = start + len(piece)
    return first, at


def comparable(text: str) -> str:
    """A text for comparing: one line, straight quotes, no emphasis marks of the quoting. Letters
    stay as they are but for case."""
    straight = plain(text).replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    return one_line(straight).casefold()


def _around(line: str, at: tuple[int, int]) -> str:
    """The part of a long message that a quote stands in, to the ends of sentences; a short one
    whole."""
    if len(line) <= LONG_LINE:
        return line
    start, end = max(0, at[0] - AROUND_QUOTE), min(len(line), at[1] + AROUND_QUOTE)
    before = [found.end() for found in _SENTENCE_END.finditer(line, start, at[0])]
    after = next((found.start() + 1 for found in _SENTENCE_END.finditer(line, at[1], end)), end)
    return line[before[0] if before else start : after].strip()


def sentence_of(quote: Found) -> str:
    """The sentences of its line that a quote stands in; the whole line where it stands in
    several pieces."""
    line = one_line(quote.line.whole)
    start, end = _place([comparable(quote.words)], comparable(line)) or (0, len(line))
    begins = [found.end() for found in _SENTENCE_END.finditer(line, 0, start + 1)]
    ends = (found.start() + 1 for found in _SENTENCE_END.finditer(line, max(0, end - 1)))
    return line[begins[-1] if begins else 0 : next(ends, len(line))].strip()


_SENTENCE_END = re.compile(r"[.!?]\s")


# --- names ------------------------------------------------------------------------------------------------------------

_CODE_IN_TEXT = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r"[\"“”]([^\"“”]{2,80})[\"“”]|(?<!\w)'([^']{2,80})'(?!\w)")
_NAMED = _tables.pattern("_NAMED")
_CAPITALISED = re.compile(r"(?<![.!?:]\s)(?<!^)(?<=\s)[A-Z][a-z]{2,}\w*\b")
_NAMED_PROGRAMS = _tables.pattern("_PROGRAMS")
_ORDINARY = _tables.words("_ORDINARY")


def names_in(text: str) -> list[str]:
    """Every command, path, flag, identifier, name and figure of a lesson."""
    found: dict[str, None] = {}
    text = plain(text)
    for span in _CODE_IN_TEXT.findall(text):
        found.update(dict.fromkeys(span.split()))
    bare = _CODE_IN_TEXT.sub(" ", text)
    for pair in _QUOTED.findall(bare):
        found.update(dict.fromkeys("".join(pair).split()))
    bare = _QUOTED.sub(" ", bare)
    for pattern in (_NAMED, _CAPITALISED, _NAMED_PROGRAMS):
        found.update((each.group().rstrip(".,:;"), None) for each in pattern.finditer(bare))
    return [name for name in found if name and name not in _ORDINARY and re.search(r"\w", name)]


def names_missing(text: str, line: str) -> list[str]:
    """The names of a lesson that a line does not hold."""
    held = comparable(line)
    return [name for name in names_in(text) if comparable(name.strip("`'\"()[],;:")) not in held]


# --- in time ----------------------------------------------------------------------------------------------------------

_BACK = _tables.pattern("_BACK", re.I)
_DENIED = _tables.pattern("_DENIED", re.I)
_OWN_ERROR = _tables.pattern("_OWN_ERROR", re.I)


def taken_back(checked: Checked, lines: Sequence[Line]) -> str:
    """Why a lesson did not survive its own session; empty where it did."""
    last = max(quote.line.number for quote in checked.quotes)
    after = [line for line in lines if line.number > last]
    words = telling(" ".join(quote.words for quote in checked.quotes))
    spoken = [line for line in after if line.letter in PERSON]
    for at, line in enumerate(spoken):
        back = _BACK.search(line.whole)
        if back and (at == 0 or words & telling(line.whole)):
            return f"the person took it back: {one_line(back.group())}"
    if checked.all_person:
        return ""
    agents = [quote for quote in checked.quotes if quote.line.letter == "A"]
    if agents and spoken and _DENIED.match(spoken[0].whole.strip()) and checked.person is None:
        return "the person denied it"
    for line in after:
        if (
            line.letter == "A"
            and agents
            and _OWN_ERROR.search(line.whole)
            and len(words & telling(line.whole)) >= 2
        ):
            return "the agent took it back"
    return ""


def telling(text: str) -> set[str]:
    """Words of a text that tell something."""
    return {word for word in re.findall(r"[\w./-]{4,}", comparable(text)) if word not in _COMMON}


_COMMON = _tables.words("_COMMON")


def commands_run(lines: Sequence[Line]) -> Iterator[tuple[tuple[str, ...], int, bool]]:
    """Each command of a session: what makes two of them the same, its line, and whether it
    failed."""
    for at, line in enumerate(lines):
        if line.letter != "T":
            continue
        call = main_command(line.whole)
        if call is not None:
            after = lines[at + 1] if at + 1 < len(lines) else line
            yield call.key, line.number, after.letter in ("E", "X") and after.step == line.step


def is_late(checked: Checked, lines: Sequence[Line]) -> bool:
    """Whether what was found still held after the last failure of the command it is about: its
    last quote stands there, or is the agent's last word, or the command passed later."""
    last = max(quote.line.number for quote in checked.quotes)
    final = max((line.number for line in lines if line.letter == "A"), default=0)
    if last >= final:
        return True
    about = _about(checked, lines)
    ran = [(number, failed) for each, number, failed in commands_run(lines) if each in about]
    failures = [number for number, failed in ran if failed]
    if not failures or last > failures[-1]:
        return True
    return any(number > failures[-1] and not failed for number, failed in ran)


def fails_then_passes(checked: Checked, lines: Sequence[Line]) -> bool:
    """Whether the session itself shows it: a command that the lesson names or quotes, or whose
    failure it quotes, failed, then passed."""
    named = [main_command(span) for span in _CODE_IN_TEXT.findall(checked.lesson.text)]
    about = _about(checked, lines, talk=False) | {call.key for call in named if call is not None}
    ran = [(each, number, failed) for each, number, failed in commands_run(lines) if each in about]
    return any(
        failed and any(same == each and later > number and not wrong for same, later, wrong in ran)
        for each, number, failed in ran
    )


def was_done(text: str, lines: Sequence[Line]) -> bool:
    """Whether what a lesson advises was done in the session, or typed: each command, path and
    flag of it. What only an output, a page or the agent's words name is somebody's advice, not
    evidence."""
    held = comparable(done(lines))
    advised = [name for name in names_in(text) if not _ERROR.fullmatch(name)]
    return bool(advised) and all(comparable(name.strip("`'\"()[],;:")) in held for name in advised)


def done(lines: Sequence[Line]) -> str:
    """What was run or typed in a session. What was written into an instruction file is advice
    like any other: of such a call its file counts."""
    return " ".join(_did(line) for line in lines if line.letter in ("T", *PERSON))


def _did(line: Line) -> str:
    return (
        " ".join(line.whole.split()[:2])
        if line.letter == "T" and NOTE_MARK in line.whole
        else line.whole
    )


# codes and names of errors
_ERROR = re.compile(
    r"E[A-Z]{4,}|ERR_\w+|\w*(?:Error|Exception|Failure)|[A-Z]{1,3}\d{2,5}|\d[\d.,:]*"
)


def _about(checked: Checked, lines: Sequence[Line], talk: bool = True) -> set[tuple[str, ...]]:
    """The commands that quotes are about: those quoted, those whose failure is quoted, and with
    `talk` the one before the agent's words."""
    found: set[tuple[str, ...]] = set()
    by_line = {number: each for each, number, _ in commands_run(lines)}
    step_of = {line.step: line.number for line in lines if line.letter == "T"}
    for quote in checked.quotes:
        number = step_of.get(quote.line.step, 0) if quote.line.letter in ("T", "E", "X") else 0
        if talk and quote.line.letter == "A":
            number = max((each for each in by_line if each < quote.line.number), default=0)
        if number in by_line:
            found.add(by_line[number])
    return found


# What a lesson is about, as far as the record bears it out: what the reader names and no line holds
# is left out.
#
# Names of the lesson's own text stand in for those the reader did not list. A way of working is
# about everything.

_EVERYWHERE = _tables.listed("_EVERYWHERE")
_NAMED_FILE = re.compile(r"(?:[\w@~.*-]*/)+[\w.*@-]+|[\w@-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}")
# nothing that is a mere figure or word
_NAME = re.compile(r"-{1,2}[A-Za-z][\w-]*|.*[_./:]\w.*|\w*[a-z][A-Z]\w*|\w+\(\)|[a-z][\w-]{2,}")
FILES = 6


def subject_of(lesson: Lesson, lines: Sequence[Line]) -> tuple[str, tuple[str, ...]]:
    """A lesson's subject as it is kept, and the files it is about."""
    if not (lesson.topic or lesson.names or lesson.files) and lesson.kind in _EVERYWHERE:
        return WAY, ()
    held = comparable(" ".join(line.whole for line in lines))
    own = [name.strip("`'\"()[],;:") for name in names_in(lesson.text)]
    listed = [*lesson.names, *([lesson.sign] if lesson.sign_in == "E" else [])]
    stand = [name for name in (*listed, *filter(_NAME.fullmatch, own)) if comparable(name) in held]
    files = [
        name
        for name in (*lesson.files, *stand)
        if _NAMED_FILE.fullmatch(name) and comparable(name) in held
    ]
    return joined(lesson.topic, [name for name in stand if name not in files]), tuple(
        dict.fromkeys(files)
    )[:FILES]
