"""Embedders by name, loaded only when the user's own configuration names one.

`static`            word vectors on this machine (the extra `semantic`), no network
`openai:MODEL`      any server that speaks OpenAI's embeddings, at `embedder_url` or else `model.url` (the extra `llm`)
`NAME` or `NAME:…`  what another package offers under the entry point `tacit.embedders`: a function of what follows the colon
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from tacit.core.errors import ModelUnavailable, UsageError
from tacit.guard.redact import private, redact
from tacit.providers.openai import OpenAI
from tacit.providers.static import Static

if TYPE_CHECKING:
    from tacit.core.ports import Embedder

SHIPPED = ("static", "openai:MODEL")
_BATCH = 32  # texts of one request
_TAKES = 20.0  # seconds for one request, its repetitions included
_LONGEST = 8000  # characters of a text that are sent: what the common models read


def chosen(settings: Mapping[str, Any], env: Mapping[str, str]) -> Embedder | None:
    """The embedder that the settings name; None where they name none."""
    name, _, rest = str(settings["embedder"].value).partition(":")
    if not name:
        return None
    if name == "static":
        return Static(rest)
    if name == "openai":
        url = str(settings["embedder_url"].value or settings["model.url"].value)
        key_env = str(settings["embedder_key_env"].value or settings["model.key_env"].value)
        if not rest or not url:
            raise UsageError(
                "The embedder openai needs a model and an address.",
                'For example embedder = "openai:nomic-embed-text" and embedder_url = "http://localhost:11434/v1".',
            )
        return Endpoint(url, rest, env.get(key_env, ""), key_env)

    for point in entry_points(group="tacit.embedders", name=name):
        found: Embedder = point.load()(rest)
        return found
    raise UsageError(
        f"There is no embedder {name!r}.",
        f"One of: {', '.join(SHIPPED)}, or an installed package's.",
    )


class Endpoint:
    """Vectors from a server. Texts are redacted before they leave, as everything that leaves is."""

    def __init__(self, url: str, model: str, key: str = "", key_env: str = "") -> None:
        self._model, self._server = model, OpenAI(url, model, key, key_env, path="/embeddings")
        self.identity = f"openai:{self._server.identity}"
        self.size = 0  # told by the first answer

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector a text, in their order."""
        sent = [redact(private(text[:_LONGEST])).text or " " for text in texts]
        found: list[list[float]] = []
        for start in range(0, len(sent), _BATCH):
            batch = sent[start : start + _BATCH]
            found += self._read(
                self._server.exchange({"model": self._model, "input": batch}, _TAKES), len(batch)
            )
        return found

    def _read(self, raw: bytes, wanted: int) -> list[list[float]]:
        try:
            told = sorted(json.loads(raw)["data"], key=lambda each: each["index"])
            vectors = [[float(number) for number in each["embedding"]] for each in told]
        except (ValueError, TypeError, KeyError, RecursionError):
            vectors = []
        sizes = {len(vector) for vector in vectors}
        if (
            len(vectors) != wanted
            or len(sizes) != 1
            or 0 in sizes
            or (self.size and {self.size} != sizes)
        ):
            raise ModelUnavailable(
                f"{self.identity} does not answer with a vector for each text.", why="garbage"
            )
        (self.size,) = sizes
        return vectors
