"""What failed in a JUnit report, as neutral findings: one way to hand Tacit what another tool found.

    pytest --junitxml report.xml
    python findings.py report.xml | tacit learn - --format neutral --as "$USER"

`--as` is your word that the report is yours. With `--run R` behind it the findings belong to the
agent's run R, also after that was learned: `joins` says so, and `instruments` that these tests
were run at all, so that their silence speaks for the lessons that tests gave.
"""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any


def neutral(report: ElementTree.Element) -> Iterator[dict[str, Any]]:
    """The report as a neutral run: docs/formats/neutral.md."""
    suite = report if report.tag == "testsuite" else report.find("testsuite")
    at = suite.get("timestamp", "") if suite is not None else ""
    instruments = ["review:test:own"]
    yield {"type": "run", "id": f"tests {at}", "joins": True, "instruments": instruments}
    outcome = "success"
    for case in report.iter("testcase"):
        wrong = next((part for part in case if part.tag in ("failure", "error")), None)
        if wrong is None:
            continue
        outcome = "failure"
        name = f"{case.get('classname', '')}.{case.get('name', '')}".strip(".")
        yield {
            "type": "finding",
            "text": f"The test `{name}` failed.",
            "by": "test",
            "paths": [case.get("file")] if case.get("file") else [],
            "quote": wrong.get("message") or wrong.text or "",
        }
    yield {"type": "end", "outcome": outcome}


if __name__ == "__main__":
    for row in neutral(ElementTree.parse(sys.argv[1]).getroot()):
        print(json.dumps(row))
