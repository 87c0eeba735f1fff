"""Habits: what a person asks for, asks about or corrects again and again, seen over all lines they
typed.

A habit is a way of working that two sessions show; every session that shows it is named by a line
of its own, and their number is how often it was said again. It is never a leave: what commits,
pushes, deploys, publishes or deletes waits for the person.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tacit.reading.asked import (
    LONGEST_TEXT,
    ROOM,
    Answer,
    Cite,
    Item,
    Shown,
    Struck,
    cited,
    enough_came,
    fitting,
    last_answer,
    named_lines,
    printed,
    question,
    sessions_named,
    strange_names,
    taken_in,
    text_of,
    typed_lines,
)
from tacit.reading.record import Left

MOST_HABITS = 8  # of an answer
FEWEST_SESSIONS = 2  # that show one
WHENS = ("start", "end", "always")

# as an order: "commit and push", "publish the package", and not "publish runs pass"
_ACTS = (
    r"(?:force-)?(?:commit|push|deploy|publish|delete)\b(?=\s*(?:$|[,.;!)]"
    r"|(?:and|or|the|it|them|to|all|each|every|your|any|changes?|after|directly|on|with|when|a|an)\b))"
)
# a clause that leaves the act to the person, or is about it
_ASKED = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|offer\w*|whether|never|don['’]t|do not|not|without|only|unless|confirm\w*"
    r"|wait\w*|propose|suggest|remind\w*|expect\w*|before|after|once|when(?:ever)?|if)\b",
    re.I,
)
_ORDERED = re.compile(rf"(?:^|,\s*|\b(?:and|then|always|also|automatically)\s+){_ACTS}", re.I)


def is_due(sessions: Sequence[Left], last: Sequence[Item], fresh: frozenset[str]) -> bool:
    """Whether enough was typed since the last question."""
    return enough_came(typed_lines(sessions), fresh)


def ask(
    sessions: Sequence[Left],
    last: Sequence[Item],
    fresh: frozenset[str],
    dropped: Sequence[str] = (),
) -> str:
    """The question over all typed lines; `fresh` are the sessions that no question has shown
    yet, `dropped` what a person took out."""
    shown = fitting(typed_lines(sessions), last, fresh, ROOM)
    known = [
        f"{item.id} ({item.when}; {sessions_named(item, sessions)}) {item.text}" for item in last
    ]
    return question("habits", last=last_answer("habits", known, dropped), lines=printed(shown))


def check(
    said: str, sessions: Sequence[Left], last: Sequence[Item], taken: Sequence[str] = ()
) -> Answer:
    """What of an answer holds: at most eight, each with lines of two sessions at least."""
    lines = {line.name: line for line in typed_lines(sessions)}
    return taken_in(
        said, "habits", MOST_HABITS, last, lambda row, before: _habit(row, before, lines), taken
    )


def _habit(
    row: Mapping[str, object], before: Item | None, lines: Mapping[str, Shown]
) -> tuple[Item | None, list[Struck], str]:
    """One habit of an answer, what of its lines was struck, and why it is none."""
    text = text_of(row, "text") or (before.text if before else "")
    shown, struck = cited(row, lines)
    words = dict(named_lines(row))
    cites = {cite.session: cite for cite in (before.cites if before else ())}
    for line in shown:  # of a session one
        cites.setdefault(
            line.session, Cite(line.session, line.group, words[line.name], line.person)
        )
    when = text_of(row, "when").casefold()
    item = Item(
        before.id if before else "",
        text,
        tuple(cites.values()),
        when=when if when in WHENS else before.when if before else "always",
        leave=is_leave(text),
    )
    mended = before is None or text != before.text
    strange = strange_names(text, (line.whole for line in lines.values())) if mended else []
    why = ""
    if not text:
        why = "no text"
    elif len(text.split()) > LONGEST_TEXT:
        why = "too long"
    elif item.sessions < FEWEST_SESSIONS:
        why = "fewer than two sessions show it"
    elif strange:
        why = f"no line holds {strange[0]}"
    return (None if why else item), struck, why


def is_leave(text: str) -> bool:
    """Whether a habit orders what only a person may: to commit, push, deploy, publish or delete
    unasked."""
    for sentence in re.split(r"[.;:]\s+|\s[—–]\s", text):
        # "When work is done, commit": the condition is no question to the person
        order = re.sub(
            r"^(?:when|whenever|once|after|before|if|at)\b[^,]*,\s*", "", sentence, flags=re.I
        )
        for clause in re.split(r"\bbut\b", order):
            act = _ORDERED.search(clause)
            if act and not _ASKED.search(clause[: act.start() + 1]):
                return True
    return False


def by_weight(items: Sequence[Item]) -> list[Item]:
    """Habits by how many sessions show them."""
    return sorted(items, key=lambda item: -item.sessions)
