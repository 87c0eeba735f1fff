"""The command `tacit` without its start: a process that has imported it, and forks for every command it is asked for.

    python served.py        one JSON object a line: args, env, cwd, stdin; back comes code, out, err

A command gets what a process of its own would get and ends as it would; exams ask thousands.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import sys
import tempfile
import traceback
from typing import Any, BinaryIO

import tacit


def import_all() -> None:
    """Load every module that loads here; what needs an extra that is not installed stays out."""
    for module in pkgutil.walk_packages(tacit.__path__, "tacit.", onerror=lambda name: None):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except Exception:
                continue


def become(asked: dict[str, Any], files: tuple[BinaryIO, BinaryIO, BinaryIO]) -> None:
    """Be the process of a command."""
    for fd, file in enumerate(files):
        os.dup2(file.fileno(), fd)
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    sys.argv = ["tacit", *asked["args"]]


def answered(asked: dict[str, Any]) -> dict[str, Any]:
    """Run one command in a fork of this process."""
    with (
        tempfile.TemporaryFile() as said,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        said.write(asked["stdin"].encode("utf-8", "surrogateescape"))
        said.seek(0)
        child = os.fork()
        if not child:
            run(asked, (said, out, err))
        _, status = os.waitpid(child, 0)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
        return {"code": os.waitstatus_to_exitcode(status), "out": texts[0], "err": texts[1]}


def run(asked: dict[str, Any], files: tuple[BinaryIO, BinaryIO, BinaryIO]) -> None:
    """Be the command, and end."""
    code: object = 1
    try:
        become(asked, files)
        code = tacit.main()
    except SystemExit as wish:
        code = wish.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def serve() -> None:
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    import_all()
    gc.freeze()
    for line in questions:
        answers.write(json.dumps(answered(json.loads(line))).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    serve()
