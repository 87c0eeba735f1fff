"""A project's pages as a whole, for whoever asks: which are kept, and what they would say."""

from __future__ import annotations

from tacit.core.errors import NotFound
from tacit.lesson import Lesson
from tacit.origins.night.context import Context
from tacit.origins.night.layout import compose, entry_of, strength
from tacit.origins.night.page_candidates import earned, lessons_on_pages, worthy
from tacit.origins.night.page_ledger import (
    Book,
    Keeping,
    Written,
    again,
    put_book,
    read_book,
    without,
)
from tacit.origins.night.targets import Target, framed, opening, outside, target_named


class Pages:
    """The pages of one project."""

    def __init__(self, context: Context) -> None:
        self.context, self.page = context, context.profile.page

    def kept(self) -> list[Target]:
        """The targets a person asked for."""
        book = read_book(self.context.store, self.context.project.id)
        return [each.target for each in book.kept.values()]

    def waiting(self, most: int | None = None) -> list[Lesson]:
        """Lessons that have earned a line and have none, strongest first; all of them, or the first so many."""
        return worthy(self.context, most)

    def earned(self) -> int:
        """How many lessons have earned a line and have none."""
        return earned(self.context)

    def keep(self, name: str) -> Keeping:
        """Keep a page from now on: a person's leave to write into the work tree, remembered."""
        context, target = self.context, target_named(name, self.page.target, self.page.targets)
        context.files.own(target.name)
        keeping = Keeping(target, context.files.real(target.name), context.by, context.now())
        with context.write() as tx:
            put_book(tx, context.project.id, again(read_book(tx, context.project.id), keeping))
        return keeping

    def drop(self, name: str) -> bool:
        """Keep a page no more. Our block leaves somebody's file, which is as before; a page of its own stays, and is theirs."""
        context, target = self.context, target_named(name, self.page.target, self.page.targets)
        book = read_book(context.store, context.project.id)
        if target.name not in book.kept:
            raise NotFound(f"{target.name} is not kept.", "tacit connect --list lists what is.")
        changed = target.kind == "block" and self._taken_out(target.name, book)
        with context.write() as tx:
            put_book(
                tx, context.project.id, without(read_book(tx, context.project.id), target.name)
            )
        return changed

    def _taken_out(self, path: str, book: Book) -> bool:
        files = self.context.files
        raw = files.read(path)
        frame = framed((raw or b"").decode("utf-8", "surrogateescape"), "block")
        if frame.missing or frame.fault:
            return False
        rest = outside(frame).encode("utf-8", "surrogateescape")
        made = not rest.strip() and book.files.get(path, Written()).made
        return bool(files.remove(path, raw) if made else files.write(path, rest, raw))

    def preview(self) -> str:
        """The page as it would be with every lesson that has earned a line; empty where none has."""
        standing = lessons_on_pages(self.context.store, self.context.project.id)
        both = sorted([*standing, *self.waiting(self.page.max_lines)], key=strength)
        entries = [entry_of(memory, self.page) for memory in both][: self.page.max_lines]
        lead, part, _ = opening("file", self.page.title, "")
        lines = compose(part.split("\n"), entries, {}, self.page)
        return lead + "\n".join(lines) if entries else ""
