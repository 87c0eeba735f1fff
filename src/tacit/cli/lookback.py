"""lookback: the first minute. What past sessions would have taught, on one screen or as JSON; no set-up.

Without a yes nothing is opened, made or kept. The transcripts are read where the host left them.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.cli.connect import connected_hosts
from tacit.cli.looks import look_now
from tacit.cli.reading import (
    DEAREST,
    Plan,
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
    with_room,
)
from tacit.cli.settings_file import plain_path
from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import WIDEST, one_line, paint, wrapped
from tacit.core import clock
from tacit.core.errors import NotFound, Refused, UsageError, numbered
from tacit.core.run import Run
from tacit.hosts import formats
from tacit.hosts.places import folders_of
from tacit.hosts.source import Source, walk
from tacit.learn.learning import NOBODY, agreed_sessions
from tacit.memory import Memory as Memories
from tacit.opened import store_path
from tacit.place.folders import captured_folder
from tacit.place.identity import locate
from tacit.reading.record import left_by
from tacit.screens.looked_back import LookedBack, ProjectPast, look_back
from tacit.screens.one_screen import shortened
from tacit.screens.past import is_transcript, keeping

if TYPE_CHECKING:
    from tacit.reading.estimate import UnreadSession
    from tacit.reading.record import Left
    from tacit.screens.one_screen import ProblemRow

LISTED, _PROJECTS = 5, 3  # lessons of a kind and projects on one screen, the one here first
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
SURE = 0.9


@verb(
    "lookback",
    "what past sessions would have taught; needs no set-up",
    end="""examples:
  tacit lookback                                     every session of the hosts on this machine
  tacit lookback --days 30 --project-filter shop
  tacit lookback --look tidy --dry-run               which lessons say the same, or are replaced by a later one
  tacit lookback runs.jsonl                          your own loop's runs (docs/formats/neutral.md)""",
    long=True,
)
@arg("paths", metavar="PATH", nargs=-1, help="files or folders (default: the hosts' own)")
@opt("--days", type=int, metavar="N", help="only sessions that began in the last N days")
@opt("--project-filter", metavar="NAME", help="only projects whose name or folder holds NAME")
@opt("--read", is_flag=True, help="have these sessions read by a model: says the price, asks")
@opt("--cap", type=float, default=DEAREST, metavar="USD", help=f"… for at most that ({DEAREST})")
@opt(
    "--look",
    type=OneOf(("habits", "failures", "tidy", "instructions")),
    help="ask one look at all sessions now: what you ask for again and again, what keeps failing, "
    "lessons to tidy, lines of instruction files",
)
@opt("--dry-run", is_flag=True, help="… and change nothing by it")
def lookback_verb(args: Asked, cli: Cli) -> Answer:
    if args.days is not None and args.days < 1:
        raise UsageError("tacit lookback: --days counts from 1.", "tacit lookback --help")
    if args.look:
        with cli.open(args, create=False) as memories:
            return look_now(cli, memories, args.look, args.dry_run)
    since = clock.after_days(clock.now(), -args.days) if args.days else ""
    folders = args.paths or _host_folders(cli.env)
    sources, notes = _sources(folders, bool(args.paths), since)
    looked_in = [plain_path(os.path.abspath(path) if path != "-" else path) for path in folders]
    place = locate(os.getcwd(), cli.env)
    chosen = _Chosen(place.root, store_path(args.store, cli.env))
    found = _look(sources, cli, args, since, chosen)
    notes += _left_out(found)
    data = {"looked_in": looked_in, "since": since or None, **found.as_json()}
    if not found.projects:
        code = NotFound.exit_code if args.paths else 0
        return Answer(data, _nothing(looked_in, args), code=code, warnings=notes)
    settings = settings_here(cli)
    plan = plan_of(chosen.unread(cli, args), reader_here(settings, cli.env), args.cap)
    data["reading"] = plan.json() if plan else None
    if args.read:
        return _read(args, cli, plan, settings, chosen)
    asks = plan is not None and cli.can_ask and str(settings["reader.by"].value) != NOBODY
    lines = [*_screen(found, cli, place.root), *_offered(cli, plan, settings, chosen), ""]
    lines += [paint(cli, "quiet", line) for note in notes[:4] for line in _wrapped(note)]
    if cli.json:
        return Answer(data, warnings=notes)
    # no pager: a question or what to do next stands below, and a key pressed in a pager is no answer
    if not cli.quiet:
        cli.out.write("\n".join([*lines, *([""] if notes else [])]) + "\n")
    answer = _read(args, cli, plan, settings, chosen) if asks else Answer(data)
    learned = answer.data.get("read") or chosen.going or found.all_known
    steps = _next(cli, chosen.host, bool(connected_hosts(place.root, cli.env)), bool(learned))
    return Answer(answer.data, "\n".join(filter(None, [answer.text, *steps])))


