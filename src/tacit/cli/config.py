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
from tacit.core.errors import Refused, UsageError, numbered
from tacit.opened import acting, config_path, keys_path
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
    path, name = config_path(cli.env), args.name
    if name not in CONFIG_KEYS or args.value is None:
        found = (
            f"{name!r} is not a setting" if name not in CONFIG_KEYS else f"{name} is set to what?"
        )
        raise UsageError(
            f"tacit config set: {found}.",
            did_you_mean(name, [*CONFIG_KEYS]) or "tacit config shows all of them.",
        )
    who = acting(cli.env, args.by or "", args.yes)
    if not who.is_person:
        raise Refused(f"Your settings are a person's word; {who.reason}.", who.how)
    default, said = CONFIG_KEYS[name][0], args.value
    new: Any = (
        tuple(each.strip() for each in said.split(",") if each.strip())
        if isinstance(default, tuple)
        else said
    )
    if isinstance(default, bool) and said.lower() in ("yes", "no", "true", "false"):
        new = said.lower() in ("yes", "true")
    elif isinstance(default, int) and said.isdecimal():
        new = int(said)
    table_name, _, key = name.rpartition(".")
    settle(
        {table_name: {key: new}} if table_name else {key: new}, {}, {}, user_path=path
    )  # what is wrong is said here
    set_keys(path, table_name, {key: [*new] if isinstance(new, tuple) else new})
    asks = (
        "; tacit lookback asks about the sessions that are there" if name == "reader.hosts" else ""
    )
    return Answer(
        {"setting": name, "value": new, "file": path}, f"{name} = {said}, in {path}{asks}"
    )


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
@opt("--off", is_flag=True, hidden=True)
def pause_verb(args: Asked, cli: Cli) -> Answer:
    text = args.duration
    args.off = args.off or text == "off"
    if not args.off and not (text[:-1].isdigit() and text[-1:] in ("m", "h", "d")):
        raise UsageError(f"{text!r} is not a duration.", "Give 30m, 8h or 7d.")
    until = (
        ""
        if args.off
        else clock.stamp(time.time() + int(text[:-1]) * {"m": 60, "h": 3600, "d": 86400}[text[-1]])
    )
    with cli.open(args) as memories:
        memories.need_person("Pausing")
        with memories.store.write() as tx:
            tx.put_meta("paused_until", until)
        left = "" if until else unfinished(memories)
    at = until[:16].replace("T", " ")
    told = f"paused until {at} UTC: hooks stay silent, nothing is learned, a reading stops (tacit config pause off goes on)"
    return Answer(
        {"paused_until": until or None},
        told if until else f"going on: hooks answer and runs are learned{left}",
    )


@verb("projects", "the projects that something is kept for")
def projects_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        here = memories.project_id
        sizes = counts.memories_by_project(memories.store)
        found: list[dict[str, Any]] = [
            {
                **picked(p, "id name"),
                "root": p.root or None,
                "remote": p.remote or None,
                "memories": sizes.get(p.id, 0),
                "runs": p.run_seq,
                "here": p.id == here,
            }
            for p in memories.store.projects()
        ]
    shown = [p for p in found if p["memories"] or p["id"] not in SHARED_BY]
    named = [["*" if p["here"] else " ", p["id"], SHARED_BY.get(p["id"], p["name"])] for p in shown]
    rows = [
        [*at, str(p["memories"]), str(p["runs"]), p["root"] or p["remote"] or ""]
        for at, p in zip(named, shown)
    ]
    return Answer(
        {"projects": found}, table(rows, (" ", "id", "name", "lessons", "sessions", "where"))
    )


config = Config("config", does="settings, keys for programs, a pause, the projects")
for each in (show_verb, path_verb, set_verb, key_verb, pause_verb, projects_verb):
    config.add_command(each)
