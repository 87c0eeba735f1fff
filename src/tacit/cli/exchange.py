"""data import, data export: lessons, and memories of other systems, in and out."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from tacit import formats
from tacit.cli import Answer, Cli
from tacit.cli.parsing import declared
from tacit.cli.words import one_line, table
from tacit.core.errors import NotFound, UsageError, numbered
from tacit.core.memory import TIERS
from tacit.formats.source import BytesSource
from tacit.screens.views import picked

if TYPE_CHECKING:
    import argparse

    from tacit.origins.intake import TakenIn


def _import(args: argparse.Namespace, cli: Cli) -> Answer:
    found: list[tuple[str, TakenIn]] = []
    with cli.open(args) as memories:
        for path in args.paths:
            source = BytesSource(sys.stdin.buffer.read()) if path == "-" else path
            reports = memories.import_(
                source, format=args.format or "", trust=args.trust or "", dry_run=args.dry_run
            )
            _taken(reports)
            found += [(report.path if report.path != "-" else path, report) for report in reports]
    return Answer(
        {"files": [_json(path, each) for path, each in found]},
        _text(found, args.dry_run),
        warnings=_notes(found),
    )


def _taken(reports: list[TakenIn]) -> None:
    """Refuse what nothing at all was taken from, by the first fault in it: whoever named it meant something to be there."""
    if any(each.kept or each.already or each.updated or each.audits for each in reports):
        return
    first = next((each for each in reports if each.skipped or _is_empty(each.path)), None)
    if first is not None:
        fault = next((f"{at.place}: {at.reason}" for at in first.faults if not at.field), "")
        where = "standard input" if first.path == "-" else first.path
        raise formats.nothing_of(where, first.format, fault or "it is empty")


def _is_empty(path: str) -> bool:
    return path != "-" and os.path.isfile(path) and not os.path.getsize(path)


def _json(path: str, each: TakenIn) -> dict[str, Any]:
    at = {**each.__dict__, "kept": list(each.kept), "warnings": list(each.warnings), "path": path}
    return {**at, "faults": [dict(fault.__dict__) for fault in each.faults]}


def _notes(found: list[tuple[str, TakenIn]]) -> list[str]:
    notes = [note for _, each in found for note in each.warnings]
    for path, each in found:
        notes += [
            f"{path} {fault.place}: {'field ' + fault.field + ': ' if fault.field else 'left out: '}{one_line(fault.reason, 120)}"
            for fault in each.faults[:10]
        ]
    for path in dict.fromkeys(path for path, each in found if each.held):
        own = "tacit review" if path == "-" else f"tacit data import {path} --trust user"
        notes.append(
            f"held lessons are given to nobody until a person says so at a terminal: {own} if they are theirs"
        )
    return notes


def _text(found: list[tuple[str, TakenIn]], dry_run: bool) -> str:
    # a column's head -> the field that it shows
    counts = {
        "already": "already",
        "renewed": "updated",
        "held": "held",
        "quarantined": "quarantined",
        "audits": "audits",
    }
    counts |= {"left out": "skipped", "fields mended": "fields", "redacted": "redacted"}
    rows = [
        [
            one_line(path, 50),
            each.format,
            str(len(each.kept)),
            *map(str, picked(each, *counts.values()).values()),
        ]
        for path, each in found
    ]
    return table(rows, ("file", "format", "kept", *counts)) + (
        "\nnothing was changed" if dry_run else ""
    )


def _export(args: argparse.Namespace, cli: Cli) -> Answer:
    if args.format == "?":
        known = {name: list(formats.exchange(name).PARTS) for name in formats.exchanging()}
        return Answer(
            known,
            table([[name, ", ".join(parts)] for name, parts in known.items()], ("format", "parts")),
        )
    if args.out and args.part:
        raise UsageError("--out writes every part.", "Leave out --part, or redirect the output.")
    with cli.open(args, create=False) as memories:
        if memories.project is None:
            raise NotFound(
                "Nothing is kept for this project.",
                "tacit projects lists those that have something.",
            )
        if not args.out:
            text = memories.export(args.format, args.part or "")
            if not cli.json:
                cli.out.write(text)
                cli.out.flush()
            return Answer({"format": args.format, "text": text}, printed=not cli.json)
        texts = memories.export_files(args.format)
        done = memories.write_files(
            args.format, {_place(args.out, file, len(texts)): text for file, text in texts.items()}
        )
    told = [
        f"{each.path}: {each.size:,} bytes{f'; what it replaced: {each.copy}' if each.copy else ''}"
        for each in done
    ]
    data = {
        "format": args.format,
        "files": [each.path for each in done],
        "copies": [each.copy for each in done if each.copy],
    }
    return Answer(data, "\n".join(told))


def _place(out: str, file: str, files: int) -> str:
    """Where a file goes: into the folder that was named, or to the very file where there is only one of that kind."""
    ending = os.path.splitext(file)[1]
    if files == 1 and os.path.splitext(out)[1] == ending and not os.path.isdir(out):
        return out
    if (os.path.exists(out) and not os.path.isdir(out)) or (files > 1 and out.endswith(ending)):
        told = f"{out} is a file" if os.path.exists(out) else f"{out} is a file's name"
        raise UsageError(
            f"{told}, and --out names the folder for {numbered(files, 'file')} here.",
            f"--out {os.path.dirname(out) or '.'}",
        )
    return os.path.join(out, *file.split("/"))


COMMANDS = declared({"data-import": _import, "data-export": _export}, TIERS=TIERS[::-1])
