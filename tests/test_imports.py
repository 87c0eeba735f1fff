"""The hook path loads the standard library's light half, apsw and ourselves; a list holds it (design §2, "Light to start")."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FORBIDDEN = {
    "dataclasses", "typing", "pathlib", "tomllib", "logging", "subprocess", "uuid", "secrets", "importlib.resources", "asyncio", "inspect", "hashlib", "hmac",
    "argparse", "datetime", "random", "tempfile", "shutil", "sqlite3", "socket", "ssl", "http", "urllib", "email", "rich", "numpy", "decimal", "ast", "dis",
    "tokenize", "calendar", "locale", "threading", "contextlib",
}  # fmt: skip
ALLOWED_FROM_OUTSIDE = {"apsw"}


def _modules(code: str, cwd: Path) -> set[str]:
    """The modules a fresh interpreter has after running `code`, beyond those it starts with."""
    script = f"import sys\nbefore = set(sys.modules)\n{code}\nimport json\nprint('\\n@@' + json.dumps(sorted(set(sys.modules) - before)))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.rsplit("@@", 1)[1]))


def _check(loaded: set[str]) -> None:
    assert sorted(loaded & FORBIDDEN) == []
    tops = {name.split(".")[0] for name in loaded}
    foreign = {
        name
        for name in tops
        if name not in sys.stdlib_module_names
        and name not in ("tacit", *ALLOWED_FROM_OUTSIDE)
        and not name.startswith("_")
    }
    assert foreign == set()


def test_the_store_and_the_profile_are_light(folder: Path, tacit: object) -> None:
    """Opening a store, reading its project and its compiled profile loads nothing heavy."""
    from tacit.app import open

    with open() as memories:
        memories.add("Run make migrate before the tests.")
    _check(
        _modules(
            "import tacit.app\nm = tacit.app.open(create=False)\nm.project\nm.profile.trial.rate\nm.close()", folder
        )
    )


@pytest.mark.parametrize("verb", ["inject", "hook"])
def test_what_runs_for_each_prompt_is_light(verb: str, folder: Path) -> None:
    """inject and hook, from argument to recorded answer."""
    from tacit.app import open

    with open() as memories:
        memories.add("Run make migrate before the tests.", kind="command")
    args = {"inject": ["inject", "--task", "the tests fail", "--run", "r1"], "hook": ["hook", "prompt"]}[verb]
    payload = json.dumps(
        {
            "session_id": "s1",
            "hook_event_name": "UserPromptSubmit",
            "cwd": str(folder),
            "prompt": "the tests fail before migrate",
            "transcript_path": "",
        }
    )
    code = f"import io, os\nr, w = os.pipe()\nos.write(w, {payload.encode()!r})\nos.close(w)\nos.dup2(r, 0)\nfrom tacit.surfaces.cli import main\nmain({args!r})"
    _check(_modules(code, folder))
