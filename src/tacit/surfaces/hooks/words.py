"""Words to and from the person at a host: what a start tells them; and `tacit keep 1 3`, `tacit drop 2`, and nothing else on the line.

The hook only notes the wish, with what the numbers stood for just then. It is done when the session is learned if the transcript's own mark
says that a person typed that very line, at an entry point where people type; never for what a program, an agent's shell, a paste, a
sub-agent or a notification said. What is held because it would act, install or send takes more than a number: it is kept at a terminal.
"""

from __future__ import annotations

from tacit.core.value import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tacit.app import Memories
    from tacit.core.run import Run
    from tacit.hosts.dialect import Event, HookAnswer

_WORDS = ("keep", "drop")
_MOST = 20  # numbers of one line
_WORD_WITHIN = 0.15  # seconds for what an agent waits for
TAKEN_CARE_OF = "The line above is the person's word to Tacit, their memory, and is taken care of: do nothing about it, and answer “ok”."


def meaning(text: str) -> tuple[str, list[int]] | None:
    """What a line says, if it is such a word and nothing else."""
    said = text.split()
    if (
        len(said) < 3
        or len(said) > _MOST + 2
        or said[0].casefold() != "tacit"
        or said[1] not in _WORDS
    ):
        return None
    numbers = all(each.isdecimal() and len(each) < 4 for each in said[2:])
    return (said[1], [int(each) for each in said[2:]]) if numbers else None


def noted(memories: Memories, event: Event, line: str) -> HookAnswer | None:
    """Write a wish down; None where the line is none, or nobody could have typed it."""
    from tacit.core.errors import Unavailable
    from tacit.hosts import shell_mark
    from tacit.hosts.dialect import HookAnswer

    found = meaning(line)
    if (
        found is None
        or memories.project is None
        or event.context
        or shell_mark(memories.env, event.session)
    ):
        return None
    shown = loads(memories.store.meta(f"shown:{memories.project_id}") or "[]")
    ids = [shown[n - 1] for n in found[1] if 0 < n <= len(shown)]
    if len(ids) < len(found[1]):
        return HookAnswer(
            TAKEN_CARE_OF, "Tacit: a number was never shown; nothing is done (tacit shows them)."
        )
    wishes = [
        *_wishes(memories, event.session),
        {"text": " ".join(line.split()), "do": found[0], "ids": ids},
    ]
    try:
        with memories.store.write(wait=_WORD_WITHIN) as tx:
            tx.put_meta(_key(event.session), dumps(wishes))
    except Unavailable:
        return HookAnswer(TAKEN_CARE_OF, "Tacit: the store is busy; say it once more.")
    return HookAnswer(
        TAKEN_CARE_OF,
        f"Tacit: noted, {found[0]} {' '.join(map(str, found[1]))}; done after this turn.",
    )


def _key(session: str) -> str:
    return f"word:{session}"


def _wishes(near: Any, session: str) -> list[dict[str, Any]]:
    store = getattr(near, "store", near)
    try:
        found = loads(store.meta(_key(session)) or "[]")
    except ValueError:
        return []
    return found if isinstance(found, list) else []


def fulfilled(
    near: Any, home: Memories, session: str, runs: Iterable[Run], over: bool
) -> list[str]:
    """Do what was noted for a session and stands typed in its transcript; what was done, a line each."""
    from tacit.core.errors import TacitError
    from tacit.core.trust import Actor
    from tacit.surfaces.passing import word_done

    wishes = _wishes(near, session)
    if not wishes:
        return []
    typed = [
        " ".join(step.text.split())
        for run in runs
        for step in run.steps
        if step.typed and step.text and not step.agent
    ]
    told: list[str] = []
    left: list[dict[str, Any]] = []
    home.actor = Actor(home.env.get("USER") or "you", "user", "typed at the host's prompt")
    for wish in wishes:
        if wish["text"] not in typed:
            left.append(wish)
            continue
        typed.remove(wish["text"])
        for id in wish["ids"]:
            try:
                if wish["do"] == "keep" and _is_held(home, id):
                    told.append(f"{id}: it waits for you at a terminal (tacit review)")
                else:
                    told.append(
                        f"{id}: {word_done(home, id, wish['do'], 'typed at the host')['did']}"
                    )
            except TacitError as error:
                told.append(f"{id}: {error.message}")
    with near.write() as tx:
        tx.put_meta(_key(session), dumps([] if over else left))
    return told


def _is_held(home: Memories, id: str) -> bool:
    """Whether it is, or asks about, a lesson that is held."""
    asked = next((each for each in home.proposals() if each.id == id), None)
    found = home.store.memories([asked.memory if asked and asked.memory else id])
    return any(memory.gate != "allow" for memory in found)


def receipt(memories: Memories) -> str:
    """What the worker noted of this project's last session, told once."""
    key = f"receipt:{memories.project_id}"
    if not memories.project_id or not memories.store.meta(key).partition("\t")[2]:
        return ""
    with memories.store.write(wait=_WORD_WITHIN) as tx:
        unit, _, rest = tx.meta(key).partition("\t")
        line = rest.partition("\t")[0]
        tx.put_meta(key, f"{unit}\t")
    return f"tacit, last session: {line}" if line else ""


def left_out(memories: Memories) -> str:
    """What of the settings here does not count, told once for each version of the files."""
    key = f"config:{memories.project_id}"
    compiled = memories.store.meta(key)
    if '"left_out": ["' not in compiled or '"told": true' in compiled:
        return ""
    from tacit.guard.one_line import plain_line

    known = loads(compiled)
    with memories.store.write(wait=_WORD_WITHIN) as tx:
        tx.put_meta(key, dumps({**known, "told": True}))
    more = "; tacit doctor tells the rest" if len(known["left_out"]) > 1 else ""
    return f"tacit: {plain_line(known['left_out'][0], 300)}{more}"
