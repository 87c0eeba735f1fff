"""What a session heard from outside, and whether a lesson has its words or its names from there.

From outside is what nobody of this project wrote: pages, forges, MCP servers, other machines, package managers, and files that the
repository does not track at HEAD (a dependency's, a clone's, a download's). What one piece of work found is told before a second one
speaks for it only where nothing of it came from there: no six words in a row, and no name that neither the person, the tracked files
nor the agent's own earlier calls hold.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache

from tacit.core.run import Run, Step
from tacit.core.tables import Tables
from tacit.learn.command import Command, commands, line_of
from tacit.learn.own_commands import scripts_of
from tacit.stores.git import ask_git
from tacit.words.claim_words import BLAND, FILLERS
from tacit.words.tokens import all_stop_words, english_stem

IN_A_ROW = 6  # words that nobody writes twice by chance
FROM_OUTSIDE = "a text from outside says"
_MOST_TEXT, _MOST_TEXTS = (
    20_000,
    200,
)  # characters of one text, and texts of one session, that are kept
_tables = Tables(__file__)
_TOOLS = ("webfetch", "websearch", "mcp__", "web_", "fetch", "browser")
_FETCHING_PROGRAMS, _MANAGERS, _FETCHES, _WRITES = map(
    _tables.words, ("PROGRAMS", "MANAGERS", "FETCHES", "WRITES")
)
_SEARCHES = ("grep", "glob", "search")
_FOREIGN_BRANCH = re.compile(r"\b(?:origin|upstream|fork)/|\bFETCH_HEAD\b")
_WORDS = re.compile(r"[^\s`\"'“”‘’(),;]+")
# A package may be called by a plain word: every word is a name that neither the project nor the people in it use.
EVERY_WORD = re.compile(r"[\w@](?:[\w@./:+-]*\w)?")
# … but a form that only sentences have ("remotely") or a plain noun, unless it stands in code marks, with signs, or behind a word of use.
_PLAIN_NOUNS = "|".join(f"{word}(?:e?s)?" for word in sorted(_tables.words("PLAIN_NOUNS")))
_OF_USE = "|".join(f"(?<={word} )" for word in _tables.listed("OF_USE"))
MAY_BE_NAMES = re.compile(
    rf"(?:{_OF_USE}|(?<![\w@./:+-])(?!(?<!`)(?:[a-z]{{3,}}(?:ly|ed|ing|tions?|ments?|ness|able|ible|less)|{_PLAIN_NOUNS})(?![\w`/@+-]|[.:]\w)))"
    rf"{EVERY_WORD.pattern}"
)
# What reads as a name by itself: with a sign, a digit or a capital inside, behind an @, or with a capital inside a sentence.
LIKE_NAMES = re.compile(
    r"@\w+|\b\w+(?:[-._/:@]+\w+)+\b|\b\w*\d\w*\b|\b[a-z]+[A-Z]\w*\b|(?<=[\w,;.:] )[A-Z]\w+"
)


def tracked_files(folder: str) -> Callable[[str], bool]:
    """Whether the repository around a folder tracks a path at HEAD; nothing is tracked where there is none."""
    top = (
        ask_git(folder, "rev-parse", "--show-toplevel")
        if folder and os.path.isdir(folder)
        else None
    )
    root = top.stdout.strip() if top is not None and not top.returncode else ""
    listed = (
        ask_git(root, "ls-tree", "-r", "-z", "--name-only", "HEAD", timeout=20.0) if root else None
    )
    names = (
        frozenset(listed.stdout.split("\0")) - {""}
        if listed is not None and not listed.returncode
        else frozenset()
    )

    def tracked(path: str) -> bool:
        if not names:
            return False
        plain = path.replace("\\", "/")
        if os.path.isabs(plain):
            inside = os.path.relpath(plain, root or folder)
            return inside in names
        return (
            os.path.normpath(plain) in names
            or os.path.normpath(os.path.join(os.path.relpath(folder, root or folder), plain))
            in names
        )

    return tracked


def strange_script(commands: Sequence[str], folder: str) -> str:
    """Why a person is asked about commands that are the repository's own by their looks: one runs a script that lies in its folder and
    that nobody committed; empty where none does."""
    for command in commands if folder else ():
        lying = [
            path for path in scripts_of(command) if os.path.lexists(os.path.join(folder, path))
        ]
        if lying and not all(map(tracked_files(folder), lying)):
            return f"`{command[:60]}` runs a script that the repository does not hold"
    return ""


def held_at_head(folder: str) -> Callable[[str], bool]:
    """Whether a tracked file of the repository around a folder, or the name of one, holds a text as it is."""
    known: dict[str, bool] = {}

    def holds(name: str) -> bool:
        if name not in known:
            found = (
                ask_git(folder, "grep", "-qIiF", "-e", name, "HEAD", timeout=10.0)
                if folder
                else None
            )
            known[name] = found is not None and found.returncode == 0
        return known[name]

    return holds


def outside_texts(run: Run, tracked: Callable[[str], bool]) -> list[tuple[int, str]]:
    """The texts of a session that came from outside, each with the number of its step."""
    found: list[tuple[int, str]] = []
    own: set[str] = set()  # files that the agent itself wrote in this session
    for at, step in enumerate(run.steps):
        if not step.tool:
            continue
        if step.tool.lower().startswith(
            ("write", "edit", "multiedit", "notebookedit", "apply_patch")
        ):
            own.update(_files(step))
            continue
        text = (step.output or step.error)[:_MOST_TEXT]
        if text and (heard := _from_outside(step, text, lambda path: path in own or tracked(path))):
            found.append((at, heard))
    return found[:_MOST_TEXTS]


def _files(step: Step) -> tuple[str, ...]:
    given = step.input or {}
    named = (
        given.get(key)
        for key in ("file_path", "path", "filePath", "notebook_path", "absolute_path")
    )
    return (*step.files, *(path for path in named if isinstance(path, str)))


def _from_outside(step: Step, text: str, tracked: Callable[[str], bool]) -> str:
    """What of a step's words came from outside; empty where nothing did."""
    name = step.tool.lower()
    if name.startswith(_TOOLS):
        return text
    line = line_of(step)
    if not line:
        if any(word in name for word in _SEARCHES):
            return _of_untracked_lines(text, tracked)
        return text if any(not tracked(path) for path in _files(step)) else ""
    run = commands(line)
    if any(_fetches(call) for call in run) or (_FOREIGN_BRANCH.search(line) and "git" in line):
        return text
    read = [path for call in run if call.looks for path in _paths(call)]
    if any(not tracked(path) for path in read):
        return text
    searched = any(call.program in ("grep", "rg", "ag", "ack") for call in run)
    return _of_untracked_lines(text, tracked) if searched else ""


