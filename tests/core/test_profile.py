"""Profiles: what compiles, what is refused and how, and that the compiled form is read back whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest

from tacit.core import profile as profile_module
from tacit.core.errors import NotFound, ProfileInvalid
from tacit.core.lifecycle import PREVIOUS
from tacit.core.profile import (
    FORMAT,
    class_of,
    diff,
    flat,
    from_json,
    is_current,
    kind_named,
    profile_id,
    to_json,
)
from tacit.core.profile_keys import KEYS, ProfileFields
from tacit.core.profile_toml import (
    BUILTIN,
    _removed,
    builtin,
    compile_profile,
    removed_keys,
    standard,
)
from tacit.core.states import LEGAL
from tacit.core.value import replace


def faults(text: str, **given: object) -> str:
    """The message of the refusal of a profile that extends the default one."""
    with pytest.raises(ProfileInvalid) as refusal:
        compile_profile('name = "mine"\nextends = "default"\n' + text, **given)  # type: ignore[arg-type]
    return refusal.value.message


# --- the five ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILTIN)
def test_built_in_profiles_compile_and_come_back_whole(name: str) -> None:
    """What was compiled, written and read again is equal, with the same version."""
    compiled = standard(name)
    again = from_json(to_json(compiled))
    assert (again, profile_id(again), again.name) == (compiled, profile_id(compiled), name)


@pytest.mark.parametrize(
    ("name", "key", "expected"),
    [
        ("default", "trial.rate", 0.3),
        ("default", "budget.deep", 15),
        ("default", "gate.unknown", "hold"),
        ("archeflow", "rank.universal_at", 5),
        ("archeflow", "match.threshold", 0.5),
        ("archeflow", "fade.runs_step", 10),
        ("archeflow", "extract.severity_floor", "warning"),
        ("ralph", "kinds.strategy.cap", 3),
        ("ralph", "kinds.antipattern.cap", 5),
        ("geas", "ladder.review_after.stable", 90),
        ("geas", "match.threshold", 0.7),
        ("geas", "kinds.security_pattern.reviewers", ["risk_specialist"]),
        ("joelclaw", "gate.unknown", "allow"),
        ("joelclaw", "budget.deep", 10),
        *((name, "trial.rate", 0.0) for name in BUILTIN[1:]),
    ],
)
def test_promises_of_the_documents(name: str, key: str, expected: object) -> None:
    """Numbers that the design or an origin's document fixes."""
    assert flat(standard(name))[key] == expected


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["0.0", "1.0", "0", "1"])
def test_the_ends_of_a_range_belong_to_it(value: str) -> None:
    """A share may be nothing or all, written whole or not."""
    kinds = '[kinds.rule]\nclass = "rule"\n[kinds.fact]\nclass = "fact"\n'
    mine = compile_profile(f'name = "mine"\n{kinds}[match]\nthreshold = {value}')
    assert mine.match.threshold == float(value)


def test_two_moves_of_one_name_are_refused() -> None:
    """The journal must be able to tell which rule moved a memory."""
    rule = "[[ladder.moves]]\nname='x'\nfrom=['stable']\nto='decayed'\nwhen=['stale']\nreason='x'\n"
    assert faults(rule * 2) == "ladder.moves.x is given twice."


def test_every_fault_is_named_at_once() -> None:
    """Whoever edits a profile wants to run the compiler once."""
    assert faults("[match]\ntreshold = 0.5\nmargin = 2\n[trust]\nruns = 0").splitlines() == [
        "match.treshold is not a key; did you mean match.threshold?",
        "match.margin = 2 is out of range: number, 0 to 1.",
        "trust.runs = 0 is out of range: whole number, 1 or more.",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = = 1\n", r"^The profile mine is not TOML: .*line 1"),
        *(
            (f'name = "{name}"\nextends = "default"', r"^name: .* is no name")
            for name in ("", "My Profile", "9lives")
        ),
        ('name = "mine"', r"^kinds is empty"),
    ],
)
def test_what_is_no_profile_is_refused(text: str, told: str) -> None:
    """The place of an error is TOML's own word; a name stands in commands and in the journal; without kinds it could remember nothing."""
    with pytest.raises(ProfileInvalid, match=told):
        compile_profile(text, name="mine")


