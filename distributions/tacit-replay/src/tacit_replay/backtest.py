"""replay past runs under one or more profiles"""

from __future__ import annotations

import argparse

from tacit import formats
from tacit.core.digest import new_id
from tacit.core.errors import NotFound, UsageError
from tacit.formats.source import walk
from tacit.profiles import BUILT_IN, load
from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.parsing import declared
from tacit.surfaces.cli.words import table
from tacit_replay.past import backtest


def _backtest(args: argparse.Namespace, cli: Cli) -> Answer:
    named = args.profiles or (args.profile or "default").split(",")
    wanted = list(BUILT_IN) if named == ["all"] else named
    runs = []
    for source in walk(args.paths):
        try:
            runs += list(formats.read(source, args.format))
        except UsageError as error:
            cli.say(f"note: {source.path}: {error.message}")
    if not runs:
        raise NotFound(
            f"There is no run in {', '.join(args.paths)}.",
            "Name files or folders of runs; --format where it cannot be told.",
        )
    found = [backtest(runs, load(name), ids=new_id) for name in wanted]
    rows = [
        [
            each.profile,
            str(each.runs),
            str(each.findings),
            str(each.lessons),
            str(each.recurring),
            f"{each.forewarned} ({_share(each.forewarned, each.recurring)})",
            str(each.injected),
            f"{each.useful} ({_share(each.useful, each.injected)})",
            f"{each.tokens:,}",
            str(each.promotions),
            _bar(each.forewarned, each.recurring),
        ]
        for each in found
    ]
    heads = "profile runs findings lessons recurring forewarned injected useful tokens promotions".split()
    return Answer(
        {"profiles": [dict(each.__dict__) for each in found]},
        table(rows, [*heads, "forewarned share"]),
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _bar(part: int, whole: int) -> str:
    return "█" * round(20 * part / whole) if whole else ""


COMMANDS = declared({"backtest": _backtest}, __file__)
