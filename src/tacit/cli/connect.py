"""connect: let a host's agents remember, from their next session on, and no trace of it after `--undo`.

The host's settings are somebody else's file. Our entries are put into its JSON, and everything else it says stays.
What the file held before is kept in the data folder, so that `--undo` gives exactly that back where nothing else
has changed it since. A file that cannot be read as the host reads it, or that its owner made read-only, is left alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tacit.cli.control import told_of_control
from tacit.cli.page import HostOrPage, is_page, kept_page
from tacit.cli.past import offer
from tacit.cli.reading import (
    agreed_later,
    nobody_reads,
    offer_lines,
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
from tacit.core.value import value
from tacit.hooks.place import settings
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
from tacit.place.identity import GIT_SETTING, locate
from tacit.reading.record import left_by
from tacit.screens.past import keeping, transcripts


@value
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
  tacit connect codex --learn-days 7 --yes
  tacit connect gemini --shared --dry-run
  tacit connect claude-code --undo
  tacit connect AGENTS.md     keep a block of lessons there; not a byte outside of it changes
  tacit connect --list
  tacit connect --all --yes""",
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
@opt("--all", "every", is_flag=True, help="every host that is on this machine")
@opt(
    "--list", "listed", is_flag=True, help="the hosts on this machine, and where they are connected"
)
@opt("--dry-run", is_flag=True, help="show what would change, change nothing")
@opt("--undo", is_flag=True, help="take our entries out again")
@opt("--rules", is_flag=True, help="cursor: also a rule in this project that tells of the notes")
@opt(
    "--learn-days",
    type=int,
    metavar="N",
    help="learn the sessions of the last N days now (asks first)",
)
@opt("--no-learn", is_flag=True, help="do not offer to learn past sessions")
@opt(
    "--read/--no-read",
    default=None,
    help=(
        "have sessions read by a model, past ones now and later ones as they end; or nobody "
        "reads, and nobody asks again"
    ),
)
@opt(
    "--no-control",
    "all_given",
    is_flag=True,
    help="leave nothing out to measure it: every session gets its lessons",
)
def connect_verb(args: Asked, cli: Cli) -> Answer:
    return _one(args, cli)


def _one(args: Asked, cli: Cli) -> Answer:
    if sys.platform == "win32":
        raise Refused(
            "tacit connect: Windows is not supported.",
            "Use it inside WSL, with the host that runs there.",
        )
    place = locate(os.getcwd(), cli.env)
    if args.listed:
        return _list(place.root, cli.env, _unread(args, cli))
    if args.every:
        return _every(args, cli)
    if is_page(args.host or ""):
        return kept_page(args, cli)
    if args.host is None:
        raise UsageError(
            "tacit connect: which host?",
            f"One of {', '.join(HOSTS)}; tacit connect --list shows those on this machine.",
        )
    host = host_named(args.host)
    if args.rules and host.rule is None:
        ruled = [name for name, each in every_host().items() if each.rule]
        raise UsageError(
            f"tacit connect: --rules is for {', '.join(ruled)}.",
            f"tacit connect {ruled[0]} --rules",
        )
    level = "user" if args.user else "shared" if args.shared else ""
    file = settings_path(host, place.root, cli.env, level)
    plans = [_hooks_plan(host, file, cli.env, args.store or "", shared=args.shared)]
    if host.rule is not None and (args.rules or args.undo):
        path, rule = os.path.join(place.root, *host.rule[0]), host.rule[1]
        plans.append(
            _plan(path, cli.env, lambda _: rule, lambda text: "" if text == rule else text)
        )
    if (decides := _decides(args)) and not args.dry_run:
        cli.need_person(args, decides)
    if args.undo:
        return _undo(args, plans)
    if args.dry_run:
        data = {
            "settings": plans[0].file.named,
            "changed": any(plan.changes for plan in plans),
            "dry_run": True,
        }
        shown = [difference(plan.file, plan.text) for plan in plans]
        return Answer(data, "\n".join([_would(host, plans), "", *shown]))
    changing = [plan for plan in plans if plan.changes]
    asks = changing and not args.yes and cli.can_ask
    if asks and not cli.put(f"{_would(host, changing)} Write it? [y/N] "):
        data = {"settings": plans[0].file.named, "changed": False}
        return Answer(data, "nothing was written")
    return _write(
        args, cli, host, plans, everywhere=level == "user" or (level == "" and not host.local)
    )


