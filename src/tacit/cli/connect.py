"""connect: let a host's agents remember, from their next session on, and no trace of it after `--undo`.

The host's settings are somebody else's file. Our entries are put into its JSON, and everything else
it says stays. What the file held before is kept in the data folder, so that `--undo` gives exactly
that back where nothing else has changed it since.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tacit.cli.control import told_of_control
from tacit.cli.page import HostOrPage, is_page, kept_page
from tacit.cli.reading import (
    Plan,
    agreed_later,
    nobody_reads,
    plan_of,
    progress_words,
    read_chosen,
    reader_here,
    remember,
    session_of,
    told,
    unread,
    with_room,
)
from tacit.cli.self_test import fire, self_test_json, self_test_lines
from tacit.cli.settings_file import (
    FormerSettings,
    Settings,
    check_writable,
    difference,
    read_settings,
    write_settings,
)
from tacit.cli.setup import compile_bytecode
from tacit.cli.verb import Answer, Asked, Cli, arg, opt, verb
from tacit.cli.words import table
from tacit.core.errors import Refused, TacitError, UsageError
from tacit.core.run import Run
from tacit.hooks.place import settings as hooks_settings
from tacit.hosts import HOSTS, every_host, formats
from tacit.hosts import host as host_named
from tacit.hosts import readers as readers_known
from tacit.hosts.entries import (
    is_ours,
    our_hooks,
    parsed,
    with_entries,
    without_comments,
    without_entries,
)
from tacit.hosts.registration import (
    Host,
    cautions,
    command,
    is_here,
    is_our_plugin,
    plugin_text,
    registration,
    settings_path,
)
from tacit.hosts.source import Source
from tacit.learn import learning, readers
from tacit.learn.learning import NOBODY
from tacit.memory import Memory as Memories
from tacit.opened import acting, config_path
from tacit.place.git import ask_git
from tacit.place.identity import locate
from tacit.reading.record import left_by
from tacit.screens.past import keeping, transcripts

PAST_DAYS = 30  # whose sessions say what reading one costs


@dataclass(frozen=True)
class _Plan:
    """One file of a host's, as it is and as it shall be."""

    file: Settings
    base: Settings  # without us
    text: str  # with us
    kept: FormerSettings

    @property
    def changes(self) -> bool:
        """Whether connecting changes it."""
        return self.text != self.file.text or not self.file.exists

    @property
    def is_ours(self) -> bool:
        """Whether disconnecting does."""
        return self.base.text != self.file.text or self.base.exists != self.file.exists


@verb(
    "connect",
    "let a host's agents remember (claude-code, codex …)",
    end="""Without --user or --shared: for you alone. With Claude Code in this project (.claude/settings.local.json), with the
others, which have no such file, in all your projects. A script may connect; --undo, --read and
--no-control are a person's word: at a terminal, or with --by NAME --yes.

examples:
  tacit connect claude-code
  tacit connect gemini --shared --dry-run
  tacit connect claude-code --undo
  tacit connect AGENTS.md     keep a block of lessons there; not a byte outside of it changes
  tacit connect --list""",
    long=True,
)
@arg(
    "host",
    type=HostOrPage(HOSTS),
    metavar="HOST|FILE",
    required=False,
    help=f"one of {', '.join(HOSTS)}; or a file that agents load: AGENTS.md",
)
@opt("--user", is_flag=True, help="all your projects: the settings in your home")
@opt(
    "--shared",
    is_flag=True,
    apart_from="--user",
    help="this project, for everybody: the settings in its folder",
)
@opt("--list", "listed", is_flag=True, help="the hosts here, and where they are connected")
@opt("--dry-run", is_flag=True, help="show what would change, change nothing")
@opt("--undo", is_flag=True, help="take our entries out again")
@opt("--rules", is_flag=True, help="cursor: also a rule in this project that tells of the notes")
@opt(
    "--read/--no-read",
    default=None,
    help="have sessions read by a model, past ones now, later ones as they end; or nobody reads",
)
@opt(
    "--no-control",
    "all_given",
    is_flag=True,
    help="leave nothing out to measure it: every session gets its lessons",
)
def connect_verb(args: Asked, cli: Cli) -> Answer:
    if sys.platform == "win32":
        own = "Use it inside WSL, with the host that runs there."
        raise Refused("tacit connect: Windows is not supported.", own)
    root = locate(os.getcwd(), cli.env).root
    if args.listed:
        return _list(root, cli.env, _unread(args, cli))
    if is_page(args.host or ""):
        return kept_page(args, cli)
    if args.host is None:
        which = f"One of {', '.join(HOSTS)}; tacit connect --list shows those on this machine."
        raise UsageError("tacit connect: which host?", which)
    host = host_named(args.host)
    if args.rules and host.rule is None:
        raise UsageError(f"tacit connect: --rules is not for {host.name}.", "tacit help connect")
    level = "user" if args.user else "shared" if args.shared else ""
    file = settings_path(host, root, cli.env, level)
    plans = [_hooks_plan(host, file, cli.env, args.store or "", shared=args.shared)]
    if host.rule is not None and (args.rules or args.undo):
        path, rule = os.path.join(root, *host.rule[0]), host.rule[1]
        plans.append(_plan(path, cli.env, lambda _: rule, lambda now: "" if now == rule else now))
    if (decides := _decides(args)) and not args.dry_run:
        cli.need_person(args, decides)
    if args.undo:
        return _undo(args, plans)
    data: dict[str, Any] = {"settings": plans[0].file.named}
    changing = [plan for plan in plans if plan.changes]
    if args.dry_run:
        data |= {"changed": bool(changing), "dry_run": True}
        shown = [difference(plan.file, plan.text) for plan in plans]
        return Answer(data, "\n".join([_would(host, changing), "", *shown]))
    asks = changing and not args.yes and cli.can_ask
    if asks and not cli.put(f"{_would(host, changing)} Write it? [y/N] "):
        return Answer({**data, "changed": False}, "nothing was written")
    return _write(args, cli, host, plans, args.user or not (args.shared or host.local))


