"""What a lesson is about, told by rules from its words and its record, where no reader said it.

A lesson with a mark of an error, with files, or of a class that is about something (a fix, a pitfall, a command) is about what it names. A
preference is a way of working. A rule or a fact is one where it speaks of how people work (commit, ask, test, review …) and names nothing
of the code; where neither is plain, nobody knows, and its words decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tacit.core.memory import WAY, Memory, joined
from tacit.core.programs import ABOUT, programs

ABOUT_SOMETHING = ("fix", "pitfall", "command", "estimate")  # classes whose lessons are never about everything
# What is done in every piece of work, whatever it is about; a word that begins so.
_WORK = re.compile(
    r"\b(?:commit|push|branch|pull request|merge request|PRs?\b|review|changelog|ask|confirm|approv|answer|repl(?:y|ies)|explain|plan"
    r"|tests?\b|lint|format|typecheck|type check|comment|docstring|document|language|english|german|french|spanish|emoji|verbose|brief|concise"
    r"|refactor|scope|todo|subagent|sub-agent|parallel|before (?:you|any|every|each|committing)|after (?:every|each)|every (?:time|change|session)"
    r"|work ?tree|issue|ticket|release|version bump|step by step|one (?:at a time|by one))",
    re.I,
)
_ORDER = re.compile(
    r"(?:Before|After|Always|Never|Do not|Don't|When(?:ever)?|Check|Ask|Fix|Keep|Use|Run|Write|Put|Leave)\b"
)
# Names of code: a path with an extension, a call, snake_case, camelCase, CONSTANT_CASE. A product (GitHub, TypeORM) looks like a class.
_NAME = re.compile(
    r"(?<![\w./-])(?:[\w-]+/)*[\w-]+\.[A-Za-z]\w{0,4}(?![\w/])|\b\w+(?:\.\w+)*\(\)?|\b[A-Za-z]\w*_\w+\b|\b(?!macOS|iOS|iPad|eBPF)[a-z]+[A-Z]\w*\b"
)
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_SENTENCE = frozenset(
    "a an and as but for from i if in is it no not of on or our so that the then this to we when with you".split()
)
_SPAN = re.compile(r"`([^`\n]{2,80})`")
# Files that every project has: a rule that names one is a way of working all the same.
_IN_EVERY_PROJECT = re.compile(
    r"(?:CHANGELOG|README|CLAUDE|AGENTS|GEMINI|CONTRIBUTING|LICENSE|TODO|MEMORY)(?:\.\w+)?|\.gitignore|package\.json|pyproject\.toml"
    r"|Makefile|e\.g|i\.e|\w+\.(?:com|org|io|md)",
    re.I,
)


def subject_by_rules(memory: Memory, quotes: Iterable[str] = ()) -> str:
    """A lesson's subject as its row, its words and the calls in its evidence tell it; empty where they do not."""
    names = dict.fromkeys((*_commands(memory, quotes), *_named(memory.text)))
    if memory.klass in ABOUT_SOMETHING or memory.signature:
        return joined("", names)
    code = [name for name in names if _NAME.fullmatch(name) and not _IN_EVERY_PROJECT.fullmatch(name)]
    own_files = [path for path in memory.paths if not _IN_EVERY_PROJECT.fullmatch(path.rpartition("/")[2])]
    is_order = memory.klass in ("rule", "security") or bool(_ORDER.match(memory.text))
    if not code and not own_files and (memory.klass == "preference" or (is_order and _WORK.search(memory.text))):
        return WAY
    return joined("", names) if code or own_files else ""


def _named(text: str) -> Iterable[str]:
    """Code spans that are names or calls, options, and names of code outside of spans."""
    for span in _SPAN.findall(text):
        words = span.split()
        if len(words) == 1 or (words[0].isalnum() and programs(span)):
            yield " ".join(words[:3])
    yield from _OPTION.findall(text)
    yield from (found.rstrip("()") for found in _NAME.findall(text))


def _commands(memory: Memory, quotes: Iterable[str]) -> Iterable[str]:
    """The commands that a noticed lesson knows it is about, and those that stand both in its text and in a call of its record; a quote
    may be a sentence instead, whose first word is no program."""
    known = (memory.extra or {}).get(ABOUT)
    if isinstance(known, dict):
        yield from map(str, known)
    for quote in quotes:
        for program in programs(quote):
            if (
                program not in _SENTENCE
                and program[:1].islower()
                and re.search(rf"(?<![\w-]){re.escape(program)}(?![\w-])", memory.text)
            ):
                yield program
