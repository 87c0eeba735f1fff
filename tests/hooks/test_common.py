"""What is common in a project: counted by sessions, kept in a small file, gone with the session."""

from __future__ import annotations

from pathlib import Path

from tacit.hooks.common import common_of, forget_used, note_used, used_in
from tacit.place.folders import common_in, common_path


def test_a_session_uses_words_names_and_commands() -> None:
    used = used_in(["Fix the list-edit-form, please."], ["git push -u origin main"], ["src/a/b.py"])
    assert {"list-edit-form", "git", "git push", "git push origin", "b.py", "edit"} <= {*used}


def test_a_quarter_makes_a_word_common_and_a_few_sessions_none() -> None:
    twelve = [{"git", "rare"}, *({"git"} for _ in range(3)), *({"else"} for _ in range(8))]
    assert common_of(twelve) == ["else", "git"]
    assert common_of(twelve * 2) == ["else", "git"]
    assert common_of([*twelve, *({"else"} for _ in range(4))]) == ["else"]
    assert common_of([{"git"}] * 3) == []
    assert common_of([{"git"}] * 4) == ["git"]


def test_a_session_that_grew_counts_once_and_what_is_erased_no_more(tmp_path: Path) -> None:
    store = str(tmp_path / "tacit.db")
    for run, group in (("r1", "g1"), ("r1", "g1"), ("r2", "g1"), ("r3", "g2"), ("r4", "g3")):
        note_used(store, "p", group, run, ["make"])
    assert common_in(store, "p") == frozenset()
    note_used(store, "p", "g4", "r5", ["make"])
    assert common_in(store, "p") == {"make"}
    forget_used(store, "p", {"r3"})
    assert common_in(store, "p") == frozenset()
    assert common_in(store, "q") == frozenset()


def test_a_damaged_file_is_as_if_nobody_had_counted(tmp_path: Path) -> None:
    store = str(tmp_path / "tacit.db")
    note_used(store, "p", "g", "r", ["make"])
    Path(common_path(store, "p")).unlink()
    Path(common_path(store, "p")).mkdir()
    assert common_in(store, "p") == frozenset()
