"""data import, data export: lessons, and memories of other systems, in and out."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import one_line, table
from tacit.core.errors import NotFound, UsageError, numbered
from tacit.hosts import formats
from tacit.hosts.source import BytesSource
from tacit.lesson import TIERS
from tacit.origins import exchange
from tacit.screens.views import picked
from tacit.store.foreign import is_database

if TYPE_CHECKING:
    from tacit.origins.intake import TakenIn
    from tacit.store.old import Taken


@verb(
    "import",
    "take in lessons, of ours or another system's",
    end="""Everything that is named comes in, in one transaction, or nothing does.

examples:
  tacit data import FOLDER --trust user
  tacit data import lessons.jsonl --dry-run
  tacit data import lessons.jsonl --trust user""",
    long=True,
)
@arg(
    "paths",
    metavar="PATH",
    nargs=-1,
    required=True,
    help="files of memories, or their folder; - reads standard input",
)
@opt(
    "--format",
    metavar="FORMAT",
    help="the system they come from, where it cannot be told from the file",
)
@opt(
    "--trust",
    type=OneOf(TIERS),
    help=(
        "your word for your own store: user, team, review …; without it everything is held until "
        "you approve it"
    ),
)
@opt("--dry-run", is_flag=True, help="say what would be kept, change nothing")
def import_verb(args: Asked, cli: Cli) -> Answer:
    found: list[tuple[str, TakenIn]] = []
    with cli.open(args) as memories:
        if len(args.paths) == 1 and is_database(args.paths[0]):
            taken = exchange.import_store(memories, args.paths[0])
            return Answer({**picked(taken, _TAKEN)}, _store_text(taken))
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


_TAKEN = "lessons known entries evidence deliveries sessions failures questions projects"


def _store_text(taken: Taken) -> str:
    held = [f"{getattr(taken, name):,} {name}" for name in _TAKEN.split()[2:8]]
    known = f" ({taken.known:,} were here already)" if taken.known else ""
    return f"{numbered(taken.lessons, 'lesson')} taken in{known}, with {', '.join(held)}"


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


@verb(
    "export",
    "write this project's lessons to a file",
    end="""A file is replaced only if everything in it is in the store; a copy of it lies in Tacit's data folder afterwards.

examples:
  tacit data export --out lessons.jsonl
  tacit data export --format csv --out lessons.csv
  tacit data export --format NAME --out FOLDER""",
    long=True,
)
@opt(
    "--format",
    default="jsonl",
    metavar="FORMAT",
    help=(
        "jsonl: everything, to be imported again; csv, markdown: for people; or another system; "
        "? lists them"
    ),
)
@opt(
    "--part", metavar="PART", help="one of its files, for example archive; without it the main one"
)
@opt(
    "--out",
    metavar="PATH",
    help="the folder to write its files to, or the file where there is one: mine.csv",
)
def export_verb(args: Asked, cli: Cli) -> Answer:
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
                "tacit config projects lists those that have something.",
            )
        if not args.out:
            text = memories.export(args.format, args.part or "")
            if not cli.json:
                cli.out.write(text)
                cli.out.flush()
            return Answer({"format": args.format, "text": text}, printed=not cli.json)
        texts = exchange.export_files(memories, args.format)
        done = exchange.write_files(
            memories,
            args.format,
            {_place(args.out, file, len(texts)): text for file, text in texts.items()},
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
