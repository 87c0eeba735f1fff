"""The library: twenty plain methods, each of which loads the room that does the work."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.verbs import open

import tacit
from tacit import memory as library
from tacit.opened import Opened

METHODS = """
    add edit keep drop undo lesson lessons why learn run submit inject recall questions answer effect
    sync export import_ close
""".split()


def test_the_library_has_twenty_methods() -> None:
    """No more, and none that is found by a table or made up when it is called."""
    own = {name for name in vars(tacit.Memory) if not name.startswith("_")} | {"close"}
    assert own == {*METHODS} and len(METHODS) == 20
    for each in (tacit.Memory, Opened):
        assert not hasattr(each, "__getattr__")


def test_a_lesson_lives_and_goes(folder: Path) -> None:
    """Kept, found, told, corrected, dropped and taken back, by the public names alone."""
    with tacit.open(by="ada", yes=True) as memory:
        made = memory.add("Run `make migrate` before the tests.", kind="rule")
        assert memory.lesson(made.id[:6]).id == made.id
        assert [each.id for each in memory.lessons()] == [made.id]
        assert made.id in memory.inject("the tests fail", run="r1").injected
        assert memory.recall("migrate").hits[0].memory.id == made.id
        assert memory.keep(made.id, always=True).pinned
        assert memory.edit(made.id, text="Run `make migrate` first.").text.endswith("first.")
        assert memory.why(made.id).journal
        assert [each.id for each in memory.drop(made.id)] == [made.id] and memory.lessons() == []
        assert memory.undo(made.id)[0].text == "Run `make migrate` first."
        assert "make migrate" in memory.export()
        assert memory.questions() == [] and memory.effect().lessons


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


def test_no_method_takes_anything_by_name() -> None:
    """`**facets: Any` tells neither an editor nor the type checker what a method takes; facets.py does."""
    wrong = []
    for node in ast.walk(ast.parse(Path(library.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.args.kwarg:
            said = node.args.kwarg.annotation
            if said is None or ast.unparse(said) == "Any":
                wrong.append(f"memory.py:{node.lineno} {node.name}")
    assert wrong == []
