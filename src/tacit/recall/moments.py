"""Does it matter now? Which moment it is, how much is told then, and which of the lessons in force belong to it.

Whether a lesson may be told at all is the ladder's and the gate's to say, whether it is still so `tend`'s. Here the third
question is asked. At a start there is no subject yet: ways of working are told, those that most pieces of work met first. At
a prompt what is about its subject: the best few, then what was settled together with them. Before a command, at a file and
after an error only what is about that very command, file or error. What one piece of work found is told where its subject is
named, or where two rare words of it are asked for.
"""

from __future__ import annotations

from functools import lru_cache

from tacit.core.links import CONFIRMED, is_found_once
from tacit.core.memory import (
    BEFORE_DONE,
    LOOKED,
    OWNER,
    PERSONAL,
    WAY,
    gives_way,
    names_of,
    said_as,
    said_more,
    shared_path,
    topic_of,
)
from tacit.core.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tacit.core.memory import Memory
    from tacit.core.profile import Profile
    from tacit.recall.budget import Level
    from tacit.recall.query import Asked, Query
    from tacit.recall.rank import Facts, Hit, Ranked

AT_START, AT_TASK, AT_PROMPT, AT_COMMAND, AT_FILE, AT_ERROR = (
    "start",
    "task",
    "prompt",
    "command",
    "file",
    "error",
)
LINES = {AT_COMMAND: 1, AT_FILE: 2, AT_ERROR: 3}  # told at most; at the others tokens decide
OF_A_CONTEXT = 1_800  # tokens that one context is told by all hooks together
MOMENT_TOKENS = {
    AT_COMMAND: 200,
    AT_FILE: 200,
}  # of them at moments that come hundreds of times in a session
# Tokens of all that is told of one task, or of a start that no prompt follows; of them at most for ways of working; of a prompt.
ALONE, WAYS_BESIDE, OF_A_PROMPT = 450, 150, 400
NOTICED = "notice"  # the source that `learn/tell` names
BEST = 3  # lessons about a prompt's subject before what was settled together with the best of them
CURE_CLASSES = ("fix", "pitfall")  # classes that an error asks for
REST = 0.5  # of the best one's score, below which what comes after those is no longer about the subject
# words of one passage that a lesson must hold; an output's paths hold some of their own
RARE_IN_PROMPT, RARE_IN_OUTPUT = 2, 3
MANY_WORDS = 12  # of a prompt that says a task; a shorter one may be chatter
# Of what is asked: that stands for the second of them, or for both; for the second where a person says it; that two must be of it, in a
# prompt of no more than so many words.
MUCH, MUCH_OF_PERSON, SOME, SAID_AT_LENGTH = (0.25, 0.35), 0.1, 0.12, 24
RARE_WORDS = (6, 20)  # a word is rare that so many lessons hold at most, or one in so many
ALIKE_AT_STARTS = 0.35
MET_TWICE = (
    2  # pieces of work that met a way of working about one subject, from which on a start tells it
)
# Of the words of the shorter of two texts, from which on they say the same, and words it must have; the same where they share as many as
# the third; of two cures that share an option or an error's words, whatever else they name.
ALIKE, LEAST, MANY_SHARED, ALIKE_OF_CURES = 0.8, 6, (9, 0.7), 0.6
LONG_WORD = 5  # letters that a word of a reason has more than
_MARKS = str.maketrans("`,;()", "     ")


def room_for(
    profile: Profile,
    level: Level,
    query: Query,
    hook: bool,
    begun: bool,
    spent: int = 0,
    here: int = 0,
) -> Level:
    """How much this moment has room for, after `spent` tokens in its context, `here` of them at moments of its kind; as it is where the
    profile knows no moments, or where somebody named a level."""
    if not profile.budget.start_tokens or level.requested != "auto":
        return level
    name, tokens, ways = _moment(query, profile, hook, begun)
    left = (
        max(1, min(OF_A_CONTEXT - spent, MOMENT_TOKENS.get(name, OF_A_CONTEXT) - here))
        if hook
        else tokens
    )
    return replace(
        level,
        moment=name,
        most=LINES.get(name, _AS_FITS),
        tokens=min(tokens or left, left),
        ways=ways,
    )


_AS_FITS = 99


def _moment(query: Query, profile: Profile, hook: bool, begun: bool) -> tuple[str, int, int]:
    if query.command:
        return AT_COMMAND, 0, 0
    if query.touched:
        return AT_FILE, 0, 0
    if query.errors and not query.task:
        return AT_ERROR, 0, 0
    if query.task or query.files:
        if hook:
            return AT_PROMPT, OF_A_PROMPT, 0
        return AT_TASK, ALONE, 0 if begun else WAYS_BESIDE
    return AT_START, profile.budget.start_tokens if hook else ALONE, 0


