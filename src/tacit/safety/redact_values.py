"""Whether a value is one to hide: how random it is, what it stands for, and how much its name says about it."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from tacit.core.tables import Tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Span = tuple[int, int, str]  # start, end, kind

_tables = Tables(f"{__file__.rpartition('/')[0]}/redact_rules.py")
_HINTED = frozenset(("VENDOR_TOKENS", "SHAPES", "SECRET_PLACES", "LIKELY_PLACES"))
_TEXTS = frozenset(
    "NAME_WORDS FOREIGN_NAME_WORDS LOGIN_HINTS TERMS URL_PARAMETERS PUBLIC_NAMES CHAIN_KEY"
    " CHAIN_HASH".split()
)


@cache
def rules(name: str) -> Any:
    """A table of `redact_rules.txt`: what secrets look like, as data."""
    if name in _HINTED:
        return tuple(
            (kind, (*hints.split(","),), *map(_number, others))
            for kind, hints, *others in _tables.rows(name)
        )
    if name == "OPAQUE":
        return tuple(
            (int(least), signs, expression, three == "1")
            for least, signs, three, expression in _tables.rows(name)
        )
    if name == "STRENGTH":
        rows = _tables.rows(name)
        return {word: int(strength) for strength, words in rows for word in words.split()}
    if name == "ALPHABETS":
        return _tables.named(name)
    if name in ("NAME_HINTS", "FOREIGN_HINTS", "STAND_IN_PARTS"):
        return _tables.listed(name)
    return _tables.text(name) if name in _TEXTS else _tables.words(name)


def _number(field: str) -> str | float:
    if field.isdigit():
        return int(field)
    return float(field) if field.replace(".", "").isdigit() else field


LONG_RUN = r"[\w.+/=%~:|@$-]{16,}"  # the least a credential that is known by its shape has

_cache: dict[tuple[str, int], re.Pattern[str]] = {}


def compiled(expression: str, flags: int = 0) -> re.Pattern[str]:
    """An expression, compiled when it is first needed."""
    found = _cache.get((expression, flags))
    if found is None:
        found = _cache[expression, flags] = re.compile(expression, flags)
    return found


def lower(text: str) -> str:
    """Lower case with every character in its old place (a few, such as İ, would become two)."""
    low = text.lower()
    return (
        low
        if len(low) == len(text)
        else "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    )


# Where a value begins and ends: in quotes of any kind, or up to the next space, quote or name.

LONGEST_VALUE = 4_096  # characters of one value


def value_at(text: str, at: int) -> tuple[int, int, bool]:
    """Start and end of the value that begins here, without its quotes, and whether it had any."""
    opened = compiled(r"(?:[rbfuRBFU]{1,2}(?=[\"']))?(\\{0,3})(\"{3}|'{3}|[\"'`“«])").match(
        text, at
    )
    if opened:
        begin = opened.end()
        close = {"“": "”", "«": "»"}.get(opened[2], opened[2])
        if opened[1]:
            stop = text.find(opened[1] + close, begin, begin + LONGEST_VALUE)
        elif len(close) == 3 or close in "”»`":
            stop = text.find(close, begin, begin + LONGEST_VALUE)
        else:
            inside = compiled(rf"(?:[^{close}\\\n]|\\.)*").match(text, begin, begin + LONGEST_VALUE)
            stop = inside.end() if inside else begin
            stop = stop if text[stop : stop + 1] == close else -1
        if stop >= 0:
            return begin, stop, True
        at = begin
    # To the next space, quote or escaped line end, or to where another `name=` begins.
    run = r"(?:(?![,;&]\s{0,4}[\w.-]{1,40}\s?[=:])(?!\\[\"'])[^\s\"'`<>”»])+"
    plain = compiled(run).match(text, at, at + LONGEST_VALUE)
    content = plain[0].rstrip(".,;:") if plain else ""
    opening = {")": "(", "]": "[", "}": "{"}
    while (last := content[-1:]) in opening and content.count(last) > content.count(opening[last]):
        content = content[:-1].rstrip(".,;:")
    return at, at + len(content), False


LONG = 256  # a value longer than this is judged as a whole, and no words are looked for in it
NOT_RANDOM = tuple(
    "xxxxx example your_ your- yourtoken yourkey placeholder redacted .... ____".split()
)


def worth_hiding(content: str, strength: int, form: str) -> bool:
    """Whether a value is one to hide, given how much its name says (1 to 3) and how it is tied to
    it."""
    if len(content) < (3 if strength == 3 else 6) or stand_in(content):
        return False
    if content.startswith("AAAA") and "NzaC1" in content[:24]:  # an SSH public key
        return False
    if " " in content:
        return form == "quoted" and strength == 3 and _phrase(content)
    if is_code(content, form):
        return False
    given = form in ("quoted", "literal")
    digits = sum(c.isdigit() for c in content)
    if strength == 3:
        if given:
            return not _names_itself(content)
        if content.isdigit():
            return len(content) >= 4 and form in ("linked", "loose")
        if form == "listed" and digits < 2 and not compiled(r"[^\w.-]").search(content):
            return False  # ("HTTPPasswordMgr", "urllib2")
        if form in ("using", "next"):
            return (
                mixed(content)
                and len(content) >= 5
                and (digits > 0 or chop(content) <= 3.5)
                and not is_term(content)
            )
        return (mixed(content) or (form in ("linked", "ticked") and _odd(content))) and not is_term(
            content
        )
    if is_term(content) or compiled(r"[\d.,_:/%+-]+").fullmatch(content):
        return False
    if strength == 1:
        plain = compiled(r"[\w+/=.~-]{16,}").fullmatch(content) is not None
        # random letters without a digit
        odd = form in ("quoted", "literal") and chop(content) <= 2.8 and is_random(content, 3.0)
        return plain and (dense(content) or odd) and form != "loose" and not is_digest(content)
    if given:
        words = digits == 0 and chop(content) > 3
        return not _names_itself(content) and (
            not words or (form == "literal" and len(content) >= 8 and "-" not in content)
        )
    if form == "next":
        return len(content) >= (10 if digits > 1 else 14) and digits > 0 and dense(content)
    if form in ("using", "ticked"):
        return (
            mixed(content)
            and (digits > 1 or dense(content) or chop(content) <= 2.6)
            and not _names_itself(content)
        )
    return (
        mixed(content)
        and digits > 0
        and (dense(content) or digits > {"linked": 1, "listed": 3}.get(form, digits))
    )


def stand_in(content: str) -> bool:
    """Whether a value only stands for one: `<token>`, `${TOKEN}`, `xxxx`, `your-api-key`, `changeme`, `DB_PASSWORD`."""

    lowered = content.lower()
    if lowered.strip(".,;:!?") in rules("STAND_INS") or _holds(content, rules("STAND_IN_PARTS")):
        return True
    if "\0" in content or len(set(lowered)) <= (
        1 if content.isdigit() and len(content) <= 8 else 2
    ):
        return True
    if content[0] in "<{[" or compiled(r"\$[{(]|\{\{|<%|#\{").search(content):
        return True
    if content[0] in "$&*%@" and compiled(r"[$&*]\w+|%\w+%|@\w+@|%\(\w+\)[sd]|%[sdr]").fullmatch(
        content
    ):
        return (
            content[0] in "%@"
            or not mixed(content[1:])
            or (content[0] == "$" and chop(content) > 2.5)
        )
    if (
        ("{" in content or ":" in content)
        and compiled(r"\{[\w.]*\}|:[a-z_]+$").search(content)
        and not mixed(content.strip("{}"))
    ):
        return True
    constant = (
        "_" in content
        and content.isupper()
        and compiled(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+").fullmatch(content)
    )
    return bool(constant) and chop(content) > 2.8


def _holds(content: str, words: tuple[str, ...]) -> bool:
    """Whether one of the words is in it, in one case throughout: random letters rarely spell `your` that way."""
    lowered = content.lower()
    # asked of every value, and nearly always none
    found = [word for word in words if word in lowered]
    return any(
        word in content or word.upper() in content or word.title() in content for word in found
    )


def is_code(content: str, form: str) -> bool:
    """Whether a value is an expression, a path, a URL or a version rather than a literal."""
    if len(content) > LONG:
        return False
    if compiled(r"(?:https?|file|ssh|git|s3|gs)://").match(content):
        return True
    if compiled(
        r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+)+|\[[0-9a-f:]+\]):\d{2,5}"
    ).fullmatch(content):
        return True  # where something listens
    if compiled(r"v?\d+(?:\.\d+){1,4}(?:[-+.]\w+)*|\d{4}-\d\d-\d\d.*|\d\d?:\d\d.*").fullmatch(
        content
    ):
        return form != "quoted"
    wordy = chop(content) > (2.8 if len(content) < 24 or classes(content) < 3 else 3.6)
    if compiled(
        r"(?:\.{0,2}|~)/[\w@.+-]+(?:/[\w@.+*-]*)*|[A-Za-z]:\\.*|[\w.-]+(?:/[\w.-]+)+"
    ).fullmatch(content):
        return wordy  # a path
    if form not in ("quoted", "literal") and compiled(r"[\w.+-]+@[\w-]+\.[\w.]+").fullmatch(
        content
    ):
        return True
    if form == "quoted":
        return wordy and compiled(r"[\w-]+(?:\.[\w-]+)+").fullmatch(content) is not None
    if compiled(
        r"[A-Za-z_]\w+(?:\.\w+|::\w+|->\w+)*[(\[].*|[A-Za-z_]\w*(?:(?:\.|::|->)\w+)+"
    ).fullmatch(content):
        return wordy  # f(x), a[0], a.b
    if form == "loose":
        return compiled(r"[A-Za-z_]+(?:=.*)?").fullmatch(content) is not None
    return False


def _phrase(content: str) -> bool:
    """Whether a quoted value of several words is a passphrase and not a label or a message."""

    words = content.split()
    if (
        len(content) > LONG
        or len(words) > 12
        or any(w.lower().strip(".,:!?") in rules("TALK") for w in words)
    ):
        return False
    return len(words) >= 4 or any(c.isdigit() for c in content)


def _names_itself(content: str) -> bool:
    """Whether a value is a name for a secret (`db-password`, `auth_token`): words, one of them a word for secrets."""

    if len(content) > LONG or chop(content) <= 3 or sum(c.isdigit() for c in content) > 1:
        return False
    return not rules("SELF_NAMES").isdisjoint(parts_of(content))


def is_term(content: str) -> bool:
    """Whether a word with digits is a technical term: sha256, utf-8, argon2id, PROJ-123."""

    if compiled(r"[A-Z]{2,10}-\d{1,6}").fullmatch(content):
        return True
    return (
        len(content) <= 24
        and compiled(rules("TERMS")).fullmatch(content.lower().strip(".,;:!?()")) is not None
    )


def is_digest(content: str) -> bool:
    """A hash of 32, 40, 64 … hexadecimal digits, or a UUID."""
    digits = content.lower().removeprefix("0x").replace("-", "")
    return (
        len(digits) in (32, 40, 56, 64, 96, 128)
        and compiled(r"[0-9a-f]+").fullmatch(digits) is not None
    )


def mixed(content: str) -> bool:
    """Letters together with digits or with signs that words do not have."""
    letters = any(c.isalpha() for c in content)
    return letters and (
        any(c.isdigit() for c in content) or any(c in "!#$%^&*+=?~@|" for c in content[1:])
    )


def _odd(content: str) -> bool:
    """Capitals inside a word that is no identifier of several words."""
    return (
        len(content) >= 8
        and compiled(r"[a-z][A-Z]").search(content) is not None
        and chop(content) <= 3
    )


def dense(content: str) -> bool:
    """Some stretch of it is long enough and changes so often between letters and digits that no one would write it."""
    longest = max(compiled(r"[A-Za-z0-9+/]+").findall(content), key=len, default="")
    return (
        len(longest) >= 8
        and chop(longest) <= (4 if len(longest) > 12 else 3.6)
        and any(c.isdigit() for c in longest)
    )


def chop(content: str) -> float:
    """Mean length of the pieces a value falls into, split where the kind of character changes: words 5, random 2."""
    pieces = compiled(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+").findall(content)
    return len("".join(pieces)) / len(pieces) if pieces else 0.0


def classes(content: str) -> int:
    digit = compiled(r"\d").search(content) is not None
    return (content != content.upper()) + (content != content.lower()) + digit


def is_random(content: str, least: float) -> bool:
    """Whether a token's body varies as much as a credential does, and is no stand-in such as `xxxx` or `EXAMPLE`."""
    from math import log2

    if _holds(content, NOT_RANDOM):
        return False
    if not content:
        return False
    size, alphabet = len(content), set(content)
    # A short text cannot reach the entropy of a long one, so it has to reach a share of what its length allows.
    least = min(least, 0.62 * log2(max(size, 2)))
    # the least entropy of so many different characters: all but one of them stand once
    rest = size - len(alphabet) + 1
    if (rest * log2(size / rest) + (size - rest) * log2(size)) / size >= least:
        return True
    return entropy(content) >= least