def _would(host: Host, plans: Sequence[_Plan]) -> str:
    """What connecting does to the host's files, in a sentence."""
    paths = " and ".join(plan.file.named for plan in plans if plan.changes)
    if not paths:
        return f"{host.title} is connected; nothing would be written."
    return (
        f"{host.title} will call Tacit at its own moments: our entries are added to {paths}, all else"
        " in it stays, and a copy is kept for --undo."
    )


def _decides(args: Asked) -> str:
    """What of it only a person may say; empty where a script may connect like this."""
    if args.undo:
        return "Disconnecting a host"
    if args.read is not None:
        return "Having sessions read by a model, or not read,"
    return "Leaving nothing out to measure it" if args.all_given else ""


def _every(args: Asked, cli: Cli) -> Answer:
    """Connect, or disconnect, each host that is here; one that cannot be is named, and the others are done all the same."""
    if args.host is not None or args.rules:
        raise UsageError(
            "tacit connect --all: it takes no host.", "tacit connect --all, or one host by name."
        )
    here = [name for name, host in every_host().items() if is_here(host, cli.env)]
    if not here:
        return Answer({"hosts": {}}, f"none of {', '.join(HOSTS)} is on this machine")
    told: list[str] = []
    found: dict[str, Any] = {}
    notes: list[str] = []
    for name in here:
        try:
            one = _one(Asked(**{**vars(args), "every": False, "host": name}), cli)
        except TacitError as error:
            found[name] = {"error": error.message}
            notes.append(f"{name}: {error.message} {error.hint}".strip())
            continue
        found[name] = one.data
        told.append(f"{host_named(name).title}\n{one.text}")
        notes += one.warnings
    return Answer(
        {"hosts": found},
        "\n\n".join(told),
        warnings=list(dict.fromkeys(notes)),
        code=0 if told else 1,
    )


def _write(args: Asked, cli: Cli, host: Host, plans: list[_Plan], *, everywhere: bool) -> Answer:
    changing = [plan for plan in plans if plan.changes]
    for plan in changing:
        check_writable(plan.file)
    with cli.open(args) as memories:
        project = None if everywhere else memories.ensure_project()
        for plan in changing:
            plan.kept.keep(plan.base, plan.text, write_settings(plan.file, plan.text))
        _make_ready(memories)
        learned, past = _past(args, cli, memories, host, everywhere)
        control = (
            told_of_control(memories, args.all_given, host.name) if project is not None else ""
        )
        fired = fire(host, memories.store, memories.place.root or os.getcwd(), cli.env)
        learned_how = _learned_how(memories, host.name)
    path = plans[0].file.named
    lines = [
        f"connected: {plan.file.named}" if plan.changes else f"connected already: {plan.file.named}"
        for plan in plans
    ]
    if project is not None:
        asked = ask_git(memories.place.root, "config", "--get", GIT_SETTING)
        kept = (
            f"; git config {GIT_SETTING} keeps it"
            if asked is not None and asked.returncode == 0
            else ""
        )
        lines.append(f"project {project.name} ({project.id}{kept})")
    lines += [line for line in (*past, control, host.told) if line]
    lines += self_test_lines(fired)
    lines += [
        f"From the next session on lessons are given and sessions are {learned_how}.",
        "What your agent hears, and when: tacit inject",
        _how_to_end(args, cli, host.name),
    ]
    if not (everywhere or args.shared or _is_untracked_on_purpose(path)):
        lines.append(
            f"git does not ignore {os.path.basename(path)}, which is yours alone: add it to .gitignore"
        )
    data = {
        "settings": path,
        "changed": bool(changing),
        "project": project.id if project else None,
        "learn": learned,
    }
    data["self_test"] = self_test_json(fired)
    notes = []
    if host.plugin is None and parsed(plans[0].text, path).get("disableAllHooks") is True:
        notes.append(f"{path} sets disableAllHooks: the host will not call us until that is gone")
    if host.comments and without_comments(plans[0].base.text) != plans[0].base.text:
        notes.append(f"{path} had comments, which are gone from it; --undo brings them back")
    return Answer(data, "\n".join(lines), warnings=notes)


