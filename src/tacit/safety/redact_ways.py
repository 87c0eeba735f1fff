"""The ways in which a secret gives itself away: a shape of its own, a place made for it, a name or a sentence beside it.

Each takes a text, and the same in lower case, and yields start, end and kind. They take linear time: no expression
repeats what its neighbour could match too, and what is read around a word is bounded. The rules of gitleaks are data
of others (`gitleaks.txt`, made by `bench/gitleaks.py`, see NOTICE).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from tacit.safety.redact_values import (
    LONG,
    LONG_RUN,
    LONGEST_VALUE,
    chop,
    classes,
    compiled,
    dense,
    entropy,
    is_a_word,
    is_code,
    is_digest,
    is_prose,
    is_random,
    is_term,
    mixed,
    name_around,
    rules,
    says,
    stand_in,
    value_at,
    words_for,
    worth_hiding,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.safety.redact_values import Span

# --- shapes of their own -----------------------------------------------------------------------

LONGEST_KEY = 64_000  # characters of one PEM block
MOST_JUDGED = 400  # values that are remembered with what was decided about them


def vendor_tokens(text: str, low: str) -> Iterator[Span]:
    """Credentials with a vendor's prefix."""
    # Most texts hold no run of characters long enough to be a credential, and those that do hold few.
    runs = " ".join(compiled(LONG_RUN).findall(text))
    if not runs:
        return

    for kind, prefixes, alphabet, least, most in rules("VENDOR_TOKENS"):
        for prefix in prefixes:
            if prefix not in runs:
                continue
            at = text.find(prefix)
            while at >= 0:
                body = compiled(rules("ALPHABETS")[alphabet]).match(text, at + len(prefix))
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

    for kind, hints, least, expression in rules("SHAPES"):
        if any(hint in low for hint in hints):
            for match in compiled(expression).finditer(text):
                group = match.lastindex or 0
                if is_random(match[group], least):
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
    for match in compiled(shape).finditer(text):
        # a path, a member, an anchor
        # a path, a member, an anchor
        inside = text[match.start() - 1 : match.start()] in ("/", "\\", ".", "#", "@")
        if _is_prefixed(match[0], inside):
            yield *match.span(), "token"


@lru_cache(MOST_JUDGED)
def _is_prefixed(run: str, inside: bool) -> bool:

    if "_kwDO" in run:  # what GitHub calls a node
        return False
    parts = compiled(r"[A-Za-z0-9]+").findall(run)
    if len(parts) < 2:  # a word and a row of lines
        return False
    if parts[0].lower() in rules("ID_PREFIXES") or not compiled(
        r"(?:[a-z]+|[A-Z]+)[0-9]{0,2}"
    ).fullmatch(parts[0]):
        return False
    telling = not rules("SECRET_PARTS").isdisjoint(map(str.lower, parts[:3]))
    if (inside or parts[1].lower() in rules("ID_PREFIXES")) and not telling:
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

    longest = max(map(len, text.replace("\0", " ").split()), default=0)
    yield from _codes(text, low, longest)
    if longest >= SHORTEST_CHOSEN:
        yield from _chosen(text)
    if longest < _SHORTEST_SHAPE:  # nothing is compiled for it
        return
    yield from _hexadecimal(text, low)
    public = [*_public_blocks(text)]
    for least, signs, shape, three in rules("OPAQUE"):
        if longest < least or not compiled(f"{signs}{{{least}}}").search(text):
            continue
        for match in compiled(shape).finditer(text):
            group = 1 if match.re.groups else 0
            word, start = match[group], match.start(group)
            hide = _is_opaque(word, low[max(0, start - BEFORE) : start], three)
            if hide and not any(begin < start < end for begin, end in public):
                yield start, match.end(group), "opaque"


