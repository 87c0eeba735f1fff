"""What can be forgotten is tested: every command, setting, journal verb and event is documented, and examples run."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tacit.cli.reference import every_verb
from tacit.core.config import CONFIG_KEYS
from tacit.core.journal import JOURNAL_VERBS
from tacit.core.states import LEGAL

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_verb_of_the_journal_is_told() -> None:
    """In the words of the code."""
    told = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|$", read("docs/concepts.md"), re.M))
    assert told == JOURNAL_VERBS


def test_decisions_have_a_number_each() -> None:
    """Two people may take the same number on the same day; the number of one that was superseded is not used again."""
    records = sorted((DOCS / "internals" / "decisions").glob("*.md"))
    numbers = [int(record.name[:4]) for record in records]
    assert len(set(numbers)) == len(numbers) > 20
    titles = [record.read_text(encoding="utf-8").splitlines()[0] for record in records]
    assert [
        title for title, number in zip(titles, numbers) if not title.startswith(f"# {number}. ")
    ] == []


def test_a_decision_fits_on_a_page() -> None:
    """What was learned later supersedes a record; it is not added to its end."""
    records = (DOCS / "internals" / "decisions").glob("*.md")
    long = [each.name for each in records if len(each.read_text(encoding="utf-8").split()) > 500]
    assert long == []


def test_the_table_of_moves_is_the_one_in_force() -> None:
    """docs/concepts.md has every legal move and no other."""
    table = read("docs/concepts.md").split("| from | may become |")[1]
    told: dict[str, set[str]] = {}
    for names, goals in re.findall(
        r"^\| ([a-z_, ]+) \| ([a-z_, ]+)(?: \(.+\))? \|$", table.split("\n\n")[0], re.M
    ):
        for name in names.split(", "):
            told[name] = set(goals.split(", "))
    assert told == {state: set(goals) for state, goals in LEGAL.items()}


def test_every_setting_is_told() -> None:
    """docs/configuration.md names each key with its sentence."""
    text = read("docs/configuration.md")
    missing = [
        key
        for key, (_, _, told) in CONFIG_KEYS.items()
        if f"`{key}`" not in text or told not in text
    ]
    assert missing == []


def test_every_command_is_in_the_reference() -> None:
    """docs/reference/cli.md is what the program says; python docs/reference/generate.py writes it."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("generate", DOCS / "reference" / "generate.py")
    assert spec and spec.loader
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    if _argparse_differs():
        assert all(f"## tacit {verb}\n" in read("docs/reference/cli.md") for verb in every_verb())
    else:
        assert generate.text() == read("docs/reference/cli.md"), (
            "run: python docs/reference/generate.py"
        )


def _argparse_differs() -> bool:
    """Later Pythons word and wrap usage lines in another way; the text is held on the version it was written with."""
    import sys

    return sys.version_info[:2] != (3, 11)


def test_the_questions_about_the_store_are_answered_by_sqlite(tmp_path: Path, tacit: Any) -> None:
    """Each query of docs/internals/store.md runs on a real store with a plain SQLite."""
    queries = re.findall(r"```sql\n(.+?)```", read("docs/internals/store.md"), re.S)
    assert len(queries) == 5
    path = tmp_path / "s.db"
    tacit("add", "a lesson", "--store", str(path), "--run", "r1")
    program = shutil.which("sqlite3")
    if program is None:
        pytest.skip("sqlite3 is not installed")
    for query in queries:
        done = subprocess.run(
            [program, f"file:{path}?mode=ro", query], capture_output=True, text=True
        )
        assert done.returncode == 0, (query, done.stderr)


def test_links_between_pages_lead_somewhere() -> None:
    """No page points at a file that is not there."""
    wrong = []
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "ARCHITECTURE.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if (
                "://" not in target
                and not target.startswith("mailto:")
                and not (page.parent / target).exists()
            ):
                wrong.append(f"{page.relative_to(ROOT)} → {target}")
    assert wrong == []


def test_every_page_is_in_the_navigation() -> None:
    """mkdocs.yml, from which `make docs` builds the site, names each page once and no other."""
    named = re.findall(r"^ +- ([\w./-]+\.md)$", read("mkdocs.yml"), re.M)
    pages = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")]
    lacking, gone = sorted(set(pages) - set(named)), sorted(set(named) - set(pages))
    assert sorted(named) == sorted(pages), (
        f"the navigation in mkdocs.yml lacks {lacking}, names {gone} that are no pages, or names one twice"
    )


def test_no_page_names_a_machine_or_a_registry() -> None:
    """Paths of our machines and hosts of package registries stay out of the project."""
    wrong = []
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "bench").rglob("*.md")]:
        if re.search(
            r"(?<![\w.])/work/(main|shared)|pypi\.org|registry\.npmjs",
            page.read_text(encoding="utf-8"),
        ):
            wrong.append(str(page.relative_to(ROOT)))
    assert wrong == []


def test_every_test_that_the_red_team_names_is_there() -> None:
    """A finding is held by a test, not by a name of one."""
    import re

    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", read("bench/results/redteam.md")))
    assert len(named) > 25
    assert [
        f"{path}::{name}" for path, name in sorted(named) if f"def {name}(" not in read(path)
    ] == []
