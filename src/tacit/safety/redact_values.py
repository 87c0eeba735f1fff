"""Whether a value is one to hide: how random it is, what it stands for, and how much its name says about it."""

from __future__ import annotations

from tacit.safety.expressions import compiled
from tacit.safety.redact_names import parts_of

LONG = 256  # a value longer than this is judged as a whole, and no words are looked for in it
NOT_RANDOM = (
    "xxxxx",
    "example",
    "your_",
    "your-",
    "yourtoken",
    "yourkey",
    "placeholder",
    "redacted",
    "....",
    "____",
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
    from tacit.safety.redact_rules import STAND_IN_PARTS, STAND_INS

    lowered = content.lower()
    if lowered.strip(".,;:!?") in STAND_INS or _holds(content, STAND_IN_PARTS):
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
    from tacit.safety.redact_rules import TALK

    words = content.split()
    if (
        len(content) > LONG
        or len(words) > 12
        or any(w.lower().strip(".,:!?") in TALK for w in words)
    ):
        return False
    return len(words) >= 4 or any(c.isdigit() for c in content)


def _names_itself(content: str) -> bool:
    """Whether a value is a name for a secret (`db-password`, `auth_token`): words, one of them a word for secrets."""
    from tacit.safety.redact_rules import SELF_NAMES

    if len(content) > LONG or chop(content) <= 3 or sum(c.isdigit() for c in content) > 1:
        return False
    return not SELF_NAMES.isdisjoint(parts_of(content))


def is_term(content: str) -> bool:
    """Whether a word with digits is a technical term: sha256, utf-8, argon2id, PROJ-123."""
    from tacit.safety.redact_rules import TERMS

    if compiled(r"[A-Z]{2,10}-\d{1,6}").fullmatch(content):
        return True
    return (
        len(content) <= 24
        and compiled(TERMS).fullmatch(content.lower().strip(".,;:!?()")) is not None
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
