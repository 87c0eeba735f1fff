"""The verbs: which there are, and where each stands."""

from __future__ import annotations

from typing import NoReturn

import click

from tacit import __version__
from tacit.cli.verb import Answer, Verbs, did_you_mean
from tacit.core.errors import UsageError

# What `tacit help` shows, by what people want to do.
GROUPS = {
    "Start": ("lookback", "learn", "connect", "init"),
    "Look": ("list", "why", "review", "recall", "inject", "effect", "desk"),
    "Correct": ("add", "edit", "keep", "drop", "undo", "guard"),
    "Look after": ("sync", "data", "replay", "doctor", "config", "mcp", "leave"),
}
INTERNAL = ("hook", "worker", "help", "origin")
# What 0.2.0 had, and the verb to use now.
FORMER = {
    "status": "tacit",
    "show": "tacit why ID",
    "log": "tacit why ID --full",
    "audit": "tacit effect",
    "reindex": "tacit doctor --repair",
    "serve": "tacit desk",
    "feedback": "tacit drop ID --reason",
    "pin": "tacit keep ID --always",
    "forget": "tacit drop ID",
    "erase": "tacit drop ID --erase",
    "profile": "tacit init --like NAME",
    "page": "tacit connect AGENTS.md",
    "skill": "tacit connect HOST",
    "tend": "tacit lookback --look tidy",
    "migrate": "tacit data import OLD.db",
    "schema": "tacit help learn",
    "pause": "tacit config pause",
    "projects": "tacit config projects",
    "export": "tacit data export",
    "import": "tacit data import",
    "backup": "tacit data backup",
    "restore": "tacit data restore",
    "version": "tacit --version",
}


class Tacit(Verbs):
    """The command itself; alone it is the one screen."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in GROUPS.values() for name in names]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A verb by its name; only its own file is loaded."""
        found: click.Command
        match name:
            case "lookback":
                from tacit.cli.lookback import lookback_verb

                found = lookback_verb
            case "learn":
                from tacit.cli.learn import learn_verb

                found = learn_verb
            case "connect":
                from tacit.cli.connect import connect_verb

                found = connect_verb
            case "leave":
                from tacit.cli.leave import leave_verb

                found = leave_verb
            case "init":
                from tacit.cli.setup import init_verb

                found = init_verb
            case "config":
                from tacit.cli.config import config

                found = config
            case "list":
                from tacit.cli.listing import list_verb

                found = list_verb
            case "add":
                from tacit.cli.lessons import add_verb

                found = add_verb
            case "edit":
                from tacit.cli.lessons import edit_verb

                found = edit_verb
            case "undo":
                from tacit.cli.lessons import undo_verb

                found = undo_verb
            case "keep":
                from tacit.cli.decide import keep_verb

                found = keep_verb
            case "drop":
                from tacit.cli.drop import drop_verb

                found = drop_verb
            case "review":
                from tacit.cli.review import review_verb

                found = review_verb
            case "why":
                from tacit.cli.look import why_verb

                found = why_verb
            case "recall":
                from tacit.cli.recall import recall_verb

                found = recall_verb
            case "inject":
                from tacit.cli.hooked import inject_verb

                found = inject_verb
            case "hook":
                from tacit.cli.hooked import hook_verb

                found = hook_verb
            case "worker":
                from tacit.cli.hooked import worker_verb

                found = worker_verb
            case "effect":
                from tacit.cli.prove import effect_verb

                found = effect_verb
            case "replay":
                from tacit.cli.replay import replay_verb

                found = replay_verb
            case "guard":
                from tacit.cli.guard import guard_verb

                found = guard_verb
            case "desk":
                from tacit.cli.serve import desk_verb

                found = desk_verb
            case "mcp":
                from tacit.cli.mcp import mcp_verb

                found = mcp_verb
            case "sync":
                from tacit.cli.sync import sync_verb

                found = sync_verb
            case "doctor":
                from tacit.cli.doctor import doctor_verb

                found = doctor_verb
            case "data":
                from tacit.cli.data import data

                found = data
            case "help":
                from tacit.cli.helping import help_verb

                found = help_verb
            case "origin":
                from tacit.cli.origin import origin

                found = origin
            case _:
                return None
        return found

    def alone(self, ctx: click.Context) -> Answer:
        from tacit.cli.status import status_verb

        shown: Answer = status_verb.invoke(status_verb.make_context("tacit", [], parent=ctx))
        return shown

    def unknown(self, ctx: click.Context, word: str) -> NoReturn:
        if word in FORMER:
            raise UsageError(f"tacit {word}: it is {FORMER[word]} now.", "tacit help lists all.")
        near = did_you_mean(word, self.list_commands(ctx), "tacit help lists them.")
        near = near.replace("mean ", "mean tacit ")
        raise UsageError(f"tacit {word}: there is no such command.", near)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in GROUPS.items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl([(n, each.get_short_help_str()) for n, each in found if each])

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(
            "tacit: memory that proves it helps. Bare tacit is the screen to come back to.\n"
        )
        formatter.write("tacit help VERB · help words · help options\n")
        self.format_commands(ctx, formatter)


TACIT = Tacit("tacit")
click.version_option(
    __version__, "-V", "--version", prog_name="tacit", message="%(prog)s %(version)s"
)(TACIT)
