"""lookback: the first minute. What past sessions would have taught, on one screen, as JSON or as a page; no set-up.

Without a yes nothing is opened, made or kept. The transcripts are read where the host left them.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.cli.connect import connected_hosts
from tacit.cli.homes import Homes, known_here, moved_roots
from tacit.cli.looks import look_now
from tacit.cli.past import block_lines, blocks_here
from tacit.cli.reading import (
    DEAREST,
    Plan,
    agreed,
    nobody_reads,
    plan_of,
    progress,
    progress_words,
    read_chosen,
    reader_here,
    session_of,
    settings_here,
    told,
    unread,
    unread_of,
    with_room,
)
from tacit.cli.settings_file import plain_path
from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import WIDEST, one_line, paint, wrapped
from tacit.core import clock
from tacit.core.errors import NotFound, Refused, UsageError, numbered
from tacit.core.run import Run
from tacit.core.value import replace
from tacit.hosts import formats
from tacit.hosts.places import folders_of
from tacit.hosts.source import Source, walk
from tacit.learn.learning import NOBODY, agree_to, agreed_sessions, lines_of
from tacit.memory import Memory as Memories
from tacit.opened import store_path
from tacit.place.folders import captured_folder
from tacit.reading.record import left_by
from tacit.screens.past import is_transcript, keeping
from tacit.trial.proving import lookback_part
from tacit.words.diagnose import OF_NO_LESSON

if TYPE_CHECKING:
    from tacit.lookback.estimate import UnreadSession
    from tacit.lookback.result import Lookback
    from tacit.reading.record import Left

LISTED = 5  # lessons and problems on one screen
LISTED_ELSEWHERE = 25  # and in a page or JSON
_UNTAUGHT = (
    2,
    5,
)  # times that a problem without a lesson came back, and such problems on one screen
SURE = 0.9


@verb(
    "lookback",
    "what past sessions would have taught; needs no set-up",
    end="""examples:
  tacit lookback                                     every session of Claude Code, Codex, Gemini, Copilot and opencode here
  tacit lookback --days 30 --project-filter shop
  tacit lookback --look tidy --dry-run               which lessons say the same, or are replaced by a later one
  tacit lookback runs.jsonl                          your own loop's runs (docs/formats/neutral.md)""",
    long=True,
)
@arg(
    "paths",
    metavar="PATH",
    nargs=-1,
    required=False,
    help="files or folders (default: the hosts' own)",
)
@opt("--days", type=int, metavar="N", help="only sessions that began in the last N days")
@opt("--project-filter", metavar="NAME", help="only projects whose name or folder holds NAME")
@opt(
    "--limit",
    type=int,
    metavar="N",
    help=f"list N lessons and problems (default {LISTED})",
)
@opt(
    "--read",
    is_flag=True,
    help="have these sessions read by a model: says what it brings and costs, asks",
)
@opt(
    "--cap",
    type=float,
    default=DEAREST,
    metavar="USD",
    help=f"… for no more than that (default {DEAREST})",
)
@opt(
    "--look",
    type=OneOf(("habits", "failures", "tidy", "instructions")),
    help=(
        "ask one look at all sessions now: what you ask for again and again, what keeps failing, "
        "lessons to tidy, lines of instruction files"
    ),
)
@opt("--dry-run", is_flag=True, help="… and change nothing by it")
def lookback_verb(args: Asked, cli: Cli) -> Answer:
    if (args.days is not None and args.days < 1) or (args.limit is not None and args.limit < 1):
        raise UsageError(
            "tacit lookback: --days and --limit count from 1.", "tacit lookback --help"
        )
    if args.look:
        with cli.open(args, create=False) as memories:
            return look_now(cli, memories, args.look, args.dry_run)
    now = clock.now()
    since = clock.after_days(now, -args.days) if args.days else ""
    folders = args.paths or _host_folders(cli.env)
    sources, notes = _sources(folders, bool(args.paths), since)
    looked_in = [plain_path(os.path.abspath(path) if path != "-" else path) for path in folders]
    listed = args.limit or (LISTED_ELSEWHERE if cli.json else LISTED)
    place, moved = moved_roots(cli, args)
    homes = Homes(cli.env, place, moved)
    chosen = _Chosen(lambda run: homes(run).path == place.root)
    store = store_path(args.store, cli.env)
    chosen.store = store if os.path.exists(store) else ""
    # A lesson costs what all of its problems do, however few are shown.
    found = _look(
        sources,
        cli,
        args,
        since,
        listed if cli.json else max(listed, LISTED_ELSEWHERE),
        homes,
        chosen,
    )
    notes += lookback_part("words").left_out(found)
    shaped = lookback_part("result").lookback_json(found)
    data = {"looked_in": looked_in, "since": since or None, **shaped}
    if not found.count.sessions:
        code = NotFound.exit_code if args.paths else 0
        return Answer(data, _nothing(looked_in, args), code=code, warnings=notes)
    settings = settings_here(cli)
    left = chosen.unread(cli, args)
    if chosen.going:  # what somebody said yes to is being read, or comes next
        left = [each for each in left if cli.can_ask and each.run not in chosen.agreed]
    plan = plan_of(left, reader_here(settings, cli.env), args.cap)
    data["reading"] = plan.json() if plan else None
    if args.read:
        return _read(args, cli, plan, settings, chosen)
    shown = args.limit or LISTED
    asks = plan is not None and cli.can_ask and str(settings["reader.by"].value) != NOBODY
    offered = _offered(cli, plan, settings, chosen)
    here = next((each.name for each in found.projects if each.path and each.path == place.root), "")
    steps = _next(cli, chosen.host, bool(connected_hosts(place.root, cli.env)))
    if not any(each.left for each in found.projects):
        steps[0] = _LOOK.format(paint(cli, "bold", "tacit"))
    text = _screen(
        found,
        cli,
        shown,
        offered,
        here,
    )
    blocks = blocks_here()
    data["instructions"] = [
        {"block": each.name, "title": each.title, "tokens": each.tokens} for each in blocks
    ]
    text += "".join(f"\n{line}" for line in block_lines(blocks))
    aside = [paint(cli, "quiet", line) for note in notes[:4] for line in _wrapped(note)]
    if chosen.going:
        steps[0] = _LOOK.format(paint(cli, "bold", "tacit"))
    if not asks:
        said = "\n".join([text, "", *aside, *([""] if aside else []), *steps])
        if not cli.json and not cli.quiet:
            cli.out.write(f"{said}\n")
        return Answer(data, said, warnings=notes if cli.json else (), printed=not cli.json)
    # No pager: what stands below, a question or what to do next, is what the screen is for, and a key pressed in a pager is no answer.
    cli.out.write("\n".join([text, "", *aside, ""] if aside else [text, ""]) + "\n")
    answer = _read(args, cli, plan, settings, chosen)
    if answer.data.get("read"):
        steps[0] = _LOOK.format(paint(cli, "bold", "tacit"))
    answer.text = "\n".join([answer.text, "", *steps])
    return answer


