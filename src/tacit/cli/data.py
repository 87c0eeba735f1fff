"""data: lessons in and out, and copies of the store; the repairing half of doctor."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, Verbs, arg, opt, verb
from tacit.cli.words import one_line, table
from tacit.core.errors import NotFound, Refused, UsageError, numbered
from tacit.hosts import formats
from tacit.hosts.source import BytesSource
from tacit.learn import queries
from tacit.lesson import TIERS
from tacit.opened import store_path
from tacit.origins import exchange
from tacit.screens.views import picked
from tacit.store import safekeeping
from tacit.store.foreign import is_database

if TYPE_CHECKING:
    from tacit.origins.intake import TakenIn
    from tacit.store.backup import Backup

TAKEN = "lessons known entries evidence deliveries sessions failures questions projects"
# a column's head -> the field that it shows
COUNTS = {"already": "already", "renewed": "updated", "held": "held", "quarantined": "quarantined"}
COUNTS |= {"audits": "audits", "left out": "skipped", "fields mended": "fields"}
COUNTS |= {"redacted": "redacted"}
REBUILT = ("index", "tally")  # faults of what is derived from rows
FAULTS = 10  # of a file that are told one by one


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
@arg("paths", metavar="PATH", nargs=-1, required=True, help="files, or their folder; - reads stdin")
@opt("--format", default="", metavar="FORMAT", help="the system they come from")
@opt("--trust", type=OneOf(TIERS), default="", help="your word for them; without it they are held")
@opt("--dry-run", is_flag=True, help="say what would be kept, change nothing")
def import_verb(args: Asked, cli: Cli) -> Answer:
    found: list[tuple[str, TakenIn]] = []
    with cli.open(args) as memories:
        if len(args.paths) == 1 and is_database(args.paths[0]):
            taken = exchange.import_store(memories, args.paths[0])
            held = [f"{getattr(taken, name):,} {name}" for name in TAKEN.split()[2:8]]
            known = f" ({taken.known:,} were here already)" if taken.known else ""
            told = f"{numbered(taken.lessons, 'lesson')} taken in{known}, with {', '.join(held)}"
            return Answer(picked(taken, TAKEN), told)
        for path in args.paths:
            source = BytesSource(sys.stdin.buffer.read()) if path == "-" else path
            reports = memories.import_(
                source, format=args.format, trust=args.trust, dry_run=args.dry_run
            )
            _need_something(reports)
            found += [(report.path if report.path != "-" else path, report) for report in reports]
    files, rows = [], []
    for path, each in found:
        lists = {"kept": list(each.kept), "warnings": list(each.warnings), "path": path}
        faults = [dict(fault.__dict__) for fault in each.faults]
        files.append({**each.__dict__, **lists, "faults": faults})
        counts = picked(each, *COUNTS.values()).values()
        rows.append([one_line(path, 50), each.format, str(len(each.kept)), *map(str, counts)])
    text = table(rows, ("file", "format", "kept", *COUNTS))
    text += "\nnothing was changed" if args.dry_run else ""
    return Answer({"files": files}, text, warnings=_notes(found))


def _need_something(reports: list[TakenIn]) -> None:
    """Refuse what nothing at all was taken from, by the first fault in it: whoever named it meant something to be there."""
    if any(each.kept or each.already or each.updated or each.audits for each in reports):
        return
    for each in reports:
        is_file = each.path != "-" and os.path.isfile(each.path)
        if each.skipped or (is_file and not os.path.getsize(each.path)):
            faults = [f"{at.place}: {at.reason}" for at in each.faults if not at.field]
            where = "standard input" if each.path == "-" else each.path
            raise formats.nothing_of(where, each.format, (*faults, "it is empty")[0])


def _notes(found: list[tuple[str, TakenIn]]) -> list[str]:
    notes = [note for _, each in found for note in each.warnings]
    for path, each in found:
        for fault in each.faults[:FAULTS]:
            what = f"field {fault.field}" if fault.field else "left out"
            notes.append(f"{path} {fault.place}: {what}: {one_line(fault.reason, 120)}")
    for path in dict.fromkeys(path for path, each in found if each.held):
        own = "tacit review" if path == "-" else f"tacit data import {path} --trust user"
        told = "held lessons are given to nobody until a person says so at a terminal"
        notes.append(f"{told}: {own} if they are theirs")
    return notes


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
    help="jsonl, csv, markdown, another; ? lists them",
)
@opt("--part", default="", metavar="PART", help="one of its files; without it the main one")
@opt("--out", default="", metavar="PATH", help="the folder for its files, or the file: mine.csv")
def export_verb(args: Asked, cli: Cli) -> Answer:
    if args.format == "?":
        known = {name: list(formats.exchange(name).PARTS) for name in formats.exchanging()}
        rows = [[name, ", ".join(parts)] for name, parts in known.items()]
        return Answer(known, table(rows, ("format", "parts")))
    if args.out and args.part:
        raise UsageError("--out writes every part.", "Leave out --part, or redirect the output.")
    with cli.open(args, create=False) as memories:
        if memories.project is None:
            how = "tacit config projects lists those that have something."
            raise NotFound("Nothing is kept for this project.", how)
        if not args.out:
            text = memories.export(args.format, args.part)
            if not cli.json:
                cli.out.write(text)
                cli.out.flush()
            return Answer({"format": args.format, "text": text}, printed=not cli.json)
        texts = exchange.export_files(memories, args.format)
        placed = {_place(args.out, file, len(texts)): text for file, text in texts.items()}
        done = exchange.write_files(memories, args.format, placed)
    lines = []
    for each in done:
        was = f"; what it replaced: {each.copy}" if each.copy else ""
        lines.append(f"{each.path}: {each.size:,} bytes{was}")
    copies = [each.copy for each in done if each.copy]
    data = {"format": args.format, "files": [each.path for each in done], "copies": copies}
    return Answer(data, "\n".join(lines))


def _place(out: str, file: str, files: int) -> str:
    """Where a file goes: into the folder that was named, or to the very file where there is only one of that kind."""
    ending, is_folder = os.path.splitext(file)[1], os.path.isdir(out)
    if files == 1 and os.path.splitext(out)[1] == ending and not is_folder:
        return out
    if (os.path.exists(out) and not is_folder) or (files > 1 and out.endswith(ending)):
        told = f"{out} is a file" if os.path.exists(out) else f"{out} is a file's name"
        many = numbered(files, "file")
        how = f"--out {os.path.dirname(out) or '.'}"
        raise UsageError(f"{told}, and --out names the folder for {many} here.", how)
    return os.path.join(out, *file.split("/"))


@verb(
    "backup",
    "copy the store, and open the copy and look it through",
    end="""A backup counts only after it was opened and looked through. The worker makes one a day by itself; the last of
