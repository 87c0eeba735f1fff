"""An option of a linter that the project already uses, in a lesson's place: found by closed tables, put into its file by its text.

Only what a linter can hold for good: code that is not the project's, which it passes over, and rules that it knows by name. Linters whose
settings are JSON; where none fits, there is no better place, and the lesson stays a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tacit.core.value import value
from tacit.hosts.json_text import loads, member, put, top

_FOREIGN = re.compile(r"^What .+ in `([^`\s]+)` is not this project's code")
_AVOID = re.compile(r"^(?:never|do not|don't|avoid)\b(?: (?:use|using|write|writing|leave|import))*\b(.*?)[.!]?$", re.I)
_IMPORT = re.compile(r"^(?:never|do not|don't) import (?:from )?`([^`\s]+)`[.!]?$", re.I)


@value
class Linter:
    """Where a linter keeps what it passes over, and its rules, by their paths in its settings."""

    files: tuple[str, ...]
    ignores: tuple[str, ...]
    ignored: Callable[[str, Any], list[str]]  # a folder, and what is listed by now -> what to add
    rules: Mapping[str, tuple[str, ...]]  # what a lesson forbids -> the rule's path
    imports: Callable[[str], tuple[tuple[str, ...], Any]] | None = None  # a module -> the rule's path and setting


def _biome_ignored(folder: str, listed: Any) -> list[str]:
    return [*([] if listed else ["**"]), f"!{folder}"]


_BIOME = ("linter", "rules")
_ESLINT = {
    said: ("rules", rule)
    for said, rule in {
        "console.log": "no-console",
        "any": "@typescript-eslint/no-explicit-any",
        "var": "no-var",
    }.items()
}
LINTERS = {
    "biome": Linter(
        ("biome.json", "biome.jsonc"), ("files", "includes"), _biome_ignored,
        {
            "console.log": (*_BIOME, "suspicious", "noConsole"), "any": (*_BIOME, "suspicious", "noExplicitAny"),
            "var": (*_BIOME, "suspicious", "noVar"), "default exports": (*_BIOME, "style", "noDefaultExport"),
            "unused imports": (*_BIOME, "correctness", "noUnusedImports"),
        },
        lambda module: (
            (*_BIOME, "style", "noRestrictedImports"),
            {"level": "error", "options": {"paths": {module: f"Never import {module}."}}},
        ),
    ),
    "eslint": Linter(
        (".eslintrc.json",), ("ignorePatterns",), lambda folder, _: [f"{folder}/"], _ESLINT,
        lambda module: (("rules", "no-restricted-imports"), ["error", module]),
    ),
    "oxlint": Linter((".oxlintrc.json",), ("ignorePatterns",), lambda folder, _: [f"{folder}/**"], _ESLINT),
    "markdownlint": Linter((".markdownlint-cli2.jsonc",), ("ignores",), lambda folder, _: [f"{folder}/**"], {}),
}  # fmt: skip


def linter_option(text: str, settings: Mapping[str, str]) -> tuple[str, str, str] | None:
    """(file, what it says then, its text) for a lesson that a linter of these settings could hold; None where none can, or does already."""
    for name, linter in LINTERS.items():
        for file in linter.files:
            if file in settings and (found := _held(linter, text, settings[file])):
                what, after = found
                return file, f"{name}: {what}", after
    return None


def _held(linter: Linter, text: str, settings: str) -> tuple[str, str] | None:
    try:
        known = loads(settings)
    except ValueError:
        return None
    if not isinstance(known, dict):
        return None
    if foreign := _FOREIGN.match(text):
        if linter.ignores == ("files", "includes") and "/1." in str(known.get("$schema")):
            return None  # biome 1 has another form
        listed = _at(known, linter.ignores)
        after = settings
        for each in linter.ignored(foreign[1].rstrip("/"), listed):
            after = _put(after, linter.ignores, each, item=True)
        return (f"passes over {foreign[1]}", after) if after != settings else None
    path, setting = _rule(linter, text)
    return (path[-1], _put(settings, path, setting)) if path and _at(known, path) is None else None


def _rule(linter: Linter, text: str) -> tuple[tuple[str, ...], Any]:
    if module := _IMPORT.match(text):
        return linter.imports(module[1]) if linter.imports else ((), None)
    found = _AVOID.match(text)
    return linter.rules.get(found[1].replace("`", "").strip(), ()) if found else (), "error"


def _at(known: Any, path: tuple[str, ...] | list[str]) -> Any:
    for key in path:
        known = known.get(key) if isinstance(known, dict) else None
    return known


def _put(text: str, path: tuple[str, ...], setting: Any, *, item: bool = False) -> str:
    """The settings with a member at a path, or an item in the list there; everything else as it stands."""
    at = top(text)
    for depth, key in enumerate(path):
        part = member(text, at, key)
        if part is None:
            inner: Any = [setting] if item else setting
            for above in reversed(path[depth + 1 :]):
                inner = {above: inner}
            return put(text, at, key, inner)
        at = part.value_start
    listed = _at(loads(text), path)
    return put(text, at, "", setting) if item and isinstance(listed, list) and setting not in listed else text
