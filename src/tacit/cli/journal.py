"""log: the journal, as an origin's people read and write it."""

from __future__ import annotations

import json
import time

from tacit.cli.lessons import moment
from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.cli.words import entry_line, one_line, table
from tacit.core.journal import Entry
from tacit.learn import correcting, queries
from tacit.memory import Memory as Memories
from tacit.screens.views import entry_json


@verb(
    "log",
    "the journal: what changed, by whom, and why",
    end="""Here --by NAME shows the entries by that person, rule or agent.""",
)
@opt("--tail", type=int, default=50, metavar="N", help="the newest N entries")
@opt("--since", metavar="SINCE")
@opt("--verb", metavar="VERB")
@opt("--run", metavar="RUN")
@opt("--memory", metavar="ID")
@opt("--follow", is_flag=True, help="go on printing new entries")
@opt(
    "--note",
    metavar="TEXT",
    help="write a line of your own into the journal: what was changed, and with --reason why",
)
@opt("--reason", metavar="REASON")
@opt("--all-projects", is_flag=True)
def log_verb(args: Asked, cli: Cli) -> Answer:
    if args.note:
        with cli.open(args) as memories:
            entry = correcting.note(memories, args.note, reason=args.reason or "")
        return Answer(entry_json(entry), f"noted: {one_line(entry.reason, 100)}")
    with cli.open(args, create=False) as memories:
        memory = memories.store.resolve(args.memory, memories.project_id) if args.memory else ""
        found = queries.log(
            memories,
            memory=memory,
            verb=args.verb or "",
            by=args.by or "",
            run=args.run or "",
            since=moment(args.since),
            newest=True,
            limit=max(0, args.tail),
            everywhere=args.all_projects,
        )[::-1]
        if args.follow:
            return _follow(memories, found, cli)
    text = table([*map(entry_line, found)]) or "the journal has no such entry"
    return Answer({"entries": [*map(entry_json, found)]}, text)


def _follow(memories: Memories, found: list[Entry], cli: Cli) -> Answer:
    last = 0
    while True:
        for entry in found:
            last = max(last, entry.id)
            said = (
                json.dumps(entry_json(entry), ensure_ascii=False)
                if cli.json
                else "  ".join(entry_line(entry))
            )
            cli.out.write(f"{said}\n")
        cli.out.flush()
        time.sleep(0.5)
        found = queries.log(memories, after=last)