# --- where missing keys come from -------------------------------------------------------------------------------------


def test_extending_adds_and_replaces_by_name() -> None:
    """A kind or rule named again is changed in its place, and what it leaves out stays; new ones follow."""
    runs = "[trust]\nruns = 3\n[kinds.fix]\ncap = 2\n[kinds.hunch]\nclass = 'fact'\n"
    move = "[[ladder.moves]]\nname = 'believed-helpful'\nwhen = ['belief_help >= 0.9']\n"
    mine = compile_profile(f"name = 'mine'\nextends = 'default'\n{runs}{move}")
    assert diff(standard(), mine) == [
        ("name", "default", "mine"),
        ("kinds.fix.cap", 0, 2),
        ("trust.runs", 2, 3),
        (
            "ladder.moves.believed-helpful.when",
            ["belief_help >= 0.8", "units >= effect.min_units", "tasks >= 3"],
            ["belief_help >= 0.9"],
        ),
        *(
            (f"kinds.hunch.{field}", None, at)
            for field, at in mine.data["kinds"]["hunch"].items()
            if at is not None
        ),
    ]
    assert [rule.name for rule in mine.ladder.moves] == [
        rule.name for rule in standard().ladder.moves
    ]


def test_without_extends_named_tables_start_from_none() -> None:
    """A vocabulary is not a correction of another; plain keys still come from the default profile."""
    mine = compile_profile(
        'name = "mine"\nadd_kind = "note"\nother_kind = "note"\n[kinds.note]\nclass = "fact"'
    )
    assert (list(mine.kinds), mine.ladder.moves, mine.page.map, mine.match) == (
        ["note"],
        (),
        {},
        standard().match,
    )


def test_a_base_may_be_handed_in() -> None:
    """`extends` may name a profile that is not built in, if the caller brings it."""
    base = compile_profile('name = "house"\nextends = "default"\n[trust]\nruns = 4')
    mine = compile_profile('extends = "house"', name="mine", base=base)
    assert (mine.name, mine.trust.runs, list(mine.kinds)) == ("mine", 4, list(base.kinds))


MEANT = "extends names 'defualt', which is not built in; did you mean 'default'?"
OTHERWISE = "The profile a extends 'geas'; the base given is 'default'."


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        ('name = "a"\nextends = "defualt"', {}, MEANT),
        ('name = "geas"\nextends = "geas"', {}, "The profile geas extends itself."),
        ('name = "a"\nextends = "geas"', {"base": "default"}, OTHERWISE),
        ('name = "a"\nextends = 1', {}, "extends is the name of a profile, as text."),
    ],
)
def test_a_base_that_cannot_be_meant_is_refused(
    text: str, given: dict[str, str], message: str
) -> None:
    """The word `extends` must name one base, and the right one."""
    with pytest.raises(ProfileInvalid) as refusal:
        compile_profile(text, base=standard(given["base"]) if given else None)
    assert refusal.value.message == message


def test_there_are_five_built_in_profiles() -> None:
    """Another name is not found, and the error lists them."""
    with pytest.raises(NotFound) as refusal:
        builtin("archflow")
    assert refusal.value.hint == "One of: default, archeflow, ralph, geas, joelclaw."


# --- the compiled form ------------------------------------------------------------------------------------------------


OTHER_FORMATS = ("0", "12", '"g0000000000000000"')  # earlier versions counted, up to 12


@pytest.mark.parametrize("format", OTHER_FORMATS)
def test_another_format_is_refused(format: str) -> None:
    """What a later or earlier version of Tacit compiled is compiled again, not guessed at."""
    old = to_json(standard()).replace(f'"format":"{FORMAT}"', f'"format":{format}', 1)
    assert is_current(to_json(standard())) and not is_current(old)
    told = f"has format {json.loads(format)}; this version of Tacit reads format {FORMAT}"
    with pytest.raises(ProfileInvalid, match=told):
        from_json(old)


