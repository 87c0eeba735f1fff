"""What a question means, by its words, and how near rows are to that: plain Python, for a prompt that waits.

A model of single words (`WordEmbedder`) needs to be there only when vectors are made. Whoever makes them leaves the words' own vectors
beside the lessons', and a question's direction is the sum of its words', each by how telling it is here. The best candidates are
compared with it, no others: a scan of ten thousand vectors takes numpy (`vectors.py`).
"""

from __future__ import annotations

from math import sqrt
from operator import itemgetter, mul
from sys import byteorder

from tacit.core.rows import Direction
from tacit.core.value import dumps
from tacit.words.passages import rarest

_SHARE = 8  # one of so many numbers is looked at where candidates are chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tacit.stores.sqlite import SqliteStore


def direction_of(
    store: SqliteStore, projects: Sequence[str], rarity: Mapping[str, float]
) -> Direction | None:
    """Where these words point together; None where there are no vectors, or none of these words has one."""
    sql = "SELECT identity, rows, centre FROM vector_centre WHERE project IN (SELECT value FROM json_each(:projects)) ORDER BY project"
    centres = store.rows(sql, projects=dumps(list(projects)))
    if not centres:
        return None
    sql = "SELECT word, scale, vector FROM vector_word WHERE word IN (SELECT value FROM json_each(:words)) ORDER BY word"
    known = store.rows(sql, words=dumps(rarest(rarity)))
    if not known:
        return None
    weights = [rarity[word] * scale for word, scale, _ in known]
    numbers = [
        sum(map(mul, weights, column))
        for column in zip(*(memoryview(vector).cast("b") for _, _, vector in known))
    ]
    length = sqrt(sum(map(mul, numbers, numbers)))
    if not length:
        return None
    numbers = [number / length for number in numbers]
    identity = centres[0][0]
    told = [
        (rows, sum(map(mul, numbers, _floats(centre))))
        for other, rows, centre in centres
        if other == identity
    ]
    return Direction(
        identity,
        numbers,
        sum(rows * cosine for rows, cosine in told) / sum(rows for rows, _ in told),
    )


def compare_vectors(
    store: SqliteStore, direction: Direction, rows: Iterable[int]
) -> Mapping[int, float]:
    """How near these rows are; those without a vector are left out. What was compared before is not compared again."""
    near, numbers = direction.near, direction.numbers
    new = [n for n in rows if n not in near]
    if new:
        sql = "SELECT n, length, vector FROM vector WHERE n IN (SELECT value FROM json_each(:ns)) AND identity = :identity"
        for n, length, vector in store.rows(sql, ns=dumps(new), identity=direction.identity):
            view = memoryview(vector).cast("b")
            if len(view) == len(numbers):
                near[n] = sum(map(mul, numbers, view)) / (
                    length or sqrt(sum(map(mul, view, view))) or 1.0
                )
    return near


def roughly(store: SqliteStore, direction: Direction, rows: Sequence[int]) -> dict[int, float]:
    """How much nearer than usual these rows are, by the numbers in which the question says most: enough to choose which are looked at."""
    numbers = direction.numbers
    most = sorted(range(len(numbers)), key=lambda at: (-abs(numbers[at]), at))[
        : max(2, len(numbers) // _SHARE)
    ]
    pick, told = itemgetter(*most), [numbers[at] for at in most]
    whole = sum(map(mul, told, told))
    sql = "SELECT n, length, vector FROM vector WHERE n IN (SELECT value FROM json_each(:ns)) AND identity = :identity"
    return {
        n: sum(map(mul, told, pick(memoryview(vector).cast("b")))) / (length * whole)
        - direction.usual
        for n, length, vector in store.rows(sql, ns=dumps(rows), identity=direction.identity)
        if length and len(vector) == len(numbers)
    }


def _floats(raw: bytes) -> Sequence[float]:
    if byteorder == "little":
        return memoryview(raw).cast("f")
    from struct import unpack

    return unpack(f"<{len(raw) // 4}f", raw)