def entropy(content: str) -> float:
    """Shannon's, in bits a character."""
    from math import log2

    shares = [content.count(char) / len(content) for char in set(content)]
    return -sum(share * log2(share) for share in shares)


REACH = 48  # characters of a name on either side of the word that it is known by


def parts_of(name: str) -> list[str]:
    """The words of an identifier: dbPassword2, DB_PASSWORD, db-password."""
    return [p.lower() for p in compiled(r"[A-Z]+(?![a-zß-ÿ])|[A-Z]?[a-zß-ÿ]+|[0-9]+").findall(name)]


_JOINS = frozenset("_-.")  # that hold the words of a name together
_TIED_BEFORE, _TIED_AFTER = frozenset("\"'`-_.$"), frozenset("=\"'`%")


def is_a_word(text: str, start: int, end: int) -> bool:
    """Whether a name is one lower-case word of running text, so that the words before it say which
    key or token it is."""
    name = text[start:end]
    return (
        name.islower()
        and name.isalpha()
        and text[start - 1 : start] not in _TIED_BEFORE
        and text[end : end + 1] not in _TIED_AFTER
    )


def says(name: str, before: str = "", softened: bool = True) -> tuple[int, str]:
    """How much a name says about what it names (0: nothing), and what to call it."""

    word, after, parts = _taken_apart(name)
    if not word:
        return 0, ""
    if after and not rules("NAME_NOT").isdisjoint(after):
        return 0, ""
    if word.startswith(("pass", "mot", "contrase")) or rules("STRENGTH").get(word) == 3:
        return (
            (0, "")
            if len(parts) > 1
            and name.isascii()
            and parts[:1] in (["max"], ["min"], ["no"], ["has"], ["is"])
            else (3, "password")
        )
    last = parts[-2] if len(parts) > 1 and parts[-1].startswith(word) else ""
    if word in ("key", "schlüssel", "clé"):
        lowered = name.lower()
        # The sentence so far: "the primary key", "for datadog use the key".
        ahead = compiled(r"\w+").findall(before.rpartition(". ")[2])
        if last not in rules("KEY_OF") and not rules("KEY_NOT").isdisjoint(
            (*(ahead[-2:] if softened else ()), *parts)
        ):
            return 0, ""
        glued = "key" in lowered and compiled(_glued_keys()).search(lowered)
        near = (*ahead[-1:], *parts)
        if (
            glued
            or not rules("KEY_OF").isdisjoint(near)
            or not rules("VENDORS").isdisjoint(near)
            or not rules("VENDORS").isdisjoint(ahead)
        ):
            return 2, "api-key"
        return 1, "key"
    if word in ("token", "jeton"):
        if last not in rules("TOKEN_OF") and not rules("TOKEN_NOT").isdisjoint(parts):
            return 0, ""
        said = (
            softened
            and last not in rules("TOKEN_OF")
            and compiled(r"\W*(\w+)").match(before.rpartition(". ")[2][::-1])
        )
        return (0, "") if said and said[1][::-1] in rules("TOKEN_NOT") else (2, "token")
    if word == "auth":
        return (
            (2 - rules("VENDORS").isdisjoint(parts), "token") if parts[-1:] == ["auth"] else (0, "")
        )
    return rules("STRENGTH").get(word, 2), "secret" if word in (
        "secret",
        "geheimnis",
    ) else "credential"


