"""Take secrets out of a text before it is written anywhere.

    redact("export GITHUB_TOKEN=ghp_...").text == "export GITHUB_TOKEN=[redacted:github-token]"

A secret gives itself away in one of three ways. It has a shape of its own: a vendor's prefix, a JWT, a PEM block
(`redact_rules.TOKENS`, `SHAPES`). It stands in a place made for secrets: a header, a cookie, the user part or the
signature of a URL. Or something says what it is: a name (`DB_PASSWORD=`, `"token":`, `--api-key`) or a sentence ("the
password is ...", in four languages). Only the last kind is guesswork, so there the value has to look the part as well:
digests, ids, paths, versions, code and placeholders stay.

Two promises shape the code. It takes linear time: no expression repeats what its neighbour could match too, and what is
read around a word is bounded. And it costs little to start: a text that holds no hint compiles nothing, the prefixes of
all vendors share a handful of expressions.

Redaction is a net with a known mesh, not a proof; `docs/redaction.md` says what falls through.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Span = tuple[int, int, str]  # start, end, kind

MARKER = "[redacted:"
PRIVATE = "[private]"
MOST_TAGS = 1_000  # behind so many everything is private: who writes more of them asks for time, not for privacy
SHORTEST = 8  # characters; nothing shorter is a secret worth the name

# What a first pass takes out can bring two halves of a sentence near enough for a second pass to see more. Texts need
# one pass, rarely two; the bound keeps hostile ones linear.
PASSES = 12
ESCAPED = "\x1f\x1f"
LONGEST_KEY = 64_000  # characters of one PEM block
LONGEST_VALUE = 4_096  # characters of one value
LONG = 256  # a value longer than this is judged as a whole, and no words are looked for in it
NEAR = 160  # how far from a word its value may stand in prose, in characters
WORDS_BETWEEN = 12  # and in words
SENTENCES, PER_SENTENCE = 200, 400  # that are read for a value: so many, and one more for so many characters
AROUND, MOST_JUDGED = 240, 400  # characters around a name that decide about it; such places that are remembered
ENCODED = 40  # characters: a shorter run of base64 or hexadecimal digits holds no line of settings
MOST_ENCODED = 200  # such runs of one text that are decoded
NOT_RANDOM = ("xxxxx", "example", "your_", "your-", "yourtoken", "yourkey", "placeholder", "redacted", "....", "____")
LONG_RUN = r"[\w.+/=%~:|@$-]{16,}"  # the least a credential that is known by its shape has


@value
class Hit:
    """One secret that was taken out: what it was and where it stood in the text as given."""

    kind: str
    start: int
    length: int


@value
class Redacted:
    """A text without its secrets, and what was taken out."""

    text: str
    hits: tuple[Hit, ...] = ()


def redact(text: str) -> Redacted:
    """The text with every secret replaced by `[redacted:KIND]`; redacting the result again changes nothing."""
    found: list[Span] = []
    current = text
    for _ in range(PASSES):
        new = _scan(current)
        if not new:
            break
        found = _merged(found + _as_given(new, found))
        current = _replaced(text, found)
    return Redacted(current, tuple(Hit(kind, start, end - start) for start, end, kind in found))


def redact_value(obj: Any, name: str = "") -> Any:
    """A JSON-like structure without its secrets: texts are redacted, and so is what a key such as `password` holds."""
    if isinstance(obj, dict):
        return {_key(key): redact_value(item, _name_of(key, obj, name)) for key, item in obj.items()}
    if isinstance(obj, (list, tuple)):
        items = [redact_value(item, name) for item in obj]
        return tuple(items) if isinstance(obj, tuple) else items
    strength, kind = _says(name) if name else (0, "")
    if isinstance(obj, str):
        return f"{MARKER}{kind}]" if strength and _worth(obj, strength, "quoted") else redact(obj).text
    if isinstance(obj, int) and not isinstance(obj, bool) and strength == 3 and _worth(str(obj), 3, "quoted"):
        return f"{MARKER}{kind}]"
    return obj


def _key(key: Any) -> Any:
    return redact(key).text if isinstance(key, str) else key


def _name_of(key: Any, holder: dict[Any, Any], name: str) -> str:
    """What an entry is called: `{"password": x}`, `{"password": {"value": x}}`, `{"name": "PASSWORD", "value": x}`"""
    if key not in ("value", "default", "content"):
        return key if isinstance(key, str) else ""
    given = holder.get("name", holder.get("key", name))
    return given if isinstance(given, str) else name


def private(text: str) -> str:
    """The text with each `<private>…</private>` replaced by `[private]`; one never closed reaches to the end."""
    if "<" not in text or "private" not in text.lower():
        return text
    tags = _compiled(r"(?i)<(/?)\s*private\b[^<>]{0,200}>")
    first = tags.search(text)
    if first and not first[1] and "</" not in text[first.end() :]:
        return text[: first.start()] + PRIVATE
    kept: list[str] = []
    depth = last = 0
    for count, tag in enumerate(tags.finditer(text)):
        if count == MOST_TAGS:
            return "".join(kept) + (text[last : tag.start()] + PRIVATE if depth == 0 else "")
        if not tag[1]:
            if depth == 0:
                kept += (text[last : tag.start()], PRIVATE)
            depth += 1
        elif depth:
            depth -= 1
            last = tag.end()
    return "".join(kept) + (text[last:] if depth == 0 else "")


def redacted_record(at: Any) -> Any:
    """A foreign or outgoing record without secrets, and without what no column can hold."""
    if isinstance(at, str):
        plain = _keepable(at)
        return plain if len(plain) < SHORTEST else redact(private(plain)).text
    if isinstance(at, (list, tuple)):
        return [redacted_record(each) for each in at]
    if isinstance(at, dict):
        return {_keepable(key): redacted_record(each) for key, each in at.items()}
    return None if isinstance(at, float) and at != at else at


def redacted_path(path: str) -> str:
    """The name of a file, folder or branch without secrets: also where slashes and a suffix hide that it says one."""
    plain: str = redacted_record(path)
    spaced = path.replace("/", " ")
    hidden = plain == path and (redact(spaced).hits or redact(spaced.rpartition(".")[0]).hits)
    return f"{MARKER}path]" if hidden else plain


def _keepable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


# ---- spans: found, joined, replaced


def _scan(text: str) -> list[Span]:
    """The secrets of one text, by every way they give themselves away; the surer ways come first and name the kind."""
    if MARKER in text:  # what was taken out stays out, and the words in its marker introduce nothing
        text = _compiled(r"\[redacted:[a-z0-9-]{1,40}\]").sub(lambda m: "\0" * len(m[0]), text)
    if "\\" in text:  # an escaped line end or tab, in a quote of JSON or code, is white space of the same length
        text = _compiled(r"\\[nrt]").sub(ESCAPED, text)
    low = _lower(text)
    spans: list[Span] = []
    for way in (_blocks, _tokens, _shapes, _places, _named, _prefixed, _encoded, _nearby):
        spans.extend(way(text, low))
    return _merged(spans)


def _lower(text: str) -> str:
    """Lower case with every character in its old place (a few, such as İ, would become two)."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c if len(c.lower()) != 1 else c.lower() for c in text)


