"""The pages that a person asked for, written out: lessons go onto them, and nothing is learned from them.

Between our marks in somebody's file all is made anew; where a hand changed it, a person is asked before that is replaced.
On an origin's curated page each line of ours stands where a person put it, and their own lines are left alone: a line
that was changed by hand stays as it is, one that was taken out stays out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tacit.core.digest import short_hash
from tacit.core.errors import Ambiguous, NotFound, Refused, Unavailable
from tacit.core.page import Bullet, bullets, split_id
from tacit.core.value import Section, replace, value
from tacit.origins.night.context import Context, StepReport
from tacit.origins.night.layout import SHORT, PageEntry, compose, entry_of, strength
from tacit.origins.night.page_candidates import lessons_on_pages, propose
from tacit.origins.night.page_ledger import Book, Keeping, Written, files_of, put_book, read_book
from tacit.origins.night.targets import Framed, Sheet, Target, framed, opening, outside, sheets

MAX_BYTES = 22_000  # of a page: every session loads all of it
_READ_TRIES = 3  # times a file is read again because somebody saved it meanwhile
NONE_KEPT = "no page is kept; tacit connect AGENTS.md keeps one"
_CONFLICT = re.compile(r"^(?:<{7}|>{7}|={7}|\|{7})(?: |$)", re.M)


@value
class Found:
    """One file as it lies there, and what is to stand in it."""

    sheet: Sheet
    target: Target
    entries: tuple[PageEntry, ...]
    was: Written = Written()
    raw: bytes | None = None
    frame: Framed = Framed("", "", "")
    fault: str = ""  # why it is left alone
    by_hand: bool = False  # what stands between our marks is not what was written there


@value
class Drawn:
    """A file's new bytes (None: no file), and what is to be remembered of it."""

    data: bytes | None
    written: Written
    left_out: int = 0  # lessons that found no room


def step(context: Context) -> StepReport:
    """Bring the pages that a person asked for up to date, and propose the lines that have earned a place."""
    if context.files is None or not read_book(context.store, context.project.id).kept:
        return StepReport("page", skipped=NONE_KEPT)
    notes: list[str] = []
    changed: list[dict[str, Any]] = []
    found = look(context)
    for path in [each.sheet.path for each in found]:
        changed += _bring_up(context, path, notes)
    with context.write() as tx:
        proposals = propose(tx, context)
    by_hand = tuple(each.sheet.path for each in found if each.by_hand)
    figures = {"files": tuple(changed), "by_hand": by_hand}
    return StepReport(
        "page", len(changed), proposals=proposals, notes=tuple(notes), figures=figures
    )


def look(context: Context) -> list[Found]:
    """Every file that is kept, as it lies there, with the lessons that are to stand in it."""
    book = read_book(context.store, context.project.id)
    memories = lessons_on_pages(context.store, context.project.id)
    targets = [each.target for each in book.kept.values()]
    found: list[Found] = []
    for keeping in book.kept.values():
        mine = sheets(keeping.target, memories, context.profile.page.title, targets)
        known = {sheet.path for sheet in mine}
        mine += [
            Sheet(path, "", ()) for path in files_of(book, keeping.target) if path not in known
        ]
        found += [_found(context, sheet, keeping, book) for sheet in mine]
    return found


def _found(context: Context, sheet: Sheet, keeping: Keeping, book: Book) -> Found:
    page, kind = context.profile.page, keeping.target.kind
    entries = tuple(entry_of(each, page) for each in sorted(sheet.memories, key=strength))
    seen = Found(sheet, keeping.target, entries, book.files.get(sheet.path, Written()))
    try:
        raw = context.files.read(sheet.path)
        real = context.files.real(keeping.target.name)
    except (Refused, Unavailable) as error:
        return replace(seen, fault=error.message)
    frame = framed(_text(raw), kind)
    by_hand = kind == "block" and not frame.missing and short_hash(frame.part) != seen.was.block
    fault = _fault(keeping, sheet.path, real, frame)
    if not fault and frame.missing and (seen.was.block or seen.was.lines) and kind != "agents":
        fault = f"what Tacit wrote in {sheet.path} is gone; tacit connect {sheet.path} writes it again, with --undo it is kept no more"
    return replace(seen, raw=raw, frame=frame, fault=fault, by_hand=by_hand and not fault)


