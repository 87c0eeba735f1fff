"""Time as text: ISO 8601 in UTC with milliseconds, which sorts as it reads. `datetime` is not needed to write it."""

from __future__ import annotations

import time

DAY = 86400.0


def now() -> str:
    """The time, for example 2026-11-15T02:16:50.123Z."""
    return stamp(time.time())


def stamp(seconds: float) -> str:
    """A Unix time as text."""
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{thousandths:03d}Z"


def seconds(text: str) -> float:
    """The Unix time of an ISO text, with or without time, fraction and zone; 0 for what is none."""
    try:
        days = _days(int(text[0:4]), int(text[5:7]), int(text[8:10]))
        if len(text) == 10:
            return days * DAY
        clock = int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19] or 0)
        rest = text[19:]
        digits = len(rest) - len(rest[1:].lstrip("0123456789")) if rest.startswith(".") else 0
        fraction = float("0" + rest[:digits]) if digits > 1 else 0.0
        zone = rest[digits:]
        shift = (
            0.0
            if zone in ("", "Z", "z")
            else (int(zone[1:3]) * 3600 + int(zone[-2:]) * 60) * (-1 if zone[0] == "-" else 1)
        )
        return days * DAY + clock + fraction - shift
    except (ValueError, IndexError):
        return 0.0


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar; `calendar` and `strptime` would load half the standard library."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError("no date")
    year -= month <= 2
    era_day = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return year * 365 + year // 4 - year // 100 + year // 400 + era_day - 719468


def days_between(earlier: str, later: str) -> float:
    """Days from one text to the other; 0 where either is missing."""
    a, b = seconds(earlier), seconds(later)
    return (b - a) / DAY if a and b else 0.0


def after_days(text: str, days: float) -> str:
    """The time so many days after a text."""
    return stamp(seconds(text) + days * DAY)
