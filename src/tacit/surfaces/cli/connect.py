"""connect: let a host's agents remember, from their next session on, and no trace of it after `--undo`.

The host's settings are somebody else's file. Our entries are put into its text and taken out of it, and all other bytes
stay. What the file held before is kept in the data folder, so that `--undo` gives exactly that back where nothing else
has changed it since. A file that cannot be read as JSON, or that its owner made read-only, is left alone.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys

from tacit.core.digest import digest, new_id, short_hash
from tacit.core.errors import TacitError, Unavailable
from tacit.core.value import replace, value
from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.json_text import member, parts, put, take, top
from tacit.surfaces.cli.past import claude_folder, offer
from tacit.surfaces.hooks.claude_code import HOST, OURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any

    from tacit.app import Memories

# How each event is registered: matcher, and the handler's own fields. A failed command is answered while the agent still looks
# at it (an `async` answer would come a turn late); the end of a turn is nobody's wait.
REGISTERED: dict[str, tuple[str | None, dict[str, Any]]] = {
    "SessionStart": ("startup|resume|clear|compact|fork", {"timeout": 10}),
    "UserPromptSubmit": (None, {"timeout": 5}),
    "SubagentStart": (None, {"timeout": 5}),
    "PostToolUseFailure": ("Bash", {"timeout": 5}),
    "PreCompact": (None, {"timeout": 5}),
    "Stop": (None, {"timeout": 10, "async": True}),
    "SessionEnd": (None, {"timeout": 5}),
}


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("host", choices=(HOST,), help="the host whose agents shall remember")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="all your projects: the settings in your home")
    where.add_argument("--shared", action="store_true", help="this project, for everybody: .claude/settings.json")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")
    parser.add_argument("--undo", action="store_true", help="take our entries out again")
    parser.add_argument("--learn-days", type=int, metavar="N", help="learn the sessions of the last N days now (asks first)")
    parser.add_argument("--no-learn", action="store_true", help="do not offer to learn past sessions")
    parser.epilog = (
        "Without --user or --shared: this project, for you alone (.claude/settings.local.json).\n\nexamples:\n"
        "  tacit connect claude-code\n  tacit connect claude-code --user --learn-days 7 --yes\n  tacit connect claude-code --undo"
    )


def _connect(args: argparse.Namespace, cli: Cli) -> Answer:
    from tacit.stores.identity import locate

    place = locate(os.getcwd(), cli.env)
    path = settings_path(place.root, cli.env, user=args.user, shared=args.shared)
    file = read_settings(path)
    kept = _Kept(cli.env, file.path)
    base = kept.original(file)
    if args.undo:
        return _undo(args, file, base, kept)
    text = with_entries(base.text, registration(command(cli.env), args.store or ""), path)
    changed = text != file.text
    if args.dry_run:
        return Answer({"settings": path, "changed": changed, "dry_run": True}, _difference(file, text))
    if changed:
        check_writable(file)
    with cli.open(args) as memories:
        project = None if args.user else memories.ensure_project()
        if changed:
            kept.keep(base, text, write_settings(file, text))
        _make_ready(memories)
        learned, told = _learn(args, cli, memories)
    lines = [f"connected: {path}" if changed else f"connected already: {path}"]
    if project is not None:
        lines.append(f"project {project.name} ({project.id})")
    lines += [told] if told else []
    lines.append("From the next session on lessons are given and sessions are learned. tacit connect claude-code --undo ends it.")
    data = {"settings": path, "changed": changed, "project": project.id if project else None, "learn": learned}
    return Answer(data, "\n".join(lines), warnings=_notes(path, text, args))


def _learn(args: argparse.Namespace, cli: Cli, memories: Memories) -> tuple[dict[str, Any], str]:
    """Offer past sessions; those of a project all go to that project, wherever in it they were opened."""
    from tacit.app import Memories

    days = int(memories.settings()["learn_days"].value) if args.learn_days is None else args.learn_days
    if args.no_learn or days <= 0:
        return {}, ""
    home = memories if args.user else Memories(memories.store, cli.env, memories.place.root, memories.project_id)
    return offer(cli, home, days, everywhere=args.user, yes=args.yes)


def _undo(args: argparse.Namespace, file: Settings, base: Settings, kept: _Kept) -> Answer:
    changed = base.text != file.text or base.exists != file.exists
    if args.dry_run:
        return Answer({"settings": file.named, "changed": changed, "dry_run": True}, _difference(file, base.text))
    if changed:
        write_settings(file, base.text if base.exists else None, kept.made_folders)
    kept.drop()
    told = f"disconnected: {file.named}" if changed else f"nothing of ours stands in {file.named}"
    return Answer({"settings": file.named, "changed": changed}, told + "\nwhat was learned stays; tacit list shows it" if changed else told)


def _make_ready(memories: Memories) -> None:
    """What the first hook would otherwise wait for."""
    from tacit.surfaces.cli.setup import compile_bytecode
    from tacit.surfaces.hooks import settings

    compile_bytecode()
    settings(memories)


def _notes(path: str, text: str, args: argparse.Namespace) -> list[str]:
    notes = []
    if json.loads(text).get("disableAllHooks") is True:
        notes.append(f"{path} sets disableAllHooks: the host will not call us until that is gone")
    if not args.user and not args.shared and not _is_untracked_on_purpose(path):
        notes.append(f"git does not ignore {os.path.basename(path)}; it is yours alone: add .claude/settings.local.json to .gitignore")
    return notes


def _is_untracked_on_purpose(path: str) -> bool:
    """Whether git would leave the file out; also where there is no git to ask."""
    import subprocess

    folder = os.path.dirname(os.path.dirname(path))
    try:
        asked = subprocess.run(["git", "-C", folder, "check-ignore", "-q", path], capture_output=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return True
    return asked.returncode != 1


# -- our entries --------------------------------------------------------------------------------------------------------


def command(env: Mapping[str, str]) -> tuple[str, list[str]]:
    """How the host starts us: the installed command by its full path, or this interpreter."""
    import shutil

    beside = os.path.join(os.path.dirname(sys.executable), "tacit")
    called = os.path.abspath(sys.argv[0]) if os.path.basename(sys.argv[0]) == "tacit" and os.sep in sys.argv[0] else ""
    for found in (called, beside, shutil.which("tacit", path=env.get("PATH")) or ""):
        if found and os.access(found, os.X_OK) and os.path.isfile(found):
            return os.path.abspath(found), []
    return sys.executable, ["-P", "-m", "tacit"]


def registration(start: tuple[str, list[str]], store: str = "") -> dict[str, Any]:
    """One group of hooks per event, in the host's shape."""
    program, before = start
    found = {}
    for event, (matcher, fields) in REGISTERED.items():
        arguments = [*before, "hook", OURS[event], *(["--store", os.path.abspath(store)] if store else [])]
        group: dict[str, Any] = {} if matcher is None else {"matcher": matcher}
        group["hooks"] = [{"type": "command", "command": program, "args": arguments, **fields}]
        found[event] = group
    return found


