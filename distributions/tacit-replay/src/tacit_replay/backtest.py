"""replay past runs under one or more profiles"""

from __future__ import annotations

import argparse

from tacit import formats
from tacit.core.digest import new_id
from tacit.core.errors import NotFound, UsageError
from tacit.formats.source import walk
from tacit.profiles import BUILT_IN, load
from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.words import table
from tacit_replay.past import backtest


def _declare_backtest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files or folders of past runs")
    parser.add_argument("--format")
    parser.add_argument(
        "--with",
        dest="profiles",
        action="append",
        metavar="PROFILE",
        help="a profile to replay under; may be repeated, or 'all'",
    )
    parser.epilog = "examples:\n  tacit backtest ~/.claude/projects --profile default,archeflow\n  tacit backtest runs.jsonl --with all"


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
    heads = (
        "profile",
        "runs",
        "findings",
        "lessons",
        "recurring",
        "forewarned",
        "injected",
        "useful",
        "tokens",
        "promotions",
        "forewarned share",
    )
    return Answer({"profiles": [dict(each.__dict__) for each in found]}, table(rows, heads))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _bar(part: int, whole: int) -> str:
    return "█" * round(20 * part / whole) if whole else ""


COMMANDS = {"backtest": (_declare_backtest, _backtest)}
