"""The command line: a file per group of verbs, loaded when one of them is typed.

`hook` and `inject` run for each prompt and never see click. Errors become one line and an exit
code: 0 done, 1 failed, 2 usage, 3 not found, 4 busy, 5 integrity; a traceback is a bug of ours.
"""

from __future__ import annotations

import os
import sys

from tacit import at_once
from tacit import main as enter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.cli.verb import Cli

NICE = 10
HOUSEKEEPING = ("worker", "tend", "backup")  # gives way to hooks, by hand as well


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        if args and args[0] == "hook":
            return enter(argv)
        if "inject" in args[:8] and first_word(args) == "inject":
            from tacit.cli.inject import main as inject

            return at_once(inject, args, argv is None)
        from tacit.cli.verb import Cli

        if argv is None and any(each in HOUSEKEEPING for each in args[:3]):
            _give_way()
        return called(args, Cli(os.environ, sys.stdout, sys.stderr))
    except BrokenPipeError:
        # The reader went away, for instance `tacit list | head`. Nothing of ours failed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; what was finished before is kept\n")
        return 130


def _give_way() -> None:
    """Let hooks go first. A process that was started by one that gave way has done so already."""
    try:
        os.nice(max(0, NICE - os.nice(0)))
    except OSError:  # a sandbox may forbid even this
        pass


def called(args: Sequence[str], cli: Cli) -> int:
    """Run one command in these surroundings."""
    import click

    from tacit.cli.tree import TACIT
    from tacit.cli.verb import of_the_system, print_answer, print_error, said_by_click
    from tacit.core.errors import TacitError

    cli.json, cli.quiet = "--json" in args, "--quiet" in args
    try:
        with TACIT.make_context("tacit", [*args], obj=cli) as ctx:
            return print_answer(cli, TACIT.invoke(ctx))
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        return print_error(cli, said_by_click(error))
    except TacitError as error:
        return print_error(cli, error)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        return print_error(cli, of_the_system(cli.verb, error))
    finally:
        cli.at_rest()


_VALUES = ("--store", "--project", "--like", "--by")
_FLAGS = ("--json", "--quiet", "--yes", "--strict")


def first_word(args: Sequence[str]) -> str | None:
    """The first word that is no shared option and no shared option's value."""
    skip = False
    for word in args:
        if skip:
            skip = False
        elif word in _VALUES:
            skip = True
        elif not word.startswith("-"):
            return word
        elif word.split("=")[0] not in (*_VALUES, *_FLAGS):
            return None
    return None
