"""Profiles as people write them: TOML in, one checked and complete profile out.

`KEYS` is the table of everything a profile may say: for each key its type, its range and its meaning, as the class of its
section declares them. The compiler checks against it, and a key that is not in it is refused by name, with the nearest one
that is. Nothing has a hidden default: `default.toml` states every key, and what another profile leaves out comes from
there (or from the profile it `extends`).

    profile = compile_profile('''
        name = "careful"
        extends = "default"
        [trust]
        runs = 3
    ''')

In a named table or a list of named things (`kinds`, `ladder.moves` …) a profile that `extends` another adds to it, and
replaces what it names again; without `extends` it starts from none, since a vocabulary is not a correction of another.

This side loads tomllib and difflib. Hooks read the compiled JSON (`profile.from_json`) and never come here.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from tacit.core import lifecycle, states
from tacit.core.errors import NotFound, ProfileInvalid
from tacit.core.memory import SCOPES
from tacit.core.profile import FORMAT, Profile
from tacit.core.profile_field import OPINION, PLACEHOLDER, REQUIRED, WORDED_FACETS, WORLDS, Key
from tacit.core.profile_keys import KEYS, format_of

BUILTIN = ("default", "archeflow", "ralph", "geas", "joelclaw")
NAME = re.compile(r"[a-z][a-z0-9_-]*")
CONDITION = re.compile(r"(not )?([a-z_]+)(?: *(>=|<=|!=|=|>|<) *(\S.*))?")


def compile_profile(
    text: str,
    *,
    name: str = "",
    base: Profile | None = None,
    known: Mapping[str, Iterable[str]] | None = None,
) -> Profile:
    """The profile that a TOML text describes, checked and complete.

    `name` stands in where the text gives none. `base` is the profile that `extends` names, if it is not built in.
    `known` lists the functions at hand for each slot; without it those names go unchecked.
    Every fault found is in the error's message, one a line.
    """
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileInvalid(f"The profile {name or 'given'} is not TOML: {error}.") from None
    extends = given.pop("extends", "")
    given.setdefault("name", name)
    missing_from = _base_of(given["name"], extends, base)
    check = _Check(adds=bool(extends) or base is not None)
    data = {"format": FORMAT, **check.table(_TREE, given, missing_from, "")}
    if not check.faults:
        check.whole(data, known)
    if check.faults:
        raise ProfileInvalid(
            "\n".join(check.faults),
            "default.toml states every key; core/profile_sections.py and profile_upkeep.py say what it means.",
        )
    return Profile(data)


def builtin(name: str) -> str:
    """The TOML text of a built-in profile."""
    if name not in BUILTIN:
        raise NotFound(f"There is no built-in profile {name!r}.", f"One of: {', '.join(BUILTIN)}.")
    return files("tacit.profiles").joinpath(f"{name}.toml").read_text("utf-8")


@lru_cache
def standard(name: str = "default") -> Profile:
    """A built-in profile, compiled."""
    return compile_profile(builtin(name), name=name)


def slots(profile: Profile) -> dict[str, tuple[str, ...]]:
    """The functions a profile names, slot by slot: what the caller must be able to resolve."""
    found: dict[str, list[str]] = {}
    for path, key in KEYS.items():
        if key.slot:
            section, field = path.split(".", 1)
            found.setdefault(key.slot, []).append(profile.data[section][field])
    found["extractor"] = [
        each for each, at in profile.data["extract"]["extractors"].items() if at["on"]
    ]
    return {slot: tuple(dict.fromkeys(names)) for slot, names in found.items()}


def _shown(value: Any) -> str:
    """A value of before, as TOML writes it."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else json.dumps(value)


Node = Any  # a Key, or a table of nodes; its only child "*" stands for each named entry, "[]" for each item of a list


