"""data backup, data restore, and the repairing half of doctor: keeping what is kept."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from tacit.app import store_path
from tacit.app.safety import repair_store, restore_store
from tacit.cli import Answer, Cli
from tacit.cli.parsing import declared
from tacit.cli.words import table
from tacit.core.errors import Refused, numbered

if TYPE_CHECKING:
    from tacit.stores.sqlite.copies import Backup


def _backup(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        folder = memories.backups_folder
        if not args.list:
            made = memories.backup()
            told = f"backed up and verified: {made.name} ({made.bytes:,} bytes) in {folder}"
            return Answer({**_shown(made), "folder": folder}, told)
        found = memories.backups()
    rows = [
        [
            b.name,
            b.at[:16].replace("T", " "),
            f"{b.bytes:,}",
            "verified" if b.verified else "not verified yet",
        ]
        for b in found
    ]
    text = (
        table(rows, ("name", "when", "bytes", ""))
        if rows
        else f"no backups yet; they will lie in {folder}"
    )
    return Answer({"folder": folder, "backups": [_shown(each) for each in found]}, text)


def _shown(backup: Backup) -> dict[str, Any]:
    return {"name": backup.name, **backup.__dict__}


def _restore(args: argparse.Namespace, cli: Cli) -> Answer:
    path = _path(args, cli)
    if not args.to:
        _ask(
            args,
            cli,
            f"Put back {args.name or 'the newest backup'} over {path}? What is there is kept aside. [y/N] ",
        )
    done = restore_store(path, cli.env, args.name, to=os.path.expanduser(args.to))
    told = f"restored {done.backup.name} to {done.path}" + (
        f"\nwhat was there lies in {done.aside}" if done.aside else ""
    )
    notes = [done.warning] if done.warning else []
    return Answer(
        {"backup": _shown(done.backup), "path": done.path, "aside": done.aside or None},
        told,
        warnings=notes,
    )


def repaired(args: argparse.Namespace, cli: Cli) -> Answer:
    """doctor --repair."""
    done = repair_store(_path(args, cli), cli.env)
    lost = [each.__dict__ for each in done.lost]
    data = {**done.__dict__, "faults": [fault.__dict__ for fault in done.faults], "lost": lost}
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
    return Answer(data, "\n".join(lines), code=5)


def _path(args: argparse.Namespace, cli: Cli) -> str:
    return os.path.abspath(store_path(args.store, cli.env))


def _ask(args: argparse.Namespace, cli: Cli, question: str) -> None:
    who = cli.need_person(args, "Restoring")
    if args.yes:
        return
    if not sys.stdin.isatty():
        raise Refused("Restoring asks at a terminal.", who.how)
    if not cli.put(question):
        raise Refused("Nothing was restored.")


COMMANDS = declared({"data-backup": _backup, "data-restore": _restore})