def told_at_starts(memory: Memory, profile: Profile) -> str:
    """Why a lesson is not told at a start; empty where it is: a way of working about everything, one about a subject that came up again or
    is a person's, or what is pinned."""
    kept = (memory.tally.signals or {}).get(CONFIRMED)
    if memory.pinned or (kept and memory.klass == "rule" and not (memory.extra or {}).get("about")):
        return ""  # what was noticed of commands stays with them, in whatever words
    extra = memory.extra or {}
    if memory.source == NOTICED and (memory.klass != "rule" or extra.get("about")):
        return "a notice: told at its command or error"
    by_person = memory.trust in PERSONAL or extra.get("word") in ("said", "shown")
    if by_person and memory.klass in ("rule", "preference"):
        return ""
    if is_found_once(memory):
        return "found once: told at its moment"
    a_way = memory.about == WAY or (memory.klass == "rule" and memory.tally.seen >= MET_TWICE)
    return "" if a_way or (by_person and not memory.about) else "told at its subject"


def is_own(memory: Memory) -> bool:
    """Whether a person wrote it down, said it or kept it."""
    return memory.trust == OWNER or bool((memory.tally.signals or {}).get(CONFIRMED))


def in_order_of_work(memories: Iterable[Memory]) -> list[Memory]:
    """Ways of working as a start tells them, one list for all kinds: what is pinned, then a person's own, which the screens say is told at
    every start, then by how many pieces of work met it, then the latest."""
    from tacit.core.clock import seconds

    def turn(memory: Memory) -> tuple[bool, bool, int, float, str]:
        at = seconds(memory.tally.seen_at or memory.created_at)
        return not memory.pinned, not is_own(memory), -max(1, memory.tally.seen), -at, memory.text

    return sorted(memories, key=turn)


class Named:
    """What a question names outright: files, an error, and in its text the names that a lesson is about."""

    def __init__(self, asked: Asked) -> None:
        query = asked.query
        self.asked = asked
        self.text = (
            _defined(query.task) if query.touched else "\n".join((query.task, *query.errors))
        )
        self.ends = [end for path in asked.files if "." in (end := path.rpartition("/")[2])]
        self.purposes = frozenset(asked.purposes)

    def sign(self, memory: Memory) -> str:
        """What of a lesson's subject is named: its error, a file, a name; empty where nothing is."""
        if (memory.signature and self._failed_so(memory)) or self._bears_sign(memory):
            return "error"
        if self.asked.files and memory.paths and shared_path(memory.paths, self.asked.files) == 1.0:
            return "file"
        if any(is_named_in(end, memory.text) for end in self.ends):
            return "file"
        command = self.asked.query.command
        if command:
            return "name" if self._is_about(command, memory) else ""
        names = names_of(memory.about)
        if any(is_telling(name) and is_named_in(name, self.text) for name in names):
            return "name"
        return "name" if self.purposes and self._serves(memory, names) else ""

    def _failed_so(self, memory: Memory) -> bool:
        """Whether it is about this error: of a list of what is not here, about this one thing."""
        if not self.asked.signatures:
            return False
        from tacit.words.diagnose import told_of

        marks = (
            told_of(memory.signature, memory.tags)
            if memory.source == NOTICED
            else (memory.signature,)
        )
        return not set(marks).isdisjoint(self.asked.signatures)

    def _bears_sign(self, memory: Memory) -> bool:
        """Whether the error holds the literal sign of a cure that was seen over all sessions."""
        if memory.source != LOOKED or not self.asked.query.errors:
            return False
        where, sign = (memory.extra or {}).get("sign") or ("", "")
        folded = " ".join(sign.casefold().split())
        return where == "E" and any(
            folded in " ".join(error.casefold().split()) for error in self.asked.query.errors
        )

    def _serves(self, memory: Memory, names: Sequence[str]) -> bool:
        """Whether a lesson is about a command that serves what a task says: `pytest` where tests are to be run. Where nobody said
        what it is about, the commands and programs of its text count."""
        from tacit.core.programs import SERVING_PROGRAMS, purpose_of

        if memory.klass == "command":
            return not self.purposes.isdisjoint(memory.tags)
        spans = () if names else memory.text.split("`")[1::2]
        if any(purpose_of(name) in self.purposes for name in (*names, *spans)):
            return True
        words = () if memory.about else memory.text.lower().replace("`", " ").split()
        return any(SERVING_PROGRAMS.get(word.strip(".,;:()")) in self.purposes for word in words)

    @staticmethod
    def _is_about(command: str, memory: Memory) -> bool:
        """Whether a lesson's subject holds this command. A cure has to speak of it: it failed there, and may fail anywhere; of a command
        that only looks nothing but a cure is told."""
        from tacit.core.programs import head_of, only_looks, runs_command

        heads = [
            head
            for name in names_of(memory.about)
            if (head := head_of(name)) and runs_command(command, head)
        ]
        if memory.klass in CURE_CLASSES:
            return any(is_named_in(head.rpartition(" ")[2], memory.text) for head in heads)
        return any(not only_looks(head) for head in heads)