_LOOK = "Next: {}                        the lessons on one screen, to keep or drop"
_LEFT = "When it is over, tacit lookback --read reads what is left."


class _Chosen:
    """The sessions that were looked at: these may be read, and no others."""

    def __init__(self, is_here: Callable[[Run], bool]) -> None:
        self.sessions: dict[str, UnreadSession] = {}
        self.sources: dict[str, Source] = {}
        self.source: Source | None = None  # that is being looked at
        self.hosts = Counter[tuple[bool, str]]()  # whether of the project here, and the host's name
        self.is_here = is_here
        self.agreed: dict[str, str] = {}  # those that a person let somebody read
        self.going = ""  # how far a reading in the background has come: two would ask at once
        self.left: dict[str, Left] = {}  # what each session here left, for the looks at the whole
        self.store = ""  # the file that there was when the look began: whoever leaves meanwhile takes it away

    def met(self, run: Run) -> None:
        """One of them."""
        assert self.source is not None
        here = self.is_here(run)
        if run.host in keeping():
            self.hosts[here, run.host] += 1
        if not run.foreign:
            self.sessions[run.id] = replace(session_of(run), here=here)
            if here:
                self.left[run.id] = left_by(run)
            self.sources[run.id] = self.source

    @property
    def host(self) -> str:
        """Whose sessions are most here, else in all."""
        return max(
            self.hosts, key=lambda each: (each[0], self.hosts[each]), default=(False, keeping()[0])
        )[1]

    def unread(self, cli: Cli, args: Asked) -> list[UnreadSession]:
        """Those that nobody has read yet; where there is no store, all of them."""
        every = list(self.sessions.values())

        def left(memories: Memories) -> list[UnreadSession]:
            self.agreed = agreed_sessions(memories.store)
            self.going = (
                "" if progress(memories).get("pid") == os.getpid() else progress_words(memories)
            )
            return unread(memories, every)

        found: list[UnreadSession] = cli.here(args, left, every)
        return found


