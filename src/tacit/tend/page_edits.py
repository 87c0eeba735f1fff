"""What a person did to a page since Tacit last wrote it: which lines they changed, added, took out.

The work tree holds no copy to compare with, and git moves files about: another branch brings an older page, a stash takes
the newest lines away. So what is kept of each file is small and lasts over versions: for each lesson the version that
brought its line, and how its line was ever spelled there. A line spelled as before is not an edit; a line that is missing
from a page that was never as new as the line was not taken out, unless the same branch is checked out as then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tacit.core.digest import short_hash
from tacit.core.page import Bullet, split_id
from tacit.core.value import replace, value
from tacit.tend.layout import PageEntry
from tacit.tend.triage_rules import likeness

SPELLINGS = 8  # of one line that are remembered
SAME = 0.6  # this alike, a line without an id is a known line worded anew
COMPARED_PAIRS = 400  # pairs of lines at most that are looked at for likeness
DRAFT = "[DRAFT]"  # geas: a line that is not meant yet
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)")


@value
class KnownLine:
    """What is remembered of one lesson's line in one file."""

    since: int  # the version that brought it
    entry: str  # hash of the line as its lesson was worded then
    spellings: tuple[
        str, ...
    ] = ()  # hashes of how it ever stood in the file, our wording or theirs; the last one last


@value
class KeptFile:
    """What is remembered of one file."""

    version: int = 0  # times it was written
    head: str = ""  # what was checked out then
    known: Mapping[str, KnownLine] = {}  # by memory
    off: tuple[str, ...] = ()  # lessons a person took off this page, and that stand on another one
    made: bool = False  # it was not there before
    front: str = ""  # hash of the front matter as we wrote it


@value
class Compared:
    """A file and what is remembered of it, side by side."""

    placed: Mapping[str, Bullet]  # which bullet is which lesson
    edited: Mapping[str, str]  # lesson -> what its line says now
    added: tuple[Bullet, ...] = ()
    gone: tuple[str, ...] = ()  # taken out by somebody
    back: tuple[str, ...] = ()  # lessons that had left the page, and whose line stands there again
    older: tuple[str, ...] = ()  # missing because the file is older than they are
    copies: tuple[Bullet, ...] = ()  # a line once more, in words that are known: they go


def spelled(said: str) -> str:
    """The hash of a line's words, whatever their spacing."""
    return short_hash("line", " ".join(said.split()))[:10]


def is_conflict(lines: Sequence[str]) -> bool:
    """Whether a merge stands unresolved in these lines."""
    return len({line[0] for line in lines if _CONFLICT.match(line)}) == 2


def compare_page(
    found: Sequence[Bullet],
    entries: Sequence[PageEntry],
    kept: KeptFile,
    name_of: Callable[[str], str],
    head: str = "",
    left: Sequence[PageEntry] = (),
) -> Compared:
    """What the bullets of a file are. `name_of` gives the lesson behind an id as written; empty for one nobody knows.

    `entries` are to stand on the page, `left` are lessons that its ids name and that are not.
    """
    matching = _Matching(found, entries, left, kept, name_of)
    placed = matching.placed
    missing = [id for id in kept.known if id not in placed and id not in kept.off]
    newest = max((kept.known[id].since for id in placed if id in kept.known), default=0)
    moved_about = bool(head) and head != kept.head
    older = tuple(id for id in missing if moved_about and kept.known[id].since > newest)
    gone = tuple(id for id in missing if id not in older)
    back = tuple(
        each.id
        for each in left
        if each.id in placed and each.id not in kept.known and not moved_about
    )
    return Compared(
        placed, matching.edited, tuple(matching.added), gone, back, older, tuple(matching.copies)
    )


