"""Whose words a typed message holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tacit.core.tables import Tables
from tacit.core.value import value
from tacit.words.paste_signs import (
    ADDRESSES,
    ANNOUNCES,
    ASIDE,
    CURLY,
    OPENING,
    OTHERS_WORDS,
    SIGN,
    SPEAKS,
    WIDE_LINE,
    first_sign,
    handed_back,
    is_copied,
    is_log,
    is_remark,
    paragraphs_of,
    spans_between,
    word_runs,
    words_around,
)

if TYPE_CHECKING:
    Span = tuple[int, int]

_tables = Tables(__file__)

# a message up to this is looked at by paragraphs, none of it pasted for sure but code
SHORT_MESSAGE, FEW_OWN_LINES = 350, 6
TYPED_LINES = 3  # lines that need no mark of a person: hosts that name pastes name those of more
# lines with a question, in a paragraph and a message, that somebody wrote down
FEW_QUESTIONS, MANY_QUESTIONS = 3, 5
ONE_LINE = 2000  # … of a message that nobody broke into lines: people who answer at length do not, pages and logs are
_LONGEST = 100_000  # characters of a message that are looked at; nobody types more
WRAPPED = (50, 110)  # characters of a line that an editor broke, and nobody who types into a prompt
PLAIN_WORDS = 0.7  # share of plain words
FEW_WRAPPED, FEW_BULLETS, FEW_PRINTED = 3, 3, 3  # lines


@value
class Words:
    """A message taken apart; spans are in order, do not overlap, and leave out blank edges."""

    own: tuple[Span, ...]
    pasted: tuple[Span, ...]
    unsure: tuple[Span, ...] = ()  # perhaps the person's


def own_words(text: str, agent_before: str = "") -> Words:
    """The person's own spans and the pasted ones; `agent_before` is what the agent said last."""
    lines = sum(1 for line in text.splitlines() if line.strip())
    short = len(text) <= SHORT_MESSAGE and lines <= FEW_OWN_LINES
    most = ONE_LINE if "\n" not in text.strip() else OPENING
    offered = word_runs(agent_before)
    own: list[Span] = []
    unsure: list[Span] = []
    beside: set[Span] = set()  # the person's on the lines of a log: what it is not
    signed: list[int] = []  # where something stands that nobody types
    begun = announced = cited = (
        False  # a paste has begun; the words before said that one follows, and that it is prose
    )
    paragraphs = [*paragraphs_of(text[:_LONGEST])]
    whole = {start for start, *_ in paragraphs}
    if lines >= TYPED_LINES:
        paragraphs = _edge_lines_apart(text, paragraphs)
    cut = {
        start for start, *_ in paragraphs
    } - whole  # paragraphs that a line break alone parts from the one before
    for number, (start, end, fenced) in enumerate(paragraphs):
        passage = text[start:end]
        if fenced or is_copied(passage, offered):
            begun = True
            signed.append(start)
        elif handed_back(passage, agent_before):
            unsure.append((start, end))
        elif short:
            own.append((start, end))
        elif (at := first_sign(passage)) is not None:
            around = [*words_around(passage, start, at, number == 0)]
            own.extend(around)
            beside.update(around if is_log(passage, at) else ())
            begun = True
            signed.append(start)
        elif begun or announced:
            last = number + 1 == len(paragraphs)
            foreign = cited and not begun and passage[0].isupper()
            if not foreign and (
                is_remark(passage, begun) or (last and len(passage) <= ASIDE and _asks_for(passage))
            ):
                own.append((start, end))
            elif foreign or not begun or (last and len(passage) <= OPENING):
                unsure.append((start, end))
            begun = begun or foreign
        elif (
            number == 0
            or len(passage) <= OPENING
            or SPEAKS.search(passage)
            or ADDRESSES.search(passage)
        ):
            known = len(passage) <= most or SPEAKS.search(passage) or ADDRESSES.search(passage)
            (own if known else unsure).append((start, end))
            announced = ANNOUNCES.search(passage[-80:]) is not None
            cited = announced and (
                lines > TYPED_LINES or OTHERS_WORDS.search(passage[-OPENING:]) is not None
            )
        else:
            begun = True
    own, doubted = _doubted(text, own)
    if not short or lines > TYPED_LINES:
        if lines > TYPED_LINES:
            if not signed and _written_with_care(text, own + unsure + doubted, agent_before):
                return Words(tuple(_joined(text, sorted(own + unsure + doubted), cut)), ())
            own, without = _shown_by_shape(text, own, beside)
            inside = range(signed[0], signed[-1]) if signed else range(0)
            amid = {
                span for span in own if span[0] in inside and not _CASUAL.match(text, span[0])
            } - beside
            doubted += [*without, *sorted(amid)]
            own = [span for span in own if span not in amid]
        if not _mostly_the_persons(text, own):
            own, within = _at_the_edges(text, own, beside)
            doubted += within
    own, unsure = _joined(text, own, cut), _joined(text, sorted(unsure + doubted), cut)
    return Words(tuple(own), tuple(spans_between(text, sorted(own + unsure))), tuple(unsure))


