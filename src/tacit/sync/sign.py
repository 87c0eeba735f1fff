"""Whose lines they are: one signature for all that a machine has sent.

Each push names the head of the one before, so the signature of a machine's last push vouches for every push of the same key that it
stands on. A machine whose file is on two branches has two last pushes: each is asked about. A push whose signature does not count
(forged, for another project, by nobody whose key the person allowed) is stepped over, back to one that does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from tacit.core.value import replace, value
from tacit.sync.line import START, Gone, Line, Push

MOST_ASKED = 64  # signatures of one machine; each costs two processes, and a hostile file could hold thousands


class Keys(Protocol):
    """Signatures: with which key we sign, and whom we allow."""

    key: str

    @property
    def me(self) -> str:
        """The name that the signers file gives our own key."""

    def sign(self, message: bytes) -> str: ...
    def verify(self, message: bytes, signature: str) -> str: ...


@value
class Heard:
    """One machine's lines, each with its signer, and what does not hold."""

    lines: tuple[Line, ...]
    heads: Mapping[str, str]  # its last pushes that count, each with its signer
    missing: int = 0  # lines that a signature names and that are not there
    seen: Mapping[str, int] = {}  # how far its last pushes had seen the others


def vouched(
    keys: Keys,
    project: str,
    items: Iterable[Line | Push | Gone],
    known: Mapping[str, str],
    here: Collection[bytes] = (),
) -> Heard:
    """The lines of one machine with whose they are. `known` are heads that were verified before, with their signers, `here` the lines
    that are kept already."""
    lines: dict[bytes, Line] = {}
    gone: set[bytes] = set()
    pushes: dict[str, Push] = {}
    for item in items:
        if isinstance(item, Line):
            lines[item.digest] = item
        elif isinstance(item, Push):
            pushes[item.head] = item
        else:
            gone.add(item.digest)
    signers, last = _signers(keys, project, pushes, known)
    by: dict[bytes, str] = {}
    missing = 0
    for head in pushes:
        for id in pushes[head].digests() if head in signers else ():
            if id in lines:
                by.setdefault(id, signers[head])
            elif id not in gone and id not in here:
                missing += 1
    told = tuple(replace(line, signer=by.get(id, "")) for id, line in lines.items())
    seen: dict[str, int] = {}
    for head in last.keys() & pushes.keys():
        for machine, n in pushes[head].seen.items():
            seen[machine] = max(n, seen.get(machine, 0))
    return Heard(told, last, missing, seen)


def _signers(
    keys: Keys, project: str, pushes: Mapping[str, Push], known: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The pushes that count, each with its signer; and those of them that were asked about, which the others stand under."""
    found: dict[str, str] = {}
    last: dict[str, str] = dict(known) if not pushes else {}
    asked, under = 0, {push.before for push in pushes.values()}
    waiting = [head for head in pushes if head not in under]
    while waiting and asked < MOST_ASKED:
        head = waiting.pop()
        if head in found or head not in pushes:
            continue
        push, name = pushes[head], known.get(head, "")
        if not name:
            asked += 1
            name = keys.verify(push.message(project), push.signature)
        if not name:
            waiting.append(push.before)
            continue
        last[head] = name
        while head in pushes and head not in found and pushes[head].key == push.key:
            found[head] = name
            head = pushes[head].before
        waiting.append(head)
    return found, last


def signed(
    keys: Keys,
    project: str,
    machine: str,
    lines: Sequence[Line],
    before: str = START,
    seen: Mapping[str, int] = {},
) -> Push | None:
    """These lines as one push under this person's signature; None without a key, or a project that can be told."""
    if not keys.key or not project:
        return None
    push = Push(machine, before, b"".join(line.digest for line in lines), seen, "")
    return replace(push, signature=keys.sign(push.message(project)))
