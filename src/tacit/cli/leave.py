"""leave: disconnect every host that was ever connected here, say what remains and where, and delete it on a yes."""

from __future__ import annotations

import glob
import json
import os
import shutil
import time
from collections.abc import Mapping

from tacit.cli.connect import connected_in, disconnected, hosts_in
from tacit.cli.doctor import size
from tacit.cli.reading import progress, spent_words
from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.core import clock, installation
from tacit.core.errors import TacitError, numbered
from tacit.hooks.start_worker import lock
from tacit.hosts import every_host
from tacit.memory import Memory as Memories
from tacit.opened import config_path, data_folder, store_path
from tacit.place.folders import captured_folder
from tacit.place.git import ask_git
from tacit.store.looks import looks_folder
from tacit.store.readings import readings_folder
from tacit.sync.git import FOLDER, GitFolder

_PAUSE = 900.0  # seconds for which nothing begins to read; one session takes less


@verb(
    "leave",
    "disconnect every host, say what remains, delete it on a yes",
    end="""examples:
  tacit leave --dry-run
  tacit leave
  tacit leave --delete --by ann --yes     from a script""",
)
@opt("--delete", is_flag=True, help="also delete lessons, backups and settings, for good (asks)")
@opt("--dry-run", is_flag=True, help="say what would be done, change nothing")
def leave_verb(args: Asked, cli: Cli) -> Answer:
    if not args.dry_run:
        cli.need_person(args, "Leaving")
    undone, failed = _disconnect(cli.env, args.dry_run)
    kept, stopped = _kept(args, cli.env), "" if args.dry_run else _stopped(args, cli)
    lines = [f"{'would disconnect' if args.dry_run else 'disconnected'}: {path}" for path in undone]
    lines += [] if undone or failed else ["no program was connected"]
    spent = "" if args.dry_run else cli.here(args, spent_words)
    lines += [
        line for line in (stopped, f"reading sessions: {spent} in all" if spent else "") if line
    ]
    folders = _shared_folders(args, cli)
    wanted, named = False, 0
    if kept and not args.dry_run and not failed:
        remains = ", ".join(f"{path} ({size(_bytes(path))})" for path in (*kept, *folders))
        wanted = args.delete and args.yes
        if not wanted and cli.can_ask:
            done, lines = lines, []
            asked = f"What Tacit knows is still here: {remains}.\nDelete it for good? There is no way back. [y/N] "
            wanted = cli.ask("\n".join([*done, asked]))
        named = _unnamed(args, cli) if wanted else 0
        for path in kept if wanted else ():
            shutil.rmtree(
                path, ignore_errors=True
            )  # once more below: somebody may have written into it meanwhile
            if os.path.lexists(path):
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    gone = [f"{path}/{name}" for path in folders if wanted for name in _taken_away(path)]
    if gone:
        lines.append(f"taken out of the work tree, for you to commit: {', '.join(gone)}")
    if wanted:
        lines.append(f"deleted {numbered(len(kept), 'place')}: {', '.join(kept)}")
        if named:
            lines.append(
                f"taken out of the git config of {numbered(named, 'project')}: the id that Tacit knew it by"
            )
    elif kept:
        lines += [
            "what Tacit knows is still here:",
            *(f"  {path} ({size(_bytes(path))})" for path in (*kept, *folders)),
        ]
    lines.append(f"The program itself: {installation.uninstall()}")
    left, gone = ([], kept) if wanted else (kept, [])
    data = {"disconnected": undone, "failed": failed, "kept": left, "deleted": gone}
    return Answer(data, "\n".join(lines), code=1 if failed else 0, warnings=failed)


def _disconnect(env: Mapping[str, str], dry_run: bool) -> tuple[list[str], list[str]]:
    """Take our entries out of every settings file that we ever wrote to, and of those here; what was undone, and what could not be."""
    undone: list[str] = []
    failed: list[str] = []
    found = {
        path: host
        for host in every_host().values()
        for path in connected_in(host, os.getcwd(), env)
    }
    for path in _ever_written(env):
        if here := hosts_in(path, env):
            found[path] = here[0]
    for path, host in found.items():
        try:
            undone += [path] if dry_run or disconnected(host, path, env) else []
        except TacitError as error:
            failed.append(f"{path}: {error.message} {error.hint}".strip())
    return undone, failed


def _ever_written(env: Mapping[str, str]) -> list[str]:
    """Settings files whose former content is kept: each that `connect` wrote to, in whatever project."""
    paths = []
    for file in glob.glob(os.path.join(data_folder(env), "backups", "settings", "*.json")):
        try:
            with open(file, encoding="utf-8") as text:
                paths.append(str(json.load(text)["path"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return [path for path in paths if os.path.exists(path)]


def _stopped(args: Asked, cli: Cli) -> str:
    """Stop what reads or learns in the background, which looks for a pause between two sessions; what was stopped, for people.

    The pause is written before the store is deleted: a process that has it open still finds it there.
    """

    def stop(memories: Memories) -> str:
        going, turn = bool(progress(memories)), lock(memories.store.path, patient=True)
        if turn is not None:
            os.close(turn)
        if not going and turn is not None:
            return ""
        with memories.store.write() as tx:
            tx.put_meta("paused_until", clock.stamp(time.time() + _PAUSE))
        return (
            "stopped: reading in the background; a session that is being read just now is the last, and nothing is learned for"
            f" {_PAUSE / 60:.0f} minutes (tacit config pause off ends that)"
        )

    return str(cli.here(args, stop))


def _unnamed(args: Asked, cli: Cli) -> int:
    """Take the id that a project is known by out of each repository's own git config; how many had one."""
    roots = cli.here(
        args, lambda memories: [each.root for each in memories.store.projects() if each.root], ()
    )
    asked = [
        ask_git(root, "config", "--local", "--remove-section", "tacit", here=True)
        for root in roots
        if os.path.isdir(root)
    ]
    return sum(each is not None and each.returncode == 0 for each in asked)


def _shared_folders(args: Asked, cli: Cli) -> list[str]:
    """Where a project's lessons were written for a team: `.tacit` of each repository that was shared through git."""
    roots = cli.here(
        args, lambda memories: [each.root for each in memories.store.projects() if each.root], ()
    )
    folders = (os.path.join(root, FOLDER) for root in roots)
    return [path for path in folders if glob.glob(os.path.join(glob.escape(path), "*.jsonl"))]


def _taken_away(folder: str) -> list[str]:
    return [os.path.basename(name) for name in GitFolder(os.path.dirname(folder), "").remove()]


def _kept(args: Asked, env: Mapping[str, str]) -> list[str]:
    """What stays behind: the data folder, a store elsewhere with what lies beside it, and the configuration."""
    folder, store, config = (
        data_folder(env),
        store_path(args.store, env),
        os.path.dirname(config_path(env)),
    )
    places = [folder, config]
    if not store.startswith(os.path.join(folder, "")):
        beside = [f"{store}{end}" for end in ("", "-wal", "-shm", ".worker")]
        places[1:1] = [*beside, readings_folder(store), looks_folder(store), captured_folder(store)]
    return [path for path in places if os.path.exists(path)]


def _bytes(path: str) -> int:
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(
        os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(path) for name in names
    )