def _would(host: Host, plans: Sequence[_Plan]) -> str:
    """What connecting does to the host's files, in a sentence."""
    if not plans:
        return f"{host.title} is connected; nothing would be written."
    return (
        f"{host.title} will call Tacit at its own moments: our entries are added to"
        f" {' and '.join(plan.file.named for plan in plans)}, all else in it stays, and a copy is"
        " kept for --undo."
    )


def _decides(args: Asked) -> str:
    """What of it only a person may say; empty where a script may connect like this."""
    if args.undo:
        return "Disconnecting a host"
    if args.read is not None:
        return "Having sessions read by a model, or not read,"
    return "Leaving nothing out to measure it" if args.all_given else ""


def _write(args: Asked, cli: Cli, host: Host, plans: list[_Plan], everywhere: bool) -> Answer:
    changing = [plan for plan in plans if plan.changes]
    for plan in changing:
        check_writable(plan.file)
    with cli.open(args) as memories:
        project = None if everywhere else memories.ensure_project()
        for plan in changing:
            plan.kept.keep(plan.base, plan.text, write_settings(plan.file, plan.text))
        compile_bytecode()
        # what the first hook would otherwise wait for
        hooks_settings(memories.store, memories.project_id, memories.place.root, memories.env)
        lines = [
            f"{'connected' if plan.changes else 'connected already'}: {plan.file.named}"
            for plan in plans
        ]
        if project is not None:
            lines.append(f"project {project.name} ({project.id})")
        lines += _readers(args, cli, memories, host, everywhere)
        if project is not None:
            lines.append(told_of_control(memories, args.all_given, host.name))
        fired = fire(host, memories.store, memories.place.root or os.getcwd(), cli.env)
        learned_how = _learned_how(memories, host.name)
    path = plans[0].file.named
    lines += [host.told, *self_test_lines(fired)]
    lines += [
        f"From the next session on lessons are given and sessions are {learned_how}.",
        "What past sessions teach: tacit lookback. What your agent hears, and when: tacit inject",
        _how_to_end(args, cli, host.name),
    ]
    asked = ask_git(os.path.dirname(os.path.dirname(path)), "check-ignore", "-q", path)
    if not (everywhere or args.shared) and asked is not None and asked.returncode == 1:
        name = os.path.basename(path)
        lines.append(f"git does not ignore {name}, which is yours alone: add it to .gitignore")
    data = {"settings": path, "changed": bool(changing), "project": project.id if project else None}
    tree = parsed(plans[0].text, path) if host.plugin is None else {}
    off = f"{path} sets disableAllHooks: the host will not call us until that is gone"
    notes = [off] if tree.get("disableAllHooks") is True else []
    if host.comments and without_comments(plans[0].base.text) != plans[0].base.text:
        notes.append(f"{path} had comments, which are gone from it; --undo brings them back")
    text = "\n".join(line for line in lines if line)
    return Answer({**data, "self_test": self_test_json(fired)}, text, warnings=notes)


