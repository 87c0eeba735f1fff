"""The small file beside the store: a hook with nothing to say ends before the store is opened, and misses nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests import verbs

from tacit.place.folders import is_spoken_of, spoken_path


def test_what_no_lesson_names_is_known_without_the_store(tmp_path: Path) -> None:
    """Written by the worker's tidying, gone with the next change of a lesson, whole again afterwards."""
    with verbs.open(tmp_path / "s.db", by="ada", yes=True) as memories:
        path = memories.store.path
        lesson = memories.add("Use `pnpm test` here.", paths=["src/app.py"], about="tests; run_all")
        assert is_spoken_of(path, ["cargo"])  # nobody wrote it yet: the store is asked
        memories.store.tidy()
        assert (Path(spoken_path(path)).stat().st_mode & 0o777) == 0o600
        assert [
            is_spoken_of(path, [word]) for word in ("pnpm", "app.py", "run_all", "cargo", "")
        ] == [
            True,
            True,
            True,
            False,
            False,
        ]
        memories.forget(lesson.id)
        assert is_spoken_of(path, ["cargo"])
        memories.store.tidy()
        assert not is_spoken_of(path, ["pnpm"])


def test_a_hook_opens_no_store_for_what_no_lesson_names(folder: Path, monkeypatch: Any) -> None:
    from tacit.hooks import main as hooks
    from tacit.place.folders import store_path
    from tacit.store import moments

    with verbs.open(by="ada", yes=True) as memories:
        memories.add("Use `pnpm test` here.", paths=["src/app.py"])
        memories.store.tidy()
        path = memories.store.path
    assert path == store_path(None, dict(__import__("os").environ))
    opened: list[str] = []
    monkeypatch.setattr(
        moments,
        "opened",
        lambda *given, **named: opened.append("store") or (_ for _ in ()).throw(OSError),
    )

    def asked(**given: str) -> bool:
        payload = {
            "session_id": "s1",
            "cwd": str(folder),
            "hook_event_name": "PreToolUse",
            "tool_name": "x",
            "tool_use_id": "t",
            "tool_input": given,
        }
        opened.clear()
        try:
            hooks.respond(
                "before-command",
                json.loads(json.dumps(payload)),
                dict(__import__("os").environ),
                host="claude-code",
            )
        except OSError:
            pass
        return bool(opened)

    assert [asked(command="cargo build"), asked(file_path="/x/other.py"), asked(command="ls")] == [
        False,
        False,
        False,
    ]
    assert [asked(command="pnpm test"), asked(file_path=f"{folder}/src/app.py")] == [True, True]
