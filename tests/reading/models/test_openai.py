"""Against a real server that misbehaves to order: whatever it does, the answer is a text or one named failure, in time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tacit.core.errors import ModelUnavailable

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def model(endpoint: Any, **named: Any) -> Any:
    from tacit.reading.models.openai import OpenAI

    return OpenAI(endpoint.url, "m", named.pop("key", ""), named.pop("key_env", ""))


def failure(endpoint: Any, timeout: float = 5.0, **named: Any) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as caught:
        model(endpoint, **named).answer("hello", None, timeout)
    return caught.value


def test_an_answer_comes_with_its_price(endpoint: Any) -> None:
    """The text and the tokens as the server counts them; the key goes into the header and nowhere else."""
    endpoint.answers = ["fine"]
    reply = model(endpoint, key="s3cret", key_env="K").answer("hello", SCHEMA, 5.0)
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("fine", 11, 7)
    asked = endpoint.asked[0]
    assert asked["messages"] == [{"role": "user", "content": "hello"}]
    assert asked["response_format"]["json_schema"]["schema"] == SCHEMA
    assert endpoint.headers[0]["authorization"] == "Bearer s3cret"
    assert "s3cret" not in json.dumps(asked)


def test_without_a_key_no_header_is_sent(endpoint: Any) -> None:
    """A local server needs none; one that is named and not set is a failure before anything is sent."""
    model(endpoint).answer("hello", None, 5.0)
    assert "authorization" not in endpoint.headers[0]
    assert failure(endpoint, key_env="TACIT_TEST_KEY").why == "key"
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize(
    ("told", "left"),
    [
        (b'{"error": "response_format is not supported"}', {"temperature", "max_tokens"}),
        (
            b'{"error": "Unsupported parameter: max_tokens, use max_completion_tokens"}',
            {"temperature", "response_format"},
        ),
        (b"no", set()),
    ],
)
def test_what_a_server_refuses_by_name_is_left_out_from_then_on(
    endpoint: Any, told: bytes, left: set[str]
) -> None:
    """JSON schemas, temperatures and limits are wishes; a server that names none is asked without any."""
    endpoint.answers = [(400, {}, told), "one", "two"]
    asked = model(endpoint)
    assert asked.answer("hello", SCHEMA, 5.0).text == "one"
    assert asked.answer("hello", SCHEMA, 5.0).text == "two"
    for body in endpoint.asked[1:]:
        assert set(body) & {"response_format", "temperature", "max_tokens"} == left


def test_a_server_that_refuses_everything_is_asked_no_more_often_than_it_has_options(
    endpoint: Any,
) -> None:
    """400 again with nothing left to leave out is a failure."""
    endpoint.answers = [(400, {}, b"no")]
    assert failure(endpoint).why == "http_400"
    assert len(endpoint.asked) == 2


def test_a_fault_is_told_without_secrets_and_a_pause_is_handed_on(endpoint: Any) -> None:
    """Nobody asks before the server's time; who asks again is not decided here."""
    endpoint.answers = [(429, {"retry-after": "120"}, b"slow down")]
    told = failure(endpoint)
    assert (told.why, told.after) == ("rate_limited", 120.0)
    endpoint.answers = [(500, {}, b"token=ghp_16C7e42F292c6912E7710c838347Ae178B4a broke")]
    told = failure(endpoint)
    assert (told.why, len(endpoint.asked)) == ("http_500", 2)
    assert "ghp_" not in told.message


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b"\xff\xfe",
        b"[" * 200_000,
    ],
)
def test_what_is_no_chat_completion_is_garbage(endpoint: Any, raw: bytes) -> None:
    """Half JSON, wrong types and deep nesting are one failure, and are not asked again."""
    endpoint.answers = [raw]
    assert failure(endpoint).why == "garbage"
    assert len(endpoint.asked) == 1


def test_an_answer_in_parts_is_joined(endpoint: Any) -> None:
    """Some servers give a list of parts."""
    endpoint.answers = [
        b'{"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]}'
    ]
    reply = model(endpoint).answer("hello", None, 5.0)
    assert (reply.text, reply.tokens_in) == ("ab", -1)


def test_a_redirect_is_not_followed(endpoint: Any) -> None:
    """Neither the text nor the key goes to a host that nobody named."""
    endpoint.answers = [(307, {"location": f"{endpoint.url}/elsewhere"}, b"")]
    assert failure(endpoint, key="s3cret", key_env="K").why == "redirect"
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("kind", ["flood", "drip"])
def test_an_answer_has_a_size_and_a_time(endpoint: Any, kind: str) -> None:
    """A hundred megabytes are cut off; a byte now and then does not keep us."""
    endpoint.answers = [(200, {}, kind)]
    assert failure(endpoint, timeout=30.0 if kind == "flood" else 0.4).why == (
        "too_large" if kind == "flood" else "timeout"
    )


def test_silence_ends_when_the_time_is_over(endpoint: Any) -> None:
    endpoint.answers = [30]
    before = time.monotonic()
    assert failure(endpoint, timeout=0.3).why == "timeout"
    assert time.monotonic() - before < 10  # far below the server's silence


def test_a_dead_endpoint_is_dead(endpoint: Any) -> None:
    endpoint.close()
    assert failure(endpoint).why == "dead"


@pytest.mark.parametrize("url", ["", "ftp://x/v1", "file:///etc/passwd", "localhost:8080/v1"])
def test_what_is_no_endpoint_is_not_asked(url: str) -> None:
    """Only http and https."""
    from tacit.reading.models.openai import OpenAI

    with pytest.raises(ModelUnavailable) as caught:
        OpenAI(url, "m").answer("hello", None, 1.0)
    assert caught.value.why == "url"
