"""Signatures with the SSH keys that people have already: `ssh-keygen -Y`, as git signs commits.

The private key is named by the user's configuration, or its public half where an agent holds it; who may sign for the team
stands in an allowed-signers file that the configuration names. Nothing of either is ever read from a repository.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

from tacit.core.errors import ConfigInvalid, Unavailable

NAMESPACE = "tacit"
_HEAD, _FOOT = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_TIMEOUT = 30.0  # seconds; a key on a token waits for a touch


class Keys:
    """Sign in one's own name, and tell who signed."""

    def __init__(self, key: str, signers: str, env: Mapping[str, str]) -> None:
        self.key, self.signers = _found(key, "sync.key"), _found(signers, "sync.signers")
        self._env = {**env, "LC_ALL": "C"}

    @property
    def allowed(self) -> str:
        """The signers file as it stands now; empty where there is none."""
        if not self.signers:
            return ""
        with open(self.signers, encoding="utf-8", errors="replace") as file:
            return file.read()

    @property
    def me(self) -> str:
        """The name that the signers file gives our own key; empty where it names it not."""
        public = self.key if self.key.endswith(".pub") else f"{self.key}.pub"
        if not self.key or not os.path.isfile(public):
            return ""
        with open(public, encoding="utf-8", errors="replace") as file:
            own = file.read().split()[1:2]
        rows = (line.split() for line in self.allowed.splitlines())
        return next((row[0] for row in rows if own and own[0] in row[1:]), "")

    def sign(self, message: bytes) -> str:
        """The signature of a message on one line; empty without a key."""
        if not self.key:
            return ""
        with tempfile.TemporaryDirectory(prefix="tacit-sign-") as folder:
            path = os.path.join(folder, "message")
            with open(path, "wb") as file:
                file.write(message)
            done = self._run(["-Y", "sign", "-q", "-f", self.key, "-n", NAMESPACE, path])
            if done.returncode:
                raise Unavailable(
                    f"ssh-keygen could not sign with {self.key}: {_said(done)}.",
                    "Check sync.key; a key with a passphrase must be in the agent (ssh-add).",
                )
            with open(path + ".sig", encoding="ascii") as file:
                return "".join(
                    each for each in file.read().splitlines() if each not in (_HEAD, _FOOT)
                )

    def verify(self, message: bytes, signature: str) -> str:
        """Who signed a message, if the user's allowed signers name them; otherwise empty."""
        if not self.signers or not signature.isascii():
            return ""
        with tempfile.TemporaryDirectory(prefix="tacit-sign-") as folder:
            path = os.path.join(folder, "signature")
            rows = [signature[start : start + 70] for start in range(0, len(signature), 70)]
            with open(path, "w", encoding="ascii") as file:
                file.write("\n".join((_HEAD, *rows, _FOOT, "")))
            told = self._run(["-Y", "find-principals", "-f", self.signers, "-s", path])
            names = (
                told.stdout.decode("utf-8", "replace").splitlines() if not told.returncode else []
            )
            for name in filter(None, names):
                asked = [
                    "-Y",
                    "verify",
                    "-f",
                    self.signers,
                    "-I",
                    name,
                    "-n",
                    NAMESPACE,
                    "-s",
                    path,
                ]
                if not self._run(asked, message).returncode:
                    return name
        return ""

    def _run(
        self, arguments: Sequence[str], said: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                ["ssh-keygen", *arguments],
                input=said,
                capture_output=True,
                env=self._env,
                timeout=_TIMEOUT,
            )
        except FileNotFoundError:
            raise Unavailable(
                "Signing the team's journal needs ssh-keygen, which is not on the PATH.",
                "Install OpenSSH's client.",
            ) from None
        except subprocess.TimeoutExpired:
            raise Unavailable(
                "ssh-keygen did not answer in time.",
                "Does a key wait for a touch, or the agent for a passphrase?",
            ) from None


def _found(path: str, setting: str) -> str:
    full = os.path.abspath(os.path.expanduser(path)) if path else ""
    if full and not os.path.isfile(full):
        raise ConfigInvalid(
            f"{setting} names {full}, which is no file.",
            "Correct it; tacit config path tells where the setting stands.",
        )
    return full


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    rows = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
    return rows[-1][:200] if rows else "it gave no reason"
