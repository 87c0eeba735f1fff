"""At any time: does it help?

`lookback` replays the transcripts already on the machine and needs no store. What the room offers is loaded when it is
first named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.lookback.report import look_back as look_back
    from tacit.lookback.result import Lookback as Lookback

_WHERE = {
    "Lookback": "tacit.lookback.report",
    "look_back": "tacit.lookback.report",
}
__all__ = ["Lookback", "look_back"]


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'tacit.prove' has no attribute {name!r}")
    import sys

    module = _WHERE[name]
    __import__(module)
    return getattr(sys.modules[module], name)
