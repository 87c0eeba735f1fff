"""A condition on a call as a person types it, or as a reader proposes it for a lesson: a closed form, and nothing else.

git push --force, git push -f          any of these calls
npm install: instead pnpm install      and what to do instead
git commit: first make test            where the second did not run since the last such call
git push: on main                      on this branch
rm: unless -i                          not where the call holds this word
edit src/gen/*.ts                      a change of such a file
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.core.errors import UsageError
from tacit.core.value import value
from tacit.guards.command import WRAPPERS, read
from tacit.guards.condition import Condition
from tacit.guards.finish import NAME, Check, check_of

EXAMPLES = (
    "For instance 'git push --force', 'npm install: instead pnpm install', "
    "'git commit: first make test', 'git push: on main', 'edit src/gen/*.ts'."
)
_CLAUSES = ("first", "on", "unless", "instead")
MOST = 20  # lessons in one question

QUESTION = """Below are lessons of a project, numbered. Some of them order what a program can check: on a
single command or edit before a coding agent makes it ("call"), or when the agent says that its work is done
("end"). For those write the condition in one of these forms:

call  git push --force, git push -f          such a command is not to be run
call  npm install: instead pnpm install      the same, and the command to run instead
call  git commit: first make test            not before the second ran since the last such command
call  git push: on main                      not on this branch
call  edit src/gen/*.ts                      such a file is not to be changed
end   ran make test after src/*.py           the command passed after the last change of such a file
end   with src/*.py: CHANGELOG.md            where the first changed, the second did too
end   holds *.json: key meta.author          a file that was written has this key; also "time due_date" (date,
                                             time and offset), "name {date}_{snake}.json", "copy .bak"
end   not package-lock.json                  such a file is left as it was

Take only commands, options, branches, files and keys that the lesson itself names. A lesson with a condition
that nothing of this shows ("unless asked", "when the API changed"), or that orders no such thing, has no form:
leave it out. Answer with JSON only: {"forms": [{"lesson": 1, "when": "call", "form": "git push --force"}]}

"""


@value
class Form:
    """A condition as it is typed, and whether it is about the end of the work."""

    text: str
    end: bool = False


def condition_of(typed: str) -> tuple[Condition, str]:
    """A condition and what to do instead; UsageError where the text is none of the forms."""
    text = " ".join(typed.split())
    if text.startswith("edit "):
        files = tuple(each.removeprefix("./") for each in _listed(text.removeprefix("edit ")))
        if files:
            return Condition(files=files), ""
    said, _, rest = text.partition(": ")
    calls = tuple(_row(each, typed) for each in _listed(said))
    clauses = dict(_clause(each, typed) for each in rest.split("; ") if each)
    if not calls:
        raise UsageError(f"{typed[:80]!r} names no call.", EXAMPLES)
    first = tuple(_row(each, typed) for each in _listed(clauses.get("first", "")))
    on = tuple(_listed(clauses.get("on", "")))
    unless = tuple((each,) for each in clauses.get("unless", "").split())
    instead = clauses.get("instead", "") or (" ".join(first[0]) if first else "")
    return Condition(calls=calls, unless=unless, branch=on, first=first), instead


def _listed(text: str) -> list[str]:
    return [each for part in text.split(",") if (each := part.strip())]


def _row(call: str, typed: str) -> tuple[str, ...]:
    if call in WRAPPERS:
        return (call,)
    found = read(call)
    if not found or len(found) != 1 or not found[0].words:
        raise UsageError(f"{call[:80]!r} in {typed[:80]!r} is not one plain command.", EXAMPLES)
    return (found[0].program, *found[0].words[1:])


def _clause(text: str, typed: str) -> tuple[str, str]:
    name, _, said = text.partition(" ")
    if name not in _CLAUSES or not said:
        raise UsageError(f"{text[:80]!r} in {typed[:80]!r} says nothing of a call.", EXAMPLES)
    return name, said


def question(texts: Sequence[str]) -> str:
    """What a reader is asked about lessons that name no condition yet."""
    return QUESTION + "\n".join(f"{n}. {' '.join(text.split())}" for n, text in enumerate(texts, 1))


def proposed(rows: Sequence[Mapping[str, object]], texts: Sequence[str]) -> dict[int, Form]:
    """The forms of an answer that hold, by the lesson's place: each of its names stands in the lesson."""
    found: dict[int, Form] = {}
    for row in rows:
        place, form, end = row.get("lesson"), row.get("form"), row.get("when") == "end"
        if not isinstance(place, int) or not isinstance(form, str) or not 0 < place <= len(texts):
            continue
        try:
            names = _names_of_check(check_of(form)) if end else _names(condition_of(form)[0])
        except UsageError:
            continue
        if all(name in texts[place - 1].lower() for name in names):
            found[place - 1] = Form(form, end)
    return found


def _names(condition: Condition) -> set[str]:
    """What a condition names; a verb of git's may stand without its program."""
    rows = (*condition.calls, *condition.first, *condition.unless)
    words = {word for row in rows for word in (row[1:] if row[0] == "git" else row)}
    return {each.lower() for each in (*words, *condition.branch, *condition.files)}


def _names_of_check(check: Check) -> set[str]:
    """What a check names; the parts of a name in braces are forms, and any file is none."""
    said = "" if check.wants == NAME else check.what
    words = (*check.call, check.partner, said, *check.files)
    return {plain for each in words if (plain := each.lower().strip("*/"))}
