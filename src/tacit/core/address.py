"""Addresses of servers, as people write them."""

from __future__ import annotations

SCHEMES = ("postgresql://", "postgres://")


def is_far(address: str) -> bool:
    """Whether something is on a server."""
    return address.startswith(SCHEMES)


def without_password(url: str) -> str:
    """An address without its password, wherever it stands."""
    head, at, rest = url.rpartition("@")
    scheme, _, user = head.partition("://")
    plain = f"{scheme}://{user.split(':')[0]}@{rest}" if at else url
    place, mark, options = plain.partition("?")
    kept = "&".join(option for option in options.split("&") if not option.startswith("password="))
    return place + (mark if kept else "") + kept
