"""Of what waits for a person whoever said it, what a reader finds harmless: an address that the project's own files hold."""

from __future__ import annotations

import re
from collections.abc import Callable

from tacit.learn.hazard import ADDRESS as ADDRESS
from tacit.learn.hazard import asks_person

_ADDRESSES = re.compile(
    r"\b[a-z][a-z\d+]*://[^\s`'\"<>()]+|\bgit@[\w.-]+:[^\s`'\"<>()]+|\b\d{1,3}(?:\.\d{1,3}){3}\b", re.I
)


def asks_beside(text: str, known: Callable[[str], bool]) -> str:
    """Why a lesson waits for the person's word, where an address that the project's own files hold (`known`) leads nowhere new."""
    reason = asks_person(text)
    if reason != ADDRESS:
        return reason
    return asks_person(_ADDRESSES.sub(lambda found: " " if known(found[0].rstrip("/.,;:")) else found[0], text))
