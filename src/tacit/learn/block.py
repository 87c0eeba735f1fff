"""Lessons in files that hosts load: a block between two marks of ours, and not a byte outside of it.

A person asks for a file once; then it is brought up to date. It goes one way: `tacit edit` changes a
lesson, `tacit data import FILE --trust user` takes in what somebody wrote. What a hand changed
between the marks is replaced only where a person says so. An origin's curated page (`page.curated`)
is its own to write; which files are kept and how they are written is the same for both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.digest import short_hash
from tacit.core.errors import NotFound, Refused, Unavailable
from tacit.core.states import ACTIVE, ENDING_VERDICTS
from tacit.core.value import Section, replace, value
from tacit.hookspecs import of_origins
from tacit.lesson import Lesson, is_found_once
from tacit.safety.one_line import plain_line

if TYPE_CHECKING:
    from tacit.opened import Opened
    from tacit.place.files import WorkTree
    from tacit.store.reads import Reads, WorkContext

MAX_BYTES = 22_000  # of what is ours in a file: every session loads all of it
READ_TRIES = 3  # times a file is read again because somebody saved it meanwhile
SHORT = 8  # characters of an id behind a line
LONGEST = 1_000  # characters of a line
PAGE_NOTE = "Written by Tacit from its lessons. To change one: tacit edit, tacit drop."
BEGIN, END = f"<!-- tacit:begin: {PAGE_NOTE} -->", "<!-- tacit:end -->"
INBOX = "Inbox"  # the section of what the map does not name
_HEAD = "## Lessons from past runs"
_BEGINS = re.compile(r"^[ \t]*<!-- tacit:begin\b[^\n]*-->[ \t]*\r?$", re.M)
_ENDS = re.compile(r"^[ \t]*<!-- tacit:end\b[^\n]*-->[ \t]*\r?$", re.M)
_CONFLICT = re.compile(r"^(?:<{7}|>{7}|={7}|\|{7})(?: |$)", re.M)
_NAME = re.compile(r"[A-Za-z][\w.-]{3,40}")  # an alias that may stand for the id
_SEVERITIES = ("bug", "warning", "recommendation", "info")


@value
class Kept:
    """A file that a person asked for, and what was last written there: hashes, never words."""

    name: str
    real: str  # where its name led then: a link that leads elsewhere later is not followed
    made: bool = False  # it was not there before
    block: str = ""  # of what stood between our marks
    lines: Mapping[str, str] = {}  # of each lesson's line on a curated page


@value
class Drawn:
    """A file as it is to be: None for no file; why it is left alone; who found no room."""

    data: bytes | None
    kept: Kept
    fault: str = ""
    by_hand: bool = False
    left_out: int = 0


@value
class Changed:
    """What became of one file."""

    path: str
    before: str
    after: str
    removed: bool = False


@value
class Written:
    """What came of bringing the files up to date."""

    files: tuple[Changed, ...] = ()
    by_hand: tuple[str, ...] = ()  # files that a hand changed between our marks
    notes: tuple[str, ...] = ()


@value
class _Framed:
    """A file's text in three: only the middle is ours."""

    before: str
    part: str
    after: str
    fault: str = ""
    missing: bool = False


# -- which files, and which lessons ----------------------------------------------------------------


def kept_files(store: Reads, project: str) -> dict[str, Kept]:
    """The files that a person asked for, by name."""
    rows = json.loads(store.meta(f"pages:{project}") or "{}")
    return {name: Kept(name, **row) for name, row in rows.items()}


def kept_pages(opened: Opened) -> list[str]:
    """The names of the files that are kept."""
    return list(kept_files(opened.store, opened.project_id))


def keep_page(opened: Opened, target: str, on: bool = True) -> None:
    """Keep a file from now on, or once more, or no more: a person's leave."""
    opened.need_person("Letting Tacit write a page")
    name = target.strip().replace("\\", "/").removeprefix("./").rstrip("/")
    work, files = opened.work, opened.work_tree
    kept = kept_files(work.store, work.project.id).get(name)
    if not on:
        _leave(work, files, name, kept)
    else:  # what somebody took out of it may stand there again
        files.own(name)
        _remember(work, Kept(name, files.real(name), kept is not None and kept.made), name)


def _leave(work: WorkContext, files: WorkTree, name: str, kept: Kept | None) -> None:
    """Our block leaves the file, and it is as before; a curated page stays, and is theirs."""
    if kept is None:
        raise NotFound(f"{name} is not kept.", "tacit connect --list lists what is.")
    raw = files.read(name)
    frame = _framed(_text(raw))
    if raw is not None and name != work.profile.page.curated and not (frame.missing or frame.fault):
        rest = _bytes(_without(frame))
        gone = kept.made and not rest.strip()
        _ = files.remove(name, raw) if gone else files.write(name, rest, raw)
    _remember(work, None, name)


def standing(store: Reads, project: str) -> list[Lesson]:
    """The lessons that a person put on the project's pages, strongest first."""
    equal: dict[str, str | int] = {"on_page": 1, "gate": "allow"}
    found = store.select([project], states=(ACTIVE,), equal=equal, sort="old", limit=-1)
    return sorted((each for each in found if _may_stand(each)), key=strength)