def own_text(text: str, agent_before: str = "") -> str:
    """The person's own words of a message, paragraph by paragraph."""
    return "\n\n".join(text[start:end] for start, end in own_words(text, agent_before).own)


# --- in doubt -----------------------------------------------------------------------------------------------------------

_CITES = _tables.pattern("_CITES", re.I | re.M)
_ABOUT_IT = _tables.pattern("_ABOUT_IT", re.I)
_ASCRIBES = re.compile(
    r"(?:so |hmm,? |ok,? |and )?(?:says?|said|wrote|according to|claims?) ", re.I
)
_HEAD_LINES = _tables.pattern("_HEADS", re.M)
_QUOTED_LINES = _tables.pattern("_QUOTED_LINES", re.M)
_BULLET_LINE = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)]) +(\S.*)$", re.M)


def _doubted(text: str, own: list[Span]) -> tuple[list[Span], list[Span]]:
    """Of the spans that are the person's by their place, those that still are, and those in
    doubt."""
    asks, several = _question_about(text), "\n" in text.strip()
    pieces: list[tuple[int, int, bool]] = []
    foreign = False  # a head or a source stood before this, and nobody has spoken since
    for start, end in own:
        if start < asks:
            pieces += [(start, min(end, asks), True), (asks, end, False)]
            continue
        at, foreign = _foreign_from(text[start:end], foreign, several)
        spoken = start
        for quoted in _QUOTED_LINES.finditer(text, start, start + at):
            pieces += [(spoken, quoted.start(), False), (quoted.start(), quoted.end(), True)]
            spoken = quoted.end()
        pieces += [(spoken, start + at, False), (start + at, end, True)]
    trimmed = [(_trimmed(text, start, end), doubt) for start, end, doubt in pieces]
    return [span for span, doubt in trimmed if span and not doubt], [
        span for span, doubt in trimmed if span and doubt
    ]


def _question_about(text: str) -> int:
    """Where a question about the rest of a message begins, on a line of its own or ascribing it
    to somebody; -1 where none does."""
    found = _ABOUT_IT.search(text, max(0, len(text) - OPENING))
    before = text[: found.start(1)].rstrip(" \t") if found else ""
    if found is None or not before.strip():
        return -1
    return found.start(1) if before.endswith("\n") or _ASCRIBES.match(found[1]) else -1


def _foreign_from(passage: str, foreign: bool, several: bool) -> tuple[int, bool]:
    """Where in a passage somebody else begins to speak (at its end: nowhere), and whether they
    may go on after it."""
    cites, head = _CITES.search(passage), _HEAD_LINES.search(passage) if several else None
    begins = [
        found for found in (cites and cites.end(), head and head.start()) if found is not None
    ]
    if begins:
        return min(begins), True
    speaks = SPEAKS.search(passage) or is_remark(passage, True)
    if foreign and (not speaks or _BULLET_LINE.match(passage)):
        return 0, True
    sign = first_sign(passage) if passage.count("\n") + 1 >= FEW_PRINTED else None
    if (
        sign is not None
    ):  # several lines of a log or of code, in a message that is else too short to be judged
        return passage.rfind("\n", 0, sign) + 1, False
    return (0 if _laid_out(passage) else len(passage)), False


