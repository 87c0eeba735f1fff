"""What a person pasted, as Claude Code's own history names it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from tacit.hosts.session import dict_at, text_at
from tacit.hosts.source import Source, json_record

if TYPE_CHECKING:
    Record = dict[str, Any]
    Span = tuple[int, int]

HISTORY, CACHE = "history.jsonl", "paste-cache"
# the host names no paste that is shorter in both: whoever typed no more needs no look into the history
FEW_LINES, LONG = 3, 500
_LONGEST = 4 * 1024 * 1024  # bytes of one kept paste


def divided(rows: list[Record], source: Source, sessions: Collection[str]) -> list[Record]:
    """The rows of a session with typed prompts cut at what was pasted into them."""
    typed = [row for row in rows if row.get("typed") and row["speaker"] == "typed"]
    large = [
        row for row in typed if row["text"].count("\n") >= FEW_LINES or len(row["text"]) > LONG
    ]
    pastes = _pastes(source, sessions) if large else ()
    if not pastes:
        return rows
    taken = {row["place"] for row in rows}
    found: list[Record] = []
    for row in rows:
        found.extend(_pieces(row, _spans(row["text"], pastes), taken) if row in large else (row,))
    return found


def _pastes(source: Source, sessions: Collection[str]) -> tuple[str, ...]:
    """The texts that were pasted in these sessions, the longest first: a short one may stand in it."""
    history = next((each for each in source.beside("..", "..") if each.name == HISTORY), None)
    found: set[str] = set()
    named: set[str] = set()
    for line in history.lines() if history is not None else ():
        if b'"pastedContents":{}' in line or not any(
            session.encode() in line for session in sessions
        ):
            continue
        told = json_record(line)
        if text_at(told, "sessionId") not in sessions:
            continue
        for paste in dict_at(told, "pastedContents").values():
            if text_at(paste, "type") in ("", "text"):
                found.add(text_at(paste, "content"))
                named.add(f"{text_at(paste, 'contentHash')}.txt")
    for kept in source.beside("..", "..", CACHE) if named - {".txt"} else ():
        if kept.name in named:
            found.add(kept.head(_LONGEST).decode("utf-8", "replace"))
    plain = {each for text in found if (each := _plain(text).strip())}
    return tuple(sorted(plain, key=lambda text: (-len(text), text)))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _spans(text: str, pastes: tuple[str, ...]) -> list[Span]:
    """Where pasted texts stand in a prompt, in order."""
    found: list[Span] = []
    for paste in pastes:
        for words in dict.fromkeys((paste, paste.replace("\t", "    "))):
            at = text.find(words)
            while at >= 0:
                if all(at >= end or at + len(words) <= start for start, end in found):
                    found.append((at, at + len(words)))
                at = text.find(words, at + len(words))
    return sorted(found)


def _pieces(row: Record, spans: list[Span], taken: set[str]) -> Iterator[Record]:
    """A prompt as steps: what was typed, and what was pasted."""
    text, at, number = row["text"], 0, 0
    pieces: list[tuple[str, bool]] = []
    for start, end in spans:
        pieces += [(text[at:start], True), (text[start:end], False)]
        at = end
    pieces.append((text[at:], True))
    for words, typed in pieces:
        if not words.strip():
            continue
        number += 1
        while number > 1 and f"{row['place']}#{number}" in taken:
            number += 1
        after = f"#{number}" if number > 1 else ""
        place, record = row["place"] + after, row["record"] + after if row["record"] else ""
        taken.add(place)
        yield {
            **row,
            "text": words.strip(),
            "typed": typed,
            "speaker": "typed" if typed else "pasted",
            "place": place,
            "record": record,
        }
