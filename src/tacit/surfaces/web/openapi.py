"""The API's own description, made from the table of its endpoints."""

from __future__ import annotations

import re
from typing import Any

from tacit import __version__
from tacit.surfaces.web.api import ENDPOINTS, Endpoint

_OK = {
    "type": "object",
    "required": ["ok", "schema", "data", "warnings"],
    "properties": {
        "ok": {"const": True},
        "schema": {"const": 1},
        "data": {},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
}
_ERROR = {
    "type": "object",
    "required": ["ok", "error"],
    "properties": {
        "ok": {"const": False},
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
        },
    },
}
REFUSALS = {
    400: "The call is off", 401: "Who is it?", 403: "Not from a page of the desk, or not a person's to decide",
    404: "There is none", 405: "Not done here", 409: "A rule says no", 413: "Too much at once", 415: "Not JSON", 421: "Another name",
    429: "Too often", 503: "Busy; nothing is lost",
}  # fmt: skip


def document(base: str = "/api/v1") -> dict[str, Any]:
    """OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for each in ENDPOINTS:
        paths.setdefault(base + each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tacit",
            "version": __version__,
            "description": "Memory that proves it helps: its desk, for programs.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Answer": _OK, "Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(each: Endpoint) -> dict[str, Any]:
    places = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1, "maxLength": 200}}
        for name in re.findall(r"{(\w+)}", each.path)
    ]
    asked = [{"name": name, "in": "query", "schema": dict(field)} for name, field in (each.query or {}).items()]
    answers: dict[str, Any] = {"200": _content("Done", "Answer")}
    answers |= {str(status): _content(told, "Error") for status, told in REFUSALS.items()}
    operation: dict[str, Any] = {"summary": each.does, "parameters": [*places, *asked], "responses": answers}
    if each.body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": dict(each.body)}}}
    return operation


def _content(told: str, name: str) -> dict[str, Any]:
    return {"description": told, "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}}
