"""What is told when: by the subject of a lesson, not by who said it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tacit.core.links import Evidence
from tacit.core.memory import Memory, Tally
from tacit.core.profile_toml import standard
from tacit.core.value import replace
from tacit.recall.moments import (
    are_siblings,
    in_order_of_work,
    is_named_in,
    newest_first,
    told_at_starts,
    twin_of,
)
from tacit.recall.rank import Ranked
from tacit.words.tokens import query_words

Make = Callable[..., Memory]
FACT = {"kind": "fact", "klass": "fact", "trust": "user"}


def found_once(make: Make, text: str, **fields: Any) -> Memory:
    return make(
        text,
        kind="fact",
        klass="fact",
        trust="agent",
        extra={"word": "found"},
        tally=Tally(seen=1),
        **fields,
    )


def test_a_decision_about_something_else_is_no_filler(world: Any, make: Make) -> None:
    """A person's fact competes by subject like all others: at a start, and at a prompt about another thing, it is not told."""
    tags = make("Merged tags keep the first spelling.", about="tag merging; merge_tags", **FACT)
    world.put(tags, *(make(f"Number {n} is odd or even.", **FACT) for n in range(20)))
    assert world.inject("", surface="hook:session-start").injected == ()
    assert (
        world.inject("CSV quoting drops a comma in the export", surface="hook:prompt").injected
        == ()
    )
    assert world.inject(
        "why does merge_tags change case?", surface="hook:prompt", trial=False
    ).injected == (tags.id,)


def test_what_was_settled_together_comes_together(world: Any, make: Make) -> None:
    """The parts of a decision, though their words share nothing with the question; not what the same run settled about another topic."""
    parts = [
        make(text, about="tag merging", **FACT)
        for text in (
            "Merged tags keep the first spelling.",
            "Ties go to the older one.",
            "Empty ones are dropped.",
        )
    ]
    other = make("Reports are sent on Mondays.", about="reports", **FACT)
    replaced = make(
        "Ties go to the newer one.", about="tag merging", superseded_by=parts[1].id, **FACT
    )
    world.put(*parts, other, replaced)
    with world.store.write() as tx:
        for n, memory in enumerate((*parts, other, replaced)):
            tx.add_evidence(
                Evidence(memory.id, "p", "run1", "run1", f"f{n}", at="2026-11-01T00:00:00Z")
            )
    told = world.inject(
        "which spelling do merged tags keep?", surface="hook:prompt", trial=False
    ).injected
    assert set(told) == {memory.id for memory in parts}


def test_what_another_run_settled_about_the_very_topic_comes_too(world: Any, make: Make) -> None:
    """An amendment stands in a later session, and shares no word with the question that finds the rule."""
    rule = make("Merged tags keep the first spelling.", about="tag merging", **FACT)
    amended = make("Ties go to the older one.", about="Tag merging; announced_at", **FACT)
    other = make("Ties go to the visitors.", about="football", **FACT)
    world.put(rule, amended, other)
    with world.store.write() as tx:
        for n, memory in enumerate((rule, amended, other)):
            tx.add_evidence(
                Evidence(memory.id, "p", f"run{n}", f"run{n}", f"f{n}", at="2026-11-01T00:00:00Z")
            )
    told = world.inject(
        "which spelling do merged tags keep?", surface="hook:prompt", trial=False
    ).injected
    assert set(told) == {rule.id, amended.id}


def test_found_once_is_told_at_its_moment_and_marked(world: Any, make: Make) -> None:
    """Where its subject is named or two rare words are asked for; never at a start, and not where the profile switches it off."""
    once = found_once(
        make, "The frobnicator needs zlib before it starts.", about="frobnicator; zlib_init"
    )
    world.put(once, *(make(f"Number {n} is odd or even.", **FACT) for n in range(20)))
    assert world.inject("", surface="hook:session-start").injected == ()
    assert world.inject("start it", surface="hook:prompt", run="r2").injected == ()
    told = world.inject("why does zlib_init crash?", surface="hook:prompt", run="r3", trial=False)
    assert told.injected == (once.id,) and "(found once, agent)" in told.markdown
    assert world.inject("the frobnicator fails without zlib", run="r4", trial=False).injected == (
        once.id,
    )


def test_before_an_edit_what_is_about_that_file_or_function(world: Any, make: Make) -> None:
    file = make("Dates are kept in UTC.", paths=("src/dates.py",), **FACT)
    function = make("Rounds half up on purpose.", about="rounding; round_price", **FACT)
    world.put(file, function, make("The dates of a release are announced.", **FACT))
    told = world.inject(
        "", files=("/repo/src/dates.py",), touched=True, surface="hook:before-file", trial=False
    )
    assert told.injected == (file.id,)
    body = "def round_price(x):\n    return x"
    told = world.inject(
        body, files=("src/money.py",), touched=True, surface="hook:before-file", trial=False
    )
    assert told.injected == (function.id,)
    assert (
        world.inject(
            "x = round_price(2)", files=("src/z.py",), touched=True, surface="hook:before-file"
        ).injected
        == ()
    )


