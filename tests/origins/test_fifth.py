"""Nothing but `origins/` knows an origin by name, and a fifth is one class of its own."""

from __future__ import annotations

import inspect
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from tests import verbs

import tacit
from tacit import origins
from tacit.core.profile import extractor, kind
from tacit.origins import ORIGINS, named
from tacit.origins.ladder import Rules, at, rule
from tacit.origins.origin import APPROVED, Origin, put_away

SOURCE = Path(tacit.__file__).parent


def test_nothing_else_names_an_origin() -> None:
    """In code, comments, help and data alike: who asks, asks the class."""
    names = re.compile(rf"\b(?:{'|'.join((*ORIGINS, 'aiwg'))})", re.I)
    wrong = [
        f"{path.relative_to(SOURCE)}:{n}"
        for path in sorted(SOURCE.rglob("*"))
        if path.suffix in (".py", ".txt", ".toml", ".sql", ".md")
        and path.relative_to(SOURCE).parts[0] != "origins"
        for n, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if names.search(line)
    ]
    assert wrong == []


class Toy(Origin):
    """A fifth, in one file: tips that three sessions brought are given, two at a time, in capitals."""

    SESSIONS = 3  # "a tip counts when three sessions brought it"
    MOST = 2  # "never more than two"

    name = "toy"
    title = "Toy: tips that three sessions brought"
    add_kind = other_kind = "tip"
    columns = ("id", "state", "seen", "text")
    words = Origin.words.but(memory="tip")
    kinds = {"tip": kind("fix", "Tip")}  # noqa: RUF012
    extract = Origin.extract.but(extractors={"outright": extractor("tip")})
    trust = Origin.trust.but(runs=SESSIONS)
    ladder = Rules(
        moves=(
            rule(
                "third", ("candidate",), "provisional", "seen {seen}x", at("seen", ">=", SESSIONS)
            ),
            APPROVED,
            put_away(),
        )
    )
    rank = Origin.rank.but(ranker="lexical")
    budget = Origin.budget.but(lean=MOST, balanced=MOST, deep=MOST, level="deep")
    render = Origin.render.but(renderer="lines", heading="## TIPS", line="- {text} ({seen})")
    page = Origin.page.but(sections=("Tips", "Inbox"), map={"tip": "Tips"})


@pytest.fixture
def fifth(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry point of a package that brings it."""
    there = EntryPoint("toy", f"{__name__}:Toy", "tacit.origins")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Toy.__module__])

    def found(**asked: str) -> list[EntryPoint]:
        fits = asked.get("group") == there.group and asked.get("name", "toy") == "toy"
        return [there] if fits else []

    monkeypatch.setattr("importlib.metadata.entry_points", found)


def test_a_fifth_is_one_class(fifth: None, folder: Path) -> None:
    """Named by an entry point, sixty lines at most; it learns, rises by its own number, is given in its own words."""
    assert len(inspect.getsource(Toy).splitlines()) <= 60
    assert named("toy") == Toy() and origins.names() == [*ORIGINS, "toy"]
    lines = [{"type": "finding", "text": "Warm the cache before the tests.", "kind": "tip"}]
    with verbs.open(profile="toy", by="ada", yes=True) as memories:
        told: list[Any] = []
        for n in range(3):
            path = folder / f"{n}.jsonl"
            rows = [{"type": "run", "id": f"r{n}"}, *lines, {"type": "end", "outcome": "success"}]
            path.write_text("\n".join(tacit_json(row) for row in rows))
            memories.learn(str(path), format="neutral")
            told.append(memories.inject("run the tests").markdown)
        assert told == ["", "", "## TIPS\n- Warm the cache before the tests. (3)\n"]
    with verbs.open() as memories:
        assert memories.profile.name == "toy"


def tacit_json(row: dict[str, Any]) -> str:
    from tacit.core.value import dumps

    return dumps(row)
