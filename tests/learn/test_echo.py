"""What Tacit put into a run is taken out of it before anything is learned, and citations are told from chance."""

from __future__ import annotations

from tests.tables import by_table

from tacit.core.run import Finding, Run, Step
from tacit.reading.echo import cited, strip_echo

LESSON = "Run `mix format` before committing."
STAGING = "The staging database must be migrated before the worker starts"


def run(*steps: Step, findings: tuple[Finding, ...] = (), task: str = "") -> Run:
    return Run("r1", "test", steps, findings, task=task)


def said(text: str, role: str = "user") -> Step:
    return Step(role, "line:1", text=text)


@by_table
def test_text_between_fences_goes_and_what_stands_around_stays(text: str, left: str) -> None:
    shown, kept = (run(said(each), Step("system", "line:1", output=each)) for each in (text, left))
    assert strip_echo(shown, [LESSON]) == kept


def test_recorded_lines_go_from_text_output_error_and_task() -> None:
    """A line that says what a given lesson says is ours, with or without bullet, id and emphasis."""
    line = "- [k3v9x2m4q7ab] Run **mix format** before committing"
    step = Step("tool", "line:2", tool="Bash", output=f"a\n{line}\nb", error=f"bad\n{line}")
    cleaned = strip_echo(run(said(f"{line}\nfix it"), step, task=f"{LESSON}\nfix it"), [LESSON])
    assert cleaned == run(
        said("fix it"),
        Step("tool", "line:2", tool="Bash", output="a\nb", error="bad\n"),
        task="fix it",
    )


def test_a_failed_step_stays_failed() -> None:
    """Removing the whole error must not turn a failure into a success."""
    step = Step("tool", "line:2", tool="Bash", error=LESSON)
    assert strip_echo(run(step), [LESSON]) == run(
        Step("tool", "line:2", tool="Bash", error="failed")
    )


def test_agents_that_hand_a_lesson_back_say_nothing_new_reviewers_do() -> None:
    """An agent's copy of a lesson is an echo; a reviewer's report of the same problem is a report."""
    echo = Finding("r1", "p1", "run mix format before committing", tier="agent")
    report = Finding("r1", "p2", "run mix format before committing", tier="review")
    assert strip_echo(run(findings=(echo, report)), [LESSON]) == run(findings=(report,))


def test_cited_by_id() -> None:
    """Naming a lesson's id cites it; a longer word that contains the id does not."""
    spoken = run(said("Following k3v9x2m4q7ab here, not zz-k3v9x2m4q7ac.", "assistant"))
    assert cited(spoken, ["k3v9x2m4q7ab", "k3v9x2m4q7a"], ["one", "two"]) == {"k3v9x2m4q7ab"}


@by_table
def test_cited_by_a_phrase_of_its_own(text: str, task: str, is_cited: bool) -> None:
    assert cited(run(said(text, "assistant"), task=task), ["a"], [STAGING]) == (
        {"a"} if is_cited else set()
    )
