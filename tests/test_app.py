"""The facade: whole for whoever reads it, loaded verb by verb."""

from __future__ import annotations

import ast
from pathlib import Path

from tacit import app
from tacit.app import _FACETS, Memories, open


def test_every_verb_resolves(folder: Path) -> None:
    with open() as memories:
        for verb in _FACETS:
            getattr(memories, verb)
            assert hasattr(Memories, verb)


def test_why_is_one_value_for_every_surface(folder: Path) -> None:
    """What the command line prints of a lesson, the desk shows as well."""
    from tacit.screens.views import why_json

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
