"""A hint about a missing extra names this very installation's installer and packages, and never a stranger's project."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from tacit.core import installation
from tacit.core.installation import Environment, command, environment, quoted

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("made_by", "kind", "starts", "gone"),
    [
        ("uv-receipt.toml", "uv-tool", "uv pip install --python", "uv tool uninstall tacit-memory"),
        ("pipx_metadata.json", "pipx", "pipx inject memory 'mcp>=2,<3'", "pipx uninstall memory"),
        ("", "pip", "-m pip install 'mcp>=2,<3'", "-m pip uninstall tacit-memory"),
        (
            "",
            "uv",
            "uv pip install --python",
            "uv pip uninstall --python /opt/x/bin/python tacit-memory",
        ),
    ],
)
def test_the_installer_is_the_one_that_made_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_by: str, kind: str, starts: str, gone: str
) -> None:
    """uv's and pipx's environments have no pip of their own: each is served by what made it."""
    prefix = tmp_path / "memory"
    prefix.mkdir()
    if made_by:
        (prefix / made_by).write_text("")
    if kind == "uv":
        monkeypatch.setattr(installation, "find_spec", lambda _: None)
    found = environment(str(prefix), "/opt/x/bin/python")
    assert found.kind == kind
    assert starts in command(found, ["mcp>=2,<3"])
    monkeypatch.setattr(installation, "environment", lambda: found)
    assert gone in installation.uninstall()


def test_an_environment_without_pip_is_served_by_uv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `uv venv` makes them."""

    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    found = environment(str(tmp_path), "/opt/x/bin/python")
    assert command(found, ["mcp>=2,<3"]) == "uv pip install --python /opt/x/bin/python 'mcp>=2,<3'"


def test_a_folder_called_pip_is_no_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m tacit` looks into the current folder first, whatever lies there."""
    import importlib.machinery

    folder = importlib.machinery.ModuleSpec("pip", None, is_package=True)
    monkeypatch.setattr(installation, "find_spec", lambda name: folder)
    assert environment(str(tmp_path), "/opt/x/bin/python").kind == "uv"


def test_a_clone_that_was_never_installed_names_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """`PYTHONPATH=src python -m tacit` has no metadata to ask; the clone's own pyproject.toml knows."""
    monkeypatch.setattr(installation, "requirements", lambda extra: ())
    assert shlex.split(installation.hint("mcp"))[-2:] == ["--editable", f"{ROOT}[mcp]"]


def test_the_plugin_calls_the_tacit_on_the_path() -> None:
    """It brings no program of its own: what is missing is missing in that installation, whose hint says its own way."""
    import json

    server = json.loads((ROOT / "plugins/claude-code/.mcp.json").read_text())
    assert server["mcpServers"] == {"tacit": {"command": "tacit", "args": ["mcp"]}}
    hooks = (ROOT / "plugins/claude-code/hooks/hooks.json").read_text()
    assert set(re.findall(r"\|\| (\S+) hook ", hooks)) == {"tacit"}


def test_the_python_is_named_whole_when_its_path_has_a_space() -> None:
    """What is pasted is split by a shell."""
    line = command(Environment("/my tools/bin/python", "pip"), ["httpx>=0.27"])
    assert shlex.split(line) == ["/my tools/bin/python", "-m", "pip", "install", "httpx>=0.27"]


@pytest.mark.parametrize(
    "word", ["", "a b", "it's", "mcp>=2,<3", "psycopg[binary,pool]>=3.2", "plain-1.0"]
)
def test_a_quoted_word_is_one_word(word: str) -> None:
    """Whatever a path or a requirement holds."""
    assert shlex.split(quoted(word)) == [word]


def test_what_an_extra_needs_comes_from_the_metadata() -> None:
    """The hint installs exactly what pyproject.toml declares."""
    import tomllib

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert declared["name"] == installation.DISTRIBUTION
    for extra in ("mcp", "llm", "postgres"):
        assert {_name(each) for each in installation.requirements(extra)} == {
            _name(each) for each in declared["optional-dependencies"][extra]
        }
    assert sys.executable in installation.hint("mcp")


def test_what_the_desk_needs_is_named_though_no_extra_brings_it() -> None:
    """The extra `web` is an empty name since the desk came by default: a hint for it would install nothing."""
    import tomllib

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {*map(_name, installation.requirements())} == {*map(_name, declared["dependencies"])}
    assert {"starlette", "uvicorn", "jinja2"} <= {
        _name(each) for each in shlex.split(installation.hint())
    }


def test_no_file_of_ours_tells_anybody_to_install_the_strangers_package() -> None:
    """`tacit` in the registry is another project: nothing we print or document may install it."""
    wrong = re.compile(r"install[^\n|]*[\s'\"]tacit(\[|['\"]|\s*$)", re.M)
    files = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("src/**/*.py"),
        *ROOT.glob("plugins/**/*"),
        ROOT / "pyproject.toml",
    ]
    found = {
        str(each.relative_to(ROOT)): wrong.findall(each.read_text())
        for each in files
        if each.is_file() and "decisions" not in each.parts
    }
    assert not {name: hits for name, hits in found.items() if hits}


def test_one_version_everywhere() -> None:
    """The package, its metadata and the plugin are released together."""
    import json
    import tomllib

    import tacit

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    plugin = json.loads((ROOT / "plugins/claude-code/.claude-plugin/plugin.json").read_text())[
        "version"
    ]
    assert {declared, plugin} == {tacit.__version__}


def _name(requirement: str) -> str:
    return re.split(r"[<>=\[ ]", requirement)[0]
