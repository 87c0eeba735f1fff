"""What is said before the SDK is loaded: the SDK's own words, at once, and a connection that goes over without a seam."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
import mcp_types
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import SessionMessage

from tacit.surfaces.mcp.desk import Desk
from tacit.surfaces.mcp.early import RECORDED, VERSION, answered
from tacit.surfaces.mcp.server import build

LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
MODERN = "2026-07-28"
CLIENT = {"name": "test", "version": "1"}
META = {
    VERSION: MODERN,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}


def ask(id: int, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": id,
        "method": method,
        **({"params": params} if params is not None else {}),
    }


def of_sdk(*asked: dict[str, Any]) -> list[Any]:
    """What the SDK answers to these, over streams in this process."""

    async def talk() -> list[Any]:
        server = build(Desk())._lowlevel_server
        to_server, server_reads = create_context_streams(8)
        server_writes, from_server = create_context_streams(8)
        found = []
        async with (
            to_server,
            server_reads,
            server_writes,
            from_server,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(
                server.run, server_reads, server_writes, server.create_initialization_options()
            )
            for each in asked:
                message = mcp_types.jsonrpc_message_adapter.validate_python(each)
                await to_server.send(SessionMessage(message))
                if "id" in each:
                    answer = (await from_server.receive()).message
                    found.append(
                        answer.model_dump(mode="json", by_alias=True, exclude_none=True)["result"]
                    )
            tasks.cancel_scope.cancel()
        return found

    return anyio.run(talk)


def recorded_now() -> dict[str, Any]:
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    first, *lists = of_sdk(
        ask(1, "initialize", HELLO),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(ask(n, name, {}) for n, name in enumerate(LISTS, 2)),
    )
    first.pop("protocolVersion")
    modern = of_sdk(
        *(ask(n, name, {"_meta": META}) for n, name in enumerate(("server/discover", *LISTS)))
    )
    return {
        "versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "modern_version": MODERN,
        "handshake": {"initialize": first, "ping": {}, **dict(zip(LISTS, lists))},
        "modern": dict(zip(("server/discover", *LISTS), modern)),
    }


def test_what_is_said_early_is_what_the_sdk_says(folder: Path) -> None:
    """With TEST_RECORD=1 the file becomes that of now, to be read and committed."""
    now = recorded_now()
    if os.environ.get("TEST_RECORD"):
        Path(RECORDED).write_text(
            json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    assert json.loads(Path(RECORDED).read_text(encoding="utf-8")) == now


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"[1]",
        b"null",
        b'{"id": 1}',
        b'{"method": "initialize", "id": 1}',
        b'{"method": "initialize", "id": 1, "params": []}',
        b'{"method": "initialize", "id": null, "params": {"protocolVersion": "x", "clientInfo": {}}}',
        b'{"method": "tools/list", "id": 1, "params": {"cursor": "x"}}',
        b'{"method": "server/discover", "id": 1, "params": {}}',
        b'{"method": "tools/list", "id": 1, "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "1999-01-01"}}}',
        b'{"method": "tools/call", "id": 1, "params": {"name": "recall"}}',
    ],
)
def test_whatever_is_not_plain_is_left_to_the_sdk(line: bytes) -> None:
    """Odd input gets the SDK's own errors."""
    assert answered(line, json.loads(Path(RECORDED).read_text())) == (None, False)


def test_an_unknown_version_is_answered_with_the_newest_of_the_handshake() -> None:
    """As the SDK does."""
    answers = json.loads(Path(RECORDED).read_text())
    said, replay = answered(
        json.dumps(ask(1, "initialize", {**HELLO, "protocolVersion": "2099-01-01"})).encode(),
        answers,
    )
    assert (
        said is not None and said["result"]["protocolVersion"] == answers["versions"][-1] and replay
    )


def test_one_connection_without_a_seam(folder: Path) -> None:
    """A probe from a later generation, handshake, lists and a call: one answer each, whoever gives it."""
    with subprocess.Popen(
        [sys.executable, "-m", "tacit", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None and server.stdout is not None

        def said(message: dict[str, Any]) -> Any:
            server.stdin.write(json.dumps(message) + "\n")  # type: ignore[union-attr]
            server.stdin.flush()  # type: ignore[union-attr]
            return json.loads(server.stdout.readline()) if "id" in message else None  # type: ignore[union-attr]

        probed = said(ask(0, "server/discover", {"_meta": {**META, VERSION: "2099-01-01"}}))
        assert probed["error"]["data"] == {"supported": [MODERN], "requested": "2099-01-01"}
        first = said(ask(1, "initialize", HELLO))
        assert (
            first["id"],
            first["result"]["protocolVersion"],
            first["result"]["serverInfo"]["name"],
        ) == (
            1,
            "2025-11-25",
            "tacit",
        )
        said({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert [tool["name"] for tool in said(ask(2, "tools/list", {}))["result"]["tools"]] == [
            "recall",
            "remember",
            "report",
            "review",
        ]
        server.stdin.write(
            json.dumps(ask(3, "tools/call", {"name": "recall", "arguments": {"query": "anything"}}))
            + "\n"
        )
        rest = {
            each["id"]: each
            for each in (said(ask(4, "ping")), json.loads(server.stdout.readline()))
        }
        assert set(rest) == {3, 4} and not rest[3]["result"]["isError"]
        server.stdin.close()
        assert server.stdout.read() == ""
    assert server.returncode == 0
