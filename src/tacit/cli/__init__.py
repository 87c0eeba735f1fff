"""The command line: find the verb, load only its module, print one answer.

`hook` and `inject` run for each prompt and never see argparse. For every other verb the parser of that verb alone is
built. What a command takes stands in `commands.txt`; its module has, per command, a function that runs it and returns
an `Answer`: data for `--json`, text for people. Errors become one line and an exit code; a traceback means a bug of
ours.
"""

from __future__ import annotations

import os
import sys

from tacit import at_once
from tacit import main as enter

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TextIO

    from tacit.app import Memories
    from tacit.core.errors import TacitError
    from tacit.core.trust import Actor

# What `tacit help` shows, by what people want to do; all others are shown by `tacit help all`, and work as they did.
GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "start": ("Start", ("lookback", "learn", "connect")),
    "look": ("Look", ("list", "why", "effect", "desk")),
    "correct": ("Correct", ("add", "edit", "forget", "undo", "review", "keep", "drop", "guard")),
    "look-after": ("Look after", ("sync", "doctor", "leave", "help")),
}
GLOBAL_VALUES = ("--store", "--project", "--like", "--by")
GLOBAL_FLAGS = ("--json", "--quiet", "--yes", "--strict")
_LONG_VERBS = (
    "lookback",
    "learn",
    "effect",
    "audit",
    "tend",
    "page",
    "sync",
    "data-export",
    "data-import",
    "doctor",
    "reindex",
    "data-backup",
    "recall",
    "list",
    "why",
    "status",
    "review",
    "projects",
    "init",
    "undo",
    "feedback",
    "connect",
    "data-restore",
    "guard",
)
HOUSEKEEPING = (
    "worker",
    "tend",
    "data-backup",
)  # gives way to hooks, by hand as well: an agent waits for those
NICE = 10


class Answer:
    """What a command has to say."""

    def __init__(
        self,
        data: Any = None,
        text: str = "",
        *,
        code: int = 0,
        warnings: Sequence[str] = (),
        printed: bool = False,
    ) -> None:
        self.data = data
        self.text = text
        self.code = code
        self.warnings = list(warnings)
        self.printed = printed  # the command wrote its output itself, line by line


class Cli:
    """The surroundings of one call."""

    def __init__(self, env: Mapping[str, str], out: TextIO, err: TextIO) -> None:
        self.env = env
        self.out = out
        self.err = err
        self.json = False
        self.quiet = False
        self._ticker: Any = None
        self._ticks: Callable[[], Any] | None = None  # makes another one after a question

    def open(self, args: argparse.Namespace, *, create: bool = True) -> Memories:
        """The memories the global options name."""
        from tacit.app import open

        return open(
            args.store,
            args.project,
            args.like,
            env=self.env,
            create=create,
            by=args.by or "",
            yes=args.yes,
        )

    def here(
        self, args: argparse.Namespace, ask: Callable[[Memories], Any], otherwise: Any = ""
    ) -> Any:
        """What the store answers. A look makes none; a broken one has its say elsewhere."""
        from tacit.core.errors import TacitError
        from tacit.stores.places import store_path

        try:
            if os.path.isfile(store_path(args.store, self.env)):
                with self.open(args, create=False) as memories:
                    return ask(memories)
        except TacitError:
            pass
        return otherwise

    def need_person(self, args: argparse.Namespace, what: str) -> Actor:
        """Refuse what only a person may do, before any store is opened; the person."""
        from tacit.app.opened import acting, person_only

        who = acting(self.env, args.by or "", args.yes)
        person_only(who, what)
        return who

    def say(self, text: str) -> None:
        """A line for people, beside the answer."""
        if not self.quiet:
            self.err.write(text + "\n")
            self.err.flush()

    def progress(self, text: str = "") -> None:
        """What is going on, on a terminal: a line that the next one replaces, and no text clears."""
        if self.watched:
            if self._ticker is not None:
                self._ticker.told(text)
            self.err.write(f"\r\x1b[K{text}")
            self.err.flush()

    @property
    def can_ask(self) -> bool:
        """Whether somebody can be asked, and wants to be."""
        return not self.json and not self.quiet and sys.stdin.isatty() and self.err.isatty()

    def ask(self, question: str) -> bool:
        """A person's yes. Where nobody can be asked, or nobody wants to be, it is no."""
        return self.can_ask and self.put(question)

    def put(self, question: str) -> bool:
        """Whether what is typed at the terminal is a yes."""
        return self.typed(question).lower() in ("y", "yes")

    def typed(self, question: str) -> str:
        """What a person types in answer to a question."""
        self.at_rest()
        self.err.write(question)
        self.err.flush()
        answer = sys.stdin.readline().strip()
        self._ticker = self._ticks() if self._ticks else None
        return answer

    def at_rest(self) -> None:
        """Nothing runs that somebody would wait for: the line that says so goes."""
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    @property
    def watched(self) -> bool:
        """Whether somebody sees what is written beside the answer; never a pipe."""
        return self.err.isatty() and not self.quiet

    @property
    def colour(self) -> bool:
        """Whether people look at a terminal that wants colours."""
        return self.out.isatty() and not self.env.get("NO_COLOR") and self.env.get("TERM") != "dumb"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        if args and args[0] == "hook":
            return enter(argv)
        if "origin" in args[:8] and _verb(args) == "origin":
            from tacit.cli.origin_words import in_our_words

            args = in_our_words(args, _verb)
        if "inject" in args[:8] and _verb(args) == "inject":
            from tacit.cli.inject import main as inject

            return at_once(inject, args, argv is None)
        if argv is None and _verb(_of_data(args)) in HOUSEKEEPING:
            _give_way()
        return _main(args, Cli(os.environ, sys.stdout, sys.stderr))
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


