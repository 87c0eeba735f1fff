"""How many functions of ours one command enters, imports left out, and how many of our modules it loads: python bench/entered.py keep 1.

The command runs in this process, in the store and project of the folder that it is called from.
"""

from __future__ import annotations

import os
import sys
from types import FrameType

import tacit

ROOT = os.path.dirname(os.path.abspath(tacit.__file__))


def entered(args: list[str]) -> set[tuple[str, str]]:
    """The functions of ours that a command enters, by file and name."""
    found: set[tuple[str, str]] = set()
    importing = 0

    def looked(frame: FrameType, event: str, _: object) -> None:
        nonlocal importing
        code = frame.f_code
        if code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        is_ours = code.co_filename.startswith(ROOT) and not code.co_name.startswith("<")
        if event == "call" and is_ours and not importing:
            found.add((code.co_filename, code.co_qualname))

    sys.setprofile(looked)
    try:
        tacit.main(args)
    finally:
        sys.setprofile(None)
    return found


if __name__ == "__main__":
    functions = entered(sys.argv[1:])
    modules = [name for name in sys.modules if name.split(".")[0] == "tacit"]
    print(f"{len(functions)} functions entered, {len(modules)} modules loaded", file=sys.stderr)