def test_a_context_is_told_so_much_and_no_more(world: Any, make: Make) -> None:
    """Whatever its prompts ask for."""
    world.put(
        *(
            make(
                f"Thing{n} " + "does what the manual says about it " * 8,
                about=f"; thing_{n}",
                **FACT,
            )
            for n in range(60)
        )
    )
    spent = [
        world.inject(
            f"what about thing_{n}", surface="hook:prompt", event=f"e{n}", trial=False
        ).tokens
        for n in range(60)
    ]
    assert 1_000 < sum(spent) <= 1_800 and spent[-1] == 0


@pytest.mark.parametrize(
    ("klass", "word", "seen", "told"),
    [
        ("rule", "habit", 1, "found once"),
        ("rule", "habit", 2, ""),
        ("rule", "asked", 1, "found once"),
        ("preference", "said", 1, ""),
        ("rule", "found", 1, "found once"),
        ("fact", "said", 3, "subject"),
    ],
)
def test_a_way_of_working_that_a_person_asked_for_is_told_at_starts(
    make: Make, klass: str, word: str, seen: int, told: str
) -> None:
    """Where the changelog goes is about commits, and is told there when somebody asked for it once, at starts when they asked again. So is
    an agent's finding; a fact about a subject is told there."""
    extra = {"word": "asked", "habit": True} if word == "habit" else {"word": word}
    memory = make(klass=klass, about="commits and changelog", extra=extra, tally=Tally(seen=seen))
    assert told in (why := told_at_starts(memory, standard("default"))) and bool(why) is bool(told)


def test_a_start_tells_what_came_up_more_often_first(world: Any, make: Make) -> None:
    """Through the store: two pieces of work met the one, one the other; both are about a subject."""
    rule = {"kind": "rule", "klass": "rule", "trust": "user"}
    again = make(
        "When asked to commit, update the changelog too.", about="commits; git commit", **rule
    )
    once = make("New options are described in the README.", about="options; README.md", **rule)
    world.put(once, again)
    world.seen(again.id, "one", "two")
    assert world.inject("", surface="hook:session-start", trial=False).injected == (
        again.id,
        once.id,
    )


def test_ways_of_working_begin_with_the_persons_own_then_those_met_most_often(make: Make) -> None:
    heard = {"extra": {"word": "shown"}, "about": "*"}
    lessons = [
        make(
            id="once",
            text="A.",
            **heard,
            tally=Tally(seen=1, belief=0.7, seen_at="2026-03-01T08:00:00Z"),
        ),
        make(id="lately", text="B.", **heard, tally=Tally(seen=1, seen_at="2026-04-01T08:00:00Z")),
        make(
            id="written",
            text="C.",
            about="*",
            trust="user",
            tally=Tally(seen=1, seen_at="2026-02-01T08:00:00Z"),
        ),
        make(id="thrice", text="D.", **heard, tally=Tally(seen=3, seen_at="2026-01-01T08:00:00Z")),
        make(id="pinned", text="E.", about="*", pinned=True),
    ]
    assert [memory.id for memory in in_order_of_work(lessons)] == [
        "pinned",
        "written",
        "thrice",
        "lately",
        "once",
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("tags", "Tags; x", True),
        ("tags", "csv", False),
        ("*", "*", False),
        ("; a_b", "; a_b; c", True),
        ("; a_b", "; c", False),
        ("", "", True),
    ],
)
def test_siblings_share_a_topic_or_a_name(make: Make, one: str, other: str, same: bool) -> None:
    assert are_siblings(make(about=one), make(about=other)) == same


def test_of_one_topic_the_newest_settlement_first(make: Make) -> None:
    old, new = (make(about="tags", created_at=f"2026-01-0{day}T00:00:00Z") for day in (1, 2))
    apart = make(about="csv")
    kept = newest_first([Ranked(each, 1.0, {}) for each in (old, apart, new)])
    assert [each.memory.id for each in kept] == [new.id, old.id, apart.id]


def test_a_name_stands_whole() -> None:
    assert is_named_in("merge_tags", "call merge_tags(x)") and not is_named_in(
        "merge_tags", "premerge_tags_all"
    )


def test_twins_are_told_apart_by_what_they_name(make: Make) -> None:
    read = str.split
    one = make("run the linter over all changed files before you push them")
    assert (
        twin_of(
            one,
            [replace(one, id="b", text=one.text.replace("before you", "just before you"))],
            read,
        )
        == "b"
    )
    assert not twin_of(
        one, [replace(one, id="b", text=one.text.replace("linter", "formatter"))], read
    )
    assert not twin_of(
        replace(one, text=one.text + " `a`"), [replace(one, id="b", text=one.text + " `b`")], read
    )


def test_of_two_ways_that_share_a_third_of_their_words_a_start_tells_one(make: Make) -> None:
    """At a prompt about branches both may be told."""
    one = make(
        "Before making changes for a new task, switch to main, pull in latest, then switch to a new branch.",
        id="one",
    )
    two = make(
        "Before an unrelated fix, get back to main and pull in latest, then branch from there.",
        id="two",
    )
    assert twin_of(two, [one], query_words, "start") == "one" and not twin_of(
        two, [one], query_words, "prompt"
    )
    notes = [
        make(text, id=text[:3], klass="rule", paths=("docs/NOTES.md",))
        for text in ("Add each fix to the notes.", "Keep older entries as they are.")
    ]
    assert twin_of(notes[1], notes[:1], query_words, "start") == "Add" and not twin_of(
        notes[1], notes[:1], query_words
    )