def _fault(keeping: Keeping, path: str, real: str, frame: Framed) -> str:
    if real != keeping.real:
        return (
            f"{path} leads to {real} now, not to {keeping.real}, and is left as it is; "
            f"tacit connect {keeping.target.name} keeps it there"
        )
    if frame.fault:
        return f"{path} is left as it is: {frame.fault}"
    if _CONFLICT.search(frame.part):
        return f"{path} holds an unresolved merge and is left as it is"
    return ""


def _bring_up(context: Context, path: str, notes: list[str]) -> list[dict[str, Any]]:
    """Write one file, and then what is remembered of it; what became of it where its text changed."""
    for _ in range(_READ_TRIES):
        [seen] = [each for each in look(context) if each.sheet.path == path]
        if seen.fault:
            notes.append(seen.fault)
            return []
        new = draw(context, seen)
        if seen.by_hand and new.data != seen.raw and not context.over:
            notes.append(
                f"{path} was changed between Tacit's marks and is left; tacit connect asks whether to replace it"
            )
            return []
        if new.left_out:
            notes.append(
                f"{path} is full: {new.left_out} of its {len(seen.entries)} lessons found no room"
            )
        try:
            done = context.dry_run or new.data == seen.raw or _write(context, seen, new.data)
        except Unavailable as error:
            notes.append(error.message)
            return []
        if done:
            if not context.dry_run:
                _remember(context, path, new)
            return [_changed(seen, new.data)] if new.data != seen.raw else []
    notes.append(f"{path} is being edited; it is left for the next time")
    return []


def _write(context: Context, seen: Found, data: bytes | None) -> bool:
    if data is None:
        return bool(context.files.remove(seen.sheet.path, seen.raw))
    return bool(context.files.write(seen.sheet.path, data, seen.raw))


def _remember(context: Context, path: str, new: Drawn) -> None:
    book = read_book(context.store, context.project.id)
    files = {each: written for each, written in book.files.items() if each != path}
    if new.data is not None:
        files[path] = new.written
    if files != dict(book.files):
        with context.write() as tx:
            put_book(tx, context.project.id, Book(book.kept, files))


