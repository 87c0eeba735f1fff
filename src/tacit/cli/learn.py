"""learn: from finished runs to lessons, with one line per run."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
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

_SHOWN = 20  # sessions that are told of one by one; --json has each
_FACTS = ("new lessons", "met again", "for you", "redacted")  # for you: what waits for you


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
@arg("paths", metavar="PATH", nargs=-1, help="files or folders of runs; - for standard input")
@opt("--format", default="", metavar="FORMAT", help="where it cannot be told from the file")
@opt("--domain", default="", metavar="DOMAIN")
@opt("--agent", default="", metavar="AGENT")
@opt("--run", default="", metavar="RUN", help="the run's id, where the file has none or another")
@opt(
    "--as",
    "words_of",
    metavar="NAME",
    help="a person's word that these sessions are NAME's; else a session counts only where its "
    "host keeps yours, and is held elsewhere",
)
@opt(
    "--moved-from",
    metavar="FOLDER",
    multiple=True,
    help="a person's word that this project was in FOLDER, which is gone: its sessions are this project's",
)
@opt("--stage", is_flag=True, help="hold every lesson for a person")
@opt("--over", is_flag=True, help="the runs have ended: settle what they were given now")
@opt("--dry-run", is_flag=True, help="say what would be learned, change nothing")
@opt("--show", is_flag=True, help="with --dry-run: print each session as a reader would see it")
@opt("--again", is_flag=True, help="read sessions once more; with --run what was kept of one")
def learn_verb(args: Asked, cli: Cli) -> Answer:
    if args.again and args.run and not args.paths:
        with cli.open(args) as memories:
            return _told(args, [learning.read_again(memories, args.run)], [], {}, "session")
    sources = list(walk(args.paths)) if args.paths else _found(cli)
    if not sources:
        raise _nothing(args.paths or ["the folders of any host"], [])
    if args.show:
        return _show(args, cli, sources)
    asked = AskedOnce(cli, args.yes)
    with cli.open(args) as memories:
        if args.words_of:
            memories.need_person(f"Vouching for sessions as those of {args.words_of}")
        elif args.paths and not args.dry_run:
            _ask_whose(memories, cli, sources, args.format)
        for folder in args.moved_from:
            learning.moved_from(memories, folder.rstrip("/") or folder)
        if progress(memories) or not memories.settings()["reader.by"].value:
            # a yes to a reading is none to another
            memories.env = {**memories.env, "TACIT_READER_BY": NOBODY}
        found, failed = _learned(args, cli, memories, sources, asked)
        word = "session" if "standing" in memories.profile.columns else memories.profile.words.run
        names, here = _names(memories), memories.project_id
        offered = [] if args.paths or args.dry_run else offer_lines(cli, memories)
    if not args.paths:
        return _summed(args, found, failed, asked, names, here, offered)
    if not found:
        raise _nothing(args.paths, failed)
    return _told(args, found, failed, names, word)


def _learned(
    args: Asked, cli: Cli, memories: Memories, sources: Sequence[Source], asked: AskedOnce
) -> tuple[list[Learned], list[dict[str, str]]]:
    """What came of each source, and those that could not be read; the only one's fault is everybody's."""
    found: list[Learned] = []
    failed: list[dict[str, str]] = []
    # where the profile says so, each finished run is followed by its sweep; a run counts once
    sweeps = "after_run" in memories.profile.tend.when and not (args.dry_run or args.stage)
    named = {name: getattr(args, name) for name in ("format", "domain", "agent", "run")}
    how = {name: getattr(args, name) for name in ("stage", "dry_run", "over", "again")}
    how["by_place"] = not args.words_of
    how["apart"] = len(sources) > 1 and (asked if not args.paths else True)
    for number, source in enumerate(sources, 1):
        path = one_line(source.path, max(20, width() - 40))
        cli.progress(f"  learning {number:,} of {len(sources):,}: {path}")
        try:
            learned = learning.learn(memories, source, **named, **how)
        except TacitError as error:
            if len(sources) == 1:
                raise
            failed.append({"path": source.path, "error": error.message})
            continue
        found += learned
        for each in learned if sweeps else ():
            tending.tend(memories, run=each.run, only="sweep")
    cli.progress()
    return found, failed


def _nothing(paths: Sequence[str], failed: Sequence[dict[str, str]]) -> TacitError:
    """Why no session came out of what a person named."""
    where, name = ", ".join(paths), "Name files or folders of runs: tacit learn PATH"
    if failed:
        first = f"{len(failed):,} files could not be read; the first: {_failure(failed[0])}"
        return UsageError(f"Nothing was learned from {where}: {first}.", name)
    return NotFound(f"There is no finished session in {where}.", name)


def _ask_whose(memories: Memories, cli: Cli, sources: list[Source], format: str) -> None:
    """A log that came with the repository is somebody's, also where a person learns it: they say once whether it is theirs."""
    if not memories.actor.is_person or not cli.can_ask:
        return
    if came := learning.came_with_repository(memories, sources, format):
        these = "This" if len(sources) == 1 == len(came) else f"{len(came):,} of these"
        few = ", ".join(came[:2]) + (f" and {len(came) - 2:,} more" if len(came) > 2 else "")
        told = f"{these} came with the repository: git tracks {few}. Yours? [y/N] "
        learning.vouching(memories).answer(came, cli.ask(told))


