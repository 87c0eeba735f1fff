"""What secrets look like: the data behind `redact`, without a line of logic.

Three tables. TOKENS are credentials that announce themselves by a prefix; they need no regular expression of their own.
SHAPES are the rest of the recognisable ones, each with the words without which it cannot match, so that its expression
is compiled only for a text that holds one. The word lists describe how a value that says nothing by itself is
introduced (`DB_PASSWORD=`, `"token":`, "the password is", "das Passwort lautet").

Lengths are lower bounds well below what the vendors issue today: vendors lengthen their tokens, quotes are cut off in
the middle, and a token that is caught must be caught to its last character. Prefixes and lengths are facts published
by the vendors; the list was compared with the one gitleaks keeps (see NOTICE).
"""

from __future__ import annotations

from tacit.core.tables import Tables

_tables = Tables(__file__)
ALPHABETS = _tables.named("ALPHABETS")
VENDOR_TOKENS = tuple(
    (kind, tuple(prefixes.split(",")), alphabet, int(least), int(most))
    for kind, prefixes, alphabet, least, most in _tables.rows("TOKENS")
)
SHAPES = tuple(
    (kind, tuple(hints.split(",")), expression, float(entropy))
    for kind, hints, entropy, expression in _tables.rows("SHAPES")
)
SECRET_PLACES, LIKELY_PLACES = (
    tuple((kind, tuple(hints.split(",")), expression) for kind, hints, expression in _tables.rows(name))
    for name in ("SECRET_PLACES", "LIKELY_PLACES")
)
STRENGTH = {word: int(strength) for strength, words in _tables.rows("STRENGTH") for word in words.split()}
OPAQUE = tuple(
    (int(least), signs, expression, three == "1") for least, signs, three, expression in _tables.rows("OPAQUE")
)
NAME_WORDS = _tables.text("NAME_WORDS")
NAME_HINTS = _tables.listed("NAME_HINTS")
FOREIGN_HINTS = _tables.listed("FOREIGN_HINTS")
FOREIGN_NAME_WORDS = _tables.text("FOREIGN_WORDS")
LOGIN_HINTS = _tables.text("LOGIN_HINTS")
ONLY_ASSIGNED = _tables.words("ONLY_ASSIGNED")
NO_PASS = _tables.words("NO_PASS")
KEY_OF = _tables.words("KEY_OF")
TOKEN_OF = _tables.words("TOKEN_OF")
KEY_NOT = _tables.words("KEY_NOT")
VENDORS = _tables.words("VENDORS")
TOKEN_NOT = _tables.words("TOKEN_NOT")
NAME_NOT = _tables.words("NAME_NOT")
LINKING_VERBS = _tables.words("LINKS")
BEFORE_VALUE = _tables.words("FILLERS")
SIGNS = _tables.words("SIGNS")
USING = _tables.words("USING")
UNITS_OF_SIZE = _tables.words("UNITS")
STAND_INS = _tables.words("STAND_INS")
TALK = _tables.words("TALK")
SELF_NAMES = _tables.words("SELF_NAMES")
STAND_IN_PARTS = _tables.listed("STAND_IN_PARTS")
TERMS = _tables.text("TERMS")
ID_PREFIXES = _tables.words("ID_PREFIXES")
SECRET_PARTS = _tables.words("SECRET_PARTS")
HARMLESS_COOKIES = _tables.words("HARMLESS_COOKIES")
URL_PARAMETERS = _tables.text("URL_PARAMETERS")
PUBLIC_NAMES = _tables.text("PUBLIC_NAMES")
CHAIN_KEY = _tables.text("CHAIN_KEY")
CHAIN_HASH = _tables.text("CHAIN_HASH")