def _learned_how(memories: Memories, host: str) -> str:
    by, hosts = (memories.settings()[f"reader.{name}"].value for name in ("by", "hosts"))
    reads = by not in ("", NOBODY) and (by in (host, "model") or host in hosts or "*" in hosts)
    return (
        "read as they end"
        if reads
        else "learned by rules, which costs nothing; no model reads them"
    )


def _how_to_end(args: Asked, cli: Cli, host: str) -> str:
    """Said by the rule that `--undo` goes by: what to type here, now."""
    who = acting(cli.env, args.by or "", args.yes)
    told = f"tacit connect {host} --undo ends it"
    return (
        f"{told}."
        if who.is_person
        else f"{told}; an agent may not switch its memory off. {who.how}"
    )


def _hooks_plan(
    host: Host, path: str, env: Mapping[str, str], store: str, *, shared: bool = False
) -> _Plan:
    # What is committed names the program by its name: everybody has it somewhere else, and who has none is not disturbed.
    start = ("tacit", list[str]()) if shared else command(env)
    if host.plugin is not None:
        text = plugin_text(start, host, store)
        return _plan(
            path, env, lambda _: text, lambda there: "" if is_our_plugin(there, host) else there
        )

    def put_in(text: str) -> str:
        return with_entries(
            text, registration(start, host, store), path, comments=host.comments, frame=host.frame
        )

    return _plan(
        path, env, put_in, lambda text: without_entries(text, path, comments=host.comments)
    )


def _plan(
    path: str, env: Mapping[str, str], put_in: Callable[[str], str], without: Callable[[str], str]
) -> _Plan:
    file = read_settings(path)
    kept = FormerSettings(env, file.path)
    base = kept.original(file, without)
    return _Plan(file, base, put_in(base.text), kept)


