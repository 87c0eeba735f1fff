"""What was written before the rules knew a secret is redacted once they do, and doctor says how much."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import open as open_memories

from tacit.store.readings import readings_folder
from tacit.store.redact_again import RedactedAgain

SECRET = "7f3a9c1e5b7d2f4a6c8e" + "0b1d3f5a7c9e1b3d5f70"
LINE = f"The routers answer to meraki: {SECRET}, say it to the dashboard first."


@pytest.fixture
def written(kept: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lesson, its journal and a reading from a day when no rule knew the secret."""
    with monkeypatch.context() as older:
        older.setattr("tacit.safety.redact.gitleaks", lambda text, low: ())
        older.setattr("tacit.store.redact_again.rules_version", lambda: "older")
        with open_memories(by="ada", yes=True) as memories:
            assert memories.add(LINE).text == LINE
            place = Path(readings_folder(memories.store.path))
            place.mkdir(exist_ok=True)
            held = {"run": "r1", "lines": [[1, "U", LINE]], "project": "h7bc1wv2x32q"}
            (place / "r1.json.gz").write_bytes(gzip.compress(json.dumps(held).encode()))
            assert memories.redact_again() == RedactedAgain(0, 0)
    return place


def on_disk(place: Path) -> list[str]:
    """The files of the data folder in which the secret stands."""
    found = []
    for path in sorted(place.parent.rglob("*")):
        raw = path.read_bytes() if path.is_file() else b""
        text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        found += [path.name] if SECRET.encode() in text else []
    return found


def test_doctor_redacts_again_when_the_rules_changed(kept: Any, written: Path) -> None:
    """Row, journal, full text and the session as it was read; once; the words around the secret stay."""
    assert on_disk(written)
    data = json.loads(kept("doctor", "--json").out)["data"]
    assert data["redacted_again"]["rows"] >= 2 and data["redacted_again"]["files"] == 1
    assert on_disk(written) == []
    lessons = json.loads(kept("list", "--json").out)["data"]["memories"]
    [lesson] = [each for each in lessons if "routers" in each["text"]]
    assert lesson["text"] == LINE.replace(SECRET, "[redacted:cisco-meraki-api-key]")
    assert lesson["id"] in kept("recall", "how do the routers answer to the dashboard").out
    reading = json.loads(gzip.decompress((written / "r1.json.gz").read_bytes()))
    assert reading["project"] == "h7bc1wv2x32q"
    assert json.loads(kept("doctor", "--json").out)["data"]["redacted_again"] is None
    assert kept("doctor").code == 0


def test_doctor_says_how_many(kept: Any, written: Path) -> None:
    """A sentence beside what else a person should know."""
    said = kept("doctor")
    assert "the rules for secrets are new" in said.out + said.err
    assert os.path.exists(written)
