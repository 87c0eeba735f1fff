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
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, requires
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tacit.core.value import value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DISTRIBUTION = "tacit-memory"
FOREIGN_PROGRAM = (
    "tacit"  # another project's distribution with the same import name; before 0.2 also ours
)


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
    receipt: str = ""  # what uv noted when it made this tool


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
    if found.kind == "uv-tool" and (source := _tool(found.receipt)):
        return f"uv tool install {' '.join(f'--with {quoted(each)}' for each in packages)} {source}"
    if found.kind in ("uv", "uv-tool"):
        return f"uv pip install --python {quoted(found.python)} {wanted}"
    return f"{quoted(found.python)} -m pip install {wanted}"


def _tool(receipt: str) -> str:
    """What `uv tool install` was told, to be told again: `uv tool upgrade` keeps nothing that its receipt does not name. Empty where it
    says something that we do not know."""
    try:
        ours, *others = tomllib.loads(receipt)["tool"]["requirements"]
        if ours["name"] != DISTRIBUTION or not all(
            set(each) <= {"name", "specifier"} for each in others
        ):
            return ""
    except (KeyError, TypeError, ValueError):
        return ""
    told = [f"--with {quoted(each['name'] + each.get('specifier', ''))}" for each in others]
    extras = f"[{','.join(ours['extras'])}]" if ours.get("extras") else ""
    place = next(
        (str(ours[name]) for name in ("directory", "path", "editable") if name in ours), ""
    )
    if place and not os.path.exists(place):
        return ""
    told += ["--editable"] if "editable" in ours else []
    if not place and set(ours) - {"name", "extras", "specifier"}:
        return ""
    return " ".join(
        [
            *told,
            quoted(place + extras if place else DISTRIBUTION + extras + ours.get("specifier", "")),
        ]
    )


def environment(prefix: str = "", python: str = "") -> Environment:
    """Which installer made the environment of this interpreter."""
    prefix, python = prefix or sys.prefix, python or sys.executable
    receipt = os.path.join(prefix, "uv-receipt.toml")
    if os.path.isfile(receipt):
        with open(receipt, encoding="utf-8", errors="replace") as file:
            return Environment(python, "uv-tool", receipt=file.read())
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


def foreign() -> str:
    """What is wrong if a distribution called `tacit` shares this environment; empty where there is none."""
    try:
        other = distribution(FOREIGN_PROGRAM)
    except PackageNotFoundError:
        return ""
    summary = other.metadata["Summary"] or "without a description"
    return f"a distribution called {FOREIGN_PROGRAM} {other.version} ({summary}) shares the import name with {DISTRIBUTION} here"


def reinstall() -> str:
    """What to paste so that a foreign `tacit` is gone and ours is whole again."""
    found = environment()
    source = quoted(_clone()) if _clone() else DISTRIBUTION
    if found.kind == "pipx":
        return f"pipx reinstall {found.pipx_name or DISTRIBUTION}"
    if found.kind in ("uv", "uv-tool"):
        pip = f"uv pip uninstall --python {quoted(found.python)} {FOREIGN_PROGRAM}"
        return f"{pip} && uv pip install --python {quoted(found.python)} --reinstall {source}"
    pip = f"{quoted(found.python)} -m pip"
    return f"{pip} uninstall -y {FOREIGN_PROGRAM} && {pip} install --force-reinstall --no-deps {source}"


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
