"""The work tree as it was when a session began, so that its task can be begun again there.

Kept in a git directory of our own under Tacit's data folder: its own index, its own objects, nobody's settings. What the repository holds
already is read through an alternate; what writes does not even see it, since git renews the time of an object that it meets again. So the
user's index, objects and locks are never touched, no filter, hook or monitor is started, and submodules are not entered. Ignored
files stay out, untracked ones are kept up to ten megabytes. After thirty days, or
beyond five hundred megabytes, the oldest go.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from tacit.core.clock import days_between, seconds
from tacit.core.digest import short_hash
from tacit.core.errors import TacitError
from tacit.core.value import fields, value
from tacit.replay.kept import read, write
from tacit.safety.files import kind_of
from tacit.stores import git

UNTRACKED = 10_000_000  # bytes of untracked files
DAYS, MOST = 30, 500_000_000
SLOW = 60.0  # seconds for one call of git: the one worker of all projects waits for it
# What git itself opens in a work tree. A pipe of that name would hold it until somebody writes.
_OPENED = (".gitignore", ".gitattributes")
MOST_LOOKED_AT = 300_000  # files and folders; in a larger tree only SLOW bounds what a pipe costs
_ENV = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
WRITTEN = "written"  # the folder of the objects that are ours


@value
class KeptTree:
    """A work tree at a session's start."""

    session: str
    host: str
    root: str  # the repository's folder
    folder: str  # our git directory that holds the commit
    head: str  # what was checked out
    commit: str  # the work tree as a commit on it; the same where nothing was changed
    at: str
    written: bool = False  # a call may have written before it was kept
    left_out: tuple[str, ...] = ()  # untracked files beyond the limit


def keep_tree(
    top: str,
    root: str,
    common: str,
    head: str,
    *,
    session: str,
    host: str,
    at: str,
    written: bool = False,
    ignores: Iterable[str] = (),
) -> KeptTree:
    """Keep what a work tree holds now. `common` is the repository's git directory, `ignores` are further files of patterns to leave out."""
    _must_hold_no_pipe(root)
    own = os.path.join(top, short_hash("kept tree", os.path.realpath(root)))
    _made(own, common, ignores)
    tree = ("--git-dir", own, "--work-tree", root)
    _git(root, *tree, "read-tree", "--reset", head)
    _git(root, *tree, "update-index", "-q", "--ignore-submodules", "--refresh", ends=(0, 1))
    changed = [
        name
        for name in _git(
            root, *tree, "diff-files", "-z", "--name-only", "--ignore-submodules"
        ).split("\0")
        if name
    ]
    others = [
        name
        for name in _git(root, *tree, "ls-files", "-o", "-z", "--exclude-standard").split("\0")
        if name and not name.endswith("/")
    ]
    taken, left = _within(root, others)
    commit = head
    if changed or taken:
        _git(
            root,
            *tree,
            "update-index",
            "-z",
            "--add",
            "--remove",
            "--stdin",
            said="\0".join([*changed, *taken]),
            into=own,
        )
        found = _git(root, *tree, "write-tree", "--missing-ok", into=own).strip()
        who = f"tacit <tacit@localhost> {int(seconds(at))} +0000"
        text = f"tree {found}\nparent {head}\nauthor {who}\ncommitter {who}\n\nThe work tree when the session began\n"
        commit = _git(
            root,
            *tree,
            "hash-object",
            "-t",
            "commit",
            "-w",
            "--stdin",
            "--literally",
            said=text,
            into=own,
        ).strip()
        _git(root, *tree, "update-ref", f"refs/kept/{commit}", commit)
    kept = KeptTree(session, host, root, own, head, commit, at, written, tuple(left[:20]))
    os.makedirs(os.path.join(own, "sessions"), exist_ok=True)
    write(_file(own, host, session), fields(kept))
    return kept


def _must_hold_no_pipe(root: str) -> None:
    """TacitError where git would open what is no plain file."""
    looked_at, folders = 0, [root]
    while folders and looked_at < MOST_LOOKED_AT:
        try:
            with os.scandir(folders.pop()) as found:
                entries = list(found)
        except OSError:
            continue  # git cannot look into it either
        looked_at += len(entries)
        for each in entries:
            if each.name in _OPENED and os.path.exists(each.path) and not os.path.isfile(each.path):
                raise TacitError(
                    f"Keeping a work tree: {each.path} is {kind_of(each.path)}, no file.",
                    "git would wait for it. Remove it to have sessions' starts kept for replay.",
                )
            if each.is_dir(follow_symlinks=False) and each.name != ".git":
                folders.append(each.path)


def kept_for(top: str, host: str, session: str) -> KeptTree | None:
    """What was kept at a session's start; None where nothing was."""
    for name in sorted(os.listdir(top)) if os.path.isdir(top) else ():
        if said := read(_file(os.path.join(top, name), host, session)):
            return _of(said)
    return None