def _read(
    args: Asked,
    cli: Cli,
    plan: Plan | None,
    settings: Mapping[str, Any],
    chosen: _Chosen,
) -> Answer:
    """Read what was looked at. It may be stopped and called again: what was read is not read twice."""
    if chosen.going and plan is None:
        return Answer(
            {"sessions": 0, "read": 0, "lessons": 0}, _offered(cli, plan, settings, chosen)
        )
    if plan is None:
        if (reader := reader_here(settings, cli.env)) is None:
            raise Refused(
                "No model is here that could read.", nobody_reads(cli.env, chosen.sessions.values())
            )
        left = (
            unread_of(chosen.sessions.values(), reader)
            or "nothing is left to read in these sessions"
        )
        return Answer({"sessions": 0, "read": 0, "lessons": 0}, left)
    known = [each for each in plan.sessions if chosen.agreed.get(each.run) == plan.reader.by]
    if (
        args.yes
        and len(known) < len(plan.sessions)
        and str(settings["reader.by"].value) != plan.reader.by
    ):
        try:
            cli.need_person(args, "Having sessions read by a model")
        except Refused:  # a setting that changed meanwhile brings in others: they wait for a word, and these are read
            if (plan := plan_of(known, plan.reader, args.cap)) is None:
                raise
    if not args.yes and not agreed(cli, plan, bool(chosen.going)):
        return Answer(
            {**plan.json(), "read": 0},
            "nothing was read"
            if cli.can_ask
            else f"{plan.sentence}\nnothing was read; --yes reads them",
        )
    if chosen.going:
        with cli.open(args) as memories:
            agree_to(memories.store, plan.reader.by, [each.run for each in plan.sessions])
        return Answer(
            {**plan.json(), "read": 0},
            f"{numbered(len(plan.sessions), 'session')} more: read after the others.",
        )
    narrowed = [f"--project-filter={args.project_filter}"] if args.project_filter else []
    narrowed += [f"--days={args.days}"] if args.days else []
    narrowed += [
        f"--{name}={said}"
        for name in ("store", "project", "like", "by")
        if (said := getattr(args, name))
    ]
    paths = map(os.path.abspath, args.paths)
    again = [*"lookback --read --yes --quiet".split(), f"--cap={args.cap}", *narrowed, *paths]
    cli.env = with_room(cli.env, plan, settings)
    if chosen.store and not os.path.exists(chosen.store):
        raise Refused(
            "What Tacit knows was taken away while sessions were looked at.", "Nothing was read."
        )
    with cli.open(args) as memories:
        said = read_chosen(
            cli, memories, plan, chosen.sources, again if cli.can_ask else (), chosen.left
        )
    while not (cli.can_ask or said.get("stopped")) and (
        plan := _agreed_since(args, cli, plan, chosen)
    ):
        cli.env = with_room(cli.env, plan, settings_here(cli))
        with cli.open(args) as memories:
            more = read_chosen(cli, memories, plan, chosen.sources)
        said = {
            **more,
            **{
                name: said[name] + more[name] for name in ("sessions", "read", "lessons", "waiting")
            },
        }
    return Answer(said, told(said), warnings=said.pop("notes", []))


