"""An origin's verb, as the command of ours that it stands for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from tacit.app import open
from tacit.core.errors import TacitError


def in_our_words(args: list[str], first_word: Callable[[Sequence[str]], str | None]) -> list[str]:
    """A line with an origin's verb as the command it stands for; without a verb, or an unknown one, as it is."""
    at = args.index("origin")
    rest = args[at + 1 :]
    word = first_word(rest)
    if word is None or "--help" in args or "-h" in args:
        return args
    said = {name: after for name, after in itertools.pairwise(args) if name.startswith("--")}
    try:
        with open(
            said.get("--store"), said.get("--project"), said.get("--like"), create=False
        ) as memories:
            verbs = memories.profile.verbs
    except (TacitError, OSError):
        return args  # the command itself says what is wrong
    if word not in verbs:
        return args
    rest.remove(word)
    return [*args[:at], *verbs[word].split(), *rest]
