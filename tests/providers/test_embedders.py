"""Embedders by name: static vectors, any server that speaks OpenAI's embeddings, and those of other packages."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import tacit as library
from tacit.core.config import settle
from tacit.core.errors import ModelUnavailable, UsageError
from tacit.providers.embedders import Endpoint, chosen
from tacit.surfaces.worker import work


def settings(**user: str) -> dict[str, Any]:
    return settle(user, {}, {}).by_key


def told(*vectors: list[float]) -> bytes:
    """An answer as servers give it, in another order than asked."""
    data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return json.dumps({"data": data[::-1]}).encode()


def test_none_is_named() -> None:
    assert chosen(settings(), {}) is None


@pytest.mark.parametrize("name", ["nobody", "openai", "openai:", "openai:m"])
def test_what_is_none_is_refused_by_name(name: str) -> None:
    """An unknown name, and a server without model or address."""
    with pytest.raises(UsageError) as refused:
        chosen(settings(embedder=name), {})
    assert refused.value.hint


def test_a_repository_names_none() -> None:
    """Where texts are sent is the user's to say."""
    found = settle(
        {}, {"embedder": "openai:m", "embedder_url": "http://evil.example/v1"}, {}
    ).by_key
    assert (found["embedder"].value, found["embedder_url"].value) == ("", "")


def test_a_server_is_asked_in_its_dialect(endpoint: Any) -> None:
    """Model, texts and key go there; vectors come back in the order of the texts."""
    endpoint.answers = [told([1.0, 0.0], [0.0, 1.0])]
    found = chosen(
        settings(embedder="openai:small", embedder_url=endpoint.url, embedder_key_env="K"),
        {"K": "s3cret"},
    )
    assert found is not None and found.embed(["one", "two"]) == [[1.0, 0.0], [0.0, 1.0]]
    assert endpoint.asked == [{"model": "small", "input": ["one", "two"]}] and found.size == 2
    assert endpoint.headers[0]["authorization"] == "Bearer s3cret"
    assert found.identity.startswith("openai:small at 127.0.0.1")


def test_secrets_do_not_leave(endpoint: Any) -> None:
    """A question may hold one."""
    endpoint.answers = [told([1.0])]
    Endpoint(endpoint.url, "m").embed(
        ["the key is ghp_" + "a1B2" * 9 + " <private>my street</private>"]
    )
    sent = json.dumps(endpoint.asked)
    assert "ghp_" not in sent and "my street" not in sent


@pytest.mark.parametrize(
    "answer",
    [
        b"no JSON",
        b"{}",
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        told([1.0], [2.0]),
        (401, {}, b"who are you"),
        (302, {"location": "http://elsewhere.example"}, b""),
    ],
)
def test_what_is_no_vector_is_an_error(endpoint: Any, answer: Any) -> None:
    """Never a wrong vector."""
    endpoint.answers = [answer]
    with pytest.raises(ModelUnavailable):
        Endpoint(endpoint.url, "m").embed(["one"])


def test_a_server_that_changes_its_size_is_not_believed(endpoint: Any) -> None:
    endpoint.answers = [told([1.0, 0.0]), told([1.0])]
    embedder = Endpoint(endpoint.url, "m")
    embedder.embed(["one"])
    with pytest.raises(ModelUnavailable):
        embedder.embed(["two"])


def test_a_server_that_is_away(endpoint: Any) -> None:
    endpoint.close()
    with pytest.raises(ModelUnavailable):
        Endpoint(endpoint.url, "m").embed(["one"])


def test_static_vectors() -> None:
    """Offline and the same every time; like texts are nearer than strangers; a text without tokens is zeros, not NaN."""
    numpy = pytest.importorskip("numpy", reason="static vectors need the extra semantic")
    if find_spec("wordllama") is None:  # its files are read, it is never imported
        pytest.skip("static vectors need the extra semantic")
    pytest.importorskip("tokenizers", reason="static vectors need the extra semantic")
    embedder = chosen(settings(embedder="static"), {})
    assert (
        embedder is not None
        and embedder.size == 256
        and embedder.identity.startswith("static:wordllama-256:")
    )
    one, twin, other, empty = numpy.asarray(
        embedder.embed(
            [
                "the database cannot be reached",
                "connection to postgres refused",
                "a cake with cherries",
                "",
            ]
        )
    )
    assert one @ twin > one @ other and not empty.any() and abs(one @ one - 1) < 1e-5
    assert (numpy.asarray(embedder.embed(["the database cannot be reached"]))[0] == one).all()


@pytest.mark.parametrize("there", [True, False])
def test_the_worker_makes_what_is_missing(endpoint: Any, folder: Path, there: bool) -> None:
    """Beside its own work; a server that is away costs nothing but a count."""
    pytest.importorskip("numpy", reason="vectors are packed with numpy (the extra semantic)")
    endpoint.answers = [lambda asked: told(*([[1.0, 2.0]] * len(asked["input"])))]
    path = str(folder / "tacit.db")
    with library.open(path, by="ada", yes=True) as memories:
        memories.add_many(["Water the plants.", "Feed the cat."])
    if not there:
        endpoint.close()
    env = {**os.environ, "TACIT_EMBEDDER": "openai:m", "TACIT_EMBEDDER_URL": endpoint.url}
    work(path, env, at_once=True)
    with library.open(path, by="ada", yes=True) as memories:
        made = memories.store.one("SELECT count(*) FROM vector")[0]
        failed = memories.store.one(
            "SELECT coalesce(sum(count), 0) FROM counter WHERE name = 'vectors_failed'"
        )[0]
    assert (made, failed) == ((2, 0) if there else (0, 1))