def _learned_how(memories: Memories, host: str) -> str:
    by, hosts = (memories.settings()[f"reader.{name}"].value for name in ("by", "hosts"))
    if by not in ("", NOBODY) and (by in (host, "model") or host in hosts or "*" in hosts):
        return "read as they end"
    return "learned by rules, which costs nothing; no model reads them"


def _how_to_end(args: Asked, cli: Cli, host: str) -> str:
    """Said by the rule that `--undo` goes by: what to type here, now."""
    who, told = acting(cli.env, args.by or "", args.yes), f"tacit connect {host} --undo ends it"
    if who.is_person:
        return f"{told}."
    return f"{told}; an agent may not switch its memory off. {who.how}"


def _hooks_plan(
    host: Host, path: str, env: Mapping[str, str], store: str, *, shared: bool = False
) -> _Plan:
    # what is committed names the program by its name: everybody has it somewhere else
    start = ("tacit", list[str]()) if shared else command(env)
    if host.plugin is not None:
        text = plugin_text(start, host, store)
        return _plan(path, env, lambda _: text, lambda at: "" if is_our_plugin(at, host) else at)
    entries, comments = registration(start, host, store), host.comments
    return _plan(
        path,
        env,
        lambda text: with_entries(text, entries, path, comments=comments, frame=host.frame),
        lambda text: without_entries(text, path, comments=comments),
    )


def _plan(
    path: str, env: Mapping[str, str], put_in: Callable[[str], str], without: Callable[[str], str]
) -> _Plan:
    file = read_settings(path)
    kept = FormerSettings(env, file.path)
    base = kept.original(file, without)
    return _Plan(file, base, put_in(base.text), kept)


def _readers(args: Asked, cli: Cli, memories: Memories, host: Host, everywhere: bool) -> list[str]:
    """Who reads this host's sessions as they end, asked with its price; and what reading the past ones would bring. Lines for people."""
    settings, path = memories.settings(), config_path(cli.env)
    if args.read is False:
        remember(path, NOBODY)
        return [f"no model reads your sessions; reader.by in {path} says so"]
    if not args.read and str(settings["reader.by"].value) == NOBODY:
        return []
    going = [going] if (going := progress_words(memories)) else []
    past = _past(memories, cli.env, host.name, everywhere)
    sessions = [session_of(run) for run, _ in past]
    may = host.name in readers_known() or "*" in settings["reader.hosts"].value or args.read
    reader = reader_here(settings, cli.env) if may else None
    if reader is None:
        return going or ([nobody_reads(sessions)] if past or args.read else [])
    if args.read:
        remember(path, reader.by)
    lines = []
    if args.read or agreed_later(cli, reader, settings, sessions):
        lines = [f"finished sessions are read by {reader.title}; reader.by in {path} says so"]
    plan = None if going else plan_of(unread(memories, sessions), reader)
    if plan is None:
        return [*lines, *going]
    if args.read and (args.yes or cli.ask(plan.question)):
        cli.env = with_room(cli.env, plan, settings)
        return [*lines, *_read_now(args, cli, plan, past, everywhere)]
    return [*lines, f"{plan.sentence} Do it: tacit lookback --read"]


def _read_now(
    args: Asked, cli: Cli, plan: Plan, past: Sequence[tuple[Run, Source]], everywhere: bool
) -> list[str]:
    """Read past sessions, as a look back does: what all of them say together is asked first."""
    sources = {run.id: source for run, source in past}
    left = {run.id: left_by(run) for run, _ in past if not (run.foreign or everywhere)}
    with cli.open(args) as memories:
        return told(read_chosen(cli, memories, plan, sources, left=left)).splitlines()


def _past(
    memories: Memories, env: Mapping[str, str], host: str, everywhere: bool
) -> list[tuple[Run, Source]]:
    """The sessions of this project of the last days, each with the file that holds it."""
    if host not in keeping():
        return []
    was = learning.was_at(memories)
    days = {"everywhere": everywhere, "was": was}
    found = transcripts(memories.place, env, host, PAST_DAYS, **days)
    return [(run, source) for source in found for run in _runs_in(source, host)]


