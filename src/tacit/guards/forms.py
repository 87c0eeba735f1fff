"""Which command serves a purpose here: the form that passes, as sessions ran it."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.reading.command import Command, commands
from tacit.stores.incidents import Form

LINEAGES = 2  # in which it passed
TASK_SHARE = (
    0.25  # of the best form's passes: then the project's own task goes before what it wraps
)


def best_form(forms: Iterable[Form]) -> Form | None:
    """The form that passed in most lineages; the project's own task before what it wraps."""
    passing = [
        form
        for form in forms
        if form.passed >= LINEAGES and form.passed > form.failed and not form.single
    ]
    if not passing:
        return None
    most = max(form.passed for form in passing)
    tasks = [
        form
        for form in passing
        if form.passed >= TASK_SHARE * most and any(call.task for call in calls_of(form))
    ]
    return max(tasks or passing, key=lambda form: (form.passed, -len(form.text), form.text))


def calls_of(form: Form) -> tuple[Command, ...]:
    """The calls of a form; what it names in angle brackets is no redirection."""
    return commands(form.text.replace("<", "").replace(">", ""))
