"""sync: one memory for a team, through the repository it already has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.cli.settings_file import set_keys
from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import WIDEST, hung
from tacit.core.address import without_password
from tacit.core.errors import Refused, Unavailable, UsageError, numbered
from tacit.opened import config_path
from tacit.place.git import ask_git
from tacit.safety.files import PAGE_LIMIT, read_plain
from tacit.screens.selection import shelf_of
from tacit.settings import settings_at
from tacit.sync import team

if TYPE_CHECKING:
    from tacit.sync import Synced
    from tacit.sync.shelf import Told

_SIGNER_LINE = re.compile(
    r"(\S+)\s+((?:sk-)?(?:ssh-|ecdsa-)[\w@.-]+)\s+([A-Za-z0-9+/]{40,}={0,3})(?:\s.*)?"
)


@verb(
    "sync",
    "share this project's lessons with the team by git or a server",
    end="""Reads every file in .tacit and appends to this machine's own; git carries them. The first time it says what it would write
where and asks; --yes says yes from a script.

examples:
  tacit sync --setup
  tacit sync --allow 'bob@example.org ssh-ed25519 AAAA…'
  git pull && tacit sync && git add .tacit && git commit -m 'Lessons' && git push
  git checkout their-branch && tacit sync --preview""",
    long=True,
)
@arg(
    "server",
    metavar="SERVER",
    required=False,
    help="postgresql://LOGIN@HOST/DATABASE: through this server from now on, by the worker",
)
@opt("--owner", metavar="LOGIN", help="join the project of this repository that LOGIN owns there")
@opt("--invite", metavar="LOGIN", help="admit LOGIN to your project on its server")
@opt("--preview", is_flag=True, help="say what .tacit would change here; change nothing")
@opt("--auto", type=OneOf(("on", "off")), help="write what is new at each session's end, too")
@opt(
    "--setup",
    metavar="KEY",
    is_flag=False,
    flag_value="",
    help="sign with this SSH key (default: yours, else a new one), and say what the others type",
)
@opt(
    "--allow", metavar="'NAME KEY'", help="take in what this mate signs: the line of their --setup"
)
def sync_verb(args: Asked, cli: Cli) -> Answer:
    if args.setup is not None or args.allow:
        return _set_up(args, cli)
    with cli.open(args) as memories:
        if args.preview:
            done = memories.sync(dry_run=True)
            return Answer(_json(done), _text(done), warnings=_notes(done))
        if args.invite:
            team.invite(memories, args.invite)
            told = f"{args.invite} may join now: tacit sync ADDRESS --owner YOU"
            return Answer({"invited": args.invite}, told)
        here = team.sharing(memories)
        if args.server and here["with"] != args.server:
            if not _may_begin(args, cli, here, args.server):
                return Answer({"shared": False, **here}, "nothing was sent")
            team.join(memories, args.server, args.owner or "")
            here = team.sharing(memories)
        if not here["with"] and not _may_begin(args, cli, here):
            told = f"nothing was written; {_offer(here)}"
            return Answer({"shared": False, **here}, told)
        if not here["with"] or args.auto is not None:
            auto = here["auto"] if args.auto is None else args.auto == "on"
            team.share_with(memories, here["with"] or "git", auto=auto)
        done = memories.sync()
    return Answer(_json(done), _text(done), warnings=_notes(done))


def _may_begin(args: Asked, cli: Cli, here: Mapping[str, Any], server: str = "") -> bool:
    """A person's yes to the first lines of a project that leave this machine's memory."""
    cli.need_person(args, "Sharing a project's lessons")
    if args.yes:
        return True
    offer = _offer(here, without_password(server))
    if not cli.can_ask:
        raise Refused(f"Sharing was not asked for yet: {offer}", "tacit sync --yes says yes to it.")
    return cli.ask(f"{offer}\nWrite it? [y/N] ")


def _offer(here: Mapping[str, Any], server: str = "") -> str:
    """What the first sync would write, where, under whose signature, and who could read it."""
    signs = f"signed as {here['signs_as'] or here['key']}" if here["key"] else "signed by nobody"
    these = f"{numbered(here['lessons'], 'lesson')} of this project would be"
    if server:
        lines = [
            f"{these} sent to {server}, {signs}.",
            "Whoever the project's owner admits there can read them, and so can the server's keeper.",
        ]
    else:
        remote = ask_git(here["root"], "config", "--get", "remote.origin.url")
        at = remote.stdout.strip() if remote is not None else ""
        who = without_password(at) if at else "the repository"
        lines = [
            f"{these} written to {here['file']} in {here['root']}, {signs}; how git merges it, to"
            " .tacit/.gitattributes.",
            f"Whoever can read {who} can read them once you commit and push; Tacit does neither.",
        ]
    if here["private"]:
        heard = numbered(here["private"], "lesson that was", "lessons that were")
        lines.append(f"{heard} only heard from you stay here (tacit keep shares one).")
    if not here["key"]:
        lines.append("Unsigned, they wait at everybody else's for a person: tacit sync --setup")
    return "\n".join(lines)


def _json(done: Synced) -> dict[str, Any]:
    at = dict(done.__dict__)
    at["seen"] = [dict(each.__dict__) for each in done.seen]
    at["unread"] = [{"machine": machine, "reason": why} for machine, why in done.unread]
    return {**at, "unsigned": dict(done.unsigned), "missing": dict(done.missing)}


def _set_up(args: Asked, cli: Cli) -> Answer:
    """Whose signature this machine gives, and whose it takes: the user's own configuration, never the repository's."""
    cli.need_person(args, "Whose signature counts")
    config = config_path(cli.env)
    settings = settings_at("", config, cli.env).by_key
    mine, named = str(settings["sync.key"].value), str(settings["sync.signers"].value)
    signers = named or os.path.join(os.path.dirname(config), "signers")
    new = {} if named else {"signers": signers}
    if args.allow:
        line = _team_key(args.allow)
        told = [f"allowed: what {line.split()[0]} signs is taken in"]
    else:
        key = args.setup or mine or _own_key(cli.env)
        line = f"{_own_name(cli.env)} {_public_half(key)}"
        new |= {} if mine == key else {"key": key}
        told = [
            f"lessons are signed as {line.split()[0]} with {key}",
            "Each of the others types, once:",
            f"  tacit sync --allow '{line}'",
            "Then: tacit sync",
        ]
    if new:
        set_keys(config, "sync", new)
    _allow(os.path.expanduser(signers), line)
    return Answer({"signers": signers, "line": line, **new}, "\n".join(told))


def _text(done: Synced) -> str:
    lines = []
    for each in done.seen:
        shelf = shelf_of(each.state, "hold" if each.what == "held" else "allow")
        lines.append(f"{each.what}  {each.lesson}  {shelf}  {_who(each)}")
        lines += hung("  ", each.text, WIDEST)
        lines += hung("  ", f"was: {each.was}", WIDEST) if each.was else []
    if done.dry_run:
        told = f"lines of others that would be taken in: {done.taken}; nothing was changed"
        return "\n".join([*lines, told])
    told = f"lines told: {done.sent}, taken in: {done.taken}; machines that write here: {done.machines}"
    return "\n".join([*lines, told + ("" if done.signed else "; nothing was signed")])


def _who(each: Told) -> str:
    by = each.by or "-"
    if not each.signer:
        return f"{by} (not signed by anyone you allow)"
    return by if by == each.signer else f"{by} (signed: {each.signer})"


def _notes(done: Synced) -> list[str]:
    notes = list(done.doubts)
    if any(each.what == "held" for each in done.seen):
        notes.append("held lessons are given to nobody until a person approves them: tacit review")
    if done.asked:
        notes.append(
            f"questions about what others said of your own words: {done.asked} (tacit review)"
        )
    if not done.signed and not done.dry_run:
        notes.append(
            f"{done.why_unsigned}: others hold what you share until they approve it"
            " (docs/howto/teams-git.md)"
        )
    return notes


# -- signatures: one's own key, and the file of those whose lines count here. Both are the user's own ------------------


def _own_key(env: Mapping[str, str]) -> str:
    """The SSH key that this person has, else a new one without a passphrase."""
    folder = os.path.join(env.get("HOME", ""), ".ssh")
    for name in ("tacit", "id_ed25519"):
        if os.path.isfile(os.path.join(folder, f"{name}.pub")):
            return os.path.join(folder, name)
    path = os.path.join(folder, "tacit")
    if shutil.which("ssh-keygen", path=env.get("PATH")) is None:
        none = "There is no SSH key here, and no ssh-keygen to make one."
        raise Unavailable(none, "Install OpenSSH's client.")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "tacit", "-f", path]
    quiet = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    made = subprocess.run(argv, env=dict(env), **quiet)  # type: ignore[call-overload]
    if made.returncode:
        why = f"No key could be made: {made.stderr.strip()[:200]}."
        raise Unavailable(why, "Name one: tacit sync --setup KEY")
    return path


def _public_half(key: str) -> str:
    """Type and key of a public half, as a signers file has them."""
    path = os.path.expanduser(key).removesuffix(".pub") + ".pub"
    try:
        text = read_plain(path, PAGE_LIMIT).decode("utf-8", "replace")
    except OSError as error:
        why = f"The public half of {key} cannot be read: {error.strerror}."
        raise UsageError(why, "tacit sync --setup KEY") from None
    return " ".join(_team_key(f"x {text.strip()}").split()[1:])


def _own_name(env: Mapping[str, str]) -> str:
    """By what name team mates know one: the address that git commits with, else the login."""
    asked = ask_git(os.getcwd(), "config", "user.email")
    said = asked.stdout.strip() if asked is not None else ""
    return said if said and not re.search(r"\s", said) else env.get("USER") or "me"


def _team_key(line: str) -> str:
    """A line of a signers file, checked and without its comment."""
    found = _SIGNER_LINE.fullmatch(line.strip())
    if found is None or any(each in found[1] for each in "*?,!"):
        raise UsageError(
            f"{line[:60]!r} is no name with a public key.",
            "tacit sync --allow 'bob@example.org ssh-ed25519 AAAA…'",
        )
    return f"{found[1]} {found[2]} {found[3]}"


def _allow(path: str, line: str) -> None:
    """Add a line to the signers file, once; a name keeps its key until somebody takes the old line out."""
    try:
        text = read_plain(path, PAGE_LIMIT).decode("utf-8", "replace")
    except FileNotFoundError:
        text = ""
    name, *key = line.split()
    for each in text.splitlines():
        known = each.split()
        if known[:1] == [name] and known[1:3] != key:
            raise Refused(
                f"{path} has another key for {name}.",
                "Take its line out first, if the old one is gone.",
            )
        if known[:3] == [name, *key]:
            return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write(("" if not text or text.endswith("\n") else "\n") + line + "\n")
