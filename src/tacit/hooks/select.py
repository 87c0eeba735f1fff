"""Does it matter now? Which lessons belong to a moment, in the order in which they take its room.

    start    ways of working: those met in two sessions first, the oftenest met first, then a person's word of one
    prompt   what has a sign, a name of its subject or three rare words in the prompt: the best three, then the best one's topic
    call     what is about that very command, or about the file that is read or edited and names in it
    failure  its sign, or a cure of that very command that shares two rare words with the output's end

Whether a lesson may be told at all and whether it is still so is asked elsewhere. Pure: lessons and words come in, lessons go out.
"""

from __future__ import annotations

from tacit.core.shell_line import simple_commands, unquoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

# The twelve numbers, each with what chose it (bench/results/select.md has the exams).
BEST = 3  # at a prompt; two told no less of the decisions exam, four nothing that fits better
RARE = 3  # rare words that make a lesson fit a prompt; with two a third more is told, and misplaced
RARE_ROWS, RARE_SHARE = 6, 0.05  # lessons that hold a rare word: so many, or one in twenty
COMMON = 0.25  # of the sessions before that used a word, name or command: it tells nothing here
MORE_PER = 300  # characters of a prompt for each further rare word: a page holds some of everything
PROMPT_TOKENS, START_TOKENS = 400, 300  # repeats and cures stay where more is given
LINES = 2  # at a call or a failure; a third was never used
CALL_TOKENS = 200  # of all calls of one context
OUTPUT_END = 400  # characters of a failing output; with 1,000 half more is told for one more cure
RARE_OF_CURE = 2  # rare words that a cure of that very command shares with the output

ENOUGH = 50  # lessons that are looked at for a prompt or an output
FRAME = 9  # characters of a line beside a lesson's text, its id and whose word it is
LONGEST_LINE = 4_000  # characters of a command that are read
LONGEST_WORDS = 24  # words of one command that are read
FRONT = frozenset("sudo env time nohup nice command exec xargs timeout".split())
CURES = ("fix", "pitfall", "fact")
WAYS = ("rule", "preference")
EVERYTHING = "*"  # as a subject: a way of working
PART_OF = "part of "  # before the name of twins, for one that says less than they do

Call = tuple[str, ...]  # a program and the words that say which of its commands


class Lesson:
    """A lesson as moments see it. What its subject names is read off only where a moment asks."""

    __slots__ = (
        *("before", "id", "kind", "less", "mark", "met", "n", "of", "paths", "person"),
        *("pinned", "same", "sign", "subject", "text", "topic"),
    )

    def __init__(
        self,
        id: str,
        n: int,
        text: str,
        kind: str,
        about: str = "",
        paths: Sequence[str] = (),
        *,
        person: bool = False,
        met: int = 1,
        sign: tuple[str, str] = ("", ""),
        twins: Collection[str] = (),
        before: Collection[str] = (),
        pinned: bool = False,
        less: Collection[str] = (),
        mark: str = "",
        of: Any = None,
    ) -> None:
        self.id, self.n, self.text, self.kind, self.paths = id, n, text, kind, paths
        self.person, self.met = person, met  # a person's word; sessions that vouch for it
        self.pinned = pinned  # told at every start
        self.mark = mark  # whose word it is, as its line says
        self.sign = sign  # where its mark stands (output, call or prompt), and the mark
        self.same, self.less = twins, less  # names of those that say the same, or more
        self.subject = "" if about == EVERYTHING else about
        self.topic = self.subject.partition(";")[0].strip().casefold()
        self.before = before  # commands that it is told before
        self.of = of  # as the store keeps it

    def twins(self) -> set[str]:
        """The names it shares with those that say the same: its own words are one."""
        return {self.id, folded(self.text), *self.same, *(f"{PART_OF}{name}" for name in self.less)}

    def covers(self) -> set[str]:
        """The names under which another says no more than it does."""
        own = {self.id, folded(self.text), *self.same}
        return own if self.less else own | {f"{PART_OF}{name}" for name in own}

    def literal(self) -> list[str]:
        """The names of its subject."""
        return [name.strip() for name in self.subject.split(";")[1:]]

    def own_files(self) -> set[str]:
        """The files it is about."""
        return {name for name in (*self.paths, *self.literal()) if is_file(name)}

    def names(self) -> set[str]:
        """The telling names of its subject, those of its files among them."""
        ends = [name.rpartition("/")[2] for name in self.own_files()]
        return {name for name in (*self.literal(), *ends) if is_telling(name)}

    def commands(self) -> set[Call]:
        """The commands it is about."""
        named, spans = self.literal(), self.text.split("`")[1::2]
        said = [name for name in named if " " in name or name in spans]
        said += [*self.before, *([self.sign[1]] if self.sign[0] == "call" else [])]
        said += [
            each for each in spans if " " in each and (not self.subject or each.split()[0] in named)
        ]
        return {known for name in said for known in calls_of(name, named=True)}

    def own_words(self) -> set[str]:
        """Options and names by which a common command is told to be this one."""
        options = {name for name in self.literal() if name.startswith("-")}
        return options | {name for name in self.names() if " " not in name}


