"""Tables beside modules: what a line means, and that every module's file is read whole."""

from __future__ import annotations

from pathlib import Path

from tacit.core.tables import Tables


def test_a_file_of_tables_is_read(tmp_path: Path) -> None:
    """Names, reasons, lines that go on, words, rows, and a table that another holds; `{0,3}` is no table."""
    text = "[VERB]\n# what is done\nrun\nuse\n\n[ORDER]\n^(?:{VERB}) \\w{0,3}\n    |never\n[AB]x\n\n[PAIR]\nleft\tright one\n"
    (tmp_path / "cues.txt").write_text(text)
    tables = Tables(str(tmp_path / "cues.py"))
    assert tables.words("VERB") == {"run", "use"} and tables.text("VERB") == "run|use"
    assert tables.lines("ORDER") == ("^(?:run|use) \\w{0,3}|never", "[AB]x")
    assert [each.pattern for each in tables.patterns("ORDER")] == list(tables.lines("ORDER"))
    assert tables.pattern("ORDER").search("run it") and not tables.pattern("ORDER").search(
        "it runs"
    )
    assert tables.rows("PAIR") == (("left", "right one"),) and tables.named("PAIR") == {
        "left": "right one"
    }
