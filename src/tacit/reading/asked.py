"""What every look shares: numbered lines, the room they have in a question, and what of an answer
can be checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from tacit.core.ports import decoded
from tacit.reading.check import comparable, names_in
from tacit.reading.record import LONGEST_PIECE, Failed, Left, folded

NEW_SESSIONS, NEW_LINES = 4, 30  # after which a look is asked again
ROOM = 10_000  # tokens that the lines of a question may take
SEEN_ROOM = 2_000  # … those that an earlier question showed, shortened: what is new needs them to come twice
BYTES_A_TOKEN = 4
SHOWN_TYPED, SHOWN_LONG, LONG_TYPED = 240, 160, 1_400  # characters shown of a line, of a long one
SHOWN_PIECE = 130  # … of a command, of its failure, of the call that passed
SEEN_TYPED, SEEN_PIECE = 120, 60  # … of lines that an earlier question showed
LONG_TWICE = 80  # characters from which a text that comes again is shown once
LONGEST_TEXT = 60  # words of an item; it is asked for thirty
FEWEST_WORDS = 3  # of a quote that is not half of its line
NOT_SEEN = "–"


@dataclass(frozen=True)
class Shown:
    """A line of the record as a reader sees it."""

    name: str  # s7.2: the second of session 7
    session: str
    group: str
    person: str
    text: str  # cut
    short: str  # … as it is shown again
    whole: str  # where a quote must stand
    failed: Failed | None = None


@dataclass(frozen=True)
class Cite:
    """A line that shows an item."""

    session: str
    group: str
    words: str
    person: str = ""


@dataclass(frozen=True)
class Item:
    """What a look brought: a habit, or a cure."""

    id: str
    text: str
    cites: tuple[Cite, ...]
    when: str = ""  # of a habit: start, end, always
    sign: str = ""  # of a cure: what stands in its failure
    program: str = ""  # … and the command that fails
    leave: bool = False  # it would allow an agent what only a person may: it waits

    @property
    def sessions(self) -> int:
        """How many sessions show it; forks and resumptions are one."""
        return len({cite.group for cite in self.cites})


@dataclass(frozen=True)
class Struck:
    """What of an answer did not hold."""

    what: str
    why: str


@dataclass(frozen=True)
class Answer:
    """What a look's answer comes to."""

    items: tuple[Item, ...]  # everything that stands now
    new: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()  # named again, mended or not
    dropped: tuple[Struck, ...] = ()  # by the reader
    struck: tuple[Struck, ...] = ()  # by the check
    answered: bool = True  # False: this was no answer at all, and everything stands as it was


def items_from(kept: Iterable[Mapping[str, Any]]) -> tuple[Item, ...]:
    """Items as they were kept."""
    return tuple(
        Item(**{**each, "cites": tuple(Cite(**cite) for cite in each["cites"])}) for each in kept
    )


def items_as(items: Iterable[Item]) -> list[dict[str, Any]]:
    """Items to be kept."""
    return [asdict(each) for each in items]


# --- the question -----------------------------------------------------------------------------------------------------


@cache
def _texts() -> dict[str, str]:
    whole = Path(__file__).with_name("questions.txt").read_text(encoding="utf-8")
    parts = re.split(r"^== ([\w-]+)\n", whole, flags=re.M)[1:]
    return {name: text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}


def question(name: str, **parts: str) -> str:
    """A question's words with what it is about."""
    return Template(_texts()[name]).substitute(parts).rstrip() + "\n"


def last_answer(name: str, items: Sequence[str], dropped: Sequence[str] = ()) -> str:
    """The reader's last answer as a question shows it, and what a person dropped of earlier
    ones; empty where there is neither."""
    said = "\n" + question(f"{name}-last", items="\n".join(items)) if items else ""
    return said + ("\n" + question("dropped", items="\n".join(dropped)) if dropped else "")


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return len(text.encode()) // BYTES_A_TOKEN + 1


def typed_lines(sessions: Sequence[Left]) -> tuple[Shown, ...]:
    """The typed lines of sessions in order of time; a fork's once, and a long text that comes
    again once."""
    marks = _marks(sessions)
    seen: set[tuple[str, str]] = set()
    found = []
    for number, left in enumerate(sessions, 1):
        at = 0
        for typed in left.typed:
            plain = folded(typed.text)
            keys = {(left.group, plain)}
            keys |= {("record", typed.record)} if typed.record else set()
            keys |= {("text", plain)} if len(plain) >= LONG_TWICE else set()
            if not plain or keys & seen:
                continue
            seen |= keys
            at += 1
            most = SHOWN_TYPED if len(typed.text) <= LONG_TYPED else SHOWN_LONG
            who = f"({marks[left.person]}) " if len(marks) > 1 else ""
            text, short = (who + cut(typed.text, size) for size in (most, SEEN_TYPED))
            found.append(
                Shown(
                    f"s{number}.{at}",
                    left.session,
                    left.group,
                    left.person,
                    text,
                    short,
                    typed.text,
                )
            )
    return tuple(found)


