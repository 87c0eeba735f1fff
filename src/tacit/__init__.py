"""Tacit: memory that proves it helps.

    import tacit

    with tacit.open() as memories:
        memories.add("Run `make migrate` before the tests.", kind="command")
        print(memories.inject(task="fix the failing tests").markdown)

Public names are resolved when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

__version__ = "0.2.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tacit.core.errors import TacitError as TacitError
    from tacit.memory import Memory as Memory
    from tacit.memory import open as open

__all__ = ["Memory", "TacitError", "__version__", "open"]


def __getattr__(name: str) -> object:
    """A public name, loaded when it is first used."""
    if name == "TacitError":
        from tacit.core.errors import TacitError

        return TacitError
    if name in ("Memory", "open"):
        from tacit.memory import Memory, open

        return Memory if name == "Memory" else open
    raise AttributeError(f"module 'tacit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


def main(argv: Sequence[str] | None = None) -> int:
    """The command `tacit`. A hook is answered without the command line being loaded: every prompt waits for it."""
    import sys

    args = sys.argv[1:] if argv is None else argv
    if args[:1] == ["hook"]:
        from tacit.hooks.main import main as hook

        return at_once(hook, args[1:], argv is None)
    from tacit.cli import main as command

    return command(argv)


def at_once(command: Callable[[Sequence[str]], int], args: Sequence[str], leave: bool) -> int:
    """Run what a prompt waits for: one answer, and out. Nothing it makes lives long enough to be collected, and a process
    that may leave ends without tearing its interpreter down: what was acknowledged is on disk."""
    import gc
    import os
    import sys

    gc.disable()
    try:
        code = command(args)
        if leave:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        return code
    except KeyboardInterrupt:
        return 130
    finally:
        gc.freeze()  # with its counts at zero the collector, switched on again, does not look at everything at once
        gc.unfreeze()
        gc.enable()