def _tree() -> dict[str, Node]:
    root: dict[str, Node] = {}
    for path, key in KEYS.items():
        at = root
        *way, last = path.replace("[]", ".[]").split(".")
        for step in way:
            at = at.setdefault(step, {})
        at[last] = key
    return root


_TREE = _tree()


def _base_of(name: str, extends: object, base: Profile | None) -> Mapping[str, Any]:
    """Where missing keys come from; nowhere for the default profile itself."""
    if not isinstance(extends, str):
        raise ProfileInvalid("extends is the name of a profile, as text.")
    if base is not None:
        if extends and extends != base.name:
            raise ProfileInvalid(
                f"The profile {name} extends {extends!r}; the base given is {base.name!r}."
            )
        return base.data
    if extends and extends not in BUILTIN:
        raise ProfileInvalid(
            f"extends names {extends!r}, which is not built in{_nearest(extends, BUILTIN)}"
        )
    if extends == name and name:
        raise ProfileInvalid(f"The profile {name} extends itself.")
    return {} if name == "default" else standard(extends or "default").data


@lru_cache
def _removed() -> dict[str, Any]:
    """Keys that profiles had, each with what holds now; empty for one that no code ever read."""
    found = tomllib.loads(files("tacit.core").joinpath("removed_keys.toml").read_text("utf-8"))
    return {**dict.fromkeys(found["never_read"], ""), **found["holds"]}


def _is_removed(path: str) -> bool:
    return any(fnmatchcase(path, each) or each.startswith(f"{path}.") for each in _removed())


def removed_keys(text: str) -> list[str]:
    """What a profile still says that is no key any more, as sentences that tell what holds instead."""
    told = []

    def walk(path: str, at: Any) -> None:
        known = next((each for each in _removed() if fnmatchcase(path, each)), None)
        if known is not None:
            holds = _removed()[known]
            said = (
                f"`{_shown(holds)}` holds for every profile"
                if not isinstance(holds, str)
                else holds or "nothing ever read it"
            )
            told.append(f"{path} is no key any more: {said}.")
        elif isinstance(at, dict):
            for key, inner in at.items():
                walk(f"{path}.{key}" if path else key, inner)

    walk("", tomllib.loads(text))
    return told


