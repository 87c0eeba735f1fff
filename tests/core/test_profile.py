"""Profiles: what compiles, what is refused and how, and that the compiled form is read back whole."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest

from tacit.core import profile as profile_module
from tacit.core import profile_sections, profile_upkeep
from tacit.core.errors import NotFound, ProfileInvalid
from tacit.core.lifecycle import CAUSES, LADDER_MOMENTS, PREVIOUS, QUANTITIES
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
    with_values,
)
from tacit.core.profile_field import Key, fraction, key
from tacit.core.profile_keys import KEYS, ProfileFields, declared, format_of
from tacit.core.profile_toml import (
    BUILTIN,
    _removed,
    builtin,
    compile_profile,
    key_table,
    removed_keys,
    rewrite,
    slots,
    standard,
)
from tacit.core.states import LEGAL
from tacit.core.value import replace, value


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


def test_default_states_every_key() -> None:
    """A key missing from default.toml has no value anywhere, and is named."""
    text = builtin("default").replace("settle_hours = 6.0\n", "")
    with pytest.raises(ProfileInvalid, match=r"^learn\.settle_hours must be given: "):
        compile_profile(text)


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


def test_functions_are_checked_against_those_at_hand() -> None:
    """Entry points are the caller's; a name that nobody provides is refused when the profile is compiled."""
    known = {slot: set(names) for slot, names in slots(standard()).items()}
    assert (
        compile_profile('name = "mine"\nextends = "default"', known=known).rank.ranker == "lexical"
    )
    near = "'lexicon' is no ranker at hand; did you mean 'lexical'?"
    assert faults("[rank]\nranker = 'lexicon'", known=known) == near
    assert faults("[extract.extractors.fixes]", known=known).startswith(
        "'fixes' is no extractor at hand"
    )


def test_an_extractor_that_is_off_need_not_be_at_hand() -> None:
    """Only what works is resolved."""
    mine = compile_profile(
        'name = "mine"\nextends = "default"\n[extract.extractors.repeat]\non = false'
    )
    assert "repeat" not in slots(mine)["extractor"]


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


def test_order_carries_meaning() -> None:
    """Ties go to the earlier category and rules are tried from the top: their order is part of the version."""
    head = 'name = "mine"\nadd_kind = "b"\nother_kind = "b"\n'
    fact, fix = '[kinds.b]\nclass = "fact"\n', '[kinds.a]\nclass = "fix"\n'
    turned, straight = compile_profile(head + fact + fix), compile_profile(head + fix + fact)
    assert (list(turned.kinds), list(from_json(to_json(turned)).kinds)) == (["b", "a"], ["b", "a"])
    assert profile_id(turned) != profile_id(straight)


def test_numbers_are_canonical() -> None:
    """1 and 1.0 are one number, so they are one version."""
    texts = (
        'name = "mine"\nextends = "default"\n[rank]\nfloor = ' + number for number in ("1", "1.0")
    )
    assert len({profile_id(compile_profile(text)) for text in texts}) == 1


OTHER_FORMATS = ("0", "12", '"g0000000000000000"')  # earlier versions counted, up to 12


@pytest.mark.parametrize("format", OTHER_FORMATS)
def test_another_format_is_refused(format: str) -> None:
    """What a later or earlier version of Tacit compiled is compiled again, not guessed at."""
    old = to_json(standard()).replace(f'"format":"{FORMAT}"', f'"format":{format}', 1)
    assert is_current(to_json(standard())) and not is_current(old)
    told = f"has format {json.loads(format)}; this version of Tacit reads format {FORMAT}"
    with pytest.raises(ProfileInvalid, match=told):
        from_json(old)


def test_the_format_follows_from_the_keys() -> None:
    """Stores compile their profiles anew when a key comes, goes, moves or changes its type; not when it is worded anew."""
    assert format_of(KEYS) == FORMAT, (
        "the keys are others: run `python -m tacit.core.profile_toml --write`"
    )
    (first, its), *others = KEYS.items()
    without, more = dict(others), {**KEYS, "learn.aborted_hours": its}
    moved, retyped = dict([*others, (first, its)]), {**KEYS, first: replace(its, type="texts")}
    assert FORMAT not in [format_of(other) for other in (without, more, moved, retyped)]
    assert format_of({**KEYS, first: replace(its, doc="in other words")}) == FORMAT


def test_conditions_follow_the_keys_they_name() -> None:
    """A threshold stands once: the ladder reads it where it is kept."""
    stricter = with_values(standard(), {"effect.min_units": 30})
    rule = next(rule for rule in stricter.ladder.moves if rule.name == "believed-helpful")
    found = [(each.quantity, each.op, each.bound) for each in rule.when]
    assert found == [("belief_help", ">=", 0.8), ("units", ">=", 30.0), ("tasks", ">=", 3.0)]


