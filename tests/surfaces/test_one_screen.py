"""The one screen and a word in passing: rows are problems, and a lesson keeps its number."""

from __future__ import annotations

import io
import json
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.readers import desk_of
from tests.terminals import Screen, learn_cure, typed

from tacit.app import data_folder
from tacit.app import open as open_memories
from tacit.core.edits import made
from tacit.core.errors import NotFound
from tacit.core.journal import Hand
from tacit.core.links import Evidence
from tacit.core.memory import Memory, Tally
from tacit.core.proposal import Proposal
from tacit.core.standing import standing_of
from tacit.core.value import replace
from tacit.learn.reader.read import prepared, read
from tacit.profiles import load
from tacit.stores.readings import readings_folder
from tacit.surfaces.cli import Cli, _main
from tacit.surfaces.cli.reading import PROGRESS, _show
from tacit.surfaces.numbers import numbers_shown, remember_numbers
from tacit.surfaces.one_screen import (
    _is_new,
    _short,
    one_screen,
    shortened,
    week_words,
)
from tacit.surfaces.passing import meant, yours_now
from tacit.surfaces.turns import is_paused
from tacit.surfaces.wording import held_words
from tacit.testing import Scripted, run, signed, tool, user


def told(*args: str, code: int = 0) -> Any:
    out, err = io.StringIO(), io.StringIO()
    assert _main([*args], Cli(signed(dict(os.environ)), out, err)) == code, (
        out.getvalue(),
        err.getvalue(),
    )
    return (
        json.loads(out.getvalue())["data"]
        if "--json" in args and not code
        else out.getvalue() + err.getvalue()
    )


@pytest.fixture
def lived(folder: Path) -> Path:
    """A failure that two sessions got over alike, one that nobody did, a lesson of the person's and one that waits."""
    with open_memories(env=signed(dict(os.environ))) as memories:
        learn_cure(memories, tool("docker compose up", error="bash: docker: command not found"))
        memories.add("Answer in English, even when I write German.", kind="preference")
        memories.add("The exporter retries three times", trust="agent")
    return folder


def test_a_row_is_a_problem_with_its_cost_and_what_agents_hear(lived: Path) -> None:
    """In the words of what happened; what came back and has no lesson stands below, the host's own protocol nowhere."""
    with open_memories() as memories:
        found = one_screen(memories)
    first = next(row for row in found.told + found.new if "left-pad" in row.problem)
    assert "3 sessions" in first.cost and "call" in first.cost
    assert "npm ci" in first.hears and first.when == "before `npm run test`"
    unknown = " ".join(row.problem for row in found.unknown)
    assert "docker" in unknown and "Edit" not in unknown
    assert [row.number for row in found.rows] == list(range(1, len(found.rows) + 1))
    text = told()
    assert "left-pad" in text and "Came back, nothing known yet" in text and "on trial" not in text


def test_the_one_screen_fits_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It went through a pager, with what is asked below the last line; rows that are not shown are counted, and have no number."""
    with open_memories(env=signed(dict(os.environ))) as memories:
        for n in range(25):
            memories.add(
                f"Module {n} needs its seed number {n} first.", trust="agent" if n % 2 else "user"
            )
    whole = told()
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "80")
    out = Screen()
    assert (
        _main(
            [],
            Cli(
                signed({**os.environ, "PAGER": "no-such-pager", "TERM": "dumb"}), out, io.StringIO()
            ),
        )
        == 0
    )
    assert len(out.getvalue().splitlines()) <= 24 < len(whole.splitlines())
    assert "more: tacit list" in out.getvalue()
    with open_memories() as memories:
        found, numbers = shortened(one_screen(memories), 3, 4), numbers_shown(memories)
    assert all(numbers[row.number] == row.id for row in found.rows) and len(found.new) == 4


def test_keep_and_drop_mean_the_numbers_that_were_shown_last(lived: Path) -> None:
    """Each is the person's word, in the journal as theirs; a number that was not shown means nothing."""
    assert "No screen was shown yet" in told("keep", "1", code=3).replace("no screen", "No screen")
    told()
    rows = told("--json")["screen"]
    every = {row["number"]: row for name in ("told", "new") for row in rows[name]}
    waits = next(n for n, row in every.items() if "exporter" in row["hears"])
    cure = next(n for n, row in every.items() if "left-pad" in row["problem"])
    told("keep", str(waits))
    assert "you have changed nothing of it" in told("undo", str(cure), code=1)
    told("drop", str(cure))
    with open_memories() as memories:
        kept, gone = memories.get(every[waits]["id"]), memories.get(every[cure]["id"])
        assert kept.state == "provisional" and gone.state == "archived"
        assert memories.log(memory=kept.id, newest=True, limit=1)[0].by != "learn"
        assert numbers_shown(memories)[waits] == kept.id
        with pytest.raises(NotFound):
            meant(memories, "99")
    assert "took back" in told("undo", str(cure)) and "taken back already" in told(
        "undo", str(cure), code=1
    )
    assert f"{waits} (" in (why := told("why", str(waits))) and "exporter" in why