def _agreed_since(args: Asked, cli: Cli, plan: Plan, chosen: _Chosen) -> Plan | None:
    """What somebody said yes to while others were read. What was tried once is not tried again."""
    for each in plan.sessions:
        chosen.sessions.pop(each.run, None)
    left = [
        each for each in chosen.unread(cli, args) if chosen.agreed.get(each.run) == plan.reader.by
    ]
    return plan_of(left, reader_here(settings_here(cli), cli.env), float("inf"))


def _offered(cli: Cli, plan: Plan | None, settings: Mapping[str, Any], chosen: _Chosen) -> str:
    """What reading would bring, where nobody is asked right below."""
    if plan is None:
        reader = reader_here(settings, cli.env)
        if chosen.going:
            left = reader and unread_of(chosen.sessions.values(), reader)
            return f"{chosen.going} {left or ('' if cli.can_ask else _LEFT)}".rstrip()
        return "" if reader else nobody_reads(cli.env, chosen.sessions.values())
    return chosen.going if cli.can_ask else f"{plan.sentence} Do it: tacit lookback --read"


# --- reading ------------------------------------------------------------------------------------------------------------


def _host_folders(env: Mapping[str, str]) -> list[str]:
    """Where hosts keep their transcripts, and we what we captured; where there is none of them, the place to look first."""
    captured = captured_folder(store_path(None, env))
    folders = [*(folder for host in keeping() for folder in folders_of(host, env)), captured]
    return [folder for folder in folders if os.path.exists(folder)] or folders[:1]


def _sources(folders: Sequence[str], named: bool, since: str) -> tuple[list[Source], list[str]]:
    """The files to read, and what had to be left out on the way to them."""
    if not named and not os.path.exists(folders[0]):
        return [], []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = list(walk(folders))
    if not named:  # hosts keep other things in their folders too
        # Any lines of JSON, for those that we captured and those of sub-agents; else what a host calls its sessions.
        lines = (".jsonl", ".jsonl.gz", ".jsonl.zst")
        known = [
            [each for each in keeping() if is_transcript(each, source.name)] for source in found
        ]
        found = [
            source for source, hosts in zip(found, known) if hosts or source.name.endswith(lines)
        ]
    recent = [
        source for source in found if not since or _changed(source.path) >= clock.seconds(since)
    ]
    return recent, [str(each.message) for each in caught]


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return float("inf")  # let reading it say what is wrong


def _look(
    sources: Sequence[Source],
    cli: Cli,
    args: Asked,
    since: str,
    listed: int,
    homes: Homes,
    chosen: _Chosen,
) -> Lookback:
    room = lookback_part("report")
    wanted = (args.project_filter or args.project or "").lower()

    def read(source: Source) -> Iterable[Run] | None:
        chosen.source = source
        # Most files are a host's: those are asked first, since asking every format costs more than reading.
        sure = (host for host in keeping() if formats.get(host).detect(source) >= SURE)
        name = next(sure, None) or formats.detect(source)
        return formats.read(source, name) if name else None

    done = 0

    def tell(number: int, size: int) -> None:
        nonlocal done
        done += size
        cli.progress(f"  reading {number:,} of {len(sources):,} files, {done / 1e6:,.0f} MB")

    found: Lookback = room.look_back(
        sources,
        read,
        listed=listed,
        home_of=homes,
        since=since,
        wanted=(lambda home: wanted in home.name.lower() or wanted in home.path.lower())
        if wanted
        else None,
        progress=tell,
        lines_of=lambda home: lines_of(homes.root(home)) if homes.root(home) else {},
        known_of=known_here(cli, args),
        met=chosen.met,
    )
    cli.progress()
    return found


