"""Does git ignore a folder of a work tree? Such a folder is not that repository's project.

A build folder, a vendored clone, a benchmark's world: what is learned there says nothing of the repository around it, and
nothing of it belongs on the repository's pages. Asked on the hook path wherever a folder is not the top of its work tree,
so no git process is started: patterns are read as git reads them (`.gitignore` from the top down, `info/exclude`, the
user's own excludes file), and a folder that holds a tracked file is never ignored, whatever a pattern says.
"""

from __future__ import annotations

import os

from tacit.safety.files import head_of

_INDEX_LIMIT = 64 << 20  # bytes of an index that are searched; half a million tracked files
_FILE_LIMIT = 1 << 16  # bytes of a file of patterns that count: the hook's time is the user's
_LONGEST = 400  # characters of a pattern; what is longer names nothing
_ENTRY = 62  # bytes of an index entry before its path, or two more


def is_ignored(folder: str, root: str, git_dir: str, common_dir: str, excludes: str) -> bool:
    """Whether git ignores `folder`, which lies below `root`. `excludes` is the user's own file of patterns, or empty."""
    parts = os.path.relpath(folder, root).split("/")
    general = [
        ("", each)
        for path in (excludes, os.path.join(common_dir, "info", "exclude"))
        for each in _patterns(path)
    ]
    known = [*general, *(("", each) for each in _patterns(os.path.join(root, ".gitignore")))]
    for depth in range(1, len(parts) + 1):
        path = "/".join(parts[:depth])
        if _last_word(path, known):
            return not _holds_tracked(os.path.join(git_dir, "index"), "/".join(parts))
        inside = os.path.join(root, path, ".gitignore")
        known += [(f"{path}/", each) for each in _patterns(inside)]
    return False


def _patterns(path: str) -> list[str]:
    if not path:
        return []
    text = head_of(path, _FILE_LIMIT).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    lines = (_without_blanks(line) for line in text.split("\n"))
    return [line for line in lines if line and line[0] != "#" and len(line) <= _LONGEST]


def _without_blanks(line: str) -> str:
    """A pattern without the spaces at its end, but for one behind a backslash."""
    bare = line.removesuffix("\r").rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2
    return f"{bare} " if escaped and line.startswith(f"{bare} ") else bare


def _last_word(path: str, known: list[tuple[str, str]]) -> bool:
    """What the last pattern that matches a folder says of it."""
    for base, pattern in reversed(known):
        kept = pattern.startswith("!")
        pattern = pattern[kept:].removesuffix("/")
        if not pattern:
            continue
        if "/" in pattern:
            name, pattern = path[len(base) :], pattern.removeprefix("/")
        else:
            name = path.rpartition("/")[2]
        if matches(name, pattern):
            return not kept
    return False


def matches(name: str, pattern: str) -> bool:
    """git's wildmatch for paths: `*` and `?` stop at a slash, `**` between slashes does not."""
    return _match_parts(name.split("/"), pattern.split("/"))


def _match_parts(names: list[str], patterns: list[str]) -> bool:
    reached = {0}  # how many names may be matched by the patterns so far
    for at, pattern in enumerate(patterns):
        if pattern == "**":
            last = at == len(patterns) - 1
            least = min(reached, default=len(names)) + (last and at > 0)
            reached = set(range(least, len(names) + 1))
        else:
            reached = {n + 1 for n in reached if n < len(names) and _match(names[n], pattern)}
    return len(names) in reached


def _match(name: str, pattern: str) -> bool:
    """One component of a path; by the set of places in the name that are reached, so that none is met twice."""
    reached, at = {0}, 0
    while at < len(pattern) and reached:
        if pattern[at] == "*":
            reached = set(range(min(reached), len(name) + 1))
            at += 1
            continue
        but, among, at = _letters(pattern, at)
        reached = {
            n + 1
            for n in reached
            if n < len(name) and any(low <= name[n] <= high for low, high in among) != but
        }
    return len(name) in reached


def _letters(pattern: str, at: int) -> tuple[bool, list[tuple[str, str]], int]:
    """One place of a pattern: whether all but these letters are meant, their spans, and where it goes on."""
    letter = pattern[at]
    if letter == "?":
        return True, [], at + 1
    if letter == "[":
        return _bracket(pattern, at + 1)
    if letter == "\\":
        at += 1
        letter = pattern[at : at + 1]
    return False, [(letter, letter)] if letter else [], at + 1


def _bracket(pattern: str, at: int) -> tuple[bool, list[tuple[str, str]], int]:
    """The spans of `[…]`; one that is not closed matches nothing."""
    but = pattern[at : at + 1] in ("!", "^") and at < len(pattern)
    at += but
    spans: list[tuple[str, str]] = []
    first = True
    while at < len(pattern) and (first or pattern[at] != "]"):
        first = False
        end = pattern.find(":]", at) if pattern.startswith("[:", at) else -1
        if end > 0:
            spans += _CLASSES.get(pattern[at + 2 : end], [])
            at = end + 2
            continue
        low, at = _escaped(pattern, at)
        high = low
        if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("", "]"):
            high, at = _escaped(pattern, at + 1)
        spans.append((low, high))
    return (but, spans, at + 1) if at < len(pattern) else (False, [], at)


def _escaped(pattern: str, at: int) -> tuple[str, int]:
    at += pattern[at] == "\\"
    return pattern[at : at + 1], at + 1


_UPPER, _LOWER, _DIGIT = ("A", "Z"), ("a", "z"), ("0", "9")
_CLASSES = {
    "alpha": [_UPPER, _LOWER],
    "lower": [_LOWER],
    "upper": [_UPPER],
    "digit": [_DIGIT],
    "alnum": [_UPPER, _LOWER, _DIGIT],
    "xdigit": [_DIGIT, ("a", "f"), ("A", "F")],
    "space": [(" ", " "), ("\t", "\r")],
    "blank": [(" ", " "), ("\t", "\t")],
}


def _holds_tracked(index: str, folder: str) -> bool:
    """Whether the index names a file below a folder. One that cannot be read, or shortens its paths, names none."""
    found = head_of(index, _INDEX_LIMIT)
    start = os.fsencode(folder) + b"/"
    at = found.find(start)
    while at > 0:
        length = len(found[at : found.find(b"\0", at)])
        for back in (2, 4):  # the flags that hold the path's length, and those of later versions
            flags = int.from_bytes(found[at - back : at - back + 2], "big")
            if at >= _ENTRY and flags & 0xFFF == min(length, 0xFFF):
                return True
        at = found.find(start, at + 1)
    return False
