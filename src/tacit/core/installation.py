"""How this very installation gets an optional package: one line that works when it is pasted.

The distribution is called `tacit-memory`, because the bare name belongs to another project in the registry: a hint that
named it would put a stranger's package over ours. What an extra needs stands in the installed
metadata, so a hint names the packages themselves and the installer that owns this environment (uv, pipx or pip). That
holds for an installation from the registry, from a wheel and from a clone alike.

Only called when something is missing or by `tacit doctor`, so everything heavy is imported inside.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tacit.core.value import value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DISTRIBUTION = "tacit-memory"


def search_path(env: Mapping[str, str]) -> str:
    """Where a program is looked for: on the PATH, then where installers put agents' programs and shells forget to look."""
    home = env.get("HOME", "")
    mine = (
        [os.path.join(home, *folder) for folder in ((".local", "bin"), (".claude", "local"))]
        if home
        else []
    )
    return os.pathsep.join([env.get("PATH", os.defpath), *mine])


@value
class Environment:
    """What is known of the environment this process runs in."""

    python: str
    kind: str  # uv-tool, pipx, pip, or uv for an environment without pip
    pipx_name: str = ""  # what pipx calls this environment


def hint(extra: str = "") -> str:
    """What to paste so that this installation has the extra; without one, what it came with and has lost."""
    return command(environment(), requirements(extra) or _of_clone(extra))


def bring(*packages: str) -> str:
    """What to paste so that this installation has packages that no extra of ours names."""
    return command(environment(), packages)


def command(found: Environment, packages: Sequence[str]) -> str:
    """One line for a shell that brings these packages into that environment."""
    wanted = " ".join(quoted(each) for each in packages)
    if found.kind == "pipx":
        return f"pipx inject {found.pipx_name or DISTRIBUTION} {wanted}"
    if found.kind in ("uv", "uv-tool"):
        return f"uv pip install --python {quoted(found.python)} {wanted}"
    return f"{quoted(found.python)} -m pip install {wanted}"


def environment(prefix: str = "", python: str = "") -> Environment:
    """Which installer made the environment of this interpreter."""
    prefix, python = prefix or sys.prefix, python or sys.executable
    if os.path.isfile(os.path.join(prefix, "uv-receipt.toml")):
        return Environment(python, "uv-tool")
    if os.path.isfile(os.path.join(prefix, "pipx_metadata.json")):
        return Environment(python, "pipx", os.path.basename(prefix))
    pip = find_spec("pip")
    return Environment(
        python, "pip" if pip is not None and pip.origin else "uv"
    )  # a folder of that name is none


def requirements(extra: str = "") -> tuple[str, ...]:
    """What an extra needs, or Tacit itself, as the installed metadata says; empty where Tacit runs without being installed."""
    try:
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return ()
    found = []
    for line in lines:
        package, _, marker = line.partition(";")
        if marker.replace('"', "'").replace(" ", "") == (f"extra=='{extra}'" if extra else ""):
            found.append(package.strip())
    return tuple(found)


def uninstall() -> str:
    """What to paste so that this installation is gone."""
    found = environment()
    if found.kind == "pipx":
        return f"pipx uninstall {found.pipx_name or DISTRIBUTION}"
    if found.kind == "uv-tool":
        return f"uv tool uninstall {DISTRIBUTION}"
    if found.kind == "uv":
        return f"uv pip uninstall --python {quoted(found.python)} {DISTRIBUTION}"
    return f"{quoted(found.python)} -m pip uninstall {DISTRIBUTION}"


def quoted(word: str) -> str:
    """A word as a POSIX shell takes it whole."""
    plain = all(character.isalnum() or character in "._-/+@=:" for character in word)
    return word if plain and word else "'" + word.replace("'", "'\\''") + "'"


def _of_clone(extra: str) -> tuple[str, ...]:
    clone, extras = _clone(), f"[{extra}]" if extra else ""
    return ("--editable", f"{clone}{extras}") if clone else (f"{DISTRIBUTION}{extras}",)


def _clone() -> str:
    """The clone this module is imported from; empty for an installed copy."""
    folder = os.path.dirname(
        os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    )
    return folder if os.path.isfile(os.path.join(folder, "pyproject.toml")) else ""
