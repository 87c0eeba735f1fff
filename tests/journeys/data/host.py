"""A host for tests: plays a script of a host's records and hook calls, as the host would.

A script is a JSON file. `{"record": …}` is appended to the session's transcript; `{"hook": EVENT, "payload": …}` starts
`tacit hook EVENT` with that payload on its standard input; `{"tacit": […]}` is what the person types elsewhere. `$CWD`, `$TRANSCRIPT`, `$SESSION`
and `$NOW` are filled in.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tacit.core import clock

HERE = Path(__file__).parent


def script(name: str) -> list[dict[str, Any]]:
    """The committed steps of a session."""
    steps: list[dict[str, Any]] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return steps


class Host:
    """One user's host on this machine."""

    def __init__(self, folder: Path, home: Path, kind: str = "claude-code") -> None:
        self.folder, self.home, self.kind = folder, home, kind

    def transcript(self, session: str) -> Path:
        if self.kind == "codex":
            return (
                self.home
                / ".codex"
                / "sessions"
                / "2026"
                / "11"
                / "15"
                / f"rollout-2026-11-15T09-00-00-{session}.jsonl"
            )
        if self.kind == "gemini":
            return (
                self.home
                / ".gemini"
                / "tmp"
                / "work"
                / "chats"
                / f"session-2026-11-15T09-00-{session[:8]}.jsonl"
            )
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(self.folder))
        return self.home / ".claude" / "projects" / slug / f"{session}.jsonl"

    def play(self, steps: list[dict[str, Any]], session: str, **env: str) -> list[dict[str, Any]]:
        """Every hook call's event and what it printed. None may fail or write to standard error."""
        answers = []
        for step in self._filled(steps, session):
            if "record" in step:
                self.write(session, step["record"])
            elif "tacit" in step:
                subprocess.run(
                    [sys.executable, "-m", "tacit", *step["tacit"]],
                    cwd=self.folder,
                    env={**os.environ, **env},
                    check=True,
                    capture_output=True,
                )
            else:
                done = self.hook(step["hook"], step["payload"], **env)
                assert (done.returncode, done.stderr) == (0, "")
                answers.append(
                    {
                        "event": step["payload"].get("hook_event_name", step["hook"]),
                        "said": plain(done.stdout),
                    }
                )
        return answers

    def write(self, session: str, record: dict[str, Any]) -> None:
        path = self.transcript(session)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record).replace("$NOW", clock.now()) + "\n")

    def hook(
        self, event: str, payload: dict[str, Any] | bytes, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """One hook process, as the host starts it."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        seen = {**os.environ, "TACIT_NO_WORKER": "1", **env}
        told = [] if self.kind == "claude-code" else ["--host", self.kind]
        done = subprocess.run(
            [sys.executable, "-m", "tacit", "hook", event, *told],
            input=raw,
            capture_output=True,
            cwd=self.folder,
            env=seen,
            timeout=60,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def _filled(self, steps: list[dict[str, Any]], session: str) -> list[dict[str, Any]]:
        text = json.dumps(steps)
        for word, found in (
            ("$CWD", str(self.folder)),
            ("$TRANSCRIPT", str(self.transcript(session))),
            ("$SESSION", session),
        ):
            text = text.replace(word, json.dumps(found)[1:-1])
        filled: list[dict[str, Any]] = json.loads(text)
        return filled


def plain(stdout: str) -> Any:
    """An answer; JSON as JSON."""
    return json.loads(stdout) if stdout.startswith("{") else stdout
