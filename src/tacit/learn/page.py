"""What somebody wrote on a page, learned: a line changed, added, taken out, or put back.

A page lies in the work tree, where agents, pull requests and merges write too. So a line is a person's word only when a
person vouches for it: at a terminal, where they see what is about to be learned, or with their name signed. Everything
else waits as a proposal of kind `page`, one keystroke away, and is asked about once (docs/internals/decisions/0011).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.clock import after_days
from tacit.core.edits import edited, forgotten, made, paged, undone
from tacit.core.journal import Hand
from tacit.core.links import Evidence
from tacit.core.memory import Memory
from tacit.core.moves import lifted
from tacit.core.profile import Profile
from tacit.core.proposal import Proposal
from tacit.core.run import Finding
from tacit.core.value import replace, value
from tacit.learn.by_hand import memory_from
from tacit.stores.lookups import asked_about
from tacit.stores.sql import WorkContext

if TYPE_CHECKING:
    from tacit.stores.sql_writer import Transaction

# What may have happened to a line, as the act of a finding that tend read off a page.
EDIT, ADD, DELETE, BACK, MANY, DROP, PUT = "edit", "add", "delete", "back", "many", "drop", "put"


@value
class _Line:
    """What is to be learned from one line."""

    act: str
    path: str
    memory: str = ""
    text: str = ""
    section: str = ""
    place: str = ""
    facets: Mapping[str, Any] | None = None  # what the file says of all its lines: an agent, paths
    memories: tuple[str, ...] = ()  # of many lines that are gone at once


def take_page(work: WorkContext, findings: Sequence[Finding], *, vouched: bool) -> dict[str, str]:
    """Learn what a page says where a person vouches for it, and propose it where nobody does. Key of a finding -> its memory."""
    taken: dict[str, str] = {}
    with work.write() as tx:
        for finding in findings:
            extra = finding.extra or {}
            if vouched and work.actor.is_person:
                taken[str(extra["key"])] = learn_line(tx, work, read_line_back(extra, finding))
            else:
                _propose(tx, work, finding)
    return taken


def read_line_back(extra: Mapping[str, Any], finding: Finding | None = None) -> _Line:
    """What a finding, or the payload of a proposal, says about a line."""
    return _Line(
        str(extra["act"]),
        str(extra["path"]),
        str(extra.get("memory") or ""),
        finding.text if finding else str(extra.get("text") or ""),
        str(extra.get("section") or ""),
        finding.place if finding else str(extra.get("place") or ""),
        extra.get("facets"),
        tuple(extra.get("memories") or ()),
    )


def learn_line(tx: Transaction, work: WorkContext, line: _Line) -> str:
    """Do what a person did to a line to its lesson; the lesson's id."""
    hand = Hand(work.actor.name, work.now(), profile=work.project.profile)
    if line.act == ADD:
        return _add(tx, work, line, hand)
    if line.act == MANY:
        for id in line.memories:
            told = f"{hand.by} deleted its line from {line.path}"
            _apply(tx, forgotten(tx.get(id), hand, told))
        return ""
    if line.act == DROP:
        return ""  # that a page is kept no more is for the page's own record
    memory = tx.get(line.memory)
    if line.act == EDIT:
        told = f"{hand.by} changed its line on {line.path}"
        _apply(tx, edited(memory, {"text": line.text}, hand, told))
        _vouch(tx, memory, line, hand)
    elif line.act == DELETE:
        told = f"{hand.by} deleted its line from {line.path}"
        _apply(tx, forgotten(memory, hand, told))
    else:
        _bring_back(tx, work, memory, line, hand)
    return memory.id


def _add(tx: Transaction, work: WorkContext, line: _Line, hand: Hand) -> str:
    project, profile, actor = work.project, work.profile, work.actor
    facets = {
        **filed(line.section, profile),
        **(line.facets or {}),
        "text": line.text,
        "origin": f"page:{line.path}",
    }
    memory, _ = memory_from(facets, actor, profile, project.id, work.ids(), hand.at)
    extra = {"section": line.section} if line.section else None
    # An agent's own page is this project's, whoever else the agent works for.
    memory = replace(memory, project=project.id, on_page=True, extra=extra)
    told = f"{actor.name} wrote it on {line.path}: a person's word, and off trial"
    tx.apply(made(memory, hand, told))
    _vouch(tx, memory, line, hand)
    return memory.id


def filed(section: str, profile: Profile) -> dict[str, str]:
    """The kind, or the category, that the lines of a section have; nothing for a section the profile does not map."""
    for name, mapped in profile.page.map.items():
        if mapped.casefold() == section.strip().casefold():
            kinds = [kind for kind, at in profile.kinds.items() if name in (kind, at.klass)]
            return {"kind": kinds[0]} if kinds else {"category": name}
    return {}


def _bring_back(
    tx: Transaction, work: WorkContext, memory: Memory, line: _Line, hand: Hand
) -> None:
    """A line that stands on the page again brings back a lesson that was forgotten; otherwise it is approved for the page."""
    last = tx.entries(memory=memory.id, newest=True, limit=1)
    if memory.state == "archived" and last and last[0].verb == "forget":
        tx.apply(undone(memory, last[0], (), hand))
        memory = tx.get(memory.id)
    told = f"{hand.by} put its line on {line.path}: off trial" if line.path else ""
    _apply(tx, paged(memory, True, hand, told))
    _apply(tx, lifted(tx.get(memory.id), work.profile, "person", hand))


def _vouch(tx: Transaction, memory: Memory, line: _Line, hand: Hand) -> None:
    tx.add_evidence(
        Evidence(
            memory.id,
            memory.project,
            signal="approved",
            by=hand.by,
            tier="user",
            place=f"{line.path} {line.place} {hand.at}",
            quote=line.text,
            at=hand.at,
        )
    )


def _apply(tx: Transaction, change: Any) -> None:
    if change is not None:
        tx.apply(change)


def _propose(tx: Transaction, work: WorkContext, finding: Finding) -> None:
    """Ask once. What was rejected, or that nobody answered, stays quiet until the line changes again."""
    extra, project, at = dict(finding.extra or {}), work.project.id, work.now()
    if asked_about(tx, project, str(extra["key"])):
        return
    payload = {**extra, "text": finding.text, "place": finding.place}
    tx.put_proposal(
        Proposal(
            work.ids(),
            project,
            "page",
            finding.quote,
            "tend",
            at,
            str(extra.get("memory") or ""),
            tier="person",
            payload=payload,
            expires_at=after_days(at, work.profile.triage.expire_days),
        )
    )
