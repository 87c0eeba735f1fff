"""Setting up a team's signatures: one's own key, and the file of those whose lines count here. Both are the user's own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping

from tacit.core.errors import Refused, Unavailable, UsageError
from tacit.guard.files import PAGE_LIMIT, read_plain
from tacit.stores.git import ask_git

_SIGNER_LINE = re.compile(r"(\S+)\s+((?:sk-)?(?:ssh-|ecdsa-)[\w@.-]+)\s+([A-Za-z0-9+/]{40,}={0,3})(?:\s.*)?")


def own_key(env: Mapping[str, str]) -> str:
    """The SSH key that this person has, else a new one without a passphrase."""
    folder = os.path.join(env.get("HOME", ""), ".ssh")
    for name in ("tacit", "id_ed25519"):
        if os.path.isfile(os.path.join(folder, f"{name}.pub")):
            return os.path.join(folder, name)
    path = os.path.join(folder, "tacit")
    if shutil.which("ssh-keygen", path=env.get("PATH")) is None:
        raise Unavailable("There is no SSH key here, and no ssh-keygen to make one.", "Install OpenSSH's client.")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    made = subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "tacit", "-f", path],
        env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    if made.returncode:
        raise Unavailable(f"No key could be made: {made.stderr.strip()[:200]}.", "Name one: tacit sync --setup KEY")
    return path


def public_half(key: str) -> str:
    """Type and key of a public half, as a signers file has them."""
    path = os.path.expanduser(key)
    try:
        text = read_plain(path if path.endswith(".pub") else f"{path}.pub", PAGE_LIMIT).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"The public half of {key} cannot be read: {error.strerror}.", "tacit sync --setup KEY"
        ) from None
    return " ".join(team_key(f"x {text.strip()}").split()[1:])


def own_name(env: Mapping[str, str]) -> str:
    """By what name team mates know one: the address that git commits with, else the login."""
    asked = ask_git(os.getcwd(), "config", "user.email")
    said = asked.stdout.strip() if asked is not None else ""
    return said if said and not re.search(r"\s", said) else env.get("USER") or "me"


def team_key(line: str) -> str:
    """A line of a signers file, checked and without its comment."""
    found = _SIGNER_LINE.fullmatch(line.strip())
    if found is None or any(each in found[1] for each in "*?,!"):
        raise UsageError(
            f"{line[:60]!r} is no name with a public key.", "tacit sync --allow 'bob@example.org ssh-ed25519 AAAA…'"
        )
    return f"{found[1]} {found[2]} {found[3]}"


def allow(path: str, line: str) -> None:
    """Add a line to the signers file, once; a name keeps its key until somebody takes the old line out."""
    try:
        text = read_plain(path, PAGE_LIMIT).decode("utf-8", "replace")
    except FileNotFoundError:
        text = ""
    name, *key = line.split()
    for each in text.splitlines():
        known = each.split()
        if known[:1] == [name] and known[1:3] != key:
            raise Refused(f"{path} has another key for {name}.", "Take its line out first, if the old one is gone.")
        if known[:3] == [name, *key]:
            return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write(("" if not text or text.endswith("\n") else "\n") + line + "\n")
