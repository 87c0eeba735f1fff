"""JUnit XML, what a test run says: every report is a run, every test that failed a finding.

Read by expat, one element after the other. A document that declares a type or an entity is refused where it does so: a report
needs neither, and both have been used to read other files and to fill the memory. The tests are an instrument for the lessons
they gave themselves, also where all of them passed. A test that failed and passed when it ran again is told as flaky.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat

from tacit.core.digest import digest
from tacit.core.run import Finding, Reading, Run
from tacit.formats.session import reported
from tacit.formats.source import Source
from tacit.words.diagnose import in_our_words
from tacit.words.signature import signature

NAME = "junit"
_LARGEST = 64 * 1024 * 1024  # bytes of a report
_PATH = r"[\w@.+-]+(?:/[\w@.+-]+)*"  # of a file that a lesson names
_XML_DEPTH = 30  # elements inside each other
_MOST = 500  # failed tests of one report that are told
_QUOTED = 4000  # characters of a failure's text that are looked at
FAILED_CASES = {
    "failure": "bug",
    "error": "bug",
    "rerunFailure": "warning",
    "flakyFailure": "warning",
    "flakyError": "warning",
    "rerunError": "warning",
}
FLAKY = ("flakyFailure", "flakyError")


def detect(source: Source) -> float:
    """How sure we are: the first element is a suite of tests."""
    head = _plain(source.head(8192))
    return 0.9 if _FIRST_TAG.match(head) else 0.0


_FIRST_TAG = re.compile(
    r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<(?:testsuites|testsuite)[\s>/]",
    re.S,
)


def _plain(raw: bytes) -> str:
    """The beginning as text, whatever its encoding; only for recognising it."""
    wide = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    return raw.decode("utf-16" if wide else "utf-8", "replace").lstrip("\ufeff")


class _Refused(Exception):
    """The document holds something that a report has no use for."""


def read(source: Source) -> Iterator[Run]:
    """The report as one run; what could not be read of it is said in its reading."""
    report = _Report()
    raw = b""
    with source.open() as file:
        raw = file.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        report.warnings.append(
            f"the report is longer than {_LARGEST:,} bytes; nothing of it was read"
        )
    else:
        report.parse(raw)
    yield report.run(source, digest("junit", raw[:_LARGEST]).hex()[:12])


class _Report:
    """A report while it is read."""

    def __init__(self) -> None:
        self.suite = self.started = ""
        self.tests = self.malformed = self.left_out = 0
        self.case: dict[str, str] = {}
        self.told: list[tuple[str, dict[str, str], str]] = []  # kind of failure, attributes, text
        self.inside = ""  # the failure whose text is being read
        self.text: list[str] = []
        self.chars = 0
        self.findings: list[Finding] = []
        self.failed = False
        self.warnings: list[str] = []
        self.depth = 0

    def parse(self, raw: bytes) -> None:
        """Read as far as it goes."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._data
        parser.StartDoctypeDeclHandler = lambda *given: self._refuse("a document type")
        parser.EntityDeclHandler = lambda *given: self._refuse("an entity")
        parser.ExternalEntityRefHandler = lambda *given: self._refuse("another document")  # type: ignore[assignment]
        try:
            parser.Parse(raw, True)
        except _Refused as refused:
            self.malformed += 1
            self.findings.clear()
            self.warnings.append(
                f"refused: the report declares {refused}, which no test report needs; nothing of it was taken"
            )
        except (expat.ExpatError, ValueError, LookupError) as error:
            self.malformed += 1
            self.warnings.append(
                f"the report is not well-formed XML ({error}); what stands before it was read"
            )

    def _refuse(self, what: str) -> None:
        raise _Refused(what)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > _XML_DEPTH:
            self._refuse(f"more than {_XML_DEPTH} elements inside each other")
        kind = name.rpartition("}")[2].rpartition(":")[2]
        if kind in ("testsuites", "testsuite"):
            self.suite = self.suite or attributes.get("name", "")
            self.started = self.started or attributes.get("timestamp", "")
        elif kind == "testcase":
            self.case, self.told = attributes, []
            self.tests += 1
        elif kind in FAILED_CASES and self.case:
            self.inside, self.text, self.chars = kind, [], 0
            self.told.append((kind, attributes, ""))

    def _data(self, text: str) -> None:
        if self.inside and self.chars < _QUOTED:
            self.text.append(text[: _QUOTED - self.chars])
            self.chars += len(text)

    def _end(self, name: str) -> None:
        self.depth -= 1
        kind = name.rpartition("}")[2].rpartition(":")[2]
        if kind == self.inside:
            failure, attributes, _ = self.told[-1]
            self.told[-1] = (failure, attributes, "".join(self.text))
            self.inside = ""
        elif kind == "testcase":
            self._finish()
            self.case = {}

    def _finish(self) -> None:
        """One test is over; of its failures the first is told."""
        if not self.told:
            return
        kind, attributes, text = self.told[0]
        flaky = all(each in FLAKY for each, _, _ in self.told)
        self.failed = self.failed or not flaky
        if len(self.findings) >= _MOST:
            self.left_out += 1
            return
        file = self.case.get("file", "").replace("\\", "/").removeprefix("./")[:400]
        named = (
            ".".join(
                part for part in (self.case.get("classname", ""), self.case.get("name", "")) if part
            )[:200]
            or "a test"
        )
        error = _error(attributes, text)
        how = "failed, and passed when it ran again" if flaky else "failed"
        known = _recognised(attributes, error)
        told = f"{_shown(named, file)} {how}{known and f': {known}'}."
        self.findings.append(
            Finding(
                "",
                f"testcase:{named}",
                told,
                by="test",
                tier="review",
                severity=FAILED_CASES[kind],
                tags=("flaky",) if flaky else (),
                paths=(file,) if file else (),
                signature=signature(error),
                quote=" ".join((text or attributes.get("message", "")).split())[:400],
            )
        )

    def run(self, source: Source, print: str) -> Run:
        more = (
            [f"{self.left_out} failed tests beyond the first {_MOST} were left out"]
            if self.left_out
            else []
        )
        outcome = (
            "failure"
            if self.failed
            else "success"
            if self.tests and not self.malformed
            else "unknown"
        )
        id = f"{self.suite[:80] or 'tests'}:{print}"
        reading = Reading(self.tests, self.malformed, warnings=(*self.warnings, *more))
        at = self.started if re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", self.started) else ""
        looked = bool(self.tests) and not self.malformed
        facts = {"agent": "test", "outcome": outcome, "started_at": at, "reading": reading}
        return reported(NAME, id, source, self.findings, looked, **facts)


