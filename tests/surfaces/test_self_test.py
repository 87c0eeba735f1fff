"""The end of `connect`: every event of every host is understood and answered, on a copy; what fails is said."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import open

from tacit.cli.self_test import fire, self_test_lines
from tacit.hosts import HOSTS, codex, host


@pytest.mark.parametrize("name", HOSTS)
def test_every_event_is_understood(name: str, folder: Path, tacit: Any) -> None:
    """The person's own word is seen at the start, what fits the sample later; the store knows nothing of it afterwards."""
    with open() as memories:
        kept = memories.add("Use pnpm, not npm.", kind="preference")
        memories.add("Run `make db` before `make test`: the tests need the tables.", kind="pitfall")
        fired = fire(host(name), memories.store, str(folder), os.environ)
        assert [(each.theirs, each.error) for each in fired] == [
            (entry.theirs, "") for entry in host(name).entries
        ]
        seen = [line for each in fired for line in each.seen]
        assert any(kept.id in line for line in fired[0].seen) and any(
            "make db" in line for line in seen
        )
        assert memories.store.all_uses(memories.project_id) == []
    told = self_test_lines(fired)
    assert told[0].startswith(f"self-test: {len(fired)} of {len(fired)} events") and any(
        "Use pnpm" in line for line in told
    )


def test_an_event_that_fails_or_is_not_understood_is_said(
    folder: Path, tacit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host would never hear of it; a person who connects it does."""
    with open() as memories:
        memories.add("Use pnpm, not npm.", kind="preference")
        right = codex.read
        monkeypatch.setattr(
            codex, "read", lambda name, *rest: None if name == "prompt" else right(name, *rest)
        )
        monkeypatch.setattr(codex, "write", lambda event, told: 1 / 0)
        fired = fire(host("codex"), memories.store, str(folder), os.environ)
    by_name = {each.theirs: each.error for each in fired}
    assert by_name["UserPromptSubmit"] == "the event was not understood"
    assert by_name["SessionStart"].startswith("ZeroDivisionError")
    assert "events answered" in self_test_lines(fired)[0] and not self_test_lines(fired)[
        0
    ].startswith(f"self-test: {len(fired)} of")


def test_a_large_store_is_not_copied(
    folder: Path, tacit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said instead."""
    monkeypatch.setattr("tacit.cli.self_test.LARGEST_COPY", 10)
    with open() as memories:
        memories.add("Use pnpm, not npm.", kind="preference")
        assert fire(host("codex"), memories.store, str(folder), os.environ) == []
    assert "too large" in self_test_lines([])[0]
