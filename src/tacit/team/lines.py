"""A journal that several machines write: what one line of it is, in which order lines count, and what they add up to.

Each machine appends lines of its own; a memory is what the lines of all machines say of it. A line names the lines its
writer had seen (`parents`), so the lines of one memory form a graph. `ordered` makes one order of it, the same wherever
the same lines are known: a line comes after its parents; of those that do not know each other the automatic ones come
first, then the earlier ones, then by id. `fold_lines` lays their fields over each other in that order. Where two lines that
do not know each other decide one field differently, the later one stands and the other becomes a `Fork`.

A line's id covers its words by their salted digest only, so that erasing them leaves ids and signatures as they were.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

from tacit.core.digest import digest as sha
from tacit.core.digest import short_hash
from tacit.core.edits import ERASED_BY
from tacit.core.errors import TacitError
from tacit.core.journal import JOURNAL_VERBS, is_automatic, payload_digest
from tacit.core.links import EVIDENCE_COLUMNS, MARK_COLUMNS, USE_COLUMNS
from tacit.core.memory import (
    DECIDED,
    GATE_ANSWERS,
    NUMBERS,
    SEVERITIES,
    TIERS,
    VERDICTS,
    Memory,
    check_fields,
    from_row,
    kept_text,
)
from tacit.core.states import CLOSED, INJECTABLE, STATES
from tacit.core.trust import least
from tacit.core.value import replace, value
from tacit.guard.screen import screen

OWN, MATE, UNKNOWN = (
    "own",
    "team",
    "unknown",
)  # who wrote a line: we, somebody whose key we allow, nobody we know
# what is bound to a project; global and agent lessons are a person's own
SHARED_SCOPES = ("task", "mission", "project")
ENTRY = ("verb", "by", "at", "run", "profile", "parents")
# What a link says beside its words. Its project is that of whoever reads it.
LINKED_FIELDS = {
    kind: tuple(
        name for name in names if name not in ("key", "memory", "project", "quote", "reason")
    )
    for kind, names in (
        ("evidence", EVIDENCE_COLUMNS),
        ("use", USE_COLUMNS),
        ("mark", MARK_COLUMNS),
    )
}
WORDS_OF = {"evidence": "quote", "mark": "reason"}
LISTS = ("tags", "paths", "supersedes")
_CLOSED_WORDS = {
    "scope": SHARED_SCOPES,
    "state": STATES,
    "severity": SEVERITIES,
    "trust": TIERS,
    "gate": GATE_ANSWERS,
    "verdict": VERDICTS,
}
# what goes, or may go, into a prompt
_TOLD_FIELDS = ("text", "category", "domain", "agent", "tags", "paths", "source", "extra")
# What a lesson says, and whether it is told: of one that somebody here stands for, no mate changes these.
_STANDS = (
    *_TOLD_FIELDS,
    *("about", "kind", "klass", "scope", "signature", "trust", "gate", "gate_reason"),
    *("state", "previous_state", "closed_by", "superseded_by"),
)
# Follows from something else, or changes all the time: never worth a question to a person.
_UNCONTESTED = (
    "updated_at",
    "previous_state",
    "gate_reason",
    "under_review_count",
    "review_after",
    "stale_at",
    "trust",
    "closed_by",
)


@value
class JournalLine:
    """One line of the shared journal; `line` makes it."""

    id: str  # its name on every machine; it covers all but the words, and those by their digest
    kind: str  # entry, evidence, use or mark
    machine: str
    memory: str
    head: Mapping[str, Any]  # everything but the words
    digest: str = ""  # of the salted words, in hex; empty where a kind has none
    salt: str = ""
    words: Any = None  # an entry's [reason, before, after], a quote, a reason; None: erased
    standing: str = OWN
    signer: str = ""

    @property
    def parents(self) -> tuple[str, ...]:
        """The lines that its writer had seen last."""
        return tuple(self.head.get("parents", ()))

    @property
    def after(self) -> Mapping[str, Any]:
        """The fields that an entry decided."""
        found: Mapping[str, Any] = self.words[2] if self.words else {}
        return found

    @property
    def is_person(self) -> bool:
        """Whether a person decided it."""
        return not is_automatic(self.head["by"])

    @property
    def is_blank(self) -> bool:
        """Whether its words are gone."""
        return self.words is None and bool(self.digest)


@value
class Fork:
    """One field that two machines decided apart; or, where it is `asked`, that a mate would change although somebody here stands for it."""

    field: str
    stands: JournalLine
    lost: JournalLine
    value: Any  # what the lost line said
    asked: bool = False


@value
class Folded:
    """What the lines of one memory add up to."""

    columns: Mapping[str, Any]
    forks: tuple[Fork, ...] = ()
    erased: bool = False


def line(
    kind: str,
    machine: str,
    memory: str,
    head: Mapping[str, Any],
    digest: str = "",
    salt: str = "",
    words: Any = None,
) -> JournalLine:
    """A line with its id."""
    covered = json.dumps([kind, machine, memory, head], ensure_ascii=False, separators=(",", ":"))
    return JournalLine(
        sha("line", covered, digest).hex()[:40], kind, machine, memory, head, digest, salt, words
    )


def spoken(words: Any) -> str:
    """Words as they are digested; an entry's are spelled as in its store's own journal."""
    return (
        words
        if isinstance(words, str)
        else json.dumps(words, ensure_ascii=False, separators=(",", ":"))
    )


def verifies(line: JournalLine) -> bool:
    """Whether the words are the ones that were digested, under a salt spelled as we spell it: one bit makes a capital of a letter."""
    if line.words is None:
        return True
    salt = bytes.fromhex(line.salt)
    return salt.hex() == line.salt and payload_digest(salt, spoken(line.words)).hex() == line.digest


def blanked(line: JournalLine) -> JournalLine:
    """A line of an erased memory: its words gone, its id the same. What the erasure itself says holds no word of the lesson."""
    return (
        line
        if line.kind == "entry" and line.head["verb"] == "erase"
        else replace(line, words=None, salt="")
    )


# -- order and fold -----------------------------------------------------------------------------------------------------


def counting_lines(lines: Sequence[JournalLine]) -> list[JournalLine]:
    """The lines that count: those of people we trust, with all that they had seen; without any, the unknown ones alone."""
    trusted = [line for line in lines if line.standing != UNKNOWN]
    if not trusted:
        return list(lines)
    known = {line.id: line for line in lines}
    found: dict[str, JournalLine] = {}
    waiting = [line.id for line in trusted]
    while waiting:
        id = waiting.pop()
        if id not in found and id in known:
            found[id] = known[id]
            waiting += known[id].parents
    return list(found.values())


def ordered(lines: Iterable[JournalLine]) -> list[JournalLine]:
    """The entries of one memory in the one order that every machine gives them; what lacks a parent is left out."""
    known = {line.id: line for line in lines}
    children: dict[str, list[str]] = {}
    missing = {id: len(set(line.parents)) for id, line in known.items()}
    for id, line in known.items():
        for parent in set(line.parents):
            children.setdefault(parent, []).append(id)
    ready = [_rank(line) for id, line in known.items() if not missing[id]]
    heapify(ready)
    order: list[JournalLine] = []
    while ready:
        id = heappop(ready)[-1]
        order.append(known[id])
        for child in children.get(id, ()):
            missing[child] -= 1
            if not missing[child]:
                heappush(ready, _rank(known[child]))
    return order


def _rank(line: JournalLine) -> tuple[bool, str, str]:
    return (line.is_person, str(line.head["at"]), line.id)


def tips(lines: Iterable[JournalLine]) -> list[str]:
    """The lines that no other has seen yet: the parents of whatever comes next."""
    known = {line.id: line for line in lines}
    return sorted(known.keys() - {parent for line in known.values() for parent in line.parents})


def fold_lines(lines: Sequence[JournalLine]) -> Folded:
    """What the lines of one memory add up to."""
    order = ordered(counting_lines(lines))
    if erasure := _erasure(order):
        gone = {
            **_blank_columns(),
            **_seen_here(erasure),
            "text": "",
            "state": "rejected",
            "closed_by": ERASED_BY,
        }
        return Folded(gone, (), True)
    columns = _blank_columns()
    held = _held_back(order)
    if not _is_straight(order):
        return _folded_apart(order, columns, held)
    forks: list[Fork] = []
    former: JournalLine | None = None
    for line in order:
        forks += _asked(columns, line, held.get(line.id), former)
        columns.update(_taken(columns, line, held))
        former = line
    settled = _settled(order, forks) if forks else ()
    return Folded(columns, tuple(fork for fork in forks if fork not in settled))


def unfolded(
    known: Sequence[JournalLine], fresh: Sequence[JournalLine]
) -> Iterator[Mapping[str, Any]]:
    """The columns after each new line, as if they came one by one in their order."""
    order = ordered(counting_lines([*known, *fresh]))
    if not _is_straight(order) or [line.id for line in order[len(known) :]] != [
        line.id for line in fresh
    ]:
        yield from (
            fold_lines([*known, *fresh[: count + 1]]).columns for count in range(len(fresh))
        )
        return
    columns, held = _blank_columns(), _held_back(order)
    for number, line in enumerate(order):
        columns.update(_taken(columns, line, held))
        if number >= len(known):
            yield dict(columns)


def _is_straight(order: Sequence[JournalLine]) -> bool:
    return all(line.parents == ((order[i - 1].id,) if i else ()) for i, line in enumerate(order))


def _folded_apart(
    order: Sequence[JournalLine], columns: dict[str, Any], held: Mapping[str, JournalLine]
) -> Folded:
    """The fold of a graph that forks: the last word on each field stands, and what it overruled unseen is kept as a fork."""
    seen = _ancestors(order)
    writer: dict[str, JournalLine] = {}
    forks: dict[str, list[Fork]] = {}
    former: JournalLine | None = None
    asked: list[Fork] = []
    for line in order:
        before = seen[line.id]
        asked += _asked(columns, line, held.get(line.id), former)
        former = line
        for field, now in _taken(columns, line, held).items():
            was, last = columns[field], writer.get(field)
            open_ = [
                each
                for each in forks.get(field, ())
                if not {each.stands.id, each.lost.id} <= before
            ]
            if (
                last is not None
                and last.id not in before
                and was != now
                and field not in _UNCONTESTED
            ):
                open_.append(Fork(field, line, last, was))
            forks[field] = open_
            columns[field], writer[field] = now, line
    if columns["state"] in CLOSED:
        columns.update(pinned=0, on_page=0)
    elif "closed_by" in writer and writer["closed_by"].id not in {
        *seen[writer["state"].id],
        writer["state"].id,
    }:
        columns["closed_by"] = ""  # who took it out was overruled
    settled = _settled(order, asked) if asked else ()
    apart = [each for field in sorted(forks) for each in forks[field]]
    return Folded(columns, (*apart, *(fork for fork in asked if fork not in settled)))


# -- whose word ---------------------------------------------------------------------------------------------------------


def _ancestors(order: Sequence[JournalLine]) -> dict[str, set[str]]:
    """All that the writer of each line had seen of the others."""
    seen: dict[str, set[str]] = {}
    for line in order:
        seen[line.id] = set(line.parents).union(*(seen[parent] for parent in line.parents))
    return seen


def _erasure(order: Sequence[JournalLine]) -> JournalLine | None:
    """The erasure that counts: somebody's here, or one by everybody whose words would go. Anybody else's takes the lesson out, and asks."""
    erasures = [line for line in order if line.head["verb"] == "erase" and line.words]
    own = [line for line in erasures if line.standing == OWN]
    if own or not erasures:
        return own[-1] if own else None
    authors = {_author(line) for line in order if line.after.get("text")}
    return erasures[-1] if authors <= set(map(_author, erasures)) else None


def _author(line: JournalLine) -> str:
    return "" if line.standing == OWN else line.signer or line.machine


def _vouches(line: JournalLine) -> bool:
    """Whether a person here stood for the words that were there: kept, pinned, or put them on a page."""
    if line.standing != OWN or not line.is_person:
        return False
    verb, after = line.head["verb"], line.after
    kept = verb == "approve" or (verb == "move" and after.get("state") in INJECTABLE)
    return kept or bool(verb in ("pin", "page") and (after.get("pinned") or after.get("on_page")))


def _held_back(order: Sequence[JournalLine]) -> dict[str, JournalLine]:
    """The lines of mates that change nothing of what is said here, each with the word of a person here that had not seen it: a yes is to
    the words that were there. Who takes a pin off again lets in what mates say after that."""
    vouchers = [line for line in order if _vouches(line)]
    mates = [line for line in order if line.standing == MATE and line.parents]
    if not vouchers or not mates:
        return {}
    seen = _ancestors(order)
    taken_off = [
        line
        for line in order
        if line.standing == OWN and line.head["verb"] == "pin" and not line.after.get("pinned")
    ]
    held: dict[str, JournalLine] = {}
    for line in mates:
        standing = (
            each
            for each in vouchers
            if line.id not in seen[each.id]
            and not any(
                each.id in seen[off.id] and off.id in seen[line.id]
                for off in taken_off
                if each.head["verb"] == "pin"
            )
        )
        if (voucher := next(standing, None)) is not None:
            held[line.id] = voucher
    return held


def _asked(
    columns: Mapping[str, Any],
    line: JournalLine,
    voucher: JournalLine | None,
    former: JournalLine | None,
) -> list[Fork]:
    """What a mate's line makes a question: to erase words that are not theirs; and of what somebody here stands for its other words, or
    its end."""
    if line.standing != MATE or not line.is_person:
        return []
    if line.head["verb"] == "erase" and former is not None:
        return [Fork("erase", voucher or former, line, line.head["by"], True)]
    after = _seen_here(line) if voucher is not None else {}
    ends = after.get("state") in CLOSED and columns["state"] not in CLOSED
    said = after.get("text", columns["text"])
    found = [("text", said)] if said != columns["text"] else []
    found += [("state", after["state"])] if ends else []
    return [Fork(field, voucher, line, now, True) for field, now in found if voucher]


def _settled(order: Sequence[JournalLine], asked: Sequence[Fork]) -> list[Fork]:
    """The questions that somebody here has answered since by deciding that field."""
    seen = _ancestors(order)
    return [
        fork
        for fork in asked
        if any(
            line.standing == OWN and fork.field in line.after and fork.lost.id in seen[line.id]
            for line in order
        )
    ]


def _blank_columns() -> dict[str, Any]:
    return {name: 0 if name in NUMBERS else "" for name in DECIDED}


def _seen_here(line: JournalLine) -> dict[str, Any]:
    """What an entry decided, as far as it goes here: a member's own word is the team's, a stranger's is imported and held."""
    after = dict(line.after)
    if line.standing == MATE:
        return _of_the_team(after, line)
    if line.standing == UNKNOWN:
        for name in ("pinned", "on_page", "verdict"):
            after.pop(name, None)
        if not line.parents:
            after.update(
                trust="imported",
                gate="hold",
                verdict="not yet known",
                origin=f"journal of {line.machine}",
            )
            unbound = f"signed by {line.signer}, but nobody can tell for which repository"
            after["gate_reason"] = (
                unbound if line.signer else "nobody whose key you allow has signed it"
            )
        else:
            for name in ("trust", "gate", "gate_reason", "origin"):
                after.pop(name, None)
        if after.get("state", "candidate") not in CLOSED:
            after["state"] = "candidate"
    return after