def _show(args: Asked, cli: Cli, sources: list[Source]) -> Answer:
    """Sessions as a reader would get to see them; nothing is learned, and nobody is asked."""
    if not args.dry_run:
        raise UsageError("--show only shows.", "Say tacit learn --dry-run --show FILE.")
    with cli.open(args) as memories:
        every = (learning.rendered(memories, source, args.format) for source in sources)
        found = [each for some in every for each in some]
    data = [{"run": run, "tokens": tokens, "page": page} for run, page, tokens in found]
    text = "\n\n".join(f"{run}, about {tokens} tokens\n{page}" for run, page, tokens in found)
    return Answer({"sessions": data}, text)


def _found(cli: Cli) -> list[Source]:
    """Every session that a host keeps on this machine, the oldest first: what `lookback` looked at."""
    every = (path for host in keeping() for path in all_of(host, cli.env))
    paths = {path: os.stat(path).st_mtime for path in every if os.path.isfile(path)}
    return [FileSource(path) for path in sorted(paths, key=lambda path: (paths[path], path))]


def _names(memories: Memories) -> dict[str, str]:
    """Projects by what they are called; two of one name by their folders."""
    every = memories.store.projects()
    twice = {name for name, many in Counter(each.name for each in every).items() if many > 1}
    return {
        each.id: f"{each.name} ({each.root})" if each.name in twice and each.root else each.name
        for each in every
    }


# -- telling ---------------------------------------------------------------------------------------


def _head(args: Asked, found: Sequence[Learned], word: str = "session") -> str:
    again = sum(each.already for each in found)
    known = f"; {again:,} known already" if again else ""
    did = "would learn" if args.dry_run else "learned"
    return f"{did} {numbered(len(found) - again, word)}: {_new(found)}{known}"


def _summed(
    args: Asked,
    found: list[Learned],
    failed: list[dict[str, str]],
    asked: AskedOnce,
    names: dict[str, str],
    here: str,
    offered: list[str],
) -> Answer:
    """Many sessions at once: what each project has of it, and where to look: the project here may have got none."""
    most = Counter(each.project for each in found if each.project != here).most_common(1)
    some_here = any(each.project == here for each in found)
    elsewhere = f" --project {shlex.quote(most[0][0])}" if most and not some_here else ""
    lines = [_head(args, found)]
    if found:
        lines += [_by_project(found, names), "", f"What agents are told now: tacit list{elsewhere}"]
    lines += ["", *(line for said in offered for line in wrapped(said, 0, 118))] if offered else []
    notes = [*asked.notes(), *map(_failure, failed)]
    data = {"runs": [_json(each) for each in found], "skipped": failed, "gone": asked.refused}
    return Answer(data, "\n".join(lines), warnings=notes[:20])


def _told(
    args: Asked,
    found: list[Learned],
    failed: list[dict[str, str]],
    names: dict[str, str],
    word: str,
) -> Answer:
    """Sessions that somebody named: each with what it says and what became of that."""
    notes = [*map(_failure, failed), *(note for each in found for note in each.warnings)]
    lines = [_head(args, found, word)]
    if len(found) <= _SHOWN:
        lines += ["", table([_row(each) for each in found], (word, *_FACTS))]
    else:
        lines.append(_by_project(found, names))
    if args.dry_run:
        lines.append("nothing was changed")
    elif any({*each.new} - _refused(each) for each in found):
        waits = all(each.held + each.quarantined >= len(each.new) for each in found)
        after = "What waits for you: tacit review" if waits else "What agents are told: tacit list"
        lines += ["", after]
    data = {"runs": [_json(each) for each in found], "skipped": failed}
    return Answer(data, "\n".join(lines), warnings=notes[:20])


def _failure(each: dict[str, str]) -> str:
    """A file that could not be learned; its name once."""
    return each["error"] if each["path"] in each["error"] else f"{each['path']}: {each['error']}"


def _by_project(found: list[Learned], names: dict[str, str]) -> str:
    """A row for each project: how many sessions, how many lessons."""
    by = sorted(grouped(found, lambda each: each.project).items(), key=lambda item: -len(item[1]))
    rows = [[names.get(id, id), numbered(len(some), "session"), _new(some)] for id, some in by]
    return table(rows, before=2)


def _new(found: Sequence[Learned]) -> str:
    """How many are new, and how many of what was found failed the checks of the way this project remembers."""
    refused = sum(len(_refused(each)) for each in found)
    fresh = numbered(sum(len(each.new) for each in found) - refused, "new lesson")
    return fresh + (f", {refused:,} refused by validation" if refused else "")


def _refused(each: Learned) -> set[str]:
    """What was new and is kept only as rejected."""
    return {id for id, _, to, _ in each.moves if to == "rejected"} & {*each.new}


def _row(each: Learned) -> list[str]:
    """One session: what it says, and what became of that."""
    waits = each.held + each.quarantined
    figures = (len({*each.new} - _refused(each)), len(each.matched), waits, each.redacted)
    return [one_line(each.run, 36), *(["known", "", "", ""] if each.already else map(str, figures))]


def _json(learned: Learned) -> dict[str, Any]:
    names = ("memory", "from", "to", "reason")
    lists = {name: [*getattr(learned, name)] for name in ("new", "matched", "warnings")}
    moves = [dict(zip(names, move)) for move in learned.moves]
    return {**learned.__dict__, **lists, "moves": moves}
