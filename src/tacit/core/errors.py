"""What can go wrong, as one short tree. A message says what was being done, what was found, and what to do next.

    TacitError                      1  something failed
    ├── UsageError                  2  the call itself is off
    │   ├── TextInvalid                a lesson's text cannot be kept as it is
    │   ├── OriginUnknown              there is no origin of that name here
    │   └── ConfigInvalid              a configuration file cannot be used
    ├── NotFound                    3  no such memory, run, project, entry …
    │   └── Ambiguous                  a shortened id fits several
    ├── Unavailable                 4  busy, unreachable, not allowed or full: nothing is lost, try again
    │   ├── StoreBusy                  another process holds the store longer than we may wait
    │   ├── StoreReadOnly              the file, its folder or its disk cannot be written
    │   ├── StoreOther                 written by another version of Tacit
    │   ├── MissingExtra               an optional package is not installed
    │   └── ModelUnavailable           the model did not answer, or may not be asked; rules go on alone
    ├── Damaged                     5  what is stored does not verify
    │   └── NotAStore                  the file is something else, or cut short
    └── Refused                     1  a rule says no: an illegal move, a missing approval, an agent acting as a person

The number is the exit code of the command line; expected outcomes (a discarded finding, an empty recall) are results, not errors.
"""

from __future__ import annotations


def many_of(one: str) -> str:
    """lessons, memories, days."""
    return f"{one[:-1]}ies" if one.endswith("y") and one[-2:-1] not in tuple("aeiou") else f"{one}s"


def numbered(n: int, one: str, many: str = "") -> str:
    """1 session, 2 sessions, 12,000 sessions."""
    return f"{n:,} {one if n == 1 else many or many_of(one)}"


class TacitError(Exception):
    """Something failed."""

    exit_code = 1
    code = "failed"

    def __init__(self, message: str = "", hint: str = "") -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.hint = hint
        super().__init__(self.message)

    @property
    def json(self) -> dict[str, str]:
        """As every surface answers it."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(TacitError):
    """The call is not one Tacit understands."""

    exit_code = 2
    code = "usage"


class TextInvalid(UsageError):
    """The text cannot be kept as it is."""

    code = "text_invalid"


class OriginUnknown(UsageError):
    """There is no origin of that name here."""

    code = "origin_unknown"


class ConfigInvalid(UsageError):
    """The configuration cannot be used."""

    code = "config_invalid"


class NotFound(TacitError):
    """There is nothing by that name."""

    exit_code = 3
    code = "not_found"


class Ambiguous(NotFound):
    """The shortened id fits several."""

    code = "ambiguous"


class Unavailable(TacitError):
    """The store cannot be used right now; nothing is lost."""

    exit_code = 4
    code = "unavailable"


class NoStore(Unavailable):
    """There is no store there."""

    exit_code = 3
    code = "no_store"


class StoreBusy(Unavailable):
    """Another process held the store for too long; nothing was changed."""

    code = "busy"


class StoreReadOnly(Unavailable):
    """The store cannot be written; nothing was changed."""

    code = "read_only"


class StoreOther(Unavailable):
    """The store was written by another version of Tacit."""

    code = "other_version"


class MissingExtra(Unavailable):
    """An optional package is not installed."""

    code = "missing_extra"


class ModelUnavailable(Unavailable):
    """The model cannot be asked right now; rules go on alone."""

    code = "model_unavailable"

    def __init__(
        self, message: str = "", hint: str = "", *, why: str = "failed", after: float = 0.0
    ) -> None:
        super().__init__(message, hint)
        self.why = why  # one word, under which it is counted
        self.after = after  # seconds for which the other side wants to be left alone


class Damaged(TacitError):
    """What is stored does not verify."""

    exit_code = 5
    code = "damaged"


class NotAStore(Damaged):
    """The file is not a Tacit store."""

    code = "not_a_store"


class NoFile(NotAStore):
    """A folder, a pipe or a device was named where a store's file is meant."""

    exit_code = 2


class Refused(TacitError):
    """A rule says no."""

    code = "refused"
