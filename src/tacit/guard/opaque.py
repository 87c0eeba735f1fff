"""Words that nobody would write: random enough to be secrets wherever they stand, whatever nothing says about them.

A vendor's prefix, a name or a place say that something is a credential; most of what people paste comes without any. What is left to go by is
the word itself. `k9Zq3LmT7vXw2BnR` changes between small letters, capitals and digits at nearly every step; identifiers, versions, hashes
and ids do not: they are words, or hexadecimal, or carry a prefix or a name (`"etag": …`, `sha512-…`, `toolu_…`). In 75,000 lines of real sessions
one such word was none.
"""

from __future__ import annotations

from tacit.guard.expressions import compiled
from tacit.guard.judge import chop, classes, is_random, stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.guard.expressions import Span

_SHORTEST, SHORTEST_CHOSEN = 12, 8  # characters
MOST_BLOCKS = 100  # certificates of one text that are recognised
MOST_JUDGED = 400  # words that are remembered with what was decided about them
BEFORE = 40  # characters that may name what follows


def opaque(text: str, low: str) -> Iterator[Span]:
    """Random words of any origin, but for those that something calls an id, a hash or a sum."""
    from tacit.guard.redact_rules import OPAQUE, PUBLIC_NAMES

    longest = max(map(len, text.replace("\0", " ").split()), default=0)
    yield from _codes(text, low, longest)
    if longest >= SHORTEST_CHOSEN:
        yield from _chosen(text)
    if longest < _SHORTEST:  # nothing is compiled for it
        return
    yield from _hexadecimal(text, low)
    public = [*_public_blocks(text)]
    for least, signs, shape, three in OPAQUE:
        if longest < least or not compiled(f"{signs}{{{least}}}").search(text):
            continue
        # a word with what stands before it: what repeats itself is judged once
        judged: dict[tuple[str, str], bool] = {}
        for match in compiled(shape).finditer(text):
            group = 1 if match.re.groups else 0
            word, start = match[group], match.start(group)
            around = word, low[max(0, start - BEFORE) : start]
            hide = judged.get(around)
            if hide is None:
                hide = _is_random_word(word, three) and not compiled(PUBLIC_NAMES).search(around[1])
                if len(judged) < MOST_JUDGED:
                    judged[around] = hide
            if hide and not any(begin < start < end for begin, end in public):
                yield start, match.end(group), "opaque"


def _public_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Certificates and public keys, as far as they go."""
    if "-----BEGIN" in text:
        for count, head in enumerate(
            compiled(
                r"-----BEGIN (?:[A-Z0-9 ]{0,40}CERTIFICATE|[A-Z0-9 ]{0,40}PUBLIC KEY|PGP (?:SIGNATURE|MESSAGE))[A-Z ]{0,20}-----"
            ).finditer(text)
        ):
            if count == MOST_BLOCKS:
                return
            end = text.find("-----END", head.end())
            yield head.start(), end if end >= 0 else len(text)


def _is_random_word(word: str, three: bool) -> bool:
    """Whether it changes between kinds of characters as often as chance would have it."""
    if word.startswith("AAAA") or compiled(r"\d{4}-\d\d-\d\dT\d\d").search(word):  # an SSH public key, a time
        return False
    digits = len(compiled(r"\d").findall(word))
    long = len(word) >= 16
    if digits < (1 if long and three else 2) or classes(word) < (3 if three else 2):
        return False
    return chop(word) <= (2.6 if long and three else 2.2) and is_random(word, 3.0) and not stand_in(word)


def _chosen(text: str) -> Iterator[Span]:
    """Passwords as rules for passwords want them: small and capital letters, a digit and a sign in one word that is no reference, format or address."""
    signs = "!#%&*?$~^"
    if not any(sign in text for sign in signs):
        return
    shape = rf"(?<![\w{signs}@+./\\<{{-])[A-Za-z0-9{signs}]{{{SHORTEST_CHOSEN},40}}(?![\w{signs}@+/\\<>({{=-]|\.\w)"
    for match in compiled(shape).finditer(text):
        word = match[0]
        if (
            classes(word) < 3
            or word.isalnum()
            or compiled(r"%[0-9A-Fa-f]{2}|%\d*[sdxfv]\b|%\w%|\^[A-Z[]|^\d\dm|#v?\d+\*{0,2}$|\*\*").search(word)
        ):
            continue
        # a sign that opens or closes a word is as likely a sentence's or a program's
        if (not word[1:-1].isalnum() or chop(word) <= 3.2) and not stand_in(word):
            yield *match.span(), "password"


def _hexadecimal(text: str, low: str) -> Iterator[Span]:
    """A wallet's key looks like any hash of a chain; what is said before it decides."""
    from tacit.guard.redact_rules import CHAIN_HASH, CHAIN_KEY

    if "0x" not in text:
        return
    for match in compiled(r"(?<!\w)0x[0-9A-Fa-f]{64}(?!\w)").finditer(text):
        begin = max(0, match.start() - BEFORE)
        if compiled(CHAIN_HASH).search(low, begin, match.start()):
            continue
        # Without a word for either it is a key where nothing around speaks of a chain's hashes.
        if compiled(CHAIN_KEY).search(low, begin, match.start()) or not compiled(CHAIN_HASH).search(
            low, max(0, begin - 4 * BEFORE), match.end() + 4 * BEFORE
        ):
            yield *match.span(), "private-key"


def _codes(text: str, low: str, longest: int) -> Iterator[Span]:
    """Recovery codes, several of one form in a row; and the groups of a licence."""
    if "-" not in text:
        return
    if "code" in low:
        for match in compiled(
            r"(?<![\w-])[a-z0-9]{4,6}-[a-z0-9]{4,6}(?:[\s,;|]{1,3}[a-z0-9]{4,6}-[a-z0-9]{4,6}){2,}(?![\w-])"
        ).finditer(low):
            if len(compiled(r"\d").findall(match[0])) >= 4 and chop(match[0]) <= 2.8:
                yield *match.span(), "recovery-codes"
    if longest < 19:
        return
    for match in compiled(r"(?<![\w-])(?:[A-Z]{1,3}-)?[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,7}(?![\w-])").finditer(text):
        if len(compiled(r"\d").findall(match[0])) >= 3 and compiled(r"[G-Z]").search(match[0]):
            yield *match.span(), "licence-key"
