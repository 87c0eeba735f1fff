"""What Tacit put into a run is taken out of it before anything is learned, and citations are told from chance."""

from __future__ import annotations

import json

from tacit.core.run import Finding, Run, Step
from tacit.learn.echo import cited, strip_echo

LESSON = "Run `mix format` before committing."


def run(*steps: Step, findings: tuple[Finding, ...] = (), task: str = "") -> Run:
    return Run("r1", "test", steps, findings, task=task)


def said(text: str, role: str = "user") -> Step:
    return Step(role, "line:1", text=text)


def test_fenced_notes_go_and_what_stands_around_them_stays() -> None:
    """Text between the fences of one nonce is removed."""
    text = 'before\n<tacit-notes id="n1">\n- [abc] Never push.\n</tacit-notes id="n1">\nafter'
    assert strip_echo(run(said(text)), ()) == run(said("before\n\nafter"))


def test_an_unclosed_fence_runs_to_the_end() -> None:
    """A host that cut the text cut the closing tag with it."""
    assert strip_echo(run(said('before\n<tacit-notes id="n1">\n- Never push.\n- Al')), ()) == run(said("before\n"))


def test_a_closing_tag_of_another_id_does_not_close() -> None:
    """A lesson that contains a closing tag must not open a door for what follows it."""
    text = '<tacit-notes id="n1">\n</tacit-notes id="x">\nAlways use npm.\n</tacit-notes id="n1">\nrest'
    assert strip_echo(run(said(text)), ()) == run(said("\nrest"))


def test_fences_inside_json_are_found() -> None:
    """Hooks answer in JSON, and a transcript keeps their words with escaped quotes."""
    noted = json.dumps({"additionalContext": 'x <tacit-notes id="n1">\n- Never push.\n</tacit-notes id="n1"> y'})
    step = Step("system", "line:1", output=noted)
    assert strip_echo(run(step), ()) == run(Step("system", "line:1", output='{"additionalContext": "x  y"}'))


def test_recorded_lines_go_from_text_output_error_and_task() -> None:
    """A line that says what a given lesson says is ours, with or without bullet, id and emphasis."""
    line = "- [k3v9x2m4q7ab] Run **mix format** before committing"
    step = Step("tool", "line:2", tool="Bash", output=f"a\n{line}\nb", error=f"bad\n{line}")
    cleaned = strip_echo(run(said(f"{line}\nfix it"), step, task=f"{LESSON}\nfix it"), [LESSON])
    assert cleaned == run(
        said("fix it"), Step("tool", "line:2", tool="Bash", output="a\nb", error="bad\n"), task="fix it"
    )


def test_a_failed_step_stays_failed() -> None:
    """Removing the whole error must not turn a failure into a success."""
    step = Step("tool", "line:2", tool="Bash", error=LESSON)
    assert strip_echo(run(step), [LESSON]) == run(Step("tool", "line:2", tool="Bash", error="failed"))


def test_a_sentence_that_only_contains_a_lesson_stays() -> None:
    """The person may repeat a lesson in their own words; only whole lines are ours."""
    step = said("As the notes say, run `mix format` before committing, and also before review.")
    assert strip_echo(run(step), [LESSON]) == run(step)


def test_agents_that_hand_a_lesson_back_say_nothing_new_reviewers_do() -> None:
    """An agent's copy of a lesson is an echo; a reviewer's report of the same problem is a report."""
    echo = Finding("r1", "p1", "run mix format before committing", tier="agent")
    report = Finding("r1", "p2", "run mix format before committing", tier="review")
    assert strip_echo(run(findings=(echo, report)), [LESSON]) == run(findings=(report,))


def test_a_run_without_our_words_is_unchanged() -> None:
    """Nothing of ours in it: the same run comes back."""
    plain = run(said("fix the parser"), Step("tool", "line:2", tool="Bash", output="a\n\nb\n"), task="t")
    assert strip_echo(plain, [LESSON]) == plain


def test_cited_by_id() -> None:
    """Naming a lesson's id cites it; a longer word that contains the id does not."""
    spoken = run(said("Following k3v9x2m4q7ab here, not zz-k3v9x2m4q7ac.", "assistant"))
    assert cited(spoken, ["k3v9x2m4q7ab", "k3v9x2m4q7a"], ["one", "two"]) == {"k3v9x2m4q7ab"}


def test_cited_by_a_phrase() -> None:
    """Five words in a row are the lesson's own; scattered words are not."""
    lesson = "The staging database must be migrated before the worker starts"
    spoken = run(said("As noted, the staging database must be migrated first.", "assistant"))
    chance = run(said("The worker of the database starts.", "assistant"))
    assert (cited(spoken, ["a"], [lesson]), cited(chance, ["a"], [lesson])) == ({"a"}, set())


def test_words_the_person_used_are_not_a_citation() -> None:
    """An agent that repeats its task has not read the lesson."""
    lesson = "The staging database must be migrated before the worker starts"
    task = "The staging database must be migrated today"
    spoken = run(said("The staging database must be migrated, so I start.", "assistant"), task=task)
    assert cited(spoken, ["a"], [lesson]) == set()


def test_notes_quoted_back_whole_are_no_citation() -> None:
    """Only the agent's own words count, not the fence it copied."""
    fence = f'<tacit-notes id="n1">\n- [a1b2] {LESSON}\n</tacit-notes id="n1">'
    assert cited(run(said(fence, "assistant")), ["a1b2"], [LESSON]) == set()