@lru_cache(MOST_JUDGED)
def _is_opaque(word: str, before: str, three: bool) -> bool:
    return _is_random_word(word, three) and not compiled(rules("PUBLIC_NAMES")).search(before)


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

    if "0x" not in text:
        return
    for match in compiled(r"(?<!\w)0x[0-9A-Fa-f]{64}(?!\w)").finditer(text):
        begin = max(0, match.start() - BEFORE)
        if compiled(rules("CHAIN_HASH")).search(low, begin, match.start()):
            continue
        # Without a word for either it is a key where nothing around speaks of a chain's hashes.
        if compiled(rules("CHAIN_KEY")).search(low, begin, match.start()) or not compiled(
            rules("CHAIN_HASH")
        ).search(low, max(0, begin - 4 * BEFORE), match.end() + 4 * BEFORE):
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


# --- places made for them ----------------------------------------------------------------------


def places(text: str, low: str) -> Iterator[Span]:
    """Values of headers, cookies, URLs and the like, where only a credential has business."""
    for table in ("SECRET_PLACES", "LIKELY_PLACES"):
        for kind, hints, expression in rules(table):
            # Every code has three digits in a row, or one before a hyphen; "exit code 1" stands in most outputs.
            if any(hint in low for hint in hints) and (
                kind != "code" or compiled(r"\d{3}|\d\w{0,5}-\w").search(text)
            ):
                for match in compiled(expression).finditer(text):
                    group = match.lastindex or 1
                    plain = table == "SECRET_PLACES" or _looks_the_part(match[group])
                    if plain and not stand_in(match[group]):
                        yield *match.span(group), kind
    if "authorization" in low or "bearer" in low:
        yield from _authorization(text)
    if "auth" in low and '"' in text:  # docker's config.json
        for entry in compiled(
            r'\\?"auth\\?"\s{0,4}:\s{0,4}\\?"([A-Za-z0-9+/]{8,400}={0,2})'
        ).finditer(text):
            if _is_login(entry[1]):
                yield *entry.span(1), "basic-auth"
    if "cookie" in low:
        yield from _cookies(text)
    if "://" in text:
        yield from _url_logins(text)
    if "=" in text and ("?" in text or "&" in text):
        yield from _url_parameters(text)
    if "</" in text:
        yield from _elements(text)
    if "kind:" in low and "secret" in low:
        yield from _manifests(text)


def _looks_the_part(content: str) -> bool:
    """Whether a value in a likely place is a credential and no path, address, version or term."""
    odd = len(content) >= 10 and classes(content) >= 2 and chop(content) <= 2.4
    return (mixed(content) or odd) and not is_term(content) and not is_code(content, "literal")


def _authorization(text: str) -> Iterator[Span]:
    """`Authorization: Bearer x`, with any scheme or none, as a header, in JSON or in code; and a bare `Bearer x`."""
    header = (
        r"(?i)(?<![A-Za-z])authorization(?:\\?[\"'`]\]?)?\s{0,4}[:=,]\s{0,4}(?:f?\\?[\"'`])?"
        r"(?:([A-Za-z][\w-]{1,30})[ \t]{1,4})?([^\s\"'`\\,;<>(){}]{4,4096})"
    )
    for match in compiled(header).finditer(text):
        basic = (match[1] or "").lower() == "basic"
        if not stand_in(match[2]) and (
            mixed(match[2]) or chop(match[2]) <= 2.6 or (basic and _is_login(match[2]))
        ):
            yield *match.span(2), "basic-auth" if basic else "bearer-token"
    for match in compiled(r"(?i)(?<![A-Za-z])bearer[ \t]{1,4}([\w.~+/=%-]{8,4096})").finditer(text):
        credential = match[1].rstrip(".")
        if not stand_in(credential) and mixed(credential) and not is_term(credential):
            yield match.start(1), match.start(1) + len(credential), "bearer-token"


def _is_login(encoded: str) -> bool:
    """Whether this is `user:password` in base64."""
    from binascii import Error, a2b_base64

    try:
        return b":" in a2b_base64(encoded + "==")
    except Error:
        return False


