"""How much is read, kept and shown: what stands at a limit still counts, what stands behind it does not."""

from __future__ import annotations

from typing import Any

import pytest
from tests.tables import by_table

from tacit.core.run import Incident, Run, Step
from tacit.learn.command import Command, commands
from tacit.learn.notice import notice
from tacit.learn.tell import witnesses
from tacit.learn.tell.groups import of_missing
from tacit.learn.tell.lessons import ToldLesson, before_done, best_form, of_linter
from tacit.learn.tell.person import of_instructions, of_request, without_a_way
from tacit.learn.tell.requests import Request, standing_requests
from tacit.stores.incidents import Form, Noted

HTTP = "HTTP 500"


def sh(command: str, error: str = "", output: str = "") -> Step:
    return Step(
        "tool",
        "",
        tool="Bash",
        input={"command": command},
        error=error,
        output=output,
        status=int(bool(error)),
    )


def typed(text: str) -> Step:
    return Step("user", "", text=text, typed=True)


def noticed(*steps: Step) -> list[Incident]:
    return list(notice(Run("r1", "claude-code", steps=steps, cwd="/home/me/app")))


def noted(incidents: list[Incident]) -> list[Noted]:
    """Each as another lineage met it."""
    return [Noted(f"r{n}", f"l{n}", n, each) for n, each in enumerate(incidents)]


@pytest.mark.parametrize(("before", "count"), [(286, 0), (287, 1)])
def test_that_a_command_runs_on_is_said_in_the_first_characters_of_its_output(
    before: int, count: int
) -> None:
    assert len(noticed(sh("npm test", output=f"{'.' * before} still running"))) == count


@pytest.mark.parametrize(("before", "count"), [(579, 0), (580, 1)])
def test_a_refusal_is_read_in_the_first_characters_of_an_error(before: int, count: int) -> None:
    met = noticed(sh("make deploy", error=f"{'.' * before}tool use was rejected\nHTTP 500"))
    assert len([each for each in met if each.kind == "failure"]) == count


@pytest.mark.parametrize(("steps", "ended"), [(79, "command"), (80, "never")])
def test_a_cure_within_eighty_steps_is_one(steps: int, ended: str) -> None:
    said = Step("assistant", "", text="hm")
    met = noticed(
        sh("make deploy", HTTP), sh("./mend.sh"), *[said] * (steps - 1), sh("make deploy")
    )
    assert [each.ended for each in met if each.kind == "failure"] == [ended]


@pytest.mark.parametrize(("pause", "seconds"), [(599, 599), (600, 600), (601, 600)])
def test_of_a_pause_ten_minutes_are_counted(pause: int, seconds: int) -> None:
    at = [f"2026-01-05T10:{each // 60:02d}:{each % 60:02d}Z" for each in (0, pause)]
    first, second = (Step(**{**sh("make deploy", HTTP).__dict__, "at": each}) for each in at)
    assert [each.seconds for each in noticed(first, second) if each.kind == "failure"] == [seconds]


@pytest.mark.parametrize(("pieces", "kept"), [(7, 7), (8, 8), (9, 8)])
def test_eight_pieces_of_code_are_kept_of_a_repair(pieces: int, kept: int) -> None:
    new = "\n".join(f"lib{n}.call{n}()" for n in range(pieces))
    edit = Step(
        "tool", "", tool="Edit", input={"file_path": "/home/me/app/a.py", "new_string": new}
    )
    met = noticed(sh("ruff check .", "a.py:1:1: F401 unused"), edit, sh("ruff check ."))
    assert [len(each.repair.split()) for each in met if each.kind == "failure"] == [kept]


