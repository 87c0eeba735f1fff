"""Where a format reads from: a file, its neighbours, or bytes at hand.

A source gives lines one after the other and never the whole; one too long is given as an empty line, so that line
numbers, which are the places of steps, stay true.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from tacit.core.digest import short_hash
from tacit.core.errors import MissingExtra, NotFound, UsageError
from tacit.core.installation import bring
from tacit.safety.files import kind_of, open_plain

STANDARD_INPUT = "-"
LINE_LIMIT = 64 * 1024 * 1024  # the longest line seen in the wild, an inlined image, is far below
# the others begin with a dot, and hidden folders are skipped anyway
VCS_FOLDERS = frozenset({"CVS", "_darcs"})
COMPRESSED = (".gz", ".zst")
# A compressed file still being written, or damaged: what came before counts.
CUT_SHORT = (EOFError, zlib.error, gzip.BadGzipFile)


class Source:
    """Something a format can read, more than once."""

    path: str  # as it was named; STANDARD_INPUT has no place to find it again

    def __init__(self, path: str) -> None:
        self.path = path
        self.skipped = 0  # in the last pass of lines(): lines over LINE_LIMIT, and the lost end of a compressed file

    @property
    def name(self) -> str:
        """The file's own name."""
        return os.path.basename(self.path)

    @property
    def stem(self) -> str:
        """The file's name without its extension and without .gz or .zst."""
        name = self.name
        if name.endswith(COMPRESSED):
            name = os.path.splitext(name)[0]
        return os.path.splitext(name)[0]

    @property
    def size(self) -> int:
        """Bytes as they lie on disk, still compressed."""
        raise NotImplementedError

    def open(self) -> io.BufferedIOBase:
        """The bytes from the beginning, decompressed."""
        raise NotImplementedError

    def beside(self, *parts: str) -> tuple[Source, ...]:
        """The files in a folder next to this file, sorted by name; none where there is no such folder."""
        return ()

    def has_beside(self, *parts: str) -> bool:
        """Whether a file stands at this path, seen from this file's folder."""
        return False

    def head(self, n: int = 65536) -> bytes:
        """The first bytes, enough to recognise a format."""
        found = b""
        with self.open() as file:
            try:
                while len(found) < n and (more := file.read1(n - len(found))):
                    found += more
            except CUT_SHORT:
                pass
        return found

    def lines(self) -> Iterator[bytes]:
        """Line after line, with its line break; in place of one over LINE_LIMIT an empty one, counted in `skipped`."""
        self.skipped = 0
        with self.open() as file:
            try:
                while line := file.readline(LINE_LIMIT):
                    if len(line) == LINE_LIMIT and not line.endswith(b"\n"):
                        self.skipped += 1
                        while (rest := file.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                            pass
                        line = b"\n"
                    yield line
            except CUT_SHORT:
                self.skipped += 1

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.path!r})"


class FileSource(Source):
    """A file on disk; .gz is read by the standard library, .zst where a module for it is
    installed."""

    def __init__(self, path: str, opened: set[str] | None = None) -> None:
        super().__init__(path)
        self.opened: set[str] = set() if opened is None else opened

    @property
    def size(self) -> int:
        return os.stat(self.path).st_size

    def open(self) -> io.BufferedIOBase:
        self.opened.add(self.path)
        os.close(open_plain(self.path))  # a pipe or device would hold us up for ever
        if self.path.endswith(".gz"):
            return gzip.GzipFile(self.path)
        if self.path.endswith(".zst"):
            return _open_zst(self.path)
        return open(self.path, "rb")

    def beside(self, *parts: str) -> tuple[Source, ...]:
        folder = os.path.join(os.path.dirname(self.path), *parts)
        try:
            names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
        except OSError:
            return ()
        return tuple(FileSource(os.path.join(folder, name), self.opened) for name in names)

    def has_beside(self, *parts: str) -> bool:
        return os.path.isfile(os.path.join(os.path.dirname(self.path), *parts))


class BytesSource(Source):
    """Bytes at hand, for standard input and for tests; nothing stands beside them."""

    def __init__(self, data: bytes, path: str = STANDARD_INPUT) -> None:
        super().__init__(path)
        self._data = data

    @property
    def size(self) -> int:
        return len(self._data)

    def open(self) -> io.BufferedIOBase:
        return io.BytesIO(self._data)


def walk(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Source]:
    """Every file named or under a named folder, each once, in sorted order; "-" is standard
    input."""
    seen: set[str] = set()
    for named in paths:
        path = os.fspath(named)
        if path == STANDARD_INPUT:
            yield BytesSource(sys.stdin.buffer.read())
        elif os.path.isdir(path):
            yield from _under(path, seen)
        else:
            yield from _once(path, seen) if os.path.isfile(path) else [handed_over(path)]


def handed_over(path: str) -> Source:
    """What a shell hands over as `<(zcat …)`, read once and whole."""
    if not os.path.exists(path):
        raise NotFound(
            f"There is no file or folder {path}.", "Name files, folders, or - for standard input."
        )
    kind = kind_of(path)
    if kind != "a pipe" or not path.startswith(("/dev/fd/", "/dev/stdin", "/proc/self/fd/")):
        raise UsageError(
            f"{path} is {kind}, not a file.", "Name files, folders, or - for standard input."
        )
    with open(path, "rb") as file:
        return BytesSource(file.read())


def said_place(text: str) -> str:
    """The place of something that was handed over and stands nowhere: its own words."""
    return f"said:{short_hash(text)}"


def json_record(line: bytes) -> dict[str, Any] | None:
    """The JSON object on a line; None for anything else."""
    try:
        found: Any = json.loads(line)
    except UnicodeDecodeError:
        return json_record(line.decode("utf-8", "replace").encode())
    except (ValueError, RecursionError):
        return None
    if type(found) is not dict:
        return None
    kept: dict[str, Any] = found
    # Half characters may be spelled out, or stand as raw bytes, which json reads as they are.
    if (b"\\u" in line and _UNKEEPABLE.search(line)) or b"\xed" in line:
        kept = _keepable(found)
    return kept


_UNKEEPABLE = re.compile(rb"\\u(?:[dD][89a-fA-F]|0000)")
_UNKEEPABLE_CHARACTERS = re.compile("[\0\ud800-\udfff]")


def _keepable(found: Any) -> Any:
    if type(found) is str:
        return _UNKEEPABLE_CHARACTERS.sub("\ufffd", found)
    if type(found) is list:
        return [_keepable(item) for item in found]
    if type(found) is dict:
        return {_keepable(key): _keepable(item) for key, item in found.items()}
    return found


def _under(folder: str, seen: set[str]) -> Iterator[Source]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        warnings.warn(f"folder {folder} left out: {error.strerror}", RuntimeWarning, stacklevel=3)
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if not entry.name.startswith(".") and entry.name not in VCS_FOLDERS:
                yield from _under(entry.path, seen)
        elif entry.is_file():
            yield from _once(entry.path, seen)


def _once(path: str, seen: set[str]) -> Iterator[Source]:
    real = os.path.realpath(path)
    if real not in seen:
        seen.add(real)
        yield FileSource(path)


def _open_zst(path: str) -> io.BufferedIOBase:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # Python 3.14

        opened: io.BufferedIOBase = zstd.open(path, "rb")
        return opened
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtra(
            f"cannot read {path}: no module for .zst is installed",
            hint=f"{bring('zstandard')}\n  or decompress the file first: zstd -d",
        ) from None
    return io.BufferedReader(zstandard.open(path, "rb"))  # its own reader knows no lines