def _cookies(text: str) -> Iterator[Span]:
    """What a cookie header holds, but for the cookies everybody may see."""

    head = r"(?i)(?:set-)?cookies?(?:\\?[\"'`]\]?)?\s{0,3}[:=, ]\s{0,3}\\?[\"'`]?(?=[\w.-]{1,60}=)"
    pair = r"\s{0,2};?\s{0,3}([\w.-]{1,60})(?:=([^\s;,\"'`\\]{0,4096}))?"
    at = 0
    for start in compiled(head).finditer(text):
        if start.end() < at:
            continue
        at = start.end()
        while (cookie := compiled(pair).match(text, at)) and (
            at == start.end() or ";" in cookie[0][:3]
        ):
            at = cookie.end()
            content = cookie[2] or ""
            if (
                len(content) < 6
                or cookie[1].lower() in rules("HARMLESS_COOKIES")
                or stand_in(content)
            ):
                continue
            telling = compiled(r"(?i)sess|sid|auth|tok|login|user|remember|jwt").search(cookie[1])
            if dense(content) or (telling and mixed(content)):
                yield *cookie.span(2), "cookie"


def _url_logins(text: str) -> Iterator[Span]:
    """The password of `scheme://user:password@host`, or the token of `scheme://token@host`."""
    for match in compiled(
        r"://([^\s/:@\"'`<>]{0,256}):([^\s/\"'`<>]{1,512})@([\w.-]{0,100})"
    ).finditer(text):
        user, password, host = match[1], match[2], match[3]
        dev_default = (
            host in ("localhost", "127.0.0.1", "db", "postgres", "mysql", "redis")
            and password == user
        )
        if not (dev_default or stand_in(password)):
            yield *match.span(2), "url-password"
    for match in compiled(r"://([\w-]{16,256})@").finditer(text):
        if mixed(match[1]) and chop(match[1]) <= 3.2 and not stand_in(match[1]):
            yield *match.span(1), "url-token"


def _url_parameters(text: str) -> Iterator[Span]:
    """Signatures and keys in the query of a URL; parameters named like secrets are found by name."""

    for match in compiled(
        rf"(?i)[?&#;](?:{rules('URL_PARAMETERS')})=([^\s&#\"'`<>]{{8,4096}})"
    ).finditer(text):
        content = match[1].rstrip(".,;)")
        if (
            len(content) >= (16 if classes(content) < 3 else 10)
            and mixed(content)
            and is_random(content, 2.5)
            and chop(content) <= 4
            and not stand_in(content)
        ):
            yield match.start(1), match.start(1) + len(content), "url-signature"


def _elements(text: str) -> Iterator[Span]:
    """`<password>x</password>`."""
    for match in compiled(
        r"<([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,200})?>([^<>\s]{3,1000})</"
    ).finditer(text):
        strength, kind = says(match[1].rsplit(":", 1)[-1])
        if strength and worth_hiding(match[2], strength, "quoted"):
            yield *match.span(2), kind


def _manifests(text: str) -> Iterator[Span]:
    """The values of a Kubernetes Secret."""
    begin = 0
    for document in text.split("\n---"):
        end = begin + len(document)
        if compiled(r"(?m)^[ \t]{0,20}kind:[ \t]{0,4}[\"']?Secret\b").search(document):
            entry = compiled(
                r"\r?\n[ \t]{1,40}[\w.-]{1,100}:[ \t]{0,4}(\S{1,4096})[ \t]*(?=\r?\n|$)"
            )
            for data in compiled(r"(?m)^[ \t]{0,20}(?:data|stringData):[ \t]{0,20}$").finditer(
                text, begin, end
            ):
                at = data.end()
                while line := entry.match(text, at, end):
                    at = line.end()
                    if len(line[1]) > 3 and not stand_in(line[1].strip("\"'") or "-"):
                        yield *line.span(1), "kubernetes-secret"
        begin = end + 4