def earned(opened: Opened, most: int | None = None) -> list[Lesson]:
    """Lessons that have earned a line and have none, strongest first: pinned ones, and those of a class without trials."""
    classes: list[dict[str, str | int]] = [{"klass": each} for each in opened.profile.trial.exempt]
    found = {
        memory.id: memory
        for equal in ({"pinned": 1}, *classes)
        for memory in opened.store.select(
            [opened.project_id],
            states=(ACTIVE,),
            equal={"gate": "allow", "on_page": 0, **equal},
            sort="old",
            limit=-1,
        )
        if _may_stand(memory) and not is_found_once(memory)
    }
    return sorted(found.values(), key=strength)[:most]


def page_preview(opened: Opened) -> str:
    """The block as it would be with every lesson that has earned a line; empty where none has."""
    page = opened.profile.page
    both = [*standing(opened.store, opened.project_id), *earned(opened)]
    lessons = sorted(both, key=strength)[: page.max_lines]
    return block_of(lessons, page) if lessons else ""


def _may_stand(memory: Lesson) -> bool:
    return bool(memory.text) and memory.verdict not in ENDING_VERDICTS


def strength(memory: Lesson) -> tuple[object, ...]:
    """What stands first, and is left out last where there is no room: a person's own lines, then what is proven."""
    by_severity = _SEVERITIES.index(memory.severity)
    proven = (not memory.pinned, memory.verdict != "helps", by_severity, -memory.tally.seen)
    return (*proven, memory.created_at, memory.id)


def section_of(memory: Lesson, page: Section) -> str:
    """Where a lesson belongs: where a person put it, or by its kind or category; the inbox if the page knows neither."""
    put = str((memory.extra or {}).get("section") or "")
    names = (memory.kind, memory.category, memory.category.rpartition(":")[2], memory.klass)
    asked = put or next((page.map[name] for name in names if name in page.map), "")
    wanted = asked.strip().casefold()
    return next((each for each in page.sections if each.casefold() == wanted), INBOX)


def name_behind(memory: Lesson) -> str:
    """The name that stands behind a lesson's line: its alias where that reads as one, else the head of its id."""
    return memory.alias if _NAME.fullmatch(memory.alias) else memory.id[:SHORT]


# -- bringing them up to date ----------------------------------------------------------------------


def page(opened: Opened, *, dry_run: bool = False, over: bool = False) -> Written:
    """Bring the files up to date. `over`: a person's leave to replace what was changed by hand between our marks."""
    if over:
        opened.need_person("Replacing what was written by hand")
    return bring_up(opened.work, opened.work_tree, dry_run=dry_run, over=over)


def bring_up(
    work: WorkContext, files: WorkTree, *, dry_run: bool = False, over: bool = False
) -> Written:
    """Write every file that is kept as it is to be; `over`: a person's leave to replace what was changed by hand."""
    changed: list[Changed] = []
    by_hand: list[str] = []
    notes: list[str] = []
    lessons = standing(work.store, work.project.id)
    for name in kept_files(work.store, work.project.id):
        try:
            done, drawn = _brought_up(work, files, name, lessons, dry_run, over)
        except (Refused, Unavailable) as error:
            notes.append(error.message)
            continue
        changed += [done] if done else []
        by_hand += [name] if drawn.by_hand else []
        notes += [drawn.fault] if drawn.fault else []
        if drawn.left_out:
            told = f"{drawn.left_out} of its {len(lessons)} lessons found no room"
            notes.append(f"{name} is full: {told}")
    return Written(tuple(changed), tuple(by_hand), tuple(notes))


def _brought_up(
    work: WorkContext,
    files: WorkTree,
    name: str,
    lessons: Sequence[Lesson],
    dry_run: bool,
    over: bool,
) -> tuple[Changed | None, Drawn]:
    """One file: read, drawn, written where nobody saved it meanwhile, and then remembered."""
    for _ in range(READ_TRIES):
        kept = kept_files(work.store, work.project.id)[name]
        raw = files.read(name)
        drawn = _drawn(work, kept, raw, files.real(name), lessons)
        if drawn.by_hand and drawn.data != raw and not over:
            told = f"{name} was changed between Tacit's marks and is left; tacit connect asks whether to replace it"
            drawn = replace(drawn, fault=told)
        if drawn.fault:
            return None, drawn
        if dry_run or drawn.data == raw or _put(files, name, drawn.data, raw):
            if not dry_run and drawn.kept != kept:
                _remember(work, drawn.kept, name)
            was, now = ((each or b"").decode("utf-8", "replace") for each in (raw, drawn.data))
            changed = Changed(name, was, now, drawn.data is None)
            return (changed if drawn.data != raw else None), drawn
    told = f"{name} is being edited; it is left for the next time"
    return None, replace(drawn, fault=told)