class _Chosen:
    """The sessions that were looked at: these may be read, and no others."""

    def __init__(self, root: str, store: str) -> None:
        self.root = root  # of the project here
        self.sessions: dict[str, UnreadSession] = {}
        self.sources: dict[str, Source] = {}
        self.source: Source | None = None  # that is being looked at
        self.hosts = Counter[tuple[bool, str]]()  # whether of the project here, and the host
        self.agreed: dict[str, str] = {}  # those that a person let somebody read
        self.going = ""  # how far a reading in the background has come: two would ask at once
        self.left: dict[str, Left] = {}  # what each session here left, for the looks at the whole
        # the file that there was when the look began: whoever leaves meanwhile takes it away
        self.store = store if os.path.exists(store) else ""

    def met(self, run: Run, root: str) -> None:
        """One of them, of the project in a folder."""
        assert self.source is not None
        here = root == self.root
        if run.host in keeping():
            self.hosts[here, run.host] += 1
        if not run.foreign:
            self.sessions[run.id] = session_of(run, here)
            self.sources[run.id] = self.source
            if here:
                self.left[run.id] = left_by(run)

    @property
    def host(self) -> str:
        """Whose sessions are most here, else in all."""
        most = max(self.hosts, key=lambda each: (each[0], self.hosts[each]), default=None)
        return most[1] if most else keeping()[0]

    def unread(self, cli: Cli, args: Asked) -> list[UnreadSession]:
        """Those that nobody has read yet; where there is no store, all of them; while others are read, none."""
        every = list(self.sessions.values())

        def left(memories: Memories) -> list[UnreadSession]:
            self.agreed = agreed_sessions(memories.store)
            ours = progress(memories).get("pid") == os.getpid()
            self.going = "" if ours else progress_words(memories)
            return [] if self.going else unread(memories, every)

        found: list[UnreadSession] = cli.here(args, left, every)
        return found


def _read(
    args: Asked, cli: Cli, plan: Plan | None, settings: Mapping[str, Any], chosen: _Chosen
) -> Answer:
    """Read what was looked at. It may be stopped and called again: what was read is not read twice."""
    reader = reader_here(settings, cli.env)
    if plan is None and reader is None and not chosen.going:
        raise Refused("No model is here that could read.", nobody_reads(chosen.sessions.values()))
    if plan is None:
        left = chosen.going or "nothing is left to read in these sessions"
        return Answer({"sessions": 0, "read": 0, "lessons": 0}, left)
    if args.yes and str(settings["reader.by"].value) != plan.reader.by:
        known = [each for each in plan.sessions if chosen.agreed.get(each.run) == plan.reader.by]
        try:
            if len(known) < len(plan.sessions):
                cli.need_person(args, "Having sessions read by a model")
        except Refused:  # what nobody said yes to waits for a word, and the rest is read
            if (plan := plan_of(known, plan.reader, args.cap)) is None:
                raise
    if not args.yes and not cli.ask(plan.question):
        no = "" if cli.can_ask else f"{plan.sentence}\n"
        why = "nothing was read" + ("" if cli.can_ask else "; --yes reads them")
        return Answer({**plan.json(), "read": 0}, no + why)
    if chosen.store and not os.path.exists(chosen.store):
        left = "What Tacit knows was taken away while sessions were looked at."
        raise Refused(left, "Nothing was read.")
    cli.env = with_room(cli.env, plan, settings)
    again = _again(args) if cli.can_ask else ()
    with cli.open(args) as memories:
        said = read_chosen(cli, memories, plan, chosen.sources, again, chosen.left)
    return Answer(said, told(said), warnings=said.pop("notes"))


