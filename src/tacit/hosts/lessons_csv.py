"""Lessons as CSV (RFC 4180): a line of names, then a lesson a record; lists and objects are JSON in their cell.

A spreadsheet runs what begins like a formula: such a cell gets an apostrophe in front, and loses it on the way in.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from tacit.core.errors import Damaged
from tacit.core.exchange import Note, Row, Skipped
from tacit.hosts.lessons import FACTS, facts, lesson_rows, taken
from tacit.hosts.lessons import NAMESPACE as NAMESPACE
from tacit.hosts.source import Source

NAME = "csv"
PARTS = {"lessons": "tacit-lessons.csv"}
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠'")
DELIMITERS = ",;\t"  # what spreadsheets save by the user's region
CELL = 1 << 24  # characters; the standard library stops at an eighth of the longest lesson


def holds(source: Source) -> float:
    """How sure we are that this is a table of lessons."""
    if not source.name.lower().endswith((".csv", ".tsv")) and source.path != "-":
        return 0.0
    first = source.head(4096).decode("utf-8-sig", "replace").splitlines()[:1]
    return (
        0.9
        if first and any("text" in first[0].replace('"', "").split(each) for each in DELIMITERS)
        else 0.0
    )


def memories(source: Source) -> Iterator[Row | Skipped | Note]:
    """The lesson of each record."""
    with source.open() as file:
        raw = file.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Damaged(
            f"{source.path} is not UTF-8: {error}.", "Save it as CSV in UTF-8."
        ) from error
    csv.field_size_limit(CELL)
    head = text.partition("\n")[0].rstrip("\r").replace('"', "")
    delimiter = next((each for each in DELIMITERS if "text" in head.split(each)), ",")
    found = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = next(found, [])
        if "text" not in names or len(set(names)) < len(names):
            raise Damaged(
                f"{source.path} has no column text, or one twice.",
                "The first line names the columns: id,text,kind …",
            )
        unknown = [name for name in names if name not in FACTS]
        if unknown:
            yield Note(
                f"{source.path}: columns that are not ours were left aside: {', '.join(unknown)[:200]}"
            )
        for cells in found:
            if cells:
                yield _taken(names, cells, f"line:{found.line_num}")
    except csv.Error as error:
        raise Damaged(
            f"{source.path} is not CSV, line {found.line_num}: {error}.",
            "Nothing was changed; mend that line.",
        ) from error


def _taken(names: list[str], cells: list[str], place: str) -> Row | Skipped:
    if len(cells) != len(names):
        return Skipped(place, f"{len(cells)} cells under {len(names)} names")
    told = {}
    for name, cell in zip(names, cells):
        if name in FACTS and cell:
            try:
                told[name] = _field(FACTS[name], cell.removeprefix("'"))
            except (ValueError, RecursionError):
                return Skipped(
                    place, f"{name} holds {cell[:60]!r}, which is no {FACTS[name].__name__}"
                )
    return taken(told, place)


def _field(kind: type, cell: str) -> Any:
    if kind is str:
        return cell
    if kind is bool:
        return (
            {"true": True, "false": False}[cell.lower()]
            if cell.lower() in ("true", "false")
            else _no(cell)
        )
    return json.loads(cell, parse_constant=_no)


def _no(cell: str) -> Any:
    raise ValueError(cell)


def dump(items: Iterable[object], part: str = "", now: str = "") -> str:
    """The table."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(FACTS)
    for row in lesson_rows(items):
        writer.writerow([_cell(field) for field in facts(row).values()])
    return out.getvalue()


def _cell(field: Any) -> str:
    if isinstance(field, str):
        return "'" + field if field.startswith(FORMULA_STARTS) else field
    if isinstance(field, bool):
        return "true" if field else "false"
    return (
        ""
        if field in (None, [], {})
        else json.dumps(field, ensure_ascii=False, separators=(",", ":"))
    )
