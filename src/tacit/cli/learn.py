"""learn: from finished runs to lessons, with one line per run."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from tacit.cli.moved import AskedOnce
from tacit.cli.reading import offer_lines, progress
from tacit.cli.verb import Answer, Asked, Cli, arg, opt, verb
from tacit.cli.words import one_line, table, width, wrapped
from tacit.core.errors import NotFound, TacitError, UsageError, numbered
from tacit.core.value import grouped
from tacit.hosts.source import FileSource, Source, walk
from tacit.learn import learning
from tacit.learn.learning import NOBODY
from tacit.memory import Memory as Memories
from tacit.origins import tending
from tacit.screens.past import all_of, keeping

if TYPE_CHECKING:
    from tacit.learn.stage import Learned


@verb(
    "learn",
    "learn from finished sessions; without a path those on this machine",
    end="""Without a path: the past sessions of every host on this machine, as lookback finds them, each in its own project.

examples:
  tacit learn
  tacit learn ~/.claude/projects/-home-me-shop/*.jsonl
  my-loop --log | tacit learn - --format neutral --as ann
  tacit learn --as ann old-laptop/*.jsonl     sessions that lie elsewhere, with your word that they are yours""",
    long=True,
)
@arg(
    "paths",
    metavar="PATH",
    nargs=-1,
    required=False,
    help="files or folders of runs; - for standard input",
)
@opt("--format", metavar="FORMAT", help="the format, where it cannot be told from the file")
@opt("--domain", metavar="DOMAIN")
@opt("--agent", metavar="AGENT")
@opt("--run", metavar="RUN", help="the run's id, where the file has none or another")
@opt(
    "--as",
    "words_of",
    metavar="NAME",
    help=(
        "a person's word that these sessions are NAME's; else a session counts only where its "
        "host keeps yours, and is held elsewhere"
    ),
)
@opt(
    "--moved-from",
    metavar="FOLDER",
    multiple=True,
    help=(
        "a person's word that this project was in FOLDER, which is gone: its sessions are this "
        "project's"
    ),
)
@opt("--stage", is_flag=True, help="hold every lesson for a person")
@opt("--over", is_flag=True, help="the runs have ended: settle what they were given now")
@opt("--dry-run", is_flag=True, help="say what would be learned, change nothing")
@opt(
    "--show",
    is_flag=True,
    help="with --dry-run: print each session as a reader would get to see it",
)
@opt(
    "--again",
    is_flag=True,
    help="have sessions read once more; with --run from what was kept of one",
)
def learn_verb(args: Asked, cli: Cli) -> Answer:
    found: list[Learned] = []
    failed: list[dict[str, str]] = []
    if args.again and args.run and not args.paths:
        with cli.open(args) as memories:
            return _answer([learning.read_again(memories, args.run)], [], False)
    sources = list(walk(args.paths)) if args.paths else _found(cli)
    if not sources:
        raise nothing_learned(args.paths or ["the folders of any host"], [])
    if args.show:
        return _show(args, cli, sources)
    with cli.open(args) as memories:
        if args.words_of:
            memories.need_person(f"Vouching for sessions as those of {args.words_of}")
        elif args.paths and not args.dry_run:
            _ask_whose(memories, cli, sources, args.format or "")
        for folder in args.moved_from:
            learning.moved_from(memories, folder.rstrip("/") or folder)
        asked = AskedOnce(cli, args.yes)
        word = "session" if "standing" in memories.profile.columns else memories.profile.words.run
        if (
            progress(memories) or not memories.settings()["reader.by"].value
        ):  # a yes to a reading is none to another
            memories.env = {**memories.env, "TACIT_READER_BY": NOBODY}
        sweeps = "after_run" in memories.profile.tend.when and not (args.dry_run or args.stage)
        for number, source in enumerate(sources, 1):
            cli.progress(
                f"  learning {number:,} of {len(sources):,}: {one_line(source.path, max(20, width() - 40))}"
            )
            try:
                learned = learning.learn(
                    memories,
                    source,
                    format=args.format or "",
                    domain=args.domain or "",
                    agent=args.agent or "",
                    run=args.run or "",
                    stage=args.stage,
                    dry_run=args.dry_run,
                    over=args.over,
                    again=args.again,
                    by_place=not args.words_of,
                    apart=len(sources) > 1 and (asked if not args.paths else True),
                )
                found += learned
                # where the profile says so, each finished run is followed by its sweep; a run counts once
                if sweeps:
                    for each in learned:
                        tending.tend(memories, run=each.run, only="sweep")
            except TacitError as error:
                if len(sources) == 1:
                    raise
                failed.append({"path": source.path, "error": error.message})
        names = _names(memories)
        here = memories.project_id
        offered = [] if args.paths or args.dry_run else offer_lines(cli, memories)
    cli.progress()
    if args.paths:
        if not found:
            raise nothing_learned(args.paths, failed)
        return _answer(found, failed, args.dry_run, word, names)
    return _summed(found, failed, asked, names, args.dry_run, here, offered)


def nothing_learned(paths: list[str], failed: list[dict[str, str]]) -> TacitError:
    """Why no session came out of what a person named."""
    where = ", ".join(paths)
    if failed:
        first = f"{len(failed):,} files could not be read; the first: {_failure(failed[0])}"
        return UsageError(
            f"Nothing was learned from {where}: {first}.", "Name files or folders of runs."
        )
    return NotFound(
        f"There is no finished session in {where}.",
        "Name files or folders of runs: tacit learn PATH",
    )


def _ask_whose(memories: Memories, cli: Cli, sources: list[Source], format: str) -> None:
    """A log that came with the repository is somebody's, also where a person learns it: they say once whether it is theirs."""
    if not memories.actor.is_person or not cli.can_ask:
        return
    if came := learning.came_with_repository(memories, sources, format):
        these = "This" if len(sources) == 1 == len(came) else f"{len(came):,} of these"
        few = ", ".join(came[:2]) + (f" and {len(came) - 2:,} more" if len(came) > 2 else "")
        told = f"{these} came with the repository: git tracks {few}. Yours? [y/N] "
        learning.vouching(memories).answer(came, cli.ask(told))


def _answer(
    found: list[Learned],
    failed: list[dict[str, str]],
    dry_run: bool,
    word: str = "session",
    names: dict[str, str] | None = None,
) -> Answer:
    notes = [*map(_failure, failed)] + [note for each in found for note in each.warnings]
    return Answer(
        {"runs": [_json(each) for each in found], "skipped": failed},
        _text(found, dry_run, word, names or {}),
        warnings=notes[:20],
    )


def _failure(each: dict[str, str]) -> str:
    """A file that could not be learned; its name once."""
    return each["error"] if each["path"] in each["error"] else f"{each['path']}: {each['error']}"


def _show(args: Asked, cli: Cli, sources: list[Source]) -> Answer:
    """Sessions as a reader would get to see them; nothing is learned, and nobody is asked."""
    if not args.dry_run:
        raise UsageError("--show only shows.", "Say tacit learn --dry-run --show FILE.")
    with cli.open(args) as memories:
        found = [
            each
            for source in sources
            for each in learning.rendered(memories, source, args.format or "")
        ]
    data = [{"run": run, "tokens": tokens, "page": page} for run, page, tokens in found]
    return Answer(
        {"sessions": data},
        "\n\n".join(f"{run}, about {tokens} tokens\n{page}" for run, page, tokens in found),
    )


def _found(cli: Cli) -> list[Source]:
    """Every session that a host keeps on this machine, the oldest first: what `lookback` looked at."""
    paths = {
        path: os.stat(path).st_mtime
        for host in keeping()
        for path in all_of(host, cli.env)
        if os.path.isfile(path)
    }
    return [FileSource(path) for path in sorted(paths, key=lambda path: (paths[path], path))]


def _summed(
    found: list[Learned],
    failed: list[dict[str, str]],
    asked: AskedOnce,
    names: dict[str, str],
    dry_run: bool,
    here: str,
    offered: list[str],
) -> Answer:
    """Many sessions at once: what each project has of it, and where to look: the project here may have got none."""
    rows = _by_project(found, names)
    again = sum(each.already for each in found)
    learned = len(found) - again
    told = f"{'would learn' if dry_run else 'learned'} {numbered(learned, 'session')}"
    told += f"; {again:,} were known already" if again else ""
    most = Counter(each.project for each in found if each.project != here).most_common(1)
    elsewhere = (
        ""
        if any(each.project == here for each in found) or not most
        else f" --project {most[0][0]}"
    )
    lines = [
        told,
        *([table(rows), "", f"What is in force now: tacit list{elsewhere}"] if found else []),
    ]
    lines += ["", *(line for said in offered for line in wrapped(said, 0, 118))] if offered else []
    notes = [*asked.notes(), *map(_failure, failed)]
    data = {"runs": [_json(each) for each in found], "skipped": failed, "gone": asked.refused}
    return Answer(data, "\n".join(lines), warnings=notes[:20])


def _names(memories: Memories) -> dict[str, str]:
    """Projects by what they are called; two of one name by their folders."""
    every = memories.store.projects()
    called = [project.name for project in every]
    return {
        each.id: f"{each.name} ({each.root})"
        if called.count(each.name) > 1 and each.root
        else each.name
        for each in every
    }


def _by_project(found: list[Learned], names: dict[str, str]) -> list[list[str]]:
    """A row for each project: how many sessions, how many lessons."""
    by = grouped(found, lambda each: each.project)
    return [
        [f"  {names.get(project, project)}", numbered(len(some), "session"), _new(some)]
        for project, some in sorted(by.items(), key=lambda item: -len(item[1]))
    ]


def _new(found: list[Learned]) -> str:
    """How many are new, and how many of what was found failed the checks of the way this project remembers."""
    fresh = sum(len(each.new) - len(_refused(each)) for each in found)
    refused = sum(len(_refused(each)) for each in found)
    return numbered(fresh, "new lesson") + (
        f", {refused:,} refused by validation" if refused else ""
    )


def _refused(each: Learned) -> set[str]:
    """What was new and is kept only as rejected."""
    return {id for id, _, to, _ in each.moves if to == "rejected"} & {*each.new}


def _json(learned: Learned) -> dict[str, Any]:
    at = dict(learned.__dict__)
    at["moves"] = [
        {"memory": m, "from": a, "to": b, "reason": why} for m, a, b, why in learned.moves
    ]
    return {
        **at,
        "new": list(learned.new),
        "matched": list(learned.matched),
        "warnings": list(learned.warnings),
    }


def _text(found: list[Learned], dry_run: bool, word: str, names: dict[str, str]) -> str:
    if not found:
        return f"no {word} was found there"
    new, again = (
        any({*each.new} - _refused(each) for each in found),
        sum(each.already for each in found),
    )
    many = numbered(len(found) - again, word)
    told = f"{'would learn' if dry_run else 'learned'} {many}: {_new(found)}"
    told += f"; {again:,} known already" if again else ""
    few = len(found) <= _SHOWN
    lines = [
        told,
        *(
            ["", table([_row(each) for each in found], (word, *_FACTS))]
            if few
            else [table(_by_project(found, names))]
        ),
    ]
    waits = all(each.held + each.quarantined >= len(each.new) for each in found)
    after = (
        "What waits for your word: tacit review" if waits else "What is in force now: tacit list"
    )
    lines += ["", after] if new and not dry_run else []
    return "\n".join([*lines, *(["nothing was changed"] if dry_run else [])])


_SHOWN = 20  # sessions that are told of one by one; --json has each
_FACTS = ("new lessons", "met again", "for you", "redacted")  # for you: what needs your word


def _row(each: Learned) -> list[str]:
    """One session: what it says, and what became of that."""
    figures = (
        len({*each.new} - _refused(each)),
        len(each.matched),
        each.held + each.quarantined,
        each.redacted,
    )
    return [one_line(each.run, 36), *(["known", "", "", ""] if each.already else map(str, figures))]
