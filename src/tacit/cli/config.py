"""config: settings, keys for programs, a pause, and the projects there are."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.reading import unfinished
from tacit.cli.settings_file import set_keys
from tacit.cli.verb import Answer, Asked, Cli, Verbs, arg, did_you_mean, opt, verb
from tacit.cli.words import one_line, table
from tacit.core import clock
from tacit.core.config import CONFIG_KEYS, settle
from tacit.core.errors import UsageError, numbered
from tacit.opened import config_path, keys_path
from tacit.place import folders as places
from tacit.place.identity import locate
from tacit.screens.views import picked
from tacit.settings import settings_at
from tacit.store import counts

if TYPE_CHECKING:
    from collections.abc import Mapping

# rows of their own, shown once they hold something
SHARED_BY = {"@global": "every project", "@agent": "one agent, everywhere"}


class Config(Verbs):
    """Alone it shows the settings."""

    def alone(self, ctx: click.Context) -> Answer:
        shown: Answer = show_verb.invoke(show_verb.make_context("config", [], parent=ctx.parent))
        return shown


@verb("show", "the settings that differ from their default, and where each comes from")
@opt("--all", "every", is_flag=True, help="all of them")
def show_verb(args: Asked, cli: Cli) -> Answer:
    path = config_path(cli.env)
    settled = settings_at(locate(os.getcwd(), cli.env).root, path, cli.env)
    data: dict[str, dict[str, Any]] = {
        key: {"value": s.value, "source": s.source, "meaning": CONFIG_KEYS[key][2]}
        for key, s in settled.by_key.items()
    }
    rows = [_row(key, at) for key, at in data.items() if args.every or at["source"] != "default"]
    lines = [table(rows, ("setting", "value", "from"))] if rows else []
    left = len(data) - len(rows)
    lines += [f"{left} more as they come: tacit config show --all"] if left else []
    return Answer(
        {"settings": data, "file": path}, "\n".join(lines), warnings=list(settled.left_out)
    )


def _row(key: str, at: Mapping[str, Any]) -> list[str]:
    value = str(at["value"]) if at["value"] not in ("", ()) else "-"
    return [key, one_line(value, 60), os.path.basename(str(at["source"]))]


@verb("path", "the settings' file")
def path_verb(args: Asked, cli: Cli) -> Answer:
    path = config_path(cli.env)
    return Answer({"path": path}, path)


@verb("set", "set one setting in your own file", end="example:\n  tacit config set receipt no")
@arg("name", metavar="NAME", help="the setting")
@arg("value", required=False, metavar="VALUE", help="yes, no, a number, text; commas in a list")
def set_verb(args: Asked, cli: Cli) -> Answer:
    """One setting in the user's own file, as its person."""
    path, name, said = config_path(cli.env), args.name, args.value
    if name not in CONFIG_KEYS:
        near = did_you_mean(name, CONFIG_KEYS)
        raise UsageError(f"tacit config set: {name!r} is not a setting.", near)
    if said is None:
        raise UsageError(f"tacit config set: {name} is set to what?", CONFIG_KEYS[name][2])
    cli.need_person(args, "Changing your settings")
    default: Any = CONFIG_KEYS[name][0]
    new: Any = said
    if isinstance(default, tuple):
        new = tuple(each.strip() for each in said.split(",") if each.strip())
    elif isinstance(default, bool) and said.lower() in ("yes", "no", "true", "false"):
        new = said.lower() in ("yes", "true")
    elif isinstance(default, int) and said.isdecimal():
        new = int(said)
    table_name, _, key = name.rpartition(".")
    one = {key: new}
    settle({table_name: one} if table_name else one, {}, {}, user_path=path)  # says what is wrong
    set_keys(path, table_name, {key: [*new] if isinstance(new, tuple) else new})
    asks = "tacit lookback asks about the sessions that are there"
    also = f"; {asks}" if name == "reader.hosts" else ""
    text = f"{name} = {said}, in {path}{also}"
    return Answer({"setting": name, "value": new, "file": path}, text)


@verb(
    "key",
    "a key for a program of yours, or the names of those there are",
    end="""A program without a terminal is taken for an agent. With a key in TACIT_KEY it acts in your name:
set it for that program alone, never in your shell's profile, where agents would find it.""",
)
@arg("name", required=False, default="", metavar="NAME", help="in whose name the program acts")
@opt("--off", is_flag=True, help="those of this name no longer count")
def key_verb(args: Asked, cli: Cli) -> Answer:
    path = keys_path(cli.env)
    if not args.name:
        found = sorted(set(places.key_names(path).values()))
        return Answer(
            {"names": found}, "\n".join(found) or "no keys yet: tacit config key NAME makes one"
        )
    cli.need_person(args, "Making a key")
    if args.off:
        gone = places.take_back(args.name, path)
        return Answer(
            {"name": args.name, "taken_back": gone},
            f"{numbered(gone, 'key')} of {args.name} taken back",
        )
    key = places.make(args.name, path)
    told = (
        f"{key}\n\nIt is shown this once. The program sets TACIT_KEY to it and acts as {args.name}."
    )
    return Answer({"name": args.name, "key": key}, told)


@verb(
    "pause",
    "stop telling and learning for a while",
    end="examples:\n  tacit config pause 2h\n  tacit config pause off",
)
@arg("duration", required=False, default="8h", metavar="DURATION", help="30m, 8h, 7d, or off")
def pause_verb(args: Asked, cli: Cli) -> Answer:
    many, unit = args.duration[:-1], {"m": 60, "h": 3600, "d": 86400}.get(args.duration[-1:])
    off = args.duration == "off"
    if not off and not (many.isdigit() and unit):
        raise UsageError(f"{args.duration!r} is not a duration.", "Give 30m, 8h or 7d.")
    until = "" if off else clock.stamp(time.time() + int(many) * (unit or 0))
    with cli.open(args) as memories:
        memories.need_person("Pausing")
        with memories.store.write() as tx:
            tx.put_meta("paused_until", until)
        left = unfinished(memories) if off else ""
    if off:
        told = f"going on: hooks answer and runs are learned{left}"
        return Answer({"paused_until": None}, told)
    at = f"{until[:16].replace('T', ' ')} UTC"
    told = "hooks stay silent, nothing is learned, a reading stops (tacit config pause off goes on)"
    return Answer({"paused_until": until}, f"paused until {at}: {told}")


@verb("projects", "the projects that something is kept for")
def projects_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        here, sizes = memories.project_id, counts.memories_by_project(memories.store)
        found = [
            {
                **picked(each, "id name"),
                "root": each.root or None,
                "remote": each.remote or None,
                "memories": sizes.get(each.id, 0),
                "runs": each.run_seq,
                "here": each.id == here,
            }
            for each in memories.store.projects()
        ]
    rows = [
        [
            "*" if each["here"] else " ",
            each["id"],
            SHARED_BY.get(each["id"], each["name"]),
            str(each["memories"]),
            str(each["runs"]),
            each["root"] or each["remote"] or "",
        ]
        for each in found
        if each["memories"] or each["id"] not in SHARED_BY
    ]
    heads = (" ", "id", "name", "lessons", "sessions", "where")
    return Answer({"projects": found}, table(rows, heads))


config = Config("config", does="settings, keys for programs, a pause, the projects")
for each in (show_verb, path_verb, set_verb, key_verb, pause_verb, projects_verb):
    config.add_command(each)