class _Check:
    """One pass over a profile: fills what is missing, brings values into canonical form, and collects the faults."""

    def __init__(self, adds: bool) -> None:
        self.adds = adds  # named tables and lists add to the base's; otherwise they start from none
        self.faults: list[str] = []

    def table(
        self, tree: Mapping[str, Node], given: Any, base: Mapping[str, Any], path: str
    ) -> dict[str, Any]:
        """Every key of a table, given or from the base, in the order of KEYS."""
        if not isinstance(given, dict):
            self.faults.append(f"{path} is a table, not {_kind(given)}.")
            return {}
        inner = f"{path}." if path else ""
        unknown = [key for key in given if key not in tree and not _is_removed(inner + key)]
        self.faults.extend(_unknown(path, key, tree) for key in unknown)
        return {
            key: self.node(node, given.get(key, REQUIRED), base.get(key, REQUIRED), inner + key)
            for key, node in tree.items()
        }

    def node(self, node: Node, given: Any, base: Any, path: str) -> Any:
        if isinstance(node, Key):
            return self.key(node, given, base, path)
        if "*" in node:
            return self.entries(node["*"], given, base, path)
        if "[]" in node:
            return self.items(node["[]"], given, base, path)
        return self.table(
            node, {} if given is REQUIRED else given, {} if base is REQUIRED else base, path
        )

    def entries(self, node: Node, given: Any, base: Any, path: str) -> dict[str, Any]:
        """A table whose keys are names: the base's entries, where the profile adds to them, and its own."""
        if given is not REQUIRED and not isinstance(given, dict):
            self.faults.append(f"{path} is a table, not {_kind(given)}.")
            return {}
        entries = dict(base) if self.adds and base is not REQUIRED else {}
        for name, at in ({} if given is REQUIRED else given).items():
            entries[name] = self.node(node, at, entries.get(name, REQUIRED), f"{path}.{name}")
        return entries

    def items(self, node: Node, given: Any, base: Any, path: str) -> list[Any]:
        """A list of tables: an item named like one of the base's replaces it in its place, others follow."""
        if given is not REQUIRED and not (
            isinstance(given, list) and all(isinstance(each, dict) for each in given)
        ):
            self.faults.append(f"{path} is a list of tables.")
            return []
        items = list(base) if self.adds and base is not REQUIRED else []
        place_of = {each["name"]: place for place, each in enumerate(items) if "name" in each}
        named: set[str] = set()
        for count, at in enumerate([] if given is REQUIRED else given):
            name = at["name"] if isinstance(at.get("name"), str) else ""
            where = f"{path}.{name or count}"
            if name in named:
                self.faults.append(f"{where} is given twice.")
            named.update({name} - {""})
            place = place_of.get(name)
            made = self.table(node, at, items[place] if place is not None else {}, where)
            if place is None:
                items.append(made)
            else:
                items[place] = made
        return items

    def key(self, key: Key, given: Any, base: Any, path: str) -> Any:
        """A value of the key's type and range."""
        if given is REQUIRED:
            if base is not REQUIRED:
                return base
            if key.default is REQUIRED:
                self.faults.append(f"{path} must be given: {key.doc}.")
            return list(key.default) if isinstance(key.default, tuple) else key.default
        if key.type not in _LISTS:
            return self.one(key, key.type, given, path)
        if not isinstance(given, list):
            self.faults.append(f"{path} is a list, not {_kind(given)}: {key.doc}.")
            return []
        return [self.one(key, _LISTS[key.type], each, path) for each in given]

    def one(self, key: Key, type: str, given: Any, path: str) -> Any:
        if _kind(given) not in _FITTING[type]:
            self.faults.append(f"{path} takes {_FITTING[type][0]}, not {_kind(given)}: {key.doc}.")
        elif type in ("whole", "number") and not _in_range(key, given):
            self.faults.append(f"{path} = {given:g} is out of range: {key.range}.")
        elif key.choices and given not in key.choices:
            self.faults.append(f"{path}: {given!r} is not known{_nearest(given, key.choices)}")
        elif type == "condition":
            return self.condition(given, path)
        elif type == "number":
            return float(given)
        return given

    def condition(self, given: str, path: str) -> str:
        """A condition in canonical form, "quantity op bound"; flags become "= 1" and "= 0"."""
        found = CONDITION.fullmatch(given.strip())
        if not found:
            self.faults.append(
                f"{path}: {given!r} is no condition; write 'seen >= 2', 'person' or 'not held'."
            )
            return given
        negated, quantity, op, bound = found.groups()
        if quantity not in lifecycle.QUANTITIES:
            self.faults.append(
                f"{path}: {quantity!r} is not a quantity{_nearest(quantity, lifecycle.QUANTITIES)}"
            )
        elif quantity in lifecycle.LADDER_FLAGS:
            if op:
                self.faults.append(
                    f"{path}: {quantity} is a flag; write '{quantity}' or 'not {quantity}'."
                )
            return f"{quantity} = {0 if negated else 1}"
        elif negated or not op:
            self.faults.append(
                f"{path}: {quantity} needs a comparison, for instance '{quantity} {_example(quantity)}'."
            )
        elif quantity in WORLDS:
            if op not in ("=", "!="):
                self.faults.append(f"{path}: {quantity} is a word; compare it with = or !=.")
            if bound not in WORLDS[quantity]:
                self.faults.append(
                    f"{path}: {bound!r} is no {quantity}{_nearest(bound, WORLDS[quantity])}"
                )
        elif isinstance(_removed().get(bound), (int, float)):
            bound = f"{_removed()[bound]:g}"
        elif not _is_number(bound):
            self.faults.append(
                f"{path}: {bound!r} is neither a number nor the key of one{_nearest(bound, _numeric())}"
            )
        return f"{quantity} {op} {bound}"

    # What one key says of another.

    def whole(self, data: Mapping[str, Any], known: Mapping[str, Iterable[str]] | None) -> None:
        budget, page = data["budget"], data["page"]
        if not NAME.fullmatch(data["name"]):
            self.faults.append(
                f"name: {data['name']!r} is no name: a small letter, then small letters, digits, - and _."
            )
        if not data["kinds"]:
            self.faults.append(
                'kinds is empty: a profile says what it remembers, for instance [kinds.fix] class = "fix".'
            )
        self.names(data)
        for entry in budget["precedence"]:
            self.precedence(entry, {**WORDED_FACETS, "kind": tuple(data["kinds"])})
        for rule in data["ladder"]["moves"]:
            self.rule(rule)
        if not budget["lean"] <= budget["balanced"] <= budget["deep"]:
            self.faults.append("budget.lean, budget.balanced and budget.deep must not fall.")
        for name, section in page["map"].items():
            if section not in page["sections"]:
                near = _nearest(section, page["sections"])
                self.faults.append(f"page.map.{name}: {section!r} is not a section{near}")
        for slot, used in slots(Profile(data)).items() if known is not None else ():
            at_hand = sorted((known or {}).get(slot, ()))
            wrong = [each for each in used if each not in at_hand]
            self.faults.extend(
                f"{each!r} is no {slot} at hand{_nearest(each, at_hand)}" for each in wrong
            )

    def names(self, data: Mapping[str, Any]) -> None:
        """Words that name kinds, roles and scopes name existing ones, and no alias means two kinds."""
        worlds = {"kind": tuple(data["kinds"]), "role": ("person", "reviewer", *data["roles"])}
        for path, key in KEYS.items():
            for where, found in (
                _found(data, path.replace("[]", ".[]").split("."), "") if key.names else ()
            ):
                for word in found if isinstance(found, list) else [found]:
                    if word not in worlds[key.names] and not (word == "" and key.default == ""):
                        self.faults.append(
                            f"{where}: {word!r} is no {key.names}{_nearest(word, worlds[key.names])}"
                        )
        for name in data["scopes"]["keywords"]:
            if name not in SCOPES:
                self.faults.append(
                    f"scopes.keywords.{name}: {name!r} is no scope{_nearest(name, SCOPES)}"
                )
        owner = {name: name for name in data["kinds"]}
        for name, kind in data["kinds"].items():
            for alias in kind["aliases"]:
                if owner.setdefault(alias, name) != name:
                    self.faults.append(
                        f"kinds.{name}.aliases: {alias!r} already means {owner[alias]}."
                    )

    def precedence(self, entry: str, worlds: Mapping[str, tuple[str, ...]]) -> None:
        facet, colon, word = entry.removeprefix("not ").partition(":")
        among = [*OPINION, *(f"{name}:{each}" for name, words in worlds.items() for each in words)]
        if (word not in worlds.get(facet, ())) if colon else facet not in OPINION:
            self.faults.append(f"budget.precedence: {entry!r} is not known{_nearest(entry, among)}")

    def rule(self, rule: Mapping[str, Any]) -> None:
        where = f"ladder.moves.{rule['name']}"
        if not rule["from"]:
            self.faults.append(f"{where}.from names no state.")
        if not (rule["when"] or rule["approve"] or rule["approve_any"]):
            self.faults.append(
                f"{where} needs a condition (when) or an approval (approve): nothing moves for no reason."
            )
        goals = states.INJECTABLE if rule["to"] == lifecycle.PREVIOUS else (rule["to"],)
        for state in rule["from"]:
            if not all(states.is_legal(state, to) for to in goals):
                legal = ", ".join(states.LEGAL[state])
                self.faults.append(
                    f"{where}: {state} → {rule['to']} is not a legal move; from {state} one may go to {legal}."
                )
        quotable = {*lifecycle.QUANTITIES, "from", "to", "by"}
        for name in PLACEHOLDER.findall(rule["reason"]):
            if name not in quotable:
                self.faults.append(
                    f"{where}.reason quotes {name!r}, which is no quantity{_nearest(name, sorted(quotable))}"
                )
        if re.search(r"[{}]", PLACEHOLDER.sub("", rule["reason"])):
            self.faults.append(f"{where}.reason holds a brace without its other half.")