def _defined(text: str) -> str:
    from tacit.core.programs import defined_names

    return " ".join(defined_names(text))


def is_telling(name: str) -> bool:
    """Whether a name is no plain word: `merge_tags`, `--no-verify`, `TS2352`; a text that holds `merge` may be about anything."""
    return not name.isalpha() or not (name.islower() or name.istitle())


def is_named_in(name: str, text: str) -> bool:
    """Whether a name stands in a text as a whole."""
    at = text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or char == "_" for char in around):
            return True
        at = text.find(name, at + 1)
    return False


def is_about_command(memory: Memory, line: str, programs: tuple[str, ...], named: Named) -> str:
    """What a lesson says of a command that is about to run; empty where it is about something else."""
    from tacit.core.programs import part_about

    if memory.signature == BEFORE_DONE:
        return ""  # it asks for this very command
    if memory.source != NOTICED and named.sign(memory) == "name":
        return memory.text
    return part_about(memory, line, programs)


def belongs(
    each: Ranked, moment: str, named: Named, rare: Callable[[str], int], asked: int
) -> bool:
    """Whether a lesson is about what this moment is about: by a sign, or by two rare words that are asked for in one breath and are some of
    what is asked. For what more than one piece of work speaks for one such word is enough in a prompt of many words, or much of what
    a short one asks."""
    sign, much = named.sign(each.memory), each.parts.get("words", 0.0)
    if moment == AT_ERROR and sign == "name" and much < MUCH[0]:
        return False  # an output names many things
    if (
        moment == AT_ERROR
        and sign != "error"
        and each.memory.about
        and each.memory.klass not in CURE_CLASSES
    ):
        return False  # an output names much of a project: what is about something else is told where somebody asks
    if moment in ("", AT_START, AT_COMMAND) or each.channel == "before" or sign:
        return True
    if moment == AT_FILE:
        return False
    once = each.memory.source == NOTICED or is_found_once(each.memory)
    if moment == AT_ERROR:
        return rare(each.memory.id) >= (
            RARE_IN_OUTPUT if once or each.memory.about else RARE_IN_PROMPT
        )
    held = rare(each.memory.id)
    if held < 0:
        return (
            "same_task" in each.parts
        )  # only the task in which it was met shares words, and that may be another
    own = each.memory.trust in PERSONAL  # what a person says is said of all their work
    if once or held >= RARE_IN_PROMPT:
        some = own or much >= SOME or asked > SAID_AT_LENGTH
        return held > RARE_IN_PROMPT or (held == RARE_IN_PROMPT and some)
    if held and asked >= MANY_WORDS:
        return own or much >= SOME
    return much >= (MUCH_OF_PERSON if own and held else MUCH[not held])


