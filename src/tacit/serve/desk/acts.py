"""What a person does at the desk: a word about a row of the one screen or about a lesson, and taking it back."""

from __future__ import annotations

from tacit.core.errors import NotFound, UsageError
from tacit.core.value import value
from tacit.learn import correcting, reviewing
from tacit.memory import Memory as Memories
from tacit.screens.numbers import need_same_words
from tacit.screens.passing import question_meant, word_done, yours_now
from tacit.screens.timeline import short

_SIGNALS = ("wrong", "outdated")


@value
class Done:
    """What was done, for the next screen to say, and by what it is taken back."""

    said: str
    undo: str = ""  # the id of a lesson or a question


def row_word(desk: Memories, id: str, do: str, text: str, words: str) -> Done:
    """Keep, drop or reword what a row of the one screen stands for; `words` is the digest of what stood there."""
    if do not in ("keep", "drop", "edit"):
        raise UsageError(f"{do[:40]!r} is no word about a row.", "keep, drop or edit")
    if do == "edit":
        return _reworded(desk, id, text)
    done = word_done(desk, id, do, words=words)
    return Done(f"{_plain(done['did'])}: {short(done['text'])}", done["id"])


def lesson_word(desk: Memories, id: str, do: str, text: str, reason: str, words: str) -> Done:
    """Keep, pin, reword, doubt or drop one lesson."""
    memory = desk.get(id)
    if do == "edit":
        return _reworded(desk, memory.id, text, reason)
    if do == "keep":
        need_same_words(desk, memory.id, memory.id, words)
        reviewing.review(desk, memory.id, "approve", reason=reason)
        said = "kept, it is your word now"
    elif do in ("pin", "unpin"):
        correcting.pin(desk, memory.id, do == "pin", reason=reason)
        said = "always given from now on" if do == "pin" else "given as others are"
    elif do == "drop":
        correcting.forget(desk, memory.id, reason=reason)
        said = "dropped"
    elif do in _SIGNALS:
        correcting.feedback(desk, memory.id, do, reason=reason)
        return Done(f"noted that it {'was wrong' if do == 'wrong' else 'is outdated'}")
    else:
        raise UsageError(
            f"{do[:40]!r} cannot be done with a lesson.", "keep, pin, edit, wrong, outdated, drop"
        )
    return Done(f"{said}: {short(memory.text)}", memory.id)


def undo(desk: Memories, id: str) -> Done:
    """Take back the last change of a lesson, or the answer to a question."""
    try:
        [memory] = desk.undo(id)
    except NotFound as unknown:
        try:
            found = reviewing.reopen(desk, id)
        except NotFound:
            raise unknown from None
        return Done(f"took back; it waits for your answer again: {short(found.reason)}")
    return Done(f"took back: {short(memory.text)}")


def _reworded(desk: Memories, id: str, text: str, reason: str = "") -> Done:
    text = text.strip()
    if not text:
        raise UsageError("Edit to what?", "Write the better words.")
    question = question_meant(desk, id)
    if question is not None:
        reviewing.review(desk, question.id, "edit", text=text)
        return Done(f"answered with your words: {short(text)}", question.id)
    was = desk.get(id)
    desk.edit(id, text=text, reason=reason)
    return Done(f"{_plain(yours_now(desk, was, 'reworded'))}: {short(text)}", id)


def _plain(did: str) -> str:
    """What was done, without the command that takes it back: here a button does."""
    return did.partition(" (tacit undo ")[0]
