"""A question in passages, and what it means that a lesson holds the words of one.

A question of fifteen words is one passage. A prompt with a pasted log, a trace or a ticket is many: each line, or of a
long paragraph some two dozen words at a time. Each is a question of its own, and a score says for all of them the
same: how much of what was asked is there, by rarity. Nothing is cut off at the front; of a very long paste the
beginning and the end are read.

Pure, and on the path of a prompt.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from math import log, sqrt

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Passage = (
        str | tuple[str, ...]
    )  # a text whose words the index cuts, or words that were chosen already

# up to here names are split and scripts without spaces are paired; a longer text is cut by the index's tokenizer alone
SHORT_CHARS = 1500
K1, B = 1.2, 0.75  # BM25's own; tuning them was not worth it
_SHORT = 12  # words; a lesson is not punished for being longer than a few very short ones
# sightings that a word of a neighbour counts for, by how far it stands away
BESIDE = ((-1, 0.15), (1, 0.15), (-2, 0.06), (2, 0.06))
WINDOW = 24  # words of a passage
_LINK = 3  # words that a question has beside its addresses; of a bare link every part is asked for
_NAME = 3  # characters of a name: `v6` and `PR` are as common as words
JOINED = (8, 4)  # words up to which short lines make one, in a text and in a paste …
SCREEN = 24  # … of more lines than that
_END = "\ue000"  # of a line; a word to the index, and nobody's
PASSAGES_READ = 1000
CONTAINED = 8  # words of a task from which on the rest of a longer one does not count
LEAST = 1.75  # rarest words that a passage counts as at least, if the question has one that long
# Passages from which and up to which a question is one text, and from which on it is a paste.
FEW, TEXT_WORDS, PASTE = 4, 12, 36
REPEATED = 0.1  # in a paste a word tells less by this power of the passages that ask for it
MOST_WHOLE = 8.0  # rarest words that a question counts as at most: prompts of all lengths are measured by one scale
# What each further passage of a text adds; in a paste less, by how many of this many passages it has.
OTHERS_SHARE, FULL = 0.85, 6


def passages_of(text: str) -> tuple[Passage, ...]:
    """The passages of a text: its words, chosen, where it is short; its lines where it is long."""
    if len(text) <= SHORT_CHARS or _needs_pairs(text):
        from tacit.words.tokens import query_words

        if "://" in text and len(query_words(short := _with_short_addresses(text), _LINK)) == _LINK:
            text = short
        found = [query_words(line, 400) for line in text.splitlines() if line.strip()]
        return tuple(piece for words in _joined(found) for piece in _windows(words))
    return tuple(line for line in _with_parts(text).splitlines() if line.strip())


def _needs_pairs(text: str) -> bool:
    """Whether a part of a text is in a script without spaces, or in one whose signs tear its words (`tokens` knows which exactly): the index
    finds no words there. Arrows, ticks and dashes are in neither."""
    if text.isascii():
        return False
    import re

    return (
        re.search(
            "[\u0900-\u1cff\u3000-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]", text
        )
        is not None
    )


def _with_short_addresses(text: str) -> str:
    """A text whose addresses are their ends: a host and a folder are shared by many pages, and would be the most of what is asked."""
    import re

    return re.sub(r"\bhttps?://(\S*[^\s/])/*", lambda address: address[1].rpartition("/")[2], text)


def _with_parts(text: str) -> str:
    """A long text with the parts of its names behind them: the index's tokenizer takes `BouncyCastle` for one word."""
    import re

    humps = re.compile("(?<=[a-z0-9])(?=[A-Z])")
    return re.sub(
        "\\b[A-Z]*[a-z0-9]+[A-Z][A-Za-z0-9]*",
        lambda name: f"{name[0]} {humps.sub(' ', name[0])}",
        text,
    )


