"""`tacit recall`: what is known about a question, for people and agents.

Inside a run (`TACIT_RUN`, or `--run`) the agent asks: what is withheld from that run is not shown.
Without a store, or with one that is busy or unreadable, nothing is printed and nothing fails,
unless `--strict` is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.cli.inject import BUDGET_LEVELS, host_of
from tacit.cli.listing import instant
from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import one_line, paint, parts_line, width
from tacit.core.errors import TacitError, UsageError
from tacit.hooks import recalling
from tacit.hosts import run_in_shell
from tacit.screens.views import recalled_json

if TYPE_CHECKING:
    from tacit.hooks.answer import Recalled, Recollection

_FACETS = ("agent", "domain", "task_type", "category", "kind")


@verb(
    "recall",
    "search the lessons",
    end="""examples:
  tacit recall 'migration fails on a fresh database'
  tacit recall 'flaky login test' --explain --limit 3""",
    long=True,
)
@arg("query", metavar="QUERY", nargs=-1, required=True, help="what you want to know")
@opt("--run", metavar="RUN", help="the run that asks; TACIT_RUN otherwise")
@opt("--task-type", default="", metavar="TASK_TYPE")
@opt("--file", "files", metavar="PATH", multiple=True, help="may be repeated")
@opt("--error", "errors", metavar="TEXT", multiple=True, help="may be repeated")
@opt("--budget", type=OneOf(BUDGET_LEVELS), default="", help="how much is shown")
@opt("--limit", type=int, metavar="LIMIT", help="at most so many")
@opt("--min-score", type=float, metavar="MIN_SCORE", help="nothing that fits less")
@opt("--category", default="", metavar="CATEGORY")
@opt("--kind", default="", metavar="KIND")
@opt("--domain", default="", metavar="DOMAIN")
@opt("--agent", default="", metavar="AGENT")
@opt("--include-held", is_flag=True, help="also what waits for a person")
@opt("--include-stale", is_flag=True, help="also what is stale or decayed")
@opt("--as-of", metavar="TIME", help="what was known then: 2026-11-01, or 7d, 12h")
@opt("--explain", is_flag=True, help="why each fits")
@opt("--raw", is_flag=True, help="texts only, one a line")
def recall_verb(args: Asked, cli: Cli) -> Answer:
    try:
        found = _found(args, cli)
    except TacitError as error:
        if args.strict or isinstance(error, UsageError):
            raise
        if not cli.json:
            cli.say(f"tacit: nothing is recalled: {error.message}")
        nothing: dict[str, object] = {"hits": [], "budget": None, "dropped": []}
        return Answer(nothing, warnings=[error.message] if cli.json else [])
    return Answer(recalled_json(found), _text(found, args, cli))


def _found(args: Asked, cli: Cli) -> Recalled:
    with cli.open(args, create=False) as memories:
        return recalling.recall(
            memories,
            " ".join(args.query),
            run=args.run or run_in_shell(cli.env),
            host="cli" if args.run else host_of(cli.env),
            surface="cli",
            budget=args.budget,
            limit=args.limit,
            min_score=args.min_score,
            include_held=args.include_held,
            include_stale=args.include_stale,
            as_of=instant(args.as_of),
            files=tuple(args.files),
            errors=tuple(args.errors),
            **{name: getattr(args, name) for name in _FACETS if getattr(args, name)},
        )


def _text(found: Recalled, args: Asked, cli: Cli) -> str:
    if args.raw:
        return "\n".join(one_line(hit.memory.text, 1 << 20) for hit in found.hits)
    lines: list[str] = []
    for hit in found.hits:
        lines += [_line(hit, cli), *(["    " + parts_line(hit.explain)] if args.explain else [])]
    return "\n".join(lines) or "Nothing fits."


def _line(hit: Recollection, cli: Cli) -> str:
    memory = hit.memory
    seen = f"seen {memory.tally.seen}x" if memory.tally.seen else ""
    facts = ", ".join(filter(None, (hit.mark, seen, one_line(memory.source, 40))))
    head = f"{memory.id}  {hit.score:5.2f}  "
    text = one_line(memory.text, max(30, width() - len(head) - len(facts) - 3))
    said = paint(cli, "wait" if hit.mark else "quiet", f"({facts})") if facts else ""
    return f"{head}{text} {said}".rstrip()
