"""A profile is one way of remembering, as values: thresholds, ladder, weights, budgets, vocabulary, wording.

People write profiles as TOML; `profile_toml` checks them against one table of keys and compiles them to JSON, which
the store keeps. This module is the other half, the one that hooks load: it reads that JSON and hands out sections as
typed values. A compiled profile is complete, so nothing here has a default; and since a hook touches a handful of the
sections, each is built when it is first asked for.

    profile = from_json(text)
    profile.trial.rate          0.3
    profile.kinds["fix"].klass  "fix"

What each key is, means and may be stands in the class of its section (`profile_sections`, `profile_upkeep`), its
default in `default.toml`.
"""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.core.errors import ProfileInvalid
from tacit.core.value import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.core.profile_keys import ProfileFields
    from tacit.core.profile_sections import Condition

# Written by `python -m tacit.core.profile_toml --write`, and another one whenever the keys are: a store that holds a
# profile of another format compiles it anew.
FORMAT = "5xsdzw5z8c5b0g33"

# What a kind may be mapped to. Exemption from trials, caps and belief go by class: the core knows these, no others.
CLASSES = ("preference", "rule", "security", "fix", "pitfall", "command", "fact", "estimate")
LEVELS = ("lean", "balanced", "deep")
GENERAL = "general"  # the domain whose memories fit every other one, and the type of a task that no word betrays


class Section:
    """A part of a profile at run time: one frozen record for all of them.

    The classes of `profile_sections` describe each part to readers, to the type checker and to the compiler, and no hook loads them: made
    and given an `__init__` in each they would cost a tenth of an interpreter's start and gain nothing, since what
    was compiled was checked.
    """

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"a section is a value: use replace(section, {name}=...)")

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, Section) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # sections hold mappings

    def __repr__(self) -> str:
        return f"Section({', '.join(f'{name}={at!r}' for name, at in self.__dict__.items())})"

    @property
    def FIELDS(self) -> tuple[str, ...]:
        """As a value's: `fields(section)` works."""
        return tuple(self.__dict__)


if not TYPE_CHECKING:
    Condition, ProfileFields = Section, object


class Profile(ProfileFields):
    """One way of remembering. Equal profiles hold equal values; `profile_id` names the version."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.__dict__["data"] = data  # the compiled form, never changed; sections are built from it

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            # Reached only for a section that was not asked for before.
            data = self.__dict__.get("data", {})
            if name not in data:
                raise AttributeError(f"a profile has no section {name!r}")
            section = self.__dict__[name] = _built(name, data[name], data)
            return section

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"a profile is a value: use changed(profile, {{'{name}': ...}})")

    def __eq__(self, other: object) -> bool:
        return bool(self.data == other.data) if isinstance(other, Profile) else NotImplemented

    def __hash__(self) -> int:
        return hash(to_json(self))

    def __repr__(self) -> str:
        return f"Profile({self.name!r}, {profile_id(self)!r})"

    @property
    def data(self) -> Mapping[str, Any]:
        """The compiled form: what `to_json` writes."""
        return self.__dict__["data"]  # type: ignore[no-any-return]


def from_json(text: str) -> Profile:
    """The profile behind its compiled text. Only the format is checked: what was compiled was checked then."""
    data = loads(text)
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        raise ProfileInvalid(
            f"The stored profile has format {found}; this version of Tacit reads format {FORMAT}.",
            "Compile it again from its TOML.",
        )
    return Profile(data)


def is_current(text: str) -> bool:
    """Whether this version of Tacit reads a compiled text; otherwise its profile is compiled anew, by name."""
    return text.startswith(f'{{"format":"{FORMAT}",')


def to_json(profile: Profile) -> str:
    """The canonical text: keys in the order of the key table, names in the profile's own order (it carries meaning)."""
    return dumps(profile.data, ensure_ascii=False, separators=(",", ":"))


def profile_id(profile: Profile) -> str:
    """The version that goes into every journal entry: equal exactly for equal profiles, on every machine."""
    return short_hash(to_json(profile))


