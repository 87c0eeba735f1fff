"""The ranking that every question shares, asked of a real store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import verbs

import tacit
from tacit.core.rows import scope_projects
from tacit.hooks.search import Search, humps, windows
from tacit.store.finding import FullText
from tacit.testing import signed

Ask = Callable[..., list[str]]


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[tacit.Memories]:
    env = signed({"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)})
    store = str(tmp_path / "tacit.db")
    with verbs.open(
        store, project="here", env=env, cwd=str(tmp_path), by="dev", yes=True
    ) as opened:
        yield opened


@pytest.fixture
def ask(memories: tacit.Memories) -> Ask:
    """What is found for a text, best first."""

    def found(text: str, told: bool = False) -> list[str]:
        full = FullText(memories.store, scope_projects(memories.project_id), told)
        best = Search(full, text).best(10)
        return [hit.memory.text for hit in full.lessons({each.n: each.score for each in best})]

    return found


def kept(memories: tacit.Memories, *texts: str, **facets: object) -> None:
    memories.add_many([{"kind": "pitfall", "text": text, **facets} for text in texts])


def test_the_rare_words_of_a_question_decide(memories: tacit.Memories, ask: Ask) -> None:
    kept(
        memories,
        "The build needs the network on the first run.",
        "The build needs a seeded database.",
        "The build writes into the cache folder.",
    )
    assert ask("why does the build want a database?")[0] == "The build needs a seeded database."


def test_a_version_is_told_from_its_neighbours(memories: tacit.Memories, ask: Ask) -> None:
    kept(memories, "Upgrade kafka to 2.8.1", "Upgrade kafka to 3.4.0", "Upgrade kafka to 2.8.2")
    assert ask("upgrade of kafka to 3.4.0")[0] == "Upgrade kafka to 3.4.0"


def test_one_line_of_a_long_report_is_met(memories: tacit.Memories, ask: Ask) -> None:
    kept(
        memories,
        "Quote the separator when the shell prints one.",
        "The importer closes its cursor before the last page.",
    )
    log = "\n".join(f"step {n}: fetched page {n} of the separator list" for n in range(40))
    asked = f"{log}\nwhy does the importer close the cursor early?\n{log}"
    assert ask(asked)[0] == "The importer closes its cursor before the last page."


def test_a_name_is_found_by_its_parts(memories: tacit.Memories, ask: Ask) -> None:
    kept(memories, "BouncyCastle must be registered first.", "Register the worker first.")
    assert ask("bouncy castle")[0] == "BouncyCastle must be registered first."


def test_what_an_agent_said_yields_to_a_person(memories: tacit.Memories, ask: Ask) -> None:
    kept(memories, "Run the linter before each commit, said the agent.", trust="agent")
    kept(memories, "Run the linter before each commit, said a person.")
    assert ask("linter before a commit")[0].endswith("a person.")


def test_a_turn_is_told_by_its_neighbour(memories: tacit.Memories, ask: Ask) -> None:
    kept(memories, "Which queue is it?", "The second one.", "Fine, go on.", group="one")
    kept(memories, "The second one.\u2003Really.", group="two")
    assert ask("second queue")[:2] == ["Which queue is it?", "The second one."]


def test_the_same_task_lifts_what_happened_there(memories: tacit.Memories, ask: Ask) -> None:
    kept(memories, "Open the drawer first.", task="put a clean plate on the counter")
    kept(memories, "A plate lies on the counter, clean.", task="heat some bread")
    assert ask("put a clean plate on the counter")[0] == "Open the drawer first."


@pytest.mark.parametrize(
    "text", ["", " \n\t", "the of and", "\0\0", "😀" * 9, '"unclosed AND (', "ß"]
)
def test_what_asks_nothing_finds_nothing(memories: tacit.Memories, ask: Ask, text: str) -> None:
    kept(memories, "The build needs a seeded database.")
    assert ask(text) == []


def test_a_megabyte_is_read_at_its_ends(memories: tacit.Memories, ask: Ask) -> None:
    kept(memories, "The build needs a seeded database.")
    assert ask("word " * 250_000 + "seeded database?") == ["The build needs a seeded database."]


def test_another_script_is_found(memories: tacit.Memories, ask: Ask) -> None:
    kept(memories, "データベースを先に準備する", "キャッシュを消す")
    assert ask("データベースの準備")[0] == "データベースを先に準備する"


def test_only_what_may_be_told_is_found_for_a_hook(memories: tacit.Memories, ask: Ask) -> None:
    kept(memories, "The build needs a seeded database.", "Seed the database by hand.")
    (gone,) = [each for each in memories.list() if each.text.startswith("Seed")]
    memories.forget(gone.id, reason="wrong")
    assert ask("seed the database", told=True) == ["The build needs a seeded database."]


def test_long_lines_overlap_and_names_fall_apart() -> None:
    words = [str(n) for n in range(60)]
    parts = windows(words)
    assert {word for part in parts for word in part} == {*words}
    assert parts[0][12:] == parts[1][:12]
    assert humps("XMLHttpRequest") == ["XML", "Http", "Request"]
    assert humps("plain") == ["plain"]