def _past(
    args: Asked, cli: Cli, memories: Memories, host: Host, everywhere: bool
) -> tuple[dict[str, Any], list[str]]:
    """Offer to have past sessions read, with what that brings and costs, else to learn them by rules. Data, and lines for people."""
    settings, path = memories.settings(), config_path(cli.env)
    read_by = host.name in readers_known() or "*" in settings["reader.hosts"].value or args.read
    reader = reader_here(settings, cli.env) if read_by else None
    days = int(settings["learn_days"].value) if args.learn_days is None else args.learn_days
    home = (
        memories
        if everywhere
        else Memories(memories.store, cli.env, memories.place.root, memories.project_id)
    )
    past = []
    if host.name in keeping():
        past = transcripts(
            home.place,
            cli.env,
            host.name,
            days,
            everywhere=everywhere,
            was=learning.was_at(home),
        )
    lines: list[str] = []
    by, going = (
        str(settings["reader.by"].value),
        "" if args.read is False else progress_words(memories),
    )
    if args.read is False:
        remember(path, NOBODY)
        lines.append(f"no model reads your sessions; reader.by in {path} says so")
    elif reader is None and args.read:
        lines.append(nobody_reads(cli.env))
    elif reader is not None and (args.read or by != NOBODY):
        runs = [(run, source) for source in past for run in _runs_in(source, host.name)]
        chosen = {run.id: (session_of(run), source) for run, source in runs}
        left = {run.id: left_by(run) for run, _ in runs if not run.foreign}
        sessions = [session for session, _ in chosen.values()]
        # What is being read already is nothing to speak of.
        plan = None if going else plan_of(unread(home, sessions), reader)
        wanted = bool(args.read)
        if args.read:
            remember(path, reader.by)
        if args.read or agreed_later(cli, reader, settings, host.name, sessions):
            lines.append(
                f"finished sessions are read by {reader.title}; reader.by in {path} says so"
            )
        if plan is not None and wanted and not args.no_learn:
            cli.env = with_room(cli.env, plan, settings)
            with cli.open(args) as reading:
                said = read_chosen(
                    cli,
                    reading,
                    plan,
                    {id: source for id, (_, source) in chosen.items()},
                    left={} if everywhere else left,
                )
            lines += [*told(said).splitlines()]
        elif plan is not None:
            lines.append(f"{plan.sentence} Do it: tacit lookback --read")
    if going:
        return {}, [*lines, going]
    if args.no_learn or days <= 0:
        return {}, lines
    data, learned = offer(cli, home, host.name, days, everywhere=everywhere, yes=args.yes)
    return data, [
        *lines,
        learned,
        *(offer_lines(cli, home) if reader is None and args.read is None else ()),
    ]


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
    told = [f"disconnected: {plan.file.named}" for plan in plans if _taken_out(plan)]
    stays = (
        "what was learned stays; tacit list shows it"
        if told
        else f"nothing of ours stands in {path}"
    )
    return Answer(data, "\n".join([*told, stays]))


def _taken_out(plan: _Plan) -> bool:
    """Give a file back as it was without us; whether that changed it."""
    if plan.is_ours:
        write_settings(
            plan.file, plan.base.text if plan.base.exists else None, plan.kept.made_folders
        )
    plan.kept.drop()
    return plan.is_ours


def disconnected(host: Host, path: str, env: Mapping[str, str]) -> bool:
    """Take our entries out of one settings file of a host; whether there were any."""
    return _taken_out(_hooks_plan(host, path, env, ""))


def hosts_in(path: str, env: Mapping[str, str]) -> list[Host]:
    """The hosts in whose settings file of this name we stand."""
    name = os.path.basename(path)
    named = [
        host
        for host in every_host().values()
        if name in map(os.path.basename, _settings_of(host, "", env))
    ]
    return [host for host in named if _stands_in(host, path)]


def _make_ready(memories: Memories) -> None:
    """What the first hook would otherwise wait for."""
    compile_bytecode()
    settings(memories.store, memories.project_id, memories.place.root, memories.env)


def _is_untracked_on_purpose(path: str) -> bool:
    """Whether git would leave the file out; also where there is no git to ask."""
    asked = ask_git(os.path.dirname(os.path.dirname(path)), "check-ignore", "-q", path)
    return asked is None or asked.returncode != 1


# -- which hosts --------------------------------------------------------------------------------------------------------


def _unread(args: Asked, cli: Cli) -> list[str]:
    """Hosts whose sessions may not have been read right; nothing where there is no store to ask."""
    try:
        with cli.open(args, create=False) as memories:
            return readers.unread(memories)
    except TacitError:
        return []


def _list(root: str, env: Mapping[str, str], unread: list[str]) -> Answer:
    """The hosts we know, which of them are here, and in which of their files we stand."""
    rows, shown, notes = [], [], list(unread)
    for host in every_host().values():
        connected, here = connected_in(host, root, env), is_here(host, env)
        told = cautions(host, connected, root, env)
        rows.append(
            {
                "host": host.name,
                "title": host.title,
                "here": here,
                "connected": connected,
                "cautions": told,
            }
        )
        shown.append([host.name, host.title, "yes" if here else "no", ", ".join(connected) or "-"])
        notes += told
    return Answer(
        {"hosts": rows, "unread": unread},
        table(shown, ("host", "", "here", "connected")),
        warnings=notes,
    )


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
