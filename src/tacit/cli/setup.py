"""init, pause, schema, skill: making things ready."""

from __future__ import annotations

import argparse
import compileall
import json
import os
import time

import tacit
from tacit.cli import Answer, Cli, skill
from tacit.cli.parsing import declared
from tacit.cli.reading import unfinished
from tacit.core import clock
from tacit.core.errors import NotFound, UsageError
from tacit.formats import neutral
from tacit.stores.identity_record import record_project


def _init(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args) as memories:
        if args.only_store:
            return Answer(
                {"store": memories.store.path, "project": None},
                f"store ready: {memories.store.path}",
            )
        project = memories.ensure_project()
        place = memories.place
        recorded = place.id == project.id or record_project(place, project.id)
        if args.like:
            memories.use_profile(args.like)
        name = memories.profile.name
    compile_bytecode()
    where = "the repository's git config" if place.kind == "git" else "a marker file in the folder"
    like = "" if name == "default" else f", like {name}"
    text = f"project {project.name} ({project.id}){like}\nstore {memories.store.path}"
    text += f"\nits id stands in {where if recorded else 'the store only, by path'}"
    notes = [place.note] if place.note else []
    data = {
        "store": memories.store.path,
        "project": project.id,
        "name": project.name,
        "origin": name,
    }
    return Answer({**data, "recorded": recorded}, text, warnings=notes)


def compile_bytecode() -> bool:
    """Compile our own modules: uv and containers install none, and then each hook would compile them again."""
    folder = os.path.dirname(tacit.__file__)
    try:
        return bool(compileall.compile_dir(folder, quiet=2, force=False))
    except OSError:
        return False


def _pause(args: argparse.Namespace, cli: Cli) -> Answer:
    text = args.duration
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
    told = f"paused until {at} UTC: hooks stay silent, nothing is learned, a reading stops (tacit pause --off goes on)"
    return Answer(
        {"paused_until": until or None},
        told if until else f"going on: hooks answer and runs are learned{left}",
    )


def _schema(args: argparse.Namespace, cli: Cli) -> Answer:
    folder = os.path.join(os.path.dirname(neutral.__file__), "schemas")
    names = sorted(
        name.removesuffix(".schema.json")
        for name in os.listdir(folder)
        if name.endswith(".schema.json")
    )
    if not args.name:
        return Answer({"schemas": names}, "\n".join(names))
    if args.name not in names:
        raise NotFound(f"There is no schema {args.name!r}.", f"Schemas: {', '.join(names)}.")
    found = neutral.schema(args.name)
    return Answer(found, json.dumps(found, indent=2, ensure_ascii=False))


def _skill(args: argparse.Namespace, cli: Cli) -> Answer:
    if not args.folder:
        return Answer({"name": skill.NAME, "text": skill.text()}, skill.text().rstrip())
    folder = os.path.expanduser(args.folder)
    path = skill.path_in(folder)
    if args.undo:
        gone = skill.remove(folder)
        told = "removed" if gone else "left alone, somebody changed it"
        return Answer({"path": path, "changed": gone}, f"{told}: {path}")
    changed = skill.install(folder)
    return Answer(
        {"path": path, "changed": changed}, f"{'written' if changed else 'there already'}: {path}"
    )


COMMANDS = declared(
    {
        "init": _init,
        "pause": _pause,
        "schema": _schema,
        "skill": _skill,
    }
)
