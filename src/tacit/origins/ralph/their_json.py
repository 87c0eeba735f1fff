"""JSON as Ralph's own program writes it, and its checksum over it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from hashlib import sha256
from typing import Any


def checksum(rows: object) -> str:
    """SHA-256 over the compact JSON of the learnings, as Node writes it."""
    return sha256(js_json(rows).encode("utf-8")).hexdigest()


def js_json(at: object, indent: int = 0, depth: int = 0) -> str:
    """JSON as `JSON.stringify(value, null, indent)` writes it: number forms, key order and escapes of JavaScript."""
    if at is None or isinstance(at, bool):
        return {None: "null", True: "true", False: "false"}[at]
    if isinstance(at, str):
        return _js_text(at)
    if isinstance(at, (int, float)):
        return _js_number(at)
    gap = "\n" + " " * indent * (depth + 1) if indent else ""
    end = "\n" + " " * indent * depth if indent else ""
    if isinstance(at, dict):
        colon = ": " if indent else ":"
        parts = [
            _js_text(str(key)) + colon + js_json(at[key], indent, depth + 1) for key in _js_keys(at)
        ]
        return "{" + gap + ("," + gap).join(parts) + end + "}" if parts else "{}"
    listed = [js_json(each, indent, depth + 1) for each in at]  # type: ignore[attr-defined]
    return "[" + gap + ("," + gap).join(listed) + end + "]" if listed else "[]"


def _js_keys(at: Mapping[Any, Any]) -> list[Any]:
    """Keys that are array indices come first, in rising order; the others as they were written."""
    index = [
        key
        for key in at
        if key.isascii() and key.isdigit() and str(int(key)) == key and int(key) < 2**32 - 1
    ]
    return (
        sorted(index, key=int) + [key for key in at if key not in set(index)] if index else list(at)
    )


def _js_text(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    if written.isascii() or not any("\ud800" <= c <= "\udfff" for c in written):
        return written
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in written)


def _js_number(at: float) -> str:
    """ECMAScript's Number::toString: as few digits as tell the number apart, exponents from 1e21 and below 1e-6."""
    number = float(at)
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    sign, every, exponent = Decimal(repr(number)).normalize().as_tuple()
    digits = "".join(map(str, every))
    point, minus = len(digits) + int(exponent), "-" if sign else ""
    if len(digits) <= point <= 21:
        return minus + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{minus}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    tail = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return minus + digits[0] + (f".{digits[1:]}" if digits[1:] else "") + tail
