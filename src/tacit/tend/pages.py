"""A project's pages as a whole, for whoever asks: which are kept, what they would say, who stands behind which line."""

from __future__ import annotations

from tacit.core.errors import NotFound
from tacit.core.memory import Memory
from tacit.core.page import bullets
from tacit.core.value import value
from tacit.tend import page_edits
from tacit.tend.context import Context
from tacit.tend.layout import compose, entry_of, strength
from tacit.tend.page import lesson_namer, named_otherwise
from tacit.tend.page_candidates import earned, lessons_on_pages, worthy
from tacit.tend.page_ledger import Book, Keeping, again, put_book, read_book, without
from tacit.tend.targets import Target, framed, opening, outside, target_named


@value
class Blamed:
    """A line of a page and the lesson behind it."""

    number: int
    text: str
    memory: Memory | None = None
    evidence: int = 0


class Pages:
    """The pages of one project."""

    def __init__(self, context: Context) -> None:
        self.context, self.page = context, context.profile.page

    def kept(self) -> list[Target]:
        """The targets a person asked for."""
        return [
            each.target
            for each in read_book(self.context.store, self.context.project.id).kept.values()
        ]

    def waiting(self, most: int | None = None) -> list[Memory]:
        """Lessons that have earned a line and have none, strongest first; all of them, or the first so many."""
        return worthy(self.context, most)

    def earned(self) -> int:
        """How many lessons have earned a line and have none."""
        return earned(self.context)

    def named(self, name: str) -> Target:
        """The target that is meant by a name."""
        return target_named(name, self.page.target, self.page.targets)

    def keep(self, name: str) -> Keeping:
        """Keep a page from now on: a person's leave to write into the work tree, remembered."""
        context, target = self.context, self.named(name)
        context.files.own(target.name)
        keeping = Keeping(target, context.files.real(target.name), context.by, context.now())
        with context.write() as tx:
            put_book(tx, context.project.id, again(read_book(tx, context.project.id), keeping))
        return keeping

    def drop(self, name: str) -> bool:
        """Keep a page no more. Our block leaves somebody's file, which is as before; a page of its own stays, and is theirs."""
        context, target = self.context, self.named(name)
        book = read_book(context.store, context.project.id)
        if target.name not in book.kept:
            raise NotFound(f"{target.name} is not kept.", "tacit page lists the pages that are.")
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
        made = not rest.strip() and book.of(path).made
        return bool(files.remove(path, raw) if made else files.write(path, rest, raw))

    def preview(self) -> str:
        """The page as it would be with every lesson that has earned a line; empty where none has."""
        both = [
            *lessons_on_pages(self.context.store, self.context.project.id),
            *self.waiting(self.page.max_lines),
        ]
        entries = [entry_of(memory, self.page) for memory in sorted(both, key=strength)][
            : self.page.max_lines
        ]
        lead, part, _ = opening("file", self.page.title, "", "")
        return (
            lead + "\n".join(compose(part.split("\n"), entries, {}, self.page)) if entries else ""
        )

    def blame(self, path: str) -> list[Blamed]:
        """The bullets of a file, each with the lesson behind it."""
        context = self.context
        raw = context.files.read(path)
        if raw is None:
            raise NotFound(
                f"There is no file {path} in this project.", "Name a page: tacit blame MEMORY.md"
            )
        kept = read_book(context.store, context.project.id).of(path)
        entries = [
            entry_of(memory, self.page)
            for memory in lessons_on_pages(context.store, context.project.id)
        ]
        found = list(bullets(raw.decode("utf-8", "replace").split("\n")))
        left = named_otherwise(context, found, entries)
        placed = page_edits.compare_page(
            found, entries, kept, lesson_namer(context, kept), left=left
        ).placed
        behind = {bullet.start: id for id, bullet in placed.items()}
        known = {memory.id: memory for memory in context.store.memories(sorted(behind.values()))}
        return [
            self._blamed(each.start, each.text, known.get(behind.get(each.start, "")))
            for each in found
        ]

    def _blamed(self, start: int, text: str, memory: Memory | None) -> Blamed:
        seen = len(self.context.store.evidence(memory.id)) if memory else 0
        return Blamed(start + 1, text, memory, seen)