def _marks(sessions: Sequence[Left]) -> dict[str, str]:
    """How each person is called where there are several."""
    people = dict.fromkeys(left.person for left in sessions)
    return {person: f"p{number}" for number, person in enumerate(people, 1)}


def failed_lines(sessions: Sequence[Left], letter: str = "s") -> tuple[Shown, ...]:
    """The failing commands of sessions in order of time; a fork's once."""
    seen: set[tuple[str, str, str]] = set()
    found = []
    for number, left in enumerate(sessions, 1):
        at = 0
        for failed in left.failed:
            key = (left.group, failed.program, folded(failed.told))
            if key in seen:
                continue
            seen.add(key)
            at += 1
            text, short, whole = (
                _as_line(failed, size) for size in (SHOWN_PIECE, SEEN_PIECE, LONGEST_PIECE)
            )
            name = f"{letter}{number}.{at}"
            found.append(
                Shown(name, left.session, left.group, left.person, text, short, whole, failed)
            )
    return tuple(found)


def _as_line(failed: Failed, most: int) -> str:
    pieces = (failed.command, failed.told, failed.passed or NOT_SEEN)
    command, told, passed = (cut(piece, most) for piece in pieces)
    return f"{command} ! {told} -> {passed}"


def enough_came(lines: Sequence[Shown], fresh: frozenset[str]) -> bool:
    """Whether enough came since the last question."""
    new = [line for line in lines if line.session in fresh]
    return len({line.group for line in new}) >= NEW_SESSIONS or len(new) >= NEW_LINES


def cut(text: str, most: int) -> str:
    """A text with what is left out marked."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def fitting(
    lines: Sequence[Shown], items: Sequence[Item], fresh: frozenset[str], room: int = ROOM
) -> tuple[Shown, ...]:
    """The lines that a question has room for, in order of time: those of sessions never asked
    about (`fresh`), and, shortened, what earlier questions showed: what no item stands for
    first; of each the newest."""
    told = {(cite.session, comparable(cite.words)) for item in items for cite in item.cites}
    covered = {
        line.name
        for line in lines
        for session, words in told
        if session == line.session and words in comparable(line.whole)
    }
    new = [line for line in lines if line.session in fresh]
    old = [
        replace(line, text=line.short)
        for line in sorted(lines, key=lambda line: line.name in covered, reverse=True)
        if line.session not in fresh
    ]
    kept = _newest(new, room)
    kept += _newest(old, min(SEEN_ROOM, room - sum(map(_size, kept)) // BYTES_A_TOKEN))
    place = {line.name: at for at, line in enumerate(lines)}
    return tuple(sorted(kept, key=lambda line: place[line.name]))


def _newest(lines: Sequence[Shown], room: int) -> list[Shown]:
    """The last of these lines, as many as fit into so many tokens."""
    kept, left = [], room * BYTES_A_TOKEN
    for line in reversed(lines):
        left -= _size(line)
        if left < 0:
            break
        kept.append(line)
    return kept


def _size(line: Shown) -> int:
    return len(line.text.encode()) + len(line.name) + 2


def printed(lines: Sequence[Shown]) -> str:
    """Lines as a question shows them."""
    return "\n".join(f"{line.name} {line.text}" for line in lines) or "(none)"


def sessions_named(item: Item, sessions: Sequence[Left]) -> str:
    """The sessions that show an item, by their numbers in a question."""
    shown = {cite.session for cite in item.cites}
    numbers = [f"s{at}" for at, left in enumerate(sessions, 1) if left.session in shown]
    return " ".join(numbers) or "earlier ones"


# --- the answer -------------------------------------------------------------------------------------------------------


def rows(said: str, name: str, key: str = "text") -> list[dict[str, Any]] | None:
    """The objects of the list that was asked for; None where the answer has neither that list
    nor such objects."""
    found: list[dict[str, Any]] = []
    answered = False
    for whole in decoded(said):
        if isinstance(held := whole.get(name), list):
            answered = True
            found += [each for each in held if isinstance(each, dict)]
        elif not answered and whole.get(key):
            found.append(whole)
    return found if answered or found else None


def text_of(row: Mapping[str, Any], name: str) -> str:
    """A field that is a text, on one line; empty where it is none."""
    said = row.get(name)
    return " ".join(said.split()) if isinstance(said, str) else ""


def named_lines(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines that an item names with the words said to stand in them, however a reader writes
    such pairs."""
    held = row.get("lines") or row.get("quotes") or []
    if isinstance(held, dict):
        held = list(held.items())
    found = []
    for each in held if isinstance(held, list) else [held]:
        if isinstance(each, dict):
            each = [each.get("line") or each.get("at"), each.get("words") or each.get("quote")]
        if isinstance(each, str):
            name, _, words = each.partition(" ")
            each = [name.rstrip(":"), words]
        if isinstance(each, (list, tuple)) and each and isinstance(each[0], str):
            words = each[1] if len(each) > 1 and isinstance(each[1], str) else ""
            words = re.sub(r"^\(p\d+\) ", "", words.strip().strip('"“”'))  # the person's mark
            found.append((each[0].strip(), words))
    return found


