"""Words of the first screens: a newcomer needs no page for them, and the inner ones stay where programs look."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests import verbs
from tests.terminals import Screen, put_as

from tacit.cli import called, reference, terminal, words
from tacit.cli.reference import every_verb
from tacit.cli.tree import FORMER, GROUPS
from tacit.cli.verb import Cli
from tacit.core.links import Mark, Use
from tacit.lesson import Lesson, Tally
from tacit.origins import named
from tacit.screens.wording import standing_words
from tacit.testing import finding, run, tool, user

INNER = re.compile(
    r"\b(provisional|candidates?|stable|canonical|exempt|settled|unsettled|units?|arms?|gates?|belief|family|under_review|quarantined?|held|withheld"
    r"|proposals?|memory:|memories|clock_behind|move_refused|malformed_lines|decayed|superseded|pieces? of work|independent runs?)\b"
)


def lesson(**fields: Any) -> Lesson:
    tally = Tally(
        seen=fields.pop("seen", 2),
        signals=fields.pop("signals", None),
    )
    facets = {"kind": "fix", "klass": "fix", "trust": "observed", "state": "active", **fields}
    return Lesson("k3v9", "p", "Run make migrate first.", **facets, tally=tally)


# -- the screens ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A project with one lesson of each sort that a first week brings."""
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / "s.db")
    with verbs.open(path, by="ada", yes=True, cwd=str(tmp_path)) as memories:
        memories.add("Use pnpm, not npm.", kind="preference")
        for n in (1, 2):
            at = f"2026-11-0{n}T10:00:00.000Z"
            failed = tool("pytest", error="E: connection refused on 5432", at=at)
            memories.learn(
                run(f"r{n}", user("test it"), failed, started_at=at, complete=True), over=True
            )
        said = finding("r3", "The fixtures need make seed first.", by="reviewer", tier="agent")
        memories.learn(run("r3", said), over=True)
        memories.inject(task="run the tests", run="r4")
    return path


def told(*args: str, tty: bool = False, **env: str) -> tuple[int, str, str]:
    """The command line in this process: exit code, answer, notes."""
    out, err = (Screen(), Screen()) if tty else (io.StringIO(), io.StringIO())
    code = called(list(args), Cli({**os.environ, **env}, out, err))
    return code, out.getvalue(), err.getvalue()


SCREENS = (
    "|list|list --waiting|why ID|effect|effect ID|add Another|help|review|review --all|review show ID|doctor"
    "|config|undo ID|learn RUN|learn RUN --dry-run|lookback RUN|why ID --full"
)


@pytest.mark.parametrize("command", [words.split() for words in SCREENS.split("|")])
def test_first_screens_need_no_docs(store: str, command: list[str]) -> None:
    """No inner word stands on what a newcomer sees first."""
    with verbs.open(store, create=False) as memories:
        id = memories.list(limit=1)[0].id
    with (
        verbs.open(store, by="ada", yes=True) as memories,
        memories.store.write() as tx,
    ):
        for name in ("clock_behind", "move_refused", "malformed_lines"):
            tx.count(memories.project_id, name, memories.now())
    Path("run.jsonl").write_text(
        '{"type": "run", "id": "n1"}\n{"type": "finding", "text": "Seed the database first.", "by": "reviewer"}\n{"type": "end"}\n'
    )
    named = {"ID": id, "RUN": "run.jsonl"}
    code, text, notes = told(
        *[named.get(word, word) for word in command], "--store", store, "--by", "ada", "--yes"
    )
    inner = INNER.search(text)
    if "--full" in command:  # inner states, for who asks for them
        inner = None
    assert code == 0 and text and not inner, text
    assert notes == "" or command[0] in ("add", "doctor", "learn", "lookback"), notes
    assert not INNER.search(notes), notes


FATES: tuple[dict[str, Any], ...] = (
    {},
    {"verdict": "helps"},
    {"verdict": "harms"},
    {"verdict": "rare"},
    {"pinned": True},
    {"state": "doubted"},
    {"state": "active"},
    {"gate": "hold", "gate_reason": "from a page"},
    {"state": "gone"},
)


