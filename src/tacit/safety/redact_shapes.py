"""Secrets with a shape of their own: a vendor's prefix, a JWT, a private key, a short prefix before a long random body."""

from __future__ import annotations

from tacit.safety.expressions import LONG_RUN, compiled
from tacit.safety.redact_values import chop, classes, is_random, stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.safety.expressions import Span

LONGEST_KEY = 64_000  # characters of one PEM block
MOST_JUDGED = 400  # values that are remembered with what was decided about them


def vendor_tokens(text: str, low: str) -> Iterator[Span]:
    """Credentials with a vendor's prefix."""
    # Most texts hold no run of characters long enough to be a credential, and those that do hold few.
    runs = " ".join(compiled(LONG_RUN).findall(text))
    if not runs:
        return
    from tacit.safety.redact_rules import ALPHABETS, VENDOR_TOKENS

    for kind, prefixes, alphabet, least, most in VENDOR_TOKENS:
        for prefix in prefixes:
            if prefix not in runs:
                continue
            at = text.find(prefix)
            while at >= 0:
                body = compiled(ALPHABETS[alphabet]).match(text, at + len(prefix))
                end = body.end() if body else at + len(prefix)
                if body and _opens(text, at):
                    run = body[0].rstrip(".")
                    if len(run) >= least and (not most or len(run) <= most) and _made_up(run):
                        yield at, at + len(prefix) + len(run), kind
                at = text.find(prefix, end)


def _made_up(run: str) -> bool:
    """Whether the body of a token is random rather than words: `sk-learn-compatible-estimators` is no key."""
    if compiled(
        r"(?:[A-Za-z]?[a-z]+|[0-9]{1,4})(?:[-_.](?:[A-Za-z]?[a-z]*|[0-9]{1,4}))+"
    ).fullmatch(run):
        return False
    return is_random(run, 2.5)


def _opens(text: str, at: int) -> bool:
    """Whether a token may begin here: not in the middle of a word, though right after an escape such as %3D."""
    return at == 0 or not text[at - 1].isalnum() or (at > 2 and text[at - 3] == "%")


def shapes(text: str, low: str) -> Iterator[Span]:
    """Credentials recognised by an expression of their own."""
    if not compiled(LONG_RUN).search(text):
        return
    from tacit.safety.redact_rules import SHAPES

    for kind, hints, entropy, expression in SHAPES:
        if any(hint in low for hint in hints):
            for match in compiled(expression).finditer(text):
                group = match.lastindex or 0
                if is_random(match[group], entropy):
                    yield match.start(group), match.end(group) - match[group].endswith("."), kind
    # the other half of an AWS pair says nothing by itself
    if "AKIA" in text or "ASIA" in text or "aws" in low:
        for match in compiled(
            r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])"
        ).finditer(text):
            if classes(match[0]) >= 3 and chop(match[0]) <= 3 and "/home/" not in match[0]:
                yield *match.span(), "aws-secret-key"


def blocks(text: str, low: str) -> Iterator[Span]:
    """Private keys: PEM and PGP blocks, whole, cut off, or on one line with escaped line ends; also without a head."""
    if "PRIVATE KEY" in text or "Static key" in text:
        at = 0
        head_of = compiled(
            r"-{4,5} ?BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}|OpenVPN Static key V\d)-{4,5}"
        )
        closed = -2  # where the next end of a block stands, looked for once
        while head := head_of.search(text, at):
            if -1 != closed < head.end():
                closed = text.find("-----END", head.end())
            at = _block_end(text, head.end(), closed)
            if at > head.end():
                yield head.start(), at, "private-key"
    if "IBA" in text or "BCI" in text or "CAQ" in text or "b3BlbnNzaC1rZXktdjE" in text:
        # DER of PKCS 1, PKCS 8, SEC 1 and OpenSSH's own format, in base64
        heads = (
            r"(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{2,4}IBA[AD]|MHcCAQEE|M[CF][A-Za-z0-9]CAQ[AE]w|"
            r"MIG[A-Za-z0-9]{1,2}AgEAM|b3BlbnNzaC1rZXktdjE)"
        )
        at = 0
        while start := compiled(heads).search(text, at):
            at = _block_end(text, start.start())
            if at - start.start() >= 40:
                yield start.start(), at, "private-key"
            at = max(at, start.end())

    if len(text) > 120:  # the middle of one: lines of equal length and nothing but base64
        body = r"(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{64}(?:(?:\r?\n|\x1f\x1f|\\n)[ \t>|+]{0,8}[A-Za-z0-9+/]{64}){1,}(?:(?:\r?\n|\x1f\x1f)[ \t>|+]{0,8}[A-Za-z0-9+/]{1,63}={0,2})?(?![A-Za-z0-9+/])"
        for found in compiled(body).finditer(text):
            if (
                classes(found[0]) >= 3
                and chop(found[0][:400]) <= 3.2
                and "-----BEGIN CERT" not in text[max(0, found.start() - 80) : found.start()]
            ):
                yield *found.span(), "private-key"


