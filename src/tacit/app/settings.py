"""The settings that hold in a work tree, from the user's file, the repository's and the environment; and the profile of an opened project:
the one that was asked for, chosen by a person or named by the settings, kept compiled in the store.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.config import Settled, settle
from tacit.core.errors import ConfigInvalid, Refused, Unavailable
from tacit.core.profile import Profile, profile_id, to_json
from tacit.core.value import replace
from tacit.guard.files import PAGE_LIMIT, SETTINGS_LIMIT, read_plain
from tacit.profiles import compiled_profile as compile_text
from tacit.profiles import load, profile_names
from tacit.profiles.choice import NamedProfile, by_repository, choice_changed, openness

if TYPE_CHECKING:
    from tacit.app.opened import Opened
    from tacit.stores.sql_writer import Transaction

# Python reads a dotted key in the square of its parts: 16 kB in one key are a second of work before a prompt.
MOST_DOTS = 32


def settings_at(root: str, user: str, env: Mapping[str, str]) -> Settled:
    """All settings. A repository's file that cannot be read is left out and said; that of the user is an error."""
    repository = repository_file(root)
    own, why = _toml(user, PAGE_LIMIT)
    if why:
        raise ConfigInvalid(f"{user} cannot be read: {why}.", "Correct it, or move it away.")
    theirs, why = _toml(repository, SETTINGS_LIMIT, MOST_DOTS)
    settled = settle(own, theirs, env, user_path=user, repository_path=repository)
    told = f"{repository} cannot be read: {why}; left out"
    return replace(settled, left_out=(told, *settled.left_out)) if why else settled


def repository_file(root: str) -> str:
    """Where a repository says how it wants to be remembered."""
    return os.path.join(root, ".tacit", "config.toml")


def _toml(path: str, limit: int, most_dots: int = 0) -> tuple[dict[str, Any], str]:
    """A file's settings, and why there are none; neither where there is no file, or none for us to see."""
    try:
        text = read_plain(path, limit).decode("utf-8")
        at = next(
            (
                n
                for n, line in enumerate(text.split("\n"), 1)
                if most_dots and line.count(".") > most_dots
            ),
            0,
        )
        if at:
            return {}, f"line {at} has more than {most_dots} dots"
        return tomllib.loads(text), ""
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}, ""
    except OSError as error:
        return {}, str(error.strerror)
    except RecursionError:
        return {}, "it is nested too deeply"
    except ValueError as error:  # no TOML, no UTF-8, a number of thousands of digits
        return {}, str(error)[:200]


def keep_profile(opened: Opened, tx: Transaction, at: str) -> str:
    profile = wanted_profile(opened)
    version = profile_id(profile)
    tx.put_profile(version, profile.name, to_json(profile), at)
    return version


def wanted_profile(opened: Opened) -> Profile:
    """The profile that was asked for, or the one that the settings name."""
    if opened._asked_profile:
        profile = load(opened._asked_profile)
        if not opened.actor.is_person and (more := openness(profile)):
            raise Refused(
                f"The profile {profile.name} is a person's choice ({more}); {opened.actor.reason}.",
                "Leave --profile out.",
            )
        return profile
    return load(profile_choice(opened).name)


def profile_choice(opened: Opened) -> NamedProfile:
    """Which profile the settings name, and what a person should know about it; a repository may not name every one."""
    setting = opened.settings()["profile"]
    path = repository_file(opened.place.root)
    named = (
        by_repository(setting.value, path)
        if setting.source == path
        else NamedProfile(str(setting.value))
    )
    chosen = choice_of_person(opened)
    if chosen.get("text"):
        return replace(named, note=choice_changed(chosen["name"], chosen["text"]), refused="")
    return (
        replace(named, note="", refused="") if named.note and opened.project and chosen else named
    )


def choice_of_person(opened: Opened) -> dict[str, str]:
    """The profile that a person chose here with `tacit profile use`: its name, its text where it was a file, who and when."""
    kept = opened.store.meta(f"profile:{opened.project_id}") if opened.project_id else ""
    return dict(json.loads(kept)) if kept else {}


def compile_anew(opened: Opened, compiled: str) -> Profile:
    """A profile that an earlier version of Tacit compiled, as this version reads it; kept, so that hooks find it ready."""
    name, chosen = json.loads(compiled)["name"], choice_of_person(opened)
    if chosen.get("text"):
        profile = compile_text(chosen["text"], chosen["name"])
    elif chosen or (name in profile_names() and not profile_choice(opened).note):
        profile = load(name)
    else:
        profile = wanted_profile(opened)
    try:
        put_profile(opened, profile, {})
    except (Unavailable, Refused):
        pass  # a server on which we only read
    return profile


def put_profile(opened: Opened, profile: Profile, chosen: dict[str, str]) -> Profile:
    project, version = opened.ensure_project(), profile_id(profile)
    with opened.store.write() as tx:
        tx.put_profile(version, profile.name, to_json(profile), opened.now())
        opened._project = replace(project, profile=version)
        tx.put_project(opened._project)
        if chosen:
            tx.put_meta(f"profile:{project.id}", json.dumps(chosen))
    opened._profile, opened._asked_profile = (
        None,
        "",
    )  # asked again, as far as its functions are installed
    return profile