# --- what something names ----------------------------------------------------------------------

# that are read for a value: so many, and one more for so many characters
SENTENCES, PER_SENTENCE = (200, 400)
# characters around a name that decide about it; such places that are remembered
AROUND, MOST_NAMES_JUDGED = (240, 400)
MOST_NEW = 2_000  # names that are looked up among those
# headings of columns, rows below one, characters of a row
MOST_HEADS, MOST_ROWS, LONGEST_ROW = (50, 30, 400)


def named_values(text: str, low: str) -> Iterator[Span]:
    """Values introduced by a name or by a sentence."""
    if not (words := words_for(low)):
        return
    at = 0  # up to here the text has been judged
    same = 0  # up to here the name goes that was judged last: a second word in it asks the same
    # a name with what stands around it -> where its value lies from its start, and what it is
    judged: dict[tuple[str, str, int], tuple[int, int, str]] = {}
    new = 0  # names that were judged; where nothing comes again, remembering is in vain
    # reading sentences is slow, and a text of nothing but "token:" has none
    patience = SENTENCES + len(text) // PER_SENTENCE
    for word in compiled(words).finditer(low):
        if word.start() < at or word.end() <= same:
            continue
        name = name_around(text, word.start(), word.end())
        if name is None:
            continue
        start, end = name
        same = end
        if new < MOST_NEW:
            # auth.password is not its auth
            around = text[max(0, start - AROUND) : start], text[start : end + AROUND], end - start
        known = judged.get(around) if new < MOST_NEW else None
        # what repeats itself is judged once: a megabyte of "token:" is one question
        if known is not None:
            begin, stop, kind = start + known[0], start + known[1], known[2]
            if kind:
                yield begin, stop, kind
                at = stop
            continue
        new += 1
        strength, kind = says(
            text[start:end], low[max(0, start - 48) : start], is_a_word(text, start, end)
        )
        if not strength:
            continue
        begin, stop, hide = assigned(text, start, end, strength)
        if not hide and patience and is_prose(text, start, end):
            patience -= 1
            begin, stop, hide = value_in_sentence(text, low, start, end, strength, word[0])
        if hide:
            yield begin, stop, kind
        if new < MOST_NAMES_JUDGED and stop - end < AROUND // 2 and (not hide or begin >= end):
            judged[around] = (begin - start, stop - start, kind if hide else "")
        if begin >= end and (hide or stop - begin > LONG):
            at = stop