_LISTS = {"texts": "text", "wholes": "whole", "numbers": "number", "conditions": "condition"}
_FITTING = {
    "text": ("a text",),
    "condition": ("a text",),
    "flag": ("true or false",),
    "whole": ("a whole number",),
    "number": ("a number", "a whole number"),
}


def _kind(at: Any) -> str:
    if isinstance(at, bool):
        return "true or false"
    names = {
        str: "a text",
        int: "a whole number",
        float: "a number",
        list: "a list",
        dict: "a table",
    }
    return names.get(type(at), "a date or time")


def _in_range(key: Key, number: float) -> bool:
    finite = number == number and abs(number) != float("inf")
    return (
        finite
        and (key.low is None or number >= key.low)
        and (key.high is None or number <= key.high)
    )


def _unknown(section: str, key: str, siblings: Iterable[str]) -> str:
    """The refusal of an unknown key, with the nearest one: a neighbour first, then one of another section."""
    path = f"{section}.{key}" if section else key
    near = get_close_matches(key, siblings, 1, 0.6)
    if near:
        return (
            f"{path} is not a key; did you mean {f'{section}.{near[0]}' if section else near[0]}?"
        )
    elsewhere = [each for each in KEYS if each.rpartition(".")[2] == key] or get_close_matches(
        path, KEYS, 1, 0.7
    )
    if elsewhere:
        return f"{path} is not a key; did you mean {elsewhere[0].replace('*', 'NAME')}?"
    return f"{path} is not a key; {section or 'a profile'} has: {', '.join(siblings)}."


