"""Tacit: memory that proves it helps.

    import tacit

    with tacit.open() as memories:
        memories.add("Run `make migrate` before the tests.", kind="command")
        print(memories.inject(task="fix the failing tests").markdown)

Public names are resolved when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.app import Memories as Memories
    from tacit.app import open as open
    from tacit.core.errors import TacitError as TacitError
    from tacit.core.memory import Memory as Memory

_WHERE = {
    "open": "tacit.app",
    "Memories": "tacit.app",
    "TacitError": "tacit.core.errors",
    "Memory": "tacit.core.memory",
}
__all__ = ["Memories", "Memory", "TacitError", "__version__", "open"]


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    import sys

    module = _WHERE[name]
    __import__(module)
    return getattr(sys.modules[module], name)
