"""A repository is somebody else's word: none of its code runs, and it decides nothing about trust."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import tacit
from tacit.stores.git import ask


def test_git_starts_no_program_that_a_repository_names(folder: Path, tmp_path: Path) -> None:
    """A file-system monitor in the settings that came along with `.git` is not asked."""
    ran = tmp_path / "RAN"
    monitor = tmp_path / "monitor.sh"
    monitor.write_text(f"#!/bin/sh\ntouch {ran}\n")
    monitor.chmod(0o755)
    git = ["git", "-C", str(folder)]
    (folder / "f").write_text("x")
    for words in (["init", "-q"], ["add", "f"], ["config", "core.fsmonitor", str(monitor)]):
        subprocess.run([*git, *words], check=True)
    subprocess.run([*git, "status"], check=True, capture_output=True)
    assert ran.exists()  # git itself does ask it
    ran.unlink()
    for words in (["check-ignore", "-q", "f"], ["status"], ["ls-files", "-m"]):
        assert ask(str(folder), *words) is not None
    assert not ran.exists()


def test_every_program_is_started_where_it_cannot_be_replaced() -> None:
    """Python of ours begins isolated (-I, -P), git goes through `stores/git.py`; both are read off the source."""
    wrong = []
    for path in sorted(Path(tacit.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.List) or len(node.elts) < 2:
                continue
            words = [ast.unparse(each) for each in node.elts]
            if words[0] == "sys.executable" and words[1] not in ("'-P'", "'-I'"):
                wrong.append(f"{path.name}:{node.lineno}")
            if words[0] == "'git'" and "*QUIET" not in words:
                wrong.append(f"{path.name}:{node.lineno}")
    assert wrong == []
