"""What a loop's iterations teach: strategies, anti-patterns, estimates and conventions.

The format puts the iterations into `Run.extra["iterations"]`. The figures of a learning (`confidence`,
`success_rate`, and `content` field for field) travel with its finding. When a later loop brings one
that is known, `pooled` puts the figures of both together; the original stored it a second time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tacit.core.digest import short_hash
from tacit.core.profile import Profile
from tacit.core.run import Finding, Run
from tacit.core.value import replace, value
from tacit.lesson import Lesson
from tacit.origins.filing import task_type

AVOID = "Avoid: "
COMPLEXITIES = (("low", 2), ("medium", 5))  # up to so many iterations and files; else high
KEPT_EXAMPLES = 3  # files with a convention
PHRASE_LEAST, PHRASE_MOST = 10, 100  # characters of an approach or failure that fits no phrase
SURE_AFTER = 5  # "Min(completed/5, 0.9)": completed iterations over which an estimate grows sure
FILES_OF_A_HABIT = 2  # files of one folder and suffix that make a habit

# A wording that stands for many: chosen if any of the first words occurs, or all of the second.
Phrases = Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]
APPROACHES: Phrases = (
    ("Test-driven development approach", ("test-driven",), ("test", "first")),
    ("Incremental implementation", ("incremental", "step by step"), ()),
    ("Implement first, refactor after", (), ("refactor", "after")),
    ("Minimal changes approach", ("small change", "minimal"), ()),
)
FAILURES: Phrases = (
    ("Syntax errors - check code carefully before execution", ("syntax", "parse"), ()),
    ("Null/undefined errors - add validation checks", ("undefined", "null"), ()),
    ("Timeout errors - break into smaller steps", ("timeout", "timed out"), ()),
    (
        "Permission errors - check file/directory permissions",
        ("permission", "access denied"),
        (),
    ),
    (
        "Module not found - verify dependencies installed",
        ("cannot find module",),
        ("module", "not found"),
    ),
)
# A habit that file names betray by what they hold or end in, and how sure it is.
CONVENTIONS = (
    ("Tests co-located with source or in test/ directory", 0.7, (".test.", ".spec."), ()),
    ("ES modules (.mjs) or TypeScript (.ts)", 0.8, (), (".mjs", ".ts")),
)
ORGANISED, ORGANISED_SURE = "Source files ({suffix}) organised under {folder}", 0.6  # doc


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
    """All that a loop which is over teaches, in a project that is like way."""
    extra = run.extra or {}
    rounds = [Iteration(**each) for each in extra.get("iterations", ())]
    if not rounds or extra.get("open"):
        return
    task = task_type(run, profile)
    for derive in (strategies, antipatterns, estimates, conventions):
        for finding in derive(rounds, run, profile):
            yield replace(finding, kind=finding.extractor, task_type=finding.task_type or task)


def strategies(rounds: Sequence[Iteration], run: Run, way: Any) -> Iterator[Finding]:
    """Approaches that more than half of the successful iterations name; an iteration counts once, however often it says so."""
    good = [each for each in rounds if each.status == "completed" and each.progress]
    named = [dict.fromkeys(_phrased(text, APPROACHES) for text in each.learnings) for each in good]
    for approach, count in Counter(text for each in named for text in each if text).items():
        share = count / len(good)
        if 2 * count > len(good):
            content = {"description": approach, "effectiveness": share, "iterations": count}
            figures = (min(share, way.STRATEGY_CAP), share)
            yield _finding(run, "strategy", approach, content, *figures, tier="agent")


def antipatterns(rounds: Sequence[Iteration], run: Run, way: Any) -> Iterator[Finding]:
    """Failures that occurred at least twice in failed iterations."""
    failed = [each for each in rounds if each.status == "failed"]
    said = [_phrased(error, FAILURES) for each in failed for error in each.errors]
    for pattern, count in Counter(text for text in said if text).items():
        if count >= way.FAILED_TWICE:
            text = AVOID + pattern
            content = {"description": text, "occurrences": count, "impact": "high"}
            sure = min(count / len(failed), way.ANTIPATTERN_CAP)
            yield _finding(run, "antipattern", text, content, sure, 0.0)


def estimates(rounds: Sequence[Iteration], run: Run, way: Any) -> Iterator[Finding]:
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
    sure = min(len(done) / SURE_AFTER, way.ESTIMATE_CAP)
    yield _finding(run, "estimate", text, content, sure, success)


def conventions(rounds: Sequence[Iteration], run: Run, way: Any) -> Iterator[Finding]:
    """Habits that the names of the changed files betray; they hold for every type of task."""
    files = list(dict.fromkeys(file for each in rounds for file in each.files))
    found = []
    for text, sure, holds, ends in CONVENTIONS:
        betray = [each for each in files if each.endswith(ends) or any(at in each for at in holds)]
        found.append((text, sure, betray))
    folder, suffix, examples = _shared(files)
    found.append((ORGANISED.format(folder=folder, suffix=suffix), ORGANISED_SURE, examples))
    for text, sure, examples in found:
        if examples:
            content = {"pattern": text, "examples": examples[:KEPT_EXAMPLES]}
            made = _finding(run, "convention", text, content, sure, 1.0)
            yield replace(made, task_type="general", paths=tuple(examples[:KEPT_EXAMPLES]))


def complexity_of(iterations: int, files: int) -> str:
    """low up to two iterations and two files, medium up to five and five, else high."""
    most = max(iterations, files)
    return next((word for word, bound in COMPLEXITIES if most <= bound), "high")


def pooled(
    memory: Lesson, finding: Finding, cap: float
) -> tuple[Finding, Mapping[str, Any]] | None:
    """A known learning met in another loop: the finding with the figures of both, and what to keep; None where there is nothing to join.

    An approach counts over the iterations of all its loops; a failure over all its occurrences, and its confidence never
    falls because other things failed, too.
    """
    was, now = ((each or {}).get("content") or {} for each in (memory.extra, finding.extra))
    sure, success = finding.confidence, (finding.extra or {}).get("success_rate")
    if _positive(was, now, "effectiveness", "iterations"):
        used = was["iterations"] + now["iterations"]
        share = used / sum(each["iterations"] / each["effectiveness"] for each in (was, now))
        joined = {**was, "effectiveness": share, "iterations": used}
        sure, success = min(share, cap), share
    elif _positive(was, now, "occurrences"):
        joined = {**was, "occurrences": was["occurrences"] + now["occurrences"]}
        sure = max(sure or 0.0, memory.tally.confidence or 0.0)
    elif isinstance(was.get("examples"), list) and isinstance(now.get("examples"), list):
        every = list(dict.fromkeys([*was["examples"], *now["examples"]]))
        joined = {**was, "examples": every[: max(KEPT_EXAMPLES, len(was["examples"]))]}
    else:
        return None
    extra = {**(finding.extra or {}), "success_rate": success}
    kept = {**(memory.extra or {}), "content": joined}
    return replace(finding, confidence=sure, extra=extra), kept


def _finding(
    run: Run,
    name: str,
    text: str,
    content: Mapping[str, Any],
    confidence: float,
    success: float,
    tier: str = "observed",
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


def _phrased(text: str, phrases: Phrases) -> str:
    """The wording that a text stands for; its first hundred characters where none fits."""
    low = text.lower()
    for said, some, every in phrases:
        if any(word in low for word in some) or (every and all(word in low for word in every)):
            return said
    return text[:PHRASE_MOST] if len(text) > PHRASE_LEAST else ""


def _shared(files: Sequence[str]) -> tuple[str, str, list[str]]:
    """The folder and suffix that most files share, the first of equal ones; no files where fewer than two share any."""
    groups: dict[tuple[str, str], list[str]] = {}
    for file in (each for each in files if "/" in each):
        folder, _, name = file.rpartition("/")
        stem, dot, suffix = name.rpartition(".")
        if folder and stem:
            groups.setdefault((folder, dot + suffix), []).append(file)
    (folder, suffix), mine = max(
        groups.items(), key=lambda each: len(each[1]), default=(("", ""), [])
    )
    return folder, suffix, mine if len(mine) >= FILES_OF_A_HABIT else []


def _positive(was: Mapping[str, Any], now: Mapping[str, Any], *names: str) -> bool:
    figures = [each.get(name) for each in (was, now) for name in names]
    return all(isinstance(at, (int, float)) and at > 0 for at in figures)
