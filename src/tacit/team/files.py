"""The journal files of a work tree: which lines of them are new here and whose they are, and this machine's own file.

A signature is made for one repository, known by the first commit of its main line, and counts in no other: whoever may write to another
repository of the same team cannot carry a member's lines there. It also says how many lines of every other machine its writer had seen, so
that a file whose end was cut off (a `forget`, say) is noticed by whoever comes later, and not only by those who had the lines already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from tacit.core.errors import Unavailable
from tacit.core.exchange import Skipped
from tacit.core.value import replace, value
from tacit.stores.shared import lines_by, lines_known, standings
from tacit.team.lines import MATE, UNKNOWN, JournalLine

if TYPE_CHECKING:
    from tacit.stores.sql import Store

    class Folder(Protocol):
        """The journal files of a work tree, by machine."""

        def machines(self) -> list[str]: ...
        def read(self, machine: str) -> bytes | None: ...
        def write(self, machine: str, data: bytes, was: bytes | None) -> bool: ...

    class Keys(Protocol):
        """Signatures: who we are, and whom we allow."""

        key: str

        def sign(self, message: bytes) -> str: ...
        def verify(self, message: bytes, signature: str) -> str: ...


MOST_SIGNATURES = 64  # in one file; then it is written anew with one
# of one file at a time: each costs two processes, and a hostile file could hold thousands
MOST_VERIFIED = 4 * MOST_SIGNATURES


@value
class Shared:
    """Where a team's lines lie, how they are written, and whose signatures count, for which repository.

    `repository` is the hash of the first commit: signatures for another one count for nothing, and without one none is made.
    """

    folder: Folder
    keys: Keys
    format: Any
    repository: str


@value
class Doubt:
    """Lines of one machine that do not count as their signer's, or are not there."""

    machine: str
    signer: str
    lines: int


@value
class _Files:
    """What all files say that is not known here."""

    lines: tuple[JournalLine, ...] = ()
    skipped: tuple[tuple[str, Skipped], ...] = ()
    replayed: tuple[Doubt, ...] = ()  # signed for another repository: left out
    unbound: tuple[
        Doubt, ...
    ] = ()  # signed, but nobody can tell for which repository: held like a stranger's
    missing: tuple[Doubt, ...] = ()  # signed, or seen by `signer`, and not there


def read_files(store: Store, project: str, shared: Shared) -> _Files:
    """The lines of all files that are not known yet, each with whose it is, and what is wrong with the rest."""
    known = standings(store, project)
    sure = frozenset(id for id, standing in known.items() if standing != UNKNOWN)
    reading = _Reading(shared.keys, shared.repository, sure)
    for machine in shared.folder.machines():
        reading.file(machine, [*shared.format.read(shared.folder.read(machine) or b"", machine)])
    return reading.done(lines_known(store, project))