def test_changed_leaves_the_profile_alone() -> None:
    """A copy is a copy, and under a misspelt key it would measure nothing."""
    with pytest.raises(
        ProfileInvalid, match=r"^match\.treshold is not a key of the profile default\.$"
    ):
        with_values(standard(), {"match.treshold": 0.5})
    other = with_values(standard(), {"trial.exempt": ("rule",)})
    assert (other.trial.exempt, standard().trial.exempt) == (
        ("rule",),
        ("preference", "rule", "security", "command", "estimate"),
    )


def test_a_profile_and_its_sections_are_values() -> None:
    """Nobody changes a threshold behind another's back."""
    profile = standard()
    for act in (
        lambda: setattr(profile, "name", "x"),
        lambda: setattr(profile.match, "threshold", 0.1),
    ):
        with pytest.raises(AttributeError, match="is a value"):
            act()
    assert replace(profile.match, threshold=0.1).margin == profile.match.margin
    with pytest.raises(AttributeError, match="no section 'mach'"):
        profile.mach  # type: ignore[attr-defined]  # noqa: B018


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


def test_reading_needs_nothing_heavy() -> None:
    """A hook reads a compiled profile without the modules that make a start slow."""
    code = (
        "import sys; from tacit.core.profile import from_json;"
        "p = from_json(sys.stdin.read()); p.trial, p.rank, p.kinds;"
        "heavy = {'tomllib', 'difflib', 'typing', 'dataclasses', 'pathlib', 'logging', 'importlib.resources', 'hashlib'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    start = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    done = subprocess.run(
        start, input=to_json(standard()), text=True, capture_output=True, check=True
    )
    assert done.stdout == "[]\n"


# --- one table --------------------------------------------------------------------------------------------------------


@value
class Shelf:
    """A section like those of a profile."""

    klass: Annotated[str, key("its class", choices=("a", "b"))]
    open: Annotated[bool, key("whether it is")]


@value
class Book(Shelf):
    """One that says more."""

    open: Annotated[bool, key("whether it lies so", default=False)]
    pages: Annotated[tuple[int, ...], key("which", low=1)]


@value
class Shop:
    """A section with others in it."""

    floor: Annotated[float, key("how low", low=None)]
    shelf: Shelf
    books: tuple[Book, ...]
    prices: Annotated[Mapping[str, float], fraction("of each")]
    found: Mapping[str, Shelf]
    fixed: Annotated[Mapping[str, bool], Shelf]
    rooms: Annotated[int, key("how many")]


def test_a_section_declares_its_keys() -> None:
    """In the order of its fields: its own, those of what lies in it, of each item of a list (`[]`), of each named entry (`*`)."""
    shelf = Key("text", "its class", choices=("a", "b")), Key("flag", "whether it is")
    assert list(declared(Shop)) == [
        ("floor", Key("number", "how low")),
        *zip(("shelf.klass", "shelf.open"), shelf),
        ("books[].klass", shelf[0]),
        ("books[].open", Key("flag", "whether it lies so", default=False)),
        ("books[].pages", Key("wholes", "which", 1)),
        ("prices.*", Key("number", "of each", 0.0, 1.0)),
        *zip(("found.*.klass", "found.*.open"), shelf),
        *zip(("fixed.klass", "fixed.open"), shelf),
        ("rooms", Key("whole", "how many", 0)),
    ]


def test_a_field_that_does_not_say_what_it_means_is_named() -> None:
    """It would otherwise be a key that no profile may set."""

    class Bare:
        title: str

    with pytest.raises(TypeError, match=r"^page\.title does not say what it means"):
        list(declared(Bare, "page"))


def test_no_section_is_left_out() -> None:
    """A class that no field of a profile names would declare keys that nobody knows."""
    said = {each.doc for each in KEYS.values()}
    for name, cls in {**vars(profile_sections), **vars(profile_upkeep)}.items():
        hints = get_type_hints(cls, include_extras=True) if hasattr(cls, "FIELDS") else {}
        keys = [
            each for hint in hints.values() for each in get_args(hint)[1:] if isinstance(each, Key)
        ]
        assert [each.doc for each in keys if each.doc not in said] == [], name


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


def test_the_profiles_lie_where_they_are_looked_for() -> None:
    """Each TOML file of the package is a built-in profile, and the other way round; each has a version of its own."""
    held = {each.name for each in files("tacit.profiles").iterdir() if each.name.endswith(".toml")}
    assert held == {f"{name}.toml" for name in BUILTIN}
    assert len({profile_id(standard(name)) for name in BUILTIN}) == len(BUILTIN)


