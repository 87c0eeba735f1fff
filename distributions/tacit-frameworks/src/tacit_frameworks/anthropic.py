"""Anthropic's memory tool on Tacit: a folder of notes for the model, and Tacit's lessons as one file among them.

    from tacit_frameworks.anthropic import TacitMemoryTool

    tool = TacitMemoryTool(memories, task="fix the failing tests", run="r-17")
    client.beta.messages.tool_runner(model=…, messages=…, tools=[tool]).until_done()

The model's own notes lie in files that only their owner can read. What it writes is redacted first, and each new line goes
through learn's gate as an agent's claim. `/memories/tacit-lessons.md` is what past runs taught: read-only, made when it is first
looked at, within the run's assignments.

A path is a chain of names below `/memories`. It is walked name by name, each opened in the folder before it, and a link is never
followed: what is not a plain file or folder in our own tree does not exist here, whatever another process changes meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tacit_frameworks import as_agent, missing_framework

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
except ImportError as error:
    raise missing_framework("anthropic", error) from None

from tacit.app import Memories, data_folder
from tacit.core.digest import new_id
from tacit.core.errors import TacitError
from tacit.guard.redact import redact

ROOT = "/memories"
_LESSONS = "tacit-lessons.md"
_LARGEST = 256 * 1024  # bytes of one file
_MOST = 20  # lines of one change that are submitted as findings
_SHORTEST = 12  # characters of a line that may be a lesson
FOLDER, FILE = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, os.O_RDONLY | os.O_NOFOLLOW
_DEPTH = 2  # levels of folders that a view lists


def names_in(path: str) -> tuple[str, ...]:
    """The names in a path below /memories. Anything that could lead elsewhere is refused."""
    if "\0" in path or not path.isprintable():
        raise ToolError("The path holds characters that do not show. Please provide a plain path.")
    if path != ROOT and not path.startswith(ROOT + "/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    names = tuple(path[len(ROOT) :].strip("/").split("/")) if path.rstrip("/") != ROOT else ()
    for name in names:
        if name in ("", ".", "..") or "\\" in name or len(name.encode()) > 200:
            raise ToolError(f"Path {path} would escape {ROOT} directory")
        if name.startswith("."):
            raise ToolError(f"Hidden names are not kept: {path}")
    return names


class Notes:
    """The folder of notes: six commands on plain files, none of which leaves it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)

    def kind(self, names: tuple[str, ...]) -> str:
        """file, folder, or empty where there is neither."""
        if not names:
            return "folder"
        try:
            with self._inside(names[:-1]) as above:
                mode = os.stat(names[-1], dir_fd=above, follow_symlinks=False).st_mode
        except OSError:
            return ""
        return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else ""

    def read(self, names: tuple[str, ...]) -> str:
        """A file's text."""
        with (
            self._inside(names[:-1]) as above,
            os.fdopen(os.open(names[-1], FILE, dir_fd=above), "rb") as file,
        ):
            return file.read(_LARGEST + 1).decode("utf-8", "replace")

    def write(self, names: tuple[str, ...], text: str, *, new: bool = False) -> None:
        """A file's text, whole or not at all; folders on the way are made."""
        raw = text.encode("utf-8", "replace")
        if len(raw) > _LARGEST:
            raise ToolError(
                f"A memory file may hold {_LARGEST:,} bytes; this would be {len(raw):,}. Split it, or keep less."
            )
        with self._inside(names[:-1], make=True) as above:
            temporary = f".tmp-{new_id()}"
            fd = os.open(
                temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=above
            )
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(raw)
                    file.flush()
                    os.fsync(file.fileno())
                if new:
                    os.link(
                        temporary, names[-1], src_dir_fd=above, dst_dir_fd=above
                    )  # fails where there is one
                    os.unlink(temporary, dir_fd=above)
                else:
                    os.replace(temporary, names[-1], src_dir_fd=above, dst_dir_fd=above)
            except OSError:
                os.unlink(temporary, dir_fd=above)
                raise

    def remove(self, names: tuple[str, ...]) -> None:
        """A file, or a folder with all that is in it."""
        if self.kind(names) == "folder":
            for name, _, _ in [*self.listed(names, 0)]:
                self.remove((*names, name))
            with self._inside(names) as here:
                for left in os.listdir(here):
                    os.unlink(
                        left, dir_fd=here
                    )  # half-written files and links: the link goes, never what it names
            with self._inside(names[:-1]) as above:
                os.rmdir(names[-1], dir_fd=above)
        else:
            with self._inside(names[:-1]) as above:
                os.unlink(names[-1], dir_fd=above)

    def rename(self, old: tuple[str, ...], new: tuple[str, ...]) -> None:
        """Another name, in another folder if need be."""
        with self._inside(old[:-1]) as here, self._inside(new[:-1], make=True) as there:
            os.rename(old[-1], new[-1], src_dir_fd=here, dst_dir_fd=there)

    def listed(
        self, names: tuple[str, ...], depth: int = _DEPTH
    ) -> Iterator[tuple[str, int, bool]]:
        """(path below, bytes, is a folder) of what stands in a folder, sorted, some levels deep; links are not there."""
        with self._inside(names) as here:
            entries = sorted(os.listdir(here))
            for name in entries:
                found = os.stat(name, dir_fd=here, follow_symlinks=False)
                if name.startswith(".") or not (
                    stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
                ):
                    continue
                yield name, found.st_size, stat.S_ISDIR(found.st_mode)
                if stat.S_ISDIR(found.st_mode) and depth > 1:
                    for inner, size, is_folder in self.listed((*names, name), depth - 1):
                        yield f"{name}/{inner}", size, is_folder

    @contextmanager
    def _inside(self, names: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        here = os.open(self.folder, FOLDER)
        try:
            for name in names:
                try:
                    inner = os.open(name, FOLDER, dir_fd=here)
                except FileNotFoundError:
                    if not make:
                        raise
                    os.mkdir(name, 0o700, dir_fd=here)
                    inner = os.open(name, FOLDER, dir_fd=here)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)


