"""Which project does a folder belong to?

A project's id stands in its repository's own git config, `[tacit] project = …`, in the directory that all worktrees
share. There it moves and is copied with the repository, `git clean` does not touch it, and a clone cannot bring it
along: nothing that a clone can bring along has a say. Outside git a marker file that `init` wrote, or else the real
path, tells folders apart.

A folder that git ignores is not its repository's project: it is told apart as a folder outside git is.

Three steps, so that only the first reads the disk and none knows a store: `locate` says what the file system tells of a
folder, the caller asks its store about the id, remote and key found there, and `decide_project` (in `core.rows`) chooses.
`identity_record` then writes the chosen id down.

All this happens on the hook path: no git process, one stat per folder on the way up, and a parser of exactly git's
grammar. It follows no include, since what a config includes may lie in the work tree and be the clone's word.
"""

from __future__ import annotations

import os
import stat

from tacit.core.rows import ASCII_LETTERS, DIGITS, KEY_LETTERS, is_id
from tacit.core.value import replace, value
from tacit.safety.files import GIT_LIMIT, LONGEST_PATH, head_of, open_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_MOST = 1 << 24  # bytes of packed refs that are read


def head_commit(git_dir: str, common_dir: str = "") -> str:
    """The whole name of the commit that HEAD stands at; empty where there is none, or its files cannot be read."""
    said = _read(os.path.join(git_dir, "HEAD"), 400).strip()
    if not said.startswith("ref: "):
        return said if _is_name(said) else ""
    name = said[5:].strip()
    if not name.startswith("refs/") or ".." in name.split("/"):
        return ""
    for place in dict.fromkeys((git_dir, common_dir or git_dir)):
        found = _read(os.path.join(place, *name.split("/")), 100).strip()
        if _is_name(found):
            return found
    packed = _read(os.path.join(common_dir or git_dir, "packed-refs"), _MOST)
    return next(
        (
            line[: -len(name) - 1]
            for line in packed.splitlines()
            if line.endswith(f" {name}") and _is_name(line[: -len(name) - 1])
        ),
        "",
    )


def _is_name(text: str) -> bool:
    return len(text) in (40, 64) and all(each in "0123456789abcdef" for each in text)


def _read(path: str, most: int) -> str:
    return head_of(path, most).decode("utf-8", "replace")


GIT_SETTING = "tacit.project"
MARKER_FILE = ".tacit-project"
MAX_NAME = 80
FOREIGN = "the repository belongs to another user and is no safe.directory"
DEFAULT_PORTS = {
    "https": "443",
    "http": "80",
    "ssh": "22",
    "git": "9418",
    "git+https": "443",
    "git+http": "80",
    "git+ssh": "22",
    "ssh+git": "22",
}
_BLANKS = " \t\r"  # git's isspace within a line
_LINES = 50_000  # of a config; ten thousand branches have fewer
_HEADERS = 16  # sections that may begin on one line; each costs what is left of it
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}


@value
class Place:
    """What the file system tells of a folder. `key` and `name` are valid UTF-8 whatever the path's bytes are."""

    root: str  # top of the work tree, the marker's folder, or the folder itself
    kind: str  # git, marker or path
    key: str  # identifies the place on this machine while no id is recorded: the shared git directory, or the folder
    name: str  # for people; not unique
    id: str = ""  # as recorded in the git config or the marker
    remote: str = ""  # origin, normalised
    git_dir: str = ""
    common_dir: str = ""  # shared by all worktrees; the config with the id lies here
    given: str = ""  # TACIT_PROJECT: the user's own word, an id or a name
    believed: bool = True  # False: something here claims a repository but may not or cannot be read; note says why
    note: str = ""


def locate(start: str, env: Mapping[str, str]) -> Place:
    """Where `start` belongs. Never fails and never writes: what cannot be read counts as absent."""
    given = _printable(env.get("TACIT_PROJECT", ""))
    try:
        if len(start) > LONGEST_PATH:
            raise ValueError("no folder has such a name")
        folders = upward(os.path.realpath(start), env)
    except (OSError, ValueError):
        place = replace(
            _folder(start), believed=False, note="the folder's real path cannot be found"
        )
    else:
        place = _within_git(folders, env)
        if place is None or _is_ignored(folders[0], place, env):
            inside = folders[: folders.index(place.root)] if place else folders
            place = _outside_git(inside, env)
    return replace(place, given=given, name=given) if given else place


