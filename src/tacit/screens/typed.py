"""A word typed to an agent: `tacit keep 1 3`, `tacit drop 2`, and nothing else on the line.

The hook only notes the wish, with what the numbers stood for just then, and says those words again. It is done when the session is
learned if the transcript's own mark says that a person typed that very line, at an entry point where people type; never for what a
program, an agent's shell, a paste, a sub-agent or a notification said, and never about words that changed since they were shown. What
is held because it would act, install or send takes more than a number: it is kept at a terminal.
"""

from __future__ import annotations

from tacit.core.value import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tacit.core.run import Run
    from tacit.hosts.dialect import Event, HookAnswer
    from tacit.memory import Memory as Memories
    from tacit.store.reads import Store

_WORDS = ("keep", "drop")
CHANGED = "the words of {} changed since they were shown"
_MOST = 20  # numbers of one line
_SAID_AGAIN = 300  # characters of each lesson that is named by its number
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
    from tacit.screens.numbers import is_number

    numbers = all(map(is_number, said[2:]))
    return (said[1], [int(each) for each in said[2:]]) if numbers else None


def noted(memories: Memories, event: Event, line: str) -> HookAnswer | None:
    """Write a wish down; None where the line is none, or nobody could have typed it."""
    from tacit.core.errors import Unavailable
    from tacit.hosts import shell_mark
    from tacit.hosts.dialect import HookAnswer
    from tacit.safety.one_line import plain_line
    from tacit.screens.numbers import ROWS, digest_of, read_shown, words_of

    found = meaning(line)
    if (
        found is None
        or memories.project is None
        or event.context
        or shell_mark(memories.env, event.session)
    ):
        return None
    shown = read_shown(memories.store.meta(f"{ROWS}:{memories.project_id}"))
    rows = {n: shown.rows[n] for n in found[1] if n in shown.rows}
    why = "" if len(rows) == len({*found[1]}) else "a number was never shown"
    for n, (id, words) in rows.items():
        why = why or ("" if digest_of(memories, id) == words else CHANGED.format(n))
    if why:
        return HookAnswer(TAKEN_CARE_OF, f"Tacit: {why}; nothing is done (tacit shows them).")
    asked = {"text": " ".join(line.split()), "do": found[0], "rows": [*rows.values()]}
    wishes = [*_wishes(memories.store, event.session), asked]
    try:
        with memories.store.write(wait=_WORD_WITHIN) as tx:
            tx.put_meta(_key(event.session), dumps(wishes))
    except Unavailable:
        return HookAnswer(TAKEN_CARE_OF, "Tacit: the store is busy; say it once more.")
    named = (f"{n} “{plain_line(words_of(memories, rows[n][0]), _SAID_AGAIN)}”" for n in rows)
    return HookAnswer(
        TAKEN_CARE_OF, f"Tacit: noted, {found[0]} {', '.join(named)}; done after this turn."
    )


def _key(session: str) -> str:
    return f"word:{session}"


def _wishes(store: Store, session: str) -> list[dict[str, Any]]:
    try:
        found = loads(store.meta(_key(session)) or "[]")
    except ValueError:
        return []
    return found if isinstance(found, list) else []


def fulfilled(home: Memories, session: str, runs: Iterable[Run], over: bool) -> list[str]:
    """Do what was noted for a session and stands typed in its transcript; what could not be done, a line each."""
    from tacit.core.errors import TacitError
    from tacit.core.trust import Actor
    from tacit.learn import correcting
    from tacit.screens.numbers import shown_here
    from tacit.screens.passing import word_done

    wishes = _wishes(home.store, session)
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
    number_of = shown_here(home).numbers
    for wish in wishes:
        if wish["text"] not in typed:
            left.append(wish)
            continue
        typed.remove(wish["text"])
        for id, words in wish["rows"]:
            name = f"tacit {wish['do']} {number_of.get(id, id)}"
            try:
                if wish["do"] == "keep" and correcting.takes_more_than_a_number(home, id):
                    told.append(f"{name}: it waits for you at a terminal (tacit review)")
                else:
                    word_done(home, id, wish["do"], "typed at the host", name, words)
            except TacitError as error:
                said = error.message
                told.append(said if said.startswith(name) else f"{name}: {said}")
    with home.store.write() as tx:
        tx.put_meta(_key(session), dumps([] if over else left))
    return told
