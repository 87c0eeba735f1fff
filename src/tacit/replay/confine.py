"""A command that can write only in its own folders and cannot read where credentials lie: Linux's Landlock, no rights needed.

    python confine.py '{"write": [...], "read": [...], "hidden": [...], "argv": [...]}'

The process gives the rights up itself, for good and for all it will start, and then becomes the command. It dies with
the process that started it, cannot signal processes outside, and gains no rights by setuid programs. The network is not
held back: an agent must reach its model. A socket without a file is (since Linux 6.12), one with a file is not: a plan
names them. Where the kernel has no Landlock (before 5.13, other systems) the caller must say so.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence

CREATE, ADD, RESTRICT = 444, 445, 446  # the same numbers on every architecture
_FILE = {"write": 1 << 1, "read": 1 << 2, "truncate": 1 << 14, "ioctl": 1 << 15}
_TREE = sum(1 << bit for bit in (4, 5, 6, 7, 8, 9, 10, 11, 12))  # removing and making of every kind
_REFER = 1 << 13
DEVICES = tuple(f"/dev/{name}" for name in "null zero full random urandom tty ptmx pts".split())
_PATH_BENEATH = 1
_LISTENS = 1 << 16  # a flag of the kernel's table of sockets
_NO_NEW_PRIVILEGES, _DIE_WITH_PARENT = 38, 1
_DROP_CAPABILITY = 24
# What root could look through walls with: DAC_READ_SEARCH, SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, SYS_BOOT, MKNOD, PERFMON, BPF.
_CAPABILITIES = (2, 16, 17, 19, 21, 22, 27, 38, 39)
# Of what may be scoped: sockets without a file, and signals, to processes outside.
_ABSTRACT, _SIGNALS = 1 << 0, 1 << 1

# Where people keep what opens doors, in their home.
CREDENTIALS = tuple(
    """
    .ssh .gnupg .aws .azure .kube .docker .netrc _netrc .git-credentials .gitconfig .config/git .config/gh .config/hub .config/glab-cli
    .config/gcloud .config/op .config/sops .npmrc .yarnrc .yarnrc.yml .pypirc .config/pip .pip .cargo/credentials .cargo/credentials.toml
    .gem/credentials .config/netlify .vercel .fly .heroku .terraform.d .terraformrc .config/doctl .config/rclone .password-store
    .local/share/keyrings .pgpass .my.cnf .mozilla .config/google-chrome .config/chromium .config/BraveSoftware .bash_history .zsh_history
    .env .vault-token
    """.split()
)


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("fd", ctypes.c_int32)]


def version() -> int:
    """The kernel's version of Landlock; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    found = ctypes.CDLL(None, use_errno=True).syscall(
        CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1)
    )
    return max(0, int(found))


def confined_argv(
    argv: Sequence[str], write: Sequence[str], hidden: Sequence[str], read: Sequence[str] = ()
) -> list[str]:
    """The command that runs `argv` confined; `read` is what may be read although it lies in what is hidden."""
    told = json.dumps({"argv": [*argv], "write": [*write], "read": [*read], "hidden": [*hidden]})
    # as a file: nothing else of ours is loaded
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), told]


def _tied() -> None:
    """Die with the process that started us. A parent that is gone already cannot tell any more."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def confine(write: Sequence[str], hidden: Sequence[str], read: Sequence[str] = ()) -> None:
    """Give up writing outside `write` and reading in `hidden` outside `read`, in this process and all it starts."""
    abi = version()
    if not abi:
        raise OSError("this kernel has no Landlock")
    system = ctypes.CDLL(None, use_errno=True)
    file = _FILE["write"] | _FILE["read"]
    file |= (_FILE["truncate"] if abi >= 3 else 0) | (_FILE["ioctl"] if abi >= 5 else 0)
    tree = file | _TREE | (_REFER if abi >= 2 else 0)
    rules = _Ruleset(tree, 0, _ABSTRACT | _SIGNALS if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = system.syscall(CREATE, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")

    def allow(path: str, rights: int) -> None:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return  # gone, or not ours to look at: then nothing is allowed there
        try:
            beneath = _Beneath(rights if os.path.isdir(path) else rights & file, fd)
            told = ctypes.byref(beneath)
            if system.syscall(ADD, ruleset, _PATH_BENEATH, told, ctypes.c_uint32(0)):
                raise OSError(ctypes.get_errno(), f"landlock_add_rule {path}")
        finally:
            os.close(fd)

    for path in write:
        allow(path, tree)
    for path in DEVICES:
        allow(path, file)
    for path in (*read, *readable(hidden)):
        allow(path, _FILE["read"])
    for capability in _CAPABILITIES:  # refused to whoever is not root, and has none
        system.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)
    given_up = not system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if not given_up or system.syscall(RESTRICT, ruleset, ctypes.c_uint32(0)):
        raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    os.close(ruleset)


def services(table: str = "/proc/net/unix") -> list[str]:
    """The sockets with a file that something listens at and this user may connect to: a confined command reaches them too."""
    try:
        with open(table, encoding="utf-8", errors="replace") as file:
            rows = [line.split() for line in file.read().splitlines()[1:]]
    except OSError:
        return []
    paths = {row[7] for row in rows if len(row) == 8 and int(row[3], 16) & _LISTENS}
    return sorted(path for path in paths if path.startswith("/") and os.access(path, os.W_OK))


def readable(hidden: Sequence[str], top: str = "/") -> Iterator[str]:
    """What to allow so that everything can be read but what lies in `hidden`. Links are passed over: their targets come by themselves."""
    inside = [path for path in map(os.path.realpath, hidden) if _is_in(path, top)]
    if not inside:
        yield top
    elif top not in inside:
        try:
            with os.scandir(top) as found:
                children = sorted(each.path for each in found if not each.is_symlink())
        except OSError:
            return
        for child in children:
            yield from readable(inside, child)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def main(told: str) -> int:
    """Confine this process and become the command."""
    spec = json.loads(told)
    _tied()
    try:
        confine(spec["write"], spec["hidden"], spec["read"])
        os.execvp(spec["argv"][0], spec["argv"])
    except FileNotFoundError:
        sys.stderr.write(f"{spec['argv'][0]}: not found\n")
        return 127
    except OSError as error:
        sys.stderr.write(f"{spec['argv'][0]}: {error}\n")
        return 126


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