def upward(folder: str, env: Mapping[str, str]) -> list[str]:
    """The folder and those above it, as far up as git would look."""
    listed = env.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    ceilings = {os.path.realpath(path) for path in listed if os.path.isabs(path)}
    folders = [folder]
    while (parent := os.path.dirname(folder)) != folder and parent not in ceilings:
        folders.append(parent)
        folder = parent
    return folders


def _within_git(folders: list[str], env: Mapping[str, str]) -> Place | None:
    """The nearest work tree; one that may not be believed is a plain folder."""
    named = _named_by_user(env)
    for root in folders:
        if named and named[0] == root:
            return _git_place(root, named[1], _common_dir(named[1]), env)
        dot = os.path.join(root, ".git")
        try:
            entry = os.lstat(dot)
        except OSError:
            continue
        if stat.S_ISREG(entry.st_mode):
            pointer = read_file(dot)
            if not pointer or not pointer.text.startswith("gitdir: "):
                return _disbelieved(root, "the .git file cannot be read")
            git_dir = os.path.realpath(os.path.join(root, pointer.text[8:].rstrip("\r\n")))
        else:
            git_dir = dot if stat.S_ISDIR(entry.st_mode) else os.path.realpath(dot)
        common_dir = _common_dir(git_dir)
        if _is_git_dir(git_dir, common_dir):
            fault = _false_claim(root, entry, git_dir, common_dir, env)
            return (
                _disbelieved(root, fault) if fault else _git_place(root, git_dir, common_dir, env)
            )
        if stat.S_ISREG(entry.st_mode):
            return _disbelieved(root, "the .git file points to no repository")
    return None


def _is_ignored(folder: str, place: Place, env: Mapping[str, str]) -> bool:
    if not place.common_dir or folder == place.root:
        return False
    from tacit.place.ignored import is_ignored  # at the top of a work tree nothing of it is needed

    excludes = _excludes(place.common_dir, env)
    return is_ignored(folder, place.root, place.git_dir, place.common_dir, excludes)


def _excludes(common_dir: str, env: Mapping[str, str]) -> str:
    """The user's own file of patterns, as the nearest configuration names it."""
    home = env.get("HOME", "")
    found = os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "git/ignore")
    for path in (*_global_configs(env), os.path.join(common_dir, "config")):
        for name, said, *_ in _entries_at(path):
            if name == "core.excludesfile":
                found = os.path.join(home, said[2:]) if said.startswith("~/") else said
    return found if os.path.isabs(found) else ""


def _named_by_user(env: Mapping[str, str]) -> tuple[str, str] | None:
    """Work tree and git directory, if the user names both in full.

    git also sets GIT_DIR for the hooks that it runs: alone or relative it says nothing of the folder asked about.
    """
    git_dir, work_tree = env.get("GIT_DIR", ""), env.get("GIT_WORK_TREE", "")
    if not os.path.isabs(git_dir) or not os.path.isabs(work_tree):
        return None
    git_dir = os.path.realpath(git_dir)
    return (
        (os.path.realpath(work_tree), git_dir)
        if _is_git_dir(git_dir, _common_dir(git_dir))
        else None
    )


def _common_dir(git_dir: str) -> str:
    pointer = read_file(os.path.join(git_dir, "commondir"))
    return (
        os.path.realpath(os.path.join(git_dir, pointer.text.rstrip("\r\n"))) if pointer else git_dir
    )


def _is_git_dir(git_dir: str, common_dir: str) -> bool:
    return (
        os.path.lexists(os.path.join(git_dir, "HEAD"))
        and os.path.isdir(os.path.join(common_dir, "objects"))
        and os.path.isdir(os.path.join(common_dir, "refs"))
    )