@pytest.mark.parametrize(("before", "kept"), [(19_989, "lib.call("), (19_992, "")])
def test_a_repair_is_looked_for_in_twenty_thousand_characters(before: int, kept: str) -> None:
    edit = Step(
        "tool",
        "",
        tool="Edit",
        input={"file_path": "/home/me/app/a.py", "new_string": f"{' ' * before} lib.call()"},
    )
    met = noticed(sh("ruff check .", "a.py:1:1: F401 unused"), edit, sh("ruff check ."))
    assert [each.repair for each in met if each.kind == "failure"] == [kept]


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        (Step("tool", "", tool="mcp__" + "m" * 61, input={}, error="no"), "m" * 60),
        (Step("tool", "", tool="H" * 41, input={}, error="no"), "H" * 40),
        (sh("z" * 61, HTTP), "z" * 60),
        (sh(f"/opt/{'z' * 61} it", HTTP), "z" * 60),
        (sh(f"~/x/{'y' * 61}", HTTP), "y" * 60),
    ],
)
def test_a_name_is_cut(step: Step, shown: str) -> None:
    assert [each.program for each in noticed(step)] == [shown]


def test_a_command_that_fails_without_a_word_is_named_by_sixty_characters() -> None:
    assert [each.name for each in noticed(sh("./" + "s" * 70, "Exit code 1"))] == ["s" * 60]


@pytest.mark.parametrize(("length", "count"), [(1500, 1), (1501, 0)])
def test_a_message_of_fifteen_hundred_characters_is_read(length: int, count: int) -> None:
    text = "update the changelog " + " " * (length - 22) + "."
    assert len(text) == length and len(noticed(typed(text))) == count


@pytest.mark.parametrize(("words", "count"), [(1, 0), (2, 1), (16, 1), (17, 0)])
def test_a_sentence_has_two_to_sixteen_words(words: int, count: int) -> None:
    assert len(noticed(typed(" ".join(f"w{chr(97 + n)}" for n in range(words))))) == count


@pytest.mark.parametrize(("lines", "count"), [(39, 39), (40, 40), (41, 40)])
def test_forty_sentences_of_a_run_are_kept(lines: int, count: int) -> None:
    text = "\n".join(f"see part{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(lines))
    assert len(noticed(typed(text))) == count


def test_a_sentence_is_shown_by_a_hundred_and_twenty_characters() -> None:
    assert [len(each.program) for each in noticed(typed("look " + "a" * 130))] == [120]


@pytest.mark.parametrize(("calls", "count"), [(199, 1), (200, 0)])
def test_two_hundred_calls_of_a_line_are_looked_at(calls: int, count: int) -> None:
    assert len(noticed(sh("cd x;" * calls + "tox"))) == count


@pytest.mark.parametrize(("forms", "count"), [(11, 11), (12, 12), (13, 12)])
def test_twelve_forms_of_commands_are_kept_of_a_run(forms: int, count: int) -> None:
    assert len(noticed(*(sh(f"make test-{chr(97 + n)}") for n in range(forms)))) == count


@pytest.mark.parametrize(("behind", "failed"), [(3_991, 1), (3_992, 0)])
def test_behind_a_pipe_the_last_four_thousand_characters_tell_that_it_failed(
    behind: int, failed: int
) -> None:
    met = noticed(sh("make test | cat", output="2 errors\n" + "." * behind))
    assert [each.failed for each in met] == [failed]


@pytest.mark.parametrize(("before", "count"), [(3_996, 2), (3_997, 2), (4_000, 1)])
def test_of_a_shell_line_four_thousand_characters_are_read(before: int, count: int) -> None:
    assert len(commands("x" * (before - 1) + ";tox")) == count


@pytest.mark.parametrize(("length", "shown"), [(110, "x" * 110), (111, "x" * 109 + "…")])
def test_a_command_is_shown_by_a_hundred_and_ten_characters(length: int, shown: str) -> None:
    assert Command(("x" * length,)).displayed() == shown


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("'a b c'", "'a b c'"),
        ("'a b c d'", "…"),
        (f"'{'q' * 48}'", f"'{'q' * 48}'"),
        (f"'{'q' * 49}'", "…"),
        ("q" * 49, "q" * 49),
        ("a_b_c_d_e_f_g_h", "a_b_c_d_e_f_g_h"),
        ("a_b_c_d_e_f_g_h_i", "…"),
        ("a-b_c-d_e-f_g-h_i", "…"),
    ],
)
def test_what_is_content_and_no_part_of_a_command_is_not_shown(word: str, shown: str) -> None:
    assert Command(("run", word)).displayed() == f"run {shown}"


