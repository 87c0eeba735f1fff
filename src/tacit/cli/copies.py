"""data backup, data restore, and the repairing half of doctor: keeping what is kept."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from tacit.cli.verb import Answer, Asked, Cli, arg, opt, verb
from tacit.cli.words import table
from tacit.core.errors import Refused, numbered
from tacit.learn import queries
from tacit.opened import store_path
from tacit.store import safekeeping
from tacit.store.safekeeping import repair_store, restore_store

REBUILT = ("index", "tally")  # faults of what is derived from rows

if TYPE_CHECKING:
    from tacit.store.backup import Backup


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
    rows = [[b.name, b.at[:16].replace("T", " "), f"{b.bytes:,}"] for b in found]
    text = (
        table(rows, ("name", "when", "bytes"))
        if rows
        else f"no backups yet; they will lie in {folder}"
    )
    return Answer({"folder": folder, "backups": [_shown(each) for each in found]}, text)


def _shown(backup: Backup) -> dict[str, Any]:
    return {name: getattr(backup, name) for name in ("name", "path", "number", "at", "bytes")}


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
    "name",
    default="",
    metavar="BACKUP",
    required=False,
    help="its name or number, or a file brought from another machine; the newest without",
)
@opt("--to", default="", metavar="FILE", help="into a new file; the store stays as it is")
def restore_verb(args: Asked, cli: Cli) -> Answer:
    path = _path(args, cli)
    if not args.to:
        _ask(
            args,
            cli,
            f"Put back {args.name or 'the newest backup'} over {path}? What is there is kept aside. [y/N] ",
        )
    done = restore_store(path, cli.env, args.name, to=os.path.expanduser(args.to))
    to = os.path.expanduser(args.to) if args.to else path
    told = f"restored {done.backup.name} to {to}"
    told += f"\nwhat was there lies in {done.aside}" if done.aside else ""
    data = {"backup": _shown(done.backup), "path": to, "aside": done.aside or None}
    return Answer(data, told)


def repaired(args: Asked, cli: Cli) -> Answer:
    """doctor --repair: what can be rebuilt is, then the newest backup takes a damaged store's place."""
    with cli.open(args, create=False) as memories:
        faults = queries.health(memories).health.faults
        if faults and all(each.kind in REBUILT for each in faults):
            count = queries.reindex(memories)
            told = f"rebuilt full text and counts of {numbered(count, 'lesson')}"
            return Answer({"faults": [], "rebuilt": count}, told)
    done = repair_store(_path(args, cli), cli.env)
    lost = [dict(each) for each in done.lost]
    data = {**done.__dict__, "faults": list(done.faults), "lost": lost}
    if not done.faults:
        return Answer(data, "everything verifies; nothing was changed")
    lines = [f"{numbered(len(done.faults), 'fault')} found"]
    if not done.aside:
        lines.append("only derived data was affected; it was rebuilt")
        return Answer(data, "\n".join(lines))
    lines.append(f"the damaged store was kept: {done.aside}")
    lines.append(f"backup {done.backup} took its place; what came after {done.at} is lost")
    if lost:
        lines.append("of that the damaged store still tells these; add again what you want")
    lines += [f"  [{each['id']}] {each['text']}" for each in lost]
    if done.unreadable:
        lines.append("there may be more that it does not tell")
    return Answer(data, "\n".join(lines), code=5)


def _path(args: Asked, cli: Cli) -> str:
    return os.path.abspath(store_path(args.store, cli.env))


def _ask(args: Asked, cli: Cli, question: str) -> None:
    who = cli.need_person(args, "Restoring")
    if args.yes:
        return
    if not sys.stdin.isatty():
        raise Refused("Restoring asks at a terminal.", who.how)
    if not cli.put(question):
        raise Refused("Nothing was restored.")