def words_for(low: str) -> str:
    """The expression of the words by which a secret's name is known in this text; empty where it can hold none."""

    told = (
        (rules("FOREIGN_HINTS"), rules("FOREIGN_NAME_WORDS")),
        (rules("NAME_HINTS"), rules("NAME_WORDS")),
    )
    return next((str(words) for hints, words in told if any(hint in low for hint in hints)), "")


@lru_cache(500)
def _taken_apart(name: str) -> tuple[str, list[str], list[str]]:
    """The word that a name is known by (empty: none), the words behind that one, and all of its words."""
    lowered = name.lower()
    known = words_for(lowered)
    words = compiled(known).findall(lowered) if known else []
    if not words:
        return "", [], []
    word = words[-1]
    after = name[lowered.rfind(word) + len(word) :]
    return word, parts_of(after) if after else [], [word] if name == word else parts_of(name)


def name_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The whole identifier around a word, unless the word is only part of another (monkey, tokenizer, passed)."""
    after = text[end : end + 1]
    if after.islower() and not (after == "s" and not text[end + 1 : end + 2].islower()):
        return None
    before = text[start - 1 : start]
    left, right = start, end
    if before.isalnum() or before in _JOINS:
        left -= _length(r"[\w.-]*", text[max(0, start - REACH) : start][::-1])
    if after.isalnum() or after in _JOINS:
        right += _length(r"[\w-]*", text[end : end + REACH])
    if before.isalpha() and not (before.islower() and text[start].isupper()):
        word = text[start:end].lower()
        ahead = text[left:start].lower()
        known = word == "key" and ahead.endswith(_long_keys())
        glued = (
            word in ("pw", "pwd", "pass")
            and right == end
            and left >= start - 12
            and ahead not in rules("NO_PASS")
        )
        if (
            not known
            and not glued
            and word not in ("password", "passwd", "passwort", "token", "secret")
        ):
            return None
    return left, right


def _length(expression: str, text: str) -> int:
    found = compiled(expression).match(text)
    return found.end() if found else 0


@cache
def _long_keys() -> tuple[str, ...]:
    """Words that make a key one of somebody's also where they are glued to it: apikey, accesskey."""
    return tuple(sorted(of for of in rules("KEY_OF") if len(of) > 2))


def _glued_keys() -> str:
    return rf"(?:{'|'.join(_long_keys())})key"


def is_prose(text: str, start: int, end: int) -> bool:
    """Whether a name is a word of a sentence, not an identifier and not part of a path."""

    name = text[start:end].rstrip(".").replace("\\u00f1", "ñ")  # as JSON may spell it
    if name.lower() in rules("ONLY_ASSIGNED") or compiled(r"[._]|--|[a-z][A-Z]|[0-9]").search(name):
        return False
    ends = compiled(r"(?:['’]s)?[^\w\s]{0,3}(?:\s|$)").match(text, end) is not None
    return ends and text[start - 1 : start] not in ("/", "\\", "@")