def _taken(
    columns: Mapping[str, Any], line: JournalLine, held: Mapping[str, JournalLine]
) -> dict[str, Any]:
    """What an entry adds to those before it. What was quarantined here is let out by somebody here, not by whoever sent it."""
    after = _seen_here(line)
    if line.id in held:
        erases = line.head["verb"] == "erase"
        told = {} if erases else after
        return {name: field for name, field in told.items() if name not in _STANDS}
    if line.standing == MATE and line.head["verb"] == "erase":  # of words that are not theirs alone
        if columns["state"] in CLOSED:
            return {}
        after = {"state": "archived", "previous_state": columns["state"]}
        return {**after, "closed_by": line.head["by"], "pinned": 0, "on_page": 0}
    if line.standing == MATE and after.get("text", columns["text"]) != columns["text"]:
        after = _worded_by_mate(columns, after) if line.parents else after
    if (
        line.standing == MATE
        and columns["gate"] == "quarantine"
        and after.get("gate", "quarantine") != "quarantine"
    ):
        after = {
            name: field for name, field in after.items() if name not in ("gate", "gate_reason")
        }
    if (
        line.standing == MATE
        and columns["gate"] == "quarantine"
        and after.get("state") in INJECTABLE
    ):
        del after["state"]
    return after


def _of_the_team(after: dict[str, Any], line: JournalLine) -> dict[str, Any]:
    """A member's entry as it goes here: on trial like any word of theirs. Pins, pages, verdicts and promotions stay at home.

    Their uses and evidence travel, so each machine judges by the same figures. What seems meant for the reader is quarantined here too:
    a key can be stolen.
    """
    if "trust" in after:
        after["trust"] = least(("team", after["trust"]))
    if line.head["verb"] == "erase":
        return after  # nothing of it is left
    for name in ("pinned", "on_page", "verdict"):
        after.pop(name, None)
    if not line.parents:
        after["verdict"] = "not yet known"
    if after.get("state") in ("stable", "canonical"):
        after.pop("state") if line.parents else after.update(state="provisional")
    told = "\n".join(str(after[name]) for name in _TOLD_FIELDS if after.get(name))
    found = screen(told) if told else None
    if found is not None and not found.clean:
        after.update(
            gate="quarantine",
            gate_reason=f"signed by {line.signer}, and {found.reason}",
            state="candidate",
        )
    return after


