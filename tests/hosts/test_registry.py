"""The registry: formats are named without being imported, and the surest of a file gets it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tacit.hosts import formats
from tacit.hosts.source import BytesSource

SESSION = json.dumps(
    {"type": "user", "sessionId": "s-1", "uuid": "u", "message": {"role": "user", "content": "hi"}},
).encode()
NEUTRAL = b'{"type": "run", "id": "r-1", "task": "hi"}\n'
ELSEWHERE = BytesSource(b"%PDF-1.7\n", "/x/paper.pdf")


@pytest.mark.parametrize(
    ("data", "name"),
    [(SESSION, "claude-code"), (NEUTRAL, "neutral"), (b"%PDF-1.7\n", None), (b"", None)],
)
def test_the_surest_format_gets_the_file(data: bytes, name: str | None) -> None:
    """Each file is recognised by its own format, and one that no format knows by none."""
    assert formats.detect(BytesSource(data)) == name


def test_every_format_in_the_table_keeps_the_contract() -> None:
    """A listed module loads and is called what the table calls it."""
    assert [formats.get(name).NAME for name in formats.FORMATS] == list(formats.FORMATS)


def test_a_named_format_is_used_as_named() -> None:
    """A name overrides what the file looks like."""
    assert list(formats.read(BytesSource(SESSION), "neutral")) == []


def test_an_unknown_file_says_what_was_found_and_what_to_do() -> None:
    """The error names the file, its beginning, the option and the formats there are."""
    with pytest.raises(formats.UnknownFormat) as raised:
        formats.read(ELSEWHERE)
    assert "/x/paper.pdf" in raised.value.message and "%PDF-1.7" in raised.value.message
    assert "--format" in raised.value.hint and "claude-code" in raised.value.hint


def test_an_unknown_name_lists_the_known_ones() -> None:
    """A misspelled format gets the list of formats."""
    with pytest.raises(formats.UnknownFormat, match="'claude'") as raised:
        formats.read(BytesSource(SESSION), "claude")
    assert "neutral" in raised.value.hint


def test_the_table_imports_no_format() -> None:
    """Importing the registry loads none of the modules it names."""
    code = "import sys, tacit.hosts.formats as f; print([m for m in f.FORMATS.values() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