# --- telling ------------------------------------------------------------------------------------------------------------


def _screen(
    found: Lookback,
    cli: Cli,
    listed: int,
    offered: str,
    here: str,
) -> str:
    """What a person asks first comes first: what did you learn? Then what it is worth, and what was left out."""
    lines = [
        *_head(found, cli),
        *_lessons(found, cli, listed, here),
    ]
    lines += [
        *_untaught(found, cli, listed, here),
    ]
    lines += [*_for_you(found, cli, listed), "", *_figures(found, cli)]
    lines += ["", *(paint(cli, "good", line) for line in _wrapped(offered))] if offered else []
    return "\n".join(lines)


def _next(cli: Cli, host: str, connected: bool) -> list[str]:
    connect = "tacit inject" if connected else f"tacit connect {host}"
    then = (
        "what your agent hears, and when"
        if connected
        else "from the next session on, in the prompt"
    )
    return [
        f"Next: {paint(cli, 'bold', 'tacit learn')}                  take them in; then tacit shows the lessons, to keep or drop",
        f"      {paint(cli, 'bold', connect)}{' ' * (29 - len(connect))}{then}",
    ]


def _head(found: Lookback, cli: Cli) -> list[str]:
    words, count = lookback_part("words"), found.count
    span = f", {words.days(found.first_at, found.last_at)}" if found.first_at else ""
    sessions, projects = (
        words.numbered(count.sessions, "session"),
        words.numbered(len(found.projects), "project"),
    )
    failures = f"{words.numbered(count.failures, 'failure')}, each counted once a session"
    calls = f" ({words.calls_words(found)})" if found.tool_calls else ""
    return [*_wrapped(f"Looked back at {sessions} of {projects}{span}: {failures}{calls}.")]


def _lessons(found: Lookback, cli: Cli, listed: int, here: str) -> list[str]:
    """What the next session of each project would be told: of the one here first, the costly first."""
    words = lookback_part("words")
    told = sorted(words.lesson_lines(found), key=lambda each: each.project != here)
    kept = sorted(
        (each for each in found.projects if each.stands), key=lambda each: each.name != here
    )
    lines = (
        ["", paint(cli, "bold", "Kept by now: tacit shows them, to keep or drop")] if kept else []
    )
    lines += [
        line for each in kept for line in _item(cli, f"{one_line(each.name, 30)}: {each.stands}")
    ]
    if not told and kept:
        return lines
    if not told:
        return [
            "",
            "No lesson without a reader: it takes two sessions that got over a failure by the same command, or your own *always*.",
        ]
    listed += len(told) == listed + 1  # a page for one line is a nuisance
    more = f", {listed} of {len(told)}" if len(told) > listed else ""
    order = (
        "here first" if told[0].project == here and len(found.projects) > 1 else "the costly first"
    )
    beside = " beside that" if kept else ""
    title = f"What these sessions teach{beside} without a reader ({order}{more})"
    lines += ["", paint(cli, "bold", title)]
    for each in told[:listed]:
        lines += _item(
            cli, each.text, f"{_of(found, each.project)}{words.cost_words(each)}", "good"
        )
    return lines


def _item(cli: Cli, said: str, below: str = "", tone: str = "") -> list[str]:
    """One of a list, and quietly below it what it cost."""
    first, *rest = [paint(cli, tone, line) if tone else line for line in _wrapped(said, 4)]
    quiet = (paint(cli, "quiet", line) for line in _wrapped(below, 4)) if below else ()
    return [f"  - {first}", *(f"    {line}" for line in (*rest, *quiet))]