class _Matching:
    """Bullets one after the other: by id, then by how they are spelled, then by likeness."""

    def __init__(
        self,
        found: Sequence[Bullet],
        entries: Sequence[PageEntry],
        left: Sequence[PageEntry],
        kept: KeptFile,
        name_of: Callable[[str], str],
    ) -> None:
        self.kept, self.wanted = kept, {entry.id: entry for entry in entries}
        self.left = {entry.id: entry for entry in left}
        self.placed: dict[str, Bullet] = {}
        self.edited: dict[str, str] = {}
        self.added: list[Bullet] = []
        self.copies: list[Bullet] = []
        nameless = self._by_id(found, name_of)
        nameless = self._by_spelling(nameless)
        self._by_likeness(nameless)
        for id, bullet in list(self.placed.items()):
            if self._is_known(bullet, id):
                continue
            if (
                id in self.left and id not in kept.known
            ):  # it had left the page: these are new words
                del self.placed[id]
                self.added.append(replace(bullet, text=split_id(bullet.text)[0]))
            else:
                self.edited[id] = split_id(bullet.text)[0]

    def _spellings(self, id: str) -> tuple[str, ...]:
        known = self.kept.known.get(id)
        entry = self.wanted.get(id) or self.left.get(id)
        now = (spelled(entry.said), spelled(entry.text)) if entry else ()
        return (*known.spellings, *now) if known else now

    def _by_id(self, found: Sequence[Bullet], name_of: Callable[[str], str]) -> list[Bullet]:
        """Two lines of one id (both sides of a merge): the one that is spelled as known keeps it, the other is a line of its own."""
        nameless: list[Bullet] = []
        for bullet in found:
            said, token = split_id(bullet.text)
            id = name_of(token) if token else ""
            if not id:
                nameless.append(bullet)
            elif id not in self.placed:
                self.placed[id] = bullet
            elif spelled(said) in self._spellings(id) and not self._is_known(self.placed[id], id):
                nameless.append(replace(self.placed[id], text=split_id(self.placed[id].text)[0]))
                self.placed[id] = bullet
            elif self._is_known(bullet, id):
                self.copies.append(bullet)
            else:
                nameless.append(replace(bullet, text=said))
        return nameless

    def _is_known(self, bullet: Bullet, id: str) -> bool:
        return spelled(split_id(bullet.text)[0]) in self._spellings(id)

    def _open(self) -> list[str]:
        return [
            id for id in dict.fromkeys((*self.kept.known, *self.wanted)) if id not in self.placed
        ]

    def _by_spelling(self, nameless: Sequence[Bullet]) -> list[Bullet]:
        by_spelling = {hash: id for id in reversed(self._open()) for hash in self._spellings(id)}
        left: list[Bullet] = []
        seen = {spelled(split_id(bullet.text)[0]) for bullet in self.placed.values()}
        for bullet in nameless:
            words = spelled(split_id(bullet.text)[0])
            id = by_spelling.get(words, "")
            if id and id not in self.placed:
                self.placed[id] = bullet
            elif words not in seen:  # who says the same twice has one lesson
                left.append(bullet)
            seen.add(words)
        return left

    def _by_likeness(self, nameless: Sequence[Bullet]) -> None:
        """A line whose id got lost while it was worded anew is still the same line; only one that we wrote can be."""
        lost = [id for id in self._open() if id in self.wanted and id in self.kept.known]
        if len(lost) * len(nameless) > COMPARED_PAIRS:
            lost = []  # the page was written anew: nobody could tell which line was which
        for bullet in nameless:
            said = split_id(bullet.text)[0]
            near = [
                (likeness(said, self.wanted[id].said, SAME), id)
                for id in lost
                if id not in self.placed
            ]
            score, id = max(near, default=(0.0, ""))
            if score:
                self.placed[id] = bullet
            elif said.strip("*_`#- ") and not said.startswith(DRAFT):
                self.added.append(bullet)


def remembered(
    kept: KeptFile,
    placed: Mapping[str, Bullet],
    entries: Sequence[PageEntry],
    *,
    pending: Collection[str] = (),
    returned: Collection[str] = (),
    head: str = "",
) -> KeptFile:
    """What is to be remembered once a file was written.

    `placed` are its bullets then, `pending` the lessons about which nobody decided yet, `returned` those whose lines were put back.
    """
    by_id = {entry.id: entry for entry in entries}
    version = kept.version + 1
    lines: dict[str, KnownLine] = {
        id: known for id, known in kept.known.items() if id in pending and id not in placed
    }
    for id, bullet in placed.items():
        before = kept.known.get(id)
        said = spelled(split_id(bullet.text)[0])
        if id in pending or id not in by_id:
            if before:
                lines[id] = before
            continue
        earlier = (*(before.spellings if before else ()), spelled(by_id[id].said))
        spellings = [*dict.fromkeys(each for each in earlier if each != said), said]
        since = before.since if before and id not in returned else version
        lines[id] = KnownLine(since, spelled(by_id[id].said), tuple(spellings)[-SPELLINGS:])
    return replace(kept, version=version, head=head, known=lines)


def to_json(kept: KeptFile) -> dict[str, Any]:
    """As the store keeps it."""
    lines = {id: [known.since, known.entry, *known.spellings] for id, known in kept.known.items()}
    return {
        "version": kept.version,
        "head": kept.head,
        "lines": lines,
        "off": list(kept.off),
        "made": kept.made,
        "front": kept.front,
    }


def from_json(at: Mapping[str, Any]) -> KeptFile:
    """What the store kept."""
    lines = {
        id: KnownLine(since, entry, tuple(spellings))
        for id, (since, entry, *spellings) in at["lines"].items()
    }
    return KeptFile(at["version"], at["head"], lines, tuple(at["off"]), at["made"], at["front"])