def test_where_few_words_are_asked_one_that_names_the_topic_is_enough(
    world: Any, make: Make
) -> None:
    """Each lesson about login holds one rare word of the prompt; so does one that only mentions it, and a long prompt names much."""
    known = found_once(
        make, "Sessions end after an hour unless the cookie is renewed.", about="login; cookie"
    )
    beside = found_once(make, "The banner is shown above the login form.", about="banner")
    world.put(known, beside, *(make(f"Number {n} is odd or even.", **FACT) for n in range(20)))
    assert world.inject("fix the login bug", surface="hook:prompt", trial=False).injected == (
        known.id,
    )
    long = "login " + " ".join(f"alpha{n} beta{n}" for n in range(12))
    assert world.inject(long, surface="hook:prompt", trial=False, run="two").injected == ()


def test_a_task_that_runs_commands_is_told_what_is_about_them(world: Any, make: Make) -> None:
    """`pytest` is not a word of "run the tests", and is what it comes to."""
    first = make("pytest needs the container first.", about="; pytest", **FACT)
    own = make("The e2e task wants a display.", about="; npm run e2e:web", **FACT)
    commit = make("The hook wants a ticket number.", about="; git commit", **FACT)
    world.put(first, own, commit, *(make(f"Number {n} is odd or even.", **FACT) for n in range(20)))
    assert set(world.inject("run the tests", surface="hook:prompt", trial=False).injected) == {
        first.id,
        own.id,
    }
    assert world.inject(
        "ok commit this", surface="hook:prompt", run="r2", trial=False
    ).injected == (commit.id,)
    assert (
        world.inject("make the header red", surface="hook:prompt", run="r3", trial=False).injected
        == ()
    )


def test_what_shares_one_word_with_a_prompt_brings_nothing_along(world: Any, make: Make) -> None:
    """What was settled with it may be about another thing altogether."""
    parts = [
        make(text, about="resampling", **FACT)
        for text in ("Points are set automatically.", "A user's choice wins.")
    ]
    world.put(*parts, *(make(f"Number {n} is odd or even.", **FACT) for n in range(20)))
    with world.store.write() as tx:
        for n, memory in enumerate(parts):
            tx.add_evidence(
                Evidence(memory.id, "p", "run1", "run1", f"f{n}", at="2026-11-01T00:00:00Z")
            )
    assert (
        parts[1].id
        not in world.inject(
            "add the points as suggested", surface="hook:prompt", trial=False
        ).injected
    )
    told = world.inject(
        "are resampling points set?", surface="hook:prompt", run="r2", trial=False
    ).injected
    assert set(told) == {memory.id for memory in parts}


def test_two_cures_of_one_error_are_one_whatever_examples_they_name(make: Make) -> None:
    """By an option or the error's words that both speak of, and by a notice of the same call."""
    fix = {"kind": "fix", "klass": "fix"}
    about = "; cargo test; error: no library targets found in package `m`"
    one = make(
        "Run unit tests as `cargo test wildcard`, without `--lib`; the package has no library.",
        about=about,
        **fix,
    )
    two = make(
        "Run single tests without --lib, as in cargo test registry; the package has no library.",
        about=about,
        **fix,
    )
    text = (
        "Does not work here: `cargo test --lib` (no library target), `gh pr diff` (no such field)."
    )
    notice = make(text, source="notice", **fix)
    other = make(
        "Run focused unit tests as `cargo test --release`, which the package wants.",
        about="; cargo test",
        **fix,
    )
    assert (
        twin_of(two, [one], query_words) == one.id
        and twin_of(two, [notice], query_words) == notice.id
    )
    assert not twin_of(other, [one, notice], query_words)
    bare = replace(
        notice,
        text="Does not work here: `cat -A` (no such option), `rtk bun` (no such subcommand: run `bun` itself).",
    )
    said = [
        replace(
            other, text=f"Run bun scripts as `bun run lint` directly, not `rtk` in front: {why}."
        )
        for why in ("it has no bun subcommand", "it is slow")
    ]
    assert [twin_of(each, [bare], query_words) for each in said] == [bare.id, ""]
    assert not twin_of(replace(two, klass="rule"), [notice], query_words)


def test_a_way_of_working_that_a_person_kept_is_told_at_the_next_start(make: Make) -> None:
    """A newcomer kept one of 24 lessons, and the next session was told none."""
    way = make(
        "Keep personal data out of local storage.",
        kind="rule",
        klass="rule",
        about="storage",
        tally=Tally(seen=1),
    )
    kept = replace(way, tally=Tally(seen=1, signals={"confirmed": 1.0}))
    assert told_at_starts(way, standard("default")) and not told_at_starts(
        kept, standard("default")
    )
    assert not told_at_starts(replace(kept, source="notice"), standard("default"))
