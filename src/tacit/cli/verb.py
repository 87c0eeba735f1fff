"""What every verb of the command line is made of: its options, its surroundings, its one answer.

A verb is a click command whose function takes what was typed and the surroundings of the call, and
returns an `Answer`: data for `--json`, text for people. Options that every verb has are obeyed
before and behind it, and listed once, by `tacit help options`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from tacit.core.errors import TacitError, UsageError
from tacit.safety.one_line import named_hidden

if TYPE_CHECKING:
    from tacit.core.trust import Actor
    from tacit.memory import Memory as Memories

Asked = SimpleNamespace  # what was typed, by the names of the options
Run = Callable[[Asked, "Cli"], "Answer"]

SHARED = (
    ("--store", "FILE", "another store: a file"),
    ("--project", "NAME", "another project: id, name or folder"),
    ("--like", "NAME", "as one of the origins does"),
    ("--by", "NAME", "the person in whose name this is done"),
    ("--yes", "", "do not ask"),
    ("--json", "", "one JSON document on stdout"),
    ("--quiet", "", "no notes on stderr"),
    ("--strict", "", "fail instead of staying silent"),
)


@dataclass
class Answer:
    """What a verb has to say."""

    data: Any = None
    text: str = ""
    code: int = 0
    warnings: Sequence[str] = ()
    printed: bool = False  # the verb wrote its output itself, line by line


class Cli:
    """The surroundings of one call."""

    def __init__(self, env: Mapping[str, str], out: TextIO, err: TextIO) -> None:
        self.env, self.out, self.err = env, out, err
        self.json = self.quiet = False
        self.verb = "tacit"
        self.shared: dict[str, Any] = {}  # what was typed before the verb
        self.ticker: Any = None

    def open(self, args: Asked, *, create: bool = True) -> Memories:
        """The memories that the shared options name."""
        from tacit.memory import open

        named, who = (args.store, args.project, args.like), args.by or ""
        return open(*named, env=self.env, create=create, by=who, yes=args.yes)

    def here(self, args: Asked, ask: Callable[[Memories], Any], otherwise: Any = "") -> Any:
        """What the store answers. A look makes none; a broken one has its say elsewhere."""
        from tacit.place.folders import store_path

        try:
            if os.path.isfile(store_path(args.store, self.env)):
                with self.open(args, create=False) as memories:
                    return ask(memories)
        except TacitError:
            pass
        return otherwise

    def need_person(self, args: Asked, what: str) -> Actor:
        """Refuse what only a person may do, before any store is opened; the person."""
        from tacit.opened import acting, person_only

        who = acting(self.env, args.by or "", args.yes)
        person_only(who, what)
        return who

    def say(self, text: str) -> None:
        """A line for people, beside the answer."""
        if not self.quiet:
            self.err.write(text + "\n")
            self.err.flush()

    def progress(self, text: str = "") -> None:
        """What is going on, on a terminal: a line that the next replaces, and no text clears."""
        if self.watched:
            if self.ticker is not None:
                self.ticker.told(text)
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
        ticked = self.ticker is not None
        self.at_rest()
        self.err.write(question)
        self.err.flush()
        answer = sys.stdin.readline().strip()
        if ticked:
            self.takes_long()
        return answer

    def takes_long(self) -> None:
        """Say after a second that the verb is at work, where somebody watches."""
        if self.watched:
            from tacit.cli.terminal import Ticker

            self.ticker = Ticker(self.err, self.verb)

    def at_rest(self) -> None:
        """Nothing runs that somebody would wait for: the line that says so goes."""
        if self.ticker is not None:
            self.ticker.stop()
            self.ticker = None

    @property
    def watched(self) -> bool:
        """Whether somebody sees what is written beside the answer; never a pipe."""
        return self.err.isatty() and not self.quiet

    @property
    def colour(self) -> bool:
        """Whether people look at a terminal that wants colours."""
        return self.out.isatty() and not self.env.get("NO_COLOR") and self.env.get("TERM") != "dumb"


# -- declaring -----------------------------------------------------------------------------------


class OneOf(click.Choice[str]):
    """One of some words; what is nearly one is answered with it."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__([*words], case_sensitive=False)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if value == "" else super().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        shown = f"[{'|'.join(self.choices)}]"
        return shown if len(shown) < 60 else (param.name or "").upper()

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return f"{value!r} is none of them. {did_you_mean(str(value), self.choices)}"


class Option(click.Option):
    """An option that may exclude others."""

    def __init__(self, *names: Any, apart_from: str = "", **facts: Any) -> None:
        super().__init__(*names, **facts)
        self.apart_from = apart_from.split()


class Argument(click.Argument):
    """An argument with a line in the help."""

    def __init__(self, *names: Any, help: str = "", **facts: Any) -> None:
        super().__init__(*names, **facts)
        self.does = help


def opt(*names: str, **facts: Any) -> Callable[[Any], Any]:
    """An option."""
    return click.option(*names, cls=Option, **facts)


def arg(name: str, **facts: Any) -> Callable[[Any], Any]:
    """What is told by its place."""
    return click.argument(name, cls=Argument, **facts)


lesson_argument = arg(
    "id",
    metavar="ID",
    help="a number of the screens, an id, a unique beginning of one, or an alias",
)


def shared_options() -> list[click.Parameter]:
    """The options that every verb obeys, before it and behind it."""
    return [
        Option([name], is_flag=not value, default=None, metavar=value or None, hidden=True)
        for name, value, _ in SHARED
    ]


