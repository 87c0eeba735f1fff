"""The command line: find the verb, load only its module, print one answer.

`hook` and `inject` run for each prompt and never see argparse. For every other verb the parser of that verb alone is
built. A verb's module has, per command, a function that declares its arguments and one that runs it and returns an
`Answer`: data for `--json`, text for people. Errors become one line and an exit code; a traceback means a bug of
ours.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn, TextIO

    from tacit.app import Memories

# verb -> (module, one line). The order is the order of `tacit --help`.
COMMANDS: dict[str, tuple[str, str]] = {
    "status": ("look", "what is kept here, on one screen (also: bare `tacit`)"),
    "lookback": ("lookback", "what your agents' past runs would have taught; no set-up"),
    "init": ("setup", "make the store and this project's row"),
    "connect": ("connect", "let a host's agents remember (claude-code, codex …)"),
    "add": ("keep", "keep a lesson"),
    "list": ("keep", "find lessons by their facets"),
    "show": ("keep", "one lesson, whole"),
    "edit": ("keep", "correct a lesson"),
    "pin": ("keep", "always give a lesson, outside the budget"),
    "forget": ("keep", "take a lesson out, reversibly"),
    "erase": ("keep", "blank a lesson's text everywhere"),
    "undo": ("keep", "take back a journal entry, or a lesson's last one"),
    "log": ("look", "the journal: what changed, by whom, and why"),
    "why": ("look", "evidence, uses, journal, and what would move a lesson"),
    "review": ("review", "what waits for your word: approve, reject, merge, open and close reviews"),
    "learn": ("learn", "learn from finished runs"),
    "recall": ("recall", "search the lessons"),
    "inject": ("inject", "what an agent should know before a run"),
    "feedback": ("prove", "say that a lesson helped, was wrong or is outdated"),
    "effect": ("prove", "does a lesson help? figures from the control group"),
    "audit": ("prove", "what a run was given, and what came back"),
    "backtest": ("prove", "replay past runs under one or more profiles"),
    "tend": ("tend", "what happens between runs: fade, merge, reflect, write the page"),
    "page": ("page", "the page that hosts load and people read: write, compare, approve"),
    "blame": ("page", "which lesson stands behind each line of a page"),
    "import": ("exchange", "take in a bundle, or another system's memories"),
    "export": ("exchange", "write everything to a bundle, or memories in another system's format"),
    "migrate": ("exchange", "copy a store to PostgreSQL or back, verified row by row"),
    "sync": ("sync", "share this project's lessons with the team through git"),
    "hook": ("hook", "answer a host's event (called by the host)"),
    "mcp": ("mcp", "serve any agent over MCP: recall, remember, report, review"),
    "skill": ("skill", "the skill for hosts that read Agent Skills"),
    "serve": ("serve", "look after memory in a browser"),
    "pause": ("setup", "stop giving and learning for a while"),
    "stats": ("health", "counts by state, kind and category; events, models, the last tend"),
    "report": ("health", "the week on one screen: learned, prevented, waiting, harmful, tokens"),
    "backup": ("safety", "copy the store, and verify the copy by restoring it elsewhere"),
    "restore": ("safety", "put a backup back; what was there is kept aside"),
    "doctor": ("look", "verify the store and the installation"),
    "reindex": ("look", "rebuild full text, tallies and vectors"),
    "projects": ("look", "the projects in this store"),
    "profile": ("look", "ways of remembering: list, show, diff, use"),
    "config": ("look", "every setting and where it comes from"),
    "schema": ("setup", "JSON Schemas of what is exchanged"),
    "worker": ("hook", "drain the queue (started by hooks)"),
    "completions": ("setup", "shell completions: bash, zsh, fish"),
}
GLOBAL_VALUES = ("--store", "--project", "--profile", "--by")
GLOBAL_FLAGS = ("--json", "--quiet", "--yes", "--strict")
HOUSEKEEPING = ("worker", "tend", "backup")  # gives way to hooks, by hand as well: an agent waits for those
NICE = 10


class Answer:
    """What a command has to say."""

    def __init__(
        self, data: Any = None, text: str = "", *, code: int = 0, warnings: Sequence[str] = (), printed: bool = False
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

    def open(self, args: argparse.Namespace, *, create: bool = True, near: bool = False) -> Memories:
        """The memories the global options name; `near`: as this machine knows them, without asking a server."""
        from tacit.app import open

        return open(
            args.store, args.project, args.profile, env=self.env, create=create, by=args.by or "", yes=args.yes, near=near
        )  # fmt: skip

    def say(self, text: str) -> None:
        """A line for people, beside the answer."""
        if not self.quiet:
            self.err.write(text + "\n")
            self.err.flush()

    def progress(self, text: str = "") -> None:
        """What is going on, on a terminal: a line that the next one replaces, and no text clears."""
        if self.err.isatty() and not self.quiet:
            self.err.write(f"\r\x1b[K{text}")
            self.err.flush()

    @property
    def colour(self) -> bool:
        """Whether people look at a terminal that wants colours."""
        return self.out.isatty() and not self.env.get("NO_COLOR") and self.env.get("TERM") != "dumb"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        if args and args[0] == "hook":
            from tacit.surfaces.hooks import main as hook

            return _at_once(hook, args[1:], argv is None)
        if "inject" in args[:8] and _verb(args) == "inject":
            from tacit.surfaces.cli.inject import main as inject

            return _at_once(inject, args, argv is None)
        if argv is None and _verb(args) in HOUSEKEEPING:
            _give_way()
        return _main(args, Cli(os.environ, sys.stdout, sys.stderr))
    except BrokenPipeError:
        # The reader went away, for instance `tacit list | head`. Nothing of ours failed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        return 130


def _at_once(command: Callable[[Sequence[str]], int], args: Sequence[str], leave: bool) -> int:
    """Run what a prompt waits for: one answer, and out. Nothing it makes lives long enough to be collected, and a process
    that may leave ends without tearing its interpreter down: what was acknowledged is on disk."""
    import gc

    gc.disable()
    try:
        code = command(args)
        if leave:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        return code
    finally:
        gc.freeze()  # with its counts at zero the collector, switched on again, does not look at everything at once
        gc.unfreeze()
        gc.enable()


def _give_way() -> None:
    """Let hooks go first. A process that was started by one that gave way has done so already."""
    try:
        os.nice(max(0, NICE - os.nice(0)))
    except OSError:  # a sandbox may forbid even this
        pass


def _main(args: list[str], cli: Cli) -> int:
    verb = _verb(args)
    cli.json = "--json" in args
    cli.quiet = "--quiet" in args
    if verb is None:
        if "--version" in args or "-V" in args:
            from tacit import __version__

            return _print(cli, Answer({"version": __version__}, f"tacit {__version__}"))
        if "--help" in args or "-h" in args:
            cli.out.write(_help())
            return 0
        verb, args = "status", ["status", *args]
    if verb not in COMMANDS:
        return _fail(cli, 2, "usage", f"tacit {verb}: there is no such command.", _nearest(verb))
    from tacit.core.errors import TacitError

    try:
        return _print(cli, _run(verb, args, cli))
    except TacitError as error:
        return _fail(cli, error.exit_code, error.code, error.message, error.hint)


def _run(verb: str, args: list[str], cli: Cli) -> Answer:
    name = f"tacit.surfaces.cli.{COMMANDS[verb][0]}"
    __import__(name)
    module = sys.modules[name]
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Cli], Answer]
    declare, run = module.COMMANDS[verb]
    parser = _parser(verb)
    shared = parser.add_argument_group("everywhere")
    shared.add_argument("--store", metavar="FILE", help="another store")
    shared.add_argument("--project", metavar="NAME", help="another project: id, name or folder")
    shared.add_argument("--profile", metavar="NAME", help="another way of remembering")
    shared.add_argument("--by", metavar="NAME", help="the person in whose name this is done")
    shared.add_argument("--yes", action="store_true", help="do not ask")
    shared.add_argument("--json", action="store_true", help="one JSON document on stdout")
    shared.add_argument("--quiet", action="store_true", help="no notes on stderr")
    shared.add_argument("--strict", action="store_true", help="fail instead of staying silent")
    declare(parser)
    rest = list(args)
    rest.remove(verb)
    return run(parser.parse_args(rest), cli)


def _parser(verb: str) -> argparse.ArgumentParser:
    import argparse

    from tacit.core.errors import UsageError

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise UsageError(f"{self.prog}: {message}.", f"{self.prog} --help")

    return Parser(
        prog=f"tacit {verb}",
        description=COMMANDS[verb][1] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


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


def _print(cli: Cli, answer: Answer) -> int:
    if answer.printed:
        return answer.code
    if cli.json:
        import json

        cli.out.write(
            json.dumps({"ok": True, "schema": 1, "data": answer.data, "warnings": answer.warnings}, ensure_ascii=False)
            + "\n"
        )
    else:
        for warning in answer.warnings:
            cli.say(f"note: {warning}")
        if answer.text and not (cli.quiet and answer.code == 0 and answer.data is None):
            cli.out.write(answer.text.encode("utf-8", "replace").decode("utf-8") + "\n")
    cli.out.flush()
    return answer.code


def _fail(cli: Cli, exit_code: int, code: str, message: str, hint: str) -> int:
    if cli.json:
        import json

        cli.out.write(
            json.dumps({"ok": False, "error": {"code": code, "message": message, "hint": hint}}, ensure_ascii=False)
            + "\n"
        )
    else:
        cli.err.write(f"tacit: {message}\n" + (f"  {hint}\n" if hint else ""))
    return exit_code


def _nearest(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, 1, 0.5)
    return f"Did you mean tacit {near[0]}?" if near else "tacit --help lists them."


def _help() -> str:
    lines = ["tacit: memory that proves it helps", "", "usage: tacit [COMMAND] [options]", ""]
    lines += [f"  {verb:<12} {told}" for verb, (_, told) in COMMANDS.items()]
    lines += [
        "",
        "everywhere: --store FILE  --project NAME  --profile NAME  --by NAME  --yes  --json  --quiet  --strict",
        "",
    ]
    lines += [
        "examples:",
        "  tacit lookback                              what past runs would have taught",
        "  tacit add 'Run make migrate before the tests.'",
    ]
    lines += [
        "  tacit connect claude-code                   from the next session on, past mistakes are in the prompt",
        "  tacit COMMAND --help",
        "",
    ]
    return "\n".join(lines)