def test_kinds_go_by_name_and_alias() -> None:
    """Foreign words find their kind, however they are written; unknown ones the kind for the rest."""
    default, joelclaw = standard(), standard("joelclaw")
    words = ("fix", "Anti Pattern", "anti-pattern", "wish", "no such word")
    assert [kind_named(default, word) for word in words] == [
        "fix",
        "pitfall",
        "pitfall",
        "preference",
        "fact",
    ]
    assert (kind_named(joelclaw, "hard-rules"), class_of(joelclaw, "hard-rules")) == (
        "rules-conventions",
        "rule",
    )


# --- one table --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILTIN)
def test_readers_find_what_the_classes_say(name: str) -> None:
    """What is built from the compiled text has the fields, the mappings and the types that the type checker sees."""

    def look(path: str, hint: Any, at: Any) -> None:
        if get_origin(hint) is Annotated:
            hint = get_args(hint)[0]
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Mapping:
            assert type(at) is dict, path
            for name, each in at.items():
                look(f"{path}.{name}", inner[1], each)
        elif origin is tuple:
            assert type(at) is tuple, path
            for each in at:
                look(path, inner[0], each)
        elif type(at) is profile_module.Section:
            fields = get_type_hints(hint, include_extras=True)
            assert tuple(at.__dict__) == tuple(fields), path
            for field, inside in fields.items():
                look(f"{path}.{field}", inside, getattr(at, field))
        else:
            assert type(at) in (inner or (hint,)), path

    for field, hint in get_type_hints(ProfileFields, include_extras=True).items():
        look(field, hint, getattr(standard(name), field))


def test_ladders_stay_within_the_legal_moves() -> None:
    """Every rule of every built-in profile leads along the one table."""
    for name in BUILTIN:
        for rule in standard(name).ladder.moves:
            for state in rule.states:
                assert rule.to == PREVIOUS or rule.to in LEGAL[state], (name, rule.name)


# --- the documentation ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", OTHER_FORMATS)
def test_a_store_of_another_format_compiles_its_profile_anew(format: str, folder: Path) -> None:
    """Once, by name, and hooks find it ready afterwards."""
    from tacit.app import open

    with open(profile="geas") as memories:
        memories.add("a lesson")
        version = memories.profile_version
        old = to_json(memories.profile).replace(f'"format":"{FORMAT}"', f'"format":{format}', 1)
        with memories.store.write() as tx:
            tx.put_profile("old", "geas", old, "2026-01-01T00:00:00.000Z")
            project = memories.ensure_project()
            tx.put_project(replace(project, profile="old"))
    with open() as memories:
        assert memories.profile.name == "geas"
        assert (memories.profile_version, memories.health().health.faults) == (version, ())
        assert is_current(memories.store.profile_json(version))


# -- every key does something ------------------------------------------------------------------------


def test_a_key_of_before_is_no_fault_and_its_owner_is_told() -> None:
    """A profile of before still compiles, is what it would be without it, and a condition has the number that the key had."""
    kept = 'name = "mine"\nextends = "default"\n'
    check = '[[gate.checks]]\nof = "confidence"\nmin = 0.2\nreason = "x"\n'
    moves = '[[ladder.moves]]\nname = "believed-helpful"\nwhen = ["belief_help >= {}"]\n'
    text = f"{kept}[match]\nmin_word = 4\n[rank.lexical]\ntitle = 5.0\n{check}{moves.format('effect.belief_stable')}"
    told = [line.partition(" is no key any more: ") for line in removed_keys(text)]
    assert [(path, says) for path, _, says in told] == [
        ("match.min_word", "nothing ever read it."),
        ("rank.lexical.title", "`3` holds for every profile."),
        ("gate.checks", "Ralph's five ranges."),
    ]
    assert to_json(compile_profile(text)) == to_json(compile_profile(kept + moves.format("0.8")))


def test_what_was_removed_is_no_key() -> None:
    """One table: what stands in it is a key no more, by itself or below another."""
    assert [key for key in KEYS if key in _removed()] == [] and len(KEYS) <= 150