def _runs_in(source: Source, host: str) -> list[Run]:
    try:
        return list(formats.read(source, host))
    except (TacitError, OSError):
        return []


def _undo(args: Asked, plans: list[_Plan]) -> Answer:
    path = plans[0].file.named
    data: dict[str, Any] = {"settings": path, "changed": any(plan.is_ours for plan in plans)}
    if args.dry_run:
        shown = (difference(plan.file, plan.base.text) for plan in plans)
        return Answer({**data, "dry_run": True}, "\n".join(shown))
    lines = [f"disconnected: {plan.file.named}" for plan in plans if _taken_out(plan)]
    learned = "what was learned stays; tacit list shows it"
    lines.append(learned if lines else f"nothing of ours stands in {path}")
    return Answer(data, "\n".join(lines))


def _taken_out(plan: _Plan) -> bool:
    """Give a file back as it was without us; whether that changed it."""
    if plan.is_ours:
        text = plan.base.text if plan.base.exists else None
        write_settings(plan.file, text, plan.kept.made_folders)
    plan.kept.drop()
    return plan.is_ours


def disconnected(host: Host, path: str, env: Mapping[str, str]) -> bool:
    """Take our entries out of one settings file of a host; whether there were any."""
    return _taken_out(_hooks_plan(host, path, env, ""))


def hosts_in(path: str, env: Mapping[str, str]) -> list[Host]:
    """The hosts in whose settings file of this name we stand."""
    name = os.path.basename(path)
    return [
        host
        for host in every_host().values()
        if name in map(os.path.basename, _settings_of(host, "", env)) and _stands_in(host, path)
    ]


# -- which hosts -----------------------------------------------------------------------------------


def _unread(args: Asked, cli: Cli) -> list[str]:
    """Hosts whose sessions may not have been read right; nothing where there is no store to ask."""
    found: list[str] = cli.here(args, lambda memories: readers.unread(memories), [])
    return found


def _list(root: str, env: Mapping[str, str], unread: list[str]) -> Answer:
    """The hosts we know, which of them are here, and in which of their files we stand."""
    rows, shown, notes = [], [], list(unread)
    for host in every_host().values():
        connected, here = connected_in(host, root, env), is_here(host, env)
        told = cautions(host, connected, root, env)
        known = {"host": host.name, "title": host.title, "here": here}
        rows.append({**known, "connected": connected, "cautions": told})
        shown.append([host.name, host.title, "yes" if here else "no", ", ".join(connected) or "-"])
        notes += told
    text = table(shown, ("host", "", "here", "connected"))
    return Answer({"hosts": rows, "unread": unread}, text, warnings=notes)


def connected_hosts(root: str, env: Mapping[str, str]) -> list[str]:
    """The hosts that are connected for a folder, by name."""
    return [host.name for host in every_host().values() if connected_in(host, root, env)]


def connected_in(host: Host, root: str, env: Mapping[str, str]) -> list[str]:
    """The settings of a host in which we stand."""
    found = []
    for path in _settings_of(host, root, env):
        with suppress(TacitError):  # `doctor` says which file cannot be read
            found += [path] if _stands_in(host, path) else []
    return found


def standing_notes(root: str, env: Mapping[str, str]) -> list[str]:
    """What keeps connected hosts from doing what they were connected for, and which of their files say nothing."""
    told = []
    for host in every_host().values():
        told += cautions(host, connected_in(host, root, env), root, env)
        for path in _settings_of(host, root, env):
            try:
                read_settings(path)
            except TacitError as error:
                told.append(error.message)
    return list(dict.fromkeys(told))


def _settings_of(host: Host, root: str, env: Mapping[str, str]) -> list[str]:
    levels = ("user", "shared", *([""] if host.local else []))
    return list(dict.fromkeys(settings_path(host, root, env, level) for level in levels))


def _stands_in(host: Host, path: str) -> bool:
    text = read_settings(path).text
    if host.plugin is not None:
        return is_our_plugin(text, host)
    tree = parsed(text, path, comments=host.comments)
    entries = [entry for listed in tree.get("hooks", {}).values() for entry in listed]
    return bool(our_hooks(tree)) or any(map(is_ours, entries))
