"""SARIF 2.1.0, what static analysis found: each run of a tool is a run, each result a finding.

A result's lesson is its rule in the tool's own words; the place and the message are the evidence. One alert that stands in scan
after scan is one sighting: its fingerprint is the finding's origin. What was suppressed, or is absent against a baseline, is not
found. The tool that looked is an instrument for the lessons it gave itself, also where it found nothing.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.digest import short_hash
from tacit.core.run import Finding, Reading, Run, fold_severity
from tacit.formats.session import dict_at, document, list_at, reported, text_at, time_of
from tacit.formats.source import Source
from tacit.words.signature import signature

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "sarif"
_MOST = 2000  # results of one run; a scan that says more says nothing to a memory
_TEXT = 400  # characters of a lesson
_SARIF_LEVELS = {"error": "bug", "warning": "warning", "note": "recommendation", "none": "info"}
UNREADABLE = "this is no SARIF file that can be read: no JSON object, or too large"


def detect(source: Source) -> float:
    """How sure we are: a version 2.x, runs, and a tool with a driver, or the schema by its name."""
    head = source.head()
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return 0.0
    if _SCHEMA.search(head):
        return 0.95
    return 0.85 if _VERSION.search(head) and b'"runs"' in head and b'"driver"' in head else 0.0


_SCHEMA = re.compile(rb'"\$schema"\s*:\s*"[^"]*sarif[^"]*"', re.I)
_VERSION = re.compile(rb'"version"\s*:\s*"2\.\d')


def read(source: Source) -> Iterator[Run]:
    """The runs of a file; one that cannot be read is one run that says so."""
    log = document(source)
    if log is None:
        unread = Reading(malformed=1, warnings=(UNREADABLE,))
        yield Run(short_hash("sarif", source.path), NAME, path=source.path, reading=unread)
        return
    for number, run in enumerate(list_at(log, "runs"), 1):
        if type(run) is dict:
            yield _Scan(source, run, number).run()


class _Scan:
    """One run of one tool."""

    def __init__(self, source: Source, scan: Record, number: int) -> None:
        self.source, self.scan, self.number = source, scan, number
        driver = dict_at(dict_at(scan, "tool"), "driver")
        self.tool = text_at(driver, "name").strip().lower()[:60] or "analysis"
        self.version = text_at(driver, "semanticVersion", "version")[:60]
        self.rules = [rule for rule in list_at(driver, "rules") if type(rule) is dict]
        self.by_id = {text_at(rule, "id"): rule for rule in self.rules}
        self.skipped = self.malformed = 0

    def run(self) -> Run:
        results = list_at(self.scan, "results")
        found = [
            each
            for n, result in enumerate(results[:_MOST], 1)
            if (each := self._finding(result, n)) is not None
        ]
        times = [dict_at({"i": each}, "i") for each in list_at(self.scan, "invocations")]
        warnings = (
            [f"{len(results) - _MOST} results beyond the first {_MOST} were left out"]
            if len(results) > _MOST
            else []
        )
        warnings += [f"{self.skipped} results are suppressed or absent"] if self.skipped else []
        id = self._id(results)
        begun, ended = (times[0], times[-1]) if times else ({}, {})
        at = {
            "started_at": time_of(begun, "startTimeUtc"),
            "ended_at": time_of(ended, "endTimeUtc"),
        }
        reading = Reading(len(results), self.malformed, warnings=tuple(warnings))
        tool = {"agent": self.tool, "version": self.version}
        return reported(NAME, id, self.source, found, True, reading=reading, **tool, **at)

    def _id(self, results: list[Any]) -> str:
        """The scan's own name where it has one, otherwise what it says: the same scan again is the same run."""
        details = dict_at(self.scan, "automationDetails")
        named = text_at(details, "guid", "id").strip("/")
        revision = next(
            (
                text_at(each, "revisionId")
                for each in list_at(self.scan, "versionControlProvenance")
            ),
            "",
        )
        return f"{self.tool}:{short_hash(self.tool, named, revision, str(results))}"

    def _finding(self, result: Any, number: int) -> Finding | None:
        if type(result) is not dict:
            self.malformed += 1
            return None
        if (
            list_at(result, "suppressions")
            or text_at(result, "baselineState") == "absent"
            or text_at(result, "kind") in ("pass", "notApplicable")
        ):
            self.skipped += 1
            return None
        rule = self._rule(result)
        id = (
            text_at(rule, "id")
            or text_at(result, "ruleId")
            or text_at(dict_at(result, "rule"), "id")
        )
        message = self._message(result, rule)
        described = (
            _sentence(text_at(dict_at(rule, name), "text"))
            for name in ("shortDescription", "fullDescription")
        )
        # ruff's short description is the template of its message, the full one a page: its first sentence says what the rule is about.
        told = next((each for each in described if each and not _HOLE.search(each)), "") or message
        if not told.strip():
            self.malformed += 1
            return None
        path, line, snippet = self._place(result)
        level = (
            text_at(result, "level")
            or text_at(dict_at(rule, "defaultConfiguration"), "level")
            or "warning"
        )
        label = f"{self.tool} {id}".strip()
        where = f"{path}:{line}" if line else path
        return Finding(
            "",
            f"result:{self.number}/{number}",
            f"{label}: {' '.join(told.split())}"[:_TEXT],
            by=self.tool,
            tier="review",
            origin=f"{NAME}:{self._print(result, id, path, snippet)}",
            category="security" if self._is_security(rule, result) else "",
            severity=_SARIF_LEVELS.get(level, fold_severity(level)),
            tags=tuple(
                each[:40]
                for each in list_at(dict_at(rule, "properties"), "tags")[:5]
                if isinstance(each, str)
            ),
            paths=(path,) if path else (),
            signature=signature(f"error: {label}: {told}"),
            quote=f"{where}: {' '.join(message.split())}"[:400],
        )

    def _rule(self, result: Record) -> Record:
        id = text_at(result, "ruleId") or text_at(dict_at(result, "rule"), "id")
        if id in self.by_id:
            return self.by_id[id]
        index = result.get("ruleIndex", dict_at(result, "rule").get("index"))
        return self.rules[index] if type(index) is int and 0 <= index < len(self.rules) else {}

    def _message(self, result: Record, rule: Record) -> str:
        message = dict_at(result, "message")
        text = text_at(message, "text", "markdown")
        if not text and (id := text_at(message, "id")):
            text = text_at(dict_at(dict_at(rule, "messageStrings"), id), "text")
        for n, argument in enumerate(list_at(message, "arguments")):
            text = text.replace(f"{{{n}}}", str(argument)[:200])
        return text

    def _place(self, result: Record) -> tuple[str, int, str]:
        for location in list_at(result, "locations"):
            at = dict_at(location, "physicalLocation")
            region = dict_at(at, "region")
            line = region.get("startLine")
            snippet = text_at(dict_at(region, "snippet"), "text")
            if uri := text_at(dict_at(at, "artifactLocation"), "uri"):
                return _path(uri), line if type(line) is int else 0, snippet
        return "", 0, ""

    def _print(self, result: Record, rule: str, path: str, snippet: str) -> str:
        """The same alert again: by the tool's own fingerprints, otherwise by rule, file and code, never by its line."""
        prints = {**dict_at(result, "fingerprints"), **dict_at(result, "partialFingerprints")}
        return short_hash(
            self.tool,
            rule,
            path,
            str(sorted(prints.items())) if prints else " ".join(snippet.split()),
        )

    def _is_security(self, rule: Record, result: Record) -> bool:
        at = {**dict_at(rule, "properties"), **dict_at(result, "properties")}
        tags = [str(each).lower() for each in list_at(at, "tags")]
        return "security-severity" in at or "security" in tags


_HOLE = re.compile(r"\{\w*\}")  # a template's empty place


def _sentence(text: str) -> str:
    """What a rule is about: of a page in Markdown its first sentence, of a line the line."""
    if "\n" not in text.strip():
        return text.strip()
    parts = (part.strip() for part in re.split(r"\n\s*\n|^#.*$", text, flags=re.M))
    first = next((part for part in parts if part and not part.startswith("#")), "")
    return re.split(r"(?<=[.!?])\s", " ".join(first.split()), maxsplit=1)[0]


def _path(uri: str) -> str:
    """A file's path in the repository, where the URI says one."""
    plain = urllib.parse.unquote(uri.removeprefix("file://"))[:500]
    return plain.replace("\\", "/").removeprefix("./") if plain.isprintable() else ""