class Verb(click.Command):
    """One verb; its help has its arguments, its options and its examples as they stand."""

    def __init__(self, name: str, *, does: str = "", end: str = "", **facts: Any) -> None:
        helps = {"help": f"{does[:1].upper()}{does[1:]}.", "short_help": does, "epilog": end}
        names = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        super().__init__(name, **{"context_settings": names, **helps, **facts})
        self.params += shared_options()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        placed = [each for each in self.params if isinstance(each, Argument) and each.does]
        if placed:
            formatter.write("\n")
            with formatter.indentation():
                formatter.write_dl([(each.make_metavar(ctx), each.does) for each in placed])
        super().format_options(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.epilog:
            formatter.write("\n" + self.epilog.strip("\n") + "\n")

    def invoke(self, ctx: click.Context) -> Answer:
        cli: Cli = ctx.obj
        typed = {
            name: [*said] if isinstance(said, tuple) else said for name, said in ctx.params.items()
        }
        for name, value in cli.shared.items():
            typed[name] = typed.get(name) or value
        given = [
            each for each in self.params if isinstance(each, Option) and typed[each.name or ""]
        ]
        for each in given:
            for other in given:
                if other.opts[0] in each.apart_from:
                    told = f"{ctx.command_path}: {each.opts[0]} does not go with {other.opts[0]}."
                    raise UsageError(told, f"tacit help {ctx.info_name}")
        cli.verb, cli.json, cli.quiet = ctx.command_path, bool(typed["json"]), bool(typed["quiet"])
        assert self.callback is not None
        answer: Answer = self.callback(Asked(**typed), cli)
        return answer


def verb(name: str, does: str, end: str = "", *, long: bool = False) -> Callable[[Run], Verb]:
    """Make a verb of a function: its name, what it does in a line, and the end of its help.
    One that may take `long` says so after a second."""

    def made(run: Run) -> Verb:
        def callback(asked: Asked, cli: Cli) -> Answer:
            if long:
                cli.takes_long()
            return run(asked, cli)

        params = [*getattr(run, "__click_params__", [])][::-1]
        return Verb(name, params=params, callback=callback, does=does, end=end)

    return made


class Verbs(click.Group):
    """Verbs under a word of their own; alone it prints its help, or what `alone` says."""

    def __init__(self, name: str, *, does: str = "", **facts: Any) -> None:
        names = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        facts |= {"callback": self._called, "invoke_without_command": True}
        super().__init__(name, short_help=does, help=does, context_settings=names, **facts)
        self.params += shared_options()

    def invoke(self, ctx: click.Context) -> Any:
        cli: Cli = ctx.obj
        shared = (name[2:] for name, _, _ in SHARED)
        cli.shared |= {name: ctx.params[name] for name in shared if ctx.params[name]}
        return super().invoke(ctx)

    def _called(self, **_: Any) -> Answer | None:
        ctx = click.get_current_context()
        return self.alone(ctx) if ctx.invoked_subcommand is None else None

    def alone(self, ctx: click.Context) -> Answer:
        """What it says without a verb."""
        return Answer({"text": ctx.get_help()}, ctx.get_help())

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        found = self.get_command(ctx, args[0])
        if found is None:
            self.unknown(ctx, args[0])
        return args[0], found, args[1:]

    def unknown(self, ctx: click.Context, word: str) -> NoReturn:
        """A word that is no verb here."""
        near = did_you_mean(word, self.list_commands(ctx))
        raise UsageError(f"{ctx.command_path} {word}: there is no such command.", near)


def did_you_mean(word: str, among: Iterable[Any], otherwise: str = "") -> str:
    """Which of these was meant; where that is not clear, what there is."""
    every = [str(each) for each in among]
    near = get_close_matches(str(word).lower(), every, 1, 0.6)
    return f"Did you mean {near[0]}?" if near else otherwise or f"One of {', '.join(every)}."


def said_by_click(error: click.UsageError) -> UsageError:
    """A fault in what was typed, as we say it."""
    path = error.ctx.command_path if error.ctx else "tacit"
    hint = f"tacit help {path.removeprefix('tacit').strip()}".strip()
    if isinstance(error, click.NoSuchOption) and error.possibilities:
        hint = did_you_mean(error.option_name, error.possibilities)
    said = error.message or error.format_message()
    return UsageError(f"{path}: {said}", hint)


# -- answering -----------------------------------------------------------------------------------


def print_answer(cli: Cli, answer: Answer) -> int:
    """Print what a verb has to say; its exit code."""
    cli.at_rest()
    if answer.printed:
        return answer.code
    if cli.json:
        said = {"ok": True, "schema": 1, "data": answer.data, "warnings": [*answer.warnings]}
        cli.out.write(_json(said))
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


def print_error(cli: Cli, error: TacitError) -> int:
    """Print an error in one line, or two with what to do; its exit code."""
    cli.at_rest()
    if cli.json:
        cli.out.write(_json({"ok": False, "error": error.json}))
    else:
        cli.err.write(f"tacit: {error.message}\n" + (f"  {error.hint}\n" if error.hint else ""))
    return error.exit_code


def of_the_system(verb: str, error: OSError) -> TacitError:
    """What the system refused, where nobody below had more to say of it."""
    at = f" at {error.filename}" if error.filename else ""
    told = f"{verb} stopped{at}: {error.strerror or error}."
    return TacitError(told, "What was finished before is kept.")


def _json(said: Mapping[str, Any]) -> str:
    """A line of JSON that no terminal obeys: what does not show stands as its number."""
    line = json.dumps(said, ensure_ascii=False)
    if any(char > "\uffff" for char in line):
        line = "".join(json.dumps(c)[1:-1] if c >= "\U000e0000" else c for c in line)
    return named_hidden(line, "\\u{:04x}") + "\n"
