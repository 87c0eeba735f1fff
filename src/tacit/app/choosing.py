"""Choosing the profile that judges a project."""

from __future__ import annotations

import os

from tacit.app.opened import Opened
from tacit.app.profile import profile_choice, put_profile
from tacit.core.profile import Profile
from tacit.profiles import compiled_profile, profile_text
from tacit.profiles.choice import NamedProfile


class Choosing(Opened):
    """Choosing the profile of a project."""

    def profile_choice(self) -> NamedProfile:
        """Which profile the settings name, and what a person should know about it; a repository may not name every one."""
        return profile_choice(self)

    def use_profile(self, name: str) -> Profile:
        """Let another profile judge this project from now on. A file is kept as it is now; what is changed in it later changes nothing."""
        self._need_person("Choosing a profile")
        self.ensure_project()
        is_file, text = name.endswith(".toml"), profile_text(name)
        path = os.path.abspath(os.path.expanduser(name)) if is_file else name
        return put_profile(
            self,
            compiled_profile(text, name),
            {"name": path, "text": text if is_file else "", "by": self.actor.name, "at": self.now()},
        )