def is_ours(handler: object) -> bool:
    """Whether a handler in the settings calls `tacit hook`, from whichever installation."""
    if not isinstance(handler, dict) or not isinstance(handler.get("command"), str):
        return False
    arguments = handler.get("args")
    if not isinstance(arguments, list):
        return re.search(r"(^|[/\s'\"])tacit['\"]?\s+hook\s", handler["command"] + " ") is not None
    words = [os.path.basename(handler["command"]), *arguments]
    return any(words[at : at + 2] == ["tacit", "hook"] for at in range(len(words)))


def with_entries(text: str, entries: Mapping[str, Any], path: str) -> str:
    """The settings with our entries at the end of each event's list."""
    before = _parsed(text, path)
    text = text if text.strip() else text + "{}\n"
    if "hooks" not in before:
        text = put(text, top(text), "hooks", {event: [group] for event, group in entries.items()})
    else:
        for event, group in entries.items():
            hooks = _value(text, top(text), "hooks")
            if event in before["hooks"]:
                text = put(text, _value(text, hooks, event), "", group)
            else:
                text = put(text, hooks, event, [group])
    wanted = dict(before)
    wanted["hooks"] = {**before.get("hooks", {}), **{e: [*before.get("hooks", {}).get(e, []), g] for e, g in entries.items()}}
    if json.loads(text) != wanted:
        raise TacitError(f"{path} could not be changed safely; nothing was changed.", "Please report this with the file.")
    return text


def without_entries(text: str, path: str) -> str:
    """The settings without our entries, and without what only they filled."""
    tree = _parsed(text, path)
    for event in tree.get("hooks", {}):
        text = _without(text, event)
    if tree.get("hooks") and not _parsed(text, path)["hooks"]:
        text = _taken(text, top(text), "hooks")
    return text


def _without(text: str, event: str) -> str:
    hooks = _value(text, top(text), "hooks")
    groups = _value(text, hooks, event)
    removed = False
    for group in reversed(parts(text, groups)):
        handlers = json.loads(text[group.value_start : group.end])
        handlers = handlers.get("hooks") if isinstance(handlers, dict) else None
        if not isinstance(handlers, list) or not any(map(is_ours, handlers)):
            continue
        removed = True
        if all(map(is_ours, handlers)):
            text = take(text, groups, group)
            continue
        inner = _value(text, group.value_start, "hooks")
        for handler in reversed(parts(text, inner)):
            if is_ours(json.loads(text[handler.value_start : handler.end])):
                text = take(text, inner, handler)
    return _taken(text, hooks, event) if removed and not parts(text, groups) else text


def _value(text: str, at: int, key: str) -> int:
    found = member(text, at, key)
    assert found is not None, key
    return found.value_start


def _taken(text: str, at: int, key: str) -> str:
    found = member(text, at, key)
    return take(text, at, found) if found is not None else text