_SALUTATION = _tables.pattern("_SALUTATION", re.I | re.M)
_CLOSE = _tables.pattern("_CLOSE", re.I | re.M)
_ITEM = re.compile(r"[ \t]*(?:[-*•>]|\d{1,2}[.)])?[ \t]*")
_ASKS = _tables.pattern("_ASKS", re.I)
_TO_SOMEBODY = re.compile(r"\byour?\b", re.I)
# In small letters from its first word, which is no name of a program or a file.
_CASUAL = re.compile(r"[ \t]*(?:[-*•>]|\d{1,2}[.)])?[ \t]*[a-z]['’a-z]*+(?![\w/._-]*[\w/_-])")
_REQUEST = _tables.pattern("_REQUEST", re.I)
_ORDERS = _tables.pattern("_ORDERS", re.I)
_QUESTION = _tables.pattern("_QUESTION", re.I)
_WISHES = _tables.pattern("_WISHES", re.I)
_POINTS = re.compile(
    r"\b(?:this|these|below|above|attached)[.:]?\s*$|\bhere(?: is| are|'s)\b(?! what I)", re.I
)
_NUMBERED_LINE = re.compile(r"\s*(?:1[.):]? |- )\S")
_WORD = re.compile(r"[\"'(]?[A-Za-z][A-Za-z'’-]*[\"')]?[.,;:!?]*|\d{1,4}[.,;:]?|[a-z]+/[a-z]+")
# Where a paste begins on the line of the person's words: behind a gap that nobody types, behind the
# word that points at it.
_GLUED = re.compile(r"(?<=[^\s.?!])[ \t]{2,}(?=\S)|(?<=this:|hese:|wing:|elow:)[ \t]+(?=\S)")
_OFFERS = _tables.pattern("_OFFERS", re.I)
_SMALL = re.compile(r"[a-z][\w'’/@.-]*[,!]?(?: +\S+)+")
_MARGIN = re.compile(r"\n(?: {2,}|\t)[ \t]*\Z")  # before a paragraph that was copied with it
_MADE = _tables.pattern("_MADE")


def _edge_lines_apart(
    text: str, paragraphs: list[tuple[int, int, bool]]
) -> list[tuple[int, int, bool]]:
    """The paragraphs with the message's first and last line as paragraphs of their own where
    these are a person's: pastes are glued to one's words by a line break as often as by two."""
    start, end, fenced = paragraphs[0]
    line = text[start:end].partition("\n")[0]
    asks = _CASUAL.match(line) or _asks_for(line) or _POINTS.search(line)
    parted = not fenced and len(line) < end - start and _prose(line)
    if parted and asks and not (_BULLET_LINE.match(line) or _QUESTION.search(line)):
        rest = end - len(text[start + len(line) : end].lstrip())
        paragraphs = [
            (start, start + len(line.rstrip()), False),
            (rest, end, False),
            *paragraphs[1:],
        ]
    start, end, fenced = paragraphs[-1]
    line = text[start:end].rpartition("\n")[2]
    asks = _ORDERS.match(line) or (_CASUAL.match(line) and (_asks_for(line) or SPEAKS.search(line)))
    parted = not fenced and len(line) < end - start and _prose(line)
    if (
        parted
        and asks
        and not (_QUESTION.search(line) and _lists_questions(text[start:end].splitlines()))
    ):
        before = text[start : end - len(line)].rstrip()
        paragraphs = [
            *paragraphs[:-1],
            (start, start + len(before), False),
            (end - len(line), end, False),
        ]
    return paragraphs


def _lists_questions(lines: list[str], few: int = FEW_QUESTIONS) -> bool:
    """Whether somebody wrote questions down: several lines, and most of those that there are."""
    asked = sum(_QUESTION.search(line) is not None for line in lines)
    return asked >= few and 2 * asked > sum(1 for line in lines if line.strip())