class Fit:
    """A lesson that a search found for a text, how well it fits, and the asked words that it holds."""

    __slots__ = ("lesson", "score", "shared")

    def __init__(self, lesson: Lesson, score: float, shared: frozenset[str]) -> None:
        self.lesson, self.score, self.shared = lesson, score, shared


class Here:
    """What is so in this context: what everybody uses, what was told, and how the index reads a text."""

    __slots__ = ("common", "given", "rare", "tokens")

    def __init__(
        self,
        tokens: Callable[[str], list[str]] = str.split,
        common: Collection[str] = (),
        given: Mapping[str, Lesson] | None = None,
        rare: Collection[str] = (),
    ) -> None:
        self.tokens = tokens
        self.common = common  # names, commands and words of the index
        self.given = given or {}
        self.rare = rare  # of the words that are asked for now

    def named(self, lesson: Lesson, text: str) -> bool:
        """Whether a telling name of its subject stands in a text as a whole."""
        return any(
            stands(name, text) and name.lower() not in self.common for name in lesson.names()
        )


def rare_words(
    counts: Mapping[str, int], total: int, fits: Sequence[Fit], common: Collection[str]
) -> frozenset[str]:
    """The asked words that few lessons hold and few sessions use.

    `counts` are of all that is on file, in whatever state. Where `fits` are all that may be told, their own count holds: else a topic's
    lessons and what they replaced would make its words common.
    """
    most = max(RARE_ROWS, RARE_SHARE * total)
    held = dict.fromkeys(counts, 0)
    for fit in fits:
        for word in fit.shared:
            held[word] = held.get(word, 0) + 1
    of_all = counts if len(fits) >= ENOUGH else held
    return frozenset(
        word
        for word, rows in counts.items()
        if min(rows, of_all[word]) <= most and len(word) > 2 and word not in common
    )


def at_start(lessons: Iterable[Lesson], here: Here, room: int = START_TOKENS) -> list[Lesson]:
    """What is pinned; then ways of working: what two sessions met first, by how many did; then what a person said once."""
    ways = [each for each in lessons if is_way(each)]
    ways.sort(key=lambda each: (not each.pinned, -each.met, not each.person, -each.n))
    return filled(ways, here, room)


def is_way(lesson: Lesson) -> bool:
    """Whether starts tell it, as far as there is room."""
    known = lesson.met > 1 or lesson.person
    return lesson.pinned or (lesson.kind in WAYS and known)


def at_prompt(
    text: str, fits: Sequence[Fit], under: Callable[[str], Sequence[Lesson]], here: Here
) -> list[Lesson]:
    """The best few that are about what is asked, then what else is settled under the best one's topic.

    `fits` come best first, as `recall` has them; `under` has the lessons of a topic.
    """
    least = RARE + len(text) // MORE_PER
    first, then = list[Lesson](), list[Lesson]()
    low = text.lower()
    for fit in fits:
        lesson = fit.lesson
        if lesson.sign[0] == "prompt" and lesson.sign[1].lower() in low:
            first.append(lesson)
        elif len(then) < BEST and (points(fit, here) >= least or here.named(lesson, text)):
            then.append(lesson)
    best = [*first, *then][:BEST]
    if not best:
        return []
    topic = best[0].topic
    beside = sorted(under(topic), key=lambda each: -each.n) if topic else []
    return filled([*best, *beside], here, PROMPT_TOKENS)


def points(fit: Fit, here: Here) -> int:
    """The rare words that a lesson shares; one of its subject counts twice."""
    shared = fit.shared & frozenset(here.rare)
    subject = {*here.tokens(fit.lesson.subject)} if shared and fit.lesson.subject else set()
    return sum(2 if word in subject else 1 for word in shared)


