"""One memory on many machines: what is new here is told, what is new elsewhere is taken in.

    say     what shared lessons say otherwise since the last time becomes lines of this machine (`shelf`)
    read    what the others told comes through git or a server (`git`, `postgres`)
    vouch   whose lines they are (`sign`), what each does (`fold`)
    send    our lines go out as one push under one signature

Nothing is lost wherever it stops: lines are kept before they are sent, what was sent is asked of the carrier, and how far the others
were heard is noted when their lines are in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from tacit.core.digest import hex_digest, new_id
from tacit.core.value import replace, value
from tacit.sync.line import START, Gone, Item, Line, Push, Unread
from tacit.sync.shelf import Shelf, Taken, Told
from tacit.sync.sign import Heard, Keys, signed, vouched


class Carrier(Protocol):
    """What carries lines between machines."""

    project: str  # what a signature is made for; empty: it cannot be told, and nothing is signed
    whole: bool  # whether each reading brings all that was ever told, and not what is new alone
    reached: Mapping[str, int]  # how far each machine was read, where the carrier counts

    def read(self, numbers: Mapping[str, int], mine: str) -> dict[str, list[Item]]:
        """What each machine told that is not heard yet, up to these numbers; `mine` is our own name."""

    def lines_of(self, lessons: Sequence[str]) -> dict[str, list[Item]]:
        """All lines of some lessons that `read` may have left out."""

    def send(self, machine: str, new: Sequence[Line | Push], gone: Mapping[bytes, str]) -> None:
        """Tell what is new of this machine."""


@value
class Synced:
    """What a run of `sync` did."""

    machine: str
    sent: int = 0
    taken: int = 0
    seen: tuple[Told, ...] = ()
    asked: int = 0
    machines: int = 0
    signed: bool = False
    why_unsigned: str = ""
    private: int = 0  # lessons heard from one person alone, which stay here
    unsigned: Mapping[str, int] = {}
    missing: Mapping[str, int] = {}
    unread: tuple[tuple[str, str], ...] = ()  # machine, and what is wrong
    renamed: str = ""  # the name under which another machine writes too
    dry_run: bool = False

    @property
    def doubts(self) -> list[str]:
        """What a person should know of the team's lines, for `sync` and `doctor`."""
        told = [
            f"machine {machine}: lines signed by nobody you allow, or for another project: {count}"
            for machine, count in self.unsigned.items()
        ]
        told += [
            f"machine {machine}: {count} lines that were signed, or seen by others, are not there:"
            " cut off, on another branch, or not pulled yet"
            for machine, count in self.missing.items()
        ]
        told += [f"machine {machine}, left out: {why}" for machine, why in self.unread[:10]]
        if self.renamed:
            told.append(
                f"another machine writes under the name {self.renamed}, too (a copied home?);"
                f" this one is called {self.machine} from now on"
            )
        return told


def sync(
    shelf: Shelf, carrier: Carrier, keys: Keys, *, allowed: str = "", dry_run: bool = False
) -> Synced:
    """Bring this memory and its team's in step. `allowed` tells the signers file of now from that of the last time."""
    state = shelf.state
    if state.get("allowed") != hex_digest(allowed):  # whom we allow has changed: hear all again
        own = {name: n for name, n in state.get("numbers", {}).items() if name == shelf.machine}
        last = {name: at for name, at in state.get("heads", {}).items() if name == shelf.machine}
        state |= {"allowed": hex_digest(allowed), "heads": last, "numbers": own}
    if not dry_run:
        shelf.say()
    numbers: dict[str, int] = state.setdefault("numbers", {})
    heads: dict[str, dict[str, str]] = state.setdefault("heads", {})
    read = carrier.read(numbers, shelf.machine)
    renamed = "" if dry_run else _renamed(shelf, carrier, read)
    if renamed:
        state["machine"] = shelf.machine
        shelf.say()
    here = shelf.kept()
    heard = {
        machine: _heard(keys, carrier, items, heads.get(machine, {}), here)
        for machine, items in read.items()
    }
    heard |= _behind(carrier, keys, heard, read)
    others = [
        line for machine, one in heard.items() if machine != shelf.machine for line in one.lines
    ]
    taken = shelf.take(others, dry_run=dry_run)
    told = 0 if carrier.whole else numbers.get(shelf.machine, 0)
    for machine, one in heard.items():
        heads[machine] = dict(one.heads)
        reached = max((line.n for line in one.lines if line.signer), default=0)
        reached = max(reached, carrier.reached.get(machine, 0))
        numbers[machine] = max(reached, numbers.get(machine, 0))
    sent = 0
    if not dry_run:
        ended = any(line.signer and line.state in ("gone", "erased") for line in taken.fresh)
        others_seen = {name: n for name, n in numbers.items() if name != shelf.machine}
        last = next(iter(heads.get(shelf.machine, {})), START)
        new, push = _outgoing(
            shelf, read.get(shelf.machine, ()), told, last, keys, carrier, ended, others_seen
        )
        carrier.send(shelf.machine, [*new, *([push] if push else [])], shelf.gone())
        heads |= {shelf.machine: {push.head: keys.me}} if push else {}
        numbers[shelf.machine] = max(
            (line.n for line in new), default=numbers.get(shelf.machine, 0)
        )
        sent = len(new)
        shelf.keep(state)
    done = _report(shelf, taken, read, heard, renamed, dry_run)
    missing = _missing(heard, numbers) if carrier.whole else {}
    signs = bool(keys.key and carrier.project)
    return replace(done, sent=sent, signed=signs, missing=missing)


