"""What keeps a connected host from doing what it was connected for, said with its mend."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.hosts import host as host_named
from tacit.hosts.registration import cautions, registration
from tacit.worker.jobs import heard_line


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "shop").mkdir()
    return {"HOME": str(tmp_path)}


def written(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def test_codex_hooks_that_nobody_trusted_are_named(tmp_path: Path, env: dict[str, str]) -> None:
    """In the shape in which 0.166 writes down what its user trusted: file, event, group and handler."""
    host, root = host_named("codex"), str(tmp_path / "shop")
    entries = registration(("tacit", []), host)
    other = {"hooks": [{"type": "command", "command": "notify"}]}
    tree = {"hooks": {event: [other, entry] for event, entry in entries.items()}}
    path = written(tmp_path / ".codex" / "hooks.json", json.dumps(tree))
    (told,) = cautions(host, [path], root, env)
    assert f"{len(entries)} of {len(entries)} hooks" in told and "/hooks" in told
    events = "session_start user_prompt_submit subagent_start subagent_stop pre_tool_use post_tool_use pre_compact stop session_end"
    state = "".join(
        f'[hooks.state."{path}:{event}:1:0"]\ntrusted_hash = "sha256:1d"\n'
        for event in events.split()
    )
    written(tmp_path / ".codex" / "config.toml", state)
    assert cautions(host, [path], root, env) == []
    written(tmp_path / ".codex" / "config.toml", state.replace(":stop:1:0", ":stop:0:0"))
    assert f"1 of {len(entries)} hooks" in cautions(host, [path], root, env)[0]
    written(tmp_path / ".codex" / "config.toml", "not = [toml")
    assert len(cautions(host, [path], root, env)) == 1 and cautions(host, [], root, env) == []


def test_a_receipt_says_what_was_kept_of_a_persons_words() -> None:
    """Two of them, on one line, and how much waits."""
    assert heard_line([], 0) == ""
    assert (
        heard_line(["no, use pnpm,\nnot npm"], 3)
        == "; kept “no, use pnpm, not npm”; 3 wait for you (tacit review)"
    )
    assert heard_line(["a", "b", "c", "d"], 0) == "; kept “a”, “b” and 2 more"