def _block_end(text: str, begin: int, closed: int = -2) -> int:
    """Where the key that begins here ends; `begin` itself if there is no key, only talk of one. `closed`: the next end, where it is known."""
    end = (
        text.find("-----END", begin, begin + LONGEST_KEY)
        if closed == -2
        else closed
        if closed < begin + LONGEST_KEY
        else -1
    )
    if end >= 0 and text.find("-----BEGIN", begin, end) >= 0:
        end = -1
    if end >= 0 and compiled(r"[A-Za-z0-9+/=]{16}").search(text, begin, end):
        tail = compiled(r"-----END [A-Z0-9 ]{0,60}-{0,5}").match(text, end)
        return tail.end() if tail else end + 8
    # Cut off: headers, then lines of base64, whatever stands between them (escapes, quotes, diff and quote marks).
    line = compiled(
        r"[\s\"',+>|-]*(?:(?:Proc-Type|DEK-Info|Comment|Version):[^\n\x1f]{0,80}|[A-Za-z0-9+/=]{16,})"
    )
    at = begin
    while at - begin < LONGEST_KEY and (more := line.match(text, at)):
        at = more.end()
    if at > begin:
        last = compiled(r"\s{1,2}[A-Za-z0-9+/=]{1,15}(?=\s*$|\x1f|[\"'])").match(text, at)
        at = last.end() if last else at
    return at


def prefixed(text: str, low: str) -> Iterator[Span]:
    """Tokens of vendors nobody told us about: a short prefix, a long random body. Known kinds of ids stay."""
    if not compiled(r"[A-Za-z0-9_-]{24}").search(text):
        return
    shape = r"(?<![A-Za-z0-9_-])[A-Za-z][A-Za-z0-9]{1,11}[_-][A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{16,})?"
    judged: dict[tuple[str, bool], bool] = {}  # what repeats itself is judged once
    for match in compiled(shape).finditer(text):
        # a path, a member, an anchor
        inside = text[match.start() - 1 : match.start()] in ("/", "\\", ".", "#", "@")
        hide = judged.get((match[0], inside))
        if hide is None:
            hide = _is_prefixed(match[0], inside)
            if len(judged) < MOST_JUDGED:
                judged[match[0], inside] = hide
        if hide:
            yield *match.span(), "token"


def _is_prefixed(run: str, inside: bool) -> bool:
    from tacit.safety.redact_rules import ID_PREFIXES, SECRET_PARTS

    if "_kwDO" in run:  # what GitHub calls a node
        return False
    parts = compiled(r"[A-Za-z0-9]+").findall(run)
    if len(parts) < 2:  # a word and a row of lines
        return False
    if parts[0].lower() in ID_PREFIXES or not compiled(r"(?:[a-z]+|[A-Z]+)[0-9]{0,2}").fullmatch(
        parts[0]
    ):
        return False
    telling = not SECRET_PARTS.isdisjoint(map(str.lower, parts[:3]))
    if (inside or parts[1].lower() in ID_PREFIXES) and not telling:
        return False
    rest, body = run[len(parts[0]) + 1 :], max(parts[1:], key=len)
    if len(body) < 8 or not is_random(rest, 3.0) or stand_in(rest):
        return False
    mixed = (
        classes(rest) >= 3 and chop(rest) <= 2.6 and not compiled(r"[0-9a-fA-F_-]+").fullmatch(rest)
    )
    return mixed or (telling and len(body) >= 20 and chop(body) <= 3.6 and classes(body) >= 2)


# Words that nobody would write: random enough to be secrets wherever they stand, whatever nothing says about them.
#
# A vendor's prefix, a name or a place say that something is a credential; most of what people paste comes without any. What is left to
# go by is the word itself. `k9Zq3LmT7vXw2BnR` changes between small letters, capitals and digits at nearly every step; identifiers,
# versions, hashes and ids do not: they are words, or hexadecimal, or carry a prefix or a name (`"etag": …`, `sha512-…`, `toolu_…`). In
# 75,000 lines of real sessions one such word was none.

_SHORTEST_SHAPE, SHORTEST_CHOSEN = 12, 8  # characters
MOST_BLOCKS = 100  # certificates of one text that are recognised
BEFORE = 40  # characters that may name what follows


def opaque(text: str, low: str) -> Iterator[Span]:
    """Random words of any origin, but for those that something calls an id, a hash or a sum."""
    from tacit.safety.redact_rules import OPAQUE, PUBLIC_NAMES

    longest = max(map(len, text.replace("\0", " ").split()), default=0)
    yield from _codes(text, low, longest)
    if longest >= SHORTEST_CHOSEN:
        yield from _chosen(text)
    if longest < _SHORTEST_SHAPE:  # nothing is compiled for it
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
    # an SSH public key, a time
    if word.startswith("AAAA") or compiled(r"\d{4}-\d\d-\d\dT\d\d").search(word):
        return False
    digits = len(compiled(r"\d").findall(word))
    long = len(word) >= 16
    if digits < (1 if long and three else 2) or classes(word) < (3 if three else 2):
        return False
    return (
        chop(word) <= (2.6 if long and three else 2.2)
        and is_random(word, 3.0)
        and not stand_in(word)
    )


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
            or compiled(
                r"%[0-9A-Fa-f]{2}|%\d*[sdxfv]\b|%\w%|\^[A-Z[]|^\d\dm|#v?\d+\*{0,2}$|\*\*"
            ).search(word)
        ):
            continue
        # a sign that opens or closes a word is as likely a sentence's or a program's
        if (not word[1:-1].isalnum() or chop(word) <= 3.2) and not stand_in(word):
            yield *match.span(), "password"


def _hexadecimal(text: str, low: str) -> Iterator[Span]:
    """A wallet's key looks like any hash of a chain; what is said before it decides."""
    from tacit.safety.redact_rules import CHAIN_HASH, CHAIN_KEY

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
    for match in compiled(
        r"(?<![\w-])(?:[A-Z]{1,3}-)?[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,7}(?![\w-])"
    ).finditer(text):
        if len(compiled(r"\d").findall(match[0])) >= 3 and compiled(r"[G-Z]").search(match[0]):
            yield *match.span(), "licence-key"
