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
    ("made_by", "kind", "starts"),
    [
        ("uv-receipt.toml", "uv-tool", "uv pip install --python"),
        ("pipx_metadata.json", "pipx", "pipx inject memory 'mcp>=2,<3'"),
        ("", "pip", "-m pip install 'mcp>=2,<3'"),
    ],
)
def test_the_installer_is_the_one_that_made_the_environment(tmp_path: Path, made_by: str, kind: str, starts: str) -> None:
    """uv's and pipx's environments have no pip of their own: each is served by what made it."""
    prefix = tmp_path / "memory"
    prefix.mkdir()
    if made_by:
        (prefix / made_by).write_text("")
    found = environment(str(prefix), "/opt/x/bin/python")
    assert found.kind == kind
    assert starts in command(found, ["mcp>=2,<3"])


def test_the_python_is_named_whole_when_its_path_has_a_space() -> None:
    """What is pasted is split by a shell."""
    line = command(Environment("/my tools/bin/python", "pip"), ["httpx>=0.27"])
    assert shlex.split(line) == ["/my tools/bin/python", "-m", "pip", "install", "httpx>=0.27"]


@pytest.mark.parametrize("word", ["", "a b", "it's", "mcp>=2,<3", "psycopg[binary,pool]>=3.2", "plain-1.0"])
def test_a_quoted_word_is_one_word(word: str) -> None:
    """Whatever a path or a requirement holds."""
    assert shlex.split(quoted(word)) == [word]


def test_what_an_extra_needs_comes_from_the_metadata() -> None:
    """The hint installs exactly what pyproject.toml declares."""
    import tomllib

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert declared["name"] == installation.DISTRIBUTION
    for extra in ("mcp", "web", "llm", "semantic", "postgres"):
        assert {_name(each) for each in installation.requirements(extra)} == {
            _name(each) for each in declared["optional-dependencies"][extra]
        }
    assert sys.executable in installation.hint("mcp")


def test_no_file_of_ours_tells_anybody_to_install_the_strangers_package() -> None:
    """`tacit` in the registry is another project: nothing we print or document may install it."""
    wrong = re.compile(r"install[^\n|]*[\s'\"]tacit(\[|['\"]|\s*$)", re.M)
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py"), *ROOT.glob("plugins/**/*"), ROOT / "pyproject.toml"]
    found = {str(each.relative_to(ROOT)): wrong.findall(each.read_text()) for each in files if each.is_file() and "decisions" not in each.parts}
    assert not {name: hits for name, hits in found.items() if hits}


def test_a_foreign_tacit_in_the_environment_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files stand over ours: `doctor` says so, with the way back."""
    told = tmp_path / "tacit-0.3.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: tacit\nVersion: 0.3.0\nSummary: A library for explicit data pipelines\n")
    assert installation.foreign() == ""
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "0.3.0 (A library for explicit data pipelines)" in installation.foreign()
    assert "uninstall" in installation.reinstall()


def _name(requirement: str) -> str:
    return re.split(r"[<>=\[ ]", requirement)[0]