def _again(args: Asked) -> list[str]:
    """The command that reads what is left of the same sessions, with nobody to ask."""
    names = ("project-filter", "days", "store", "project", "like", "by")
    said = {name: getattr(args, name.replace("-", "_")) for name in names}
    narrowed = [f"--{name}={value}" for name, value in said.items() if value]
    begin = [*"lookback --read --yes --quiet".split(), f"--cap={args.cap}"]
    return [*begin, *narrowed, *map(os.path.abspath, args.paths)]


def _offered(
    cli: Cli, plan: Plan | None, settings: Mapping[str, Any], chosen: _Chosen
) -> list[str]:
    """What reading would bring, where nobody is asked right below."""
    if plan is None and not chosen.going and reader_here(settings, cli.env) is None:
        said = nobody_reads(chosen.sessions.values())
    else:
        said = chosen.going
    if plan is not None and not cli.can_ask:
        said = f"{plan.sentence} Do it: tacit lookback --read"
    return ["", *(paint(cli, "good", line) for line in _wrapped(said))] if said else []


# -- reading ---------------------------------------------------------------------------------------


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
    if not named:
        # hosts keep other things in their folders too: any lines of JSON, for those that we
        # captured and those of sub-agents; else what a host calls its sessions
        lines = (".jsonl", ".jsonl.gz", ".jsonl.zst")
        found = [
            each
            for each in found
            if each.name.endswith(lines) or any(is_transcript(h, each.name) for h in keeping())
        ]
    begin = clock.seconds(since) if since else 0.0
    return [each for each in found if _changed(each.path) >= begin], [
        str(w.message) for w in caught
    ]


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return float("inf")  # let reading it say what is wrong


def _look(
    sources: Sequence[Source], cli: Cli, args: Asked, since: str, chosen: _Chosen
) -> LookedBack:
    def read(source: Source) -> Iterable[Run] | None:
        chosen.source = source
        # most files are a host's: those are asked first, since asking every format costs more
        sure = (host for host in keeping() if formats.get(host).detect(source) >= SURE)
        name = next(sure, None) or formats.detect(source)
        return formats.read(source, name) if name else None

    done = 0

    def tell(number: int, size: int) -> None:
        nonlocal done
        done += size
        cli.progress(f"  reading {number:,} of {len(sources):,} files, {done / 1e6:,.0f} MB")

    found = look_back(
        sorted(sources, key=lambda source: _changed(source.path)),
        read,
        env=cli.env,
        store=chosen.store,
        since=since,
        wanted=args.project_filter or args.project or "",
        met=chosen.met,
        progress=tell,
    )
    cli.progress()
    return found


# -- telling ---------------------------------------------------------------------------------------


def _screen(found: LookedBack, cli: Cli, root: str) -> list[str]:
    """What a person asks first comes first: what did you learn? Then how much of it came back."""
    span = f", {days(found.first_at, found.last_at)}" if found.first_at else ""
    projects = numbered(len(found.projects), "project")
    sessions = f"{numbered(found.sum('sessions'), 'session')} of {projects}"
    failures = f"{numbered(found.sum('failures'), 'failure')}, each counted once a session"
    calls = f"{found.failed_calls:,} of {numbered(found.tool_calls, 'tool call')} failed"
    calls = f" ({calls})" if found.tool_calls else ""
    lines = _wrapped(f"Looked back at {sessions}{span}: {failures}{calls}.")
    some = sorted(found.projects, key=lambda each: each.path != root)
    for each in some[:_PROJECTS]:
        lines += _project(each, cli, len(some) > 1)
    if len(some) > _PROJECTS:
        rest = numbered(len(some) - _PROJECTS, "more project")
        lines += ["", paint(cli, "quiet", f"{rest}: tacit lookback --project-filter NAME")]
    return [*lines, "", *_figures(found)]


