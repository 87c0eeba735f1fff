"""What a replay decides before, between and after its runs: which tasks, in which order, what pairs say, when to stop."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tacit.core.run import Cost, Run, Step
from tacit.core.value import replace
from tacit.replay.arm import by_check, cost, environment, judge_by_signature
from tacit.replay.pairs import (
    GIVEN,
    WITHOUT,
    Pair,
    pairs_of,
    settled_verdict,
    stops_because,
)
from tacit.replay.starts import Start
from tacit.replay.tasks import Skipped, Task, judge_task, stands_in
from tacit.trial.evalue import HARMS, HELPS, NOT_YET_KNOWN

ERROR = 'E   psycopg.errors.UndefinedTable: relation "orders" does not exist'
SIGNATURE = "database relation orders"


def shell(line: str, place: str = "", **more: Any) -> Step:
    return Step("tool", place or line, tool="shell", input={"command": line}, **more)


def past(*steps: Step, **more: Any) -> Run:
    told: dict[str, Any] = {"commit": "abc1234", "cwd": "/home/ada/shop/api"}
    told |= {"started_at": "2026-11-01T10:00:00Z", "ended_at": "2026-11-01T10:05:00Z"}
    return Run(
        "s1", "codex", steps=(Step("user", "u1", text="fix the orders"), *steps), **{**told, **more}
    )


# -- bets --------------------------------------------------------------------------------------------------------------


def test_only_discordant_pairs_speak() -> None:
    """Pairs that fared alike change no wealth, however many."""
    some, more = (
        settled_verdict([-1.0, -1.0, 1.0]),
        settled_verdict([0.0] * 30 + [-1.0, 0.0, -1.0, 1.0]),
    )
    assert (some.e_help, some.e_harm) == (
        more.e_help,
        more.e_harm,
    ) and some.word == more.word == NOT_YET_KNOWN
    assert (more.pairs, more.better, more.worse) == (34, 2, 1)


def test_a_verdict_stands_where_it_was_crossed() -> None:
    """A replay stops there, so what comes later does not count; both sides are symmetric."""
    helps, harms = settled_verdict([-1.0] * 12), settled_verdict([1.0] * 12)
    assert (
        helps.word == HELPS
        and harms.word == HARMS
        and helps.pairs == harms.pairs < 12
        and helps.e_help >= 40
    )
    assert settled_verdict([-1.0] * 12 + [1.0] * 50).word == HELPS


def test_losses_count_by_their_size_and_rivals_bring_nothing() -> None:
    """Half a loss saved is less evidence than a whole one; many alike pairs say nothing, and a useless lesson is seldom called."""
    assert settled_verdict([-0.5] * 8).e_help < settled_verdict([-1.0] * 8).e_help
    assert settled_verdict([0.0] * 100).word == settled_verdict([]).word == NOT_YET_KNOWN
    chance = random.Random(5)
    null = [
        settled_verdict([chance.choice((-1.0, 0.0, 1.0)) for _ in range(40)]) for _ in range(300)
    ]
    assert sum(each.word != NOT_YET_KNOWN for each in null) <= 9


# -- tasks -------------------------------------------------------------------------------------------------------------


def test_a_task_begins_where_it_began() -> None:
    """Commit, folder, first prompt; and what it took then."""
    found = judge_task(
        past(shell("pytest", error=ERROR), cost=Cost(100, 20, usd=0.5)),
        ["pytest"],
        "/home/ada/shop",
    )
    assert isinstance(found, Task)
    told = (found.prompt, found.commit, found.folder, found.seconds, found.tokens, found.usd)
    assert told == ("fix the orders", "abc1234", "api", 300.0, 120, 0.5)


LATER = past(Step("user", "u2", text="now the tests"), Step("assistant", "a"), shell("pytest", "p"))
CHANGED = "it began with changes that no commit holds"


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (past(commit=""), "nobody noted the commit at which it began"),
        (past(changed=("a.py", "b.py", "c.py", "d.py")), CHANGED),
        (past(root="s0"), "it goes on from another session"),
        (past(foreign=True), "it is somebody else's file"),
        (
            past(cwd="/home/ada/replays/tacit-replay-x-1/0001-1.1/work/shop"),
            "it was itself a replay",
        ),
        (Run("s1", "codex", commit="abc1234"), "it has no prompt"),
        (LATER, "the problem was met only after a later prompt"),
    ],
)
def test_why_a_task_is_left_out(run: Run, reason: str) -> None:
    assert judge_task(run, ["p"], "/home/ada/shop") == Skipped("s1", reason)


def test_a_session_whose_start_was_noted_begins_there() -> None:
    """Where its host wrote no commit; but not where anything lay beside it, or a call had written before."""
    start = Start("s1", "codex", "noted1", True)
    found = judge_task(past(commit=""), ["p"], "/home/ada/shop", start)
    assert isinstance(found, Task) and found.commit == "noted1"
    late = judge_task(past(commit=""), ["p"], "/home/ada/shop", replace(start, clean=False))
    assert late == Skipped("s1", CHANGED)


def test_what_it_did_to_others_hinders_nothing() -> None:
    """A clone has neither remotes nor credentials, and only the first prompt is given again."""
    for steps in (
        (shell("git push origin main"), shell("gh pr create --fill")),
        (Step("user", "u2", text="now release it"), shell("npm publish"), shell("gh pr view 1")),
    ):
        assert isinstance(judge_task(past(*steps), [], "/home/ada/shop"), Task)


def test_a_correction_is_about_what_was_done_before_it() -> None:
    """The second prompt itself may be the evidence; a place that the file does not have speaks against nothing."""
    run = past(shell("npm i"), Step("user", "u2", text="no, use pnpm", typed=True, speaker="typed"))
    assert isinstance(judge_task(run, ["u2"], "/x"), Task) and isinstance(
        judge_task(run, ["elsewhere"], "/x"), Task
    )


def test_a_lesson_that_every_run_reads_cannot_be_withheld() -> None:
    held = {"README.md": "", "CLAUDE.md": "- Run **make db**, before the tests!\n"}
    assert stands_in("Run `make db` before the tests.", held) == "CLAUDE.md" and not stands_in(
        "Run make lint.", held
    )


# -- plan --------------------------------------------------------------------------------------------------------------


def of(*differences: float | None) -> list[Pair]:
    return [
        Pair(
            n,
            "a",
            None if each is None else max(each, 0.0),
            None if each is None else max(-each, 0.0),
        )
        for n, each in enumerate(differences, 1)
    ]


@pytest.mark.parametrize(
    ("pairs", "planned", "reason"),
    [
        (of(*[-1.0] * 12), 40, "the verdict is there: helps"),
        (of(0.0, 0.0), 2, "all 2 planned pairs were run"),
        (of(-1.0, None, None, None), 40, "the last 3 pairs told nothing"),
        (of(*[0.0] * 6), 9, "no verdict can come any more within 9 pairs"),
        (of(0.0, 0.0), 40, ""),
    ],
)
def test_when_to_stop(pairs: list[Pair], planned: int, reason: str) -> None:
    assert stops_because(pairs, planned) == reason


def test_a_lesson_that_never_arrives_is_said_at_once() -> None:
    """Otherwise forty pairs would say that it makes no difference."""
    reason = stops_because(of(0.0, 0.0), 40, [False, False])
    assert reason.startswith("the lesson never reached the agent")
    assert not stops_because(of(0.0, 0.0), 40, [False, True])


# -- outcome -----------------------------------------------------------------------------------------------------------


def test_a_check_tells_by_its_exit_status() -> None:
    losses = [by_check(status).loss for status in (0, 1, 2, 125, 126, 127, None)]
    assert losses == [0.0, 1.0, 1.0, None, 1.0, 1.0, 1.0]


def test_a_check_that_could_be_run_in_neither_arm_tells_nothing() -> None:
    """In one arm alone the agent may have removed it: that is no excuse."""
    rows = [
        {"pair": 1, "arm": which, "task": "a", "loss": 1.0, "unsure": True}
        for which in (GIVEN, WITHOUT)
    ]
    assert pairs_of(rows)[0].difference is None
    assert pairs_of([rows[0], {**rows[1], "loss": 0.0, "unsure": False}])[0].difference == 1.0


def test_a_signature_tells_by_steps_and_what_they_cost() -> None:
    """Overcome at once costs little, given up costs all; a run that left nothing is unknown only if it ended well."""
    failed = shell("./pytest", error=ERROR, status=1)
    cured = past(failed, shell("make db"), shell("./pytest", output="3 passed", status=0))
    given_up = past(failed)
    losses = [
        judge_by_signature([run], SIGNATURE, 0).loss for run in (cured, given_up, past(shell("ls")))
    ]
    assert losses == [0.25, 1.0, 0.0]
    assert [judge_by_signature([], SIGNATURE, status).loss for status in (0, 1, None)] == [
        None,
        1.0,
        1.0,
    ]


# -- what an arm is handed ---------------------------------------------------------------------------------------------


def test_nothing_of_the_environment_is_handed_on_but_what_is_named() -> None:
    """Credentials are not on a list of bad names: what is on no list does not go in."""
    kept = {"ANTHROPIC_API_KEY": "k", "LC_ALL": "C", "MY_FLAG": "1"}
    secret = dict.fromkeys(
        ("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "TACIT_KEY", "TACIT_STORE"), "x"
    )
    env = {
        "PATH": "/usr/bin:/home/ada/shop/.venv/bin",
        "VIRTUAL_ENV": "/home/ada/shop/.venv",
        **kept,
        **secret,
    }
    handed = environment(env, ["ANTHROPIC_*", "MY_FLAG"], "/home/ada/shop")
    assert handed == {"PATH": "/usr/bin", **kept}


def test_cost_by_transcript() -> None:
    assert cost([replace(past(), cost=Cost(10, 5, 2, 1, 0.25))]) == {"tokens": 18, "usd": 0.25}
    assert cost([]) == {}