def _joined(text: str, spans: list[Span], cut: set[int]) -> list[Span]:
    """Spans of one kind, with those as one that only a cut parts."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and start in cut and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _prose(line: str) -> bool:
    """Whether a line is made of plain words, and not by a program."""
    line = line[:WIDE_LINE]
    plain = [_WORD.fullmatch(word) is not None for word in line.split()]
    return 1 < len(plain) <= sum(plain) / PLAIN_WORDS and not (
        _MADE.search(line) or SIGN.search(line)
    )


def _written_with_care(text: str, spans: list[Span], agent_before: str) -> bool:
    """Whether a message in which nothing is pasted for sure is one that a person wrote with
    care: it answers the agent's questions by their numbers, or asks for something at an end and
    points at nothing that it would have brought along."""
    if not spans or _lists_questions(text.splitlines(), MANY_QUESTIONS) or _SALUTATION.search(text):
        return False
    if _CITES.search(text) or _HEAD_LINES.search(text):
        return False
    if agent_before.count("?") > 1 and _NUMBERED_LINE.match(text):
        return True
    ends = [text[slice(*span)] for span in (min(spans), max(spans))]
    if any(_CASUAL.match(end) or _POINTS.search(end) or _OFFERS.search(end) for end in ends):
        return False
    return any(_WISHES.search(end) for end in ends)


def _shown_by_shape(text: str, own: list[Span], beside: set[Span]) -> tuple[list[Span], list[Span]]:
    """Of the spans in a message of many lines those that show by themselves that they were
    typed, and the others."""
    glued = _GLUED.search(text, *own[0]) if own and own[0] not in beside else None
    if glued:
        own = [(own[0][0], glued.start()), (glued.end(), own[0][1]), *own[1:]]
    letter, listed = _letter(text), _lists_questions(text.splitlines(), MANY_QUESTIONS)
    typed: list[Span] = []
    for at, span in enumerate(own):
        passage = text[slice(*span)]
        shown = _typed_by_shape(passage) or (
            at in (0, len(own) - 1) and "\n" not in passage and _asks_for(passage)
        )
        made = SIGN.search(passage) or _MARGIN.search(text[max(0, span[0] - WIDE_LINE) : span[0]])
        meets = made or (letter[0] < span[1] and span[0] < letter[1])
        meets = meets or (listed and at > 0 and _QUESTION.search(passage) is not None)
        inside = glued and 0 < at < len(own) - (
            at > 1
        )  # what the person's words point at, up to its end
        if span in beside or (shown and not meets and not inside and not _OFFERS.search(passage)):
            typed.append(span)
    others = set(own) - set(typed)
    return typed, sorted(others)


def _mostly_the_persons(text: str, own: list[Span]) -> bool:
    """Whether the spans are most of a message, in one voice. Sentences with capitals and stops
    are a person's where one asks for something at an end; beside an end in small letters they
    are somebody else's."""
    half = len(text.strip()) / 2
    if sum(end - start for start, end in own) <= half:
        return False
    if (
        sum(end - start for start, end in own if not _CASUAL.match(text, start)) <= half
        or "\n" not in text.strip()
    ):
        return True
    ends = [text[slice(*span)] for span in (own[0], own[-1])]
    return not any(_CASUAL.match(end) for end in ends) and any(
        _REQUEST.search(end) or _asks_for(ends[0]) for end in ends
    )


def _asks_for(passage: str) -> bool:
    """Whether a paragraph asks for something or orders it; what has no stop at its end may be a
    title."""
    title = passage.rstrip()[-1:] not in ".!:" and ". " not in passage
    return _REQUEST.search(passage) is not None or (
        not title and _ORDERS.match(passage) is not None
    )


