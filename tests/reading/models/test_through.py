"""From the user's configuration to a server that misbehaves: no finding is lost, no hook waits, nothing secret leaves."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import open

from tacit.core.profile import Profile
from tacit.testing import run, say, tool, user

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
LESSON = "The build needs the lockfile of pnpm 9"
QUOTE = "only the lockfile of pnpm 9 works"


def configure(alone: Path, **model: Any) -> None:
    folder = alone / ".config" / "tacit"
    os.makedirs(folder, exist_ok=True)
    lines = "\n".join(f"{name} = {json.dumps(at)}" for name, at in model.items())
    (folder / "config.toml").write_text(f'[model]\n{lines}\n[reader]\nby = "model"\n')


def a_run(id: str) -> Any:
    return run(
        id,
        user("No, always use pnpm instead of npm in this repo."),
        user(f"And my token is {SECRET}, <private>do not tell</private>"),
        say(f"It turned out that {QUOTE}."),
        tool("npm ci", error="ERR! lockfile v3 is not supported"),
        tool("pnpm install --frozen-lockfile", "done"),
    )


def texts(memories: Any) -> set[str]:
    return {memory.text for memory in memories.list(limit=100)}


@pytest.fixture
def by_rules(tmp_path: Path, alone: Path) -> set[str]:
    """What the rules alone learn from the run."""
    with open(str(tmp_path / "rules.db"), cwd=str(tmp_path)) as memories:
        memories.learn(a_run("r1"))
        found = texts(memories)
    assert found
    return found


# One answer to all three questions: what a session teaches, whether the person's line says it, what it says of known lessons.
GOOD = json.dumps(
    {
        "lessons": [
            {
                "text": LESSON,
                "kind": "fact",
                "standing": "found",
                "quotes": [{"line": 3, "words": QUOTE}],
            }
        ],
        "answers": [],
        "verdicts": [],
    }
)


def test_a_model_that_answers_adds_to_what_rules_find(
    endpoint: Any, folder: Path, alone: Path, by_rules: set[str]
) -> None:
    """And nothing that was redacted here has left."""
    configure(alone, url=endpoint.url, name="m")
    endpoint.answers = [GOOD]
    with open() as memories:
        memories.learn(a_run("r1"))
        assert texts(memories) == {*by_rules, LESSON}
        counters = memories.health().counters
    assert (counters["model.calls"], counters["model.tokens.in"], counters["model.tokens.out"]) == (
        3,
        33,
        21,
    )
    sent = json.dumps(endpoint.asked)
    assert SECRET not in sent
    assert "do not tell" not in sent
    assert QUOTE in sent


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("I would rather talk about the weather.", ""),
        (GOOD[:-60], ""),
        (json.dumps({"lessons": "none"}), ""),
        (b"<html>", "garbage"),
        ((429, {"retry-after": "120"}, b"slow down"), "rate_limited"),
        ((500, {}, b"oops"), "http_500"),
        ((302, {"location": "http://127.0.0.1:9/"}, b""), "redirect"),
        ((200, {}, "flood"), "too_large"),
        (None, "dead"),
    ],
)
def test_whatever_the_server_does_no_finding_is_lost(
    endpoint: Any, folder: Path, alone: Path, by_rules: set[str], answer: Any, why: str
) -> None:
    """Garbage, half JSON, limits, faults, redirects, floods, nobody there: what rules find stands, and the failure is counted."""
    configure(alone, url=endpoint.url, name="m")
    endpoint.answers = [answer]
    if answer is None:
        endpoint.close()
    with open() as memories:
        (learned,) = memories.learn(a_run("r1"))
        assert texts(memories) == by_rules
        counters = memories.health().counters
    assert [name for name in counters if name.startswith("model.failures.")] == (
        [f"model.failures.{why}"] if why else []
    )
    assert learned.warnings  # also of prose and half an answer: it is asked again


@pytest.mark.parametrize("answer", [3600, (200, {}, "drip")])
def test_a_server_that_keeps_us_waiting_loses_nothing_either(
    endpoint: Any,
    folder: Path,
    alone: Path,
    by_rules: set[str],
    monkeypatch: pytest.MonkeyPatch,
    answer: Any,
) -> None:
    """Silence and a byte now and then end when the time is over; the tokens are not paid back, for the server may have worked."""
    monkeypatch.setattr(Profile, "model", Profile.model.but(timeout_s=0.3))
    configure(alone, url=endpoint.url, name="m")
    endpoint.answers = [answer]
    with open() as memories:
        memories.learn(a_run("r1"))
        assert texts(memories) == by_rules
        counters = memories.health().counters
    assert counters["model.failures.timeout"] == 1 and counters["model.tokens.in"] > 100


def test_a_dead_endpoint_is_not_asked_by_each_process_again(
    endpoint: Any, folder: Path, alone: Path
) -> None:
    """After it said so itself, or failed three times, nobody knocks; the runs are learned all the same."""
    configure(alone, url=endpoint.url, name="m")
    endpoint.answers = [(429, {"retry-after": "120"}, b"")]
    for n in range(4):
        with open() as memories:  # as another process would
            (learned,) = memories.learn(a_run(f"r{n}"))
            assert learned.findings and learned.warnings
    assert len(endpoint.asked) == 1


def test_a_hook_never_asks_a_model(endpoint: Any, folder: Path, alone: Path, tacit: Any) -> None:
    """Not at a start, not for a prompt, not at a failure, not at the end, although one is named that would hang."""
    configure(alone, url=endpoint.url, name="m")
    endpoint.answers = [3600]
    with open() as memories:
        memories.add(
            "Run make migrate before the tests on a fresh database", kind="rule"
        )  # never withheld
    asked = {
        "session_id": "s1",
        "cwd": str(folder),
        "transcript_path": "",
        "prompt": "why does the migration of the new database fail for everybody",
    }
    told = ""
    for event, name in (
        ("session-start", "SessionStart"),
        ("prompt", "UserPromptSubmit"),
        ("session-end", "SessionEnd"),
    ):
        done = tacit(
            "hook", event, stdin=json.dumps({**asked, "hook_event_name": name}), TACIT_NO_WORKER="1"
        )
        assert done.code == 0
        told += done.out
    assert "make migrate" in told and endpoint.asked == []


def test_recall_is_answered_although_the_model_is_silent(
    endpoint: Any, folder: Path, alone: Path, tacit: Any
) -> None:
    """Where an origin asks one for better words: once, for its second or two, and it says why the words are the person's own."""
    configure(alone, url=endpoint.url, name="m")
    endpoint.answers = [3600]
    with open(profile="joelclaw", by="joel", yes=True) as memories:
        memory = memories.add("Run make migrate before the tests on a fresh database")
    found = tacit("recall", "why does the migration of a fresh database break", "--json")
    assert [hit["id"] for hit in found.data["hits"]] == [memory.id]
    assert found.data["rewrite"] == {"words": None, "reason": "timeout"}
    assert len(endpoint.asked) == 1


def test_a_command_that_is_a_host_does_not_call_us_back(
    folder: Path, alone: Path, tmp_path: Path
) -> None:
    """Its own hooks find the marker and stay silent; its answer is used."""
    script = tmp_path / "agent.py"
    script.write_text(
        "import json, subprocess, sys\n"
        "asked = sys.stdin.read()\n"
        "assert asked.startswith('[tacit asks]')\n"
        "payload = {'session_id': 'inner', 'hook_event_name': 'SessionEnd', 'cwd': '.', 'transcript_path': __file__}\n"
        "told = subprocess.run([sys.executable, '-m', 'tacit', 'hook', 'session-end'], input=json.dumps(payload).encode(), capture_output=True)\n"
        "assert told.stdout == b'', told\n"
        f"print({GOOD!r})\n"
    )
    configure(alone, command=f"{sys.executable} {script}")
    with open() as memories:
        memories.learn(a_run("r1"))
        assert LESSON in texts(memories)
        assert memories.store.queued() == 0