def _false_claim(
    root: str, entry: os.stat_result, git_dir: str, common_dir: str, env: Mapping[str, str]
) -> str:
    """Why this folder may not speak for that repository; empty if it may.

    No clone can hold a `.git`, but an archive can, and a `.git` file, a link or a `commondir` in it could name any
    repository of the user's by its path. So the repository has to agree: it knows where its work trees are.
    """
    if not _is_ours(entry.st_uid, env) and not _is_called_safe(root, env):
        return FOREIGN
    if common_dir != git_dir and os.path.dirname(git_dir) != os.path.join(common_dir, "worktrees"):
        return f"it is no worktree of {common_dir}"
    if stat.S_ISDIR(entry.st_mode):
        return ""
    work_tree = _work_tree_of(git_dir, common_dir)
    dot = os.path.join(work_tree, ".git")
    # Absent: the work tree was moved. Elsewhere and present: this folder is a copy of it, or an impostor.
    if work_tree and os.path.lexists(dot) and not _same(work_tree, root):
        return f"its git directory belongs to {work_tree}"
    return ""


def _work_tree_of(git_dir: str, common_dir: str) -> str:
    """Where a git directory says that its work tree is; empty if it does not say."""
    if common_dir != git_dir:
        pointer = read_file(os.path.join(git_dir, "gitdir"))
        return (
            os.path.dirname(os.path.join(git_dir, pointer.text.rstrip("\r\n"))) if pointer else ""
        )
    config = read_file(os.path.join(common_dir, "config"))
    try:
        work_tree = settings_of(config.text).work_tree if config else ""
    except ValueError:
        work_tree = ""
    if work_tree:
        return os.path.realpath(os.path.join(git_dir, work_tree))
    return os.path.dirname(git_dir) if os.path.basename(git_dir) == ".git" else ""


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _git_place(root: str, git_dir: str, common_dir: str, env: Mapping[str, str]) -> Place:
    name = os.path.basename(common_dir)
    if name.startswith("."):
        name = os.path.basename(os.path.dirname(common_dir))
    name = _printable(name.removesuffix(".git") or name)
    place = Place(root, "git", _as_text(common_dir), name, git_dir=git_dir, common_dir=common_dir)
    path = os.path.join(common_dir, "config")
    config = read_file(path)
    if config is None:
        return (
            replace(place, believed=False, note="the git config cannot be read")
            if os.path.lexists(path)
            else place
        )
    if not _is_ours(config.uid, env) and not _is_called_safe(root, env):
        return replace(place, believed=False, note=FOREIGN)
    try:
        settings = settings_of(config.text)
    except ValueError as fault:
        return replace(place, believed=False, note=f"the git config cannot be read: {fault}")
    return replace(place, id=settings.project, remote=normalise_remote(settings.url))


def _outside_git(folders: list[str], env: Mapping[str, str]) -> Place:
    """A bare repository, the nearest marker, or the folder itself.

    Only asked where no work tree is above: a bare repository or a marker among a clone's files is the clone's word.
    """
    note = ""
    for folder in folders:
        if _is_git_dir(folder, folder):
            return _git_place(folder, folder, folder, env)
        marker = read_file(os.path.join(folder, MARKER_FILE))
        if marker is None:
            continue
        project = marked(marker.text)
        if project and _is_ours(marker.uid, env):
            return replace(_folder(folder), kind="marker", id=project)
        note = note or f"{folder}/{MARKER_FILE} does not count: " + (
            "not the user's own" if project else "it holds no id"
        )
    return replace(_folder(folders[0]), note=note) if note else _folder(folders[0])


def _folder(path: str) -> Place:
    return Place(
        path, "path", _as_text(path), _printable(os.path.basename(path)) or _printable(path)
    )


def _disbelieved(root: str, note: str) -> Place:
    return replace(_folder(root), believed=False, note=note)


def marked(text: str) -> str:
    project = text.strip()
    return project if is_id(project) else ""


def _is_ours(uid: int, env: Mapping[str, str]) -> bool:
    """Who may speak for the user: as in git, the user, and under sudo the one who called it."""
    me = os.geteuid()
    return uid == me or (me == 0 and env.get("SUDO_UID") == str(uid))