def _at_the_edges(text: str, own: list[Span], beside: set[Span]) -> tuple[list[Span], list[Span]]:
    """Of the spans in a message that is mostly somebody else's those that are the person's word
    about it, and the others: at its beginning and at its end what asks for something, and what
    stands on the lines of a log."""
    edges: set[Span] = set()
    for spans, at, near, far in ((own, 0, 0, 1), (own[::-1], len(text), 1, 0)):
        for span in spans:
            between = text[at : span[near]] if near == 0 else text[span[near] : at]
            if between.strip() or not (span in beside or _about_a_paste(text, span)):
                break
            edges.add(span)
            at = span[far]
    for span in own:
        points = (
            span[1] - span[0] <= OPENING
            and text[span[1] - 1] == ":"
            and _CASUAL.match(text, span[0])
        )
        if span in beside or (points and _about_a_paste(text, span)):
            edges.add(span)
    return [span for span in own if span in edges], [span for span in own if span not in edges]


def _about_a_paste(text: str, span: Span) -> bool:
    """Whether a paragraph before or after a paste is the person's word about it: it asks for
    something, is in small letters, or speaks of themselves beside a log."""
    passage = text[slice(*span)]
    if CURLY.search(passage):
        return False
    if _CASUAL.match(passage) or _asks_for(passage):
        return True
    before, after = (
        text[max(0, span[0] - WIDE_LINE) : span[0]].rstrip(),
        text[span[1] : span[1] + WIDE_LINE].lstrip(),
    )
    lines = (before.rpartition("\n")[2], after.partition("\n")[0])
    return SPEAKS.search(passage) is not None and any(
        (sign := SIGN.search(line)) and sign["log"] for line in lines
    )


def _typed_by_shape(passage: str) -> bool:
    """Whether a passage of a message of many lines shows by itself that it was typed: one of its
    few lines speaks, or half of many. "You" in many lines says nothing: it is also in letters
    and guides."""
    lines = [line[:WIDE_LINE] for line in passage.splitlines() if line.strip()]
    if _lists_questions(lines):
        return False
    many = len(lines) > TYPED_LINES
    speaks, goes_on, flows = 0, False, not all(map(_CASUAL.match, lines))
    for line in lines:
        item = _ITEM.match(line)
        said = line[item.end() :] if item else line
        listed = said != line
        small = (
            _SMALL.match(said)
            and len(said.split()) > 1 + (many and not listed)
            and (listed or not goes_on)
        )
        to = not many and _TO_SOMEBODY.search(said)
        made = _MADE.search(line) or _MADE.search(said)
        speaks += not made and bool(small or to or _ASKS.search(said))
        # an editor broke it: how the next one begins says nothing
        goes_on = flows and len(line) >= WRAPPED[0] and line.rstrip()[-1] not in ".!?:"
    return (speaks * 2 >= len(lines)) if many else speaks > 0


def _letter(text: str) -> Span:
    """Where a letter stands in a message; an empty span where none does."""
    opens = _SALUTATION.search(text)
    if not opens:
        return 0, 0
    closes = _CLOSE.search(text, opens.end())
    return opens.start(), closes.end() if closes else text.rstrip().rfind("\n")


def _trimmed(text: str, start: int, end: int) -> Span | None:
    """A span without its blank edges; None where nothing is left."""
    words = text[start:end]
    first = start + len(words) - len(words.lstrip())
    last = start + len(words.rstrip())
    return (first, last) if first < last else None


def _laid_out(passage: str) -> bool:
    """Whether somebody wrote this for a page: bullets that are sentences, or lines that an
    editor broke."""
    lines = [line for line in passage.splitlines() if line.strip()]
    bullets = _BULLET_LINE.findall(passage)
    if len(bullets) >= FEW_BULLETS and not SPEAKS.search(passage):
        return all(item[:1].isupper() and item.rstrip().endswith(".") for item in bullets)
    body = lines[:-1]
    broken = [
        line
        for line in body
        if WRAPPED[0] <= len(line) <= WRAPPED[1] and line.rstrip()[-1] not in ".!?:;"
    ]
    return (
        len(lines) >= FEW_WRAPPED
        and len(broken) == len(body)
        and not all(map(_CASUAL.match, lines))
    )