def _merged(spans: list[Span]) -> list[Span]:
    """Overlapping spans become one, named by the first that was found."""
    merged: list[tuple[int, int, str, int]] = []
    for start, end, kind, rank in sorted((s, e, k, rank) for rank, (s, e, k) in enumerate(spans)):
        if merged and start < merged[-1][1]:
            s, e, k, r = merged[-1]
            merged[-1] = (s, max(e, end), k if r < rank else kind, min(r, rank))
        else:
            merged.append((start, end, kind, rank))
    return [(s, e, k) for s, e, k, _ in merged]


def _replaced(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    last = 0
    for start, end, kind in spans:
        parts += (text[last:start], f"{MARKER}{kind}]")
        last = end
    return "".join(parts) + text[last:]


def _as_given(new: list[Span], found: list[Span]) -> list[Span]:
    """Spans of the replaced text, moved to where they stood in the text as given."""
    ends: list[int] = []  # of the markers, in the replaced text
    shifts = [0]
    for start, end, kind in found:
        marker_end = start - shifts[-1] + len(MARKER) + len(kind) + 1
        ends.append(marker_end)
        shifts.append(end - marker_end)
    return [(s + shifts[bisect_right(ends, s)], e + shifts[bisect_right(ends, e)], kind) for s, e, kind in new]


# ---- a shape of its own


def _tokens(text: str, low: str) -> Iterator[Span]:
    """Credentials with a vendor's prefix."""
    from tacit.guard.redact_rules import ALPHABETS, TOKENS

    # Most texts hold no run of characters long enough to be a credential, and those that do hold few.
    runs = " ".join(_compiled(LONG_RUN).findall(text))
    if not runs:
        return
    for kind, prefixes, alphabet, least, most in TOKENS:
        for prefix in prefixes:
            if prefix not in runs:
                continue
            at = text.find(prefix)
            while at >= 0:
                body = _compiled(ALPHABETS[alphabet]).match(text, at + len(prefix))
                end = body.end() if body else at + len(prefix)
                if body and _opens(text, at):
                    run = body[0].rstrip(".")
                    if len(run) >= least and (not most or len(run) <= most) and _made_up(run):
                        yield at, at + len(prefix) + len(run), kind
                at = text.find(prefix, end)


def _made_up(run: str) -> bool:
    """Whether the body of a token is random rather than words: `sk-learn-compatible-estimators` is no key."""
    if _compiled(r"(?:[A-Za-z]?[a-z]+|[0-9]{1,4})(?:[-_.](?:[A-Za-z]?[a-z]*|[0-9]{1,4}))+").fullmatch(run):
        return False
    return _random(run, 2.5)


def _opens(text: str, at: int) -> bool:
    """Whether a token may begin here: not in the middle of a word, though right after an escape such as %3D."""
    return at == 0 or not text[at - 1].isalnum() or (at > 2 and text[at - 3] == "%")


def _shapes(text: str, low: str) -> Iterator[Span]:
    """Credentials recognised by an expression of their own."""
    from tacit.guard.redact_rules import SHAPES

    if not _compiled(LONG_RUN).search(text):
        return
    for kind, hints, expression, entropy in SHAPES:
        if any(hint in low for hint in hints):
            for match in _compiled(expression).finditer(text):
                group = 1 if match.re.groups else 0
                if _random(match[group], entropy):
                    yield match.start(group), match.end(group) - match[group].endswith("."), kind
    if "AKIA" in text or "ASIA" in text or "aws" in low:  # the other half of an AWS pair says nothing by itself
        for match in _compiled(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])").finditer(text):
            if _classes(match[0]) >= 3 and _chop(match[0]) <= 3 and "/home/" not in match[0]:
                yield *match.span(), "aws-secret-key"


