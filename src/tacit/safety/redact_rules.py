"""What secrets look like: the data behind `redact`, without a line of logic."""

from __future__ import annotations

from tacit.core.tables import Tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_tables = Tables(__file__)


def __getattr__(name: str) -> Any:
    try:
        found = globals()[name] = _READ.get(name, _tables.words)(name)
    except KeyError:
        raise AttributeError(name) from None
    return found


def _hinted(name: str) -> tuple[tuple[Any, ...], ...]:
    """Rows whose second field lists what a text must hold, and whose others may be numbers."""
    rows = _tables.rows(name)
    return tuple(
        (kind, (*hints.split(","),), *map(_number, others)) for kind, hints, *others in rows
    )


def _number(field: str) -> str | float:
    return (
        int(field)
        if field.isdigit()
        else float(field)
        if field.replace(".", "").isdigit()
        else field
    )


def _strength(name: str) -> Mapping[str, int]:
    return {word: int(strength) for strength, words in _tables.rows(name) for word in words.split()}


def _opaque(name: str) -> tuple[tuple[int, str, str, bool], ...]:
    return tuple(
        (int(least), signs, expression, three == "1")
        for least, signs, three, expression in _tables.rows(name)
    )


_READ = {
    **dict.fromkeys(("VENDOR_TOKENS", "SHAPES", "SECRET_PLACES", "LIKELY_PLACES"), _hinted),
    "ALPHABETS": _tables.named,
    "STRENGTH": _strength,
    "OPAQUE": _opaque,
    **dict.fromkeys(("NAME_HINTS", "FOREIGN_HINTS", "STAND_IN_PARTS"), _tables.listed),
    **dict.fromkeys(
        "NAME_WORDS FOREIGN_NAME_WORDS LOGIN_HINTS TERMS URL_PARAMETERS PUBLIC_NAMES CHAIN_KEY CHAIN_HASH".split(),
        _tables.text,
    ),
}