@pytest.mark.parametrize(
    ("words", "shown"),
    [("a b c d", "a b c d"), ("a b c d e", "a b c d …"), ("a b C d e f", "a b C d e f")],
)
def test_five_plain_words_in_a_row_are_a_sentence(words: str, shown: str) -> None:
    assert Command(tuple(words.split())).displayed() == shown


def test_what_a_witness_met_is_shown_by_two_hundred_characters() -> None:
    long = Incident("command", "m", program="p" * 300)
    assert [
        met for *_, met in witnesses(ToldLesson("s", "t", "command", tuple(noted([long]))))
    ] == ["p" * 200]


def passing(
    text: str, passed: int, failed: int = 0, purpose: str = "test", single: bool = False
) -> Form:
    return Form(purpose, text, "", single, passed, failed)


@by_table
def test_the_best_form_of_a_command(forms: list[dict[str, Any]], best: str) -> None:
    """Passed in two lineages, more often than it failed; the project's own task where it passed a quarter as often."""
    found = best_form([passing(**each) for each in forms])
    assert (found.text if found else "") == best


@by_table
def test_what_is_run_before_it_is_called_done(
    checks: list[str], forms: list[dict[str, Any]], told: str
) -> None:
    """Two lineages had to complain; three of a check whose command nobody knows; three commands at most."""
    complaints = [Incident("complaint", f"{check} fails", code=check) for check in checks]
    found = before_done(noted(complaints), [passing(**each) for each in forms])
    said = f"Before you say done, run {told}: the person had to come back with failing checks."
    assert (found.text if found else "") == (said if told else "")


def missing(family: str, name: str, count: int, **more: str) -> list[Incident]:
    return [Incident("failure", f"{family} {name}", family, "env", name=name, **more)] * count  # type: ignore[arg-type]


@by_table
def test_what_does_not_work_here(incidents: list[dict[str, Any]], told: str) -> None:
    """Two lineages met it, three where a name may have been guessed; eight things in one line."""
    met = [each for row in incidents for each in missing(**row)]
    found = of_missing(
        noted(met), [passing("make known", 3)], lambda path: path.startswith("here/")
    )
    assert (found.text if found else "") == (f"Does not work here: {told}." if told else "")


def ruled(code: str, repair: str = "", lineage: int = 0) -> Noted:
    one = Incident(
        "failure",
        f"lint {code}",
        "lint",
        "convention",
        code,
        tool="ruff",
        program="ruff check",
        repair=repair,
    )
    return Noted(f"r{lineage}", f"l{lineage}", lineage, one)


@pytest.mark.parametrize(
    ("met", "told"),
    [
        ([ruled("F1", "a.b(", 0)], ""),
        ([ruled("F1", "a.b(", 0), ruled("F1", "a.b(", 1)], "F1 (mended with `a.b(…)`)"),
        ([ruled("F1", "a.b(", n) for n in (0, 1)] + [ruled("F2", "a.b(", n) for n in (0, 1)], ""),
        (
            [ruled("F1", "a.b(", n) for n in (0, 1)] + [ruled("F1", "c.d(", n) for n in (2, 3, 4)],
            "F1 (mended with `c.d(…)` and `a.b(…)`)",
        ),
        (
            [ruled("F1", "a.b(", n) for n in (0, 1)]
            + [ruled("F1", f"x{n}(", n) for n in (2, 3, 4, 5)],
            "",
        ),
        (
            [ruled("F1", "#_noqa", n) for n in (0, 1)] + [ruled("F1", f"x{n}(", n) for n in (2, 3)],
            "",
        ),
        (
            [ruled("F1", "#_noqa", n) for n in (0, 1, 2)]
            + [ruled("F1", f"x{n}(", n) for n in (3, 4)],
            "F1 (mostly silenced with `# noqa` and a reason)",
        ),
        (
            [ruled("F1", "```language", n) for n in (0, 1)],
            "F1 (mended with a language behind the opening fence)",
        ),
        ([ruled(f"F{k}", "", n) for k in range(2) for n in (0, 1)], ""),
        ([ruled(f"F{k}", "", n) for k in range(3) for n in (0, 1)], "F0, F1, F2"),
        (
            [ruled(f"F{k}", "", n) for k in range(9) for n in (0, 1)],
            "F0, F1, F2, F3, F4, F5, F6, F7",
        ),
    ],
)
def test_what_is_told_of_a_linter(met: list[Noted], told: str) -> None:
    """Two lineages met a rule; a repair is told where enough of them made it, and not for every rule; eight rules at most."""
    found = of_linter("ruff", met)
    assert (found.text if found else "") == (
        f"ruff rejects here again and again: {told}." if told else ""
    )


