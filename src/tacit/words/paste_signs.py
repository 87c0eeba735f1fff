"""How a passage of a message is made: what programs print, how pages are laid out, how people
speak, what repeats the agent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.core.tables import Tables

if TYPE_CHECKING:
    Span = tuple[int, int]

_tables = Tables(__file__)

OPENING = 200  # characters at the head of a longer one that need no mark of a person
ASIDE = 400  # characters of a paragraph after a paste that can still be the person's remark on it
WIDE_LINE = 400  # characters of a line that are looked at for what it is
SAME_WORDS = 4  # words in a row that show a passage to be the agent's own
COPIED_SHARE = 0.7  # share of such runs
# words of a passage: somebody who says less in the agent's words has typed them
WHOLE_COPIED, MUCH_COPIED = 10, 25

# --- how a passage is made ----------------------------------------------------------------------------------------------

_LOG = _tables.text("_LOG")
_LAYOUT = _tables.text("_LAYOUT")
SIGN = re.compile(f"(?P<log>{_LOG})|{_LAYOUT}", re.M)
CURLY = re.compile(r"[“”’]")
SPEAKS = _tables.pattern("SPEAKS", re.I)
ADDRESSES = _tables.pattern("ADDRESSES")
ANNOUNCES = _tables.pattern("ANNOUNCES", re.I)
OTHERS_WORDS = _tables.pattern("OTHERS_WORDS", re.I)
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
# Behind what was pasted, on the same line: plain words that are glued to its last bracket, or come
# after a stop that a log does not write (" . ", or one after a figure). A log's own message also
# stands behind a bracket, but with a space.
_TAIL = re.compile(
    r"(?:[)\]](?=\w)|\s\.\s|\d\.\s)((?:[A-Za-z][\w'’,/@.:-]*[ ]){1,60}[\w'’,/@.:-]+[ ]?[.!?]*)\s*$"
)
_ASKED = re.compile(r"\. ([a-z][^.`]{4,80}\?)\s*$")


def first_sign(passage: str) -> int | None:
    """Where in a passage something begins that nobody types, or None."""
    found = SIGN.search(passage[:4000])
    if found:
        return found.start()
    if all(line.startswith(("  ", "\t")) for line in passage.splitlines() if line.strip()):
        return 0  # copied out of a terminal with its margin
    if CURLY.search(passage[:4000]) and not SPEAKS.search(passage[:200]):
        return 0
    return None


def is_log(passage: str, at: int) -> bool:
    """Whether the sign at a place is a program's, not somebody's layout."""
    sign = SIGN.match(passage, at)
    return sign is not None and sign["log"] is not None


def words_around(passage: str, start: int, at: int, opens: bool) -> Iterator[Span]:
    """The person's words on the same lines as a paste: before it, and after the last thing it
    holds."""
    lead = passage[:at].rstrip(" [")
    if (
        opens
        and sum(not word[0].isdigit() for word in lead.split()) >= 2
        and "\n" not in lead[-len(lead) + OPENING :]
    ):
        yield start, start + len(lead)
    end = passage[max(at, len(passage) - ASIDE) :]
    tail = _TAIL.search(end) if is_log(passage, at) else _ASKED.search(end)
    if tail and not SIGN.search(tail[1]) and len(tail[1].split()) > 2:
        yield (
            start + len(passage) - len(end) + tail.start(1),
            start + len(passage) - len(end) + tail.end(1),
        )


def is_remark(passage: str, begun: bool) -> bool:
    """Whether a paragraph after a paste speaks as a person does: plain, to somebody, and short
    where one has begun."""
    plain = passage.strip()
    if (
        (begun and len(plain) > ASIDE)
        or len(plain.split()) < 2
        or SIGN.search(plain)
        or CURLY.search(plain)
    ):
        return False
    if plain.count("`") > 2 or "**" in plain:
        return False
    return ADDRESSES.search(plain) is not None


def paragraphs_of(text: str) -> Iterator[tuple[int, int, bool]]:
    """Start, end and whether it is code: runs of lines between blank ones; a fence is one, to
    its end."""
    at, begin, end, fence = 0, -1, 0, False
    for line in text.splitlines(keepends=True):
        here, at = at, at + len(line)
        stripped = line.rstrip()
        opens = _FENCE.match(line[:WIDE_LINE]) is not None
        inside = "```" in stripped and not opens and stripped.count("```") == 1
        if fence:
            end = here + len(stripped)
            if "```" in stripped or "~~~" in stripped:
                yield begin, end, True
                begin, fence = -1, False
        elif opens or inside:
            cut = here + (stripped.index("```") if inside else 0)
            if begin >= 0 or inside:
                first = begin if begin >= 0 else here
                if text[first:cut].strip():
                    yield first, first + len(text[first:cut].rstrip()), False
            begin, end, fence = (
                cut,
                here + len(stripped),
                not (opens and stripped.strip().count("```") > 1),
            )
            if not fence:
                yield begin, end, True
                begin = -1
        elif stripped.strip():
            begin = begin if begin >= 0 else here
            end = here + len(stripped)
        elif begin >= 0:
            yield begin, end, False
            begin = -1
    if begin >= 0:
        yield begin, end, fence


def spans_between(text: str, own: list[Span]) -> Iterator[Span]:
    at = 0
    for start, end in [*own, (len(text), len(text))]:
        if text[at:start].strip():
            yield at, start
        at = end


# --- the agent's own offer, copied back ----------------------------------------------------------------------------------


def word_runs(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", text[:20000].lower())
    return frozenset(tuple(words[i : i + SAME_WORDS]) for i in range(len(words) - SAME_WORDS + 1))


def handed_back(passage: str, offered: str) -> bool:
    """Whether a paragraph is a sentence of the agent's, word for word: copied, or typed again,
    nobody knows."""
    words = re.findall(r"\w+", passage.lower())
    return WHOLE_COPIED <= len(words) < 200 and " ".join(words) in " ".join(
        re.findall(r"\w+", offered[:20000].lower())
    )


def is_copied(passage: str, offered: frozenset[tuple[str, ...]]) -> bool:
    """Whether a passage is what the agent had said, taken over as a whole; who repeats a phrase
    of it has typed it."""
    if not offered or len(passage.split()) < MUCH_COPIED:
        return False
    runs = word_runs(passage)
    return len(runs) >= SAME_WORDS and sum(run in offered for run in runs) >= COPIED_SHARE * len(
        runs
    )
