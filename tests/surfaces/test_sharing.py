"""What leaves the house as one file: it runs nothing, loads nothing, takes no text for anything but text, and claims no more than is known."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.terminals import ask, put_as

from tacit.app import Memories
from tacit.app import open as open_memories
from tacit.core import clock
from tacit.core.proposal import Proposal
from tacit.core.run import Cost
from tacit.surfaces import sharing
from tacit.surfaces.cli import main
from tacit.testing import finding, run

XSS = "</title></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<a href='javascript:alert(3)' style='x'>"
HEARD = "You always want the linter to run first"


class Tags(HTMLParser):
    """Every element and attribute of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, text in attrs:
            self.attributes.setdefault(name, set()).add(text or "")


def holds_nothing_active(page: str) -> None:
    """No script, no address, no inline style or handler, and a policy that allows the one style alone."""
    seen = Tags()
    seen.feed(page)
    assert not seen.tags & {
        "script",
        "img",
        "iframe",
        "object",
        "link",
        "form",
        "base",
        "a",
    }
    assert not [
        name
        for name in seen.attributes
        if name.startswith("on") or name in ("style", "src", "href", "action", "srcset")
    ]
    style = page.partition("<style>")[2].partition("</style>")[0]
    hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src &#39;none&#39;; style-src &#39;sha256-{hash}&#39;;" in page
    assert not re.search(r"url\(|@import|https?://", page)


@pytest.fixture
def memories(folder: Path) -> Iterator[Memories]:
    with open_memories() as found:
        found.add(XSS, kind="rule")
        found.learn(
            run(
                "a",
                finding("a", f"The importer drops rows {XSS}", kind="pitfall", quote=XSS),
                task=XSS,
                model=XSS,
                cost=Cost(10, 5, usd=1.0),
            )
        )
        heard = found.add(HEARD, kind="preference")
        bad = found.add(f"Retry it {XSS}", kind="fix")
        wrong = {"quote": XSS, "patch": f"CLAUDE.md:1: {XSS}", "count": 2, "runs": [XSS]}
        with found.store.write() as tx:
            put_as(tx, heard, "edit", found.now(), extra={"word": "said"})
            put_as(tx, bad, "verdict", found.now(), "learn", XSS, verdict="harms")
            tx.put_proposal(
                Proposal(
                    "p1", found.project_id, "notice", XSS, "notice", found.now(), payload=wrong
                )
            )
        ask(found, "request", "You asked for the linter.", id="p2", quote="lint first")
        yield found


@pytest.mark.parametrize("team", [False, True])
def test_a_report_is_one_file_that_runs_nothing(memories: Memories, team: bool) -> None:
    """The one screen, and what is wrong outside of memory; a hostile text is text wherever it stands."""
    page = sharing.report(memories, clock.after_days(memories.now(), -7), team=team, version="1")
    holds_nothing_active(page)
    assert page.count("&lt;script&gt;alert(1)") >= 3
    for title in ("New, or to decide", "CLAUDE.md:1:"):
        assert title in page, title
    assert ("Asked for again and again" in page) is not team


def test_a_team_report_leaves_out_what_was_heard_from_one_person(memories: Memories) -> None:
    """And says that it does; what one person asked for is theirs too."""
    since = clock.after_days(memories.now(), -7)
    mine, theirs = (
        sharing.report(memories, since, team=team, version="1") for team in (False, True)
    )
    assert HEARD in mine and "lint first" in mine
    assert (
        HEARD not in theirs
        and "lint first" not in theirs
        and "heard from one person only: 1 lesson." in theirs
    )


def test_a_lesson_is_shared_with_its_story(memories: Memories) -> None:
    """How it stands, whether it helps, what happened to it."""
    [hostile] = [each for each in memories.list(limit=50) if each.text.startswith("Retry it")]
    page = sharing.shared_lesson(memories, hostile.id, version="1")
    holds_nothing_active(page)
    for told in ("harms", "What would change this:", "Its life", "Effect known"):
        assert told in page, told


def test_the_command_writes_the_file(
    memories: Memories, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`tacit report --html` names what it wrote; a month and a team are flags."""
    assert main(["report", "--html", "--month", "--team"]) == 0
    written = Path(capsys.readouterr().out.strip().removeprefix("report written: "))
    assert (
        "Team report" in written.read_text()
        and written.parent.name == "reports"
        and not list(folder.glob("*.html"))
    )
    assert main(["report", "--html", "mine.html"]) == 0
    assert "New, or to decide" in (folder / "mine.html").read_text()


def test_a_report_of_nothing_says_so(folder: Path) -> None:
    """A project in which nothing happened has no picture and no claim."""
    with open_memories() as found:
        found.add("Use uv.", kind="preference")
        page = sharing.report(found, clock.after_days(found.now(), -7), team=False, version="1")
    assert "1 lesson in force" in page and "came back" not in page and "<svg" not in page