def _shown(named: str, file: str) -> str:
    """A test as a lesson names it: by its identifier; a title of several words is anybody's sentence, and its file stands for it."""
    if re.fullmatch(r"[\w.:/\[\]-]{1,160}", named):
        return f"`{named}`{f' in {file}' if file and re.fullmatch(_PATH, file) else ''}"
    return f"A test in {file}" if re.fullmatch(_PATH, file) else "A test"


def _recognised(attributes: dict[str, str], error: str) -> str:
    """What a grammar knows of a failure: its message is written by whoever writes the test."""
    kind = attributes.get("type", "").rpartition(".")[2]
    return in_our_words(error) or (kind if re.fullmatch(r"[A-Za-z_]\w{2,59}", kind) else "")


def _error(attributes: dict[str, str], text: str) -> str:
    """What went wrong, on one line: the failure's type and message, or the last line of its text that says something."""
    message = attributes.get("message", "").strip()
    if not message:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        message = next(
            (
                line
                for line in reversed(lines)
                if re.match(r"E?\s*[\w.]+(?:Error|Exception|Failure)\b", line)
            ),
            lines[-1] if lines else "",
        )
    kind = attributes.get("type", "").rpartition(".")[2]
    first = message.splitlines()[0] if message else ""
    said = first if not kind or kind in first else f"{kind}: {first}" if first else kind
    return " ".join(said.replace("`", "'").split())[:240]