def draw(context: Context, seen: Found) -> Drawn:
    """The file with as many lessons as the limits let in, the strongest first."""
    page, entries = context.profile.page, seen.entries
    drawn = _drawn(context, seen, entries, page)
    while entries and not _fits(drawn.data, seen.target, page):
        entries = entries[: -max(1, len(entries) // 20)]
        drawn = _drawn(context, seen, entries, page)
    return replace(drawn, left_out=len(seen.entries) - len(entries))


def _fits(data: bytes | None, target: Target, page: Section) -> bool:
    ours = framed(_text(data), "block").part.encode("utf-8", "surrogateescape")
    ours = ours if target.kind == "block" else data or b""
    return len(ours) <= MAX_BYTES and ours.count(b"\n") <= page.max_lines


def _drawn(context: Context, seen: Found, entries: Sequence[PageEntry], page: Section) -> Drawn:
    frame, kind = seen.frame, seen.target.kind
    made = seen.was.made or (seen.raw is None and not seen.was.lines and not seen.was.block)
    if not entries and (frame.missing or seen.raw is None):
        return Drawn(seen.raw, Written(made))
    if kind == "block" and not entries:
        rest = outside(frame).encode("utf-8", "surrogateescape")
        return Drawn(None if made and not rest.strip() else rest, Written(made))
    end = "\r\n" if "\r\n" in frame.before + frame.part else "\n"
    lead, part, after = opening(kind, seen.sheet.title, frame.before)
    if frame.missing or seen.raw is None:
        frame = Framed(frame.before + lead.replace("\n", end), part, after.replace("\n", end))
    elif kind == "block":
        frame = replace(frame, part=part)
    lines = [line.removesuffix("\r") for line in frame.part.split("\n")]
    new, written = _composed(context, seen, lines, entries, page)
    if kind == "agents" and not seen.sheet.memories and not any(map(_is_theirs, new)):
        return Drawn(None, written)
    ours = end.join(new)
    data = (frame.before + ours + frame.after).encode("utf-8", "surrogateescape")
    block = Written(made, short_hash(ours))
    return Drawn(data, block if kind == "block" else replace(written, made=made))


def _composed(
    context: Context, seen: Found, lines: list[str], entries: Sequence[PageEntry], page: Section
) -> tuple[list[str], Written]:
    """The lines of a page with these lessons on it, and what was written of each lesson."""
    found = list(bullets(lines, seen.target.heading or "\0"))
    placed = place(found, entries, lesson_namer(context))
    wanted = {entry.id: entry for entry in entries}
    was = seen.was.lines if seen.target.kind != "block" else {}
    fresh = [
        id
        for id, bullet in placed.items()
        if id in wanted
        and _said(bullet) != spelled(wanted[id].said)
        and _is_ours(bullet, was.get(id))
    ]
    out = [id for id in was if id in wanted and id not in placed]
    standing = [entry for entry in entries if entry.id not in out]
    remove = [id for id in placed if id not in wanted and id in was]
    new = compose(
        lines, standing, placed, page, fresh=fresh, remove=remove, heading=seen.target.heading
    )
    kept = {
        entry.id: was[entry.id]
        if entry.id in placed and entry.id not in fresh and entry.id in was
        else short_hash(spelled(entry.said))
        for entry in standing
    }
    return new, Written(lines={**kept, **{id: was[id] for id in out}})


def place(
    found: Sequence[Bullet], entries: Sequence[PageEntry], name: Callable[[str], str]
) -> dict[str, Bullet]:
    """Which bullets are which lessons: by the id a line carries, else by the very words."""
    placed: dict[str, Bullet] = {}
    loose: list[Bullet] = []
    for bullet in found:
        id = name(split_id(bullet.text)[1])
        if id and id not in placed:
            placed[id] = bullet
        elif not id:
            loose.append(bullet)
    words = {spelled(said): each.id for each in entries for said in (each.text, each.said)}
    for bullet in loose:
        id = words.get(_said(bullet), "")
        if id and id not in placed:
            placed[id] = bullet
    return placed


def lesson_namer(context: Context) -> Callable[[str], str]:
    """The lesson of this project behind an id as it is written on a page; empty for one that nobody here knows."""

    def name(token: str) -> str:
        if not token:
            return ""
        try:
            memory = context.store.get(context.store.resolve(token, context.project.id))
        except (NotFound, Ambiguous):
            return ""
        named = memory.id.startswith(token.lower()) and len(token) >= SHORT
        here = memory.project == context.project.id and (named or token == memory.alias)
        return memory.id if here else ""

    return name


def spelled(said: str) -> str:
    """A line's words as two spellings are compared."""
    return " ".join(said.split())


def _said(bullet: Bullet) -> str:
    return spelled(split_id(bullet.text)[0])


def _is_ours(bullet: Bullet, written: str | None) -> bool:
    return written is not None and short_hash(_said(bullet)) == written


def _is_theirs(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(("# ", "<!-- "))


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "surrogateescape")


def _changed(seen: Found, new: bytes | None) -> Mapping[str, Any]:
    """What became of one file, for whoever asked."""
    was, now = ((at or b"").decode("utf-8", "replace") for at in (seen.raw, new))
    return {
        "path": seen.sheet.path,
        "target": seen.target.name,
        "before": was,
        "after": now,
        "removed": new is None,
    }