def _heard(
    keys: Keys,
    carrier: Carrier,
    items: Sequence[Item],
    known: Mapping[str, str],
    here: Collection[bytes],
) -> Heard:
    told = [item for item in items if not isinstance(item, Unread)]
    return vouched(keys, carrier.project, told, known, here)


def _behind(
    carrier: Carrier, keys: Keys, heard: Mapping[str, Heard], read: Mapping[str, Sequence[Item]]
) -> dict[str, Heard]:
    """The lines behind a lesson's newest one where nobody allowed has signed that: whoever may write could else hide what others say."""
    lines = [line for one in heard.values() for line in one.lines]
    hidden = {line.lesson for line in lines} - {line.lesson for line in lines if line.signer}
    more = carrier.lines_of(sorted(hidden)) if hidden else {}
    return {
        machine: _heard(
            keys, carrier, [*items, *read.get(machine, ())], heard[machine].heads, frozenset()
        )
        for machine, items in more.items()
        if machine in heard
    }


def _outgoing(
    shelf: Shelf,
    items: Sequence[Item],
    told: int,
    last: str,
    keys: Keys,
    carrier: Carrier,
    ended: bool,
    seen: Mapping[str, int],
) -> tuple[list[Line], Push | None]:
    """Our lines that the others have not, and what signs them. `told` is the number up to which they are there without having been read
    again. Where others ended something, what was seen of them is signed although nothing of ours is new."""
    there = {item.digest for item in items if isinstance(item, (Line, Gone))}
    pushes = [item for item in items if isinstance(item, Push)]
    named = {id for push in pushes for id in push.digests()}
    own = [line for line in shelf.own() if line.n > told]
    new = [line for line in own if line.digest not in there]
    under = {push.before for push in pushes}
    before = next((push.head for push in reversed(pushes) if push.head not in under), last)
    unnamed = [line for line in own if line.digest not in named]
    if not unnamed and not (ended and carrier.whole):
        return new, None
    told_of = seen if carrier.whole else {}
    return new, signed(keys, carrier.project, shelf.machine, unnamed, before, told_of)


def _missing(heard: Mapping[str, Heard], numbers: Mapping[str, int]) -> dict[str, int]:
    """Lines that a signature names, or that somebody who signs had seen, and that are not there; by machine."""
    found = {machine: one.missing for machine, one in heard.items() if one.missing}
    for one in heard.values():
        for machine, n in one.seen.items():
            if n > numbers.get(machine, 0):
                found[machine] = max(n - numbers.get(machine, 0), found.get(machine, 0))
    return found


def _renamed(shelf: Shelf, carrier: Carrier, read: Mapping[str, Sequence[Item]]) -> str:
    """Take another name where a second machine writes under ours: a copied home, or a memory that was lost and began anew."""
    kept = shelf.kept()
    there = [item for item in read.get(shelf.machine, ()) if isinstance(item, (Line, Gone))]
    if all(item.digest in kept for item in there):
        return ""
    was, told = shelf.machine, {item.digest for item in there}
    shelf.tell_again(line for line in shelf.own() if line.digest not in told)
    shelf.machine = new_id()
    return was


def _report(
    shelf: Shelf,
    taken: Taken,
    read: Mapping[str, Sequence[Item]],
    heard: Mapping[str, Heard],
    renamed: str,
    dry_run: bool,
) -> Synced:
    unread = [
        (machine, f"{item.place}: {item.reason}")
        for machine, items in read.items()
        for item in items
        if isinstance(item, Unread)
    ]
    return Synced(
        shelf.machine,
        taken=len(taken.fresh),
        seen=taken.told,
        asked=taken.asked,
        machines=len({*read, shelf.machine}),
        private=shelf.private(),
        unsigned=taken.unsigned,
        unread=(*unread, *taken.refused),
        renamed=renamed,
        dry_run=dry_run,
    )
