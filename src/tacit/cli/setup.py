"""init: the store, and this project's row in it."""

from __future__ import annotations

import compileall
import os

import tacit
from tacit import settings
from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.opened import store_path
from tacit.place.record import record_project


@verb(
    "init",
    "make the store and this project's row",
    end="""With --like NAME the project remembers as an origin does (a wrong name tells which there are),
with --like default as Tacit again.

The project's id goes into the repository's git config; nothing is written into the work tree.""",
)
@opt("--global", "only_store", is_flag=True, help="only the store, no project")
def init_verb(args: Asked, cli: Cli) -> Answer:
    path = store_path(args.store, cli.env)
    ask = f"Lessons are kept in {path}; nothing is written into the work tree. Go ahead? [y/N] "
    if not args.yes and cli.can_ask and not os.path.exists(path) and not cli.put(ask):
        return Answer({"store": None, "project": None}, "nothing was written")
    with cli.open(args) as memories:
        store = memories.store.path
        if args.only_store:
            return Answer({"store": store, "project": None}, f"store ready: {store}")
        project, place = memories.ensure_project(), memories.place
        recorded = place.id == project.id or record_project(place, project.id)
        if args.like:
            settings.use_profile(memories, args.like)
        origin = memories.profile.name
    compile_bytecode()
    like = "" if origin == "default" else f", like {origin}"
    where = "the repository's git config" if place.kind == "git" else "a marker file in the folder"
    text = f"project {project.name} ({project.id}){like}\nstore {store}"
    text += f"\nits id stands in {where if recorded else 'the store only, by path'}"
    data = {"store": store, "project": project.id, "name": project.name, "origin": origin}
    notes = [place.note] if place.note else []
    return Answer({**data, "recorded": recorded}, text, warnings=notes)


def compile_bytecode() -> bool:
    """Compile our own modules: uv and containers install none, and then each hook would compile them again."""
    try:
        return bool(compileall.compile_dir(os.path.dirname(tacit.__file__), quiet=2, force=False))
    except OSError:
        return False