def _drawn(
    work: WorkContext, kept: Kept, raw: bytes | None, real: str, lessons: Sequence[Lesson]
) -> Drawn:
    """A file with as many lessons as there is room for, the strongest first."""
    if real != kept.real:
        told = f"{kept.name} leads to {real} now, not to {kept.real}, and is left as it is"
        return Drawn(raw, kept, f"{told}; tacit connect {kept.name} keeps it there")
    page = work.profile.page
    draw: Any = of_origins("page", kept.name) if kept.name == page.curated else _with_block
    text = _text(raw)
    drawn = draw(work, kept, text, lessons)
    fitting = list(lessons)
    while fitting and not drawn.fault and not _fits(drawn.data, page, draw is _with_block):
        fitting = fitting[: -max(1, len(fitting) // 20)]
        drawn = draw(work, kept, text, fitting)
    data = raw if drawn.fault or (raw is None and not lessons) else drawn.data
    made = kept.made or (raw is None and not kept.block and not kept.lines)
    after = replace(drawn.kept, made=made)
    return replace(drawn, data=data, kept=after, left_out=len(lessons) - len(fitting))


def _fits(data: bytes | None, page: Section, block: bool) -> bool:
    ours = _bytes(_framed(_text(data)).part) if block else data or b""
    return len(ours) <= MAX_BYTES and ours.count(b"\n") <= page.max_lines


def has_conflict(text: str) -> bool:
    """Whether a text holds the marks of an unresolved merge."""
    return _CONFLICT.search(text) is not None


def _put(files: WorkTree, name: str, data: bytes | None, was: bytes | None) -> bool:
    if data is None:
        return was is None or files.remove(name, was)
    return files.write(name, data, was)


def _remember(work: WorkContext, kept: Kept | None, name: str) -> None:
    rows = kept_files(work.store, work.project.id)
    rows.pop(name, None) if kept is None else rows.update({name: kept})
    told = {
        each.name: {"real": each.real, "made": each.made, "block": each.block, "lines": each.lines}
        for each in rows.values()
    }
    with work.write() as tx:
        tx.put_meta(f"pages:{work.project.id}", json.dumps(told))


# -- the block -------------------------------------------------------------------------------------


def block_of(lessons: Sequence[Lesson], page: Section) -> str:
    """What stands between our marks: sections in the page's order, a lesson a line."""
    sections: dict[str, list[str]] = {}
    for each in lessons:
        text = plain_line(each.text, LONGEST)
        line = f"- {text} <!-- {name_behind(each)} -->"
        sections.setdefault(section_of(each, page), []).append(line)
    order = [*page.sections, INBOX]
    parts = [
        "\n".join([f"### {name}", *sections[name]])
        for name in sorted(sections, key=lambda name: order.index(name))
    ]
    return "\n\n".join([_HEAD, *parts]) + "\n"


def _with_block(work: WorkContext, kept: Kept, text: str, lessons: Sequence[Lesson]) -> Drawn:
    """A file with the block in it, made anew; without one where no lesson is left."""
    frame = _framed(text)
    fault = f"{kept.name} is left as it is: {frame.fault}" if frame.fault else ""
    if frame.missing and kept.block and not fault:
        fault = (
            f"what Tacit wrote in {kept.name} is gone; tacit connect {kept.name} writes it again,"
            " with --undo it is kept no more"
        )
    if has_conflict(frame.part):
        fault = f"{kept.name} holds an unresolved merge and is left as it is"
    if fault:
        return Drawn(None, kept, fault)
    if not lessons:
        rest = _bytes(text if frame.missing else _without(frame))
        return Drawn(rest if rest.strip() or not kept.made else None, replace(kept, block=""))
    by_hand = not frame.missing and short_hash(frame.part) != kept.block
    end = "\r\n" if "\r\n" in frame.before + frame.part else "\n"
    if frame.missing:
        lead = f"{chr(10) if text else ''}{BEGIN}\n"
        frame = _Framed(text + lead.replace("\n", end), "", f"{END}\n".replace("\n", end))
    part = block_of(lessons, work.profile.page).replace("\n", end)
    data = _bytes(frame.before + part + frame.after)
    return Drawn(data, replace(kept, block=short_hash(part)), by_hand=by_hand)


def _framed(text: str) -> _Framed:
    begins, ends = list(_BEGINS.finditer(text)), list(_ENDS.finditer(text))
    if not begins and not ends:
        return _Framed(text, "", "", missing=True)
    if len(begins) != 1 or len(ends) != 1 or begins[0].start() > ends[0].start():
        told = f"it has {len(begins)} begin and {len(ends)} end markers of Tacit, not one pair"
        return _Framed(text, "", "", told)
    start, end = begins[0].end() + 1, ends[0].start()  # the marker's own line break belongs to it
    return _Framed(text[:start], text[start:end], text[end:])


def _without(frame: _Framed) -> str:
    """A file without our block: as it was, where the block still stands at its end."""
    begin, end = _BEGINS.search(frame.before), _ENDS.search(frame.after)
    assert begin is not None and end is not None
    before, after = frame.before[: begin.start()], frame.after[end.end() :].removeprefix("\n")
    if not after:
        before = before.removesuffix("\r\n" if frame.before.endswith("\r\n") else "\n")
    return before + after


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
