"""One memory for many, through git or a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from tacit.core.address import is_far, without_password
from tacit.core.clock import after_days
from tacit.core.errors import MissingExtra, Refused, TacitError, UsageError
from tacit.core.run import DAYS, PREFIX, refusal_lines
from tacit.core.value import replace
from tacit.learn import correcting
from tacit.place.folders import machine_id
from tacit.place.git import first_commit
from tacit.store.counts import held_unsigned, recent
from tacit.sync import Synced, sync
from tacit.sync.git import GitFolder
from tacit.sync.shelf import Shelf
from tacit.sync.ssh import Keys

if TYPE_CHECKING:
    from tacit.opened import Opened
    from tacit.sync.postgres import Server


def share(opened: Opened, *, dry_run: bool = False) -> Synced:
    """Tell the others what is new here, and take in what they told."""
    keys = _keys(opened)
    if not dry_run:
        opened.need_person(
            "Sharing lessons under your signature" if keys.key else "Sharing this machine's lessons"
        )
    return _sync(opened, keys, dry_run)


def _sync(opened: Opened, keys: Keys, dry_run: bool = False) -> Synced:
    shelf = _shelf(opened, keys)
    with _carrier(opened, shelf) as (carrier, why):
        done = sync(shelf, carrier, keys, allowed=keys.allowed, dry_run=dry_run)
    done = replace(done, why_unsigned=why if keys.key else "sync.key is not set")
    if not dry_run:
        shelf.keep({**shelf.state, "doubts": done.doubts})
    return done


@contextmanager
def _carrier(opened: Opened, shelf: Shelf) -> Iterator[tuple[Any, str]]:
    """What carries this project's lines, and why nothing can be signed for it."""
    folder, why = _git(opened)
    if not is_far(address := shelf.state.get("with", "")):
        yield folder, why
        return
    server = _server(address, folder.project, shelf.state.get("owner", ""))
    try:
        yield server, why
    finally:
        server.close()


def _server(url: str, commit: str, owner: str = "") -> Server:
    try:
        from tacit.sync.postgres import Server
    except ImportError as error:
        from tacit.core.installation import hint

        raise MissingExtra(
            f"Sharing through PostgreSQL needs {error.name}.", hint("postgres")
        ) from error
    return Server(url, commit, owner)


def join(opened: Opened, url: str, owner: str = "") -> str:
    """Share this project through a server from now on, by one's own project there or that of the owner who is named; its owner."""
    opened.need_person("Sharing a project through a server")
    if without_password(url) != url:
        raise UsageError(
            "The password would be kept beside the project.",
            "Put it into ~/.pgpass and leave it out of the address.",
        )
    shelf, (folder, _) = _shelf(opened, _keys(opened)), _git(opened)
    server = _server(url, folder.project)
    try:
        others = [each for each in server.offers() if each != server.login]
        if not owner and others:
            raise Refused(
                f"{', '.join(others)} admitted you to a project of this repository here.",
                f"Name whose you join: tacit sync {url} --owner {others[0]}",
            )
        server.join(owner)
    finally:
        server.close()
    fresh: dict[str, Any] = {"heads": {}, "numbers": {}}
    shelf.keep({**shelf.state, **fresh, "with": url, "owner": server.owner, "auto": True})
    return server.owner


def invite(opened: Opened, login: str) -> None:
    """Admit a login to this project on its server."""
    opened.need_person("Admitting somebody")
    with _carrier(opened, _shelf(opened, _keys(opened))) as (carrier, _):
        if carrier.whole:
            raise Refused("This project is shared through git.", "tacit sync --allow NAME KEY")
        carrier.invite(login)


def news(opened: Opened) -> Server | None:
    """A connection that hears of what others tell of this project; None where nobody would say."""
    shelf = Shelf(opened.work, "")
    if not is_far(address := shelf.state.get("with", "")):
        return None
    server = _server(address, _git(opened)[0].project, shelf.state.get("owner", ""))
    return server if server.listen() else None


def _keys(opened: Opened) -> Keys:
    settings = opened.settings()
    key, signers = (str(settings[f"sync.{name}"].value) for name in ("key", "signers"))
    return Keys(key, signers, opened.env)


def _shelf(opened: Opened, keys: Keys) -> Shelf:
    shelf = Shelf(
        opened.work,
        machine_id(opened.env),
        me=keys.me,
        erase_outside=partial(correcting.erase_outside, opened),
        vouch=opened.vouch,
    )
    shelf.machine = shelf.state.get("machine", shelf.machine)
    return shelf


def _git(opened: Opened) -> tuple[GitFolder, str]:
    root = opened.work_tree.root
    commit, why = first_commit(root)
    return GitFolder(root, commit), why


def sharing(opened: Opened) -> dict[str, Any]:
    """How this project is shared (`with`: git, or a server's address), and what the next sync would write, where and as whom."""
    keys = _keys(opened)
    shelf, (folder, why) = _shelf(opened, keys), _git(opened)
    return {
        "with": shelf.state.get("with", ""),
        "auto": bool(shelf.state.get("auto")),
        "lessons": shelf.untold(),
        "private": shelf.private(),
        "file": folder.name(shelf.machine),
        "root": folder.root,
        "uncommitted": folder.uncommitted(shelf.machine),
        "signs_as": keys.me,
        "key": keys.key,
        "why_unsigned": why if keys.key else "sync.key is not set",
    }


def share_with(opened: Opened, carrier: str, *, auto: bool = False) -> None:
    """Remember that a person said yes to sharing this project, and by what."""
    opened.need_person("Sharing a project")
    shelf = _shelf(opened, _keys(opened))
    state = shelf.state
    if state.get("with") != carrier:
        state |= {"heads": {}, "numbers": {}}
    shelf.keep({**state, "with": carrier, "auto": auto})


def sync_by_itself(opened: Opened) -> Synced | None:
    """At a session's end: write what is new, where a person said that this may happen by itself."""
    shelf = Shelf(opened.work, "") if opened.project else None
    if shelf is None or not shelf.state.get("auto"):
        return None
    try:
        return _sync(opened, _keys(opened))
    except TacitError as error:  # said by doctor; the session is learned all the same
        shelf.keep({**shelf.state, "doubts": [f"{error.message} {error.hint}".strip()]})
        return None


def sync_notes(opened: Opened) -> Sequence[str]:
    """What a person should know of the team's lines."""
    if not opened.project:
        return ()
    state = Shelf(opened.work, "").state
    told = list(state.get("doubts", ()))
    if held := held_unsigned(opened.store, opened.project_id):
        told.append(
            f"lessons held because nobody you allow has signed them: {held}"
            " (tacit review, or sync.signers)"
        )
    machine = state.get("machine") or machine_id(opened.env)
    folder = GitFolder(opened.work_tree.root, "")
    if state.get("with") == "git" and (waiting := folder.uncommitted(machine)):
        told.append(
            f"lines in .tacit that no commit holds yet: {waiting}"
            " (git add .tacit, then commit and push)"
        )
    return told


def refused(opened: Opened) -> list[str]:
    """What was refused of late and why: what pretended to be yours, what nobody stands for, what a repository asked for."""
    return [
        *refusal_lines(recent(opened.store, PREFIX, after_days(opened.now(), -DAYS)[:10])),
        *sync_notes(opened),
    ]