def assigned(text: str, start: int, end: int, strength: int) -> tuple[int, int, bool]:
    """The value of `name = value`, `"name": "value"`, `--name value`, `name", value="…"`, and whether to hide it."""
    after = text[end : end + 1]
    if (
        after == " "
        and text[end + 1 : end + 2].isalnum()
        and text[start] != "-"
        and not text.startswith(("value", "content"), end + 1)
    ):
        # a word follows, as in any sentence: no sign is looked for
        return _beside(text, start, end, strength)
    typed = after in "?: \t" and compiled(
        r"\??[ \t]{0,3}:[ \t]{0,3}[A-Za-z_][\w.\[\]|, ]{0,40}=[ \t]{0,3}(?=[\"'`])"
    ).match(text, end)
    spelled = compiled(
        r"\\{0,3}[\"'`\])]{0,3}[ \t]{0,8}(?:(:=|=>|={1,3}|->|::?|：|%3[Dd])[ \t]{0,8}(?:\\\r?\n[ \t]{0,40})?|(,)[ \t]{0,4}(?=\\?[\"'`])|"
        r"(?:[,>]|\s)?\s{0,20}\\?[\"']?(value|content)\\?[\"']?\s{0,4}[:=]\s{0,4})"
    ).match(text, end)
    if text[start - 2 : start] == "//":  # the user of a URL
        return end, end, False
    if typed:
        at, sign = typed.end(), "="
    elif spelled:
        at, sign = spelled.end(), spelled[1] or spelled[2] or spelled[3]
    elif text[start : start + 2] == "--" and text[end : end + 1] == " ":
        at, sign = end + 1, "--"
    else:
        return _beside(text, start, end, strength)
    # YAML: the value on a line of its own
    if sign == ":" and text[at : at + 1] in ("\n", "\r", "|", ">"):
        wrapped = compiled(r"(?:[|>][+-]?)?[\n\r]\s{0,40}(?![\w.\"'-]{1,60}:(?:\s|$)|- )").match(
            text, at
        )
        at = wrapped.end() if wrapped else at
    begin, stop, quoted = value_at(text, at)
    alone = _opens_line(text, start)
    tight = sign.startswith("=") and text[at - 1 : at] == "="
    if quoted:
        form = "listed" if sign == "," else "quoted"
    elif (
        alone and tight
    ):  # a line of a shell or .env file; quotes and brackets inside are part of the value
        if text[stop : stop + 1] in tuple("<>`\"'”»"):
            run = compiled(r"(?:(?!\\[\"'])\S)*").match(text, stop, stop + LONGEST_VALUE)
            stop = run.end() if run else stop
        form = "literal"
    elif sign == "--" or (
        tight and not compiled(r"[(,]\s?$").search(text, max(0, start - 2), start)
    ):
        form = "literal"  # ?token=x, --password x, but not f(password=x)
    elif alone and compiled(r"[ \t]{0,20}(?:#.*)?$", re.M).match(text, stop):
        form = "literal"  # a line of a configuration file
    else:
        form = "loose"
    if text[start:end].lower() == "pass" and (
        (sign == ":" and text[at - 1 : at] == " ") or text[begin:stop].isdigit()
    ):
        return begin, stop, False  # a test's result: "PASS: test_2", "pass=120"
    return begin, stop, worth_hiding(text[begin:stop], strength, form)


def _beside(text: str, start: int, end: int, strength: int) -> tuple[int, int, bool]:
    """The value of a command's `NAME value`, `NAME --flag value`, `NAME user value`, where the name is an identifier and the value plainly random."""
    name = text[start:end]
    identifier = not (name.islower() and name.isalpha()) and (
        name.isupper() or compiled(r"_|[a-z][A-Z]").search(name)
    )
    if strength < 2 or not (identifier or _is_glued(name)):
        return end, end, False
    gap = compiled(
        r"(?:\\{0,3}[\"'])?[ \t]{1,3}(?:--?[a-z][\w-]{0,30}[ =]|[a-z][a-z.-]{0,20}[ \t])?(?=\\{0,3}[\"']?[^\s\"'`<>|;&\\-])"
    ).match(text, end)
    if gap is None:
        return end, end, False
    begin, stop, _ = value_at(text, gap.end())
    content = text[begin:stop]
    if (
        stand_in(content or "-")
        or is_code(content, "loose")
        or is_digest(content)
        or is_term(content)
        or "_" in content
    ):
        return begin, stop, False
    least = 8 if strength == 3 else 16
    signs = (
        strength == 3
        and mixed(content)
        and any(c.isdigit() for c in content)
        and not content.isalnum()
    )
    return (
        begin,
        stop,
        len(content) >= least
        and (signs or (dense(content) and classes(content) >= 2 and is_random(content, 3.0))),
    )


def _is_glued(name: str) -> bool:
    """bindpw, rootpw: an old abbreviation at the end of one word."""
    return name.lower().endswith(("pw", "pwd", "pass")) and name.isalpha()


def _opens_line(text: str, start: int) -> bool:
    """Whether a name opens its line, save for indentation, a diff mark or `export`."""
    line = text[max(0, start - 40) : start].rpartition("\n")[2]
    return compiled(r"[ \t+>\"'-]*(?:export |set |ENV |- )?[\"']?").fullmatch(line) is not None


