"""Draws that are the same each time: coins, keys and ids of a test that counts on how they fall."""

from __future__ import annotations

import os
import sys
from collections import Counter
from hashlib import sha256

import pytest


def fix_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whoever draws bytes get the next of their own: what a process made once for all may be made already."""
    calls = Counter[str]()

    def drawn(size: int) -> bytes:
        who = sys._getframe(1).f_code.co_qualname
        calls[who] += 1
        return (sha256(f"{who} {calls[who]}".encode()).digest() * (size // 32 + 1))[:size]

    monkeypatch.setattr(os, "urandom", drawn)