def stands_in(words: str, whole: str) -> bool:
    """Whether a quote stands in a line, piece by piece, and is long enough to be one."""
    pieces = [piece for part in re.split(r"…|\.\.\. ?", words) if (piece := comparable(part))]
    line, at = comparable(whole), 0
    for piece in pieces:
        at = line.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    said = " ".join(pieces)
    return len(said.split()) >= FEWEST_WORDS or (bool(said) and len(said) * 2 >= len(line))


def cited(
    row: Mapping[str, Any], lines: Mapping[str, Shown], *, words: bool = True
) -> tuple[tuple[Shown, ...], list[Struck]]:
    """The lines of an item that are lines, with their words in them where `words` are asked for;
    and what was struck."""
    found: dict[str, Shown] = {}
    struck = []
    for name, said in named_lines(row):
        line = lines.get(name)
        if line is None:
            struck.append(Struck(name, "no such line"))
        elif words and not stands_in(said, line.whole):
            struck.append(Struck(f"{name} {said}", "these words do not stand there"))
        else:
            found.setdefault(line.name, line)
    return tuple(found.values()), struck


def strange_names(text: str, lines: Iterable[str]) -> list[str]:
    """The commands, paths, options and other names of code in a text that no line holds."""
    held = comparable("\n".join(lines))
    code = {word for span in re.findall(r"`([^`]+)`", text) for word in span.split()}
    found = [name for name in names_in(text) if name in code or _LIKE_CODE.search(name)]
    bare = (name.strip("`'\"()[],;:.") for name in found)
    return [name for name in bare if comparable(name) not in held]


# what no plain word has: a sign of its own, a figure or a capital inside
_LIKE_CODE = re.compile(
    r"[^\W\d].*[^\w’'.-]|[^\w’'.-].*[^\W\d]|[^\W\d].*[\d_]|^-|[a-z][A-Z]|\w\.\w"
)


# An item or none, what of its lines and its sign was struck, and why it is none.
Judged = tuple[Item | None, list[Struck], str]


def taken_in(
    said: str,
    what: str,
    most: int,
    last: Sequence[Item],
    judged: Callable[[Mapping[str, object], Item | None], Judged],
    taken: Sequence[str] = (),
) -> Answer:
    """What of an answer holds, with the last items: each row of `what` as it is `judged`, so
    many at most."""
    found = rows(said, what)
    if found is None:
        return Answer(tuple(last), answered=False)
    known = {item.id: item for item in last}
    signs = {comparable(item.sign): item for item in last if item.sign}
    items: list[tuple[str, Item]] = []
    struck: list[Struck] = []
    for row in found:
        if len(items) == most:
            struck.append(Struck(text_of(row, "text"), f"more than {most}"))
            continue
        id = text_of(row, "id")
        before = known.get(id) or signs.get(comparable(text_of(row, "sign")))
        item, lost, why = judged(row, before)
        struck += lost
        if item is None:
            struck.append(Struck(text_of(row, "text") or id, why))
        else:
            items.append((before.id if before else "", item))
    gone = [
        Struck(text_of(row, "id"), text_of(row, "why"))
        for row in rows(said, "dropped", "why") or ()
    ]
    return replace(merged(last, items, gone, what[0], taken), struck=tuple(struck))


def merged(
    last: Sequence[Item],
    found: Sequence[tuple[str, Item]],
    gone: Sequence[Struck],
    letter: str,
    taken: Sequence[str] = (),
) -> Answer:
    """The last items with an answer's: what it names by id or says again is mended, what it
    drops goes, what it leaves out stays. `taken` are ids that were given away and stand no more."""
    standing = {item.id: item for item in last}
    said = {comparable(item.text): item.id for item in last}
    dropped = tuple(each for each in gone if each.what in standing)
    after = max((int(id[1:]) for id in (*standing, *taken) if id[1:].isdigit()), default=0)
    new, kept = [], []
    for id, item in found:
        id = id if id in standing else said.get(comparable(item.text), "")
        if id:
            kept.append(id)
        else:
            after += 1
            id = f"{letter}{after}"
            new.append(id)
        standing[id] = replace(item, id=id)
        said[comparable(item.text)] = id
    for each in dropped:
        if each.what not in kept:
            del standing[each.what]
    return Answer(
        tuple(standing.values()),
        tuple(new),
        tuple(dict.fromkeys(kept)),
        tuple(each for each in dropped if each.what not in kept),
    )


def failing(failed: Failed) -> str:
    """The part of a failing command's line in which a sign may stand."""
    return f"{failed.command} ! {failed.told}"