def _worded_by_mate(columns: Mapping[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Whoever set the words gives the word: a mate's are the team's at most, on trial, and nothing that was said of the former holds."""
    trust = least(("team", after.get("trust") or columns["trust"] or "team"))
    told = {**after, "trust": trust, "pinned": 0, "on_page": 0, "verdict": "not yet known"}
    if told.get("state", columns["state"]) in ("stable", "canonical"):
        told["state"] = "provisional"
    return told


def memory_of(id: str, project: str, columns: Mapping[str, Any]) -> Memory:
    """The memory that a fold describes."""
    at = {**columns, "id": id, "project": project}
    return check_fields(from_row(tuple(at[name] for name in DECIDED)))


def fork_id(fork: Fork) -> str:
    """The same on every machine."""
    return short_hash("fork", fork.field, fork.stands.id, fork.lost.id)


# -- what a stranger's file may not do ----------------------------------------------------------------------------------


def fault_in(line: JournalLine) -> str:
    """Why a line cannot be taken as it is; empty if it can. Its types were checked when it was read."""
    if not verifies(line):
        return "its words are not the ones that were digested"
    if line.kind != "entry":
        return ""
    if line.head["verb"] not in JOURNAL_VERBS:
        return f"{line.head['verb']!r} is no verb of the journal"
    if line.words is None:
        return ""
    for name, field in line.after.items():
        if wrong := _wrong(name, field):
            return wrong
    return ""


def _wrong(name: str, field: Any) -> str:
    if name not in DECIDED or name in ("id", "project"):
        return f"{name!r} is no field of a lesson that can be shared"
    if name in NUMBERS:
        return "" if type(field) is int and 0 <= field < 1 << 31 else f"{name} is not of its type"
    if type(field) is not str:
        return f"{name} is not of its type"
    if name in _CLOSED_WORDS and field not in _CLOSED_WORDS[name]:
        return f"{name} is no word that is known"
    try:
        if name == "text" and field and kept_text(field) != field:
            return "its text begins or ends with white space"
        listed = (
            json.loads(field)
            if field and name in (*LISTS, "extra")
            else ([] if name != "extra" else {})
        )
        if name in LISTS and not (
            isinstance(listed, list) and all(isinstance(each, str) for each in listed)
        ):
            return f"{name} is not a list of texts"
        if name == "extra" and not isinstance(listed, dict):
            return "extra is not an object"
    except (TacitError, ValueError, RecursionError):
        return f"{name} cannot be kept"
    return ""


def is_taking_away(line: JournalLine) -> bool:
    """Whether an entry takes a lesson out."""
    return line.kind == "entry" and (
        line.head["verb"] == "erase" or line.after.get("state") in CLOSED
    )


def is_erased(memory: Memory) -> bool:
    """Whether nothing of a memory is left but its chain."""
    return memory.closed_by == ERASED_BY
