"""Where a question points: by the vectors of its words where the model has them, else by the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tacit.core.rows import Found
from tacit.words.passages import rarest, rarities

if TYPE_CHECKING:
    from tacit.core.ports import Embedder
    from tacit.recall.query import Asked


def pointed(embedder: Embedder, wanted: Asked, found: Found) -> tuple[str, Sequence[float]]:
    """Whose space, and which direction. A store that keeps the words' vectors has said it; on a server the sum is made here."""
    if found.direction is not None:
        return found.direction.identity, found.direction.numbers
    table = _words_of(embedder, found.tokens)
    if table is None:
        (vector,) = embedder.embed([" ".join((wanted.query.task, *wanted.query.errors))])
        return embedder.identity, vector
    rarity = rarities(
        {word: found.frequency.get(word, 0) for each in found.passages for word in each}, max(found.rows, 1)
    )
    known = [(rarity[word], table[word]) for word in sorted(rarest(rarity)) if word in table]
    columns = zip(*(vector for _, vector in known)) if known else ((0.0,),) * embedder.size
    weights = [weight for weight, _ in known] or [0.0]
    return embedder.identity, [
        sum(float(number) * weight for number, weight in zip(column, weights)) for column in columns
    ]


def _words_of(embedder: Embedder, tokens: Callable[[str], list[str]]) -> dict[str, Sequence[float]] | None:
    """The vectors of words as the index leaves them; None where a model knows no single words."""
    words = getattr(embedder, "words", None)
    if words is None:
        return None
    if embedder not in _read:
        found: dict[str, Sequence[float]] = {}
        for word, vector in words():
            stems = tokens(word)
            if len(stems) == 1:
                found.setdefault(stems[0], vector)
        _read[embedder] = found
    return _read[embedder]


_read: WeakKeyDictionary[Embedder, dict[str, Sequence[float]]] = WeakKeyDictionary()