def test_undo_by_a_number_touches_no_other_project(
    lived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`undo 2` meant the journal's entry 2, which was another project's lesson."""
    with open_memories() as memories:
        of, first = memories.project.name, memories.log(limit=1)[0]
    (other := tmp_path / "other").mkdir()
    monkeypatch.chdir(other)
    with open_memories(env=signed(dict(os.environ))) as memories:
        memories.add("Fetch before a rebase.")
    for way in ([str(first.id)], ["--entry", str(first.id)]):
        assert f"is of another project, {of}" in told("undo", *way, code=1)
    with open_memories() as memories:
        assert memories.store.get(first.memory).state != "archived"


def test_keep_says_where_a_lesson_goes(folder: Path) -> None:
    """It went from its prompt to every start, and nobody had said that this changes."""
    with open_memories(env=signed(dict(os.environ))) as memories:
        rule = memories.add(
            "Run the e2e tests before you say done.",
            kind="rule",
            trust="agent",
            about="end-to-end tests",
        )
        memories.review(rule.id, "reinstate") if rule.state == "under_review" else None
        was = replace(memories.get(rule.id), state="provisional")
        said = yours_now(memories, was, "kept", "3") if memories.review(rule.id, "approve") else ""
    assert (
        "told at every start, no longer only with a prompt about it (tacit undo 3 takes it back)"
        in said
    )


def test_an_agents_shell_keeps_nothing(lived: Path) -> None:
    """Nobody is at a terminal, and no key is shown."""
    told()
    out, err = io.StringIO(), io.StringIO()
    plain = {name: word for name, word in os.environ.items() if not name.startswith("TACIT_KEY")}
    assert _main(["keep", "1"], Cli({**plain, "CLAUDECODE": "1"}, out, err)) == 1
    assert "person's word" in err.getvalue()


def test_a_week_is_told_without_zeros() -> None:
    """One sentence, and only what happened."""
    none = {"sessions": 0, "given": 0, "withheld": 0, "units": 0, "told": 0, "back": 0, "new": 0}
    assert (
        week_words(none, 0) == ""
        and week_words(none, 7) == "Nothing happened this week; 7 sessions learned so far."
    )
    some = {**none, "sessions": 2, "given": 45, "units": 9, "told": 17, "back": 1}
    assert week_words(some, 7) == (
        "This week: 2 sessions learned. Lessons were given 45 times in 9 sessions; of 17 times that could be judged 1 problem came back."
    )


def test_leaving_undoes_every_host_and_deletes_on_a_yes_only(lived: Path, alone: Path) -> None:
    """Also in another project than the one it is called in; what remains is named."""
    other = alone / "elsewhere"
    other.mkdir()
    (lived / ".claude").mkdir()
    settings = lived / ".claude" / "settings.local.json"
    settings.write_text('{"permissions": {}}')
    told("connect", "claude-code", "--no-learn")
    assert "tacit" in settings.read_text()
    os.chdir(other)
    said = told("leave", "--dry-run", "--json")
    assert said["disconnected"] == [str(settings)] and "tacit" in settings.read_text()
    said = told("leave", "--json")
    assert settings.read_text() == '{"permissions": {}}' and any(
        "tacit" in path for path in said["kept"]
    )
    subprocess.run(["git", "init", "-q", str(lived)], check=True)
    subprocess.run(["git", "-C", str(lived), "config", "tacit.project", "abc"], check=True)
    assert told("leave", "--delete", "--yes", "--by", "ann", "--json")["deleted"]
    assert "tacit" not in (lived / ".git" / "config").read_text()
    assert not any(os.path.exists(path) for path in said["kept"])


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.file_only("the readings of a server's sessions lie beside its cache")
def test_what_is_read_while_somebody_leaves_does_not_come_back(
    folder: Path, alone: Path, elsewhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reading hears of it, says no more to the disk, and begins with no other session; the person is told that it was stopped."""
    if elsewhere:
        (alone / "apart").mkdir()
        monkeypatch.setenv("TACIT_STORE", str(alone / "apart" / "store.db"))
    said: list[str] = []

    class Leaving(Scripted):
        def ask(self, prompt: str, *, schema: Any = None, timeout: float = 60.0) -> str:
            said.append(told("leave", "--delete", "--yes", "--by", "ann"))
            return super().ask(prompt, schema=schema, timeout=timeout)

    with open_memories() as memories:
        found = run("r1", user("Always pull before new work."), task="t")
        memories.learn(found)
        place, row = (
            readings_folder(memories.near.path),
            memories.store.find_run(memories.project_id, "r1"),
        )
        assert row is not None
        with memories.near.write() as tx:
            tx.put_meta(
                PROGRESS, json.dumps({"pid": os.getpid(), "total": 3, "done": 0, "lessons": 0})
            )
        reading = prepared(place, found, row.id, row.project, memories.now())
        assert reading is not None and os.listdir(place)
        answers = json.dumps({"lessons": [], "answers": [], "verdicts": []})
        with pytest.raises(FileNotFoundError):
            read(desk_of(memories, Leaving(answers)), reading)
        assert "stopped: reading in the background" in said[0] and is_paused(memories.near)
        memories.backup_if_due()
        assert not os.path.exists(place) and not os.path.exists(memories.near.path)
        assert not os.path.exists(data_folder(os.environ))


def test_what_the_person_kept_or_reworded_is_theirs_and_no_longer_to_decide(lived: Path) -> None:
    """It was told as an agent's claim, and stood among what is to be decided."""
    told()
    with open_memories() as memories:
        waits = next(row for row in one_screen(memories).new if "exporter" in row.hears)
    told("edit", str(waits.number), "The exporter retries three times, then stops.")
    with open_memories() as memories:
        found = one_screen(memories)
        assert waits.id not in {row.id for row in found.new}
        assert next(row.stands for row in found.told if row.id == waits.id) == "your word"
        assert memories.notes([memories.get(waits.id)]).rstrip().splitlines()[-2].endswith("user)")


def test_a_reading_tells_in_the_order_of_the_screen_and_its_numbers_count(folder: Path) -> None:
    """Numbers 1 to 8 of `lookback` were 8 to 1 of bare `tacit`, and stood for nothing."""
    out = io.StringIO()
    with open_memories(env=signed(dict(os.environ))) as memories:
        ids = [
            memories.add(f"Module {n} needs its seed number {n} first.", trust="agent").id
            for n in range(4)
        ]
        for some in (ids[:2], ids[2:]):
            _show(Cli(dict(os.environ), out, out), memories, some)
        assert (
            numbers_shown(memories) == dict(enumerate(ids, 1)) and " 4  Module 3" in out.getvalue()
        )
        assert [row.id for row in one_screen(memories).new] == ids
    told("drop", "2")
    assert "was taken out since it was shown" in told("drop", "2", code=1)


def test_a_reading_that_was_stopped_is_named_when_work_goes_on(folder: Path) -> None:
    """Bare `tacit` said *paused* and *reading, 63 minutes left*; after `pause --off` nothing said that the reading was gone."""
    at = {"pid": os.getpid(), "total": 106, "done": 11, "lessons": 40, "began": 0}
    with open_memories(env=signed(dict(os.environ))) as memories:
        memories.ensure_project()
        with memories.store.write() as tx:
            tx.put_meta(PROGRESS, json.dumps(at))
        told("pause", "1h")
        assert "Reading stops behind the session" in told() and "in the background" not in told()
        with memories.store.write() as tx:
            tx.put_meta(PROGRESS, json.dumps({**at, "pid": 2**22 + 1}))  # nobody's
        assert "; 95 sessions of a reading that was stopped wait: tacit lookback" in told(
            "pause", "--off"
        )


def test_a_row_is_in_plain_words() -> None:
    """A quote that was cut inside of backticks, and why somebody else's words wait."""
    assert _short("we should just display `[an0n]") == "we should just display [an0n]"
    assert _short("run `make` and `make seed` first", 20) == "run `make` and …"
    assert held_words("quoted text waits for somebody to vouch for it").startswith(
        "some of its words stood in a page"
    )
    assert (
        held_words("`cpanm Setup` is no command of this repository")
        == "agents would run `cpanm Setup`: is it right?"
    )
    assert held_words("is about signing or secrets") == "is about signing or secrets"


def test_what_is_listed_at_a_terminal_has_numbers(lived: Path) -> None:
    """It had ids of twelve letters only; for a pipe the last screen's numbers stay."""
    with open_memories() as memories:
        told("list")
        assert numbers_shown(memories) == {}
        shown = typed(signed(dict(os.environ)), "list")
        assert "(1): tacit list --waiting" in shown  # nobody is told of it: counted
        shown += typed(signed(dict(os.environ)), "list", "--waiting")
        ids = numbers_shown(memories)
        texts = {n: memories.get(id).text for n, id in ids.items()}
    assert len(ids) > 2 and all(f" {n} " in shown and text in shown for n, text in texts.items()), (
        shown
    )
    typed(signed(dict(os.environ)))
    with (
        open_memories() as memories
    ):  # a lesson keeps its number, on every screen and after a word about another
        assert dict([*numbers_shown(memories).items()][: len(ids)]) == ids
        told("keep", "3")
        assert next(row.number for row in one_screen(memories).rows if row.id == ids[3]) == 3
        with memories.store.write() as tx:  # nor does a question about it give it another
            tx.put_proposal(
                Proposal(
                    "q" * 12,
                    memories.project_id,
                    "archive",
                    "why",
                    "tend",
                    "2026-11-18T12:00:00.000Z",
                    ids[3],
                )
            )
        assert remember_numbers(memories, [ids[3]])[ids[3]] == 3


def test_what_says_the_same_stands_below_the_first_by_its_number(folder: Path) -> None:
    """Ten ways to say that a package has no library target stood one below the other. What a reader called the same, or less than the first,
    is a number; what says more, a person's own, what shares hardly a word, and what it held against a session only, stay."""
    said = {
        "a": ("Run unit tests without `--lib`: the package has no library target.", "agent", ()),
        "b": (
            "Run focused tests as `cargo test http`, not `--lib`: no library target here.",
            "agent",
            ("a", "a", "same"),
        ),
        "c": ("Leave out `--lib` when running unit tests.", "agent", ("a", "a", "less")),
        "d": (
            "Run unit tests without `--lib`, and with one filter only.",
            "agent",
            ("a", "a", "more"),
        ),
        "e": ("Never pass `--lib` to unit tests.", "user", ("a", "a", "same")),
        "f": ("Ask before you touch anything.", "agent", ("a", "a", "same")),
        "g": (
            "Run unit tests on main, then on your branch, then push it.",
            "agent",
            ("a", "a"),
        ),  # of its session
    }
    with open_memories(env=signed(dict(os.environ))) as memories:
        memories.ensure_project()
        with memories.store.write() as tx:
            for id, (text, trust, twin) in said.items():
                name = (
                    {"twin": [each * 12 if len(each) == 1 else each for each in twin]}
                    if twin
                    else None
                )
                at = {"created_at": memories.now(), "updated_at": memories.now()}
                one = Memory(
                    id * 12,
                    memories.project_id,
                    text,
                    trust=trust,
                    state="provisional",
                    extra=name,
                    **at,
                )
                tx.apply(made(one, Hand("learn", at["created_at"]), "heard"))
        listed = " ".join(typed(signed(dict(os.environ)), "list").split())
        numbers = {id[0]: n for n, id in numbers_shown(memories).items()}
        below = f"(much the same: {', '.join(map(str, sorted(numbers[each] for each in 'abc')))})"
        assert (
            below in listed
            and "In force, each given where it fits (7, 3 of them below another)" in listed
        ), listed
        assert [each for each, (text, *_) in said.items() if text in listed] == [*"defg"], listed
        for whole in (
            told("list"),
            typed(signed(dict(os.environ)), "list", "--all"),
        ):  # a pipe gets everything
            assert all(text[:30] in " ".join(whole.split()) for text, *_ in said.values()), whole
        assert sorted(row.id[0] for row in one_screen(memories).rows) == [*"defg"]
        rest = f"agents hear what is much the same: {', '.join(map(str, sorted(numbers[each] for each in 'abc')))}"
        assert rest in told(
            "drop", str(numbers["e"])
        )  # what was told in its place before is told now
        with memories.store.write() as tx:  # what is new gives way to what was met before
            for n in "123":
                tx.add_evidence(
                    Evidence("b" * 12, memories.project_id, n, n, "f", at=memories.now())
                )
        assert [row.id[0] for row in one_screen(memories).rows if row.id[0] in "abc"] == ["b"]


def test_decisions_about_the_product_come_last_and_one_matter_takes_one_row(folder: Path) -> None:
    """Of what one session settled about the product two readers wanted a third, and called every sixth line nonsense."""
    out = io.StringIO()
    with open_memories(env=signed(dict(os.environ))) as memories:
        memories.ensure_project()
        with memories.store.write() as tx:
            for id, kind, about in (
                ("one", "decision", "colors"),
                ("two", "fact", "the seed"),
                ("dup", "fact", "the seed"),
                ("mine", "preference", "the seed"),
            ):
                at = {"created_at": memories.now(), "updated_at": memories.now()}
                facts = {"kind": kind, "about": about, "state": "provisional", "trust": "agent"}
                one = Memory(id * 4, memories.project_id, f"This is {id}.", **facts, **at)
                tx.apply(made(one, Hand("learn", at["created_at"]), "heard"))
        memories.review("mine" * 4, "approve")
        rows = {row.id: row.cost for row in one_screen(memories).rows}
        assert [*rows] == ["mine" * 4, "two" * 4] and rows["two" * 4].endswith(
            ", 1 more about it"
        ), rows
        assert (
            told("list").index("This is two.")
            < told("list").index("Decisions about the product")
            < told("list").index("This is one.")
        )
        shown = typed(signed(dict(os.environ)), "list")  # at a terminal by what they are about
        assert (
            "(1): tacit list --kind decision About colors." in shown and "This is one." not in shown
        ), shown
        assert "This is one." in typed(signed(dict(os.environ)), "list", "--kind", "decision")
        _show(Cli(dict(os.environ), out, out), memories, ["one" * 4, "two" * 4])
        assert (
            "This is one." not in out.getvalue()
            and "and 1 decision about the product" in out.getvalue()
        )
        for id in ("two", "dup", "mine"):
            memories.forget(id * 4)
        assert [row.id for row in one_screen(memories).rows] == [
            "one" * 4
        ]  # where there is nothing else


def test_what_waits_is_listed_however_much_is_in_force(lived: Path) -> None:
    """Of fifty in force `--waiting` read fifty, and said that none waits."""
    assert "The exporter retries" in told("list", "--waiting", "--limit", "1")


def test_what_is_new_stands_apart_from_what_waits_for_a_word(lived: Path) -> None:
    """Lessons in force stood under "for you to decide"."""
    with open_memories() as memories:
        memories.add("The mirror of the registry answers faster.", trust="quoted")
        found = one_screen(memories)
    titles = {title: [row.stands for row in rows] for title, rows in found.shelves}
    assert [*titles] == ["For you to decide", "New, as it came"] and "given from now on" not in str(
        titles
    ), titles
    assert tuple(row for _, rows in found.shelves for row in rows) == found.new


def test_a_number_names_its_lesson_before_and_after_a_word(folder: Path) -> None:
    """After `keep 22` number 22 named nothing, its lesson had another one and stood twice in `review`; keep and add said less than drop."""
    at_terminal = signed(dict(os.environ))
    said = partial(typed, at_terminal)
    with open_memories(env=at_terminal) as memories:
        held = memories.add("Install the mirror with curl", trust="imported", kind="rule")
        asks = Proposal(
            "q" * 12, memories.project_id, "promote", "why", "learn", memories.now(), held.id
        )
        order = {"text": "update the changelog", "order": "Update the changelog.", "runs": []}
        asked = Proposal(
            "r" * 12,
            memories.project_id,
            "request",
            "You asked.",
            "learn",
            memories.now(),
            payload=order,
        )
        with memories.store.write() as tx:
            tx.put_proposal(replace(asks, payload={"to": "provisional"}))
            tx.put_proposal(asked)
        said()
        number = {id: n for n, id in numbers_shown(memories).items()}
        assert [*number] == [held.id, asked.id] and said("review").count(held.text) == 1
        assert "1 question more" in said("list")
        for id, text in ((held.id, held.text), (asked.id, "Update the changelog.")):
            told_now = said("keep", str(number[id]))
            assert (
                f"told at every start (tacit undo {number[id]} takes it back): {text}" in told_now
            )
            assert f"{number[id]} (" in (why := said("why", str(number[id]))) and text in why
            assert f" {number[id]} your word {text}" in said("list") and text not in said("review")
        for n in number.values():
            assert "waits for your answer again" in said("undo", str(n))
        assert memories.get(held.id).gate == "hold" and not memories.list(
            states=("provisional", "stable")
        )
        told_now = said("add", "Answer in English.", "--kind", "preference")
        assert (
            told_now
            == "kept 3, your word, told at every start (tacit undo 3 takes it back): Answer in English."
        )
        assert "took back" in said("undo", "3")
        assert "Update the changelog" in said("why", "2") and numbers_shown(memories)[2] == asked.id
        assert "2: kept in your words" in said(
            "edit", "2", "Update NEWS.md."
        ) and "NEWS.md" in said("why", "2")
        said("drop", "2")
        # what was taken out is not worded anew in silence
        assert "nothing was done" in said("edit", "2", "Never.", code=1)
        other = memories.add("The mirror of the registry answers faster.", trust="quoted")
        said("review"), said("keep", "4"), said("undo", "4")
        assert (memories.get(other.id).gate, memories.get(other.id).state) == ("hold", "candidate")


@pytest.mark.parametrize(
    ("extra", "seen", "waits"), [({}, 1, True), ({"habit": True}, 1, False), ({}, 2, False)]
)
def test_an_order_of_one_day_is_told_to_nobody_before_it_comes_again(
    folder: Path, extra: dict[str, bool], seen: int, waits: bool
) -> None:
    """One day's request stood among the lessons in force, as "you asked for it once"; what its reader expects again is told."""
    once = Memory(
        "m", "p", "Go back to main after a PR.", extra={"word": "asked", "inside": True, **extra}
    )
    once = replace(once, tally=Tally(seen=seen))
    assert standing_of(once, load("default"), "2026-11-18T12:00:00.000Z").inside is not waits
    assert _is_new(once, "2026-11-11T12:00:00.000Z") is not waits


def test_what_may_have_been_guessed_once_is_no_problem_yet(folder: Path) -> None:
    """An option that a reviewer got wrong on purpose stood under what came back, and what a wrapper refused stood under git's name."""
    shown = []
    with open_memories() as memories:
        for n in range(3):
            bad = tool(
                "go run ./cmd sync --bad", error="flag provided but not defined: -bad", status=2
            )
            memories.learn(
                run(
                    f"r{n}",
                    user(f"look at the flags {n}"),
                    bad,
                    tool(f"go vet ./a{n}", "ok"),
                    lineage=f"l{n}",
                )
            )
            shown.append([row.problem for row in one_screen(memories).unknown])
    assert shown[:2] == [[], []] and "bad" in shown[2][0], shown