def cut(
    passages: Iterable[Passage], tokens: Callable[[str], list[str]]
) -> tuple[tuple[str, ...], ...]:
    """Each passage as the index's own words, distinct, in reading order, without stop words. `tokens` cuts as the index does, which keeps
    a letter of private use."""
    texts: list[str] = []
    found: list[tuple[str, ...]] = []
    for passage in passages:
        if isinstance(passage, str):
            texts.append(passage)
        else:
            found.append(tuple(dict.fromkeys(token for word in passage for token in tokens(word))))
    if texts:
        found += [
            tuple(dict.fromkeys(piece))
            for words in _joined(_lines(texts, tokens))
            for piece in _windows(words)
        ]
    distinct = list(dict.fromkeys(filter(None, found)))
    if len(distinct) > PASSAGES_READ:
        distinct = [*distinct[: PASSAGES_READ // 2], *distinct[-PASSAGES_READ // 2 :]]
    return tuple(distinct)


def _lines(texts: Iterable[str], tokens: Callable[[str], list[str]]) -> list[list[str]]:
    """The words of each text without stop words, and without the number or time it begins with; all are read in one go, which is quicker."""
    from tacit.words.tokens import all_stop_words

    stop = {*tokens(" ".join(all_stop_words()))}
    lines: list[list[str]] = [[]]
    line = lines[0]
    for token in tokens(f" {_END} ".join(texts)):
        if token == _END:
            line = []
            lines.append(line)
        elif (
            token not in stop
            and (len(token) > 1 or not token.isascii())
            and (line or not token.isdigit())
        ):
            line.append(token)
    return lines


def names_of(
    passages: Iterable[Passage], tokens: Callable[[str], list[str]]
) -> list[tuple[str, ...]]:
    """The names that are asked for and that the index takes apart (`cache_dir`, `os.path`, `3.11.7`), each as its words."""
    words = dict.fromkeys(
        word
        for passage in passages
        if not isinstance(passage, str)
        for word in passage
        if not word.isalnum()
    )
    return [name for word in words if len(name := tuple(tokens(word))) > 1]


def count_names(text: str, most: int) -> int:
    """How many names a text has, `most` at most: names, paths, flags, versions and numbers of some length, and what stands in backticks."""
    from tacit.words.tokens import RUN, WORD, scan

    spans, found = text.count("`") // 2, set[str]()
    for piece in scan(text) if spans < most else ():
        if piece.kind not in (WORD, RUN) and len(piece.raw) >= _NAME:
            found.add(piece.raw)
            if spans + len(found) >= most:
                break
    return min(spans + len(found), most)


def _joined(lines: Sequence[list[str]]) -> list[list[str]]:
    """Short lines together; in a paste only those of a word or two, so that a question is not measured by what stands beside it."""
    found: list[list[str]] = []
    most = JOINED[len(lines) > SCREEN]
    for line in lines:
        if found and len(found[-1]) + len(line) <= most:
            found[-1] = found[-1] + line
        elif line:
            found.append(line)
    return found


def _windows(words: list[str]) -> list[tuple[str, ...]]:
    """A long line as overlapping passages."""
    if len(words) <= WINDOW + WINDOW // 3:
        return [tuple(words)]
    step = WINDOW // 2
    return [tuple(words[at : at + WINDOW]) for at in range(0, max(1, len(words) - step), step)]


def rarity_of(held: int, rows: int) -> float:
    """How telling a word is that so many of the rows hold."""
    return log(1 + (max(0, rows - held) + 0.5) / (held + 0.5))


def rarities(frequency: Mapping[str, int], rows: int) -> dict[str, float]:
    """How telling each word is; most are held as often as some other one, and logarithms cost a prompt's time."""
    told: dict[int, float] = {}
    for held in frequency.values():
        if held not in told:
            told[held] = rarity_of(held, rows)
    return {word: told[held] for word, held in frequency.items()}


def slack_of(length: float, usual: float, b: float = B) -> float:
    """BM25's allowance for a text of so many words where so many are usual: what one sighting of a word is weighed against."""
    return K1 * (1 - b + b * length / max(_SHORT, usual))


def beside_of(
    groups: Mapping[int, str], words: Mapping[int, Iterable[str]]
) -> dict[int, dict[str, float]]:
    """The words that stand beside each row in its group, and what they count for.

    They say what an item is about that does not name it. Added as scores of their own they would lift whatever stands beside a good answer over it.
    """
    found: dict[int, dict[str, float]] = {}
    for n, group in groups.items():
        near = found[n] = {}
        for step, share in BESIDE:
            if groups.get(n + step) == group:
                near.update((word, max(share, near.get(word, 0.0))) for word in words[n + step])
    return found


def bounds_of(passages: Sequence[Sequence[str]], wholes: Sequence[float], rows: int) -> list[float]:
    """What each passage counts as, beside the others, when it is asked how much of it is met: its rarity, and a least, since one word that is
    met is not all of a question. In a paste it counts as more the less of it is its own: what is asked there stands in one line, while a
    log, code or a ticket says its words again and again."""
    least, paste = (
        min(LEAST * rarity_of(0, rows), max(wholes, default=0.0)),
        paste_of(len(passages)),
    )
    bounds = [max(whole, least) for whole in wholes]
    if not paste:
        return bounds
    owned = {word: 1 / times for word, times in Counter(chain.from_iterable(passages)).items()}
    shares = [sum(map(owned.__getitem__, each)) / len(each) for each in passages]
    return [bound / (1 - paste + paste * share) for bound, share in zip(bounds, shares)]


def power_of(passages: int) -> float:
    """How sharply a passage is judged by what is missing of it: among the many lines of a paste more, since some line always holds a little."""
    return 1.5 if passages <= TEXT_WORDS else 2.0


def paste_of(passages: int) -> float:
    """How far a question is a paste, of which one line may be meant, and not a text, which its words say together: from 0 to 1."""
    return min(1.0, max(0.0, (passages - TEXT_WORDS) / (PASTE - TEXT_WORDS)))


def told_in(passages: Sequence[Iterable[str]], rarity: Mapping[str, float]) -> Mapping[str, float]:
    """How telling the words are in this question: in a paste, what many of its lines hold is its form and tells less."""
    power = REPEATED * paste_of(len(passages))
    if not power:
        return rarity
    again = {
        word: times for word, times in Counter(chain.from_iterable(passages)).items() if times > 1
    }
    return {**rarity, **{word: rarity[word] * times**-power for word, times in again.items()}}


@value
class Weights:
    """A question as lessons are weighed by it: its passages, and by how many rows hold a word how telling it is, and how much is asked."""

    passages: Sequence[Sequence[str]]
    rows: int
    told: Mapping[str, float]  # word -> how telling it is
    wholes: Sequence[float]  # of each passage, the sum of that
    bounds: Sequence[float]  # … and what it counts as, beside the others


def weights_of(
    passages: Sequence[Sequence[str]], frequency: Mapping[str, int], rows: int
) -> Weights:
    """The weights of a question whose words are held by so many of the rows."""
    told = told_in(
        passages,
        rarities({word: frequency.get(word, 0) for each in passages for word in each}, rows),
    )
    wholes = [sum(map(told.__getitem__, each)) for each in passages]
    return Weights(passages, rows, told, wholes, bounds_of(passages, wholes, rows))


def worth(amount: float, whole: float) -> float:
    """What a passage says for a lesson that holds so much of its whole rarity: the amount, less where much was asked that is not there."""
    return amount * sqrt(amount / whole) if amount else 0.0


def worths_of(amounts: Mapping[int, float], weights: Weights) -> list[float]:
    """What each passage says for a lesson that holds so much of it, all of it at most; of the passages of a paste it is judged more sharply."""
    wholes, bounds = weights.wholes, weights.bounds
    held = [(min(amount, wholes[place]), bounds[place]) for place, amount in amounts.items()]
    if power_of(len(wholes)) == 1.5:
        return [worth(amount, bound) for amount, bound in held]
    return [amount * amount / bound for amount, bound in held]


def fit_of(
    worths: list[float], wholes: Sequence[float], rows: int, share_of_all: float = 0.0
) -> float:
    """How much of a question is met, from 0 to about 1, by what its passages say for a lesson, and by the share of all its words' rarity.

    Of one passage it is the share of its rarity. The best passage leads, the others add to it, the less the more there are. A text is
    also one question: what its words say together counts as much as its passages do. Five hundred lines of a log are not.
    """
    if not worths:
        return 0.0
    worths.sort(reverse=True)
    many = len(wholes)
    share, factor, total = (
        OTHERS_SHARE if many <= TEXT_WORDS else OTHERS_SHARE * FULL / many,
        1.0,
        0.0,
    )
    for each in worths:
        total += factor * each
        factor *= share
        if factor < 0.01:
            break
    return together((total / scale_of(wholes, rows)) ** (1 / power_of(many)), share_of_all, many)


def together(fit: float, share_of_all: float, passages: int) -> float:
    """What the passages say and what the whole text says, as one: the more passages, the less of all words even the right lesson holds."""
    unity = 1 - paste_of(passages) if passages >= FEW else 0.0
    return (fit + unity * min(1.0, share_of_all * sqrt(passages))) / (1 + unity) if unity else fit


def scale_of(wholes: Sequence[float], rows: int) -> float:
    """What a passage that is met entirely is worth."""
    return min(max(wholes), MOST_WHOLE * rarity_of(0, rows))


def weighed(weights: Weights, rows: Mapping[str, Sequence[int]]) -> dict[int, float]:
    """What each row is worth: its best passage, and a share of the others; of a text also what its words say together."""
    scores: dict[int, float] = {}
    tokens, rarity, wholes, power = (
        weights.passages,
        weights.told,
        weights.wholes,
        power_of(len(weights.passages)),
    )
    share = OTHERS_SHARE if len(tokens) <= FULL else 0.0  # of many passages the best one alone
    for passage, whole in zip(tokens, weights.bounds):
        held: dict[int, float] = {}
        get = held.get
        for token in passage:
            if token in rows:
                amount = rarity[token]
                if not held:
                    held = dict.fromkeys(rows[token], amount)
                    get = held.get
                    continue
                for n in rows[token]:
                    held[n] = get(n, 0.0) + amount
        before = scores.get
        if not share and power == 2.0:
            for n, amount in held.items():
                mine = amount * amount / whole
                if mine > before(n, 0.0):
                    scores[n] = mine
            continue
        for n, amount in held.items():
            mine, other = worth(amount, whole), before(n, 0.0)
            scores[n] = mine + share * other if mine > other else other + share * mine
    if not FEW <= len(tokens) < PASTE:
        return scores
    every, scale, said = (
        sum(rarity.values()),
        scale_of(wholes, weights.rows),
        dict.fromkeys(scores, 0.0),
    )
    for token, told in rarity.items():
        for n in rows.get(token, ()):
            said[n] += told
    return {
        n: scale * together((score / scale) ** (1 / power), said[n] / every, len(tokens)) ** power
        for n, score in scores.items()
    }


def alike_to(task: str, tokens: Callable[[str], list[str]]) -> Callable[[Sequence[str]], float]:
    """How alike a kept task is to the one asked about, by the words of both as far as the shorter one reaches.

    A prompt that goes on where the kept task was cut is the same task; one that merely mentions its words later is not. Where one is a few
    words long, all words of both count.
    """
    read: list[list[str]] = []

    def alike(other: Sequence[str]) -> float:
        if not read:  # by the first lesson that was met in a task: a long prompt takes its time
            from tacit.words.tokens import task_words

            read.append(tokens(task_words(task)))
        mine = read[0]
        fewer = min(len(mine), len(other))
        if not fewer:
            return 0.0
        one, two = (
            ({*mine[:fewer]}, {*other[:fewer]}) if fewer >= CONTAINED else ({*mine}, {*other})
        )
        return len(one & two) / len(one | two)

    return alike