def _main(args: list[str], cli: Cli) -> int:
    args = _of_data(args)
    verb = _verb(args)
    cli.json = "--json" in args
    cli.quiet = "--quiet" in args
    if verb is None:
        if "--version" in args or "-V" in args:
            verb, args = (
                "version",
                ["version", *(each for each in args if each not in ("--version", "-V"))],
            )
        elif "--help" in args or "-h" in args:
            verb, args = "help", ["help"]
        else:
            verb, args = "status", ["status", *args]
    from tacit.core.errors import TacitError

    try:
        return print_answer(cli, _run(verb, args, cli))
    except TacitError as error:
        return _fail(cli, error)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        return _fail(cli, _of_the_system(verb, error))
    finally:
        cli.at_rest()


def _of_the_system(verb: str, error: OSError) -> TacitError:
    """What the system refused, where nobody below had more to say of it."""
    from tacit.cli.parsing import spoken
    from tacit.core.errors import TacitError

    at = f" at {error.filename}" if error.filename else ""
    return TacitError(
        f"tacit {spoken(verb)} stopped{at}: {error.strerror or error}.",
        "What was finished before is kept.",
    )


def module_of_command(verb: str) -> tuple[Any, str]:
    """The module of a command and its line in `tacit help`."""
    from tacit.cli.parsing import COMMANDS, nearest_command, spoken

    if verb not in COMMANDS:
        from tacit.core.errors import UsageError

        raise UsageError(
            f"tacit {spoken(verb)}: there is no such command.", nearest_command(verb, COMMANDS)
        )
    name = f"tacit.cli.{COMMANDS[verb][0]}"
    __import__(name)
    return sys.modules[name], COMMANDS[verb][1]


def _run(verb: str, args: list[str], cli: Cli) -> Answer:
    module, does = module_of_command(verb)
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Cli], Answer]
    declare, run = module.COMMANDS[verb]
    from tacit.cli.parsing import parser_of

    parser = parser_of(verb, does, declare)
    rest = list(args)
    rest.remove(verb)
    parsed = parser.parse_args(rest)
    if verb in _LONG_VERBS and cli.watched:
        from tacit.cli.parsing import spoken
        from tacit.cli.terminal import Ticker

        cli._ticks = lambda: Ticker(cli, "tacit" if verb == "status" else f"tacit {spoken(verb)}")
        cli._ticker = cli._ticks()
    return run(parsed, cli)


def _of_data(args: list[str]) -> list[str]:
    """`tacit data export …` as the one command that it is."""
    if _verb(args) != "data":
        return args
    at = args.index("data")
    word = _verb(args[at + 1 :])
    if word is None:
        return [*args[:at], "help", "data", *args[at + 1 :]]
    rest = [*args[at + 1 :]]
    rest.remove(word)
    return [*args[:at], f"data-{word}", *rest]


def _verb(args: Sequence[str]) -> str | None:
    """The first word that is no global option and no global option's value."""
    skip = False
    for word in args:
        if skip:
            skip = False
        elif word in GLOBAL_VALUES:
            skip = True
        elif not word.startswith("-"):
            return word
        elif word.split("=")[0] not in (*GLOBAL_VALUES, *GLOBAL_FLAGS):
            return None
    return None


def print_answer(cli: Cli, answer: Answer) -> int:
    """Print what a command has to say; its exit code."""
    cli.at_rest()
    if answer.printed:
        return answer.code
    if cli.json:
        told = {"ok": True, "schema": 1, "data": answer.data, "warnings": answer.warnings}
        cli.out.write(_json(told))
    else:
        for warning in answer.warnings:
            cli.say(f"note: {warning}")
        if answer.text and not (cli.quiet and answer.code == 0 and answer.data is None):
            text = answer.text.encode("utf-8", "replace").decode("utf-8") + "\n"
            if cli.out.isatty():
                from tacit.cli.terminal import paged

                paged(text, cli)
            else:
                cli.out.write(text)
    cli.out.flush()
    return answer.code


def _json(told: Mapping[str, Any]) -> str:
    """A line of JSON that no terminal obeys: what does not show stands as its number."""
    import json

    from tacit.safety.one_line import named_hidden

    line = json.dumps(told, ensure_ascii=False)
    if any(char > "\uffff" for char in line):
        line = "".join(json.dumps(c)[1:-1] if c >= "\U000e0000" else c for c in line)
    return named_hidden(line, "\\u{:04x}") + "\n"


def _fail(cli: Cli, error: TacitError) -> int:
    cli.at_rest()
    if cli.json:
        cli.out.write(_json({"ok": False, "error": error.json}))
    else:
        cli.err.write(f"tacit: {error.message}\n" + (f"  {error.hint}\n" if error.hint else ""))
    return error.exit_code