def nearby(text: str, low: str) -> Iterator[Span]:
    """A word that nobody would write, in or below a line about logging in: `-u app,x`, `app/x@host`, a row under `name,api_key`."""

    hinted = any(
        hint in low
        for hint in (
            "key",
            "secret",
            "pass",
            "cred",
            "log",
            "sign",
            "auth",
            "ftp",
            "user",
            "connect(",
            "sudo",
            "-u ",
            "-p ",
        )
    )
    if "@" not in text and not (hinted and compiled(rules("LOGIN_HINTS")).search(low)):
        return
    for match in compiled(r"(?<![\w+.%#-])[A-Za-z0-9!#%+]{12,64}(?![\w+/=%.-])").finditer(text):
        word, start = match[0], match.start()
        if (
            all(c.isalpha() for c in word)
            or classes(word) < 3
            or chop(word) > 2.8
            or not is_random(word, 3.0)
            or stand_in(word)
        ):
            continue
        before = text[start - 1 : start]
        # its line up to there, the line above, and what follows
        near = (
            "\n".join(low[max(0, start - AROUND) : start].split("\n")[-2:])
            + low[start : match.end() + 80]
        )
        at_host = (
            before in ("/", ":", ",")
            and compiled(r"@[\w-]+\.?[\w.-]*").match(text, match.end()) is not None
        )
        if at_host or (before != "/" and compiled(rules("LOGIN_HINTS")).search(near)):
            yield *match.span(), "credential"


def columns(text: str, low: str) -> Iterator[Span]:
    """The cells below a heading that names a password, a token or a secret, where they look the part."""
    # nothing is compiled for a sentence
    if "\n" not in text or not any(cell in low for cell in _headings()):
        return
    head = compiled(
        r"(?m)^[^\n]{0,200}?(?:(?<=[|,;\t])|^)[ \t]{0,4}(?:[a-z]{1,16}[ _-]){0,2}(?:pass(?:word|wd|phrase)?|pwd|token|secret)[ \t]{0,4}(?=[|,;\t\n])[^\n]{0,200}$"
    )
    for count, found in enumerate(head.finditer(low)):
        if count == MOST_HEADS:
            return
        mark = next((each for each in "|\t;," if each in found[0]), "")
        names = [cell.strip() for cell in found[0].split(mark)] if mark else []
        wanted = {
            n: said
            for n, cell in enumerate(names)
            if cell.replace("_", "").replace(" ", "").replace("-", "").isalpha()
            and (said := says(cell)[0]) >= 2
        }
        at = found.end() + 1
        for _ in range(MOST_ROWS if wanted else 0):
            end = text.find("\n", at, at + LONGEST_ROW)
            row = text[at : end if end >= 0 else at + LONGEST_ROW]
            cells = row.split(mark)
            if len(cells) != len(names):
                break
            for n, strength in wanted.items():
                value = cells[n].strip().strip("`\"'")
                begin = at + sum(len(cell) + 1 for cell in cells[:n]) + cells[n].find(value)
                if value and worth_hiding(value, strength, "using"):
                    yield begin, begin + len(value), "password" if strength == 3 else "credential"
            if end < 0:
                break
            at = end + 1


def _headings() -> tuple[str, ...]:
    """What a line with such a heading holds: the word before what parts or pads its cell, or at its end."""
    words = ("password", "passwd", "passphrase", "pass", "pwd", "token", "secret")
    return tuple(
        f"{word}{end}" for word in words for end in ("|", " |", "  ", ",", ";", "\t", "\n", " \n")
    )


# Secrets that a sentence gives away: "the password … is x", "use token x", "x is the password", in four languages.

NEAR_WORD = 160  # how far from a word its value may stand in prose, in characters
WORDS_BETWEEN = 12  # and in words
TURNS = frozenset("is was as for ist war als für es era como para est était comme pour".split())