class Commands:
    """The six commands of the tool, in the words that the model knows."""

    def __init__(self, memories: Memories, folder: str, task: str, run: str) -> None:
        project = memories.ensure_project().id
        self.memories, self.task, self.run = memories, task, run or new_id()
        self.notes = Notes(folder or os.path.join(data_folder(memories.env), "anthropic", project))
        self._lessons: str | None = None

    def do(self, command: Any) -> str:
        """One command; what cannot be done is told as the model's mistake."""
        act: Callable[[Any], str] = getattr(self, command.command, self._unknown)
        try:
            return act(command)
        except OSError as error:
            path = getattr(command, "path", getattr(command, "old_path", ROOT))
            raise ToolError(f"The path {path} cannot be used: {error.strerror}.") from None

    def _unknown(self, command: Any) -> str:
        raise ToolError(f"There is no command {command.command}.")

    def view(self, command: Any) -> str:
        """A folder's files, or a file with line numbers."""
        names = names_in(command.path)
        kind = "file" if names == (_LESSONS,) else self.notes.kind(names)
        if kind == "folder":
            listed = [
                f"{_size(size)}\t{command.path.rstrip('/')}/{name}{'/' * folder}"
                for name, size, folder in self.notes.listed(names)
            ]
            if not names:
                listed.append(f"{_size(len(self.lessons().encode()))}\t{ROOT}/{_LESSONS}")
            head = f"Here're the files and directories up to 2 levels deep in {command.path}, excluding hidden items:"
            return "\n".join(
                [
                    head,
                    f"{_size(4096)}\t{command.path}",
                    *sorted(listed, key=lambda line: line.split("\t")[1]),
                ]
            )
        self._exists(kind, command.path)
        lines = (self.lessons() if names == (_LESSONS,) else self.notes.read(names)).split("\n")
        first, last = 1, len(lines)
        if getattr(command, "view_range", None) and len(command.view_range) == 2:
            first = max(1, command.view_range[0])
            last = len(lines) if command.view_range[1] == -1 else command.view_range[1]
        numbered = [
            f"{number:6}\t{line}" for number, line in enumerate(lines[first - 1 : last], first)
        ]
        return f"Here's the content of {command.path} with line numbers:\n" + "\n".join(numbered)

    def create(self, command: Any) -> str:
        """A new file."""
        names = self._own(command.path)
        text = redact(command.file_text).text
        try:
            self.notes.write(names, text, new=True)
        except FileExistsError:
            raise ToolError(f"File {command.path} already exists") from None
        self._learn(text.split("\n"))
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        """One place in a file said otherwise."""
        names, text = self._text(command.path)
        count = text.count(command.old_str) if command.old_str else 0
        if count == 0:
            raise ToolError(
                f"No replacement was performed, old_str `{command.old_str}` did not appear verbatim in {command.path}."
            )
        if count > 1:
            lines = [
                text[: found.start()].count("\n") + 1
                for found in re.finditer(re.escape(command.old_str), text)
            ]
            told = f"Multiple occurrences of old_str `{command.old_str}` in lines: {', '.join(map(str, lines))}. Please ensure it is unique"
            raise ToolError(f"No replacement was performed. {told}")
        new = redact(getattr(command, "new_str", "") or "").text
        at = text.index(command.old_str)
        changed = text.replace(command.old_str, new, 1)
        self.notes.write(names, changed)
        self._learn(new.split("\n"))
        number = text[:at].count("\n")
        near = [
            f"{n + 1:6}\t{line}"
            for n, line in enumerate(changed.split("\n"))
            if number - 2 <= n <= number + 2
        ]
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            + "\n".join(near)
        )

    def insert(self, command: Any) -> str:
        """Lines more in a file."""
        names, text = self._text(command.path)
        lines = text.removesuffix("\n").split("\n") if text else []
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range [0, {len(lines)}]."
            )
        new = redact(command.insert_text).text.rstrip("\n")
        lines.insert(command.insert_line, new)
        self.notes.write(names, "\n".join(lines) + "\n")
        self._learn(new.split("\n"))
        return f"The file {command.path} has been edited."

    def delete(self, command: Any) -> str:
        """A file or folder gone; what was learned of it stays, and is the user's to forget."""
        names = self._own(command.path)
        if not names:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        self._exists(self.notes.kind(names), command.path)
        self.notes.remove(names)
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        """A file or folder by another name."""
        old, new = self._own(command.old_path), self._own(command.new_path)
        if not old or not new:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        self._exists(self.notes.kind(old), command.old_path)
        if self.notes.kind(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        if new[: len(old)] == old:
            raise ToolError(f"{command.old_path} cannot be moved into itself")
        self.notes.rename(old, new)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear(self) -> str:
        """Every note gone."""
        for name, _, _ in [*self.notes.listed((), 0)]:
            self.notes.remove((name,))
        return "All memory cleared"

    def lessons(self) -> str:
        """What past runs taught, for this run: asked for once, recorded before it is shown."""
        if self._lessons is None:
            try:
                with as_agent(self.memories) as own:
                    given = own.inject(self.task, run=self.run, surface="anthropic", wrap=True)
                self._lessons = given.markdown if given.injected else "Nothing is known yet.\n"
            except TacitError as error:
                return f"Nothing can be told now: {error.message}\n"
        return self._lessons

    def _own(self, path: str) -> tuple[str, ...]:
        names = names_in(path)
        if names[:1] == (_LESSONS,):
            raise ToolError(
                f"{ROOT}/{_LESSONS} is kept by Tacit and cannot be changed. Please use another file."
            )
        return names

    def _text(self, path: str) -> tuple[tuple[str, ...], str]:
        names = self._own(path)
        kind = self.notes.kind(names)
        self._exists(kind, path)
        if kind != "file":
            raise ToolError(f"The path {path} is not a file.")
        return names, self.notes.read(names)

    def _exists(self, kind: str, path: str) -> None:
        if not kind:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")

    def _learn(self, lines: list[str]) -> None:
        """Each line that could be a lesson, as an agent's claim in this run. A note is kept whatever the gate says."""
        said = [
            line.strip().lstrip("-*+ ").strip()
            for line in lines
            if not line.lstrip().startswith(("#", "```", "<", "|"))
        ]
        wanted = [line for line in said if len(line) >= _SHORTEST][:_MOST]
        if not wanted:
            return
        try:
            with as_agent(self.memories) as own:
                for line in wanted:
                    own.submit(line, run=self.run, kind="fact")
        except TacitError:
            pass  # the note itself is safe; the next run's reader can still find it there


def _size(size: int) -> str:
    return f"{size}B" if size < 1024 else f"{size / 1024:.1f}K"


class TacitMemoryTool(BetaAbstractMemoryTool):
    """The memory tool for the synchronous client. `folder` holds the notes; without it, one per project in the data folder."""

    def __init__(
        self, memories: Memories, *, task: str = "", run: str = "", folder: str = "", **options: Any
    ) -> None:
        super().__init__(**options)
        self.commands = Commands(memories, folder, task, run)

    def execute(self, command: Any) -> str:
        """One command of the model's."""
        return self.commands.do(command)

    def _each(self, command: Any) -> str:
        return self.commands.do(command)

    view = create = str_replace = insert = delete = rename = _each

    def clear_all_memory(self) -> str:
        """Every note gone; lessons stay."""
        return self.commands.clear()


class TacitAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for the asynchronous client: the same, in a thread."""

    def __init__(
        self, memories: Memories, *, task: str = "", run: str = "", folder: str = "", **options: Any
    ) -> None:
        super().__init__(**options)
        self.commands = Commands(memories, folder, task, run)

    async def execute(self, command: Any) -> str:
        """One command of the model's."""
        return await asyncio.to_thread(self.commands.do, command)

    async def _each(self, command: Any) -> str:
        return await asyncio.to_thread(self.commands.do, command)

    view = create = str_replace = insert = delete = rename = _each

    async def clear_all_memory(self) -> str:
        """Every note gone; lessons stay."""
        return await asyncio.to_thread(self.commands.clear)