@pytest.mark.parametrize(("profile", "came"), [("default", "occurred"), ("geas", "not_occurred")])
def test_two_commands_never_say_different_things_of_one_lesson(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str, came: str
) -> None:
    """Bare tacit, list, why, effect and review: the same words, also while one host's runs speak for it and another's against."""
    monkeypatch.chdir(tmp_path)
    path, other = (
        str(tmp_path / "s.db"),
        {"occurred": "not_occurred", "not_occurred": "occurred"}[came],
    )
    with verbs.open(path, profile=profile, by="ada", yes=True, cwd=str(tmp_path)) as memories:
        kind = "fix" if profile == "default" else ""
        kept = [memories.add(f"Lesson number {n}.", kind=kind) for n in range(len(FATES))]
        at = memories.now()
        with memories.store.write() as tx:
            for memory, fate in zip(kept, FATES):
                put_as(tx, memory, "verdict", at, **{"trust": "observed", **fate}, updated_at=at)
                # a control group that says the one thing of the last runs, whatever the lesson's word is
                for n in range(40 if not fate else 2):
                    arm = "withheld" if n % 2 else "injected"
                    tx.add_use(
                        Use(memory.id, f"u{n}", memory.project, f"u{n}", memory.id, arm, 0.5, at=at)
                    )
                    tx.add_mark(
                        Mark(
                            memory.id,
                            f"u{n}",
                            memory.project,
                            "outcome",
                            other if n % 2 else came,
                            at=at,
                        )
                    )
        expected = {
            memory.id: standing_words(memories.get(memory.id), memories.profile).words
            for memory in kept
        }
    assert len(set(expected.values())) >= 6
    listed, effect, bare = (
        told(*args, "--store", path)[1] for args in (("list", "--all"), ("effect",), ())
    )
    effect = effect.partition("Past tasks done again")[
        0
    ]  # offers a replay of lessons by name, below the table
    # a profile with columns of its own shows its own states
    listed = listed if "standing" in named(profile).columns else ""
    for memory, fate in zip(kept, FATES):
        said = expected[memory.id]
        rows = [
            line
            for text in (effect, bare, listed)
            for line in text.splitlines()
            if memory.id in line
        ]
        assert rows and all(said.replace(" sessions)", "") in line for line in rows), (fate, rows)
    for memory in kept[:3]:
        why = told("why", memory.id, "--store", path)[1]
        assert f"{memory.id}  {expected[memory.id]}" in why
        assert (
            f"{memory.id}  {expected[memory.id]}"
            in told("review", "show", memory.id, "--store", path)[1]
        )
    sentence = json.loads(told("why", kept[0].id, "--json", "--store", path)[1])["data"]["effect"]
    assert sentence and sentence in told("effect", kept[0].id, "--store", path)[1].replace(
        "\n", " "
    )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["list", "--kind", "prefrence"], "Did you mean preference?"),
        (["list", "--sort", "sen"], "Did you mean seen?"),
        (["list", "--waitng"], "Did you mean --waiting?"),
        (["review", "aprove"], "Did you mean approve?"),
        (["lst"], "Did you mean tacit list?"),
        (["help", "wrods"], "Did you mean words?"),
    ],
)
def test_a_word_that_is_nearly_right_is_answered_with_the_right_one(
    store: str, typed: list[str], meant: str
) -> None:
    """Commands, options and values; nothing is done."""
    code, text, notes = told(*typed, "--store", store)
    assert (code, text) == (2, "") and meant in notes


# -- help -------------------------------------------------------------------------------------------------------------------------


def test_every_verb_stands_in_one_group_or_is_internal() -> None:
    """Four groups on one screen, at most 24 verbs, nothing twice; an origin's own stand elsewhere."""
    grouped = [verb for verbs in GROUPS.values() for verb in verbs]
    short = told("help")[1]
    assert len(short.splitlines()) <= 34 and len(GROUPS) == 4
    assert len(grouped) == len(set(grouped)) <= 24
    assert all(f"\n  {verb} " in short for verb in grouped)
    first = {verb.split()[0] for verb in every_verb()}
    assert first - set(grouped) == {"hook", "worker"} and set(grouped) <= first
    assert not any(f"\n  {verb} " in short for verb in ("hook", "worker", "origin"))


def test_a_verb_of_before_is_answered_with_the_one_to_use() -> None:
    """What 0.2.0 had, and what other programs call it."""
    for word, now in FORMER.items():
        code, text, notes = told(word)
        assert (code, text) == (2, "") and f"it is {now} now" in notes
        if now != "tacit":
            assert now.split()[1] in (*(v.split()[0] for v in every_verb()), "help", "--version")


@pytest.mark.parametrize("verb", every_verb())
def test_the_help_of_a_command_fits_a_screen_and_has_its_own_options(
    verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 lines of 100 columns; what every command takes is told once, by `help options`."""
    monkeypatch.setenv("COLUMNS", "100")
    text = reference.usage_of(verb)
    assert len(text.splitlines()) <= 40, verb
    assert verb == "inject" or not re.search(
        r"^ +--(store|profile|json|quiet|strict)\b", text, re.M
    ), text


# -- the terminal -------------------------------------------------------------------------------------------------------------------


def test_colours_have_a_meaning_and_no_colour_is_obeyed(store: str) -> None:
    """On a terminal alone."""
    assert (
        "\x1b[32myou said it"
        in told("list", "--store", store, tty=True, TERM="xterm", PAGER="cat")[1]
    )
    assert (
        "\x1b["
        not in told("list", "--store", store, tty=True, TERM="xterm", NO_COLOR="1", PAGER="cat")[1]
    )
    assert "\x1b[" not in told("list", "--store", store, TERM="xterm")[1]


def test_a_table_is_never_wider_than_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last column gives way first, then the widest; wide characters count twice, colours nothing."""
    monkeypatch.setattr(words, "width", lambda: 60)
    rows = [
        ["k3v9", "\x1b[32mtest group (3 of 20 sessions)\x1b[0m", "漢字" * 40],
        ["m2p4", "in force", "short"],
    ]
    assert max(map(words.columns, words.table(rows).splitlines())) > 60  # a pipe gets everything
    monkeypatch.setattr("sys.stdout", Screen())
    assert max(map(words.columns, words.table(rows, before=2).splitlines())) <= 60


def test_a_long_answer_goes_through_a_pager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that fits the screen, or where nobody wants a pager, is printed; a pager that is not there does no harm."""
    monkeypatch.setenv("LINES", "10")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdin", Screen())
    monkeypatch.setattr(os, "get_terminal_size", lambda fd=1: os.terminal_size((80, 10)))
    kept = tmp_path / "paged"

    def shown(text: str, pager: str) -> tuple[str, str]:
        kept.write_text("")
        out = Screen()
        env = {"PAGER": pager, "TERM": "xterm", "LINES": "10", "PATH": os.environ["PATH"]}
        terminal.paged(text, Cli(env, out, io.StringIO()))
        return out.getvalue(), kept.read_text()

    long = "line\n" * 50
    assert shown(long, f"tee {kept}") == ("", long)
    assert shown("line\n", f"tee {kept}") == ("line\n", "")
    assert shown(long, "cat") == (long, "") and shown(long, "no-such-pager") == (long, "")