def _fetches(call: Command) -> bool:
    words = call.proper
    program, rest = words[0], [word for word in words[1:] if not word.startswith("-")]
    if program in _FETCHING_PROGRAMS:
        return program not in ("gh", "glab") or not _WRITES.intersection(rest[:2])
    return program in _MANAGERS and bool(_FETCHES.intersection(rest[:2]))


def _paths(call: Command) -> Iterator[str]:
    """The files that a looking call reads: words that look like paths; of a search its pattern is none."""
    words = [word for word in call.words[1:] if not word.startswith("-")]
    program = call.program
    for word in words[1:] if program in ("grep", "rg", "sed", "awk", "ag", "jq") else words:
        plain = word.strip("'\"")
        if ("/" in plain or re.search(r"\.\w{1,6}$", plain)) and not re.search(
            r"[*?{}$|]|^\d", plain
        ):
            yield (
                os.path.join(call.folder, plain)
                if call.folder and not os.path.isabs(plain)
                else plain
            )


def _of_untracked_lines(text: str, tracked: Callable[[str], bool]) -> str:
    """Of what a search found, the lines of files that are not tracked."""
    lines = []
    for line in text.split("\n"):
        path = line.partition(":")[0].strip()
        if "/" in path and " " not in path and not tracked(path):
            lines.append(line)
    return "\n".join(lines)


def brought(
    text: str,
    heard: Sequence[tuple[int, str]],
    own: Callable[[str, int], bool],
    holds: Callable[[str], bool],
    *,
    names: re.Pattern[str] = EVERY_WORD,
) -> str:
    """What of a lesson texts from outside brought into its session; empty where they brought nothing. `own` tells whether the person, or
    the session's own words and calls before a step, hold a name or a row of words, `holds` whether a tracked file does."""
    for row in rows_of(text):
        first = next((at for at, told in heard if row in spaced(told)), -1)
        if first >= 0 and not own(row, first):
            return f"{FROM_OUTSIDE}: {row.strip()}"
    heard_by = [(at, {word.casefold() for word in EVERY_WORD.findall(told)}) for at, told in heard]
    for name in dict.fromkeys(names.findall(text)):
        first = next((at for at, words in heard_by if name.casefold() in words), -1)
        stem = (
            english_stem(name) if name.isalpha() and name.islower() else ""
        )  # "rejects" where "reject" is known
        forms = (name, stem) if len(stem) > 4 else (name,)
        plain = {
            name.casefold(),
            name.casefold().removesuffix("s"),
        } & _ordinary()  # "ones" as "one"
        if first < 0 or plain or any(own(each, first) or holds(each) for each in forms):
            continue
        parts = re.split("[-/]", name)
        if len(parts) == 1 or not all(
            each.casefold() in _ordinary() or own(each, first) or holds(each) for each in parts
        ):
            return f"a text from outside brought {name}"
    return ""


@cache
def _ordinary() -> frozenset[str]:
    """Words that name nothing."""
    return all_stop_words() | FILLERS | BLAND


@lru_cache(maxsize=512)
def spaced(text: str) -> str:
    """The words of a text between single spaces, for looking up a row of them."""
    return f" {' '.join(word for each in _WORDS.findall(text.casefold()) if (word := each.strip('.:!?*_')))} "


def rows_of(text: str) -> list[str]:
    """Every six words in a row, between spaces."""
    words = spaced(text).split()
    return [f" {' '.join(words[at : at + IN_A_ROW])} " for at in range(len(words) - IN_A_ROW + 1)]
