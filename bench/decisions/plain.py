"""The plain alternatives: full text over the same lessons, or over the chats, in the same number of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence

import apsw

ROOM = 400  # tokens, of four characters
PASSAGE = 600  # characters of a chat


def best(texts: Sequence[str], question: str) -> list[int]:
    """Which texts hold the question's words, by FTS5's own BM25, best first."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61')")
    connection.executemany("INSERT INTO t(rowid, text) VALUES (?, ?)", list(enumerate(texts, 1)))
    words = dict.fromkeys(re.findall(r"\w{3,}", question.lower()))
    if not words:
        return []
    asked = " OR ".join(f'"{word}"' for word in words)
    return [
        row - 1
        for (row,) in connection.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t)", (asked,)
        )
    ]


def fitting(texts: Sequence[str], room: int = ROOM) -> list[str]:
    """As many as fit, in their order."""
    kept = list[str]()
    for text in texts:
        if (room := room - (len(text) + 5) // 4) >= 0:
            kept.append(f"- {text}")
    return kept


def scout(lessons: Sequence[tuple[str, str]], question: str) -> list[str]:
    """Of (text, session) the best three, then the neighbours of the best in its session, then the rest."""
    order = best([text for text, _ in lessons], question)
    if not order:
        return []
    beside = [n for n, (_, session) in enumerate(lessons) if session == lessons[order[0]][1]]
    return fitting([lessons[n][0] for n in dict.fromkeys((*order[:3], *beside, *order))])


def passages(chats: Sequence[str], question: str) -> list[str]:
    """Three passages of the chats."""
    cut = [chat[at : at + PASSAGE] for chat in chats for at in range(0, len(chat), PASSAGE)]
    return [f"- {cut[n]}" for n in best(cut, question)[:3]]