@pytest.mark.parametrize(("count", "is_told"), [(4, False), (5, True)])
def test_five_lineages_without_a_way_out_are_the_persons_to_know(count: int, is_told: bool) -> None:
    met = noted(
        [Incident("failure", "port in use", "port", "env", "in use", program="npm start")] * count
    )
    assert (without_a_way(met, 9) is not None) == is_told


@pytest.mark.parametrize(
    ("programs", "who"),
    [
        (("a", "a", "a", "b", "c"), "`a`"),
        (("a", "a", "b", "b", "c"), "`a`, `b`, `c`"),
        (("a", "a", "a", "b", "b", "b"), "`a`, `b`"),
        (("a", "b", "c", "d", "e"), "`a`, `b`, `c`"),
    ],
)
def test_a_program_is_named_where_most_met_it_there(programs: tuple[str, ...], who: str) -> None:
    met = noted(
        [Incident("failure", "disk full", "disk", "env", "full", program=each) for each in programs]
    )
    found = without_a_way(met, 9)
    assert found and found.text.startswith(f"{who} failed in {len(programs)} of 9 sessions: ")


@pytest.mark.parametrize(
    ("got_over", "ways"),
    [(3, "Nothing the agents tried helped"), (4, "Each found a way of its own")],
)
def test_whether_they_found_a_way(got_over: int, ways: str) -> None:
    ends = ["edit"] * got_over + ["never"] * (6 - got_over)
    met = noted(
        [
            Incident("failure", "disk full", "disk", "env", "full", program="a", ended=each)
            for each in ends
        ]
    )
    found = without_a_way(met, 9)
    assert found and found.text.endswith(f"{ways}.")


@pytest.mark.parametrize(("length", "shown"), [(160, 160), (161, 7)])
def test_a_line_of_an_instruction_file_is_shown_by_a_hundred_and_sixty_characters(
    length: int, shown: int
) -> None:
    line = f"see a/b {'c' * (length - 8)}"
    found = of_instructions({line: "CLAUDE.md"}, noted(missing("path", "a/b", 3, program="cat")), 5)
    said = line if shown == length else f"{line[:shown]} …"
    assert [each.text for each in found] == [
        f"CLAUDE.md says “{said}”, and `a/b` is not there in 3 of 5 sessions."
    ]


def test_two_other_wordings_of_a_request_are_shown() -> None:
    asked = Request("Tidy up", ("a", "b", "c"), ("r1",), ("tidy", "tidy it", "tidy all"))
    assert of_request(asked, 4).text.startswith(
        "In 3 of 4 sessions you asked “Tidy up” (also “tidy”; “tidy it”). "
    )


def asked_for(*texts: str) -> list[Noted]:
    return noted([Incident("sentence", text.lower(), program=text) for text in texts])


@by_table
def test_what_is_a_standing_request(texts: list[str], found: int) -> None:
    """Three lineages, two wordings, two telling words of which one is not everybody's daily word."""
    typed = asked_for(*texts)
    assert len(standing_requests(typed, 9, {each.incident.mark for each in typed})) == found


def test_five_other_wordings_are_kept() -> None:
    typed = asked_for(
        *(
            f"rename {word} fields"
            for word in ("all", "the", "these", "those", "your", "my", "our", "its")
        )
    )
    assert [
        len(each.wordings) for each in standing_requests(typed, 9, {typed[0].incident.mark})
    ] == [5]
