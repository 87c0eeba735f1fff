"""Somebody else's settings file: read as it is, replaced in one step, given back to the byte.

What the file held before us is kept in the data folder. A file that is no text, or that its owner made read-only, is left
alone, with a message. A page that somebody asked for is written here, too.
"""

from __future__ import annotations

import difflib
import json
import os
import stat
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from tacit.core.digest import digest, new_id, short_hash
from tacit.core.errors import Refused, TacitError, Unavailable
from tacit.core.value import replace, value
from tacit.opened import data_folder
from tacit.safety.files import PAGE_LIMIT, read_plain


@value
class Settings:
    """A settings file as it is now."""

    named: str  # as it was asked for
    path: str  # behind its links
    text: str = ""
    mark: str = ""  # a byte order mark, kept as it was
    exists: bool = False
    mode: int = 0o644


def read_settings(path: str) -> Settings:
    """The file behind a path. Raises where it cannot be understood or may not be changed."""
    real = os.path.realpath(path)
    try:
        raw, found = read_plain(real, PAGE_LIMIT), os.stat(real)
    except FileNotFoundError:
        return Settings(path, real)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read: {error.strerror}; nothing was changed.",
            "Check the file and its folder.",
        ) from None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TacitError(
            f"{path} is not UTF-8 text ({error.reason}); nothing was changed.", "Save it as UTF-8."
        ) from None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return Settings(path, real, text.removeprefix(mark), mark, True, stat.S_IMODE(found.st_mode))


def check_writable(file: Settings) -> None:
    """Raise where the file may not be changed. A rename would not ask the file itself; read-only is its owner's word."""
    folder = os.path.dirname(file.path)
    while not os.path.isdir(folder) and not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    fixed = file.exists and (not file.mode & 0o222 or not os.access(file.path, os.W_OK))
    if fixed or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        hint = "Make it writable, or choose another with --user or --shared."
        raise Unavailable(
            f"{file.named if fixed else folder} cannot be written; nothing was changed.", hint
        )


def write_settings(file: Settings, text: str | None, made: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Replace the file in one step, or remove it where `text` is None. Returns folders that had to be made."""
    check_writable(file)
    folder = os.path.dirname(file.path)
    if read_settings(file.named) != file:
        raise Unavailable(
            f"{file.named} was changed by somebody else just now; nothing was changed.",
            "Try again.",
        )
    new: list[str] = []
    temporary = os.path.join(folder, f".{os.path.basename(file.path)}.{new_id()}")
    try:
        if text is None:
            os.unlink(file.path)
            for each in made:
                os.rmdir(each)
            return ()
        while not os.path.isdir(folder):
            new.append(folder)
            folder = os.path.dirname(folder)
        os.makedirs(os.path.dirname(file.path), exist_ok=True)
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, file.mode)
        with open(fd, "wb") as out:
            if file.exists:
                os.fchmod(fd, file.mode)
            out.write((file.mark + text).encode("utf-8"))
            out.flush()
            os.fsync(fd)
        os.replace(temporary, file.path)
    except OSError as error:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        if text is None and not os.path.lexists(file.path):
            return ()  # the file is gone; a folder of ours that is used for something else by now stays
        hint = "Check the folder's permissions."
        raise Unavailable(
            f"{file.named} cannot be written: {error.strerror}; nothing was changed.", hint
        ) from None
    return tuple(new)


class FormerSettings:
    """What a settings file held before us, in the data folder."""

    def __init__(self, env: Mapping[str, str], path: str) -> None:
        self.file = os.path.join(
            data_folder(env), "backups", "settings", short_hash(path) + ".json"
        )
        self.path = path
        try:
            with open(self.file, encoding="utf-8") as file:
                self.said: dict[str, Any] = json.load(file)
        except (OSError, ValueError):
            self.said = {}
        self.made_folders: tuple[str, ...] = tuple(self.said.get("made_folders") or ())

    def original(self, now: Settings, without: Callable[[str], str]) -> Settings:
        """The file without us: to the byte what it was, where only we have changed it since; else what `without` leaves of it."""
        if (
            now.exists
            and self.said.get("path") == self.path
            and self.said.get("written") == _print(now.text)
        ):
            before = self.said.get("before")
            return replace(now, text=before or "", exists=before is not None)
        left = without(now.text)
        return replace(
            now, text=left, exists=now.exists and not (self.made(now) and not left.strip())
        )

    def made(self, now: Settings) -> bool:
        """Whether the file was not there before us."""
        return (
            self.said.get("path") == self.path == now.path and self.said.get("before", "") is None
        )

    def keep(self, before: Settings, written: str, made_folders: tuple[str, ...] = ()) -> None:
        """Remember what was there; only the owner may read it."""
        os.makedirs(os.path.dirname(self.file), mode=0o700, exist_ok=True)
        said = {
            "path": self.path,
            "before": before.text if before.exists else None,
            "written": _print(written),
            "made_folders": list(made_folders or self.made_folders),
        }
        temporary = f"{self.file}.{new_id()}"
        with open(
            os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            json.dump(said, file)
        os.replace(temporary, self.file)

    def drop(self) -> None:
        """Forget it."""
        if os.path.exists(self.file):
            os.unlink(self.file)


def _print(text: str) -> str:
    return digest("settings", text).hex()


def difference(file: Settings, text: str) -> str:
    lines = difflib.unified_diff(
        file.text.splitlines(), text.splitlines(), file.named, file.named, lineterm="", n=2
    )
    return "\n".join(lines) or f"nothing would change in {file.named}"


def set_keys(path: str, table: str, said: Mapping[str, Any]) -> None:
    """Set some keys of a table in the user's own TOML, or above all tables; whatever else stands there. Refused where that is not safe."""
    file = read_settings(path)
    check_writable(file)
    lines = file.text.splitlines()
    stands = next(
        (at for at, line in enumerate(lines) if line.strip() == f"[{table}]"), None if table else -1
    )
    new = [f"{key} = {json.dumps(text)}" for key, text in said.items()]
    if stands is None:
        lines += [*([""] if lines and lines[-1] else []), f"[{table}]", *new]
    else:
        end = next(
            (at for at in range(stands + 1, len(lines)) if lines[at].lstrip().startswith("[")),
            len(lines),
        )
        kept = [line for line in lines[stands + 1 : end] if line.split("=")[0].strip() not in said]
        lines[stands + 1 : end] = [*new, *kept]
    text = "\n".join(lines) + "\n"
    try:
        there = tomllib.loads(text)
        sound = all(
            (there.get(table, {}) if table else there).get(key) == value
            for key, value in said.items()
        )
    except tomllib.TOMLDecodeError:
        sound = False
    if not sound:
        raise Refused(
            f"{path} cannot be changed safely.", f"Write it yourself: [{table}] {', '.join(new)}."
        )
    write_settings(file, text)


def plain_path(path: str) -> str:
    """A path as it can be printed, whatever bytes it has."""
    return os.fsencode(path).decode("utf-8", "replace")
