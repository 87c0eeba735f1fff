"""The page: the few lessons that every session may read, where people and hosts look for them.

Each pass reads the files a person asked for, tells what somebody did to them by hand, hands that to `learn`, and brings
the files up to date: a file first, whole or not at all, and only then what the store remembers of it. What waits for a
person's word is left as it stands in the file. Lessons that have earned a line are proposed, once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tacit.core.edits import paged
from tacit.core.errors import Ambiguous, NotFound, Refused, Unavailable
from tacit.core.journal import Hand
from tacit.core.page import Bullet, bullets, split_id
from tacit.core.profile_upkeep import Page
from tacit.core.proposal import APPROVED, EXPIRED, OPEN, REJECTED
from tacit.core.run import Finding
from tacit.core.value import replace, value
from tacit.tend import page_edits
from tacit.tend.context import Context, StepReport
from tacit.tend.layout import SHORT, PageEntry, compose, entry_of, strength
from tacit.tend.page_candidates import lessons_on_pages, propose
from tacit.tend.page_ledger import Book, Keeping, files_of, put_book, read_book, without
from tacit.tend.page_lines import (
    SeenFile,
    act_on,
    decided_lines,
    line_key,
    line_place,
    told_of,
    with_findings,
)
from tacit.tend.targets import FOLDERS, PAGE_NOTE, Framed, Sheet, Target, framed, opening, sheets

MAX_BYTES = 22_000  # of a page
_READ_TRIES = 3  # times a file is read again because somebody saved it meanwhile
NONE_KEPT = "no page is kept; tacit page --target MEMORY.md keeps one"
_ASKED = ("many", "drop")  # acts that leave a file alone until somebody decides


@value
class Plan:
    """How one file is to be written."""

    entries: tuple[PageEntry, ...]
    placed: Mapping[str, Bullet]
    pending: Mapping[str, str]  # lesson -> what somebody did to its line, and nobody decided about
    refused: tuple[str, ...] = ()  # lessons whose line gets its own words back, or goes
    returned: tuple[str, ...] = ()  # lessons whose line was gone and is put back
    off: tuple[str, ...] = ()


def step(context: Context) -> StepReport:
    """Bring the pages that a person asked for up to date, and propose the lines that have earned a place."""
    if context.files is None or not read_book(context.store, context.project.id).kept:
        return StepReport("page", skipped=NONE_KEPT)
    report = _Pass(context).run()
    with context.write() as tx:
        proposals = propose(tx, context)
    return replace(report, proposals=proposals)


class _Pass:
    """One pass over the pages of a project."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.page = context.profile.page
        self.notes: list[str] = []
        self.changed: list[dict[str, Any]] = []
        self.decided: dict[
            str, tuple[str, str]
        ] = {}  # key of a finding -> (state of its proposal, memory)

    def run(self) -> StepReport:
        context = self.context
        looked = look(context)
        found = [finding for seen in looked for finding in seen.findings]
        if found:
            taken: Any = (
                context.learn(found) if context.learn is not None and not context.dry_run else None
            )
            self.decided = decided_lines(context, found)
            self.decided |= {key: (APPROVED, memory) for key, memory in (taken or {}).items()}
            self._stop_keeping(looked)
            looked = look(context)
        written = sum(self._bring_up(seen) for seen in looked)
        self._mark({line_key(each) for seen in looked for each in seen.findings})
        facts = {
            "files": tuple(self.changed),
            "findings": tuple(told_of(finding) for finding in found),
        }
        return StepReport("page", written, notes=tuple(self.notes), figures=facts)

    def _mark(self, still: Collection[str]) -> None:
        """Mark proposals about lines, after the files are written: decided ones, and those whose line says something else now."""
        context = self.context
        with context.write() as tx:
            for each in tx.proposals(context.project.id, state=OPEN, limit=-1):
                key = str((each.payload or {}).get("key", ""))
                if each.kind != "page" or (each.payload or {}).get("act") == "put":
                    continue
                state = APPROVED if each.approvals else self.decided.get(key, ("", ""))[0]
                if state in (APPROVED, EXPIRED):
                    why = "stands on its page" if state == APPROVED else "its time is over"
                elif key not in still:
                    state, why = EXPIRED, "its line says something else by now"
                else:
                    continue
                by = each.approvals[-1][0] if each.approvals else context.by
                tx.put_proposal(
                    replace(
                        each, state=state, decided_by=by, decided_at=context.now(), decision=why
                    )
                )

    def _stop_keeping(self, looked: Sequence[SeenFile]) -> None:
        """A page that is gone, and that nobody wants back, is kept no more."""
        for seen in looked:
            if any(
                act_on(each) == "drop" and self._state(each) in (APPROVED, EXPIRED)
                for each in seen.findings
            ):
                with self.context.write() as tx:
                    book = read_book(tx, self.context.project.id)
                    put_book(tx, self.context.project.id, without(book, seen.target.name))
                self.notes.append(f"{seen.sheet.path} is gone and kept no more; its lessons stay")

    def _bring_up(self, seen: SeenFile) -> int:
        """Write one file, and then what is remembered of it; 1 where its text changed."""
        path = seen.sheet.path
        for _ in range(_READ_TRIES):
            asked = [
                each.quote
                for each in seen.findings
                if act_on(each) in _ASKED and self._state(each) not in (REJECTED, APPROVED)
            ]
            if seen.fault or asked:
                self.notes += (
                    [seen.fault]
                    if seen.fault
                    else [f"{told}; until then it is left as it is" for told in asked]
                )
                return 0
            plan, new = self._fitted(seen, self._plan(seen))
            if self.context.dry_run or self._write(seen, new):
                if not self.context.dry_run:
                    self._remember(seen, plan, new)
                if new != seen.raw:
                    self.changed.append(_changed(seen, new))
                return int(new != seen.raw)
            (seen,) = (each for each in look(self.context) if each.sheet.path == path)
        self.notes.append(f"{path} is being edited; it is left for the next time")
        return 0

    def _write(self, seen: SeenFile, new: bytes | None) -> bool:
        files, path = self.context.files, seen.sheet.path
        try:
            if new == seen.raw:
                return True
            return bool(
                files.remove(path, seen.raw) if new is None else files.write(path, new, seen.raw)
            )
        except Unavailable as error:
            self.notes.append(error.message)
            return False

    # -- what is to stand there -------------------------------------------------------------------

    def _plan(self, seen: SeenFile) -> Plan:
        placed, pending = dict(seen.compared.placed), dict[str, str]()
        refused, returned, off = list[str](), [*seen.compared.older], [*seen.off]
        for finding in seen.findings:
            extra, act, state = finding.extra or {}, act_on(finding), self._state(finding)
            memory = str(extra["memory"])
            if act == "add" and state == APPROVED:
                placed |= _adopted(seen, finding, self.decided[line_key(finding)][1])
            elif act in _ASKED:
                off += extra["off"] if state == APPROVED else ()
                returned += extra["memories"] if state == REJECTED else ()
            elif act != "add" and state == REJECTED:
                (returned if act == "delete" else refused).append(memory)
            elif act != "add" and state != APPROVED:
                pending[memory] = act
        left_out = {*off, *(id for id, act in pending.items() if act == "delete")}
        entries = tuple(entry for entry in seen.entries if entry.id not in left_out)
        return Plan(entries, placed, pending, tuple(refused), tuple(returned), tuple(off))

    def _state(self, finding: Finding) -> str:
        return self.decided.get(line_key(finding), ("", ""))[0]

    def _fitted(self, seen: SeenFile, plan: Plan) -> tuple[Plan, bytes | None]:
        """As many lessons as the limits let in, the strongest first."""
        new = drawn(seen, plan, self.page)
        if self._fits(new, seen):
            return plan, new
        low, high = 0, len(plan.entries)
        while low < high - 1:
            middle = (low + high) // 2
            fits = self._fits(
                drawn(seen, replace(plan, entries=plan.entries[:middle]), self.page), seen
            )
            low, high = (middle, high) if fits else (low, middle)
        self.notes.append(
            f"{seen.sheet.path} is full: {len(plan.entries) - low} of its {len(plan.entries)} lessons found no room"
        )
        plan = replace(plan, entries=plan.entries[:low])
        return plan, drawn(seen, plan, self.page)

    def _fits(self, text: bytes | None, seen: SeenFile) -> bool:
        ours = text or b""
        if seen.target.kind == "block":
            ours = framed(ours.decode("utf-8", "surrogateescape"), "block").part.encode(
                "utf-8", "surrogateescape"
            )
        return len(ours) <= MAX_BYTES and ours.count(b"\n") <= self.page.max_lines

    # -- what is remembered of it -----------------------------------------------------------------

    def _remember(self, seen: SeenFile, plan: Plan, new: bytes | None) -> None:
        context, path = self.context, seen.sheet.path
        with context.write() as tx:
            book = read_book(tx, context.project.id)
            kept = book.of(path)
            found = _bullets(framed(_text(new), seen.target.kind), seen.target)
            placed = page_edits.compare_page(
                found, plan.entries, kept, lesson_namer(context, kept)
            ).placed
            now = page_edits.remembered(
                kept,
                placed,
                plan.entries,
                pending=plan.pending,
                returned=plan.returned,
                head=context.files.head,
            )
            front = page_edits.spelled(seen.sheet.front) if seen.sheet.front else kept.front
            off = tuple(dict.fromkeys((*kept.off, *plan.off)))
            now = replace(
                now, off=off, made=kept.made or (seen.raw is None and not kept.version), front=front
            )
            self._let_go(tx, seen)
            if new is None:
                put_book(
                    tx,
                    context.project.id,
                    Book(book.kept, {p: k for p, k in book.files.items() if p != path}),
                )
            elif not kept.version or replace(now, version=kept.version) != kept:
                put_book(tx, context.project.id, Book(book.kept, {**book.files, path: now}))

    def _let_go(self, tx: Any, seen: SeenFile) -> None:
        """A line that was taken out, and about which nobody answered, stays out; its lesson keeps its state."""
        for finding in seen.findings:
            if act_on(finding) == "delete" and self._state(finding) == EXPIRED:
                context, memory = self.context, tx.get(str((finding.extra or {})["memory"]))
                told = f"its line was taken off {seen.sheet.path}, and nobody said otherwise: on trial again"
                change = paged(
                    memory,
                    False,
                    Hand(context.by, context.now(), profile=context.project.profile),
                    reason=told,
                )
                if change is not None:
                    tx.apply(change)