def prune(top: str, now: str, days: float = DAYS, most: int = MOST) -> int:
    """Let the oldest go: what is older than the days, then whatever is beyond the bytes. How many went."""
    every = []
    for name in sorted(os.listdir(top)) if os.path.isdir(top) else ():
        sessions = os.path.join(top, name, "sessions")
        every += [
            (str(said.get("at")), os.path.join(sessions, file), said)
            for file in (sorted(os.listdir(sessions)) if os.path.isdir(sessions) else ())
            if file.endswith(".json") and (said := read(os.path.join(sessions, file)))
        ]
    every.sort(key=lambda each: each[0])
    old = [each for each in every if days_between(each[0], now) > days]
    gone = len(old)
    _let_go(old, every)
    while (rest := every[gone:]) and _bytes(top) > most:
        half = rest[: max(1, len(rest) // 2)]
        gone += len(half)
        _let_go(half, every)
    return gone


def _let_go(
    some: Sequence[tuple[str, str, Mapping[str, object]]],
    every: Sequence[tuple[str, str, Mapping[str, object]]],
) -> None:
    for _, path, _ in some:
        os.unlink(path)
    for own in {str(said["folder"]) for _, _, said in some}:
        still = {
            str(said["commit"])
            for _, path, said in every
            if said["folder"] == own and os.path.exists(path)
        }
        if not still:
            shutil.rmtree(own, ignore_errors=True)
            continue
        for ref in _git(
            own, "--git-dir", own, "for-each-ref", "--format=%(refname)", "refs/kept"
        ).split():
            if ref.rpartition("/")[2] not in still:
                _git(own, "--git-dir", own, "update-ref", "-d", ref)
        _git(own, "--git-dir", own, "prune", "--expire=now", into=own, through=_through(own))


def _of(said: Mapping[str, object]) -> KeptTree:
    left = said.get("left_out")
    return KeptTree(**{**said, "left_out": tuple(left if isinstance(left, list) else ())})  # type: ignore[arg-type]


def _file(own: str, host: str, session: str) -> str:
    return os.path.join(own, "sessions", f"{short_hash('session', host, session)}.json")


def _made(own: str, common: str, ignores: Iterable[str]) -> None:
    """Our git directory, made at the first time; what it reads through, and what it leaves out, as of now."""
    if not os.path.exists(os.path.join(own, "HEAD")):
        os.makedirs(own, mode=0o700, exist_ok=True)
        _git(own, "init", "-q", "--bare", "--template=", own)
    for name in ("info", os.path.join("objects", "info"), WRITTEN):
        os.makedirs(os.path.join(own, name), exist_ok=True)
    with open(os.path.join(own, "objects", "info", "alternates"), "w", encoding="utf-8") as file:
        file.write(
            f"{os.path.join(os.path.abspath(common), 'objects')}\n{os.path.join(own, WRITTEN)}\n"
        )
    with open(os.path.join(own, "info", "exclude"), "wb") as patterns:
        for path in (os.path.join(common, "info", "exclude"), *ignores):
            if os.path.isfile(path) and os.path.getsize(path) < 1_000_000:
                with open(path, "rb") as theirs:
                    patterns.write(theirs.read() + b"\n")
    shallow = os.path.join(common, "shallow")
    if os.path.isfile(shallow):
        shutil.copyfile(shallow, os.path.join(own, "shallow"))


def _through(own: str) -> str:
    """The repository's own objects, which ours rest on."""
    with open(os.path.join(own, "objects", "info", "alternates"), encoding="utf-8") as file:
        return file.readline().strip()


def _within(root: str, names: list[str]) -> tuple[list[str], list[str]]:
    """Untracked files that are kept, the smallest first, and those that are not."""
    sized = []
    for name in names:
        try:
            state = os.lstat(os.path.join(root, name))
        except OSError:
            continue
        sized.append((state.st_size, name))
    taken: list[str] = []
    left: list[str] = []
    total = 0
    for size, name in sorted(sized):
        total += size
        (taken if total <= UNTRACKED else left).append(name)
    return taken, left


def _bytes(top: str) -> int:
    return sum(
        os.lstat(os.path.join(place, name)).st_size
        for place, _, names in os.walk(top)
        for name in names
    )


def _git(
    folder: str,
    *arguments: str,
    said: str = "",
    into: str = "",
    through: str = "",
    ends: tuple[int, ...] = (0,),
) -> str:
    """What git says. `into` is our directory whose objects it writes and sees alone, or those `through` which they are complete."""
    env = {
        **{name: text for name, text in os.environ.items() if not name.startswith("GIT_")},
        **_ENV,
    }
    env |= {"GIT_OBJECT_DIRECTORY": os.path.join(into, WRITTEN)} if into else {}
    env |= {"GIT_ALTERNATE_OBJECT_DIRECTORIES": through} if through else {}
    try:
        done = subprocess.run(
            [
                "git",
                *git.QUIET_GIT,
                "-c",
                "core.autocrlf=false",
                "-c",
                "gc.auto=0",
                "-c",
                "core.untrackedCache=false",
                "-C",
                folder,
                *arguments,
            ],
            input=said.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=SLOW,
            env=env,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TacitError(
            f"Keeping a work tree: git in {folder}: {error}.", "Is git installed?"
        ) from error
    if done.returncode not in ends:
        last = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no word"])[-1]
        raise TacitError(
            f"Keeping a work tree: git in {folder} said: {last}",
            "git fsck tells whether it is sound.",
        )
    return done.stdout.decode("utf-8", "surrogateescape")
