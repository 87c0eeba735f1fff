"""What a loop's iterations teach: strategies, anti-patterns, estimates and conventions (AIWG's Ralph).

A format that knows iterations puts them into `Run.extra["iterations"]`; the four functions here read them, by the
numbers and wordings of the profile, and any profile may switch them on by name. Ralph keeps four kinds of learning:

    strategy     an approach that more than half of the successful iterations name
    antipattern  a failure that occurred twice
    estimate     how many iterations, how long each, how complex
    convention   what the names of the changed files betray

Its figures (`confidence`, `success_rate`, and `content` field for field) travel with the finding. When a later loop
brings a learning that is known, `pooled` puts the figures of both together; the original stored it a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tacit.core.digest import short_hash
from tacit.core.profile import Profile
from tacit.core.run import Finding, Run
from tacit.core.value import Section, replace, value
from tacit.lesson import Lesson
from tacit.origins.filing import task_type

AVOID = "Avoid: "
COMPLEXITIES = ("low", "medium", "high")
COMPLEXITY = (2, 5)  # low up to two iterations and files, medium up to five
KEPT_EXAMPLES = 3  # files with a convention
PHRASE_LEAST, PHRASE_MOST = 10, 100  # characters of an approach or failure that fits no phrase
SURE_AFTER = 5  # completed iterations over which the confidence of an estimate grows
FILES_OF_A_HABIT = 2  # files of one folder and suffix that make a habit


@value
class Iteration:
    """One round of a loop."""

    number: int
    status: str  # completed, failed or crashed
    duration: float = 0.0  # milliseconds
    progress: bool = False
    errors: tuple[str, ...] = ()
    learnings: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def iterated(run: Run, profile: Profile) -> Iterator[Finding]:
    """Everything that the extractors which are on derive from a run's iterations."""
    rounds = iterations_of(run)
    if not rounds or (run.extra or {}).get("open"):  # extraction is for a loop that is over
        return
    task = task_type(run, profile)
    for name, derive in ITERATED.items():
        how = profile.extract.extractors.get(name)
        if how is not None:
            for finding in derive(rounds, run, profile.extract, how):
                yield replace(finding, kind=how.kind or name, task_type=finding.task_type or task)


def iterations_of(run: Run) -> tuple[Iteration, ...]:
    """A run's iterations, as its format put them down."""
    noted = (run.extra or {}).get("iterations", ())
    plain, listed = ("number", "status", "duration", "progress"), ("errors", "learnings", "files")
    return tuple(
        Iteration(*(each[name] for name in plain), *(tuple(each[name]) for name in listed))
        for each in noted
    )


def strategies(
    rounds: Sequence[Iteration], run: Run, rules: Section, how: Section
) -> Iterator[Finding]:
    """Approaches that more than half of the successful iterations name; an iteration counts once, however often it says so."""
    good = [each for each in rounds if each.status == "completed" and each.progress]
    counts: dict[str, int] = {}
    for each in good:
        for approach in dict.fromkeys(approach_of(text, rules) for text in each.learnings):
            if approach:
                counts[approach] = counts.get(approach, 0) + 1
    for approach, count in counts.items():
        share = count / len(good)
        if 2 * count > len(good):
            content = {"description": approach, "effectiveness": share, "iterations": count}
            yield _finding(run, "strategy", approach, "agent", min(share, how.cap), share, content)


def antipatterns(
    rounds: Sequence[Iteration], run: Run, rules: Section, how: Section
) -> Iterator[Finding]:
    """Failures that occurred at least twice in failed iterations."""
    failed = [each for each in rounds if each.status == "failed"]
    counts: dict[str, int] = {}
    for each in failed:
        for error in each.errors:
            if pattern := _phrased(error, rules.failures):
                counts[pattern] = counts.get(pattern, 0) + 1
    for pattern, count in counts.items():
        if count >= how.count:
            text = AVOID + pattern
            content = {"description": text, "occurrences": count, "impact": "high"}
            yield _finding(
                run,
                "antipattern",
                text,
                "observed",
                min(count / len(failed), how.cap),
                0.0,
                content,
            )


def estimates(
    rounds: Sequence[Iteration], run: Run, rules: Section, how: Section
) -> Iterator[Finding]:
    """What such a task takes, from its completed iterations."""
    done = [each for each in rounds if each.status == "completed"]
    if not done:
        return
    total = int((run.extra or {}).get("total", len(rounds)))
    mean = sum(each.duration for each in done) / len(done)
    success = len(done) / len(rounds)
    complexity = complexity_of(total, len({file for each in rounds for file in each.files}))
    content = {
        "avgIterationTime": mean,
        "totalIterations": total,
        "complexity": complexity,
        "successRate": success,
    }
    text = f"Tasks of {complexity} complexity: ~{total} iterations, ~{int(mean / 1000 + 0.5)}s per iteration"
    sure = min(len(done) / SURE_AFTER, how.cap)
    yield _finding(run, "estimate", text, "observed", sure, success, content)


