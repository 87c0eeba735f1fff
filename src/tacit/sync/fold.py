"""What a line does to the lesson that is here: the last signed word wins, and nobody's own word changes without them.

| a line | does |
|---|---|
| signed, later than all that is known of the lesson | what it says stands here; the former words stay in `why` |
| … but of words that a person here confirmed or keeps always, and it says others or ends them | a question |
| signed, earlier | nothing; it is told in `why` |
| that erases what its signer alone has worded | blanks it here too |
| that erases other people's words | takes the lesson out, reversibly, and asks before it blanks |
| signed by nobody who is allowed | a new lesson waits for a person; one that is here stays as it is |
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tacit.core.value import value
from tacit.sync.line import Line

ADD, CHANGE, OUT, ERASE, HOLD, PASS, KNOWN = "add change out erase hold pass known".split()


@value
class Here:
    """A lesson as it stands on this machine."""

    says: Mapping[str, Any]
    confirmed: bool = False  # a person here confirmed these words, or keeps them always
    held: bool = False  # it came without a signature that counts, and waits


@value
class Act:
    """What a line does, and whether a person here is asked."""

    what: str
    asks: str = ""  # "words", "end" or "erase"


def decided(
    line: Line, here: Here | None, last: tuple[str, str, int] | None, authors: Collection[str]
) -> Act:
    """What a line does. `last` is the latest line of the lesson that counts, `authors` signed the words that it ever had."""
    erased = here is not None and here.says["state"] == "erased"
    if not line.signer:
        return Act(HOLD if here is None and last is None and line.state != "erased" else KNOWN)
    if erased or (here is None and line.state in ("gone", "erased")):
        return Act(KNOWN)
    if line.state == "erased":
        return _erasing(line, here, authors)
    if last is not None and line.stamp <= last:
        return Act(KNOWN if here is not None and line.says == here.says else PASS)
    if here is None or here.held:
        return Act(ADD)
    if line.says == here.says:
        return Act(KNOWN)
    if here.confirmed and line.says["text"] != here.says["text"]:
        return Act(PASS, "words")
    if here.confirmed and line.state == "gone" != here.says["state"]:
        return Act(PASS, "end")
    return Act(CHANGE)


def _erasing(line: Line, here: Here | None, authors: Collection[str]) -> Act:
    """An erasure counts at once for the eraser's own words alone: whoever's key is allowed could else empty everybody's memory."""
    if set(authors) <= {line.signer}:
        return Act(ERASE)
    open_here = here is not None and here.says["state"] != "gone" and not here.confirmed
    return Act(OUT if open_here else PASS, "erase")
