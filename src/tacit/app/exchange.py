"""Other systems' memories, in and out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tacit.app.opened import Opened
from tacit.core.errors import NotFound, UsageError
from tacit.core.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tacit.core.exchange import Given, OriginVerdict, Row
    from tacit.formats.bundle import Written
    from tacit.formats.source import Source
    from tacit.learn.intake import TakenIn


class Exchange(Opened):
    """Other systems' memories, in and out."""

    def import_(
        self, source: str | Source, *, format: str = "", trust: str = "", dry_run: bool = False
    ) -> list[TakenIn]:
        """Take in another system's memories: a file, a folder of them, or a source; one report per file.

        `trust` is the owner's word for his own store (user, team, review …); without it the words are imported text and
        held until somebody vouches for them. A bundle with trust user is a store of one's own, and moves in as it was.
        """
        from tacit import formats
        from tacit.core.memory import TIERS, checked
        from tacit.learn.intake import Read, take_in

        tier = checked("trust tier", trust or "imported", TIERS)
        if tier != "imported":
            self._need_person(f"Importing with trust {tier}")
        files = [(format or formats.holder(each), each) for each in self._memory_files(source)]
        if "bundle" in dict(files):
            self._need_word(trust)
        if tier == "user" and [name for name, _ in files] == ["bundle"]:
            return [self._move_in(files[0][1], dry_run)]
        read = [
            Read(
                name,
                each.path,
                formats.namespace(name),
                tuple(module.memories(each)),
                getattr(module, "LASTING_IDS", None),
            )
            for name, each in files
            for module in (formats.exchange(name),)
        ]
        reports = take_in(self.work, read, tier=tier, dry_run=dry_run)
        self.store.tidy()
        return reports

    def _need_word(self, trust: str) -> None:
        """In a new store a bundle may be one's own, moving in, or a stranger's: nothing in the file can tell."""
        from tacit.stores.truth import is_empty

        if not trust and is_empty(self.store):
            raise UsageError(
                "Say whose bundle this is: the store is empty, and all of it could move in.",
                "--trust user: your own, everything as it was. --trust imported: its lessons only, held until you approve them.",
            )

    def _move_in(self, source: Source, dry_run: bool) -> TakenIn:
        """A store of one's own, from its bundle, as it was."""
        from tacit.formats.bundle import VERSION, Bundle
        from tacit.learn.intake import TakenIn
        from tacit.stores.check import rule_of
        from tacit.stores.sqlite.erase import fold_anew
        from tacit.stores.tables import BY_NAME
        from tacit.stores.truth import move, verify

        with Bundle(source) as bundle:
            verify(bundle.rows)
            kept = tuple(row[1] for row in bundle.rows(BY_NAME["memory"]))
            moved = move(self.store, bundle.rows, what=source.path, keep=not dry_run)
            if bundle.version < VERSION and not dry_run and not moved.already:
                fold_anew(self.store, rule_of(self.store))
        self._project = self._profile = None
        self.store.tidy()
        return TakenIn("bundle", () if moved.already else kept, moved.chains if moved.already else 0, dry_run=dry_run)

    def export_bundle(self, path: str, each: Callable[[str, int], None] = lambda table, rows: None) -> Written:
        """Everything the store holds for true, all projects of it, in one file that verifies (docs/formats/bundle.md)."""
        from tacit.formats.bundle import save
        from tacit.stores.tables import TRUTH
        from tacit.stores.truth import reader

        with self.store.snapshot():
            return save(path, TRUTH, reader(self.store), each)

    def _memory_files(self, source: str | Source) -> list[Source]:
        from tacit import formats
        from tacit.formats.source import FileSource

        if not isinstance(source, str):
            return [source]
        if os.path.isdir(source):
            return formats.memory_files(source)
        if not os.path.exists(source):
            raise NotFound(f"There is no file or folder {source}.", "Name a file of memories, or their folder.")
        return [FileSource(source)]

    def export(self, format: str, part: str = "") -> str:
        """The project's memories as another system writes them, field for field; `part` names one of its files."""
        from tacit import formats
        from tacit.stores.outgoing import header

        module = formats.exchange(format)
        wanted = part or next(iter(module.PARTS))
        if wanted not in module.PARTS:
            raise UsageError(f"{format} has no part {part!r}.", f"One of: {', '.join(module.PARTS)}.")
        head = header(self.store, format, wanted, self.project_id)
        return module.dump([head, *self._outgoing(format)], wanted, self.now())

    def export_files(self, format: str) -> dict[str, str]:
        """All the files of another system, text by path; one that keeps a file a memory names them itself."""
        from tacit import formats

        module = formats.exchange(format)
        whole = getattr(module, "files", None)
        if whole is None:
            beside = getattr(module, "ON_REQUEST", ())
            return {file: self.export(format, part) for part, file in module.PARTS.items() if part not in beside}
        found: dict[str, str] = whole(self._outgoing(format), self.now())
        return found

    def _outgoing(self, format: str) -> list[Row | Given | OriginVerdict]:
        from tacit import formats
        from tacit.stores.outgoing import audited, outgoing

        rows = outgoing(self.store, self.project_id, self.profile, formats.namespace(format)) if self.project else []
        named = self._named_rows(format, rows)
        names = {row.memory.id: row.alias for row in named}
        told = audited(self.store, self.project_id, format, self.profile.signals.names, names) if self.project else []
        moves = getattr(formats.exchange(format), "moves", None)  # a system that writes its own journal of moves
        moved = moves(self.store.entries(self.scopes, verb="move"), names) if moves else ()
        return [*named, *told, *moved]

    def verify(self, source: str | Source, *, format: str = "") -> str:
        """What is wrong with a file of another system's memories as a whole; empty where it verifies."""
        from tacit import formats
        from tacit.core.errors import Damaged

        for each in self._memory_files(source):
            try:
                next(iter(formats.exchange(format or formats.holder(each)).memories(each)), None)
            except Damaged as error:
                return error.message
        return ""

    def _named_rows(self, format: str, rows: Sequence[Row]) -> Sequence[Row]:
        """Rows with the foreign system's ids; a memory that has none gets one, once and for all."""
        from tacit import formats

        name_for = getattr(formats.exchange(format), "name_for", None)
        if name_for is None or all(row.alias for row in rows):
            return rows
        given: dict[str, str] = {}
        with self.store.write() as tx:
            taken = tx.aliases(self.project_id, format)
            for row in sorted((row for row in rows if not row.alias), key=lambda row: int(row.place)):
                given[row.memory.id] = name = name_for(row.memory, taken)
                taken.add(name)
                tx.add_alias(self.project_id, format, name, row.memory.id)
        return [row if row.alias else replace(row, alias=given[row.memory.id]) for row in rows]
