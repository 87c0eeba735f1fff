"""What Codex's newest form writes: a call is a small script that calls tools, and its answer is
what the script printed."""

from __future__ import annotations

import json
import re
from typing import Any

from tacit.hosts.session import status_of, text_at

MANY_CALLS = 20
LONGEST_SCRIPT = 200_000  # characters; a longer one is read no further

_CALL = re.compile(r"\btools\.(\w{1,80})\s*\(\s*")
_KEY = re.compile(r"\s*(?:(\w{1,60})|\"([^\"\\]{1,60})\"|'([^'\\]{1,60})')\s*:\s*")
_NUMBER_FIELD = re.compile(r"-?\d{1,15}(?:\.\d{1,6})?(?=\s*[,}])")
_WORD = re.compile(r"(true|false|null)\b")
_STRING = {
    '"': re.compile(r'"((?:[^"\\\n]|\\.)*)"', re.S),
    "'": re.compile(r"'((?:[^'\\\n]|\\.)*)'", re.S),
    "`": re.compile(r"`((?:[^`\\]|\\.)*)`", re.S),
}
_NEXT = re.compile(r"\s*,")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "", "\n": ""}
_PRINTED = re.compile(r"`([^`$\\]{0,40})\$\{\w{1,40}\.(exit_code|session_id)\}([^`$\\]{0,20})`")
_HEAD = re.compile(r"Script (completed|failed|terminated|running with cell ID (\w{1,20}))\b.*")


def calls(script: str) -> list[tuple[str, dict[str, Any]]]:
    """The tools that a script calls, with those of their arguments that are written out."""
    found = []
    for called in _CALL.finditer(script[:LONGEST_SCRIPT]):
        found.append((called[1], _literal(script, called.end())))
        if len(found) == MANY_CALLS:
            break
    return found


def _literal(script: str, at: int) -> dict[str, Any]:
    """The object that begins here, up to the first value that is an expression."""
    given: dict[str, Any] = {}
    if not script.startswith("{", at):
        return given
    at += 1
    while key := _KEY.match(script, at):
        at = key.end()
        quote = _STRING.get(script[at : at + 1])
        if quote is not None:
            value = quote.match(script, at)
            if value is None:
                break
            given[key[1] or key[2] or key[3]] = _ESCAPE.sub(_unescaped, value[1])
        elif value := _NUMBER_FIELD.match(script, at):
            given[key[1] or key[2] or key[3]] = (
                float(value[0]) if "." in value[0] else int(value[0])
            )
        elif value := _WORD.match(script, at):
            given[key[1] or key[2] or key[3]] = {"true": True, "false": False}.get(value[1])
        else:
            break
        comma = _NEXT.match(script, value.end())
        if comma is None:
            break
        at = comma.end()
    return given


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        character = chr(int(found[1], 16))
        return "\ufffd" if "\ud800" <= character <= "\udfff" or character == "\0" else character
    return _ESCAPED.get(found[2], found[2])


class _Answer:
    """What a script's answer says: text, exit status, failure, and where the work goes on."""

    def __init__(self) -> None:
        self.text = self.cell = self.process = ""
        self.status: int | None = None
        self.failed = False


def answer(script: str, output: Any) -> _Answer | None:
    """A script's answer; None where it has another form."""
    blocks = [text_at(block, "text") for block in output] if type(output) is list else [output]
    if not blocks or not isinstance(blocks[0], str):
        return None
    first, _, rest = blocks[0].partition("\n")
    head = _HEAD.fullmatch(first.strip())
    if head is None:
        return None
    found = _Answer()
    found.cell = head[2] or ""
    found.failed = head[1] == "failed"
    _, _, printed = rest.partition("Output:\n")
    printed = printed.removeprefix("Script error:\n") if found.failed else printed
    templates = [
        (re.compile(re.escape(pre) + r"(-?\d{1,9})" + re.escape(post)), kind)
        for pre, kind, post in _PRINTED.findall(script[:LONGEST_SCRIPT])[:10]
    ]
    texts = []
    for block in (printed, *blocks[1:]):
        said = _as_result(block)
        if said is not None:
            texts.append(text_at(said, "output"))
            code = status_of(said.get("exit_code"))
            found.status = code if code is not None else found.status
            found.process = str(said.get("session_id") or found.process)
            continue
        for pattern, kind in templates:
            if value := pattern.fullmatch(block.strip()):
                if kind == "exit_code":
                    found.status = int(value[1])
                else:
                    found.process = value[1]
                break
        else:
            texts.append(block)
    found.text = "\n".join(text for text in texts if text).strip("\n")
    found.failed = found.failed or found.status not in (None, 0)
    return found


def _as_result(block: str) -> dict[str, Any] | None:
    """The host's own result of a command, printed as JSON."""
    text = block.strip()
    if not (
        text.startswith("{")
        and '"output"' in text
        and ('"chunk_id"' in text or '"exit_code"' in text)
    ):
        return None
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return said if type(said) is dict and isinstance(said.get("output"), str) else None
