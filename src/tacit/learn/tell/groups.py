"""What fails in a project again and again, grouped: one line instead of eight lessons.

What does not work here (a command, option, subcommand, field or path that sessions tried in vain) is one line, each with what worked
instead where two lineages agree on it. A hook that refuses commits is one line with the checks to run before.
Linters have theirs in `lessons`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from tacit.core.value import grouped
from tacit.learn.command import commands
from tacit.learn.own_commands import why_not_own
from tacit.learn.tell import lessons
from tacit.learn.tell.instructions import MADE_PATHS
from tacit.stores.incidents import Form, Noted
from tacit.words.diagnose import NOT_HERE

PACKAGES = 5  # of one item
MOST_ITEMS = 8  # of one line: the most often met
_LONGEST = 400  # characters of that line; a longer one is cut where it is given
BARE_OPTION = "(no such option)"  # without what works instead: worth a place in a line, and no line of its own
_CHECKED = frozenset("lint format types compile test".split())


def of_missing(
    met: Sequence[Noted], forms: Sequence[Form], here: Callable[[str], bool]
) -> lessons.ToldLesson | None:
    """What does not work here, in one line. `here` tells whether a path exists by now; `forms` what passes after all."""
    by_mark = grouped(met, lambda each: each.incident.mark)
    passing = {
        call.program: form.passed for form in reversed(forms) for call in lessons.calls_of(form)[:1]
    }
    told: list[tuple[str, str, list[Noted]]] = _packages(by_mark)
    for mark in sorted(by_mark, key=lambda mark: (-_lineages(by_mark[mark]), mark)):
        same = by_mark[mark]
        one = same[0].incident
        count = _lineages(same)
        if (
            one.nature != "env"
            or one.family == "module"
            or count < lessons.LINEAGES
            or (one.family == "path" and here(one.name))
        ):
            continue
        if one.family == "command" and passing.get(one.name, 0) >= count:
            continue
        said = _item(same, forms)
        if said:
            told.append((said, mark, same))
        if len(told) > 2 * MOST_ITEMS:
            break
    if not told or (len(told) == 1 and told[0][0].endswith(BARE_OPTION)):
        return None
    # The most often met are told, in the order they were first met: a line that merely changes its order starts its trial anew.
    order = list(by_mark)
    told = sorted(
        _fitting(sorted(told, key=lambda each: -_lineages(each[2]))),
        key=lambda each: order.index(each[1]),
    )
    text = _line([said for said, _, _ in told])
    named = dict.fromkeys(note.incident.mark for _, _, same in told for note in same)
    about: dict[str, tuple[str, ...]] = {}
    for said, _, same in told:
        missing = same[0].incident.name if same[0].incident.family == "command" else ""
        for program in [missing] if missing else lessons.printed_by(same):
            about[program] = (*about.get(program, ()), said)
    return lessons.ToldLesson(
        NOT_HERE,
        text,
        "pitfall",
        tuple(note for _, _, same in told for note in same),
        tags=tuple(named),
        about=about,
    )


def _line(items: Sequence[str]) -> str:
    return f"Does not work here: {', '.join(items)}."


def _fitting(told: Sequence[tuple[str, str, list[Noted]]]) -> list[tuple[str, str, list[Noted]]]:
    """Of the things that do not work the first that make one line together: what is cut off at its end is told to nobody."""
    kept: list[tuple[str, str, list[Noted]]] = []
    for each in told:
        if (
            len(kept) < MOST_ITEMS
            and len(_line([*(said for said, _, _ in kept), each[0]])) <= _LONGEST
        ):
            kept.append(each)
    return kept


def _packages(by_mark: dict[str, list[Noted]]) -> list[tuple[str, str, list[Noted]]]:
    """Packages that a check does not find, where nothing was seen to bring them: one cause, and not the work in hand."""
    by_program: dict[str, list[list[Noted]]] = {}
    for same in by_mark.values():
        one = same[0].incident
        if (
            one.family == "module"
            and one.nature == "env"
            and _lineages(same) >= lessons.GUESSED
            and not lessons.cure(same, ("command",))
        ):
            called = Counter(each.incident.program for each in same)
            # a commit's hook runs the check itself
            program = max(called, key=lambda program: (program != lessons.COMMIT, called[program]))
            by_program.setdefault(program, []).append(same)
    told = []
    for program, found in by_program.items():
        names = ", ".join(f"`{same[0].incident.name}`" for same in found[:PACKAGES])
        notes = [note for same in found[:PACKAGES] for note in same]
        told.append((f"{names} in `{program}` (not installed)", notes[0].incident.mark, notes))
    return told


def _item(same: Sequence[Noted], forms: Sequence[Form]) -> str:
    """One thing that does not work, why, and what does; empty where nobody could do anything with it."""
    one = same[0].incident
    program, often = Counter(each.incident.program for each in same).most_common(1)[0]
    first = program.split(" ")[0]
    instead = lessons.cure(same, ("form",))
    lost, gained = lessons.changed_words(instead)
    if one.family == "command":
        first_run = "" if instead else lessons.cure(same, ("command",))
        if first_run and why_not_own(first_run):
            return ""  # it waits for a person as a line of its own (`lessons.of_failure`)
        way = f": run `{first_run}` before" if first_run else _instead(instead)
        return (
            f"`{one.name}` (no such command{way})" if way else ""
        )  # without a way out it is the person's to know
    if one.family == "usage" and one.code == "subcommand":
        called = program if program.endswith(f" {one.name}") else f"{program} {one.name}"
        leave_out = (
            f": run `{one.name}` itself" if lost == first and not gained else _instead(instead)
        )
        return f"`{called}` (no such subcommand{leave_out})"
    # there the pattern is meant for the shell
    listing = [each for each in same if each.incident.program.split(" ")[0] == "ls"]
    if one.family == "glob" and _lineages(same) - _lineages(listing) >= lessons.GUESSED:
        return "an unquoted pattern that matches nothing (quote it)"
    if one.family == "github" and one.code == "Repository" and _lineages(same) >= lessons.GUESSED:
        return f"a guessed repository in `{first}` (`git remote -v` names it)"
    passes = any(
        form.passed and call.called == program for form in forms for call in lessons.calls_of(form)
    )
    if one.family == "script" and not passes:
        return (
            f"`{program}` (no such script{_instead(instead)})" if often >= lessons.LINEAGES else ""
        )
    if often < lessons.LINEAGES or all(call.purpose == "run" for call in commands(program)):
        return ""  # several programs that have nothing in common, or the very thing that is being built
    if one.family == "usage" and one.code == "option":
        return f"`{program} {one.name}` (no such option{f': use `{gained}`' if gained and lost == one.name else ''})"
    if one.family == "usage" and one.code == "field":
        return f"`{one.name}` of `{program}` (no such field)"
    if one.family == "usage" and often >= lessons.GUESSED:
        return f"several names behind `{program}` (it takes one)"
    if one.family == "cargo" and lost and not gained:
        return f"`{program} {lost}` ({one.code})"
    if one.family == "binary" and gained:
        return f"running `{program}` for another system (only compile: `{gained}`)"
    if one.family == "github" and one.code.startswith("logs"):
        return f"logs of a workflow that still runs in `{program}` (wait for its end)"
    # a folder that is not there may only be not there from below
    at_root = {each.lineage for each in same if not each.incident.folder}
    if one.family == "path" and len(at_root) >= lessons.GUESSED and not MADE_PATHS.match(one.name):
        return f"`{one.name}` (no such path)"
    return ""


def _instead(instead: str) -> str:
    """What worked instead."""
    lost, gained = lessons.changed_words(instead)
    if instead.startswith("as ") and not why_not_own(instead.removeprefix("as ")):
        return f": run it as `{instead.removeprefix('as ')}`"
    if lost and not gained:
        return f": leave `{lost}` out"
    return ""


def of_hook(
    met: Sequence[Noted],
    findings: Sequence[Sequence[Noted]],
    forms: Sequence[Form],
    lines: Sequence[str],
) -> lessons.ToldLesson | None:
    """What to run before a commit that a hook may refuse; told where no instruction file speaks of the hook.

    `findings` are what commits printed, each with everything that printed the same: a check that finds it too is what the hook runs.
    """
    hook = met[0].incident.code
    if _lineages(met) < lessons.LINEAGES or any(hook in line for line in lines):
        return None
    found_by = Counter(
        each.incident.program
        for same in findings
        for each in same
        if each.incident.family in _CHECKED and each.incident.program != lessons.COMMIT
    )
    named: list[str] = []
    for program, _ in found_by.most_common():
        calls = {form: lessons.calls_of(form) for form in forms if not form.folder}
        best = lessons.best_form(
            form for form in calls if any(call.called == program for call in calls[form])
        )
        if best is not None and f"`{best.text}`" not in named:
            named.append(f"`{best.text}`")
    if not named:  # nobody ran it by itself, but its findings say what the hook runs
        named = _linters(findings)
    if not named:
        return None
    told, it = (
        (named[0], "it rejects") if len(named) == 1 else (" and ".join(named[:2]), "they reject")
    )
    text = f"Before `{lessons.COMMIT}`, run {told}: the {hook} hook refuses what {it}."
    run = tuple(each.strip("`") for each in named[:2] if each.startswith("`"))
    return lessons.ToldLesson(
        met[0].incident.mark, text, "rule", tuple(met), about={lessons.COMMIT: ()}, advises=run
    )


def of_foreign(met: Sequence[Noted]) -> lessons.ToldLesson | None:
    """A check that reports what it finds in somebody else's code, which lies in the project: no agent should mend or delete that."""
    programs = lessons.printed_by(met)
    if met[0].incident.family != "foreign" or not programs:
        return None
    told = " and ".join(f"`{program}`" for program in programs[:2]) + (
        " reports" if len(programs) == 1 else " report"
    )
    text = f"What {told} in `{met[0].incident.name}` is not this project's code: do not mend it, look at the rest."
    return lessons.ToldLesson(
        met[0].incident.mark, text, "pitfall", tuple(met), about=dict.fromkeys(programs, ())
    )


def _linters(findings: Sequence[Sequence[Noted]]) -> list[str]:
    """The linters whose findings commits printed in two lineages, whatever the rules were."""
    met: dict[str, set[str]] = {}
    for each in (each for same in findings for each in same):
        if (
            each.incident.program == lessons.COMMIT
            and each.incident.nature == "convention"
            and each.incident.tool
        ):
            met.setdefault(each.incident.tool, set()).add(each.lineage)
    often = sorted(
        (tool for tool in met if len(met[tool]) >= lessons.LINEAGES),
        key=lambda tool: (-len(met[tool]), tool),
    )
    return [f"{tool} over what you changed" for tool in often[:1]]


def _lineages(met: Sequence[Noted]) -> int:
    return len({each.lineage for each in met})
