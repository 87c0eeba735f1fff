"""sync: one memory for a team, through the repository it already has."""

from __future__ import annotations

from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.words import one_line, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from tacit.tend.sync import Seen, Synced


def _declare_sync(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--preview", action="store_true", help="say what the files in .tacit/journal would change here; change nothing"
    )
    parser.epilog = (
        "Reads every file in .tacit/journal and appends to this machine's own; git carries them.\n\n"
        "examples:\n  git pull && tacit sync && git add .tacit && git commit -m 'Lessons' && git push\n"
        "  git checkout their-branch && tacit sync --preview"
    )


def _sync(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args) as memories:
        done = memories.sync(dry_run=args.preview)
    return Answer(_json(done), _text(done), warnings=_notes(done))


def _json(done: Synced) -> dict[str, Any]:
    at = dict(done.__dict__)
    at["seen"] = [dict(each.__dict__) for each in done.seen]
    at["unsigned"] = dict(done.unsigned)
    at["skipped"] = [{"machine": machine, **each.__dict__} for machine, each in done.skipped]
    return at


def _text(done: Synced) -> str:
    rows = [[each.what, each.memory, each.state, _who(each), one_line(each.text, 70)] for each in done.seen]
    for n in range(len(done.seen) - 1, -1, -1):
        if done.seen[n].was:
            rows.insert(n + 1, ["", "", "", "was", one_line(done.seen[n].was, 70)])
    lines = [table(rows, ("what", "lesson", "state", "by", "text"))] if rows else []
    if done.dry_run:
        return "\n".join([*lines, f"{done.taken} lines of others would be taken in; nothing was changed"])
    told = f"{done.shared} lines shared, {done.taken} taken in; {done.machines} machines write here"
    return "\n".join([*lines, told + ("" if done.signed else "; nothing was signed")])


def _who(each: Seen) -> str:
    names = ", ".join(each.by) or "-"
    return (
        f"{names} (signed: {', '.join(each.signers)})" if each.signers else f"{names} (not signed by anyone you allow)"
    )


def _notes(done: Synced) -> list[str]:
    notes = [
        f"{count} lines of machine {machine} are signed by nobody you allow and were left out"
        for machine, count in done.unsigned
    ]
    if any(each.what == "held" for each in done.seen):
        notes.append("held lessons are given to nobody until a person approves them: tacit review")
    if done.forks:
        notes.append(f"{done.forks} lessons were changed apart; tacit review shows both versions")
    if done.waiting:
        notes.append(f"{done.waiting} lines build on others that are not here yet; pull, and sync again")
    notes += [f"{machine} {each.place}: left out: {one_line(each.reason, 120)}" for machine, each in done.skipped[:10]]
    if not done.signed and not done.dry_run:
        notes.append("sync.key is not set: others hold what you share until they approve it (docs/howto/teams-git.md)")
    return notes


COMMANDS = {"sync": (_declare_sync, _sync)}
