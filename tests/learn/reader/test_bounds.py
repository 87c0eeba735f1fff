"""Where the reader's bounds lie: the last that is still in, the first that is out."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from tacit.core.memory import Memory
from tacit.core.rows import Found as Near
from tacit.core.rows import Hit
from tacit.core.run import Step
from tacit.learn.reader import answer, cures, exam, excerpt, prompt
from tacit.learn.reader.check import find_quote
from tacit.learn.reader.read import postponed
from tacit.learn.reader.remembered import headings_of, remembered
from tacit.learn.reader.render import Line, Rendering, parts_of_session, rendered
from tacit.stores.readings import Reading
from tacit.testing import run, say, tool, user


def words(size: int) -> str:
    """A text of so many characters."""
    return ("lorem ipsum dolor " * (size // 18 + 1))[: size - 1] + "x"


def line(number: int, letter: str, text: str, step: int = 0, place: str = "") -> Line:
    return Line(number, letter, text, text, step, place)


def cut(number: int, letter: str, whole: str, step: int = 0) -> Line:
    """A line of which nothing is shown by itself."""
    return Line(number, letter, "", whole, step, "")


def shown(*steps: Step, letter: str = "") -> list[Line]:
    return [
        each for each in rendered(run("r", *steps)).lines if not letter or each.letter == letter
    ]


def by_host(text: str) -> Step:
    return Step("system", "s", text=text)


def spoken(speaker: str) -> Any:
    return lambda text: Step("user", "u", text=text, speaker=speaker)


CUT = {
    "what was pasted": (300, spoken("pasted"), "Q"),
    "a plan": (450, spoken("plan"), "P"),
    "a command of the host": (150, spoken("command"), "S"),
    "a note of the host": (150, by_host, "S"),
    "a call": (110, lambda text: tool(text, "ok"), "T"),
}


@pytest.mark.parametrize("what", CUT)
def test_what_is_longer_than_its_bound_is_cut(what: str) -> None:
    most, step, letter = CUT[what]
    [whole], [cut] = (
        shown(step(words(most)), letter=letter),
        shown(step(words(most + 1)), letter=letter),
    )
    assert (whole.text, whole.whole) == (words(most), words(most))
    assert (cut.text, cut.whole) == (f"{words(most + 1)[:most]} …", words(most + 1))


@pytest.mark.parametrize(
    ("text", "after", "most"),
    [
        ("", [], 450),
        ("", [user("thanks")], 450),
        ("", [say("more")], 150),
        ("because ", [say("more")], 550),
        ("because ", [], 550),
    ],
)
def test_the_agents_words_are_cut_by_what_they_are(text: str, after: list[Step], most: int) -> None:
    """Its last word in a turn, a cause that it gives, and all else."""
    for size in (most, most + 1):
        said = text + words(size - len(text))
        first = shown(say(said), *after)[0].text
        assert first == (said if size == most else f"{said[:most]} …")


def test_a_note_of_the_host_is_short() -> None:
    assert [len(each.whole) for each in shown(by_host(words(400)), by_host(words(401)))] == [400]


def test_of_a_failure_four_lines_are_shown_each_up_to_its_bound() -> None:
    four = "\n".join(f"line {n}" for n in range(4))
    assert shown(tool("make", error=four), letter="E")[0].text.count(" ⏎ ") == 3
    five = f"{four}\n{words(180)}y"
    [failed] = shown(tool("make", error=five), letter="E")
    assert failed.text.count(" ⏎ ") == 3 and failed.text.endswith(f" ⏎ {words(180)} …")


def test_two_calls_that_only_look_are_shown_of_a_row() -> None:
    looks = [Step("tool", f"t{n}", tool="Read", input={"file_path": f"{n}.py"}) for n in range(4)]
    assert [each.text for each in shown(*looks)] == ["Read 0.py", "Read 1.py"]
    assert len(shown(*looks[:3], say("so"), looks[3])) == 4


def test_what_was_noted_is_kept_up_to_its_bound() -> None:
    def noted(text: str) -> str:
        edit = {"file_path": "CLAUDE.md", "content": text}
        return shown(Step("tool", "t", tool="Write", input=edit, files=("CLAUDE.md",)))[
            0
        ].whole.partition("noted: ")[2]

    assert noted(words(2400)) == words(2400) and noted(words(2401)) == words(2401)[:2400]


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("ab c def", words(90) + " ab c def", True),
        ("ab c de", words(90) + " ab c de", False),
        ("abcdef ghijkl", words(90) + " abcdef ghijkl", False),
        ("abcdef", "abcdef ghijk", True),
        ("abcdef", "abcdef ghijkl", False),
        ("…", "anything at all", False),
    ],
)
def test_a_quote_is_three_words_of_eight_characters_or_half_its_line(
    quote: str, text: str, found: bool
) -> None:
    assert (find_quote(answer.Quote(1, quote), [line(1, "U", text)]) is not None) is found


def test_around_a_quote_a_long_message_is_cut_at_its_sentences() -> None:
    quote = answer.Quote(1, "here it stands")
    short = words(480 - 15) + " here it stands"
    found = find_quote(quote, [line(1, "U", short)])
    assert found is not None and found.around == short
    long = words(300) + " here it stands " + words(300)
    found = find_quote(quote, [line(1, "U", long)])
    assert found is not None and found.around == long[301 - 240 : 315 + 240].strip()
    sentences = (
        f"{words(200)}. One more. {words(40)}. Then here it stands for good. And {words(400)}"
    )
    found = find_quote(quote, [line(1, "U", sentences)])
    assert (
        found is not None
        and found.around == f"One more. {words(40)}. Then here it stands for good."
    )


def test_of_two_lines_that_hold_a_quote_the_nearest_counts() -> None:
    lines = [line(number, "U", "the very same words") for number in (1, 5, 9)]
    nearest = {
        at: find_quote(answer.Quote(at, "the very same words"), lines) for at in (0, 3, 4, 8, 20)
    }
    assert {at: found.line.number for at, found in nearest.items() if found} == {
        0: 1,
        3: 1,
        4: 5,
        8: 9,
        20: 9,
    }


def test_fields_of_a_lesson_are_cut_at_their_bounds() -> None:
    for over in (0, 1):
        about = {
            "topic": words(80 + over),
            "names": [words(80 + over), *"0123456"],
            "files": [f"{n}.py" for n in range(7)],
        }
        row = {"text": words(500 + over), "quotes": [{"line": 1, "words": "w"}], "about": about}
        [lesson] = answer.lessons_of(json.dumps({"lessons": [row]}), 1)
        assert (lesson.text, lesson.topic) == (words(500 + over)[:500], words(80 + over)[:80])
        assert lesson.names == ((words(80),) if not over else ()) and len(lesson.files) == 6


@pytest.mark.parametrize(
    ("sign", "kept"),
    [
        ({"in": "E", "text": "no such table: runs"}, ("E", "no such table: runs")),
        ({"in": "E", "words": "elevenchars"}, ("", "")),
        ({"in": "E", "words": "twelve chars"}, ("E", "twelve chars")),
        ({"in": "T", "words": words(201)}, ("T", words(201)[:200])),
        ({"in": "U", "words": words(200)}, ("U", words(200))),
        ({"in": "A", "words": "twelve chars"}, ("", "")),
        ({"words": "twelve chars"}, ("", "")),
        ("twelve chars", ("", "")),
    ],
)
def test_a_sign_is_twelve_characters_or_more_where_it_can_show(
    sign: Any, kept: tuple[str, str]
) -> None:
    row = {"text": "t", "quotes": [{"line": 1, "words": "w"}], "sign": sign}
    [lesson] = answer.lessons_of(json.dumps({"lessons": [row]}), 1)
    assert (lesson.sign_in, lesson.sign) == kept


def test_quotes_are_three_and_each_is_cut() -> None:
    rows = [{"line": n, "words": f"{n}{words(400)}"} for n in range(4)]
    [lesson] = answer.lessons_of(json.dumps({"lessons": [{"text": "t", "quotes": rows}]}), 1)
    assert [(quote.line, quote.words) for quote in lesson.quotes] == [
        (n, f"{n}{words(400)}"[:400]) for n in range(3)
    ]


@pytest.mark.parametrize(("typed", "most"), [(0, 8), (24, 8), (31, 8), (32, 9), (39, 9), (40, 10)])
def test_a_long_session_brings_a_lesson_more_for_eight_typed_lines(typed: int, most: int) -> None:
    assert prompt.most_lessons(typed) == most


def test_what_tells_most_is_shown_wider() -> None:
    for size in (900, 901):
        [said, _] = excerpt.lesson_lines([cut(1, "A", words(size)), line(2, "U", "Exactly.")])
        assert (said.text.endswith(" …"), len(said.text.removesuffix(" …"))) == (size > 900, 900)
    for size in (300, 301):
        lines = [
            line(1, "T", "make test", 1),
            line(2, "E", "no", 1),
            cut(3, "T", "Edit old.py", 2),
            cut(4, "T", "Edit " + words(size - 5), 3),
            line(5, "T", "make test", 4),
            line(6, "S", "ok", 5),
        ]
        found = excerpt.lesson_lines(lines)
        assert [each.number for each in found] == [1, 2, 3, 4, 5, 6] and found[
            2
        ].text == "Edit old.py"
        assert (found[3].text.endswith(" …"), len(found[3].text.removesuffix(" …"))) == (
            size > 300,
            300,
        )
    for size in (1200, 1201):
        [noted] = excerpt.lesson_lines(
            [cut(1, "T", ("Edit CLAUDE.md ⏎ noted: " + words(size))[:size])]
        )
        assert (noted.text.endswith(" …"), len(noted.text.removesuffix(" …"))) == (
            size > 1200,
            1200,
        )


@pytest.mark.parametrize(
    ("attempts", "minutes"), [(0, 1), (1, 10), (2, 60), (3, 360), (4, 1440), (5, 1440), (99, 1440)]
)
def test_a_reading_that_failed_waits_longer_each_time(attempts: int, minutes: int) -> None:
    from tacit.core.clock import seconds

    at = "2026-01-01T00:00:00.000Z"
    again = postponed(Reading("r", "p", attempts=attempts), "gone", at)
    assert (again.attempts, again.error, again.at) == (attempts + 1, "gone", at)
    assert seconds(again.not_before) - seconds(at) == 60 * minutes


@pytest.mark.parametrize(("right", "passed"), [(13, True), (10, True), (9, False), (0, False)])
def test_three_of_four_pairs_pass_the_exam(right: int, passed: bool) -> None:
    quote = {"line": 5, "words": "please never start the dev server yourself"}
    read = json.dumps(
        {"lessons": [{"text": "Never start it.", "standing": "said", "quotes": [quote]}]}
    )
    rows = [
        {"n": n, "says": says[0], "holds": holds[0]}
        for n, (_, _, says, holds) in enumerate(exam.EXAM_PAIRS[:right], 1)
    ]
    assert exam.grade(read, json.dumps({"answers": rows})) == exam.Graded(
        passed, f"{right} of 13 pairs"
    )


def test_forty_headings_are_shown() -> None:
    assert len(headings_of({"A.md": "# one\n" * 39})) == 39
    assert (
        headings_of({"A.md": "## one\ntext\n#\n" * 30, "B.md": "#two\n" * 30})[28:32]
        == ["A.md: one"] * 2 + ["B.md: two"] * 2
    )
    assert len(headings_of({"A.md": "# one\n" * 41})) == 40


class Store:
    """One that holds these lessons, all as near as can be."""

    def __init__(self, standing: int, near: int) -> None:
        self.standing = [self.memory(f"s{n:03}", klass="rule") for n in range(standing)]
        self.near = [self.memory(f"n{n:03}", klass="knowledge") for n in range(near)]
        self.asked: list[tuple[int, int]] = []

    @staticmethod
    def memory(id: str, **fields: Any) -> Memory:
        return Memory(
            id, "p", f"text {id}", "fact", **{"state": "provisional", "created_at": id, **fields}
        )

    def select(self, projects: Any, *, states: Any, limit: int) -> list[Memory]:
        self.asked.append((limit, 0))
        return [*self.standing, *self.near][:limit]

    def memories(self, ids: Any) -> list[Memory]:
        return [each for each in (*self.standing, *self.near) if each.id in ids]

    def find(self, projects: Any, words: Any, *, limit: int) -> Near:
        self.asked.append((limit, len(words)))
        return Near(
            tuple(Hit(memory, "words", 1.0) for memory in self.near[-limit:]), 1, {}, str.split
        )


def test_a_short_session_is_held_against_eight_lessons_it_can_concern_and_the_nearest_to_new_ones() -> (
    None
):
    typed = [line(1, "U", " ".join(f"s{n:03}" for n in range(60))), line(2, "A", "else")]
    for standing, kept in ((8, 8), (9, 8)):
        store: Any = Store(standing, 30)
        found = remembered(store, "p", ["something new"] * 4, typed)
        assert (
            sum(each.id[0] == "s" for each in found),
            sum(each.id[0] == "n" for each in found),
        ) == (kept, 2)
        assert [limit for limit, _ in store.asked] == [2000, 2, 2, 2, 2]
    long = [*typed, *(line(n, "S", "so") for n in range(10))]
    assert sum(each.id[0] == "s" for each in remembered(store, "p", [], long)) == 9
    used = [f"n{n:03}" for n in range(18)]
    found = remembered(store, "p", [], typed, used)
    # what the unit was given or denied goes in whatever was said, and counts
    assert [each.id for each in found] == used


def test_a_line_of_the_person_concerns_a_lesson_sooner_than_a_call() -> None:
    """It must hold a fifth of what the lesson says, weighed by how rare the words are."""
    from tacit.learn.reader.remembered import FLOOR, concerns

    lesson = "alpha bravo charlie delta echo foxtrot golf"
    shares = {letter: concerns([lesson], [line(1, letter, "alpha says")])[0] for letter in "UETS"}
    weights = {letter: round(each.share * 7, 1) for letter, each in shares.items()}
    assert weights == {"U": 1.6, "E": 1.3, "T": 1.0, "S": 0.0}
    assert [letter for letter, each in shares.items() if each.share >= FLOOR] == ["U"]
    assert [each.number for each in shares["U"].lines] == [1] and shares["T"].lines == ()


def test_lines_that_speak_of_no_lesson_are_not_shown_again() -> None:
    from tacit.learn.reader.remembered import known_lines

    lines = [
        line(1, "U", words(401)),
        line(2, "A", "of other things"),
        line(3, "T", "make test", 3),
        line(4, "E", words(161), 3),
        line(5, "T", "ls"),
        line(6, "A", "the socket is closed"),
        line(7, "Q", "pasted"),
        line(8, "S", "the socket"),
        line(9, "W", "yes"),
    ]
    shown = known_lines(lines, ["Close the socket."])
    assert [each.number for each in shown] == [1, 3, 4, 6, 9]
    assert [len(each.text.removesuffix(" …")) for each in shown][:3] == [400, 9, 160]


@pytest.mark.parametrize(
    ("fields", "is_shown"),
    [
        ({}, True),
        ({"text": ""}, False),
        ({"state": "superseded"}, False),
        ({"gate": "quarantine"}, False),
        ({"gate": "discard"}, False),
        ({"gate": "hold", "trust": "agent"}, True),
        ({"gate": "hold", "trust": "quoted"}, False),
        ({"gate": "hold", "trust": "imported"}, False),
        ({"gate": "allow", "trust": "quoted"}, True),
    ],
)
@pytest.mark.parametrize("sign", [None, ["U", "the sign of it"]])
def test_held_words_of_others_and_what_is_gone_are_shown_to_no_model(
    fields: dict[str, Any], is_shown: bool, sign: Any
) -> None:
    from tacit.core.value import replace

    store: Any = Store(0, 1)
    store.near[0] = replace(store.near[0], **fields, extra={"sign": sign})
    typed = "here is the sign of it" if sign else "this says n000"
    assert bool(remembered(store, "p", [], [line(1, "U", typed)])) is is_shown


@pytest.mark.parametrize(
    ("sign", "letter", "met"),
    [
        (("E", "boom at noon"), "E", True),
        (("E", "boom at noon"), "X", True),
        (("E", "boom at noon"), "T", False),
        (("T", "boom at noon"), "T", True),
        (("U", "boom at noon"), "W", True),
        (("U", "boom at noon"), "A", False),
        (("U", "another word"), "U", False),
        (("A", "boom at noon"), "A", False),
        (("E", ""), "E", False),
    ],
)
def test_a_sign_shows_in_lines_of_its_own_kind(
    sign: tuple[str, str], letter: str, met: bool
) -> None:
    from tacit.learn.reader.remembered import is_met

    memory = Store.memory("m", extra={"sign": [*sign]})
    assert is_met(memory, [line(1, letter, "it went boom at noon")]) is met


def test_of_a_failure_twenty_four_lines_are_shown_and_no_more_than_to_its_next_success() -> None:
    from tacit.core.run import Incident

    met = Incident("failure", "m", place="p0", program="make test")
    lines = [
        line(1, "T", "make test", 0, "p0"),
        line(2, "E", "no", 0),
        *(line(n, "A", f"so {n}", n) for n in range(3, 40)),
    ]
    long = cures.piece("r", "l", lines, met)
    assert long is not None and [each.number for each in long.lines] == [*range(1, 25)]
    again = [*lines[:4], line(5, "T", "make test -q", 9), line(6, "A", "passed", 10)]
    ended = cures.piece("r", "l", again, met)
    assert ended is not None and [each.number for each in ended.lines] == [1, 2, 3, 4, 5]


def test_parts_of_a_session_share_ten_lines_and_begin_with_what_was_typed() -> None:
    lines = tuple(
        line(n, "U" if n % 7 == 0 else "A", "x" * 392) for n in range(1, 61)
    )  # of 100 tokens each
    parts = parts_of_session(Rendering("r", lines), 2000)
    assert all(len(part) <= 20 for part in parts) and parts[-1][-1].number == 60
    for before, after in itertools.pairwise(parts):
        assert before[-10:] == after[:10] and after[10].letter == "U"
    assert [part[0].number for part in parts_of_session(Rendering("r", lines), 6000)] == [1]
    assert [part[-1].number for part in parts_of_session(Rendering("r", lines), 5999)] == [55, 60]


def test_parts_of_a_session_in_which_nobody_types_are_as_long_as_they_may_be() -> None:
    lines = tuple(line(n, "A", "x" * 392) for n in range(1, 46))
    parts = parts_of_session(Rendering("r", lines), 2000)
    assert [(part[0].number, part[-1].number) for part in parts] == [
        (1, 20),
        (11, 30),
        (21, 40),
        (31, 45),
    ]
