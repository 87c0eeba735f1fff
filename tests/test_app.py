"""The facade: whole for whoever reads it, loaded verb by verb."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tacit import app
from tacit.app import _FACETS, _VERBS_BY_MODULE, Memories, open
from tacit.app.opened import Opened

MOST = 25  # public members of one class


def _public(facet: type) -> set[str]:
    return {name for name in vars(facet) if not name.startswith("_")}


def _facet(module: str, name: str) -> type:
    found: type = getattr(import_module(f"tacit.app.{module}"), name)
    return found


@pytest.mark.parametrize("module, name", _VERBS_BY_MODULE)
def test_the_table_of_verbs_is_what_the_facets_have(module: str, name: str) -> None:
    """A verb that the table does not name would be there for the type checker only."""
    facet = _facet(module, name)
    assert _public(facet) == {verb for verb, where in _FACETS.items() if where == (module, name)}
    assert len(_public(facet)) <= MOST


def test_every_module_of_the_package_is_in_the_table() -> None:
    modules = {path.stem for path in Path(app.__file__).parent.glob("*.py")} - {
        "__init__",
        "acting",
        "facets",
        "linters",
        "opened",
        "settings",
        "signing",
        "vouching",
    }
    assert modules == {module for module, _ in _VERBS_BY_MODULE}


def test_no_facet_defines_what_another_has() -> None:
    """The first one loaded would win."""
    owners: dict[str, type] = dict.fromkeys(vars(Opened), Opened)
    for facet in (_facet(*where) for where in _VERBS_BY_MODULE):
        for name in vars(facet):
            if not name.startswith("__"):
                assert owners.setdefault(name, facet) is facet, name


def test_a_verb_brings_its_facet_and_no_other(folder: Path) -> None:
    """In a fresh process: what was not called is not loaded, and what one calls works at once."""
    code = (
        "import sys, tacit\n"
        "with tacit.open() as m:\n"
        "    m.add('Run make migrate before the tests.')\n"
        "    print(sorted(n.rpartition('.')[2] for n in sys.modules if n.startswith('tacit.app.')))\n"
        "    print(len(m.list()), hasattr(m, 'no_such_verb'), 'backup' in dir(m))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "['by_hand', 'opened', 'pages', 'safety', 'settings']",
        "1 False True",
    ], done.stderr


def test_every_verb_resolves(folder: Path) -> None:
    with open() as memories:
        for verb in _FACETS:
            getattr(memories, verb)
            assert hasattr(Memories, verb)


def test_why_is_one_value_for_every_surface(folder: Path) -> None:
    """What the command line prints of a lesson, the desk shows as well."""
    from tacit.surfaces.views import why_json

    with open() as memories:
        id = memories.add("Run make migrate before src/gone.py is read.", run="r1").id
        found = memories.why(id[:8], "what before the tests?")
        told = why_json(found, "what before the tests?")
        assert found.memory.id == id and [found.runs[row.run] for row in found.evidence] == ["r1"]
        assert [entry.verb for entry in found.journal] == ["add"] and found.next
        assert (
            told["evidence"][0]["run"] == "r1"
            and told["score"]["question"] == "what before the tests?"
        )
        web = pytest.importorskip("tacit.surfaces.web.views")
        shown = web.memory(memories, id)
        assert {name: shown[name] for name in ("memory", "evidence", "next", "gone", "marks")} == {
            name: told[name] for name in ("memory", "evidence", "next", "gone", "marks")
        }


def test_no_verb_takes_anything_by_name() -> None:
    """`**facets: Any` tells neither an editor nor the type checker what a verb takes; app/facets.py does."""
    wrong = []
    for path in sorted(Path(app.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.FunctionDef)
                and not node.name.startswith("_")
                and node.args.kwarg
            ):
                said = node.args.kwarg.annotation
                if said is None or ast.unparse(said) == "Any":
                    wrong.append(f"{path.name}:{node.lineno} {node.name}")
    assert wrong == []