def test_quantities_need_no_escaping() -> None:
    """The names of quantities are single words, so that a condition splits at its blanks."""
    assert all(name.replace("_", "").isalpha() and name.islower() for name in QUANTITIES)


# --- the documentation ------------------------------------------------------------------------------------------------

README = Path(__file__).parents[2] / "docs" / "internals" / "profiles.md"


def test_every_key_is_documented() -> None:
    """The table in the documentation is the compiler's own: `python -m tacit.core.profile_toml --write` writes it."""
    page = README.read_text("utf-8")
    lacking = [row for row in key_table().splitlines() if row not in page.splitlines()]
    assert key_table() in page, (
        f"docs/internals/profiles.md has not these rows, or in another order: {lacking}. Run `python -m tacit.core.profile_toml --write`"
    )


def test_what_follows_from_the_keys_is_written(tmp_path: Path) -> None:
    """The format and the table, in their places; nothing else is touched, and a second time nothing is."""
    root = Path(__file__).parents[2]
    for name, own in (
        ("src/tacit/core/profile.py", FORMAT),
        ("docs/internals/profiles.md", key_table()),
    ):
        text = (root / name).read_text("utf-8")
        (tmp_path / name).parent.mkdir(parents=True)
        other = "| key | of before |\n| `gone` |\n" if "|" in own else "of before"
        (tmp_path / name).write_text(text.replace(own, other))
        assert (tmp_path / name).read_text("utf-8") != text
    for _ in range(2):
        rewrite(tmp_path)
        for name in ("src/tacit/core/profile.py", "docs/internals/profiles.md"):
            assert (tmp_path / name).read_text("utf-8") == (root / name).read_text("utf-8")


@pytest.mark.parametrize("word", [*QUANTITIES, *CAUSES, *LADDER_MOMENTS])
def test_every_word_of_a_condition_is_documented(word: str) -> None:
    """Whoever writes a ladder finds each quantity, cause and moment explained."""
    assert f"| `{word}` |" in README.read_text("utf-8")


@pytest.mark.parametrize("name", BUILTIN)
def test_every_function_is_documented(name: str) -> None:
    """Each function that a built-in profile names stands in the list of its slot."""
    page = README.read_text("utf-8").splitlines()
    for slot, functions in slots(standard(name)).items():
        row = next(line for line in page if line.startswith(f"| {slot} |"))
        lacking = [each for each in functions if f"`{each}`" not in row]
        assert lacking == [], f"name it in the row `| {slot} |` of docs/internals/profiles.md"


@pytest.mark.parametrize(
    "block", re.findall(r"```toml\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
)
def test_documented_examples_compile(block: str) -> None:
    """What the page shows can be used as it stands."""
    assert compile_profile(block).name in block


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

TOLD_ONLY = {"name", "title", "version", "extends"}  # what a profile says of itself


def unread(keys: Iterable[str], sources: Mapping[str, str]) -> list[str]:
    """Keys that no source reads: none that speaks of their section takes their name from anything."""
    found = []
    for dotted in keys:
        *path, leaf = [part for part in re.sub(r"\[\]|\*", "", dotted).split(".") if part]
        name = {"class": "klass", "from": "states"}.get(leaf, leaf)
        section = path[-1] if path else ""
        word, joined = (
            re.escape(section.rstrip("s")),
            re.escape(section.replace("_", "").capitalize())[:-1],
        )
        spoken = re.compile(rf"\b{word}|\b{joined}", re.I)
        taken = re.compile(rf"\.{re.escape(name)}\b|[\"']{re.escape(leaf)}[\"']")
        bound = re.compile(rf"[<>=] {re.escape(dotted)}\b")  # a ladder's condition reads it
        # a search of every text for every key takes ten seconds
        near = [text for text in sources.values() if leaf in text or name in text]
        read = any(
            (taken.search(text) and spoken.search(text)) or bound.search(text) for text in near
        )
        if leaf not in TOLD_ONLY and not read:
            found.append(dotted)
    return found


def test_every_key_is_read_by_code() -> None:
    """A key with a line in the table of keys and no effect is a promise that nobody keeps."""
    root = Path(profile_module.__file__).parents[1]
    # a schema or the table of keys does not read what it declares; a ladder's condition does
    paths = [*root.rglob("*.py"), *(root / "profiles").glob("*.toml")]
    own = {path for path in (root / "core").glob("profile*.py")}
    sources = {str(path): path.read_text("utf-8") for path in paths if path not in own}
    assert unread([*KEYS, "learn.aborted_hours"], sources) == [
        "learn.aborted_hours"
    ]  # as it were without its reader
    gone = ["scopes.widening", "match.min_word", "trust.one_origin", "learn.unknown_days"]
    assert unread(gone, sources) == gone


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