def at_command(
    line: str, lessons: Iterable[Lesson], here: Here, room: int = CALL_TOKENS
) -> list[Lesson]:
    """What is about that very program and subcommand, the most exact first; of a common one only with a word of the lesson's own."""
    calls = calls_of(line)
    found = []
    for lesson in lessons:
        if deep := depth(lesson, calls, line, here):
            found.append((deep + 2.0, lesson))
        elif lesson.sign[0] == "call" and stands(lesson.sign[1], line):
            found.append((1.0, lesson))
    return filled(_ordered(found), here, room, LINES, one_of_topic=True)


def at_file(
    path: str,
    text: str,
    lessons: Iterable[Lesson],
    here: Here,
    room: int = CALL_TOKENS,
    before: Collection[str] = (),
) -> list[Lesson]:
    """What is about the file that is read or edited, then what is about a name in what is written there.

    A file that is read and then edited is one: what was told `before` at calls and is about it takes its lines.
    """
    again = [id for id in before if id in here.given and is_about(here.given[id], path, here)]
    said = f"{path}\n{text}"
    found = []
    for lesson in lessons:
        if lesson.sign[0] == "call" and stands(lesson.sign[1], said):
            found.append((3.0, lesson))
        elif is_about(lesson, path, here):
            found.append((2.0, lesson))
        elif here.named(lesson, said):
            found.append((1.0, lesson))
    return filled(_ordered(found), here, room, LINES - len(again), one_of_topic=True)


def is_about(lesson: Lesson, path: str, here: Here) -> bool:
    """Whether a file is a lesson's, and no common one."""
    return any(
        is_same_file(each.lstrip("./"), path) and not _is_common(each, here)
        for each in lesson.own_files()
    )


def at_failure(
    line: str, output: str, fits: Sequence[Fit], here: Here, met: Iterable[Lesson] = ()
) -> list[Lesson]:
    """What is about that very error or bears its sign; then cures of that very command whose words the output's end shares."""
    end, calls = output[-OUTPUT_END:].lower(), calls_of(line)
    first, then = list(met), list[Lesson]()
    for fit in fits:
        lesson = fit.lesson
        if lesson.sign[0] == "output" and lesson.sign[1].lower() in end:
            first.append(lesson)
        elif (
            lesson.kind in CURES
            and len(fit.shared & frozenset(here.rare)) >= RARE_OF_CURE
            and any(called(known, calls) for known in lesson.commands())
        ):
            then.append(lesson)
    return filled([*first, *then], here, PROMPT_TOKENS, LINES, one_of_topic=True)


def filled(
    order: Sequence[Lesson], here: Here, room: int, lines: int = 99, one_of_topic: bool = False
) -> list[Lesson]:
    """As many as fit, in this order: none that was told, none whose twin was, none twice."""
    told: list[Lesson] = []
    saying = by_name((*order, *here.given.values()))
    known = set(here.given)
    for each in order:
        topic = each.topic if one_of_topic else ""
        if (
            len(told) < lines
            and cost(each) <= room
            and not is_said(each, saying, known)
            and not (topic and any(topic == other.topic for other in told))
        ):
            room -= cost(each)
            told.append(each)
            known.add(each.id)
    return told


def by_name(lessons: Iterable[Lesson]) -> dict[str, list[Lesson]]:
    """Lessons by each name under which they say all that another one says."""
    found: dict[str, list[Lesson]] = {}
    for each in lessons:
        for name in each.covers():
            found.setdefault(name, []).append(each)
    return found


def is_said(each: Lesson, saying: Mapping[str, Sequence[Lesson]], known: Collection[str]) -> bool:
    """Whether another says the same: one that is known, or the fuller one or a person's that comes; never another's for a person's."""
    if each.id in known:
        return True
    others = (one for name in each.twins() for one in saying.get(name, ()) if one.id != each.id)
    return any(
        each.less
        or (other.person and not each.person)
        or (other.id in known and (other.person or not each.person))
        for other in others
    )


def folded(text: str) -> str:
    """A text as it is compared: two that read the same are one."""
    return " ".join(text.casefold().split()).rstrip(".")


