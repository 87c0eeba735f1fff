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
        self.env = env
        self.out = out
        self.err = err
        self.json = False
        self.quiet = False
        self.verb = "tacit"
        self.shared: dict[str, Any] = {}  # what was typed before the verb
        self._ticker: Any = None
        self._ticks: Callable[[], Any] | None = None  # makes another one after a question

    def open(self, args: Asked, *, create: bool = True) -> Memories:
        """The memories that the shared options name."""
        from tacit.memory import open

        return open(
            args.store,
            args.project,
            args.like,
            env=self.env,
            create=create,
            by=args.by or "",
            yes=args.yes,
        )

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

    def takes_long(self) -> None:
        """Say after a second that the verb is at work, where somebody watches."""
        if self.watched:
            from tacit.cli.terminal import Ticker

            self._ticks = lambda: Ticker(self, self.verb)
            self._ticker = self._ticks()

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


# -- declaring -----------------------------------------------------------------------------------


class OneOf(click.ParamType):  # type: ignore[type-arg]
    """One of some words; what is nearly one is answered with it."""

    name = "word"

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if value in self.words or value == "":
            return value
        if str(value).lower() in self.words:
            return str(value).lower()
        near = did_you_mean(value, self.words)
        raise UsageError(f"{ctx.command_path}: {_named(param)} cannot be {value!r}.", near)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


class Option(click.Option):
    """An option that may exclude others."""

    def __init__(self, *names: Any, apart_from: str = "", **facts: Any) -> None:
        super().__init__(*names, **facts)
        self.apart_from = apart_from


class Argument(click.Argument):
    """An argument with a line in the help."""

    def __init__(self, *names: Any, help: str = "", **facts: Any) -> None:
        super().__init__(*names, **facts)
        self.does = help

    @property
    def shown(self) -> str:
        """How the usage shows it."""
        words = getattr(self.type, "words", ())
        name = self.metavar or (f"{{{'|'.join(words)}}}" if words else self.name or "")
        name = name if len(name) < 60 else (self.name or "").upper()
        name += " …" if self.nargs == -1 else ""
        return name if self.required else f"[{name}]"


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


class Verb(click.Command):
    """One verb; it prints its help as people read it: usage, words, options, examples."""

    def __init__(self, *args: Any, does: str = "", end: str = "", **facts: Any) -> None:
        super().__init__(*args, **{**facts, "add_help_option": False})
        self.does, self.end = does, end
        self.params += [*_shared_options(), _help_option()]

    def get_short_help_str(self, limit: int = 100) -> str:
        return self.does

    def get_help(self, ctx: click.Context) -> str:
        shown = [each for each in self.params if not getattr(each, "hidden", False)]
        placed = [each for each in shown if isinstance(each, Argument)]
        options = [each for each in shown if isinstance(each, Option)]
        words = [ctx.command_path, *(each.shown for each in placed)]
        words += ["[options]"] if options else []
        lines = [f"usage: {' '.join(words)}", "", f"{self.does[:1].upper()}{self.does[1:]}."]
        rows = [(each.metavar or each.name or "", each.does) for each in placed if each.does]
        lines += ["", *two_columns(rows)] if rows else []
        rows = [_option_row(each) for each in options]
        lines += ["", "options:", *two_columns(rows)] if rows else []
        return "\n".join([*lines, *(["", self.end.strip("\n")] if self.end else [])])

    def invoke(self, ctx: click.Context) -> Answer:
        cli: Cli = ctx.obj
        typed = {name: _plain(value) for name, value in ctx.params.items()}
        for name, value in cli.shared.items():
            typed[name] = typed.get(name) or value
        _check_apart(self, ctx)
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


def _plain(value: Any) -> Any:
    return [*value] if isinstance(value, tuple) else value


def shared_names() -> tuple[str, ...]:
    """The options of every verb, as the code calls them."""
    return tuple(name[2:] for name, _, _ in SHARED)


def _shared_options() -> list[click.Option]:
    return [
        Option([name], is_flag=not value, default=None, metavar=value or None, hidden=True)
        for name, value, _ in SHARED
    ]


