"""What the API takes and gives, as JSON Schema, and the check of what comes in against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.errors import UsageError

if TYPE_CHECKING:
    Schema = Mapping[str, Any]


def text(most: int = 200, **more: Any) -> dict[str, Any]:
    """A text of bounded length."""
    return {"type": "string", "maxLength": most, **more}


def number(least: int, most: int, default: int | None = None) -> dict[str, Any]:
    """A whole number in a range."""
    return {
        "type": "integer",
        "minimum": least,
        "maximum": most,
        **({} if default is None else {"default": default}),
    }


def one_of(*words: str) -> dict[str, Any]:
    """One of some words."""
    return {"type": "string", "enum": list(words)}


BOOL: dict[str, Any] = {"type": "boolean"}
_KINDS = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}


def body(fields: Mapping[str, Schema], *needed: str) -> dict[str, Any]:
    """An object of these fields and no others."""
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(needed),
        "additionalProperties": False,
    }


def from_query(fields: Mapping[str, Schema], given: Mapping[str, str]) -> dict[str, Any]:
    """A query's words as values, checked; what is not asked for has its default."""
    read: dict[str, Any] = {}
    for name, word in given.items():
        if name not in fields:
            raise UsageError(
                f"{name!r} is not asked for here.", f"One of: {', '.join(fields) or 'nothing'}."
            )
        read[name] = _read(name, word, fields[name])
    checked({"type": "object", "properties": dict(fields)}, read, "the query")
    return {name: field["default"] for name, field in fields.items() if "default" in field} | read


def _read(name: str, word: str, field: Schema) -> Any:
    if field["type"] == "integer":
        try:
            return int(word)
        except ValueError:
            raise UsageError(f"{name} = {word[:40]!r} is not a whole number.") from None
    if field["type"] == "boolean":
        if word not in ("true", "false"):
            raise UsageError(f"{name} = {word[:40]!r} is neither true nor false.")
        return word == "true"
    return word


def checked(schema: Schema, given: Any, where: str = "the body") -> Any:
    """What was given, if it is what the schema asks for."""
    kind = _KINDS[schema["type"]]
    if not isinstance(given, kind) or (kind is int and isinstance(given, bool)):
        raise UsageError(f"{where} is not of type {schema['type']}.")
    if isinstance(given, str):
        _check_text(schema, given, where)
    elif isinstance(given, int) and not isinstance(given, bool):
        if not schema.get("minimum", given) <= given <= schema.get("maximum", given):
            raise UsageError(
                f"{where} = {given} is out of range.",
                f"{schema.get('minimum')} to {schema.get('maximum')}.",
            )
    elif isinstance(given, list):
        if len(given) > schema.get("maxItems", len(given)):
            raise UsageError(f"{where} holds more than {schema['maxItems']} items.")
        for at, item in enumerate(given):
            checked(schema["items"], item, f"{where}[{at}]")
    elif isinstance(given, dict):
        _check_object(schema, given, where)
    return given


def _check_text(schema: Schema, given: str, where: str) -> None:
    if len(given) > schema.get("maxLength", len(given)):
        raise UsageError(f"{where} is longer than {schema['maxLength']} characters.")
    if len(given) < schema.get("minLength", 0):
        raise UsageError(f"{where} is empty.")
    if "enum" in schema and given not in schema["enum"]:
        raise UsageError(
            f"{where} = {given[:40]!r} is not known.", f"One of: {', '.join(schema['enum'])}."
        )
    if "\0" in given or any("\ud800" <= sign <= "\udfff" for sign in given):
        raise UsageError(f"{where} holds what no text can: a NUL character or a lone surrogate.")


def _check_object(schema: Schema, given: dict[str, Any], where: str) -> None:
    fields = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in given]
    if missing:
        raise UsageError(f"{where} lacks {', '.join(missing)}.")
    for name, item in given.items():
        if name not in fields:
            raise UsageError(
                f"{where} has a field {name[:40]!r} that is not known.",
                f"One of: {', '.join(fields)}.",
            )
        checked(fields[name], item, name)