def look(context: Context) -> list[SeenFile]:
    """Every file that is kept, beside what is remembered of it, with what somebody did to it by hand."""
    book = read_book(context.store, context.project.id)
    memories = lessons_on_pages(context.store, context.project.id)
    targets = [each.target for each in book.kept.values()]
    found: list[SeenFile] = []
    for keeping in book.kept.values():
        mine = sheets(keeping.target, memories, context.profile.page.title, targets)
        mine += [
            Sheet(path, "", ())
            for path in files_of(book, keeping.target, [sheet.path for sheet in mine])
        ]
        found += [_see(context, sheet, keeping, book) for sheet in mine]
    stands = {id for seen in found for id in seen.compared.placed}
    return [with_findings(seen, stands, context.profile.page) for seen in found]


def _see(context: Context, sheet: Sheet, keeping: Keeping, book: Book) -> SeenFile:
    kept, page = book.of(sheet.path), context.profile.page
    mine = sorted((memory for memory in sheet.memories if memory.id not in kept.off), key=strength)
    seen = SeenFile(
        sheet, keeping.target, tuple(entry_of(memory, page) for memory in mine), kept=kept
    )
    try:
        raw = context.files.read(sheet.path)
        real = context.files.real(keeping.target.name)
    except (Refused, Unavailable) as error:
        return replace(seen, fault=error.message)
    frame = framed(_text(raw), keeping.target.kind)
    lines = tuple(line.removesuffix("\r") for line in frame.part.split("\n"))
    seen = replace(
        seen,
        raw=raw,
        frame=frame,
        lines=lines,
        fault=_fault(keeping, sheet.path, real, frame, lines),
    )
    if seen.fault:
        return seen
    found = _bullets(frame, keeping.target)
    left = named_otherwise(context, found, seen.entries)
    return replace(
        seen,
        compared=page_edits.compare_page(
            found, seen.entries, kept, lesson_namer(context, kept), context.files.head, left
        ),
    )


