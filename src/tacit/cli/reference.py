"""Every verb with its help, as docs/reference/cli.md has them."""

from __future__ import annotations

import os
import sys

import click

from tacit.cli import helping
from tacit.cli.tree import TACIT
from tacit.cli.verb import Cli, Verbs


def every_verb() -> tuple[str, ...]:
    """Each verb with its own help, spelled with its words."""
    ctx = click.Context(TACIT, info_name="tacit")
    found: list[str] = []
    for name in [*TACIT.list_commands(ctx), "hook", "worker"]:
        each = TACIT.get_command(ctx, name)
        under = [*each.commands] if isinstance(each, Verbs) else []
        found += [f"{name} {word}" for word in under] or [name]
    return tuple(found)


def usage_of(verb: str) -> str:
    """A verb's help, as `tacit help VERB` prints it."""
    return helping.usage_of(verb, TACIT, Cli(os.environ, sys.stdout, sys.stderr))
