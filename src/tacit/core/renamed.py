"""Names by which others may know a thing of ours that is called otherwise now: they get it, and are told the new name.

A module that had such names keeps them in `_OLD_NAMES`; its `__getattr__` stands out of the type checker's sight, so that our own code
knows the new ones only.
"""

from __future__ import annotations

import sys
import warnings


def renamed(module: str, old: str, new: str) -> object:
    """What a module now has under another name."""
    warnings.warn(f"{module}.{old} is now {module}.{new}", DeprecationWarning, stacklevel=3)
    return getattr(sys.modules[module], new)
