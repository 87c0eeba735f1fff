"""The only wiring: `open()` finds store, project and profile, and `Memories` has every verb, one module per moment.

Nothing is decided here. Pure judgements live in `core`, each verb's pipeline in its room. A hook pays for every line it loads, so
`Memories` is whole for the reader and the type checker and is put together at run time: the first call of a verb loads its module.
"""

from __future__ import annotations

import os
import sys

from tacit.app.opened import (
    Opened,
    config_path,
    data_folder,
    machine_id,
    open_store_at,
    store_path,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from tacit.app.exchange import Exchange
    from tacit.app.finishing import Finishing
    from tacit.app.looking import Looking
    from tacit.app.origins import OriginVerbs
    from tacit.app.proving import Proving
    from tacit.app.queries import Queries
    from tacit.app.readers import Readers
    from tacit.app.recalling import Recalling
    from tacit.app.replaying import Replaying
    from tacit.app.reviewing import Reviewing
    from tacit.app.team import Team

__all__ = [
    "Memories",
    "config_path",
    "data_folder",
    "machine_id",
    "open",
    "store_path",
]

# Where each verb is, by module; `Opened` has the rest.
_VERBS_BY_MODULE = {
    ("recalling", "Recalling"): "inject recall",
    ("pages", "PageVerbs"): "pages page keep_page",
    (
        "safety",
        "Safety",
    ): "backups_folder backups backup backup_if_due safety_notes restore",
    ("by_hand", "ByHand"): (
        "add add_many edit propose_edit may_change rewrite pin put_on_page forget clear note undo erase figures feedback "
    ),
    ("learning", "Learning"): (
        "learn read rendered desk reader_of context keep_left keep_sessions submit run watched another instruction_lines read_on "
        "read_again moved was_at moved_from vouching came_with_repository "
    ),
    ("looking", "Looking"): "look looks_due looked sessions_left",
    ("readers", "Readers"): "reading_notes reading_trouble retake_exam unread",
    ("proving", "Proving"): "effect effect_of effect_rows said_again audit",
    ("exchange", "Exchange"): "import_ export export_files write_files verify",
    ("tending", "Tending"): "tend fade statistics gone alarms staging",
    ("team", "Team"): "sync sharing share_with join invite news sync_by_itself sync_notes refused",
    ("guarding", "Guarding"): (
        "guards guard_for guardable proposed_form propose_forms reader_asks try_guard arm_guard "
        "disarm_guard offer_guards accept_guard"
    ),
    ("finishing", "Finishing"): "checks try_check arm_check disarm_check",
    (
        "reviewing",
        "Reviewing",
    ): "patch proposals counted_anew for_person worth_a_look review reopen settle takes_more_than_a_number",
    ("queries", "Queries"): (
        "use_profile why log week health reindex explain notes signers exempt withheld_in look_up list "
        "is_told_at_starts"
    ),
    ("replaying", "Replaying"): "plan_replay replay replays replayed keep_work_tree",
    (
        "origins",
        "OriginVerbs",
    ): "check regressions knowledge estimate conventions antipatterns top",
}
_FACETS = {verb: where for where, verbs in _VERBS_BY_MODULE.items() for verb in verbs.split()}
# What people call; the rest is for the command line and the hooks, and `_FACETS` finds it.
_CALLED = (
    "add add_many list get recall inject run watched learn submit edit pin forget erase undo feedback review proposals why log effect audit"
    " tend page sync backup restore import_ health use_profile profile project settings close"
).split()


def open(
    path_or_url: str | None = None,
    project: str | None = None,
    profile: str | None = None,
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    create: bool = True,
    wait: float = 60.0,
    by: str = "",
    yes: bool = False,
    now: Callable[[], str] | None = None,
) -> Memories:
    """Open the memories of a project: the user's store and the folder's project, unless named otherwise.

    `project` is an id, a known project's name, or a folder. `profile` names the way of remembering for a project that has none yet. With
    `create=False` a missing store raises `Unavailable`. `now` is another clock, for tests and simulations.
    Close it, or use it in a `with` block.
    """
    seen = os.environ if env is None else env
    folder = os.path.abspath(cwd or os.getcwd())
    address = store_path(path_or_url, seen)
    store = open_store_at(address, seen, create, wait)
    return Memories(store, seen, folder, project or "", profile or "", by, yes, now)


def _facet(verb: str) -> Any:
    """The class that has a verb; nothing where none has it."""
    if verb not in _FACETS:
        return None
    module, name = _FACETS[verb]
    __import__(f"tacit.app.{module}")
    return getattr(sys.modules[f"tacit.app.{module}"], name)


if TYPE_CHECKING:

    class Memories(
        Replaying,
        OriginVerbs,
        Finishing,
        Reviewing,
        Team,
        Exchange,
        Proving,
        Looking,
        Readers,
        Recalling,
        Queries,
    ):
        pass

else:

    class Memories(Opened):
        """The memories of one project in one store: every verb of the command line, synchronous and typed.

        One object serves one thread. Async callers run its methods in a thread.
        """

        def __getattr__(self, name: str) -> Any:
            """A verb that is called for the first time brings its facet, with what that builds on."""
            facet = None if hasattr(type(self), name) else _facet(name)
            if facet is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            for each in facet.__mro__:
                if not issubclass(Opened, each):
                    for defined, member in vars(each).items():
                        if not defined.startswith("__") and defined not in vars(Memories):
                            setattr(Memories, defined, member)
            return getattr(self, name)

        def __dir__(self) -> Iterable[str]:
            return _CALLED
