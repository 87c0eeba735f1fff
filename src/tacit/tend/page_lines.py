"""What a person changed on a page of lessons: each line against what stood there, as findings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from tacit.core.digest import short_hash
from tacit.core.page import Bullet, split_id
from tacit.core.profile_upkeep import Page
from tacit.core.proposal import APPROVED, EXPIRED, OPEN, Proposal
from tacit.core.run import Finding
from tacit.core.value import replace, value
from tacit.guard.redact import private, redact
from tacit.guard.screen import screen
from tacit.stores.lookups import asked_about
from tacit.tend import page_edits
from tacit.tend.context import Context
from tacit.tend.layout import PageEntry, said_by
from tacit.tend.targets import FOLDERS, Framed, Sheet, Target

ASK_ABOVE = 3  # lines that vanish at once, above which somebody is asked


@value
class SeenFile:
    """One file beside what is remembered of it."""

    sheet: Sheet
    target: Target
    entries: tuple[PageEntry, ...]
    raw: bytes | None = None
    frame: Framed = Framed("", "", "")
    lines: tuple[str, ...] = ()
    compared: page_edits.Compared = page_edits.Compared({}, {})
    kept: page_edits.KeptFile = page_edits.KeptFile()
    findings: tuple[Finding, ...] = ()
    off: tuple[str, ...] = ()  # taken off this page while they stand on another
    fault: str = ""  # why it is left alone


def with_findings(seen: SeenFile, stands: Collection[str], page: Page) -> SeenFile:
    """A file with its findings. A line that is gone from one page and stands on another was taken off the one only."""
    if seen.fault:
        return seen
    said = {entry.id: entry.said for entry in seen.entries}
    gone = [id for id in seen.compared.gone if id in said]
    off = [id for id in gone if id in stands]
    vanished = seen.raw is None or (seen.frame.missing and seen.target.kind == "block")
    if gone and (len(gone) > ASK_ABOVE or (vanished and seen.target.kind not in FOLDERS)):
        return replace(
            seen, findings=(_asking(seen, gone, off, vanished and seen.target.kind not in FOLDERS),)
        )
    lost = [id for id in gone if id not in stands]
    return replace(seen, findings=tuple(_by_line(seen, lost, said, page)), off=tuple(off))


def _asking(seen: SeenFile, gone: Sequence[str], off: Sequence[str], vanished: bool) -> Finding:
    path, count = seen.sheet.path, len(gone)
    since = str(max(seen.kept.known[id].since for id in gone))
    forgotten = [id for id in gone if id not in off]
    if vanished:
        what = path if seen.raw is None else f"Tacit's part of {path}"
        told = (
            f"{what} is gone, with {count} lines; approve: keep it no more, reject: write it again"
        )
        return _finding(seen, "drop", told, key=since, memories=gone)
    told = f"{count} lines vanished from {path}; approve: forget them, reject: put them back"
    return _finding(seen, "many", told, key=since, memories=forgotten, off=off)


def _by_line(
    seen: SeenFile, lost: Sequence[str], said: Mapping[str, str], page: Page
) -> Iterator[Finding]:
    at, path = seen.compared, seen.sheet.path
    for id in lost:
        yield _finding(
            seen,
            "delete",
            f"line deleted from {path}: {said[id]}",
            memory=id,
            key=str(seen.kept.known[id].since),
        )
    for id, words in at.edited.items():
        if id in said and _is_text(words):
            told = f"line changed on {path}: {said[id]} → {words}"
            yield _finding(
                seen, "edit", told, memory=id, text=said_by(words, page), bullet=at.placed[id]
            )
    for id in at.back:
        told = f"line put back on {path}: {split_id(at.placed[id].text)[0]}"
        yield _finding(seen, "back", told, memory=id, bullet=at.placed[id])
    for bullet in at.added:
        words = split_id(bullet.text)[0]
        if _is_text(words):
            where = f" under {bullet.section}" if bullet.section else ""
            yield _finding(
                seen,
                "add",
                f"new line on {path}{where}: {words}",
                text=said_by(words, page),
                bullet=bullet,
            )


def _finding(
    seen: SeenFile,
    act: str,
    told: str,
    *,
    memory: str = "",
    text: str = "",
    bullet: Bullet | None = None,
    key: str = "",
    memories: Sequence[str] = (),
    off: Sequence[str] = (),
) -> Finding:
    path = seen.sheet.path
    suspicion = screen(text) if text else None
    if suspicion and not suspicion.clean:
        told = f"{told} ({suspicion.reason})"
    extra = {
        "act": act,
        "path": path,
        "memory": memory,
        "section": bullet.section if bullet else "",
        "memories": list(memories),
        "off": list(off),
        "facets": dict(seen.sheet.facets or {}),
        "key": short_hash(path, act, memory, page_edits.spelled(text), key),
    }
    return Finding(
        run=f"page:{path}",
        place=line_place(bullet) if bullet else "",
        text=redact(private(text)).text,
        extractor="page",
        by="page",
        tier="quoted",  # anybody's words until a person vouches for them
        origin=f"page:{path}",
        stance="contradicts" if act in ("delete", "many") else "supports",
        quote=redact(private(told)).text,
        extra=extra,
    )


def _is_text(words: str) -> bool:
    """Whether words can be kept; what is not UTF-8 stays on the page and nowhere else."""
    return "\0" not in words and not any("\ud800" <= letter <= "\udfff" for letter in words)


def line_key(finding: Finding) -> str:
    return str((finding.extra or {})["key"])


def act_on(finding: Finding) -> str:
    return str((finding.extra or {})["act"])


def line_place(bullet: Bullet) -> str:
    return f"line:{bullet.start + 1}"


def told_of(finding: Finding) -> dict[str, Any]:
    extra = finding.extra or {}
    return {
        "act": extra["act"],
        "path": extra["path"],
        "memory": extra["memory"] or None,
        "text": finding.text,
        "told": finding.quote,
    }


def decided_lines(context: Context, findings: Sequence[Finding]) -> dict[str, tuple[str, str]]:
    """What became of the proposals about these findings: key -> (state, memory)."""
    return {
        key: _state(context, each)
        for finding in findings
        for key in [line_key(finding)]
        for each in asked_about(context.store, context.project.id, key)
    }


def _state(context: Context, proposal: Proposal) -> tuple[str, str]:
    """A proposal's state; one that was signed and not marked yet is approved, one whose time is over expired."""
    state = proposal.state
    if state == OPEN and proposal.approvals:
        state = APPROVED
    elif state == OPEN and proposal.expires_at and proposal.expires_at <= context.now():
        state = EXPIRED
    return state, proposal.memory
