"""Where the user's store lies, and what lies beside it or beside the user's configuration.

The small file that tells what the lessons speak of (`spoken.py`). Sessions that were written down from a host's events, one
file each, for their owner alone. Keys with which a program of one's own says in whose name it acts: a person at a terminal is known by it;
a program without one (a job of CI, a notebook, a script of cron) is taken for an agent, unless it shows a key that a person made:
`tacit config key NAME` prints it once and keeps its SHA-256.
"""

from __future__ import annotations

import os

from tacit.core.digest import new_id
from tacit.core.value import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FOLDER = "captured"
KEPT_DAYS = 30  # as long as hosts keep their own transcripts
LONGEST_NAME = 100
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"


def store_path(given: str | None, env: Mapping[str, str]) -> str:
    """Which store is meant: named, from the environment, or the user's own."""
    return os.path.expanduser(
        given or env.get("TACIT_STORE") or os.path.join(data_folder(env), "tacit.db")
    )


def data_folder(env: Mapping[str, str]) -> str:
    """Where the user's store lies."""
    return os.path.join(
        env.get("XDG_DATA_HOME") or os.path.join(home_folder(env), ".local", "share"), "tacit"
    )


def home_folder(env: Mapping[str, str]) -> str:
    """The user's home."""
    return env.get("HOME") or os.path.expanduser("~")


def spoken_path(store: str) -> str:
    """The file's name."""
    return f"{store}.about"


def is_spoken_of(store: str, words: Iterable[str]) -> bool:
    """Whether a lesson in force may be about one of these words; true where nobody wrote the file."""
    try:
        with open(spoken_path(store), encoding="utf-8", errors="replace") as file:
            held = file.read()
    except (OSError, ValueError):
        return True
    return any(f"\n{word.lower()}\n" in held for word in words if word)


def common_path(store: str, project: str) -> str:
    """Where it stands what is common in a project, a line each (`hooks/common.py`)."""
    return os.path.join(os.path.dirname(os.path.realpath(store)), "looks", f"{project}.common")


def common_in(store: str, project: str) -> frozenset[str]:
    """What is common in a project; nothing where nobody counted yet, or what stands there cannot be read."""
    try:
        with open(common_path(store, project), encoding="utf-8", errors="replace") as file:
            return frozenset(file.read().splitlines())
    except (OSError, ValueError):
        return frozenset()


def captured_folder(store: str) -> str:
    """The folder of a store's captured sessions."""
    return os.path.join(os.path.dirname(os.path.realpath(store)), _FOLDER)


def file_of(store: str, session: str) -> str:
    """Where a session is written down. Its id comes from outside: what is no plain name is hashed."""
    from tacit.core.digest import short_hash

    plain = session and not session.strip(_NAME) and len(session) <= LONGEST_NAME
    return os.path.join(
        captured_folder(store), f"{session if plain else short_hash(session)}.jsonl"
    )


def remove_captured(store: str, sessions: Iterable[str]) -> None:
    """Delete what was written down of some sessions."""
    for session in sessions:
        try:
            os.unlink(file_of(store, session))
        except FileNotFoundError:
            pass


def sweep(store: str, now: float) -> int:
    """Delete what is older than hosts keep theirs."""
    folder, gone = captured_folder(store), 0
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        if entry.name.endswith(".jsonl") and entry.stat().st_mtime < now - KEPT_DAYS * 86400:
            os.unlink(entry.path)
            gone += 1
    return gone


def key_names(path: str) -> dict[str, str]:
    """Whose key each is, by its digest."""
    try:
        with open(path, encoding="utf-8") as file:
            found = loads(file.read())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        from tacit.core.errors import ConfigInvalid

        raise ConfigInvalid(
            f"The keys in {path} cannot be read: {error}.",
            "Remove it and make new ones: tacit config key NAME.",
        ) from None
    return (
        {str(digest): str(name) for digest, name in found.items()}
        if isinstance(found, dict)
        else {}
    )


def name_of(key: str, path: str) -> str:
    """In whose name a program acts that shows this key; empty if it is none of ours."""
    return key_names(path).get(_digest_of(key), "") if key else ""


def make(name: str, path: str) -> str:
    """A new key, in that name; what stands under the name already goes on working."""
    key = os.urandom(24).hex()
    _write({**key_names(path), _digest_of(key): name}, path)
    return key


def _digest_of(key: str) -> str:
    from tacit.core.digest import hex_digest

    return hex_digest(key)


def take_back(name: str, path: str) -> int:
    """How many keys of that name no longer count."""
    known = key_names(path)
    left = {digest: whose for digest, whose in known.items() if whose != name}
    if left != known:
        _write(left, path)
    return len(known) - len(left)


def _write(known: Mapping[str, str], path: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    fresh = f"{path}.{os.getpid()}"
    with open(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(dumps(known, separators=(",\n ", ": ")))
    os.replace(fresh, path)


def machine_id(env: Mapping[str, str]) -> str:
    """A random name of this machine for this user, made once; empty where it cannot be kept."""
    path = os.path.join(data_folder(env), "machine")
    for _ in range(2):
        try:
            fd = os.open(path, os.O_RDONLY)
        except OSError:
            try:
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
                temporary = f"{path}.{new_id()}"
                fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                os.write(fd, new_id().encode())
                os.close(fd)
                try:
                    os.link(temporary, path)  # the first of many processes wins, whole
                finally:
                    os.unlink(temporary)
            except OSError:
                pass
            continue
        text = os.read(fd, 64).decode("ascii", "replace").strip()
        os.close(fd)
        return text if text.isalnum() else ""
    return ""