each of seven days is kept, away from the store, in the data folder.

examples:
  tacit data backup
  tacit data backup --list""",
    long=True,
)
@opt("--list", is_flag=True, help="the backups there are, newest first")
def backup_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        folder = safekeeping.folder_of(memories)
        if not args.list:
            made = safekeeping.backup(memories)
            told = f"backed up and verified: {made.name} ({made.bytes:,} bytes) in {folder}"
            return Answer({**_shown(made), "folder": folder}, told)
        found = safekeeping.backups(memories)
    rows = [[each.name, each.at[:16].replace("T", " "), f"{each.bytes:,}"] for each in found]
    none = f"no backups yet; they will lie in {folder}"
    data = {"folder": folder, "backups": [_shown(each) for each in found]}
    return Answer(data, table(rows, ("name", "when", "bytes")) if rows else none)


def _shown(backup: Backup) -> dict[str, Any]:
    return picked(backup, "name path number at bytes")


@verb(
    "restore",
    "put a backup back; what was there is kept aside",
    end="""The backup is looked through once more, the store that is there is copied aside and kept, then the backup takes its
place.

examples:
  tacit data restore
  tacit data restore 12 --to looked-at.db""",
    long=True,
)
@arg(
    "name", default="", metavar="BACKUP", required=False, help="a name, number or file; the newest"
)
@opt("--to", default="", metavar="FILE", help="into a new file; the store stays as it is")
def restore_verb(args: Asked, cli: Cli) -> Answer:
    path, aside = _path(args, cli), os.path.expanduser(args.to)
    if not aside:
        who = cli.need_person(args, "Restoring")
        if not args.yes and not sys.stdin.isatty():
            raise Refused("Restoring asks at a terminal.", who.how)
        what = f"Put back {args.name or 'the newest backup'} over {path}?"
        if not args.yes and not cli.put(f"{what} What is there is kept aside. [y/N] "):
            raise Refused("Nothing was restored.")
    done = safekeeping.restore_store(path, cli.env, args.name, to=aside)
    told = f"restored {done.backup.name} to {aside or path}"
    told += f"\nwhat was there lies in {done.aside}" if done.aside else ""
    data = {"backup": _shown(done.backup), "path": aside or path, "aside": done.aside or None}
    return Answer(data, told)


def repaired(args: Asked, cli: Cli) -> Answer:
    """doctor --repair: what can be rebuilt is, then the newest backup takes a damaged store's place."""
    with cli.open(args, create=False) as memories:
        faults = queries.health(memories).health.faults
        if faults and all(each.kind in REBUILT for each in faults):
            count = queries.reindex(memories)
            told = f"rebuilt full text and counts of {numbered(count, 'lesson')}"
            return Answer({"faults": [], "rebuilt": count}, told)
    done = safekeeping.repair_store(_path(args, cli), cli.env)
    lost = [dict(each) for each in done.lost]
    data = {**done.__dict__, "faults": list(done.faults), "lost": lost}
    if not done.faults:
        return Answer(data, "everything verifies; nothing was changed")
    lines = [f"{numbered(len(done.faults), 'fault')} found"]
    if not done.aside:
        return Answer(data, f"{lines[0]}\nonly derived data was affected; it was rebuilt")
    lines.append(f"the damaged store was kept: {done.aside}")
    lines.append(f"backup {done.backup} took its place; what came after {done.at} is lost")
    if lost:
        lines.append("of that the damaged store still tells these; add again what you want")
    lines += [f"  [{each['id']}] {each['text']}" for each in lost]
    lines += ["there may be more that it does not tell"] * done.unreadable
    return Answer(data, "\n".join(lines), code=5)


def _path(args: Asked, cli: Cli) -> str:
    return os.path.abspath(store_path(args.store, cli.env))


data = Verbs("data", does="lessons in and out, and copies of the store")
for each in (export_verb, import_verb, backup_verb, restore_verb):
    data.add_command(each)