class _Reading:
    """The files, one after the other."""

    def __init__(self, keys: Keys, repository: str, known: frozenset[str]) -> None:
        self.keys, self.repository, self.known = keys, repository, known
        self.lines: list[JournalLine] = []
        self.skipped: list[tuple[str, Skipped]] = []
        self.replayed: dict[tuple[str, str], int] = {}
        self.unbound: dict[tuple[str, str], int] = {}
        self.missing: dict[str, Doubt] = {}
        self.claims: list[
            Any
        ] = []  # signatures that say how many lines of others were seen; not verified yet

    def file(self, machine: str, items: Iterable[Any]) -> None:
        """One machine's file."""
        fresh: dict[str, JournalLine] = {}
        there: set[str] = set()
        signatures = []
        for item in items:
            if isinstance(item, Skipped):
                self.skipped.append((machine, item))
            elif isinstance(item, JournalLine):
                there.add(item.id)
                if item.id not in self.known:
                    fresh[item.id] = item if item.words is not None else fresh.get(item.id, item)
            else:
                signatures.append(item)
        signatures = signatures[-MOST_VERIFIED:]
        here = [
            each for each in signatures if self.repository and each.repository == self.repository
        ]
        signer = self._signers(here, fresh.keys() | self._absent(here, there))
        elsewhere = [each for each in signatures if each not in here]
        others = self._signers(elsewhere, fresh.keys() - signer.keys())
        foreign = {
            id for each in elsewhere if each.repository and self.repository for id in each.of
        } & others.keys()
        for line in fresh.values():
            name = signer.get(line.id, "")
            if name:
                self.lines.append(replace(line, standing=MATE, signer=name))
            elif line.id in foreign:
                _count(self.replayed, machine, others[line.id])
            else:
                name = others.get(line.id, "")
                if name:
                    _count(self.unbound, machine, name)
                self.lines.append(replace(line, standing=UNKNOWN, signer=name))
        cut = {id for id in self._absent(here, there) if id in signer}
        if cut:
            self.missing[machine] = Doubt(machine, signer[next(iter(cut))], len(cut))
        self.claims += [each for each in here if each.seen]

    def _absent(self, signatures: Iterable[Any], there: set[str]) -> set[str]:
        return {
            id for each in signatures for id in each.of if id not in there and id not in self.known
        }

    def _signers(self, signatures: Iterable[Any], asked: set[str]) -> dict[str, str]:
        """Who signed what is asked for; nothing is verified that nobody asks for."""
        found: dict[str, str] = {}
        for each in signatures:
            if not asked.isdisjoint(each.of) and (
                name := self.keys.verify(each.message, each.signature)
            ):
                found.update(dict.fromkeys(each.of, name))
        return found

    def done(self, known: Mapping[str, int]) -> _Files:
        """What was found, with the lines that others have seen and that are not here."""
        here, strange = dict(known), set()
        for line in self.lines:
            if line.standing == MATE:
                here[line.machine] = here.get(line.machine, 0) + 1
            else:
                strange.add(line.machine)
        for signature in reversed(self.claims):
            lacking = {machine: count - here.get(machine, 0) for machine, count in signature.seen}
            lacking = {
                machine: count
                for machine, count in lacking.items()
                if count > (self.missing[machine].lines if machine in self.missing else 0)
                and (
                    here.get(machine) or machine not in strange
                )  # where nobody is allowed, that is said already
            }
            if lacking and (name := self.keys.verify(signature.message, signature.signature)):
                self.missing.update(
                    {machine: Doubt(machine, name, count) for machine, count in lacking.items()}
                )
        return _Files(
            tuple(self.lines),
            tuple(self.skipped),
            _doubts(self.replayed),
            _doubts(self.unbound),
            tuple(self.missing[machine] for machine in sorted(self.missing)),
        )


def _count(counts: dict[tuple[str, str], int], machine: str, name: str) -> None:
    counts[machine, name] = counts.get((machine, name), 0) + 1


def _doubts(counts: Mapping[tuple[str, str], int]) -> tuple[Doubt, ...]:
    return tuple(Doubt(machine, name, count) for (machine, name), count in sorted(counts.items()))


def write_file(
    store: Store, project: str, shared: Shared, machine: str, *, attest: bool
) -> tuple[int, bool]:
    """A machine's own file: appended to, or written anew where words were erased, lines edited, or signatures piled up.

    What is signed for no repository, or for another, is signed again for this one. With `attest` somebody took something away: then what
    was seen of the others is signed although there is nothing new of ours.
    """
    folder, keys, format, repository = shared.folder, shared.keys, shared.format, shared.repository
    was = folder.read(machine)
    ours = lines_by(store, project, machine)
    items = [*format.read(was or b"", machine)]
    there = {item.id: item for item in items if isinstance(item, JournalLine)}
    signatures = [item for item in items if not isinstance(item, (JournalLine, Skipped))]
    signs = bool(keys.key and repository)
    covered = {
        id for each in signatures if not signs or each.repository == repository for id in each.of
    }
    wanted = {line.id: line for line in ours}
    foreign = len(there.keys() - wanted.keys()) + sum(isinstance(item, Skipped) for item in items)
    stale = any(
        item.words != wanted[item.id].words
        for item in items
        if isinstance(item, JournalLine) and item.id in wanted
    )
    anew = was is None or bool(foreign) or stale or len(signatures) > MOST_SIGNATURES
    missing = [line for line in ours if line.id not in there]
    unsigned = tuple(line.id for line in ours if anew or line.id not in covered)
    told: list[Any] = [*ours, *([] if signs else signatures)] if anew else [*missing]
    if signs and (unsigned or attest):
        seen = tuple(
            (name, count)
            for name, count in sorted(lines_known(store, project).items())
            if name != machine
        )
        signature = keys.sign(format.message(unsigned, repository, seen))
        told.append(format.Signature(unsigned, signature, repository, seen))
    if not told:
        return 0, False
    data = b"" if anew else was or b""
    data += b"" if not data or data.endswith(b"\n") else b"\n"
    data += "".join(format.text_of(item) + "\n" for item in told).encode()
    if not folder.write(machine, data, was):
        raise Unavailable(
            "This machine's journal file was changed while it was written; nothing is lost.",
            "Sync again.",
        )
    return len(missing), anew and was is not None
