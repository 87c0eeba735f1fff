"""Claude Code's permission rules: the same as a guard says, in the host's own settings, for good and without memory."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.hosts.json_text import loads, member, put, top

SECTIONS = {"ask": "ask", "refuse": "deny"}


def permission_rules(calls: Sequence[Sequence[str]], files: Sequence[str]) -> list[str]:
    """The rules that stop these calls, whatever follows their words and wherever their options stand, and changes of these files."""
    rules = []
    for row in calls:
        at = next((n for n, word in enumerate(row) if word.startswith("-")), len(row))
        head, tail = " ".join(row[:at]), " ".join(row[at:])
        rules.append(f"Bash({' '.join(row)}:*)")
        rules += [f"Bash({head} * {tail}*)"] if tail else []  # the option may stand further behind
    return rules + [f"Edit(**/{path})" for path in files]


def with_permissions(text: str, step: str, rules: Sequence[str]) -> str:
    """The settings with these rules in their section, everything else as it stands; ValueError where they are no settings."""
    after, section = text if text.strip() else "{}\n", SECTIONS[step]
    known = loads(after)
    if not isinstance(known, dict) or not isinstance(known.get("permissions", {}), dict):
        raise ValueError("no settings")
    for rule in rules:
        found = member(after, top(after), "permissions")
        listed = member(after, found.value_start, section) if found else None
        if found is None:
            after = put(after, top(after), "permissions", {section: [rule]})
        elif listed is None:
            after = put(after, found.value_start, section, [rule])
        elif rule not in loads(after)["permissions"][section]:
            after = put(after, listed.value_start, "", rule)
    return after
