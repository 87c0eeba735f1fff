"""Reports and lessons: who is told something, and who only tells what went wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.tables import by_table

from tacit.words.match import choose_same, compare
from tacit.words.prepared import MatchSettings, prepare
from tacit.words.report_or_rule import reports

SAID = json.loads(Path(__file__).with_name("reports_and_lessons.json").read_text())


@pytest.mark.parametrize("text", SAID["reports"])
def test_what_went_wrong_is_a_report(text: str) -> None:
    """However it is put: a sentence, a fragment, the name of an error."""
    assert reports(text)


@pytest.mark.parametrize("text", SAID["lessons"])
def test_whoever_tells_what_to_do_gives_a_lesson(text: str) -> None:
    """When in doubt it is a lesson, of which each word counts."""
    assert not reports(text)


def test_reports_of_one_problem_may_each_have_words_of_their_own() -> None:
    """Of two lessons as far apart nobody would vouch that they are one."""
    finding, known = (
        prepare("Archive function in Messenger doesn't move message"),
        prepare("Message archiving does not work"),
    )
    assert choose_same(finding, [("m", known)], MatchSettings()).id == "m"
    finding, known = (
        prepare("Archive each message of the Messenger function by moving it"),
        prepare("Do archive each message, work it off"),
    )
    assert not choose_same(finding, [("m", known)], MatchSettings()).id


@by_table
def test_reports_of_other_problems_stay_apart(one: str, other: str) -> None:
    """Figures, names and opposites count in reports as they do in lessons."""
    assert not choose_same(prepare(one), [("m", prepare(other))], MatchSettings()).id


def test_a_report_in_another_language_is_read_as_a_lesson() -> None:
    """Where an order is not known by its first word, nothing is taken for a report."""
    assert not prepare("Nach dem Deploy nicht die Migration ausführen, sie ist fehlerhaft").reports
    assert not prepare("Timeout beim Deploy: Worker stoppen, Datenbank sichern").reports
    assert not prepare("遇到 TimeoutError 时重启 worker").reports
    assert prepare("The deploy fails with a timeout").reports


def test_the_first_line_of_a_report_is_sought_in_all_of_the_other() -> None:
    """Two reporters agree on what it is about, and one of them says it further down."""
    one = prepare(
        "Archive function is gone\nSince the update the toolbar of the message window lacks the button that files a mail away by year."
    )
    other = prepare(
        "Message window after update\nThe toolbar lost a button. The archive function is gone, mail cannot be filed away any longer."
    )
    third = prepare(
        "Message window after update\nThe toolbar lost a button. The print preview is gone, mail cannot be put on paper any longer."
    )
    said, unsaid = compare(one, other).parts, compare(one, third).parts
    assert said and unsaid and said["heads"] > unsaid["heads"]
    assert compare(one, other).score > compare(one, third).score


def test_a_title_that_all_have_tells_nothing() -> None:
    """Else every finding under "Code review finding" would be the first one of them."""
    title = "Code review finding in pull request\n"
    one, other = (
        prepare(title + "Handlers of the orders service miss null checks."),
        prepare(title + "Dates are formatted in the server's zone."),
    )
    common = prepare(title + "x y").weights
    assert compare(one, other, lambda term: 0.1 if term in common else 5.0).score < 0.1


def test_rules_with_a_body_are_lessons_still() -> None:
    """A reason below makes no report of an order."""
    why = "\nThe provider charges for each attempt and customers get a mail for every decline; support had forty tickets after the last storm on Sunday."
    one, other = (
        prepare("Retry declined payments once after an hour" + why),
        prepare("Declined payments wait for the customer, retry by hand" + why),
    )
    assert not choose_same(one, [("m", other)], MatchSettings()).id
    assert "is said by one of them only" in choose_same(one, [("m", other)], MatchSettings()).reason


def test_opposite_reports_of_strangers_are_hardly_merged() -> None:
    """Four writers who had not seen the matcher, reports only; the first set was opened while the rules were made, the others after (1, 2 and 0 of 100)."""
    lines = Path(__file__).with_name("reported.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [(pair["a"], pair["b"]) for pair in map(json.loads, lines) if pair["kind"] != "same"]
    assert len(pairs) == 400
    assert (
        sum(
            bool(choose_same(prepare(a), [("m", prepare(b))], MatchSettings()).id) for a, b in pairs
        )
        <= 6
    )