def _is_called_safe(root: str, env: Mapping[str, str]) -> bool:
    """Did the user tell git to trust this folder whoever owns it? Containers with mounted repositories live by this."""
    home, safe = env.get("HOME", ""), False
    for path in _global_configs(env):
        for name, folder, *_ in _entries_at(path):
            if name == "safe.directory":
                folder = os.path.join(home, folder[2:]) if folder.startswith("~/") else folder
                inside = folder.endswith("/*") and root.startswith(folder[:-1])
                safe = bool(folder) and (
                    safe or inside or folder in ("*", root)
                )  # an empty one resets the list
    return safe


def _global_configs(env: Mapping[str, str]) -> list[str]:
    """The user's own and the system's git configuration, in the order in which git reads them."""
    home, own = env.get("HOME", ""), env.get("GIT_CONFIG_GLOBAL")
    xdg = env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    paths = [os.path.join(xdg, "git", "config"), os.path.join(home, ".gitconfig")]
    paths = paths if own is None else [own]
    return paths if env.get("GIT_CONFIG_NOSYSTEM") else ["/etc/gitconfig", *paths]


def _entries_at(path: str) -> list[tuple[str, str, int, int, int]]:
    config = read_file(path, follow=True) if os.path.isabs(path) else None
    try:
        return list(entries_of(config.text)) if config else []
    except ValueError:
        return []


@value
class TextFile:
    """A file's text, any byte of it kept, and what a new version of it has to keep."""

    text: str
    uid: int
    gid: int
    mode: int


def read_file(path: str, follow: bool = False) -> TextFile | None:
    """A plain file of bearable size that holds text; None for all else: the hook's time is the user's."""
    try:
        with open(open_plain(path, follow=follow), "rb") as file:
            found, data = os.fstat(file.fileno()), file.read(GIT_LIMIT + 1)
    except (OSError, ValueError):
        return None
    if (
        len(data) != found.st_size
        or len(data) > GIT_LIMIT
        or b"\0" in data
        or data.count(b"\n") > _LINES
    ):
        return None
    return TextFile(
        data.decode("utf-8", "surrogateescape"),
        found.st_uid,
        found.st_gid,
        stat.S_IMODE(found.st_mode),
    )


def _printable(text: str) -> str:
    return "".join(c for c in text.strip() if c.isprintable())[:MAX_NAME]


@value
class _Settings:
    project: str = ""
    url: str = ""
    work_tree: str = ""


def settings_of(text: str) -> _Settings:
    """What we ask of a config. As in git the last value counts, but of several urls the first is fetched from."""
    project = url = work_tree = ""
    for name, text_of, *_ in entries_of(text):
        if name == GIT_SETTING:
            project = text_of
        elif name == "remote.origin.url":
            url = url or text_of
        elif name == "core.worktree":
            work_tree = text_of
    return _Settings(project if is_id(project) else "", url, work_tree)


def entries_of(text: str) -> Iterator[tuple[str, str, int, int, int]]:
    """Name, value, first line, column and last line of each variable. ValueError where git, too, gives up."""
    lines = text.split("\n")
    section = ""
    at = 0
    while at < len(lines):
        first, line = at, _line(lines, at)
        rest = (line if at else line.removeprefix("\ufeff")).lstrip(_BLANKS)
        for _ in range(_HEADERS):
            if not rest.startswith("["):
                break
            section, rest = _header(rest, at)
            rest = rest.lstrip(_BLANKS)
        if rest and rest[0] not in "#;":
            after = rest.lstrip(KEY_LETTERS)
            key = rest[: len(rest) - len(after)].lower()
            after = after.lstrip(" \t")
            if rest[0] not in ASCII_LETTERS or (after and after[0] != "="):
                raise ValueError(f"line {at + 1}")
            content, at = _value(lines, at, after[1:]) if after else ("", at)
            yield f"{section}{key}", content, first, len(line) - len(rest), at
        at += 1


def _line(lines: list[str], at: int) -> str:
    """A line without the CR of a CRLF. The last line has no LF, so a CR there is one of its characters."""
    return lines[at].removesuffix("\r") if at < len(lines) - 1 else lines[at]