def cost(lesson: Lesson) -> int:
    """The tokens of a lesson's line, with its id and its mark."""
    return -(-(len(lesson.text) + len(lesson.id) + len(lesson.mark) + FRAME) // 4)


def _ordered(found: list[tuple[float, Lesson]]) -> list[Lesson]:
    return [each for _, each in sorted(found, key=lambda it: (-it[0], -it[1].n))]


def _is_common(file: str, here: Here) -> bool:
    return file.rpartition("/")[2].lower() in here.common


# --- names, files, commands


def stands(name: str, text: str) -> bool:
    """Whether a name stands in a text as a whole: `map.example` does not stand in `map.example.org`, nor a folder in a path."""
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        before, after, next = text[at - 1 : at], text[end : end + 1], text[end + 1 : end + 2]
        joined = _in_word(after, "/-") or (after == "." and _in_word(next))
        if not _in_word(before, "./@-") and not joined:
            return True
        at = text.find(name, at + 1)
    return False


def _in_word(char: str, more: str = "") -> bool:
    return bool(char) and (char.isalnum() or char == "_" or char in more)


def is_telling(name: str) -> bool:
    """Whether a name is no plain word, option or number."""
    plain = name.isalpha() and name.islower()
    return (
        len(name) > 2 and name[0] not in "-$" and not plain and not name.replace(".", "").isdigit()
    )


def telling_in(text: str) -> list[str]:
    """The telling names of a text that is written into a file."""
    plain = "".join(char if char.isalnum() or char in "_.-@" else " " for char in text)
    return [name for word in plain.split() if is_telling(name := word.strip(".-"))]


def is_file(name: str) -> bool:
    """Whether a name is a file's: it has an ending of a few letters."""
    stem, dot, ending = name.rpartition(".")
    return bool(dot and stem[-1:].isalnum() and ending[:1].isalpha()) and (
        " " not in name and len(ending) <= 6 and ending.isalnum()
    )


def is_same_file(known: str, touched: str) -> bool:
    """Whether a lesson's file is the one that is touched, as far as both say where it lies."""
    if "/" not in known:
        return touched.rpartition("/")[2] == known
    inside = "/" in touched and known.endswith("/" + touched)
    return touched == known or touched.endswith("/" + known) or inside


def depth(lesson: Lesson, calls: Sequence[Call], line: str, here: Here) -> int:
    """How exactly one of these calls is a lesson's command: its words, or 0."""
    for known in lesson.commands():
        usual = " ".join(known).lower() in here.common
        if called(known, calls) and (
            any(stands(word, line) for word in lesson.own_words()) if usual else True
        ):
            return len(known)
    return 0


def called(known: Call, calls: Sequence[Call]) -> bool:
    """Whether a command is among the calls: that very program and subcommand."""
    return any(call[: len(known)] == known for call in calls)


def calls_of(line: str, named: bool = False) -> list[Call]:
    """Each simple command of a line: its program, and its first words that are no options.

    What stands before a command counts as one, too. With `named` only the words that can be a subcommand: as a lesson names it.
    """
    found: list[Call] = []
    for words, *_ in simple_commands(line[:LONGEST_LINE]):
        rest = [unquoted(word) or "" for word in words[:LONGEST_WORDS]]
        while rest and ("=" in rest[0].partition("/")[0] or _program(rest[0]) in FRONT):
            if _program(rest[0]) in FRONT:
                found.append((_program(rest[0]),))
            rest = rest[1:]
            while found and rest and (rest[0].startswith("-") or rest[0].rstrip("smh").isdigit()):
                rest = rest[1:]
        if rest and _program(rest[0]):
            plain = [word for word in rest[1:] if word and not word.startswith("-")][:4]
            if plain[1:] and plain[0] in ("run", "exec", "x"):
                plain = [" ".join(plain[:2]), *plain[2:]]
            found.append((_program(rest[0]), *(_subcommand(plain) if named else plain)))
    return found


def _program(word: str) -> str:
    name = word.rpartition("/")[2]
    return name if name and all(char.isalnum() or char in "_.@+-" for char in name) else ""


def _subcommand(words: Sequence[str]) -> list[str]:
    """The first two words, as long as they look like a command's."""
    found: list[str] = []
    for word in words[:2]:
        if not (word[:1].isalpha() and word.islower() and _is_plain(word)):
            break
        found.append(word)
    return found


def _is_plain(word: str) -> bool:
    return all(char.isascii() and (char.isalnum() or char in ":- ") for char in word)