def value_in_sentence(
    text: str, low: str, start: int, end: int, strength: int, word: str
) -> tuple[int, int, bool]:
    """The value a sentence gives for a word: "the password … is x", "use token x", "x is the password"."""

    linked = False
    tried = 0  # candidates since the link; "the credentials are ci / x" needs more than one
    patience = 3 if word.startswith("cred") else 0
    position = end
    for count, match in enumerate(compiled(r"\S+").finditer(text, end, end + NEAR_WORD)):
        gap = text[position : match.start()]
        if (
            count >= WORDS_BETWEEN
            or gap.count("\n") > 1
            or ("\n" in gap and not (linked and tried == 0))
        ):
            break
        raw, position = match[0], match.end()
        plain = raw.lower().strip("\"'`“”«»(),")
        if raw in rules("SIGNS") and count > 2:
            break
        if plain in rules("LINKING_VERBS") or raw in (":", "'s", "’s"):
            linked, tried = True, 0
            continue
        if linked and tried < 3 and plain in rules("BEFORE_VALUE"):
            continue
        if linked or count == 0:
            bare = raw.strip(".,:;!?")
            if not (bare.isalpha() and (bare.islower() or bare.istitle() or bare.isupper())):
                before = low[max(0, start - 30) : start].split()[-3:]
                form = (
                    "linked"
                    if linked
                    else "using"
                    if not rules("USING").isdisjoint(before)
                    else "next"
                )
                begin, stop, hide = _candidate(text, match.start(), strength, form)
                if hide:
                    return begin, stop, True
            tried += 1
            if tried > patience:
                linked, tried = False, 0
        if raw.endswith(":"):
            linked, tried = True, 0
        elif raw.endswith((".", "!", "?", ";")) or compiled(r"[\\={}<>|\[\]]").search(raw):
            break
    return _told_before(text, start, strength)


def _told_before(text: str, start: int, strength: int) -> tuple[int, int, bool]:
    """The value of "x is the password", "use x as the token"."""
    # asked first: the expression is dear
    if TURNS.isdisjoint(text[max(0, start - 80) : start].split()[-4:]):
        return start, start, False
    turned = compiled(
        rf"\\?[\"'`(\[]{{0,2}}(\S{{4,200}})\s(?:{'|'.join(sorted(TURNS))})\s"
        r"(?:(?:the|my|our|your|its|their|a|das|der|die|den|dem|mein|meine|unser|la|el|le|mi|mon|ma|notre|nuestra)\s)?"
        r"(?:[\w-]{1,20}\s){0,2}$"
    ).search(text, max(0, start - NEAR_WORD), start)
    if turned is None or is_digest(turned[1].strip("`'\"")):
        return start, start, False
    begin = turned.start(1)
    opened = text[begin - 1 : begin] if begin else ""
    return _candidate(
        text, begin - (opened in ("'", '"', "`") and turned[1].endswith(opened)), strength, "next"
    )


def _candidate(text: str, start: int, strength: int, form: str) -> tuple[int, int, bool]:
    """One word of a sentence as a secret: freed of quotes and punctuation, and judged."""

    begin, stop, quoted = value_at(text, start)
    if not quoted:
        opened = compiled(r"[(\[{*“«\"'`]{0,3}").match(text, start)
        begin, stop, quoted = value_at(text, opened.end() if opened else start)
    content = text[begin:stop] if quoted else text[begin:stop].partition(",")[0]
    if (
        not content
        or "\n" in content
        or "://" in content
        or compiled(r"[A-Za-z_]+=").match(content)
    ):
        return begin, stop, False
    if text[stop : stop + 1] in ("!", "?"):  # as likely part of the password as of the sentence
        stop += 1
    if not quoted and strength == 2 and ("/" in content or ":" in content):
        # admin:hunter2
        pair = compiled(r"[a-z][a-z.@_-]{1,30}\d{0,3}[:/]([^\s/:]{6,24})").fullmatch(content)
        if pair and mixed(pair[1]) and not is_term(pair[1]) and not stand_in(pair[1]):
            return begin + pair.start(1), stop, True
    if not quoted and content.isdigit():
        unit = compiled(r"\W{1,3}(\w+)").match(text, stop)
        if unit and unit[1].lower() in rules("UNITS_OF_SIZE"):
            return begin, stop, False
    if quoted:  # quotes say: this is the value itself
        form = "ticked" if form != "linked" else "quoted" if strength == 3 else form
    return begin, stop, worth_hiding(content, strength, form)


