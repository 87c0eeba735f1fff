"""Whatever a hook is given, and whatever became of the store: nothing said, exit 0, no store made, and what failed is counted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests import verbs

from tacit.hooks.main import EVENTS, respond
from tacit.testing import signed

LESSONS = (
    "Run make migrate before the tests.",
    "Prices are integers in cents.",
    "The exporter writes umlauts in Latin-1.",
    "Close the cursor before the last page is read.",
    "Answer in short sentences.",
)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A store of five lessons, in which every word is rare."""
    known = signed({"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "TACIT_NO_WORKER": "1"})
    with verbs.open(
        store_of(known), project="here", env=known, cwd=str(tmp_path), by="dev", yes=True
    ) as memories:
        for text in LESSONS:
            memories.add(text, kind="fact")
    return {**known, "TACIT_PROJECT": "here", "TACIT_STORE": store_of(known)}


def store_of(env: dict[str, str]) -> str:
    return os.path.join(env["HOME"], "tacit.db")


def payload(env: dict[str, str], **more: Any) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "cwd": env["HOME"],
        "hook_event_name": "UserPromptSubmit",
        "prompt": "close the cursor of the last page",
        **more,
    }


def said(env: dict[str, str], name: str, given: Any) -> str:
    try:
        return respond(name, given, env)
    except Exception:  # `main` ends well whatever is raised here, and prints nothing
        return ""


@pytest.mark.parametrize(
    "prompt",
    [
        "x" * 1_000_000,
        "word " * 200_000,
        "😀" * 5000,
        "データベースを移行する",
        "a\0b",
        "\ud800",
        "thanks, go on",
        "make the button of the page larger",
    ],
)
def test_a_prompt_about_nothing_hears_nothing_in_a_store_of_five(
    env: dict[str, str], prompt: str
) -> None:
    assert said(env, "prompt", payload(env, prompt=prompt)) == ""


def test_a_prompt_about_a_lesson_hears_it(env: dict[str, str]) -> None:
    assert LESSONS[3] in said(env, "prompt", payload(env))


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        "text",
        {},
        {"session_id": 7, "cwd": ["/"], "prompt": {"a": 1}},
        {"session_id": "s", "cwd": "relative", "tool_input": "{"},
        {"session_id": "s", "cwd": "/nowhere", "tool_input": {"command": ["ls"]}},
    ],
)
def test_missing_and_wrong_fields_are_silent(env: dict[str, str], name: str, given: Any) -> None:
    assert said(env, name, given) == ""


def test_a_store_that_is_gone_is_not_made(env: dict[str, str]) -> None:
    os.unlink(store_of(env))
    assert said(env, "prompt", payload(env)) == "" and not os.path.exists(store_of(env))


def test_a_damaged_store_is_silent(env: dict[str, str]) -> None:
    place = Path(store_of(env))
    place.write_bytes(b"SQLite format 3\0" + os.urandom(20_000))
    before = place.read_bytes()
    assert said(env, "prompt", payload(env)) == "" and place.read_bytes() == before


def test_a_store_of_a_later_version_is_left_alone(env: dict[str, str]) -> None:
    with apsw.Connection(store_of(env)) as other:
        other.execute("PRAGMA user_version = 999999")
    assert said(env, "prompt", payload(env)) == ""


def test_a_busy_store_is_silent_and_the_failure_is_counted(env: dict[str, str]) -> None:
    other = apsw.Connection(store_of(env))
    other.execute("BEGIN IMMEDIATE")
    assert said(env, "prompt", payload(env)) == ""
    other.execute("ROLLBACK")
    other.close()
    assert LESSONS[3] in said(env, "prompt", payload(env, prompt_id="p2"))


def test_what_failed_is_counted_for_doctor(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tacit.hooks.record.chosen", lambda *_: 1 / 0)
    assert said(env, "prompt", payload(env)) == ""
    with verbs.open(store_of(env), env=env, cwd=env["HOME"]) as memories:
        rows = memories.store.rows(
            "SELECT substr(what, 12), count FROM common WHERE kind = 'event'"
        )
    assert ("hook_failure", 1) in rows