def conventions(
    rounds: Sequence[Iteration], run: Run, rules: Section, how: Section
) -> Iterator[Finding]:
    """Habits that the names of the changed files betray; they hold for every type of task."""
    files = list(dict.fromkeys(file for each in rounds for file in each.files))
    for rule in rules.conventions:
        text, examples = (
            rule.text,
            [file for file in files if _betrays(file, rule.holds, rule.ends)],
        )
        if "{folder}" in text:
            folder, suffix, examples = _shared(examples)
            text = text.format(folder=folder, suffix=suffix)
        if examples:
            content = {"pattern": text, "examples": examples[:KEPT_EXAMPLES]}
            found = _finding(run, "convention", text, "observed", rule.confidence, 1.0, content)
            yield replace(found, task_type="general", paths=tuple(examples[:KEPT_EXAMPLES]))


ITERATED: dict[str, Callable[[Sequence[Iteration], Run, Section, Section], Iterator[Finding]]] = {
    "strategy": strategies,
    "antipattern": antipatterns,
    "estimate": estimates,
    "convention": conventions,
}


def approach_of(text: str, rules: Section) -> str:
    """The approach that an iteration's own words stand for; its first hundred characters where no phrase fits."""
    return _phrased(text, rules.approaches)


def complexity_of(iterations: int, files: int) -> str:
    """low up to two iterations and two files, medium up to five and five, else high."""
    return next(
        (
            word
            for word, most in zip(COMPLEXITIES, COMPLEXITY)
            if iterations <= most and files <= most
        ),
        "high",
    )


def pooled(
    memory: Lesson, finding: Finding, cap: float
) -> tuple[Finding, Mapping[str, Any]] | None:
    """A known learning met in another loop: the finding with the figures of both, and the content to keep.

    None where there is nothing to put together. An approach counts over the iterations of all its loops; a failure over
    all its occurrences, and its confidence never falls because other things failed, too.
    """
    was, now = _content(memory.extra), _content(finding.extra)
    if not was or not now:
        return None
    joined = dict(was)
    sure, success = finding.confidence, (finding.extra or {}).get("success_rate")
    if _positive(was, "effectiveness", "iterations") and _positive(
        now, "effectiveness", "iterations"
    ):
        used = was["iterations"] + now["iterations"]
        share = used / (
            was["iterations"] / was["effectiveness"] + now["iterations"] / now["effectiveness"]
        )
        joined.update(effectiveness=share, iterations=used)
        sure, success = min(share, cap), share
    elif _positive(was, "occurrences") and _positive(now, "occurrences"):
        joined["occurrences"] = was["occurrences"] + now["occurrences"]
        sure = max(sure or 0.0, memory.tally.confidence or 0.0)
    elif isinstance(was.get("examples"), list) and isinstance(now.get("examples"), list):
        joined["examples"] = list(dict.fromkeys([*was["examples"], *now["examples"]]))[
            : max(3, len(was["examples"]))
        ]
    else:
        return None
    extra = {**(finding.extra or {}), "success_rate": success}
    return replace(finding, confidence=sure, extra=extra), {
        **(memory.extra or {}),
        "content": joined,
    }


def _finding(
    run: Run,
    name: str,
    text: str,
    tier: str,
    confidence: float,
    success: float,
    content: Mapping[str, Any],
) -> Finding:
    return Finding(
        run=run.id,
        place=f"iterations/{short_hash(name, text)}",
        text=text,
        extractor=name,
        by=run.host,
        tier=tier,
        at=run.ended_at,
        confidence=confidence,
        extra={"content": content, "success_rate": success},
    )


def _phrased(text: str, phrases: Iterable[Section]) -> str:
    low = text.lower()
    for each in phrases:
        if any(word in low for word in each.any) or (
            each.all and all(word in low for word in each.all)
        ):
            return each.text
    return text[:PHRASE_MOST] if len(text) > PHRASE_LEAST else ""


def _betrays(file: str, holds: Sequence[str], ends: Sequence[str]) -> bool:
    return any(part in file for part in holds) or any(file.endswith(end) for end in ends)


def _shared(files: Sequence[str]) -> tuple[str, str, list[str]]:
    """The folder and suffix that most files share, the first of equal ones; no files where fewer than two share any."""
    groups: dict[tuple[str, str], list[str]] = {}
    for file in files:
        folder, _, name = file.rpartition("/")
        stem, dot, suffix = name.rpartition(".")
        if folder and stem:
            groups.setdefault((folder, dot + suffix), []).append(file)
    if not groups:
        return "", "", []
    (folder, suffix), mine = max(groups.items(), key=lambda each: len(each[1]))
    return folder, suffix, mine if len(mine) >= FILES_OF_A_HABIT else []


def _content(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    content = (extra or {}).get("content")
    return content if isinstance(content, dict) else {}


def _positive(content: Mapping[str, Any], *names: str) -> bool:
    return all(isinstance(at := content.get(name), (int, float)) and at > 0 for name in names)


# What `hookspecs` finds here by name.
POLICIES: Mapping[str, Any] = {"iterated": iterated, "pooled": pooled}
