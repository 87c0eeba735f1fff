"""lookback: the first minute. What past sessions would have taught, on one screen or as JSON; no set-up.

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
from tacit.learn.learning import NOBODY, agreed_sessions, lines_of
from tacit.lookback import report, words
from tacit.lookback.result import lookback_json
from tacit.memory import Memory as Memories
from tacit.opened import store_path
from tacit.place.folders import captured_folder
from tacit.reading.record import left_by
from tacit.screens.past import is_transcript, keeping
from tacit.words.diagnose import OF_NO_LESSON

if TYPE_CHECKING:
    from tacit.lookback.estimate import UnreadSession
    from tacit.lookback.result import Lookback
    from tacit.reading.record import Left

LISTED, LISTED_ELSEWHERE = 5, 25  # lessons and problems on one screen; in JSON
_UNTAUGHT = 2  # times that a problem without a lesson came back, and such problems on one screen
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
    place, moved = moved_roots(cli, args)
    homes = Homes(cli.env, place, moved)
    store = store_path(args.store, cli.env)
    chosen = _Chosen(lambda run: homes(run).path == place.root, store)
    found = _look(sources, cli, args, since, homes, chosen)
    notes += words.left_out(found)
    data = {"looked_in": looked_in, "since": since or None, **lookback_json(found)}
    if not found.count.sessions:
        code = NotFound.exit_code if args.paths else 0
        return Answer(data, _nothing(looked_in, args), code=code, warnings=notes)
    settings = settings_here(cli)
    plan = plan_of(chosen.unread(cli, args), reader_here(settings, cli.env), args.cap)
    data["reading"] = plan.json() if plan else None
    if args.read:
        return _read(args, cli, plan, settings, chosen)
    here = next((each.name for each in found.projects if each.path and each.path == place.root), "")
    asks = plan is not None and cli.can_ask and str(settings["reader.by"].value) != NOBODY
    lines = [*_screen(found, cli, here), *_offered(cli, plan, settings, chosen), ""]
    lines += [paint(cli, "quiet", line) for note in notes[:4] for line in _wrapped(note)]
    if cli.json:
        return Answer(data, warnings=notes)
    # no pager: a question or what to do next stands below, and a key pressed in a pager is no answer
    if not cli.quiet:
        cli.out.write("\n".join([*lines, *([""] if notes else [])]) + "\n")
    answer = _read(args, cli, plan, settings, chosen) if asks else Answer(data)
    learned = answer.data.get("read") or chosen.going or not any(p.left for p in found.projects)
    steps = _next(cli, chosen.host, bool(connected_hosts(place.root, cli.env)), bool(learned))
    return Answer(answer.data, "\n".join(filter(None, [answer.text, *steps])))


class _Chosen:
    """The sessions that were looked at: these may be read, and no others."""

    def __init__(self, is_here: Callable[[Run], bool], store: str) -> None:
        self.sessions: dict[str, UnreadSession] = {}
        self.sources: dict[str, Source] = {}
        self.source: Source | None = None  # that is being looked at
        self.hosts = Counter[tuple[bool, str]]()  # whether of the project here, and the host
        self.is_here = is_here
        self.agreed: dict[str, str] = {}  # those that a person let somebody read
        self.going = ""  # how far a reading in the background has come: two would ask at once
        self.left: dict[str, Left] = {}  # what each session here left, for the looks at the whole
        # the file that there was when the look began: whoever leaves meanwhile takes it away
        self.store = store if os.path.exists(store) else ""

    def met(self, run: Run) -> None:
        """One of them."""
        assert self.source is not None
        here = self.is_here(run)
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
    sources: Sequence[Source], cli: Cli, args: Asked, since: str, homes: Homes, chosen: _Chosen
) -> Lookback:
    wanted = (args.project_filter or args.project or "").lower()

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

    found = report.look_back(
        sources,
        read,
        listed=LISTED_ELSEWHERE,  # a lesson costs what all of its problems do, however few are shown
        home_of=homes,
        since=since,
        wanted=(lambda home: wanted in f"{home.name}\n{home.path}".lower()) if wanted else None,
        progress=tell,
        lines_of=lambda home: lines_of(homes.root(home)) if homes.root(home) else {},
        known_of=known_here(cli, args),
        met=chosen.met,
    )
    cli.progress()
    return found


# -- telling ---------------------------------------------------------------------------------------


def _screen(found: Lookback, cli: Cli, here: str) -> list[str]:
    """What a person asks first comes first: what did you learn? Then what came back, and what they can mend."""
    count = found.count
    span = f", {words.days(found.first_at, found.last_at)}" if found.first_at else ""
    sessions = (
        f"{numbered(count.sessions, 'session')} of {numbered(len(found.projects), 'project')}"
    )
    failures = f"{numbered(count.failures, 'failure')}, each counted once a session"
    calls = f" ({words.calls_words(found)})" if found.tool_calls else ""
    return [
        *_wrapped(f"Looked back at {sessions}{span}: {failures}{calls}."),
        *_lessons(found, cli, here),
        *_untaught(found, cli, here),
        *_for_you(found, cli),
    ]


def _next(cli: Cli, host: str, connected: bool, learned: bool) -> list[str]:
    look, learn = "the lessons on one screen, to keep or drop", "take them in, to keep or drop"
    hear, connect = "what your agent hears, and when", "from the next session on, in the prompt"
    steps = [
        ("tacit", look) if learned else ("tacit learn", learn),
        ("tacit inject", hear) if connected else (f"tacit connect {host}", connect),
    ]
    said = [f"{paint(cli, 'bold', line)}{' ' * (30 - len(line))}{what}" for line, what in steps]
    return [f"\nNext: {said[0]}", f"      {said[1]}"]


def _lessons(found: Lookback, cli: Cli, here: str) -> list[str]:
    """What is kept by now, and what the next session of each project would be told beside it: of the one here first, the costly first."""
    lessons = sorted(words.lesson_lines(found), key=lambda each: each.project != here)
    kept = [each for each in found.projects if each.stands]
    lines: list[str] = []
    if kept:
        lines += ["", paint(cli, "bold", "Kept by now: tacit shows them, to keep or drop")]
        for each in sorted(kept, key=lambda each: each.name != here):
            lines += _item(cli, f"{one_line(each.name, 30)}: {each.stands}")
    if not lessons:
        none = "No lesson without a reader: it takes two sessions that got over a failure by the same command, or your own *always*."
        return lines or ["", none]
    more = f", {LISTED} of {len(lessons)}" if len(lessons) > LISTED else ""
    both = lessons[0].project == here and len(found.projects) > 1
    order = f"{'here' if both else 'the costly'} first{more}"
    title = f"What these sessions teach{' beside that' if kept else ''} without a reader ({order})"
    lines += ["", paint(cli, "bold", title)]
    for each in lessons[:LISTED]:
        below = f"{_of(found, each.project)}{words.cost_words(each)}"
        lines += _item(cli, each.text, below, "good")
    return lines


def _item(cli: Cli, said: str, below: str = "", tone: str = "plain") -> list[str]:
    """One of a list, and quietly below it what it cost."""
    first, *rest = [paint(cli, tone, line) for line in _wrapped(said, 4)]
    quiet = (paint(cli, "quiet", line) for line in _wrapped(below, 4)) if below else ()
    return [f"  - {first}", *(f"    {line}" for line in (*rest, *quiet))]


def _untaught(found: Lookback, cli: Cli, here: str) -> list[str]:
    """What came back again and again and has no lesson that would be told: of the project here first."""
    taught = {each.text for each in words.lesson_lines(found)}
    problems = [
        each
        for each in sorted(found.problems, key=lambda each: each.project != here)
        if not (each.known or each.lesson in taught)
        and each.repeated >= _UNTAUGHT
        and each.nature not in OF_NO_LESSON
    ][:LISTED]
    lines = ["", paint(cli, "bold", "What came back and has no lesson yet")] if problems else []
    for each in problems:
        took = f", typically {spent}" if (spent := words.spent_words(each.typical)) else ""
        below = f"{_of(found, each.project)}met in {numbered(each.sessions, 'session')}{took}"
        lines += _item(cli, one_line(each.label, 200), below)
    return lines


def _for_you(found: Lookback, cli: Cli) -> list[str]:
    """What only the person is told: instruction files that are wrong, and what fails without a way out."""
    some = [(each.name, told) for each in found.projects for told in each.for_you]
    if not some:
        return []
    after = "" if all(p.stands for p in found.projects if p.for_you) else "after tacit learn, "
    title = f"For you: {after}tacit review lists them, tacit keep N or drop N answers"
    lines = [line for name, said in some[:LISTED] for line in _item(cli, _of(found, name) + said)]
    return ["", paint(cli, "wait", title), *lines]


def _of(found: Lookback, project: str) -> str:
    """Which project a line is about, where there are several."""
    return f"{one_line(project, 30)}: " if len(found.projects) > 1 else ""


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