def _fault(keeping: Keeping, path: str, real: str, frame: Framed, lines: Sequence[str]) -> str:
    name = keeping.target.name
    if real != keeping.real:
        return f"{path} leads to {real} now, not to {keeping.real}, and is left as it is; tacit page --target {name} keeps it there"
    if frame.fault:
        return f"{path} is left as it is: {frame.fault}"
    if page_edits.is_conflict(lines):
        return f"{path} holds an unresolved merge; both sides are left as they are until you resolve it"
    return ""


def _bullets(frame: Framed, target: Target) -> list[Bullet]:
    lines = [line.removesuffix("\r") for line in frame.part.split("\n")]
    return list(bullets(lines, target.heading or "\0"))


def lesson_namer(context: Context, kept: page_edits.KeptFile) -> Callable[[str], str]:
    """The lesson behind an id as it is written on a page; empty for one that nobody here knows."""

    def name(token: str) -> str:
        known = [id for id in kept.known if id.startswith(token.lower())]
        if len(known) == 1 and len(token) >= SHORT:
            return known[0]
        try:
            id = context.store.resolve(token, context.project.id)
        except (NotFound, Ambiguous):
            return ""
        memory = context.store.get(id)
        named = memory.id.startswith(token.lower()) and len(token) >= SHORT
        return (
            id if memory.project == context.project.id and (named or token == memory.alias) else ""
        )

    return name


