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
    did = "would disconnect" if args.dry_run else "disconnected"
    lines = [f"{did}: {path}" for path in undone]
    lines += [] if undone or failed else ["no program was connected"]
    if not args.dry_run:
        lines += [line for line in (_stopped(args, cli), _spent(args, cli)) if line]
    kept, roots = _kept(args, cli.env), _roots(args, cli)
    shared = [each for root in roots if _is_shared(each := os.path.join(root, FOLDER))]
    wanted = False
    if kept and not args.dry_run and not failed:
        wanted = args.delete and args.yes
        if not wanted and cli.can_ask:
            remains = ", ".join(f"{path} ({size(_bytes(path))})" for path in (*kept, *shared))
            still = f"What Tacit knows is still here: {remains}."
            asked = f"{still}\nDelete it for good? There is no way back. [y/N] "
            wanted = cli.ask("\n".join([*lines, asked]))
            lines = []
    if wanted:
        lines += _deleted(kept, shared, roots)
    elif kept:
        remain = (f"  {path} ({size(_bytes(path))})" for path in (*kept, *shared))
        lines += ["what Tacit knows is still here:", *remain]
    lines.append(f"The program itself: {installation.uninstall()}")
    left, gone = ([], kept) if wanted else (kept, [])
    data = {"disconnected": undone, "failed": failed, "kept": left, "deleted": gone}
    return Answer(data, "\n".join(lines), code=1 if failed else 0, warnings=failed)


def _deleted(kept: list[str], shared: list[str], roots: list[str]) -> list[str]:
    """Take away all there is, for good; what was taken away, a line each."""
    for path in kept:
        # once more below: somebody may have written into it meanwhile
        shutil.rmtree(path, ignore_errors=True)
        if os.path.lexists(path):
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    section = ("config", "--local", "--remove-section", "tacit")
    asked = [ask_git(root, *section, here=True) for root in roots if os.path.isdir(root)]
    named = sum(each is not None and each.returncode == 0 for each in asked)
    gone = [
        os.path.join(path, os.path.basename(name))
        for path in shared
        for name in GitFolder(os.path.dirname(path), "").remove()
    ]
    lines = [f"taken out of the work tree, for you to commit: {', '.join(gone)}"] if gone else []
    lines.append(f"deleted {numbered(len(kept), 'place')}: {', '.join(kept)}")
    if named:
        of = f"taken out of the git config of {numbered(named, 'project')}"
        lines.append(f"{of}: the id that Tacit knew it by")
    return lines


def _disconnect(env: Mapping[str, str], dry_run: bool) -> tuple[list[str], list[str]]:
    """Take our entries out of every settings file that we ever wrote to, and of those here; what was undone, and what could not be."""
    undone: list[str] = []
    failed: list[str] = []
    here, every = os.getcwd(), every_host().values()
    found = {path: host for host in every for path in connected_in(host, here, env)}
    for path in _ever_written(env):
        if of := hosts_in(path, env):
            found[path] = of[0]
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


def _spent(args: Asked, cli: Cli) -> str:
    spent = cli.here(args, spent_words)
    return f"reading sessions: {spent} in all" if spent else ""


def _roots(args: Asked, cli: Cli) -> list[str]:
    """The folders of the projects that something is kept for."""
    found: list[str]
    found = cli.here(args, lambda m: [each.root for each in m.store.projects() if each.root], [])
    return found


def _is_shared(folder: str) -> bool:
    """Whether lessons were written there for a team."""
    return bool(glob.glob(os.path.join(glob.escape(folder), "*.jsonl")))


def _kept(args: Asked, env: Mapping[str, str]) -> list[str]:
    """What stays behind: the data folder, a store elsewhere with what lies beside it, and the configuration."""
    folder, store = data_folder(env), store_path(args.store, env)
    places = [folder]
    if not store.startswith(os.path.join(folder, "")):
        places += [f"{store}{end}" for end in ("", "-wal", "-shm", ".worker")]
        places += [readings_folder(store), looks_folder(store), captured_folder(store)]
    places.append(os.path.dirname(config_path(env)))
    return [path for path in places if os.path.exists(path)]


def _bytes(path: str) -> int:
    if os.path.isfile(path):
        return os.path.getsize(path)
    walked = ((at, name) for at, _, names in os.walk(path) for name in names)
    return sum(os.path.getsize(os.path.join(at, name)) for at, name in walked)