def _parsed(text: str, path: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "Correct it, or name another with --user or --shared."
        raise TacitError(f"{path} is not JSON ({error}); nothing was changed.", hint) from None
    hooks = tree.get("hooks", {}) if isinstance(tree, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        hint = "Its hooks should be an object of lists."
        raise TacitError(f"{path} is not in the shape of settings with hooks; nothing was changed.", hint)
    return dict(tree)


# -- the file -----------------------------------------------------------------------------------------------------------


@value
class Settings:
    """A settings file as it is now."""

    named: str  # as it was asked for
    path: str  # behind its links
    text: str = ""
    mark: str = ""  # a byte order mark, kept as it was
    exists: bool = False
    mode: int = 0o644


def settings_path(root: str, env: Mapping[str, str], *, user: bool, shared: bool) -> str:
    """Which file holds the hooks."""
    if user:
        return os.path.join(claude_folder(env), "settings.json")
    return os.path.join(root, ".claude", "settings.json" if shared else "settings.local.json")


def read_settings(path: str) -> Settings:
    """The file behind a path. Raises where it cannot be understood or may not be changed."""
    real = os.path.realpath(path)
    try:
        with open(real, "rb") as file:
            raw, found = file.read(), os.fstat(file.fileno())
    except FileNotFoundError:
        return Settings(path, real)
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}; nothing was changed.", "Check the file and its folder.") from None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TacitError(f"{path} is not UTF-8 text ({error.reason}); nothing was changed.", "Save it as UTF-8.") from None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    _parsed(text.removeprefix(mark), path)
    return Settings(path, real, text.removeprefix(mark), mark, True, stat.S_IMODE(found.st_mode))


def check_writable(file: Settings) -> None:
    """Raise where the file may not be changed. A rename would not ask the file itself; read-only is its owner's word."""
    folder = os.path.dirname(file.path)
    while not os.path.isdir(folder) and not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    fixed = file.exists and (not file.mode & 0o222 or not os.access(file.path, os.W_OK))
    if fixed or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        hint = "Make it writable, or choose another with --user or --shared."
        raise Unavailable(f"{file.named if fixed else folder} cannot be written; nothing was changed.", hint)


def write_settings(file: Settings, text: str | None, made: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Replace the file in one step, or remove it where `text` is None. Returns folders that had to be made."""
    check_writable(file)
    folder = os.path.dirname(file.path)
    if read_settings(file.named) != file:
        raise Unavailable(f"{file.named} was changed by somebody else just now; nothing was changed.", "Try again.")
    new: list[str] = []
    temporary = os.path.join(folder, f".{os.path.basename(file.path)}.{new_id()}")
    try:
        if text is None:
            os.unlink(file.path)
            for each in made:
                os.rmdir(each)
            return ()
        while not os.path.isdir(folder):
            new.append(folder)
            folder = os.path.dirname(folder)
        os.makedirs(os.path.dirname(file.path), exist_ok=True)
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, file.mode)
        with open(fd, "wb") as out:
            if file.exists:
                os.fchmod(fd, file.mode)
            out.write((file.mark + text).encode("utf-8"))
            out.flush()
            os.fsync(fd)
        os.replace(temporary, file.path)
    except OSError as error:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        if text is None and not os.path.lexists(file.path):
            return ()  # the file is gone; a folder of ours that is used for something else by now stays
        hint = "Check the folder's permissions."
        raise Unavailable(f"{file.named} cannot be written: {error.strerror}; nothing was changed.", hint) from None
    return tuple(new)


class _Kept:
    """What a settings file held before us, in the data folder."""

    def __init__(self, env: Mapping[str, str], path: str) -> None:
        from tacit.app import data_folder

        self.file = os.path.join(data_folder(env), "backups", "settings", short_hash(path) + ".json")
        self.path = path
        try:
            with open(self.file, encoding="utf-8") as file:
                self.said: dict[str, Any] = json.load(file)
        except (OSError, ValueError):
            self.said = {}
        self.made_folders: tuple[str, ...] = tuple(self.said.get("made_folders") or ())

    def original(self, now: Settings) -> Settings:
        """The settings without us: to the byte what they were, where only we have changed them since."""
        if now.exists and self.said.get("path") == self.path and self.said.get("written") == _print(now.text):
            before = self.said.get("before")
            return replace(now, text=before or "", exists=before is not None)
        return replace(now, text=without_entries(now.text, now.named))

    def keep(self, before: Settings, written: str, made_folders: tuple[str, ...] = ()) -> None:
        """Remember what was there; only the owner may read it."""
        os.makedirs(os.path.dirname(self.file), mode=0o700, exist_ok=True)
        said = {
            "path": self.path,
            "before": before.text if before.exists else None,
            "written": _print(written),
            "made_folders": list(made_folders or self.made_folders),
        }
        temporary = f"{self.file}.{new_id()}"
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(said, file)
        os.replace(temporary, self.file)

    def drop(self) -> None:
        """Forget it."""
        if os.path.exists(self.file):
            os.unlink(self.file)


def _print(text: str) -> str:
    return digest("settings", text).hex()


def _difference(file: Settings, text: str) -> str:
    import difflib

    lines = difflib.unified_diff(file.text.splitlines(), text.splitlines(), file.named, file.named, lineterm="", n=2)
    return "\n".join(lines) or f"nothing would change in {file.named}"


COMMANDS = {"connect": (_declare, _connect)}
