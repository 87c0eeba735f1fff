"""Anthropic's memory tool on Tacit: the SDK's own words for every command, and no path that leads out."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anthropic.lib.tools", reason="needs anthropic: make test-frameworks")

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool

from tacit_frameworks.anthropic import TacitAsyncMemoryTool, TacitMemoryTool

SECRET = "ghp_" + hashlib.sha256(b"a secret").hexdigest()[:36]


@pytest.fixture
def tool(memories: Any, tmp_path: Path) -> TacitMemoryTool:
    return TacitMemoryTool(
        memories, task="make the tests pass", run="r1", folder=str(tmp_path / "notes")
    )


def said(tool: Any, **command: Any) -> str:
    try:
        return str(tool.call(command))
    except ToolError as error:
        return f"error: {error}"


STORY: list[dict[str, Any]] = [
    {"command": "create", "path": "/memories/a.md", "file_text": "one\ntwo\nthree\n"},
    {"command": "create", "path": "/memories/a.md", "file_text": "again"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "view", "path": "/memories/a.md", "view_range": [2, 3]},
    {"command": "view", "path": "/memories/a.md", "view_range": [2, -1]},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "zwei"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "nothing", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "e", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/none.md", "old_str": "e", "new_str": "x"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 1, "insert_text": "between\n"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 99, "insert_text": "far"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "create", "path": "/memories/deep/er/b.md", "file_text": "b"},
    {"command": "view", "path": "/memories/deep"},
    {"command": "view", "path": "/memories/none"},
    {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/deep/c.md"},
    {"command": "rename", "old_path": "/memories/none", "new_path": "/memories/x"},
    {"command": "rename", "old_path": "/memories/deep/c.md", "new_path": "/memories/deep/er/b.md"},
    {"command": "delete", "path": "/memories/none"},
    {"command": "delete", "path": "/memories"},
    {"command": "delete", "path": "/memories/deep"},
    {"command": "view", "path": "/memories/deep"},
]


def test_every_command_in_the_words_of_the_sdk(tool: TacitMemoryTool, tmp_path: Path) -> None:
    """The same story, told to us and to the SDK's own file tool: the same answers, sizes of folders and a full stop aside."""
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path / "theirs"))
    for command in STORY:
        mine, other = said(tool, **command), said(theirs, **command)
        if command["command"] == "view" and "directories" in mine:
            mine, other = (
                "\n".join(line.split("\t")[-1] for line in text.splitlines())
                for text in (mine, other)
            )
        if mine.startswith("error:") and "does not exist" in other:
            mine, other = mine.split(" does not exist")[0], other.split(" does not exist")[0]
        assert mine == other, command
    assert isinstance(tool, BetaAbstractMemoryTool) and tool.to_dict() == theirs.to_dict()


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/memories/../secret",
        "/memories/a/../../secret",
        "/memories/..",
        "/memoriesX/a",
        "memories/a",
        "/memories/a\0b",
        "/memories/./a",
        "/memories/.hidden",
        "/memories/a\\..\\b",
        "/memories/\u202ea",
        "/memories/link/secret",
        "/memories/link",
        "/memories/folder/inner",
        "",
        "/memories/" + "x" * 300,
    ],
)
def test_no_path_leads_out(tool: TacitMemoryTool, tmp_path: Path, path: str) -> None:
    """Traversal, absolute paths, links to files and to folders, NUL, hidden and odd names: every command refuses, nothing outside is touched."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("keep out")
    (outside / "inner").write_text("keep out")
    notes = Path(tool.commands.notes.folder)
    (notes / "link").symlink_to(outside / "secret")
    (notes / "folder").symlink_to(outside)
    said(tool, command="create", path="/memories/own.md", file_text="mine and long enough")
    for command in (
        {"command": "view", "path": path},
        {"command": "create", "path": path, "file_text": "evil"},
        {"command": "str_replace", "path": path, "old_str": "keep", "new_str": "let"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "evil"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/stolen"},
        {"command": "rename", "old_path": "/memories/own.md", "new_path": path},
    ):
        if path == "/memories/link" and command.get("new_path") == path:
            continue  # renaming over a link replaces the link, not what it names; checked below
        answer = said(tool, **command)
        assert answer.startswith("error:"), (command, answer)
        assert "keep out" not in answer
    said(tool, command="rename", old_path="/memories/own.md", new_path="/memories/link")
    assert sorted(each.name for each in outside.iterdir()) == ["inner", "secret"]
    assert {each.read_text() for each in outside.iterdir()} == {"keep out"}


def test_files_are_the_owners_alone_and_hold_no_secrets(
    tool: TacitMemoryTool, memories: Any
) -> None:
    """0600 and 0700 under any umask, written whole; secrets and overlong files do not get in; the model's lines become an agent's candidates."""
    old = os.umask(0)
    try:
        said(
            tool,
            command="create",
            path="/memories/db/notes.md",
            file_text="# Database\n- `make test` needs `docker compose up db` first.\nkey: "
            + SECRET,
        )
    finally:
        os.umask(old)
    file = Path(tool.commands.notes.folder) / "db" / "notes.md"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert SECRET not in file.read_text() and [each.name for each in file.parent.iterdir()] == [
        "notes.md"
    ]
    assert "may hold" in said(
        tool, command="create", path="/memories/big.md", file_text="x" * 300_000
    )
    kept = [(memory.text, memory.trust, memory.state) for memory in memories.list()]
    assert (
        "`make test` needs `docker compose up db` first.",
        "agent",
        "candidate",
    ) in kept and SECRET not in str(kept)


def test_lessons_are_a_file_that_only_tacit_writes(tool: TacitMemoryTool, memories: Any) -> None:
    """Given once for the run, recorded, the same text at every look; no command changes it."""
    memories.add("Run `make migrate` before the tests.", kind="rule")
    first = said(tool, command="view", path="/memories/tacit-lessons.md")
    assert "make migrate" in first and "tacit-lessons.md" in said(
        tool, command="view", path="/memories"
    )
    assert said(tool, command="view", path="/memories/tacit-lessons.md") == first
    (audit,) = memories.audit("r1")
    assert [each.arm for each in audit.lessons] == ["exempt"]
    for command in (
        {"command": "delete", "path": "/memories/tacit-lessons.md"},
        {"command": "create", "path": "/memories/tacit-lessons.md", "file_text": "x"},
    ):
        assert "kept by Tacit" in said(tool, **command)
    assert said(tool, command="dance", path="/memories").startswith("error: There is no command")
    said(tool, command="create", path="/memories/x.md", file_text="x")
    assert (
        tool.clear_all_memory() == "All memory cleared"
        and os.listdir(tool.commands.notes.folder) == []
    )


def test_the_async_tool_is_the_same(memories: Any, tmp_path: Path) -> None:
    """For the asynchronous client, in a thread; and the example runs against a local stand-in for the API."""
    tool = TacitAsyncMemoryTool(memories, folder=str(tmp_path / "notes"))
    assert isinstance(tool, BetaAsyncAbstractMemoryTool)
    assert (
        asyncio.run(tool.call({"command": "create", "path": "/memories/a.md", "file_text": "a"}))
        == "File created successfully at: /memories/a.md"
    )
