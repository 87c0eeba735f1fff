"""Inspect AI's evaluation logs: `.json`, one value, and `.eval`, a zip with a file per sample."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.run import Cost, Run
from tacit.hosts.session import (
    DOCUMENT_LIMIT,
    Session,
    content_text,
    dict_at,
    document,
    list_at,
    text_at,
    time_of,
    token_count,
)
from tacit.hosts.source import Source, json_record

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "inspect"
ZIP = b"PK\x03\x04"
HEADER, START = "header.json", "_journal/start.json"
RIGHT, WRONG = ("C", "correct", "pass", "passed"), ("I", "incorrect", "fail", "failed", "N")


def detect(source: Source) -> float:
    """How sure we are that this is an evaluation's log."""
    head = source.head()
    if head.startswith(ZIP):
        return (
            0.95
            if b"_journal/" in head[:4096]
            or b"samples/" in head[:4096]
            or b"header.json" in head[:4096]
            else 0.0
        )
    if not head.lstrip().startswith(b"{"):
        return 0.0
    return 0.93 if b'"eval"' in head and _LOG.search(head) else 0.0


_LOG = re.compile(rb'"status"\s*:\s*"(?:started|success|cancelled|error)".*?"eval"\s*:\s*\{', re.S)


def read(source: Source) -> Iterator[Run]:
    """The samples of a log, each a run."""
    if source.head(4) == ZIP:
        yield from _zipped(source)
        return
    log = document(source)
    for index, sample in enumerate(list_at(log, "samples"), 1):
        if type(sample) is dict:
            yield _run(source, dict_at(log, "eval"), sample, f"samples/{index}")


def _zipped(source: Source) -> Iterator[Run]:
    """One sample after the other; a log without a header belongs to an evaluation that is still under way or crashed."""
    with source.open() as file:
        try:
            archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError):
            return
        names = archive.namelist()
        said = _member(archive, HEADER) or _member(archive, START) or {}
        unread = 0
        for name in names:
            if not name.startswith("samples/") or not name.endswith(".json"):
                continue
            sample = _member(archive, name)
            if sample is None:
                unread += 1
                continue
            run = _run(source, dict_at(said, "eval"), sample, name.removesuffix(".json"), unread)
            unread = 0
            yield run


def _member(archive: zipfile.ZipFile, name: str) -> Record | None:
    try:
        if archive.getinfo(name).file_size > DOCUMENT_LIMIT:
            return None
        return json_record(archive.read(name))
    except (
        KeyError,
        OSError,
        EOFError,
        ValueError,
        NotImplementedError,
        RuntimeError,
        zipfile.BadZipFile,
    ):
        return None


def _run(source: Source, about: Record, sample: Record, place: str, unread: int = 0) -> Run:
    """One sample as a run."""
    one = Session(NAME)
    name = str(sample.get("id", place))
    task = text_at(about, "task")
    one.root = f"{text_at(about, 'eval_id', 'run_id') or task}/{name}"
    one.id = f"{one.root}/{sample.get('epoch', 1)}"
    one.lines, one.malformed, one.complete = 1, unread, True
    one.model(text_at(about, "model"))
    one.version = text_at(dict_at(about, "packages"), "inspect_ai")
    one.seen_at(time_of(sample, "started_at") or time_of(about, "created"))
    one.seen_at(time_of(sample, "completed_at"))
    one.task = content_text(
        sample.get("input") if isinstance(sample.get("input"), str) else _last_asked(sample)
    )
    for index, message in enumerate(list_at(sample, "messages"), 1):
        one.at(f"{place}/messages/{index}")
        if type(message) is dict:
            _message(one, message)
    error = dict_at(sample, "error")
    if error:
        one.at(f"{place}/error")
        one.say("system", text_at(error, "message", "traceback") or "error")
    one.outcome = "failure" if error else _outcome(dict_at(sample, "scores"))
    one.spent = _cost(dict_at(sample, "model_usage"))
    return one.run(source, task_id=name, task_type=task)


def _last_asked(sample: Record) -> str:
    asked = [
        content_text(each["content"])
        for each in list_at(sample, "input")
        if text_at(each, "role") == "user" and "content" in each
    ]
    return asked[-1] if asked else ""


def _message(one: Session, message: Record) -> None:
    role, text = text_at(message, "role"), content_text(message.get("content"))
    if role == "user":
        one.ask(text)
    elif role == "assistant":
        one.say("assistant", text)
        for call in list_at(message, "tool_calls"):
            if type(call) is dict:
                one.call(
                    text_at(call, "id"),
                    text_at(call, "function", "name") or "tool",
                    call.get("arguments"),
                )
    elif role == "tool":
        error = dict_at(message, "error")
        failed = bool(error)
        one.answered(
            text_at(message, "tool_call_id"), text_at(error, "message") or text, failed=failed
        )
    elif role == "system":
        one.say("system", text)
    else:
        one.odd(f"message.{role}")


def _outcome(scores: Record) -> str:
    """Success where every score says so, failure where one says the opposite; partial marks say neither."""
    said = {_verdict(score.get("value")) for score in scores.values() if type(score) is dict}
    if "failure" in said:
        return "failure"
    return "success" if said == {"success"} else "unknown"


def _verdict(mark: Any) -> str:
    if mark is True or mark in RIGHT or (type(mark) in (int, float) and mark == 1):
        return "success"
    if mark is False or mark in WRONG or (type(mark) in (int, float) and mark == 0):
        return "failure"
    return "unknown"


def _cost(usage: Record) -> Cost:
    found = list(usage.values())
    read = sum(token_count(each, "input_tokens_cache_read") for each in found)
    return Cost(
        sum(token_count(each, "input_tokens") for each in found),
        sum(token_count(each, "output_tokens") for each in found),
        read,
        sum(token_count(each, "input_tokens_cache_write") for each in found),
    )
