"""The command line without its start: a process that has imported tacit, and forks for every command that conftest's `tacit` asks for.

A command gets what a process of its own would get: arguments, folder, environment, umask, three files; and ends as it would.
"""

from __future__ import annotations

import argparse  # noqa: F401 - which every command imports
import atexit
import gc
import importlib
import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path

import tacit
from copied_stores import copy_stores, make_stores

# extras, which only few commands load
HEAVY = ("serve/mcp", "serve/desk", "sync/postgres")


def prepare() -> None:
    """Import what commands import."""
    root = Path(tacit.__file__).parent
    for path in sorted(root.rglob("*.py")):
        name = str(path.relative_to(root))
        if path.stem != "__main__" and not name.startswith(HEAVY):
            importlib.import_module(
                f"tacit.{name[:-3].replace('/', '.')}".removesuffix(".__init__")
            )


def become(asked: dict[str, object]) -> None:
    """Be the process of a command."""
    if not asked["copied"]:
        make_stores()
    if asked["terminal"]:
        os.setsid()  # the terminal that it opens is its own
    for fd, name in enumerate(asked["files"]):  # type: ignore[arg-type, var-annotated]
        os.dup2(os.open(name, os.O_RDONLY if fd == 0 else os.O_WRONLY), fd)
    os.environ.clear()
    os.environ.update(asked["env"])  # type: ignore[call-overload]
    os.umask(asked["umask"])  # type: ignore[arg-type]
    os.chdir(asked["cwd"])  # type: ignore[arg-type]
    time.tzset()
    sys.argv = [str(Path(tacit.__file__).with_name("__main__.py")), *asked["args"]]  # type: ignore[misc]
    sys.path[0] = os.getcwd()


def leave(code: object) -> None:
    """End as an interpreter does, but for the tearing down of what is shared with the server."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def serve() -> None:
    """One command after the other, until nobody asks any more."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    prepare()
    copy_stores(Path(sys.argv[1]))
    gc.freeze()
    for line in questions:
        child = os.fork()
        if not child:
            try:
                become(json.loads(line))
                leave(tacit.main())
            except SystemExit as wish:
                leave(wish.code)
            except BaseException:
                traceback.print_exc()
                leave(1)
        os.write(answers, b"%d\n" % child)
        _, status = os.waitpid(child, 0)
        os.write(answers, b"%d\n" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    serve()