def _nearest(word: str, among: Iterable[str]) -> str:
    known = [each for each in among if each]
    close = get_close_matches(word, known, 1, 0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; one of: {', '.join(known) or 'none'}."


def _found(at: Any, steps: list[str], path: str) -> Iterable[tuple[str, Any]]:
    """Every value under a path with * and [], each with its own path."""
    if not steps:
        yield path, at
        return
    step, rest = steps[0], steps[1:]
    members: Iterable[tuple[str, Any]] = [(step, at[step])] if step not in ("*", "[]") else ()
    if step == "*":
        members = at.items()
    elif step == "[]":
        members = [(each.get("name", str(count)), each) for count, each in enumerate(at)]
    for name, inner in members:
        yield from _found(inner, rest, f"{path}.{name}" if path else name)


def _example(quantity: str) -> str:
    return f"= {WORLDS[quantity][0]}" if quantity in WORLDS else ">= 2"


def _is_number(bound: str) -> bool:
    try:
        return abs(float(bound)) < float("inf")
    except ValueError:
        return bound in _numeric()


def _numeric() -> list[str]:
    return [
        path
        for path, key in KEYS.items()
        if key.type in ("whole", "number") and not re.search(r"[*\[]", path)
    ]


def rewrite(root: Path) -> None:
    """Write into a clone what follows from the keys: the format in core/profile.py."""
    path = root / "src/tacit/core/profile.py"
    text = path.read_text("utf-8")
    (old,) = re.findall(r'^FORMAT = ".*"\n', text, re.M)
    path.write_text(text.replace(old, f'FORMAT = "{format_of(KEYS)}"\n'), "utf-8")


if __name__ == "__main__":
    rewrite(Path(__file__).parents[3])