def _help_option() -> click.Option:
    def show(ctx: click.Context, _: Any, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            ctx.obj.out.write(f"{ctx.get_help().rstrip()}\n")
            ctx.exit()

    return Option(
        ["-h", "--help"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        hidden=True,
    )


class Verbs(click.Group):
    """Verbs under a word of their own."""

    def __init__(self, *args: Any, does: str = "", **facts: Any) -> None:
        facts |= {"callback": self._called, "invoke_without_command": True}
        super().__init__(*args, **facts, add_help_option=False)
        self.does = does
        self.params += [*_shared_options(), _help_option()]

    def get_short_help_str(self, limit: int = 100) -> str:
        return self.does

    def get_help(self, ctx: click.Context) -> str:
        rows = [
            (f"{ctx.command_path} {name}", command.get_short_help_str())
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None
        ]
        return "\n".join(two_columns(rows))

    def invoke(self, ctx: click.Context) -> Any:
        cli: Cli = ctx.obj
        cli.shared |= {name: ctx.params[name] for name in shared_names() if ctx.params[name]}
        return super().invoke(ctx)

    def _called(self, **_: Any) -> Answer | None:
        ctx = click.get_current_context()
        return self.alone(ctx) if ctx.invoked_subcommand is None else None

    def alone(self, ctx: click.Context) -> Answer:
        """What it says without a verb."""
        text = ctx.get_help()
        return Answer({"text": text}, text)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        found = self.get_command(ctx, args[0])
        if found is None:
            self.unknown(ctx, args[0])
        return args[0], found, args[1:]

    def unknown(self, ctx: click.Context, word: str) -> NoReturn:
        """A word that is no verb here."""
        near = did_you_mean(word, self.list_commands(ctx))
        raise UsageError(f"{ctx.command_path} {word}: there is no such command.", near)


def _check_apart(command: click.Command, ctx: click.Context) -> None:
    """Refuse two options of which one excludes the other."""
    typed = click.core.ParameterSource.COMMANDLINE
    given = [
        each
        for each in command.params
        if isinstance(each, Option) and ctx.get_parameter_source(each.name or "") is typed
    ]
    names = {name for each in given for name in each.opts}
    for each in given:
        if others := names.intersection(each.apart_from.split()):
            raise UsageError(
                f"{ctx.command_path}: {each.opts[0]} does not go with {min(others)}.",
                f"tacit help {ctx.info_name}",
            )


# -- help ----------------------------------------------------------------------------------------


def _named(param: Any) -> str:
    if isinstance(param, click.Option):
        return "/".join(param.opts)
    return str(getattr(param, "metavar", None) or getattr(param, "name", "it"))


def _option_row(each: Option) -> tuple[str, str]:
    words = getattr(each.type, "words", ())
    value = each.metavar or (f"{{{'|'.join(words)}}}" if words else "")
    value = f"[{value}]" if each.flag_value == "" else value
    names = ", ".join([each.opts[0], *each.secondary_opts])
    return (names if each.is_flag or not value else f"{names} {value}"), each.help or ""


def two_columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    from tacit.cli.words import hung, width

    wide = min(26, max((len(head) for head, _ in rows), default=0), max(12, width() // 3))
    lines: list[str] = []
    for head, told in rows:
        if not told:
            lines.append(f"  {head}")
        elif len(head) > wide:
            lines += [f"  {head}", *hung(" " * (wide + 4), told)]
        else:
            lines += hung(f"  {head:<{wide}}  ", told)
    return lines


def did_you_mean(word: str, among: Iterable[Any], otherwise: str = "") -> str:
    """Which of these was meant; where that is not clear, what there is."""
    every = [str(each) for each in among]
    near = get_close_matches(str(word).lower(), every, 1, 0.6)
    return f"Did you mean {near[0]}?" if near else otherwise or f"One of {', '.join(every)}."


def said_by_click(error: click.UsageError) -> UsageError:
    """A fault in what was typed, as we say it."""
    path = error.ctx.command_path if error.ctx else "tacit"
    own = path.removeprefix("tacit").strip()
    hint = f"tacit help {own}".strip()
    if isinstance(error, click.NoSuchOption):
        known = (
            [
                name
                for each in error.ctx.command.params
                for name in each.opts
                if not getattr(each, "hidden", 0)
            ]
            if error.ctx
            else []
        )
        name = error.option_name
        near = did_you_mean(name, (each for each in known if each.startswith("--")), hint)
        return UsageError(f"{path}: it does not take {name}.", near)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return UsageError(f"{path}: {_named(error.param)} is missing.", hint)
    if "unexpected extra argument" in error.message:
        extra = error.message.partition("(")[2].rstrip(")")
        return UsageError(f"{path}: it does not take {extra}.", hint)
    return UsageError(f"{path}: {error.format_message().rstrip('.')}.", hint)


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
    return TacitError(
        f"{verb} stopped{at}: {error.strerror or error}.",
        "What was finished before is kept.",
    )


def _json(said: Mapping[str, Any]) -> str:
    """A line of JSON that no terminal obeys: what does not show stands as its number."""
    line = json.dumps(said, ensure_ascii=False)
    if any(char > "\uffff" for char in line):
        line = "".join(json.dumps(c)[1:-1] if c >= "\U000e0000" else c for c in line)
    return named_hidden(line, "\\u{:04x}") + "\n"
