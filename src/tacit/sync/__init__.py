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

    def read(self, numbers: Mapping[str, int]) -> dict[str, list[Item]]:
        """What each machine told, at least all beyond the number up to which it was heard."""

    def items(self, machine: str) -> list[Item]:
        """All that one machine told."""

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
        state |= {"allowed": hex_digest(allowed), "heads": {}, "numbers": {}}
    if not dry_run:
        shelf.say()
    numbers: dict[str, int] = state.setdefault("numbers", {})
    read = carrier.read(numbers)
    renamed = "" if dry_run else _renamed(shelf, carrier, read)
    if renamed:
        state["machine"] = shelf.machine
        shelf.say()
    here = shelf.kept()
    heard = {
        machine: _heard(keys, carrier, machine, items, state.setdefault("heads", {}), here)
        for machine, items in read.items()
    }
    others = [
        line for machine, one in heard.items() if machine != shelf.machine for line in one.lines
    ]
    taken = shelf.take(others, dry_run=dry_run)
    for machine, one in heard.items():
        state["heads"][machine] = dict(one.heads)
        reached = max((line.n for line in one.lines if line.signer), default=0)
        numbers[machine] = max(reached, numbers.get(machine, 0))
    sent = 0
    if not dry_run:
        ended = any(line.signer and line.state in ("gone", "erased") for line in taken.fresh)
        sent = _send(shelf, carrier, keys, numbers, ended)
        shelf.keep(state)
    done = _report(shelf, taken, read, heard, renamed, dry_run)
    return replace(
        done,
        sent=sent,
        signed=bool(keys.key and carrier.project),
        missing=_missing(heard, numbers),
    )


def _missing(heard: Mapping[str, Heard], numbers: Mapping[str, int]) -> dict[str, int]:
    """Lines that a signature names, or that somebody who signs had seen, and that are not there; by machine."""
    found = {machine: one.missing for machine, one in heard.items() if one.missing}
    for one in heard.values():
        for machine, n in one.seen.items():
            if n > numbers.get(machine, 0):
                found[machine] = max(n - numbers.get(machine, 0), found.get(machine, 0))
    return found


def _heard(
    keys: Keys,
    carrier: Carrier,
    machine: str,
    items: Sequence[Item],
    heads: Mapping[str, Mapping[str, str]],
    here: Collection[bytes],
) -> Heard:
    known = heads.get(machine, {})
    told = [item for item in items if not isinstance(item, Unread)]
    return vouched(keys, carrier.project, told, known, here)


def _send(
    shelf: Shelf, carrier: Carrier, keys: Keys, seen: Mapping[str, int], attests: bool
) -> int:
    """Tell what this machine's file or rows lack, and sign what no push of ours names yet. Where others ended something, what was seen of
    them is signed although nothing of ours is new."""
    items = carrier.items(shelf.machine)
    there = {item.digest for item in items if isinstance(item, (Line, Gone))}
    pushes = [item for item in items if isinstance(item, Push)]
    named = {id for push in pushes for id in push.digests()}
    own, gone = shelf.own(), shelf.gone()
    new = [line for line in own if line.digest not in there]
    under = {push.before for push in pushes}
    before = next((push.head for push in reversed(pushes) if push.head not in under), START)
    unnamed = [line for line in own if line.digest not in named]
    others = {machine: n for machine, n in seen.items() if machine != shelf.machine}
    wanted = bool(unnamed) or attests
    push = signed(keys, carrier.project, shelf.machine, unnamed, before, others) if wanted else None
    carrier.send(shelf.machine, [*new, *([push] if push else [])], gone)
    return len(new)


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