def _header(text: str, at: int) -> tuple[str, str]:
    """The prefix of a section's names, and what follows its bracket: `[a]`, `[a.B]` (folded) or `[a "B"]` (kept)."""
    rest = text[1:].lstrip(KEY_LETTERS + ".")
    name = text[1 : len(text) - len(rest)].lower()
    if name and rest.startswith("]"):
        return f"{name}.", rest[1:]
    quoted = rest.lstrip(_BLANKS)
    if quoted != rest and quoted.startswith('"'):
        plain, _, rest = quoted[1:].partition('"')
        if "\\" not in plain and rest.startswith("]"):
            return f"{name}.{plain}.", rest[1:]
        letters: list[str] = []
        characters = iter(quoted[1:])
        for c in characters:
            if c == '"':
                rest = "".join(characters)
                if rest.startswith("]"):
                    return f"{name}.{''.join(letters)}.", rest[1:]
                break
            letters.append(next(characters, "") if c == "\\" else c)
    raise ValueError(f"line {at + 1}")


def _value(lines: list[str], at: int, text: str) -> tuple[str, int]:
    """The value that begins with `text` on line `at`, and the line on which it ends."""
    if not ('"' in text or "\\" in text or "#" in text or ";" in text):
        return text.strip(_BLANKS), at
    letters: list[str] = []
    kept = 0  # spaces at the end do not count, unless quoted or before a continuation
    quoted = False
    while True:
        characters = iter(text)
        for c in characters:
            if c in _BLANKS and not quoted:
                if letters:
                    letters.append(c)
                continue
            if c in "#;" and not quoted:
                return "".join(letters[:kept]), at
            if c == "\\":
                escaped = next(characters, "")
                if not escaped:
                    break
                if escaped not in _ESCAPES:
                    raise ValueError(f"line {at + 1}")
                letters.append(_ESCAPES[escaped])
            elif c == '"':
                quoted = not quoted
            else:
                letters.append(c)
            kept = len(letters)
        else:
            break
        kept = len(letters)
        if at + 1 == len(lines):
            break
        at += 1
        text = _line(lines, at)
    if quoted:
        raise ValueError(f"line {at + 1}")
    return "".join(letters[:kept]), at


def normalise_remote(url: str) -> str:
    """One text for all spellings of a remote: "host/path", or the real path of a repository on this machine.

    User names, passwords and tokens are dropped, so the text may be stored and shown. Empty where no repository can be
    recognised: relative paths, remote helpers (`ext::…`), garbage.
    """
    url = url.strip()
    if not url.isprintable():
        return ""
    scheme, mark, rest = url.partition("://")
    if mark:
        host, _, path = rest.partition("/")
        if scheme.lower() == "file":
            return _local(f"/{path}") if host.lower() in ("", "localhost") else ""
        port = DEFAULT_PORTS.get(scheme.lower(), "")
        return _host_and_path(host, path.partition("?")[0].partition("#")[0], port) if port else ""
    if url.startswith("/"):
        return _local(url)
    return _short_ssh(url)


def _local(path: str) -> str:
    real = os.path.realpath(path)
    return _as_text(real.removesuffix("/.git").removesuffix(".git").rstrip("/"))


def _short_ssh(url: str) -> str:
    """`user@host:path`, `[host:port]:path`, `user@[::1]:path`, as ssh and git read them."""
    host, colon, path = url.partition(":")
    if "[" in host:
        host, colon, path = url.partition("]:")
        if host.startswith("[") and host.count(":") < 2:
            host = host[1:]
        else:
            host += "]"
    if not colon or "/" in host or path.startswith(":"):
        return ""
    return _host_and_path(host, path, DEFAULT_PORTS["ssh"])


def _host_and_path(authority: str, path: str, default_port: str) -> str:
    host = authority.rpartition("@")[2].lower()
    if host.startswith("["):
        name, closed, port = host.partition("]")
        is_name = closed and not name[1:].strip("0123456789abcdef:.%") and port[:1] in ("", ":")
        name, port = f"{name}]", port[1:]
    else:
        name, _, port = host.partition(":")
        name = name.removesuffix(".")
        is_name = name and not name.strip(KEY_LETTERS + "._") and name[0] != "-"
    path = "/".join(part for part in path.split("/") if part).removesuffix(".git").rstrip("/")
    if not is_name or not path or port.strip(DIGITS):
        return ""
    return f"{name}/{path}" if port in ("", default_port) else f"{name}:{port}/{path}"


def _as_text(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()
