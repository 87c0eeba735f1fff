"""The hook path loads the standard library's light half, apsw and ourselves; a list holds it (design §2, "Light to start")."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tacit as package

ROOT = Path(package.__file__).parent
FORBIDDEN = {
    "dataclasses",
    "typing",
    "pathlib",
    "tomllib",
    "logging",
    "subprocess",
    "uuid",
    "secrets",
    "importlib.resources",
    "warnings",
    "asyncio",
    "inspect",
    "hashlib",
    "hmac",
    "argparse",
    "datetime",
    "random",
    "tempfile",
    "shutil",
    "sqlite3",
    "socket",
    "ssl",
    "http",
    "urllib",
    "email",
    "rich",
    "numpy",
    "decimal",
    "ast",
    "dis",
    "tokenize",
    "calendar",
    "locale",
    "threading",
    "contextlib",
    "json",
}
# of our own modules that a prompt may load; it may only sink. A room's bare marker is none.
MOST = 37  # one of them where a prompt asks for something to be run
ALLOWED_FROM_OUTSIDE = {"apsw"}


def _modules(code: str, cwd: Path) -> set[str]:
    """The modules a fresh interpreter has after running `code`, beyond those it starts with."""
    script = f"import sys\nbefore = set(sys.modules)\n{code}\nprint('\\n@@' + ' '.join(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        capture_output=True,
        text=True,
        cwd=cwd,
        # a hook has no key
        env={
            **{k: v for k, v in os.environ.items() if k != "TACIT_KEY"},
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rsplit("@@", 1)[1].split())


def _is_marker(name: str) -> bool:
    """A package whose `__init__` holds a sentence and no code."""
    path = ROOT.joinpath(*name.split(".")[1:], "__init__.py")
    return path.is_file() and len(ast.parse(path.read_text(encoding="utf-8")).body) <= 1


def _light() -> set[str]:
    """The modules that may be loaded before a prompt: those of the list, and the dialect of each host."""
    names = {path for path in Path(__file__).with_name("light_modules.txt").read_text().split()}
    names |= {
        f"hosts/{path.parent.name}/__init__.py" for path in (ROOT / "hosts").glob("*/__init__.py")
    }
    return {
        "tacit",
        *(
            "tacit." + name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            for name in names
        ),
    }


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
    heavy = {
        name for name in loaded if name.split(".")[0] == "tacit" and not _is_marker(name)
    } - _light()
    assert sorted(heavy) == [], (
        "a hook loads these: say TYPE_CHECKING = False there and name them in tests/light_modules.txt, or do not load them"
    )


def test_the_store_and_the_profile_are_light(folder: Path, tacit: object) -> None:
    """Opening a store, reading its project and its compiled profile loads nothing heavy."""
    from tests.verbs import open

    with open() as memories:
        memories.add("Run make migrate before the tests.")
    _check(
        _modules(
            "import tacit.memory\nm = tacit.memory.open(create=False)\nm.project\nm.profile.trial.rate\nm.close()",
            folder,
        )
    )


@pytest.mark.parametrize("verb", ["inject", "hook", "word"])
def test_what_runs_for_each_prompt_is_light(verb: str, folder: Path) -> None:
    """inject, hook and a word in passing, from argument to recorded answer."""
    from tests.verbs import open

    with open() as memories:
        memories.add("Run make migrate before the tests.", kind="command")
    args = (
        ["inject", "--task", "the tests fail", "--run", "r1"]
        if verb == "inject"
        else ["hook", "prompt"]
    )
    payload = json.dumps(
        {
            "session_id": "s1",
            "hook_event_name": "UserPromptSubmit",
            "cwd": str(folder),
            "prompt": "tacit keep 1"
            if verb == "word"
            else "the run of the tests fails before migrate",
            "transcript_path": "",
        }
    )
    loaded = _modules(_called(args, payload), folder)
    _check(loaded)
    assert ("tacit.screens.typed" in loaded) == (verb == "word")
    ours = sorted(name for name in loaded if name.split(".")[0] == "tacit" and not _is_marker(name))
    assert len(ours) <= MOST, "\n".join(ours)


# A failed command, in each host's dialect: the event that does most.
FAILED = {
    "codex": {
        "session_id": "s1",
        "hook_event_name": "PostToolUse",
        "turn_id": "t",
        "tool_name": "Bash",
        "tool_response": "Exit code: 1\nmigrate first",
    },
    "gemini": {
        "session_id": "s1",
        "hook_event_name": "AfterTool",
        "timestamp": "t",
        "tool_response": {"llmContent": "migrate first\nExit Code: 1"},
    },
    "copilot": {
        "sessionId": "s1",
        "timestamp": 1,
        "toolName": "bash",
        "toolArgs": {"command": "x"},
        "toolResult": {"resultType": "failure", "textResultForLlm": "migrate"},
    },
    "vscode": {
        "session_id": "s1",
        "timestamp": "t",
        "hook_event_name": "PostToolUse",
        "tool_name": "run",
        "tool_input": {},
        "tool_response": "exit code 1",
    },
    "cursor": {
        "conversation_id": "s1",
        "hook_event_name": "postToolUseFailure",
        "tool_name": "Shell",
        "tool_input": {},
        "error_message": "migrate first",
    },
}


@pytest.mark.parametrize("host", FAILED)
def test_every_host_is_light(host: str, folder: Path) -> None:
    """The same for the other hosts; none loads another's dialect."""
    from tests.verbs import open

    with open() as memories:
        memories.add("Run make migrate before the tests.", kind="command")
    event = "step" if host in ("copilot", "vscode") else "tool-failure"
    loaded = _modules(
        _called(["hook", event, "--host", host], json.dumps({"cwd": str(folder), **FAILED[host]})),
        folder,
    )
    _check(loaded)
    others = {f"tacit.hosts.{name}" for name in ("claude_code", *FAILED) if name != host}
    assert f"tacit.hosts.{host}" in loaded and not loaded & others


def _called(args: list[str], payload: str) -> str:
    return f"import io, os\nr, w = os.pipe()\nos.write(w, {payload.encode()!r})\nos.close(w)\nos.dup2(r, 0)\nfrom tacit import main\nmain({args!r})"
