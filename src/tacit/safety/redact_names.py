"""What a name says of what it names: `DB_PASSWORD` all, `max_tokens` nothing, `key` it depends."""

from __future__ import annotations

from tacit.safety.expressions import compiled

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
    from tacit.safety.redact_rules import (
        KEY_NOT,
        KEY_OF,
        NAME_NOT,
        STRENGTH,
        TOKEN_NOT,
        TOKEN_OF,
        VENDORS,
    )

    word, after, parts = _taken_apart(name)
    if not word:
        return 0, ""
    if after and not NAME_NOT.isdisjoint(after):
        return 0, ""
    if word.startswith(("pass", "mot", "contrase")) or STRENGTH.get(word) == 3:
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
        if last not in KEY_OF and not KEY_NOT.isdisjoint(
            (*(ahead[-2:] if softened else ()), *parts)
        ):
            return 0, ""
        glued = "key" in lowered and compiled(_glued_keys()).search(lowered)
        near = (*ahead[-1:], *parts)
        if (
            glued
            or not KEY_OF.isdisjoint(near)
            or not VENDORS.isdisjoint(near)
            or not VENDORS.isdisjoint(ahead)
        ):
            return 2, "api-key"
        return 1, "key"
    if word in ("token", "jeton"):
        if last not in TOKEN_OF and not TOKEN_NOT.isdisjoint(parts):
            return 0, ""
        said = (
            softened
            and last not in TOKEN_OF
            and compiled(r"\W*(\w+)").match(before.rpartition(". ")[2][::-1])
        )
        return (0, "") if said and said[1][::-1] in TOKEN_NOT else (2, "token")
    if word == "auth":
        return (2 - VENDORS.isdisjoint(parts), "token") if parts[-1:] == ["auth"] else (0, "")
    return STRENGTH.get(word, 2), "secret" if word in ("secret", "geheimnis") else "credential"


def words_for(low: str) -> str:
    """The expression of the words by which a secret's name is known in this text; empty where it can hold none."""
    from tacit.safety.redact_rules import FOREIGN_HINTS, FOREIGN_NAME_WORDS, NAME_HINTS, NAME_WORDS

    told = ((FOREIGN_HINTS, FOREIGN_NAME_WORDS), (NAME_HINTS, NAME_WORDS))
    return next((str(words) for hints, words in told if any(hint in low for hint in hints)), "")


_known: dict[str, tuple[str, list[str], list[str]]] = {}  # the names of a text are few
_MOST_KNOWN, _LONGEST_KNOWN = 500, 40


def _taken_apart(name: str) -> tuple[str, list[str], list[str]]:
    """The word that a name is known by (empty: none), the words behind that one, and all of its words."""
    found = _known.get(name)
    if found is None:
        lowered = name.lower()
        known = words_for(lowered)
        words = compiled(known).findall(lowered) if known else []
        word = words[-1] if words else ""
        after = name[lowered.rfind(word) + len(word) :] if word else ""
        found = (
            word,
            parts_of(after) if after else [],
            ([word] if name == word else parts_of(name)) if word else [],
        )
        if len(_known) < _MOST_KNOWN and len(name) <= _LONGEST_KNOWN:
            _known[name] = found
    return found


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
        from tacit.safety.redact_rules import NO_PASS

        word = text[start:end].lower()
        ahead = text[left:start].lower()
        known = word == "key" and ahead.endswith(_long_keys())
        glued = (
            word in ("pw", "pwd", "pass")
            and right == end
            and left >= start - 12
            and ahead not in NO_PASS
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


def _long_keys() -> tuple[str, ...]:
    """Words that make a key one of somebody's also where they are glued to it: apikey, accesskey."""
    from tacit.safety.redact_rules import KEY_OF

    global _KEYS
    if not _KEYS:
        _KEYS = tuple(sorted(of for of in KEY_OF if len(of) > 2))
    return _KEYS


_KEYS: tuple[str, ...] = ()


def _glued_keys() -> str:
    return rf"(?:{'|'.join(_long_keys())})key"


def is_prose(text: str, start: int, end: int) -> bool:
    """Whether a name is a word of a sentence, not an identifier and not part of a path."""
    from tacit.safety.redact_rules import ONLY_ASSIGNED

    name = text[start:end].rstrip(".").replace("\\u00f1", "ñ")  # as JSON may spell it
    if name.lower() in ONLY_ASSIGNED or compiled(r"[._]|--|[a-z][A-Z]|[0-9]").search(name):
        return False
    ends = compiled(r"(?:['’]s)?[^\w\s]{0,3}(?:\s|$)").match(text, end) is not None
    return ends and text[start - 1 : start] not in ("/", "\\", "@")
