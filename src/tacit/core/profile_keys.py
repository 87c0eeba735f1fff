"""Every key a profile may hold, in one table that is made from the classes of its sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from tacit.core import profile_sections as sections
from tacit.core import profile_upkeep as upkeep
from tacit.core.digest import short_hash
from tacit.core.profile_field import Key, key
from tacit.core.value import replace

# Raised by hand where stores must compile their profiles anew although no key is other than before: a stricter check, say.
EDITION = 1

_LIST_COLUMNS = (
    "id",
    "name",
    "standing",
    "state",
    "kind",
    "seen",
    "frequency",
    "domain",
    "agent",
    "category",
    "confidence",
    "task_type",
    "scope",
    "severity",
    "trust",
    "text",
)


class ProfileFields:
    """A whole profile: what it says of itself, and its sections, in the order of the compiled text."""

    name: Annotated[
        str, key("what the profile is called: a small letter, then small letters, digits, - and _")
    ]
    title: Annotated[str, key("one line about it")]
    roles: Annotated[
        tuple[str, ...],
        key(
            "roles that may approve, beside `person` and `reviewer` (whoever the memory's kind names)"
        ),
    ]
    domains: Annotated[
        tuple[str, ...], key("the domains this profile speaks of; none: any word is a domain")
    ]
    add_kind: Annotated[str, key("the kind of what a person adds without saying", names="kind")]
    other_kind: Annotated[str, key("the kind of what names a kind nobody declared", names="kind")]
    ids: Annotated[
        str,
        key(
            "the format whose ids a new memory gets beside its own (m-001, mem-task-014-1, learn-…); empty: none"
        ),
    ]
    columns: Annotated[
        tuple[str, ...], key("what `tacit list` shows of each memory", choices=_LIST_COLUMNS)
    ]
    words: sections.Words
    kinds: Mapping[str, sections.Kind]
    tasks: sections.Tasks
    categories: sections.Categories
    scopes: sections.Scopes
    extract: sections.Extract
    match: sections.Match
    gate: sections.Gate
    trust: sections.Trust
    ladder: sections.Ladder
    trial: sections.Trial
    effect: sections.Effect
    query: sections.Query
    rank: sections.Rank
    budget: sections.Budget
    render: sections.Render
    fade: upkeep.Fade
    signals: upkeep.Signals
    tend: upkeep.Tend
    triage: upkeep.Triage
    page: upkeep.Page
    model: upkeep.ModelUse
    learn: upkeep.Learn
    health: upkeep.Health


_TYPES = {
    str: "text",
    bool: "flag",
    int: "whole",
    float: "number",
    float | None: "number",
    tuple[str, ...]: "texts",
    tuple[int, ...]: "wholes",
    tuple[float, ...]: "numbers",
    tuple[sections.Condition, ...]: "conditions",
}
_SPELT = {
    (sections.Kind, "klass"): "class",
    (sections.Rule, "states"): "from",
}  # words that Python keeps for itself


def declared(cls: Any, path: str = "") -> Iterator[tuple[str, Key]]:
    """The keys of a section and of those inside it, by their dotted names.

    `a.*.b` is key b of each entry of the named table a; `a[].b` is key b of each item of the list a.
    """
    fields = get_type_hints(cls, include_extras=True)
    if not fields:
        raise TypeError(f"{path} does not say what it means: write Annotated[..., key(...)]")
    for field, hint in fields.items():
        name = _SPELT.get((cls, field), field)
        yield from _below(f"{path}.{name}" if path else name, hint)


def _below(path: str, hint: Any, said: Any = None) -> Iterator[tuple[str, Key]]:
    """What a field's type stands for: a key, where one is said with it; otherwise a section, its entries or its items."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield from _below(path, *inner)
    elif isinstance(said, type):  # a mapping to its readers, with the names of this section
        yield from declared(said, path)
    elif origin is Mapping:
        yield from _below(f"{path}.*", inner[1], said)
    elif said is not None:
        kind = _TYPES[hint]
        yield (
            path,
            replace(
                said, type=kind, low=said.low if kind.startswith(("whole", "number")) else None
            ),
        )
    elif origin is tuple:
        yield from declared(inner[0], f"{path}[]")
    else:
        yield from declared(hint, path)


KEYS: dict[str, Key] = dict(declared(ProfileFields))


def format_of(keys: Mapping[str, Key]) -> str:
    """What `profile.FORMAT` must be: another one whenever a key is added, removed, moved, or changes its type."""
    return short_hash(str(EDITION), *(f"{name} {each.type}" for name, each in keys.items()))