def named_otherwise(
    context: Context, found: Sequence[Bullet], entries: Sequence[PageEntry]
) -> list[PageEntry]:
    """Lessons that a file names and that are not to stand on it."""
    name, wanted = lesson_namer(context, page_edits.KeptFile()), {entry.id for entry in entries}
    names = {name(token) for each in found if (token := split_id(each.text)[1])}
    return [
        entry_of(memory, context.profile.page)
        for memory in context.store.memories(sorted(names - wanted - {""}))
    ]


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "surrogateescape")


def drawn(seen: SeenFile, plan: Plan, page: Page) -> bytes | None:
    """A file's new bytes; None for no file."""
    by_id = {entry.id: entry for entry in plan.entries}
    fresh = [
        id
        for id, bullet in plan.placed.items()
        if id in by_id and _is_stale(seen, plan, by_id[id], bullet)
    ]
    remove = [id for id in plan.placed if id not in by_id and id not in plan.pending]
    frame, lines = seen.frame, list(seen.lines)
    end = "\r\n" if "\r\n" in frame.before + frame.part else "\n"
    if frame.missing or seen.raw is None:
        if not plan.entries:
            return seen.raw
        lead, part, after = opening(
            seen.target.kind, seen.sheet.title, seen.sheet.front, frame.before
        )
        frame, lines = (
            Framed(frame.before + lead.replace("\n", end), part, after.replace("\n", end)),
            part.split("\n"),
        )
    elif seen.sheet.front and page_edits.spelled(frame.before) == seen.kept.front:
        frame = replace(frame, before=seen.sheet.front)
    new = compose(
        lines,
        plan.entries,
        plan.placed,
        page,
        fresh=fresh,
        remove=remove,
        copies=seen.compared.copies,
        heading=seen.target.heading,
    )
    if (
        not seen.sheet.memories
        and seen.target.kind in FOLDERS
        and not any(_is_theirs(line) for line in new)
    ):
        return None
    return (frame.before + end.join(new) + frame.after).encode("utf-8", "surrogateescape")


def _is_stale(seen: SeenFile, plan: Plan, entry: PageEntry, bullet: Bullet) -> bool:
    """Whether a line is to be worded anew: its lesson changed since it was written, or somebody's words were turned down."""
    known, words = seen.kept.known.get(entry.id), page_edits.spelled(split_id(bullet.text)[0])
    if entry.id in plan.pending or words in (
        page_edits.spelled(entry.said),
        page_edits.spelled(entry.text),
    ):
        return False
    if entry.id in plan.refused or known is None:
        return entry.id in plan.refused
    return known.entry != page_edits.spelled(entry.said) or words in known.spellings[:-1]


def _adopted(seen: SeenFile, finding: Finding, memory: str) -> dict[str, Bullet]:
    """The bullet that a lesson was just learned from."""
    mine = [each for each in seen.compared.added if line_place(each) == finding.place]
    return {memory: mine[0]} if mine and any(entry.id == memory for entry in seen.entries) else {}


def _is_theirs(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("# ") and PAGE_NOTE not in line


def _changed(seen: SeenFile, new: bytes | None) -> dict[str, Any]:
    """What became of one file, for whoever asked."""
    was, now = ((at or b"").decode("utf-8", "replace") for at in (seen.raw, new))
    return {
        "path": seen.sheet.path,
        "target": seen.target.name,
        "before": was,
        "after": now,
        "removed": new is None,
    }