# --- the public rules of gitleaks --------------------------------------------------------------

_BEFORE = 80  # characters before its word that a rule may begin at
_PIECE = 1_400  # characters that are looked through at once
_LONGEST = 700  # characters from a match's beginning to its end: how far pieces overlap
_LONG_TEXT = 2_000  # from here on the words of a text are looked at once each


class Rule:
    """One rule: the words one of which a text must hold, and what its secret looks like."""

    __slots__ = ("allowed", "group", "hints", "least", "name", "pattern")

    def __init__(self, name: str, hints: str, least: str, group: str, pattern: str) -> None:
        self.name, self.hints, self.pattern = name, hints.split(), pattern
        self.least, self.group = float(least), int(group)  # entropy; group of the expression
        self.allowed: list[str] = []  # what may stand: a stand-in, a word


def gitleaks(text: str, low: str) -> Iterator[Span]:
    """What a rule of gitleaks calls a secret, named by that rule."""
    if not compiled(LONG_RUN).search(text):
        return
    words = low
    if len(low) > _LONG_TEXT:
        words = "\n".join(set(compiled(r"[^\s\"'`,;:(){}\[\]\\/=<>|]{2,}").findall(low)))
    for rule in _gitleaks_rules():
        hints = [hint for hint in rule.hints if hint.rstrip("=") in words]
        if hints:
            yield from _found(rule, hints, text, low)


def _found(rule: Rule, hints: list[str], text: str, low: str) -> Iterator[Span]:
    expression = compiled(rule.pattern, re.ASCII)
    done = 0
    for at in _places(hints, low):
        while done <= at:
            end = at + _PIECE
            match = expression.search(text, max(done, at - _BEFORE), end)
            if match and match.end() >= end:  # it may go on behind the piece
                match = expression.match(text, match.start(), end + LONGEST_VALUE)
            if match:
                group = rule.group or match.lastindex or 0
                if match[group] and not _allowed(rule, match[group]):
                    yield *match.span(group), rule.name
            done = max(match.end(), done + 1) if match else end - _LONGEST


def _places(hints: list[str], low: str) -> Iterator[int]:
    """Where one of the words stands, in order."""
    if len(hints) == 1:
        at = low.find(hints[0])
        while at >= 0:
            yield at
            at = low.find(hints[0], at + 1)
    else:
        for found in compiled("|".join(map(re.escape, hints))).finditer(low):
            yield found.start()


def _allowed(rule: Rule, secret: str) -> bool:
    """Whether the rule lets this one stand: a stand-in, a word, too little entropy."""
    return entropy(secret) < rule.least or any(
        compiled(each, re.ASCII).search(secret) for each in rule.allowed
    )


@cache
def _gitleaks_rules() -> list[Rule]:
    with open(f"{__file__.rpartition('/')[0]}/gitleaks.txt", encoding="utf-8") as file:
        rows = [line.split("\t") for line in file.read().splitlines()]
    always = [row[2] for row in rows if row[:2] == ["allowed", "*"]]
    found: list[Rule] = []
    for kind, *fields in rows:
        if kind == "rule":
            found.append(Rule(*fields))
            found[-1].allowed += always
        elif kind == "allowed" and fields[0] != "*":
            found[-1].allowed.append(fields[1])
    return found
