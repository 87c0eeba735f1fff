"""What joelclaw's and geas's documents call noise, and what joelclaw's calls a merit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tacit.core.tables import Tables
from tacit.learn.gate import GateRules

_tables = Tables(__file__)
NARRATION = _tables.pattern("NARRATION")
TRACE = _tables.pattern("TRACE", re.I | re.M)
DUMP = _tables.pattern("DUMP")
SHELL_SIGNS = _tables.pattern("SHELL_SIGNS")
PROSE = _tables.pattern("PROSE", re.I)
INSTRUCTION_EDIT = _tables.pattern("INSTRUCTION_EDIT", re.I)
RECURRING = _tables.pattern("RECURRING", re.I)
ADR = _tables.pattern("ADR", re.I)
COMMAND_IN_TEXT = _tables.pattern("COMMAND")
SETTING_NAME = _tables.pattern("SETTING")
PATH_IN_TEXT = _tables.pattern("PATH")


def noise_in(text: str, tier: str, rules: GateRules) -> str:
    """Why an extracted text is no lesson; empty where it may be one."""
    text = text.strip()
    if len(text) < rules.min_chars and tier != "user":  # "Use pnpm." is a person's whole correction
        return f"shorter than {rules.min_chars} characters"
    for name in rules.discard:
        reason, found = _NOISE_KINDS[name]
        if found(text, tier):
            return reason
    return ""


def _is_trace(text: str, tier: str) -> bool:
    return bool(TRACE.search(_prose(text) if tier == "observed" else text))


def _is_dump(text: str, tier: str) -> bool:
    """Most lines read as commands, with nothing said about them."""
    lines = [line for line in map(_bare, text.splitlines()) if line.strip()]
    commands = [line for line in lines if DUMP.match(line) and _only_shell(line)]
    return bool(commands) and len(commands) * 2 > len(lines)


def _bare(line: str) -> str:
    """A line without the marks that say "this is code": a fence is none of its words."""
    line = re.sub(r"^\s*(?:`{3,}|~{3,})[^`]*$|</?(?:pre|code)>", "", line)
    whole = re.fullmatch(r"\s*(?:[-*+] |\d{1,3}[.)] )?(`{1,3})([^`]+)\1[.;,]?\s*", line)
    return whole[2] if whole else line


def _only_shell(line: str) -> bool:
    if PROSE.search(line):
        return False
    return bool(SHELL_SIGNS.search(line)) or (
        len(line.split()) <= 3 and not re.search(r"[.!?]\s*$", line)
    )


def _is_edit(text: str, tier: str) -> bool:
    """Tells somebody to change a document, and is not itself a rule about when to."""
    if tier not in ("agent", "quoted", "imported"):
        return False
    return bool(INSTRUCTION_EDIT.match(text)) and not RECURRING.search(text)


def _is_narration(text: str, tier: str) -> bool:
    return tier != "user" and bool(NARRATION.match(_prose(text).lower()))


_NOISE_KINDS: Mapping[str, tuple[str, Callable[[str, str], bool]]] = {
    "tool_trace": ("a tool trace", _is_trace),
    "command_dump": ("a command dump", _is_dump),
    "instruction_edit": ("an edit to some document, not a lesson", _is_edit),
    "narration": ("an account of the session, not a lesson", _is_narration),
}


MERITS = {
    "adr": ("names a decision record", ADR),
    "path": ("names a path", PATH_IN_TEXT),
    "command": ("names a command", COMMAND_IN_TEXT),
    "config": ("names a setting", SETTING_NAME),
}


def _prose(text: str) -> str:
    """A text without what it quotes in backticks: an error message may well say "seems"."""
    return re.sub(r"`[^`]*`", "`…`", text)