def _project(past: ProjectPast, cli: Cli, named: bool) -> list[str]:
    """The one screen of a project, with fewer rows and nothing to answer yet."""
    screen = shortened(past.screen, LISTED, LISTED)
    name = f"{one_line(past.name, 30)}: " if named else ""
    shelves = [("What agents will hear", screen.told), *screen.shelves]
    shelves.append(("Came back, nothing known yet", screen.unknown))
    lines = [line for title, rows in shelves if rows for line in _shelf(cli, name + title, rows)]
    if not (screen.told or screen.new):
        none = f"{name}no lesson without a reader: it takes two sessions that got over a failure by the same command, or your own *always*."
        lines += ["", *_wrapped(none[:1].upper() + none[1:])]
    return lines


def _shelf(cli: Cli, title: str, rows: Sequence[ProblemRow]) -> list[str]:
    lines = ["", paint(cli, "bold", title)]
    for row in rows:
        stands = f"({row.stands})" if row.stands else ""
        below = " ".join(part for part in (row.cost, stands) if part)
        lines += _item(cli, row.hears or row.problem, below, "good" if row.hears else "plain")
    return lines


def _figures(found: LookedBack) -> list[str]:
    """How much of it came back, and what that took."""
    failures, repeated, calls = (found.sum(name) for name in ("failures", "repeated", "calls"))
    if not repeated:
        return _wrapped("Nothing came back in another session of the same project.")
    share = min(99, max(1, round(100 * repeated / failures)))
    took = f", {numbered(calls, 'extra call')} until they were overcome" if calls else ""
    of = f"{repeated:,} of {numbered(failures, 'failure')}"
    return _wrapped(f"{of} had happened in another session ({share}%){took}.")


def _left_out(found: LookedBack) -> list[str]:
    """What the figures leave out, in sentences."""
    said = []
    if found.malformed_lines:
        said.append(f"{numbered(found.malformed_lines, 'malformed line')} left out.")
    if found.foreign:
        said.append(f"{numbered(found.foreign, 'file')} in no known format left out.")
    if found.unread_count:
        named = "; ".join(f"{path} ({reason})" for path, reason in found.unread[:3])
        said.append(f"{numbered(found.unread_count, 'file')} could not be read: {named}.")
    return said


def days(first: str, last: str) -> str:
    """12 Jan to 9 Feb 2026."""
    begin, end = _day(first), _day(last)
    if begin == end:
        return begin
    return f"{begin.removesuffix(first[:4]).strip() if first[:4] == last[:4] else begin} to {end}"


def _day(at: str) -> str:
    return f"{int(at[8:10])} {_MONTHS[int(at[5:7]) - 1]} {at[:4]}"


def _next(cli: Cli, host: str, connected: bool, learned: bool) -> list[str]:
    look, learn = "the lessons on one screen, to keep or drop", "take them in, to keep or drop"
    hear, connect = "what your agent hears, and when", "from the next session on, in the prompt"
    steps = [
        ("tacit", look) if learned else ("tacit learn", learn),
        ("tacit inject", hear) if connected else (f"tacit connect {host}", connect),
    ]
    said = [f"{paint(cli, 'bold', line)}{' ' * (30 - len(line))}{what}" for line, what in steps]
    return [f"\nNext: {said[0]}", f"      {said[1]}"]


def _item(cli: Cli, said: str, below: str = "", tone: str = "plain") -> list[str]:
    """One of a list, and quietly below it what it cost."""
    first, *rest = [paint(cli, tone, line) for line in _wrapped(said, 4)]
    quiet = (paint(cli, "quiet", line) for line in _wrapped(below, 4)) if below else ()
    return [f"  - {first}", *(f"    {line}" for line in (*rest, *quiet))]


def _wrapped(said: str, before: int = 0) -> list[str]:
    return wrapped(said, before, WIDEST)


def _nothing(looked_in: Sequence[str], args: Asked) -> str:
    looked = [f"  looked in  {one_line(path, 100)}" for path in looked_in]
    said = {"--days": args.days, "--project-filter": args.project_filter}
    narrowed = " and ".join(name for name, value in said.items() if value)
    return "\n".join(
        [
            "No finished session was found.",
            *looked,
            *([f"Perhaps {narrowed} left out too much: try without."] if narrowed else []),
            "The hosts write down every session by themselves: work a few days, then look back.",
            "Transcripts in another place: tacit lookback PATH; of your own loop: docs/formats/neutral.md.",
            "Next: tacit connect claude-code   so that sessions are learned from as they end",
        ]
    )
