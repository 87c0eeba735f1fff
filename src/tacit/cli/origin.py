"""`tacit origin VERB`: what the system that this project is like calls one of our commands."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from tacit.cli import Answer, Cli
from tacit.cli.parsing import declared, did_you_mean
from tacit.cli.words import table
from tacit.core.errors import UsageError


def _verbs(args: argparse.Namespace, cli: Cli) -> Mapping[str, str]:
    with cli.open(args, create=False) as memories:
        profile = memories.profile
    if not profile.verbs:
        raise UsageError(
            "This project is like no origin, so there are no verbs of one.",
            "tacit init --like NAME makes it like one.",
        )
    return profile.verbs


def _origin(args: argparse.Namespace, cli: Cli) -> Answer:
    """The verbs there are."""
    verbs = _verbs(args, cli)
    if args.verb:
        near = did_you_mean(args.verb, verbs, "tacit origin lists them.")
        raise UsageError(f"There is no verb {args.verb!r} here.", near)
    rows: list[list[Any]] = [[name, f"tacit {line}"] for name, line in verbs.items()]
    return Answer({"verbs": dict(verbs)}, table(rows, ("tacit origin", "is")))


COMMANDS = declared({"origin": _origin})