def flat(profile: Profile) -> dict[str, Any]:
    """Every value under its dotted key, as compiled; members of a named list by name (`ladder.moves.seen-again.to`)."""
    found: dict[str, Any] = {}

    def walk(prefix: str, at: Any) -> None:
        if isinstance(at, list) and at and all(isinstance(each, dict) for each in at):
            at = {
                each.get("name", str(n)): {k: v for k, v in each.items() if k != "name"}
                for n, each in enumerate(at)
            }
        if isinstance(at, dict) and at:
            for key, inner in at.items():
                walk(f"{prefix}.{key}" if prefix else key, inner)
        else:
            found[prefix] = at

    walk("", {key: inner for key, inner in profile.data.items() if key != "format"})
    return found


def diff(a: Profile, b: Profile) -> list[tuple[str, Any, Any]]:
    """What differs, key by key: (key, in a, in b); None where a side has no such key."""
    left, right = flat(a), flat(b)
    keys = [*left, *(key for key in right if key not in left)]
    return [(key, left.get(key), right.get(key)) for key in keys if left.get(key) != right.get(key)]


def with_values(profile: Profile, values: Mapping[str, Any]) -> Profile:
    """A copy with some dotted keys set, for tests. The keys must exist; ranges are not looked at."""
    data: dict[str, Any] = loads(to_json(profile))
    for key, new in values.items():
        at: Any = data
        *path, last = key.split(".")
        for step in path:
            at = at.get(step) if isinstance(at, dict) else None
        if not isinstance(at, dict) or last not in at:
            raise ProfileInvalid(f"{key} is not a key of the profile {profile.name}.")
        at[last] = list(new) if isinstance(new, tuple) else new
    return Profile(data)


def kind_named(profile: Profile, word: str) -> str:
    """The kind that a foreign or typed word means, by name or alias; the profile's `other_kind` if none."""
    asked = _folded(word)
    for name, kind in profile.kinds.items():
        if asked == _folded(name) or any(asked == _folded(alias) for alias in kind.aliases):
            return name
    return profile.other_kind


def _folded(word: str) -> str:
    return word.strip().lower().replace(" ", "_").replace("-", "_")


def class_of(profile: Profile, kind: str) -> str:
    """The class of a kind, by name or alias; that of `other_kind` for one the profile does not declare."""
    return profile.kinds[kind_named(profile, kind)].klass


# Tables whose keys are names that the profile chooses stay mappings, in its order. Every other table is a section.
_NAMED = frozenset(
    (
        "kinds",
        "categories.names",
        "scopes.keywords",
        "extract.extractors",
        "ladder.review_after",
        "budget.roles",
        "page.map",
        "page.targets",
    )
)
_RENAMED = {"class": "klass", "from": "states"}  # words that Python keeps for itself


def _built(path: str, at: Any, data: Mapping[str, Any]) -> Any:
    """A compiled value as its reader wants it: tuples, sections, mappings, and conditions with their numbers."""
    if isinstance(at, list):
        if path == "ladder.moves.when":
            return tuple([_condition(text, data) for text in at])
        return (
            tuple([_built(path, each, data) for each in at])
            if at and isinstance(at[0], dict)
            else tuple(at)
        )
    if not isinstance(at, dict):
        return at
    named = path in _NAMED
    made: dict[str, Any] = {}
    for key, inner in at.items():
        if isinstance(inner, (list, dict)):
            inner = _built(f"{path}.*" if named else f"{path}.{key}", inner, data)
        made[key if named or key not in _RENAMED else _RENAMED[key]] = inner
    return made if named else Section(**made)


def _condition(text: str, data: Mapping[str, Any]) -> Condition:
    """ "seen >= trust.runs", with the number that trust.runs has in this profile."""
    quantity, op, bound = text.split(" ", 2)
    try:
        number = float(bound)
    except ValueError:
        if "." not in bound:
            return Condition(quantity=quantity, op=op, bound=bound)
        at: Any = data
        for step in bound.split("."):
            at = at[step]
        number = float(at)
    return Condition(quantity=quantity, op=op, bound=number)


def task_type_of(profile: Profile, text: str) -> str:
    """The type of a task, told from its text: the first of the profile's types with a hit."""
    folded = text.lower()
    how = profile.tasks.match
    for each in profile.tasks.types:
        if any(_holds(folded, word, how) for word in each.words):
            return each.name
    return GENERAL


def _holds(text: str, word: str, how: str) -> bool:
    at = text.find(word)
    while at >= 0:
        begins = how == "substring" or at == 0 or not text[at - 1].isalnum()
        end = at + len(word)
        if begins and (how != "word" or end == len(text) or not text[end].isalnum()):
            return True
        at = text.find(word, at + 1)
    return False
