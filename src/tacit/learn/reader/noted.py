"""What a session wrote down by itself: lines that a call added to a file which hosts load at every start."""

from __future__ import annotations

import re

from tacit.core.run import Step

# Files that hosts load at every start (every name in their registrations, which a test holds), and those that teams keep for the same end.
_INSTRUCTION_FILES = re.compile(
    r"(?:^|/)(?:(?:CLAUDE|AGENTS|GEMINI|MEMORY|CONVENTIONS)(?:\.local)?\.md|copilot-instructions\.md|\.cursorrules|rules/[^/]+\.mdc?)$",
    re.I,
)
_WRITTEN = (
    ("new_string", "old_string"),
    ("content", ""),
    ("contents", ""),
    ("newString", "oldString"),
    ("new_str", "old_str"),
)


def noted(step: Step) -> str:
    """What a call added to an instruction file: what the team chose to remember of this session, in its own words."""
    if step.error or step.interrupted or not any(_INSTRUCTION_FILES.search(file) for file in step.files):
        return ""
    given = step.input or {}
    edits = [given, *(each for each in given.get("edits") or () if isinstance(each, dict))]
    found: list[str] = []
    for edit in edits:
        for new, old in _WRITTEN:
            if isinstance(edit.get(new), str):
                stood = {line.strip() for line in str(edit.get(old) or "").splitlines()}
                found += [line for line in edit[new].splitlines() if line.strip() and line.strip() not in stood]
    patch = given.get("input") if isinstance(given.get("input"), str) else ""
    found += [line[1:] for line in str(patch).splitlines() if line.startswith("+") and not line.startswith("+++")]
    return "\n".join(found)