def rare_words(hit: Hit, facts: Facts) -> int:
    """How many rare words of one passage of the question a lesson holds, its subject included. Where few words are asked, one that names
    its topic counts as two: "fix the login bug". -1 where it holds no word of the question at all."""
    if facts.weights is None:
        return 0
    most = max(RARE_WORDS[0], facts.rows // RARE_WORDS[1])
    held = {*facts.tokens(hit.memory.text), *facts.tokens(hit.words.partition("\n")[0])}
    shared_words = held.intersection(facts.weights.told)
    if not shared_words:
        return -1
    rare = {word for word in shared_words if facts.frequency.get(word, 0) <= most}
    topic = (
        {*facts.tokens(topic_of(hit.memory.about))}
        if len(facts.weights.told) < MANY_WORDS
        else set()
    )
    shared = (rare.intersection(each) for each in facts.weights.passages)
    return max((len(each) + bool(each & topic) for each in shared), default=0) if rare else 0


def together(ranked: Sequence[Ranked], settled: Mapping[str, Sequence[Ranked]]) -> list[Ranked]:
    """What is about a prompt's subject in the order in which it takes room: the best few, what was settled together with each of them, and
    what is left that is nearly as good."""
    best = list(ranked[:BEST])
    order = [*best, *(other for each in best for other in settled.get(each.memory.id, ()))]
    order += [each for each in ranked[BEST:] if each.score >= REST * ranked[0].score]
    return list({each.memory.id: each for each in order}.values())


def are_siblings(one: Memory, other: Memory) -> bool:
    """Whether two lessons of one run are about one subject: the same topic or, where neither knows one, a name that both know; where nobody
    said what either is about, that one run put them down is all that is known."""
    if WAY in (one.about, other.about) or topic_of(one.about) != topic_of(other.about):
        return False
    mine, theirs = ({*names_of(each.about), *each.paths} for each in (one, other))
    return bool(topic_of(one.about) or mine & theirs) or not (one.about or other.about)


def newest_first(kept: Sequence[Ranked]) -> list[Ranked]:
    """What is told of one topic stands together, the newest settlement first; topics in the order of their best lesson."""
    from tacit.core.clock import seconds

    topics = [topic_of(each.memory.about) for each in kept]

    def turn(at: int) -> tuple[int, float]:
        return (
            (topics.index(topics[at]), -seconds(kept[at].memory.created_at))
            if topics[at]
            else (at, 0.0)
        )

    return [kept[at] for at in sorted(range(len(kept)), key=turn)]


def twin_of(
    memory: Memory, others: Iterable[Memory], words: Callable[[str], list[str]], moment: str = ""
) -> str:
    """The id of another lesson that says the same: by a reader's word (`gives_way`), or most words of the shorter one, and no name or
    figure that the other has none of. Two cures of one error say the same by fewer words, whatever examples they name. At a start, where
    room is scarce and all are ways of working, a third of them will do, or one file or name that both are about."""
    alike, own = (ALIKE_AT_STARTS, _subjects(memory)) if moment == AT_START else (ALIKE, set())
    mine, same = set(words(memory.text)), said_as(memory)
    for other in others:
        theirs = set(words(other.text))
        fewer, shared = min(len(mine), len(theirs)), len(mine & theirs)
        if said_as(other) == same and said_more(memory) > said_more(other):
            continue
        if gives_way(memory, other, shared / max(1, fewer)):
            return other.id
        if own and own & _subjects(other) and other.klass == memory.klass:
            return other.id
        if fewer >= LEAST and _cure_the_same(memory, other, shared >= ALIKE_OF_CURES * fewer):
            return other.id
        enough = min(alike, MANY_SHARED[1]) if shared >= MANY_SHARED[0] else alike
        if (
            fewer >= LEAST
            and shared >= enough * fewer
            and not _named_apart(memory, other, mine, theirs)
        ):
            return other.id
    return ""


def _cure_the_same(one: Memory, other: Memory, much: bool) -> bool:
    """Whether two cures are of one error: much of their words, and an option or the error's own words that both are about; or one is a
    notice whose command the other speaks of, with its option or with a long word of why it does not work."""
    if one.klass not in CURE_CLASSES or other.klass not in CURE_CLASSES:
        return False
    if NOTICED in (one.source, other.source) and one.source != other.source:
        notice, cure = (one, other) if one.source == NOTICED else (other, one)
        held = {*_plain(cure.text).split(), *_plain(cure.about).split()}
        spans = notice.text.split(
            "`"
        )  # a call stands at each odd place, why it does not work behind it
        return any(
            held.issuperset(_plain(call).split())
            and (
                " --" in call
                or (
                    " " in call
                    and any(len(word) > LONG_WORD and word in held for word in why.split())
                )
            )
            for call, why in zip(spans[1::2], map(_plain, spans[2::2]), strict=False)
        )
    return much and not _marks(one.about, one.text).isdisjoint(_marks(other.about, other.text))


def _plain(text: str) -> str:
    return f"{text.lower()} ".translate(_MARKS).replace(". ", " ").replace(": ", " ")


@lru_cache(maxsize=256)  # each is compared with each
def _marks(about: str, text: str) -> set[str]:
    """Options that a cure speaks of, and what its error says, three words or more that call no program."""
    from tacit.core.programs import MANY_COMMANDS

    said = (name.lower().removeprefix("error: ") for name in names_of(about))
    errors = {
        name for name in said if name.count(" ") >= 2 and name.split()[0] not in MANY_COMMANDS
    }
    return errors | {word for word in _plain(text).split() if word.startswith("--")}


def _subjects(memory: Memory) -> set[str]:
    return {
        *(path.rpartition("/")[2] for path in memory.paths),
        *filter(is_telling, names_of(memory.about)),
    }


def _named_apart(one: Memory, other: Memory, mine: set[str], theirs: set[str]) -> bool:
    """Whether each of two lessons names what the other does not: a command, a file, a figure, or the one word that differs."""
    if len(mine - theirs) == len(theirs - mine) == 1:
        return True
    ours, others = (_names(each.text, each.about, each.paths) for each in (one, other))
    return (
        bool(ours - others and others - ours)
        or sum(not word.isalpha() for word in mine ^ theirs) > 1
    )


@lru_cache(maxsize=256)
def _names(text: str, about: str, paths: tuple[str, ...]) -> set[str]:
    return {*text.split("`")[1::2], *names_of(about), *paths}
