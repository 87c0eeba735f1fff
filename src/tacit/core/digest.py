"""Hashes and their sums, keyed coins and random ids, without the modules that make them slow to load.

`hashlib`, `hmac`, `uuid` and `secrets` cost a third of an interpreter start together; the C function behind
`hashlib.sha256` costs nothing.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha256 import sha256  # Python 3.11
    except ImportError:
        try:
            from _sha2 import sha256  # Python 3.12 and later
        except ImportError:
            from hashlib import sha256

# Crockford's alphabet in lower case: no i, l, o, u, so that an id can be read aloud.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
# 60 random bits: at a million memories one chance in two million of a clash, and a clash is refused by the store
ID_LENGTH = 12


def new_id() -> str:
    """A random id, never derived from content and never reused."""
    return _spell(int.from_bytes(os.urandom(8), "big"), ID_LENGTH)


def short_hash(*parts: str) -> str:
    """A 16-character name for a tuple of texts; the same on every machine."""
    return _spell(int.from_bytes(digest(*parts)[:10], "big"), 16)


def hex_digest(text: str) -> str:
    """The plain SHA-256 of a text, as other programs write it."""
    return sha256(text.encode()).hexdigest()


def digest(*parts: str | bytes) -> bytes:
    """SHA-256 over length-prefixed parts, so that ("ab", "c") and ("a", "bc") differ."""
    h = sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        h.update(len(raw).to_bytes(8, "big"))
        h.update(raw)
    return h.digest()


def keyed(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA-256 (RFC 2104)."""
    block = (sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = sha256(bytes(b ^ 0x36 for b in block) + message).digest()
    return sha256(bytes(b ^ 0x5C for b in block) + inner).digest()


def _spell(number: int, length: int) -> str:
    letters = []
    for _ in range(length):
        letters.append(ALPHABET[number & 31])
        number >>= 5
    return "".join(letters)
