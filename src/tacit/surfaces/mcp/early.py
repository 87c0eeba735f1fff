"""The first words over standard input and output, said before the SDK is loaded.

A host starts its servers while its user waits, asks for the protocol's version and the tools, and gives up on one that is slow: the SDK
alone takes longer to import than some of them wait. What they ask first has fixed answers. They were recorded from the SDK itself
(`handshake.json`, held by a test) and are given at once, while the SDK is loaded beside. Then the connection goes over: what had no
fixed answer is asked of the SDK, the handshake is played to it again, and its second answer kept back.
"""

from __future__ import annotations

import json
import os
import select
import threading
from collections.abc import Callable
from typing import Any

RECORDED = os.path.join(os.path.dirname(__file__), "handshake.json")
VERSION = (
    "io.modelcontextprotocol/protocolVersion"  # in the `_meta` of every request since 2026-07-28
)
READ_AT_ONCE = 1 << 16
LARGEST_REQUEST = 1 << 20  # bytes of a question that is answered here; a longer one is the SDK's


def serve_early(load: Callable[[], Callable[[], None]]) -> None:
    """Answer what has a fixed answer until the server that `load` makes, slowly and beside, can go on. What comes meanwhile and has
    none waits for it, and holds nothing else up."""
    made: list[Callable[[], None]] = []
    failed: list[BaseException] = []
    ready, say_ready = os.pipe()

    def loading() -> None:
        try:
            made.append(load())
        except BaseException as error:
            failed.append(error)
        os.close(say_ready)

    with open(RECORDED, encoding="utf-8") as file:
        answers = json.load(file)
    beside = threading.Thread(target=loading, daemon=True)
    # a line that is not whole yet; what the server must hear; the handshake that was answered
    held, kept, greeted = b"", b"", None
    while not made and not failed:
        if ready in select.select([0, ready], [], [])[0]:
            break
        more = os.read(0, READ_AT_ONCE)
        if not more and not kept:
            return  # the host went away before it asked for anything of ours
        held += more
        *lines, held = held.split(b"\n")
        for line in lines:
            answer, replay = (
                answered(line, answers) if len(line) <= LARGEST_REQUEST else (None, False)
            )
            if answer:
                _write(
                    1,
                    json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n",
                )
                greeted = answer["id"] if replay else greeted
            if replay or answer is None:
                kept += line + b"\n"
        if not beside.ident:
            beside.start()
        if not more or len(held) > LARGEST_REQUEST:
            break
    beside.join()
    os.close(ready)
    if failed:
        raise failed[0]
    _hand_over(made[0], kept + held, greeted)


def answered(line: bytes, answers: dict[str, Any]) -> tuple[dict[str, Any] | None, bool]:
    """The answer to a line, {} where none is due, None where it is not ours to give; and whether the SDK must hear it too."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        return None, False
    if not isinstance(asked, dict) or not isinstance(asked.get("params", {}), dict):
        return None, False
    method, id, params = asked.get("method"), asked.get("id"), asked.get("params") or {}
    if method == "notifications/initialized":
        return {}, True
    if not isinstance(id, (str, int)) or not isinstance(method, str):
        return None, False
    meta = params.get("_meta")
    version = meta.get(VERSION) if isinstance(meta, dict) else None
    if version is None and method == "initialize":
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str) or not isinstance(params.get("clientInfo"), dict):
            return None, False
        agreed = wanted if wanted in answers["versions"] else answers["versions"][-1]
        return _result(id, {**answers["handshake"]["initialize"], "protocolVersion": agreed}), True
    if params.get("cursor") is not None:
        return None, False
    if (
        method == "server/discover"
        and isinstance(version, str)
        and version != answers["modern_version"]
    ):
        return _unsupported(id, version, answers["modern_version"]), False
    era = (
        "handshake" if version is None else "modern" if version == answers["modern_version"] else ""
    )
    found = answers.get(era, {}).get(method) if method != "initialize" else None
    return (_result(id, found), False) if found is not None else (None, False)


def _result(id: Any, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def _unsupported(id: Any, wanted: str, ours: str) -> dict[str, Any]:
    """The SDK's own refusal of a generation that it does not know; had it been asked, it would take no handshake afterwards."""
    error = {
        "code": -32022,
        "message": "Unsupported protocol version",
        "data": {"supported": [ours], "requested": wanted},
    }
    return {"jsonrpc": "2.0", "id": id, "error": error}


def _hand_over(run: Callable[[], None], first: bytes, greeted: Any) -> None:
    """Let the SDK read what came before and everything after it, and keep back its answer to the handshake that was answered."""
    asking, answering = os.dup(0), os.dup(1)
    from_host, to_sdk = os.pipe()
    from_sdk, to_host = os.pipe()
    os.dup2(from_host, 0)
    os.dup2(to_host, 1)
    os.close(from_host)
    os.close(to_host)

    def inward() -> None:
        _write(to_sdk, first)
        while piece := os.read(asking, READ_AT_ONCE):
            _write(to_sdk, piece)
        os.close(to_sdk)

    def outward() -> None:
        held, waits = b"", greeted is not None
        while piece := os.read(from_sdk, READ_AT_ONCE):
            if waits:
                *lines, held = (held + piece).split(b"\n")
                piece = b""
                for line in lines:
                    if waits and json.loads(line or b"{}").get("id") == greeted:
                        waits = False
                    else:
                        piece += line + b"\n"
                if not waits:
                    piece, held = piece + held, b""
            _write(answering, piece)

    threading.Thread(target=inward, daemon=True).start()
    pump = threading.Thread(target=outward, daemon=True)
    pump.start()
    try:
        run()
    finally:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        pump.join(5.0)


def _write(fd: int, raw: bytes) -> None:
    while raw:
        raw = raw[os.write(fd, raw) :]