def _untaught(found: Lookback, cli: Cli, listed: int, here: str) -> list[str]:
    """What came back again and again and has no lesson that would be told: of the project here first."""
    words = lookback_part("words")
    told = {each.text for each in words.lesson_lines(found)}
    problems = [each for each in found.problems if not (each.known or each.lesson in told)]
    problems = [
        each
        for each in problems
        if each.repeated >= _UNTAUGHT[0] and each.nature not in OF_NO_LESSON
    ]
    problems = sorted(problems, key=lambda each: each.project != here)[: min(listed, _UNTAUGHT[1])]
    if not problems:
        return []
    lines = ["", paint(cli, "bold", "What came back and has no lesson yet")]
    for each in problems:
        took = f", typically {spent}" if (spent := words.spent_words(each.typical)) else ""
        below = f"{_of(found, each.project)}met in {numbered(each.sessions, 'session')}{took}"
        lines += _item(cli, one_line(each.label, 200), below)
    return lines


def _figures(found: Lookback, cli: Cli) -> list[str]:
    """How much of it came back, and how much of that these lessons would have said before: a sentence or two."""
    words, count = lookback_part("words"), found.count
    if not count.repeated:
        return _wrapped(
            "Nothing came back in a later session of the same project: nothing to forewarn of."
        )
    told = (
        f"{count.repeated:,} of {words.numbered(count.failures, 'failure')} had happened in an earlier session"
        f" ({words.percent(count.repeated, count.failures)})"
    )
    if count.forewarned:
        told += (
            f"; of these, {count.forewarned:,} would have been forewarned of by lessons from"
            f" sessions before ({words.percent(count.forewarned, count.repeated)})"
        )
    told += "."
    took = words.spent_words(found.typical)
    return _wrapped(
        told
        + (f" One typically took {took} until it was overcome again (the median)." if took else "")
    )


def _for_you(found: Lookback, cli: Cli, listed: int) -> list[str]:
    """What only the person is told: instruction files that are wrong, and what fails without a way out."""
    some = [(each.name, told) for each in found.projects for told in each.for_you]
    more = f" ({listed} of {len(some)})" if len(some) > listed else ""
    after = (
        "" if all(each.stands for each in found.projects if each.for_you) else "after tacit learn, "
    )
    lines = (
        [
            "",
            paint(
                cli,
                "wait",
                f"For you{more}: {after}tacit review lists them, tacit keep N or drop N answers",
            ),
        ]
        if some
        else []
    )
    return lines + [
        line for name, told in some[:listed] for line in _item(cli, f"{_of(found, name)}{told}")
    ]


def _of(found: Lookback, project: str) -> str:
    """Which project a line is about, where there are several."""
    return f"{one_line(project, 30)}: " if len(found.projects) > 1 else ""


def _wrapped(said: str, before: int = 0) -> list[str]:
    """A sentence in lines that fit, with so many columns before them."""
    return wrapped(said, before, WIDEST)


def _nothing(looked_in: Sequence[str], args: Asked) -> str:
    lines = [
        "No finished session was found.",
        "",
        *(f"  looked in  {one_line(path, 100)}" for path in looked_in),
        "",
    ]
    narrowed = [
        f"--{name}" for name in ("days", "project-filter") if getattr(args, name.replace("-", "_"))
    ]
    if narrowed:
        lines.append(f"Perhaps {' and '.join(narrowed)} left out too much: try without.")
    lines += [
        "Claude Code, Codex, Gemini, Copilot and opencode write down every session by themselves: work a few days, then look back.",
        "Transcripts in another place: tacit lookback PATH (CLAUDE_CONFIG_DIR and CODEX_HOME are obeyed).",
        "Runs of your own loop: docs/formats/neutral.md says how to write them down.",
        "",
        "Next: tacit connect claude-code   so that sessions are learned from as they end",
    ]
    return "\n".join(lines)
