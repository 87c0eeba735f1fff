"""`recall` is the one ranking: what it finds first is what fits the words, whatever a text names by the way."""

from __future__ import annotations

from pathlib import Path

from tests import verbs

from tacit.testing import signed


def test_a_name_met_by_the_way_is_not_lifted_over_what_is_asked(tmp_path: Path) -> None:
    env = signed({"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)})
    with verbs.open(
        str(tmp_path / "tacit.db"), project="here", env=env, cwd=str(tmp_path), by="dev", yes=True
    ) as memories:
        memories.add_many(
            [
                {"text": "`merge_tags` sorts by time.", "about": "tags; merge_tags"},
                {"text": "The importer must close its cursor before the last page is read."},
            ]
        )
        asked = (
            "The importer leaves its cursor open after the upgrade and the next page is never"
            " asked for; seen beside merge_tags in a trace."
        )
        found = memories.recall(asked).hits
    assert found[0].memory.text.startswith("The importer")


def test_why_a_lesson_scores_is_the_score_that_recall_gave(tmp_path: Path) -> None:
    env = signed({"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)})
    with verbs.open(
        str(tmp_path / "tacit.db"), project="here", env=env, cwd=str(tmp_path), by="dev", yes=True
    ) as memories:
        memories.add("Seed the database before the build.")
        (hit,) = memories.recall("how is the database seeded?").hits
        told = memories.explain(hit.memory.id, "how is the database seeded?")
    assert told["score"] == round(hit.score, 6) > 0
