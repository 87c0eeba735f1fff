"""Review comments of pull requests, as GitHub's REST interface or `gh pr view --json reviews,comments` gives them.

What somebody with a say in the repository remarks on a change is a reviewer's word. What anybody else writes under it is text from
the outside, and held. Replies, approvals, quotations and code are no lessons. Annotations of checks (`path`, `annotation_level`,
`message`) are read too: they are CI's word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.digest import digest
from tacit.core.run import Finding, Reading, Run, fold_severity
from tacit.formats.session import list_at, reported, text_at, time_of
from tacit.formats.source import Source, json_record

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "reviews"
_LARGEST = 64 * 1024 * 1024
_MOST = 1000  # comments of one file
_TEXT = 500  # characters of a lesson
_SHORTEST = 12
INSIDERS = ("OWNER", "MEMBER", "COLLABORATOR")
_OPENS_WITH = re.compile(
    r"^(?:nit|nitpick|minor|question|suggestion|todo|issue|blocking|non-blocking)\b(?:\s*\([^)]*\))?\s*[:,-]\s*",
    re.I,
)
UNREADABLE_REVIEWS = "this is no JSON that can be read, or too large"


def detect(source: Source) -> float:
    """How sure we are: comments on a diff, reviews with a state, or annotations of a check."""
    head = source.head(16384)
    if head.lstrip()[:1] not in (b"[", b"{"):
        return 0.0
    if b'"diff_hunk"' in head or (b'"pull_request_review_id"' in head and b'"body"' in head):
        return 0.9
    if b'"annotation_level"' in head and b'"message"' in head:
        return 0.85
    said = b'"reviews"' in head or b'"comments"' in head or b'"state"' in head
    return (
        0.8
        if said
        and (b'"authorAssociation"' in head or b'"author_association"' in head)
        and b'"body"' in head
        else 0.0
    )


def read(source: Source) -> Iterator[Run]:
    """The comments by pull request, each pull request a run."""
    with source.open() as file:
        raw = file.read(_LARGEST + 1)
    items = _items(raw) if len(raw) <= _LARGEST else None
    print = digest("reviews", raw[:_LARGEST]).hex()[:12]
    if items is None:
        yield Run(
            print,
            NAME,
            path=source.path,
            reading=Reading(malformed=1, warnings=(UNREADABLE_REVIEWS,)),
        )
        return
    pulls: dict[str, list[Record]] = {}
    for item in items[:_MOST]:
        pulls.setdefault(_pull(item) or print, []).append(item)
    left = (
        [f"{len(items) - _MOST} comments beyond the first {_MOST} were left out"]
        if len(items) > _MOST
        else []
    )
    for id, said in pulls.items():
        found = [
            each for n, item in enumerate(said, 1) if (each := _finding(id, item, n)) is not None
        ]
        reading = Reading(len(said), 0, warnings=tuple(left))
        times = sorted(filter(None, map(_made_at, said)))
        looked = any(_association(item) in INSIDERS for item in said)
        span = {"started_at": times[0], "ended_at": times[-1]} if times else {}
        yield reported(NAME, id, source, found, looked, agent="reviewer", reading=reading, **span)


def _made_at(item: Record) -> str:
    return time_of(item, "created_at") or time_of(item, "submittedAt") or time_of(item, "createdAt")


def _association(item: Record) -> str:
    return text_at(item, "author_association", "authorAssociation").upper()


def _items(raw: bytes) -> list[Record] | None:
    """Every comment, review and annotation in a file: a list, lists of lists (pages), or an object that holds them."""
    whole = json_record(b'{"items":' + raw.lstrip(b"\xef\xbb\xbf") + b"}")
    if whole is None:
        return None
    found: list[Record] = []
    waiting: list[Any] = [whole["items"]]
    while waiting and len(found) <= 10 * _MOST:
        each = waiting.pop(0)
        if type(each) is list:
            waiting = [*each, *waiting]
        elif type(each) is dict:
            inner = [
                *list_at(each, "comments"),
                *list_at(each, "reviews"),
                *list_at(each, "annotations"),
            ]
            waiting = [*inner, *waiting]
            if isinstance(each.get("body"), str) or "annotation_level" in each:
                found.append(each)
    return found


def _pull(item: Record) -> str:
    """owner/repository#number, from the comment's own address."""
    address = text_at(item, "html_url", "url", "pull_request_url")
    named = re.search(r"[/.]com/(?:repos/)?([\w.-]+/[\w.-]+)/pulls?/(\d+)", address)
    return f"{named[1]}#{named[2]}" if named else ""


def _finding(run: str, item: Record, number: int) -> Finding | None:
    annotated = "annotation_level" in item
    body = text_at(item, "message") if annotated else text_at(item, "body")
    text = lesson_of(body)
    if (
        item.get("in_reply_to_id")
        or len(text) < _SHORTEST
        or text_at(item, "state").upper() in ("APPROVED", "DISMISSED")
    ):
        return None
    insider = _association(item) in INSIDERS
    path = text_at(item, "path")[:400]
    line = item.get("line") or item.get("original_line") or item.get("start_line")
    asked = text_at(item, "state").upper() == "CHANGES_REQUESTED"
    level = text_at(item, "annotation_level")
    return Finding(
        run,
        f"{'annotation' if annotated else 'comment'}:{item.get('id') or number}",
        text,
        by="ci" if annotated else "reviewer",
        tier="review" if annotated or insider else "quoted",
        severity=fold_severity(level) if annotated else "warning" if asked else "recommendation",
        tags=("suggestion",) if "```suggestion" in body else (),
        paths=(path,) if path and path.isprintable() else (),
        quote=f"{path}:{line}: {' '.join(body.split())}"[:400]
        if path and type(line) is int
        else " ".join(body.split())[:400],
        at=_made_at(item),
    )


def lesson_of(body: str) -> str:
    """What a comment says itself: without code, quotations, pictures, hidden parts and pleasantries; its first paragraphs."""
    text = re.sub(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", "\n", body, flags=re.S)
    text = re.sub(
        r"<!--.*?(?:-->|\Z)|<details\b.*?(?:</details>|\Z)", "\n", text, flags=re.S | re.I
    )
    lines = [
        line.strip() for line in text.splitlines() if not line.lstrip().startswith((">", "|", "!["))
    ]
    said = " ".join(line for line in lines if line)
    said = re.sub(r"!\[[^\]]*\]\([^)]*\)|\[([^\]]*)\]\([^)]*\)", r"\1", said)
    said = _OPENS_WITH.sub("", said)
    if len(said) <= _TEXT:
        return said.strip()
    cut = said[:_TEXT]
    return cut[: max(cut.rfind(". ") + 1, _TEXT // 2)].strip()
