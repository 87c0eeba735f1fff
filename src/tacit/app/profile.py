"""The profile of an opened project: the one that was asked for, chosen by a person or named by the settings, kept compiled in the store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tacit.app.settings import repository_file
from tacit.core.errors import Refused, Unavailable
from tacit.core.profile import Profile, profile_id, to_json
from tacit.core.value import replace
from tacit.profiles import compiled_profile as compile_text
from tacit.profiles import profile_names
from tacit.profiles.choice import NamedProfile, by_repository, choice_changed, openness

if TYPE_CHECKING:
    from tacit.app.opened import Opened
    from tacit.stores.sql_writer import Transaction


def keep_profile(opened: Opened, tx: Transaction, at: str) -> str:
    profile = wanted_profile(opened)
    version = profile_id(profile)
    tx.put_profile(version, profile.name, to_json(profile), at)
    return version


def wanted_profile(opened: Opened) -> Profile:
    """The profile that was asked for, or the one that the settings name."""
    if opened._asked_profile:
        profile = opened.load_profile(opened._asked_profile)

        if not opened.actor.is_person and (more := openness(profile)):
            raise Refused(
                f"The profile {profile.name} is a person's choice ({more}); {opened.actor.reason}.",
                "Leave --profile out.",
            )
        return profile
    return opened.load_profile(profile_choice(opened).name)


def profile_choice(opened: Opened) -> NamedProfile:
    """Which profile the settings name, and what a person should know about it; a repository may not name every one."""
    setting = opened.settings()["profile"]
    path = repository_file(opened.place.root)
    named = by_repository(setting.value, path) if setting.source == path else NamedProfile(str(setting.value))
    chosen = choice_of_person(opened)
    if chosen.get("text"):
        return replace(named, note=choice_changed(chosen["name"], chosen["text"]), refused="")
    return replace(named, note="", refused="") if named.note and opened.project and chosen else named


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
        profile = opened.load_profile(name)
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
    opened._profile, opened._asked_profile = profile, ""
    return profile