def _blocks(text: str, low: str) -> Iterator[Span]:
    """Private keys: PEM and PGP blocks, whole, cut off, or on one line with escaped line ends; also without a head."""
    if "PRIVATE KEY" in text:
        at = 0
        head_of = _compiled(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-{4,5}")
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
        while start := _compiled(heads).search(text, at):
            at = _block_end(text, start.start())
            if at - start.start() >= 40:
                yield start.start(), at, "private-key"
            at = max(at, start.end())


    if len(text) > 120:  # the middle of one: lines of equal length and nothing but base64
        body = r"(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{64}(?:(?:\r?\n|\x1f\x1f|\\n)[ \t>|+]{0,8}[A-Za-z0-9+/]{64}){1,}(?:(?:\r?\n|\x1f\x1f)[ \t>|+]{0,8}[A-Za-z0-9+/]{1,63}={0,2})?(?![A-Za-z0-9+/])"
        for found in _compiled(body).finditer(text):
            if _classes(found[0]) >= 3 and _chop(found[0][:400]) <= 3.2 and "-----BEGIN CERT" not in text[max(0, found.start() - 80) : found.start()]:
                yield *found.span(), "private-key"


def _block_end(text: str, begin: int, closed: int = -2) -> int:
    """Where the key that begins here ends; `begin` itself if there is no key, only talk of one. `closed`: the next end, where it is known."""
    end = text.find("-----END", begin, begin + LONGEST_KEY) if closed == -2 else closed if closed < begin + LONGEST_KEY else -1
    if end >= 0 and text.find("-----BEGIN", begin, end) >= 0:
        end = -1
    if end >= 0 and _compiled(r"[A-Za-z0-9+/=]{16}").search(text, begin, end):
        tail = _compiled(r"-----END [A-Z0-9 ]{0,60}-{0,5}").match(text, end)
        return tail.end() if tail else end + 8
    # Cut off: headers, then lines of base64, whatever stands between them (escapes, quotes, diff and quote marks).
    line = _compiled(r"[\s\"',+>|-]*(?:(?:Proc-Type|DEK-Info|Comment|Version):[^\n\x1f]{0,80}|[A-Za-z0-9+/=]{16,})")
    at = begin
    while at - begin < LONGEST_KEY and (more := line.match(text, at)):
        at = more.end()
    if at > begin:
        last = _compiled(r"\s{1,2}[A-Za-z0-9+/=]{1,15}(?=\s*$|\x1f|[\"'])").match(text, at)
        at = last.end() if last else at
    return at


# ---- a place made for secrets


def _places(text: str, low: str) -> Iterator[Span]:
    """Values of headers, cookies, URLs and the like, where only a credential has business."""
    from tacit.guard.redact_rules import PLACES

    for kind, hints, expression in PLACES:
        if any(hint in low for hint in hints):
            for match in _compiled(expression).finditer(text):
                if not _stand_in(match[1]):
                    yield *match.span(1), kind
    if "authorization" in low or "bearer" in low:
        yield from _authorization(text)
    if "auth" in low and '"' in text:  # docker's config.json
        for entry in _compiled(r'\\?"auth\\?"\s{0,4}:\s{0,4}\\?"([A-Za-z0-9+/]{8,400}={0,2})').finditer(text):
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


def _authorization(text: str) -> Iterator[Span]:
    """`Authorization: Bearer x`, with any scheme or none, as a header, in JSON or in code; and a bare `Bearer x`."""
    header = (
        r"(?i)(?<![A-Za-z])authorization(?:\\?[\"'`]\]?)?\s{0,4}[:=,]\s{0,4}(?:f?\\?[\"'`])?"
        r"(?:([A-Za-z][\w-]{1,30})[ \t]{1,4})?([^\s\"'`\\,;<>(){}]{4,4096})"
    )
    for match in _compiled(header).finditer(text):
        basic = (match[1] or "").lower() == "basic"
        if not _stand_in(match[2]) and (_mixed(match[2]) or _chop(match[2]) <= 2.6 or (basic and _is_login(match[2]))):
            yield *match.span(2), "basic-auth" if basic else "bearer-token"
    for match in _compiled(r"(?i)(?<![A-Za-z])bearer[ \t]{1,4}([\w.~+/=%-]{8,4096})").finditer(text):
        credential = match[1].rstrip(".")
        if not _stand_in(credential) and _mixed(credential) and not _term(credential):
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
    from tacit.guard.redact_rules import HARMLESS_COOKIES

    head = r"(?i)(?:set-)?cookies?(?:\\?[\"'`]\]?)?\s{0,3}[:=, ]\s{0,3}\\?[\"'`]?(?=[\w.-]{1,60}=)"
    pair = r"\s{0,2};?\s{0,3}([\w.-]{1,60})(?:=([^\s;,\"'`\\]{0,4096}))?"
    at = 0
    for start in _compiled(head).finditer(text):
        if start.end() < at:
            continue
        at = start.end()
        while (cookie := _compiled(pair).match(text, at)) and (at == start.end() or ";" in cookie[0][:3]):
            at = cookie.end()
            content = cookie[2] or ""
            telling = _compiled(r"(?i)sess|sid|auth|tok|login|user|remember|jwt").search(cookie[1])
            if cookie[1].lower() in HARMLESS_COOKIES or _stand_in(content or "-"):
                continue
            if _dense(content) or (telling and len(content) >= 6 and _mixed(content)):
                yield *cookie.span(2), "cookie"


def _url_logins(text: str) -> Iterator[Span]:
    """The password of `scheme://user:password@host`, or the token of `scheme://token@host`."""
    harmless: dict[str, bool] = {}
    for match in _compiled(r"://([^\s/:@\"'`<>]{0,256}):([^\s/\"'`<>]{1,512})@([\w.-]{0,100})").finditer(text):
        user, password, host = match[1], match[2], match[3]
        if password not in harmless:
            harmless[password] = _stand_in(password)
        dev_default = host in ("localhost", "127.0.0.1", "db", "postgres", "mysql", "redis") and password == user
        if not (harmless[password] or dev_default):
            yield *match.span(2), "url-password"
    for match in _compiled(r"://([\w-]{16,256})@").finditer(text):
        if _mixed(match[1]) and _chop(match[1]) <= 3.2 and not _stand_in(match[1]):
            yield *match.span(1), "url-token"


def _url_parameters(text: str) -> Iterator[Span]:
    """Signatures and keys in the query of a URL; parameters named like secrets are found by name."""
    from tacit.guard.redact_rules import URL_PARAMETERS

    for match in _compiled(rf"(?i)[?&#;](?:{URL_PARAMETERS})=([^\s&#\"'`<>]{{8,4096}})").finditer(text):
        content = match[1].rstrip(".,;)")
        if (
            len(content) >= 16
            and _mixed(content)
            and _random(content, 2.5)
            and _chop(content) <= 4
            and not _stand_in(content)
        ):
            yield match.start(1), match.start(1) + len(content), "url-signature"


def _elements(text: str) -> Iterator[Span]:
    """`<password>x</password>`."""
    for match in _compiled(r"<([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,200})?>([^<>\s]{3,1000})</").finditer(text):
        strength, kind = _says(match[1].rsplit(":", 1)[-1])
        if strength and _worth(match[2], strength, "quoted"):
            yield *match.span(2), kind


def _manifests(text: str) -> Iterator[Span]:
    """The values of a Kubernetes Secret."""
    begin = 0
    for document in text.split("\n---"):
        end = begin + len(document)
        if _compiled(r"(?m)^[ \t]{0,20}kind:[ \t]{0,4}[\"']?Secret\b").search(document):
            entry = _compiled(r"\r?\n[ \t]{1,40}[\w.-]{1,100}:[ \t]{0,4}(\S{4,4096})[ \t]*(?=\r?\n|$)")
            for data in _compiled(r"(?m)^[ \t]{0,20}(?:data|stringData):[ \t]{0,20}$").finditer(text, begin, end):
                at = data.end()
                while line := entry.match(text, at, end):
                    at = line.end()
                    if not _stand_in(line[1].strip("\"'") or "-"):
                        yield *line.span(1), "kubernetes-secret"
        begin = end + 4


# ---- something says what it is


def _named(text: str, low: str) -> Iterator[Span]:
    """Values introduced by a name or by a sentence."""
    from tacit.guard.redact_rules import NAME_HINTS, NAME_WORDS

    if not any(hint in low for hint in NAME_HINTS):
        return
    at = 0  # up to here the text has been judged
    judged: dict[tuple[str, str, int], tuple[int, int, str]] = {}  # a name with what stands around it -> where its value lies from its start, and what it is
    patience = SENTENCES + len(text) // PER_SENTENCE  # reading sentences is slow, and a text of nothing but "token:" has none
    for word in _compiled(NAME_WORDS).finditer(low):
        if word.start() < at:
            continue
        name = _name_around(text, word.start(), word.end())
        if name is None:
            continue
        start, end = name
        around = text[max(0, start - AROUND) : start], text[start : end + AROUND], end - start  # auth.password is not its auth
        if (known := judged.get(around)) is not None:  # what repeats itself is judged once: a megabyte of "token:" is one question
            begin, stop, kind = start + known[0], start + known[1], known[2]
            if kind:
                yield begin, stop, kind
                at = stop
            continue
        strength, kind = _says(text[start:end], low[max(0, start - 48) : start], _is_a_word(text, start, end))
        if not strength:
            continue
        begin, stop, hide = _assigned(text, start, end, strength)
        if not hide and patience and _is_prose(text, start, end):
            patience -= 1
            begin, stop, hide = _told(text, low, start, end, strength, word[0])
        if hide:
            yield begin, stop, kind
        if len(judged) < MOST_JUDGED and stop - end < AROUND // 2 and (not hide or begin >= end):
            judged[around] = (begin - start, stop - start, kind if hide else "")
        if begin >= end and (hide or stop - begin > LONG):
            at = stop


def _name_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The whole identifier around a word, unless the word is only part of another (monkey, tokenizer, passed)."""
    from tacit.guard.redact_rules import KEY_OF, NO_PASS

    after = text[end : end + 1]
    if after.islower() and not (after == "s" and not text[end + 1 : end + 2].islower()):
        return None
    left, right = start, end
    while left > 0 and start - left < 48 and (text[left - 1].isalnum() or text[left - 1] in "_.-"):
        left -= 1
    while right < len(text) and right - end < 48 and (text[right].isalnum() or text[right] in "_-"):
        right += 1
    before = text[start - 1 : start]
    if before.isalpha() and not (before.islower() and text[start].isupper()):
        word = text[start:end].lower()
        ahead = text[left:start].lower()
        known = word == "key" and any(ahead.endswith(of) for of in KEY_OF if len(of) > 2)
        glued = word in ("pw", "pwd", "pass") and right == end and left >= start - 12 and ahead not in NO_PASS
        if not known and not glued and word not in ("password", "passwd", "passwort", "token", "secret"):
            return None
    return left, right


def _parts(name: str) -> list[str]:
    """The words of an identifier: dbPassword2, DB_PASSWORD, db-password."""
    return [p.lower() for p in _compiled(r"[A-Z]+(?![a-zß-ÿ])|[A-Z]?[a-zß-ÿ]+|[0-9]+").findall(name)]


def _is_a_word(text: str, start: int, end: int) -> bool:
    """Whether a name is one lower-case word of running text, so that the words before it say which key or token it is.

    "the cache key" is no credential, but a NAME=, a key of JSON or a --flag is the same after any word.
    """
    if not text[start:end].islower() or not text[start:end].isalpha():
        return False
    return text[start - 1 : start] not in tuple("\"'`-_.$") and text[end : end + 1] not in tuple("=\"'`%")


def _says(name: str, before: str = "", softened: bool = True) -> tuple[int, str]:
    """How much a name says about what it names (0: nothing), and what to call it.

    `before` is the text ahead of it; only where the name is `softened` may that take something away.
    """
    from tacit.guard.redact_rules import KEY_NOT, KEY_OF, NAME_NOT, NAME_WORDS, STRENGTH, TOKEN_NOT, TOKEN_OF, VENDORS

    lowered = name.lower()
    words = _compiled(NAME_WORDS).findall(lowered)
    if not words:
        return 0, ""
    word = words[-1]
    parts = _parts(name)
    after = _parts(name[lowered.rfind(word) + len(word) :])
    if any(part in NAME_NOT for part in after):
        return 0, ""
    if word.startswith(("pass", "mot", "contrase")) or word in ("pw", "pwd", "mdp", "kennwort"):
        return (0, "") if parts[:1] in (["max"], ["min"], ["no"], ["has"], ["is"]) else (3, "password")
    # The sentence so far: "the primary key", "for datadog use the key".
    ahead = _compiled(r"\w+").findall(before.rpartition(". ")[2])
    last = parts[-2] if len(parts) > 1 and parts[-1].startswith(word) else ""
    if word in ("key", "schlüssel", "clé"):
        if last not in KEY_OF and any(part in KEY_NOT for part in (*(ahead[-2:] if softened else ()), *parts)):
            return 0, ""
        glued = any(of + "key" in lowered for of in KEY_OF if len(of) > 2)
        if glued or any(part in KEY_OF or part in VENDORS for part in (*ahead[-1:], *parts)) or VENDORS & set(ahead):
            return 2, "api-key"
        return 1, "key"
    if word in ("token", "jeton"):
        if last not in TOKEN_OF and any(part in TOKEN_NOT for part in (*(ahead[-1:] if softened else ()), *parts)):
            return 0, ""
        return 2, "token"
    if word == "auth":
        return (1, "token") if parts[-1:] == ["auth"] else (0, "")
    return STRENGTH.get(word, 2), "secret" if word in ("secret", "geheimnis") else "credential"


def _is_prose(text: str, start: int, end: int) -> bool:
    """Whether a name is a word of a sentence, not an identifier and not part of a path."""
    from tacit.guard.redact_rules import ONLY_ASSIGNED

    name = text[start:end].rstrip(".").replace("\\u00f1", "ñ")  # as JSON may spell it
    if name.lower() in ONLY_ASSIGNED or _compiled(r"[._]|--|[a-z][A-Z]|[0-9]").search(name):
        return False
    ends = _compiled(r"(?:['’]s)?[^\w\s]{0,3}(?:\s|$)").match(text, end) is not None
    return ends and text[start - 1 : start] not in ("/", "\\", "@")


def _assigned(text: str, start: int, end: int, strength: int) -> tuple[int, int, bool]:
    """The value of `name = value`, `"name": "value"`, `--name value`, `name", value="…"`, and whether to hide it."""
    typed = _compiled(r"\??[ \t]{0,3}:[ \t]{0,3}[A-Za-z_][\w.\[\]|, ]{0,40}=[ \t]{0,3}(?=[\"'`])").match(text, end)
    spelled = _compiled(
        r"\\{0,3}[\"'`\])]{0,3}[ \t]{0,8}(?:(:=|=>|={1,3}|->|::?|%3[Dd])[ \t]{0,8}(?:\\\r?\n[ \t]{0,40})?|(,)[ \t]{0,4}(?=\\?[\"'`])|"
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
    if sign == ":" and text[at : at + 1] in ("\n", "\r"):  # YAML: the value on a line of its own
        wrapped = _compiled(r"[|>]?[+-]?\s{1,40}(?![\w.\"'-]{1,60}:(?:\s|$)|- )").match(text, at)
        at = wrapped.end() if wrapped else at
    begin, stop, quoted = _value_at(text, at)
    alone = _opens_line(text, start)
    tight = sign.startswith("=") and text[at - 1 : at] == "="
    if quoted:
        form = "listed" if sign == "," else "quoted"
    elif alone and tight:  # a line of a shell or .env file; quotes and brackets inside are part of the value
        if text[stop : stop + 1] in tuple("<>`\"'”»"):
            run = _compiled(r"(?:(?!\\[\"'])\S)*").match(text, stop, stop + LONGEST_VALUE)
            stop = run.end() if run else stop
        form = "literal"
    elif sign == "--" or (tight and not _compiled(r"[(,]\s?$").search(text, max(0, start - 2), start)):
        form = "literal"  # ?token=x, --password x, but not f(password=x)
    elif alone and _compiled(r"[ \t]{0,20}(?:#.*)?$", re.M).match(text, stop):
        form = "literal"  # a line of a configuration file
    else:
        form = "loose"
    if text[start:end].lower() == "pass" and ((sign == ":" and text[at - 1 : at] == " ") or text[begin:stop].isdigit()):
        return begin, stop, False  # a test's result: "PASS: test_2", "pass=120"
    return begin, stop, _worth(text[begin:stop], strength, form)


def _beside(text: str, start: int, end: int, strength: int) -> tuple[int, int, bool]:
    """The value of a command's `NAME value`, `NAME --flag value`, `NAME user value`, where the name is an identifier and the value plainly random."""
    name = text[start:end]
    if strength < 2 or not (_compiled(r"_|[a-z][A-Z]").search(name) or name.isupper() or _is_glued(text, start, end)):
        return end, end, False
    gap = _compiled(r"(?:\\{0,3}[\"'])?[ \t]{1,3}(?:--?[a-z][\w-]{0,30}[ =]|[a-z][a-z.-]{0,20}[ \t])?(?=\\{0,3}[\"']?[^\s\"'`<>|;&\\-])").match(text, end)
    if gap is None:
        return end, end, False
    begin, stop, _ = _value_at(text, gap.end())
    content = text[begin:stop]
    if _stand_in(content or "-") or _is_code(content, "loose") or _is_digest(content) or _term(content) or "_" in content:
        return begin, stop, False
    least = 8 if strength == 3 else 16
    signs = strength == 3 and _mixed(content) and any(c.isdigit() for c in content) and not content.isalnum()
    return begin, stop, len(content) >= least and (signs or (_dense(content) and _classes(content) >= 2 and _random(content, 3.0)))


def _is_glued(text: str, start: int, end: int) -> bool:
    """bindpw, rootpw: an old abbreviation at the end of one word."""
    return text[start:end].lower().endswith(("pw", "pwd", "pass")) and text[start:end].isalpha()


def _opens_line(text: str, start: int) -> bool:
    """Whether a name opens its line, save for indentation, a diff mark or `export`."""
    line = text[max(text.rfind("\n", max(0, start - 40), start) + 1, start - 40, 0) : start]
    return _compiled(r"[ \t+>\"'-]*(?:export |set |ENV |- )?[\"']?").fullmatch(line) is not None


def _value_at(text: str, at: int) -> tuple[int, int, bool]:
    """Start and end of the value that begins here, without its quotes, and whether it had any."""
    opened = _compiled(r"(?:[rbfuRBFU]{1,2}(?=[\"']))?(\\{0,3})(\"{3}|'{3}|[\"'`“«])").match(text, at)
    if opened:
        begin = opened.end()
        close = {"“": "”", "«": "»"}.get(opened[2], opened[2])
        if opened[1]:
            stop = text.find(opened[1] + close, begin, begin + LONGEST_VALUE)
        elif len(close) == 3 or close in "”»`":
            stop = text.find(close, begin, begin + LONGEST_VALUE)
        else:
            inside = _compiled(rf"(?:[^{close}\\\n]|\\.)*").match(text, begin, begin + LONGEST_VALUE)
            stop = inside.end() if inside else begin
            stop = stop if text[stop : stop + 1] == close else -1
        if stop >= 0:
            return begin, stop, True
        at = begin
    # To the next space, quote or escaped line end, or to where another `name=` begins.
    run = r"(?:(?![,;&]\s{0,4}[\w.-]{1,40}\s?[=:])(?!\\[\"'])[^\s\"'`<>”»])+"
    plain = _compiled(run).match(text, at, at + LONGEST_VALUE)
    content = plain[0].rstrip(".,;:") if plain else ""
    opening = {")": "(", "]": "[", "}": "{"}
    while (last := content[-1:]) in opening and content.count(last) > content.count(opening[last]):
        content = content[:-1].rstrip(".,;:")
    return at, at + len(content), False


def _told(text: str, low: str, start: int, end: int, strength: int, word: str) -> tuple[int, int, bool]:
    """The value a sentence gives for a word: "the password … is x", "use token x", "x is the password"."""
    from tacit.guard.redact_rules import FILLERS, LINKS, SIGNS, USING

    linked = False
    tried = 0  # candidates since the link; "the credentials are ci / x" needs more than one
    patience = 3 if word.startswith("cred") else 0
    position = end
    for count, match in enumerate(_compiled(r"\S+").finditer(text, end, end + NEAR)):
        gap = text[position : match.start()]
        if count >= WORDS_BETWEEN or gap.count("\n") > 1 or ("\n" in gap and not (linked and tried == 0)):
            break
        raw, position = match[0], match.end()
        plain = raw.lower().strip("\"'`“”«»(),")
        if raw in SIGNS and count > 2:
            break
        if plain in LINKS or raw in (":", "'s", "’s"):
            linked, tried = True, 0
            continue
        if linked and tried < 3 and plain in FILLERS:
            continue
        if linked or count == 0:
            bare = raw.strip(".,:;!?")
            if not (bare.isalpha() and (bare.islower() or bare.istitle() or bare.isupper())):
                before = low[max(0, start - 30) : start].split()[-3:]
                form = "linked" if linked else "using" if not USING.isdisjoint(before) else "next"
                begin, stop, hide = _candidate(text, match.start(), strength, form)
                if hide:
                    return begin, stop, True
            tried += 1
            if tried > patience:
                linked, tried = False, 0
        if raw.endswith(":"):
            linked, tried = True, 0
        elif raw.endswith((".", "!", "?", ";")) or _compiled(r"[\\={}<>|\[\]]").search(raw):
            break
    return _told_before(text, start, strength)


def _told_before(text: str, start: int, strength: int) -> tuple[int, int, bool]:
    """The value of "x is the password", "use x as the token"."""
    turned = _compiled(
        r"\\?[\"'`(\[]{0,2}(\S{4,200})\s(?:is|was|as|for|ist|war|als|für|es|era|como|para|est|était|comme|pour)\s"
        r"(?:(?:the|my|our|your|its|their|a|das|der|die|den|dem|mein|meine|unser|la|el|le|mi|mon|ma|notre|nuestra)\s)?"
        r"(?:[\w-]{1,20}\s){0,2}$"
    ).search(text, max(0, start - NEAR), start)
    if turned is None or _is_digest(turned[1].strip("`'\"")):
        return start, start, False
    begin = turned.start(1)
    opened = text[begin - 1 : begin] if begin else ""
    return _candidate(text, begin - (opened in ("'", '"', "`") and turned[1].endswith(opened)), strength, "next")


def _candidate(text: str, start: int, strength: int, form: str) -> tuple[int, int, bool]:
    """One word of a sentence as a secret: freed of quotes and punctuation, and judged."""
    from tacit.guard.redact_rules import UNITS

    begin, stop, quoted = _value_at(text, start)
    if not quoted:
        opened = _compiled(r"[(\[{*“«\"'`]{0,3}").match(text, start)
        begin, stop, quoted = _value_at(text, opened.end() if opened else start)
    content = text[begin:stop] if quoted else text[begin:stop].partition(",")[0]
    if not content or "\n" in content or "://" in content or _compiled(r"[A-Za-z_]+=").match(content):
        return begin, stop, False
    if text[stop : stop + 1] in ("!", "?"):  # as likely part of the password as of the sentence
        stop += 1
    if not quoted and strength == 2 and ("/" in content or ":" in content):
        pair = _compiled(r"[a-z][a-z.@_-]{1,30}\d{0,3}[:/]([^\s/:]{6,24})").fullmatch(content)  # admin:hunter2
        if pair and _mixed(pair[1]) and not _term(pair[1]) and not _stand_in(pair[1]):
            return begin + pair.start(1), stop, True
    if not quoted and content.isdigit():
        unit = _compiled(r"\W{1,3}(\w+)").match(text, stop)
        if unit and unit[1].lower() in UNITS:
            return begin, stop, False
    if quoted:  # quotes say: this is the value itself
        form = "ticked" if form != "linked" else "quoted" if strength == 3 else form
    return begin, stop, _worth(content, strength, form)


def _prefixed(text: str, low: str) -> Iterator[Span]:
    """Tokens of vendors nobody told us about: a short prefix, a long random body. Known kinds of ids stay."""
    if not _compiled(r"[A-Za-z0-9_-]{24}").search(text):
        return
    shape = r"(?<![A-Za-z0-9_-])[A-Za-z][A-Za-z0-9]{1,11}[_-][A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{16,})?"
    judged: dict[tuple[str, bool], bool] = {}  # what repeats itself is judged once
    for match in _compiled(shape).finditer(text):
        inside = text[match.start() - 1 : match.start()] in ("/", "\\", ".", "#", "@")  # a path, a member, an anchor
        hide = judged.get((match[0], inside))
        if hide is None:
            hide = _is_prefixed(match[0], inside)
            if len(judged) < MOST_JUDGED:
                judged[match[0], inside] = hide
        if hide:
            yield *match.span(), "token"


def _is_prefixed(run: str, inside: bool) -> bool:
    from tacit.guard.redact_rules import ID_PREFIXES, SECRET_PARTS

    parts = _compiled(r"[A-Za-z0-9]+").findall(run)
    if parts[0].lower() in ID_PREFIXES or not _compiled(r"(?:[a-z]+|[A-Z]+)[0-9]{0,2}").fullmatch(parts[0]):
        return False
    telling = not SECRET_PARTS.isdisjoint(map(str.lower, parts[:3]))
    if (inside or parts[1].lower() in ID_PREFIXES) and not telling:
        return False
    rest, body = run[len(parts[0]) + 1 :], max(parts[1:], key=len)
    if len(body) < 8 or not _random(rest, 3.0) or _stand_in(rest):
        return False
    mixed = _classes(rest) >= 3 and _chop(rest) <= 2.6 and not _compiled(r"[0-9a-fA-F_-]+").fullmatch(rest)
    return mixed or (telling and len(body) >= 20 and _chop(body) <= 3.6 and _classes(body) >= 2)


def _nearby(text: str, low: str) -> Iterator[Span]:
    """A word that nobody would write, in or below a line about logging in: `-u app,x`, `app/x@host`, a row under `name,api_key`."""
    from tacit.guard.redact_rules import LOGIN_HINTS

    hinted = any(hint in low for hint in ("key", "secret", "pass", "cred", "log", "sign", "auth", "ftp", "user", "-u "))
    if "@" not in text and not (hinted and _compiled(LOGIN_HINTS).search(low)):
        return
    for match in _compiled(r"(?<![\w+.%#-])[A-Za-z0-9!#%+]{12,64}(?![\w+/=%.-])").finditer(text):
        word, start = match[0], match.start()
        few = sum(c.isdigit() for c in word) < (1 if len(word) > 15 else 2)
        if few or _classes(word) < 3 or _chop(word) > 2.6 or not _random(word, 3.0) or _stand_in(word):
            continue
        before = text[start - 1 : start]
        above = text.rfind("\n", max(0, start - AROUND), start)
        above = text.rfind("\n", max(0, start - AROUND), above) if above > 0 else -1
        begin = max(above + 1, start - AROUND)
        at_host = before in ("/", ":", ",") and _compiled(r"@[\w-]+\.?[\w.-]*").match(text, match.end()) is not None
        if at_host or (before != "/" and _compiled(LOGIN_HINTS).search(low, begin, min(len(low), match.end() + 80))):
            yield *match.span(), "credential"


def _encoded(text: str, low: str) -> Iterator[Span]:
    """Settings in base64 or hexadecimal digits (`base64 .env`, a Kubernetes value): what they hold decides."""
    longest = max(map(len, _compiled(LONG_RUN).findall(text)), default=0)
    if longest < ENCODED:
        return
    # Lines of 60 to 80 characters below each other are one run that was wrapped.
    shape = rf"(?<![\w+/=-])[A-Za-z0-9+/_-]{{{ENCODED},}}(?:\r?\n[A-Za-z0-9+/_-]{{4,80}})*={{0,2}}(?![\w+/=-])"
    for tried, run in enumerate(_compiled(shape).finditer(text)):
        if tried >= MOST_ENCODED:
            return
        inside = _decoded(run[0][:LONGEST_KEY])
        if inside and _scan_once(inside):
            yield *run.span(), "encoded-secret"


def _scan_once(text: str) -> bool:
    low = _lower(text)
    return any(next(way(text, low), None) is not None for way in (_blocks, _tokens, _places, _named))


def _decoded(run: str) -> str:
    """What a run of base64 or hexadecimal digits says, where that is text; empty otherwise."""
    from binascii import Error, a2b_base64, unhexlify

    plain = run.replace("\n", "").replace("\r", "")
    try:
        if _compiled(r"[0-9A-Fa-f]+").fullmatch(plain):
            raw = unhexlify(plain[: len(plain) // 2 * 2])
        else:
            plain = plain.rstrip("=").replace("-", "+").replace("_", "/")
            raw = a2b_base64(plain[: len(plain) // 4 * 4])
        said = raw.decode("ascii")
    except (Error, ValueError):
        return ""
    return said if all(c.isprintable() or c in "\n\r\t" for c in said) else ""


# ---- judging a value


def _worth(content: str, strength: int, form: str) -> bool:
    """Whether a value is one to hide, given how much its name says (1 to 3) and how it is tied to it.

    Forms, from the closest tie: quoted (`name = "x"`), literal (`NAME=x`, a line of a configuration file), linked ("the
    name is x"), listed (`("name", "x")`), loose (`name: x` in running text), ticked (name `x`), using ("use name x"),
    next ("name x").
    """
    if len(content) < (3 if strength == 3 else 6) or _stand_in(content):
        return False
    if content.startswith("AAAA") and "NzaC1" in content[:24]:  # an SSH public key
        return False
    if " " in content:
        return form == "quoted" and strength == 3 and _phrase(content)
    if _is_code(content, form):
        return False
    given = form in ("quoted", "literal")
    digits = sum(c.isdigit() for c in content)
    if strength == 3:
        if given:
            return not _names_itself(content)
        if content.isdigit():
            return len(content) >= 4 and form in ("linked", "loose")
        if form == "listed" and digits < 2 and not _compiled(r"[^\w.-]").search(content):
            return False  # ("HTTPPasswordMgr", "urllib2")
        if form in ("using", "next"):
            return (
                _mixed(content) and len(content) >= 5 and (digits > 0 or _chop(content) <= 3.5) and not _term(content)
            )
        return (_mixed(content) or (form in ("linked", "ticked") and _odd(content))) and not _term(content)
    if _term(content) or _compiled(r"[\d.,_:/%+-]+").fullmatch(content):
        return False
    if strength == 1:
        plain = _compiled(r"[\w+/=.~-]{16,}").fullmatch(content) is not None
        return plain and _dense(content) and form != "loose" and not _is_digest(content)
    if given:
        words = digits == 0 and _chop(content) > 3
        return not _names_itself(content) and (
            not words or (form == "literal" and len(content) >= 8 and "-" not in content)
        )
    if form == "next":
        return len(content) >= (10 if digits > 1 else 14) and digits > 0 and _dense(content)
    if form in ("using", "ticked"):
        return (
            _mixed(content) and (digits > 1 or _dense(content) or _chop(content) <= 2.6) and not _names_itself(content)
        )
    return _mixed(content) and digits > 0 and (_dense(content) or digits > {"linked": 1, "listed": 3}.get(form, digits))


def _stand_in(content: str) -> bool:
    """Whether a value only stands for one: `<token>`, `${TOKEN}`, `xxxx`, `your-api-key`, `changeme`, `DB_PASSWORD`."""
    from tacit.guard.redact_rules import STAND_IN_PARTS, STAND_INS

    lowered = content.lower()
    if lowered.strip(".,;:!?") in STAND_INS or _holds(content, STAND_IN_PARTS):
        return True
    if "\0" in content or len(set(lowered)) <= 2:
        return True
    if content[0] in "<{[" or _compiled(r"\$[{(]|\{\{|<%|#\{").search(content):
        return True
    if content[0] in "$&*%@" and _compiled(r"[$&*]\w+|%\w+%|@\w+@|%\(\w+\)[sd]|%[sdr]").fullmatch(content):
        return content[0] in "%@" or not _mixed(content[1:]) or (content[0] == "$" and _chop(content) > 2.5)
    if ("{" in content or ":" in content) and _compiled(r"\{[\w.]*\}|:[a-z_]+$").search(content) and not _mixed(content.strip("{}")):
        return True
    constant = "_" in content and content.isupper() and _compiled(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+").fullmatch(content)
    return bool(constant) and _chop(content) > 2.8


def _holds(content: str, words: tuple[str, ...]) -> bool:
    """Whether one of the words is in it, in one case throughout: random letters rarely spell `your` that way."""
    lowered = content.lower()
    found = [word for word in words if word in lowered]  # asked of every value, and nearly always none
    return any(word in content or word.upper() in content or word.title() in content for word in found)


def _is_code(content: str, form: str) -> bool:
    """Whether a value is an expression, a path, a URL or a version rather than a literal."""
    if len(content) > LONG:
        return False
    if _compiled(r"(?:https?|file|ssh|git|s3|gs)://").match(content):
        return True
    if _compiled(r"v?\d+(?:\.\d+){1,4}(?:[-+.]\w+)*|\d{4}-\d\d-\d\d.*|\d\d?:\d\d.*").fullmatch(content):
        return form != "quoted"
    wordy = _chop(content) > (2.8 if len(content) < 24 or _classes(content) < 3 else 3.6)
    if _compiled(r"(?:\.{0,2}|~)/[\w@.+-]+(?:/[\w@.+*-]*)*|[A-Za-z]:\\.*|[\w.-]+(?:/[\w.-]+)+").fullmatch(content):
        return wordy  # a path
    if form not in ("quoted", "literal") and _compiled(r"[\w.+-]+@[\w-]+\.[\w.]+").fullmatch(content):
        return True
    if form == "quoted":
        return wordy and _compiled(r"[\w-]+(?:\.[\w-]+)+").fullmatch(content) is not None
    if _compiled(r"[A-Za-z_]\w+(?:\.\w+|::\w+|->\w+)*[(\[].*|[A-Za-z_]\w*(?:(?:\.|::|->)\w+)+").fullmatch(content):
        return wordy  # f(x), a[0], a.b
    if form == "loose":
        return _compiled(r"[A-Za-z_]+(?:=.*)?").fullmatch(content) is not None
    return False


def _phrase(content: str) -> bool:
    """Whether a quoted value of several words is a passphrase and not a label or a message."""
    from tacit.guard.redact_rules import TALK

    words = content.split()
    if len(content) > LONG or len(words) > 12 or any(w.lower().strip(".,:!?") in TALK for w in words):
        return False
    return len(words) >= 4 or any(c.isdigit() for c in content)


def _names_itself(content: str) -> bool:
    """Whether a value is a name for a secret (`db-password`, `auth_token`): words, one of them a word for secrets."""
    from tacit.guard.redact_rules import SELF_NAMES

    if len(content) > LONG or _chop(content) <= 3 or sum(c.isdigit() for c in content) > 1:
        return False
    return not SELF_NAMES.isdisjoint(_parts(content))


def _term(content: str) -> bool:
    """Whether a word with digits is a technical term: sha256, utf-8, argon2id, PROJ-123."""
    from tacit.guard.redact_rules import TERMS

    if _compiled(r"[A-Z]{2,10}-\d{1,6}").fullmatch(content):
        return True
    return len(content) <= 24 and _compiled(TERMS).fullmatch(content.lower().strip(".,;:!?()")) is not None


def _is_digest(content: str) -> bool:
    """A hash of 32, 40, 64 … hexadecimal digits, or a UUID."""
    digits = content.lower().removeprefix("0x").replace("-", "")
    return len(digits) in (32, 40, 56, 64, 96, 128) and _compiled(r"[0-9a-f]+").fullmatch(digits) is not None


def _mixed(content: str) -> bool:
    """Letters together with digits or with signs that words do not have."""
    letters = any(c.isalpha() for c in content)
    return letters and (any(c.isdigit() for c in content) or any(c in "!#$%^&*+=?~@|" for c in content[1:]))


def _odd(content: str) -> bool:
    """Capitals inside a word that is no identifier of several words."""
    return len(content) >= 8 and _compiled(r"[a-z][A-Z]").search(content) is not None and _chop(content) <= 3


def _dense(content: str) -> bool:
    """Some stretch of it is long enough and changes so often between letters and digits that no one would write it."""
    longest = max(_compiled(r"[A-Za-z0-9+/]+").findall(content), key=len, default="")
    return (
        len(longest) >= 8 and _chop(longest) <= (4 if len(longest) > 12 else 3.6) and any(c.isdigit() for c in longest)
    )


def _chop(content: str) -> float:
    """Mean length of the pieces a value falls into, split where the kind of character changes: words 5, random 2."""
    pieces = _compiled(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+").findall(content)
    return len("".join(pieces)) / len(pieces) if pieces else 0.0


def _classes(content: str) -> int:
    digit = _compiled(r"\d").search(content) is not None
    return (content != content.upper()) + (content != content.lower()) + digit


def _random(content: str, least: float) -> bool:
    """Whether a token's body varies as much as a credential does, and is no stand-in such as `xxxx` or `EXAMPLE`."""
    from math import log2

    if _holds(content, NOT_RANDOM):
        return False
    if not content:
        return False
    size, alphabet = len(content), set(content)
    # A short text cannot reach the entropy of a long one, so it has to reach a share of what its length allows.
    least = min(least, 0.62 * log2(max(size, 2)))
    rest = size - len(alphabet) + 1  # the least entropy of so many different characters: all but one of them stand once
    if (rest * log2(size / rest) + (size - rest) * log2(size)) / size >= least:
        return True
    return -sum(share * log2(share) for share in (content.count(char) / size for char in alphabet)) >= least


_cache: dict[tuple[str, int], re.Pattern[str]] = {}


def _compiled(expression: str, flags: int = 0) -> re.Pattern[str]:
    """An expression, compiled when it is first needed."""
    found = _cache.get((expression, flags))
    if found is None:
        found = _cache[expression, flags] = re.compile(expression, flags)
    return found
