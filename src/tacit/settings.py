"""The settings that hold in a work tree, from the user's file, the repository's and the environment; and
how an opened project remembers: as Tacit does, or like the origin that a person chose.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.config import Settled, settle
from tacit.core.errors import ConfigInvalid, Refused
from tacit.core.profile import Profile, profile_id, to_json
from tacit.core.value import replace
from tacit.origins import named
from tacit.safety.files import PAGE_LIMIT, SETTINGS_LIMIT, read_plain

if TYPE_CHECKING:
    from tacit.opened import Opened
    from tacit.store.writes import Transaction

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
    tx.put_profile(version, to_json(profile))
    return version


def wanted_profile(opened: Opened) -> Profile:
    """The way of remembering that was asked for: Tacit's own, unless a person names another."""
    profile = named(opened._asked_profile or "default")
    if not opened.actor.is_person and not profile.render.wrap:
        raise Refused(
            f"To remember like {profile.name} is a person's choice (what it prints is not fenced);"
            f" {opened.actor.reason}.",
            "Leave --like out.",
        )
    return profile


def put_profile(opened: Opened, profile: Profile, chosen: dict[str, str]) -> Profile:
    project, version = opened.ensure_project(), profile_id(profile)
    with opened.store.write() as tx:
        tx.put_profile(version, to_json(profile))
        opened._project = replace(project, profile=version)
        tx.put_project(opened._project)
        tx.put_meta(f"profile:{project.id}", json.dumps(chosen))
    opened._profile, opened._asked_profile = None, ""  # asked again
    return profile


def use_profile(opened: Opened, name: str, values: Mapping[str, Any] | None = None) -> Profile:
    """Let this project remember like an origin from now on, or by `default` as Tacit does; some values set otherwise."""
    profile = named(name, values)
    opened.need_person("To choose how a project remembers")
    opened.ensure_project()
    return put_profile(opened, profile, {"name": name, "by": opened.actor.name, "at": opened.now()})
