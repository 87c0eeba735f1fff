"""The arrows of the house (design §2): who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.source_trees import nodes_of

import tacit

ROOT = Path(tacit.__file__).parent
# room -> rooms it may import. The package itself is wiring.
LOW = {"core", "lesson", "words", "safety", "trial"}
KEPT = {"place", "store"}
MAY = {
    "core": {"core", "lesson"},
    "lesson": {"core", "lesson"},
    "words": {"core", "hookspecs", "lesson", "words"},
    "place": {"core", "place", "safety"},
    "store": {"core", "hookspecs", "lesson", "place", "safety", "store", "words"},
    "safety": {*KEPT, "core", "hosts", "safety"},
    "trial": {*KEPT, "core", "lesson", "trial"},
    "hosts": {*LOW, *KEPT, "hosts", "origins"},
    "reading": {*LOW, *KEPT, "hooks", "hosts", "reading"},
    "hooks": {
        *LOW,
        *KEPT,
        "guards",
        "hooks",
        "hookspecs",
        "hosts",
        "origins",
        "screens",
        "settings",
    },
    "learn": {*LOW, *KEPT, "guards", "hooks", "hookspecs", "hosts", "learn", "reading"},
    "guards": {*LOW, *KEPT, "guards", "hosts", "learn", "reading"},
    "sync": {*LOW, *KEPT, "learn", "sync"},
    "origins": {*LOW, *KEPT, "hooks", "hookspecs", "hosts", "learn", "origins", "reading"},
    "replay": {*LOW, *KEPT, "hosts", "learn", "reading", "replay", "tacit"},
    "hookspecs": {"core", "origins"},
    "settings": {*LOW, "origins"},
    "facets": set(),
    "opened": {
        *LOW,
        *KEPT,
        "guards",
        "hookspecs",
        "hosts",
        "opened",
        "origins",
        "reading",
        "settings",
    },
    "memory": {"core", "hooks", "learn", "memory", "opened", "origins", "sync", "trial"},
    "screens": {
        *LOW,
        *KEPT,
        "guards",
        "hooks",
        "hosts",
        "learn",
        "replay",
        "screens",
        "sync",
        "worker",
    },
    "worker": {
        *LOW,
        *KEPT,
        "hooks",
        "hosts",
        "learn",
        "origins",
        "replay",
        "screens",
        "sync",
        "tacit",
    }
    | {"worker"},
    "serve": {*LOW, *KEPT, "cli", "hooks", "hosts", "learn", "replay", "screens", "serve", "tacit"}
    | {"worker"},
    "cli": {
        *LOW,
        *KEPT,
        "cli",
        "guards",
        "hooks",
        "hosts",
        "learn",
        "origins",
        "reading",
    }
    | {"replay", "screens", "serve", "settings", "sync", "tacit", "worker"},
    "testing": {*LOW, *KEPT, "hosts", "sync", "testing"},
}

# What stands on the one object: its own file, and the opened store below it.
for room in ("cli", "hooks", "replay", "screens", "serve", "sync", "testing", "worker"):
    MAY[room] |= {"memory", "opened"}


def _imports(path: Path) -> set[str]:
    """The rooms a module imports when it runs, at any depth of nesting; what only the type checker sees does not count."""
    typing = {
        id(inner)
        for node in nodes_of(path)
        if isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
        for part in node.body
        for inner in ast.walk(part)
    }
    found: set[str] = set()
    for node in nodes_of(path):
        names: list[str] = []
        if id(node) in typing:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = (
                [f"{node.module}.{alias.name}" for alias in node.names]
                if node.module == "tacit"
                else [node.module]
            )
        found |= {
            name.split(".")[1] if "." in name else "tacit"
            for name in names
            if name.split(".")[0] == "tacit"
        }
    return found


def _room(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[0].removesuffix(".py")


def test_arrows_point_one_way() -> None:
    """cli, serve → app → learn, recall, trial → core; stores and providers know core only."""
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        room = _room(path)
        if room in ("__init__", "__main__"):
            continue
        for other in _imports(path) - MAY[room] - {"__version__", "main", "at_once"}:
            wrong.append(f"{path.relative_to(ROOT)} imports tacit.{other}")
    assert wrong == []


def test_of_the_stores_hosts_know_how_a_foreign_database_is_read() -> None:
    """And of origins only the table of formats knows, for their files."""
    allowed = {"tacit.store.foreign"}
    wrong = []
    for path in sorted((ROOT / "hosts").rglob("*.py")):
        for node in nodes_of(path):
            named = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if named.startswith(("tacit.store", "tacit.place")) and named not in allowed:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {named}")
            if named.startswith("tacit.origins") and path.name != "formats.py":
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {named}")
    assert wrong == []


WALL = {"acts", "names", "provenance", "record", "repository", "shell", "witness"}
NET_FOR = ("core", "words", "hosts", "hooks", "store", "place", "trial")


def test_the_net_of_safety_lies_below_everything_and_its_wall_above_hosts() -> None:
    """What redacts, screens and opens files imports core alone, so that everybody may use it; provenance knows hosts and git, and no room below it knows provenance."""
    wrong = []
    for room in ("safety", *NET_FOR):
        for path in sorted((ROOT / room).rglob("*.py")):
            if room == "safety" and path.stem in WALL:
                continue
            for node in nodes_of(path):
                named = node.module or "" if isinstance(node, ast.ImportFrom) else ""
                _, _, part = named.partition("tacit.safety.")
                stranger = room == "safety" and named.startswith(
                    ("tacit.hosts", "tacit.store", "tacit.place")
                )
                if part in WALL or stranger:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {named}")
    assert wrong == []


def test_a_host_is_named_in_its_folder_and_in_the_table() -> None:
    """An `if host == …`, or a table with hosts in it, is a fact that has not found its folder yet."""
    from tacit.hosts import HOSTS

    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        if path.is_relative_to(ROOT / "hosts"):
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.Constant) and node.value in HOSTS:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def test_every_host_has_its_folder_and_its_page() -> None:
    """A line in the table, a folder, a how-to page; what the folder says fits the marks and the default profile's pages."""
    from tacit.hosts import HOSTS, SHELLS, every_host, speaker

    docs = ROOT.parents[1] / "docs"
    for name, host in every_host().items():
        assert (
            host.name == name
            and host.entries
            and callable(speaker(name).read)
            and callable(speaker(name).write)
        )
        assert (
            (ROOT / "hosts" / name.replace("-", "_") / "transcript.py").is_file()
            == HOSTS[name].reads
            == bool(host.transcripts)
        )
        assert any(
            f"$ tacit connect {name}" in page.read_text() for page in (docs / "howto").glob("*.md")
        ), f"a page of docs/howto says: $ tacit connect {name}"
        assert not HOSTS[name].shell or HOSTS[name].shell in SHELLS, (
            "an agent in this host's shell would pass for a person"
        )
        assert all(page.endswith(".md") for page in host.pages)
    folders = {
        path.name.replace("_", "-")
        for path in (ROOT / "hosts").iterdir()
        if (path / "__init__.py").exists()
    }
    assert folders == set(HOSTS)


def test_no_profile_is_named_in_code() -> None:
    """An `if profile.name == …` is a value that has not been named yet."""
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        for node in nodes_of(path):
            if isinstance(node, ast.Compare) and any(
                isinstance(side, ast.Attribute)
                and side.attr == "name"
                and getattr(side.value, "id", "") == "profile"
                for side in [node.left, *node.comparators]
            ):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def test_groups_of_states_are_written_once() -> None:
    """Which states are kept and which undoubted stands in core/states.py; who names such a group again has a copy that drifts."""
    from tacit.core.states import KEPT, UNDOUBTED

    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        for node in nodes_of(path):
            if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
                said = {each.value for each in node.elts if isinstance(each, ast.Constant)}
                if said in ({*KEPT}, {*UNDOUBTED}) and path != ROOT / "core" / "states.py":
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def test_desk_and_mcp_do_not_reach_into_the_command_line() -> None:
    """What both show stands in screens/."""
    wrong = []
    for path in sorted((ROOT / "serve").rglob("*.py")):
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tacit.cli"):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.module}")
    assert wrong == []
