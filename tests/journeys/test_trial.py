"""Whether lessons help: some sessions go without one, and nothing is claimed before it is known."""

from __future__ import annotations

from tests.journeys.world import FLOATS, MISSING, Machine, cures


def on_trial(machine: Machine) -> str:
    """A lesson that nobody vouched for: sessions taught it."""
    machine.tacit("init")
    cures(machine, "s1", "s2", "s3")
    return machine.id_of("otherwise")


def test_some_sessions_go_without_a_lesson_on_trial(machine: Machine) -> None:
    """Neither all nor none; and each is on record, given or left out."""
    id = on_trial(machine)
    told = [id in machine.agent(f"t{n}").runs("pnpm test", error=MISSING) for n in range(12)]
    assert sum(told) >= 4
    arms = [use["arm"] for use in machine.json("why", id)["uses"]]
    assert arms.count("withheld") == 12 - sum(told)


def test_a_session_stays_on_its_side_of_the_coin(machine: Machine) -> None:
    """Asked again, resumed or compacted: who went without it goes on without it."""
    id = on_trial(machine)
    for n in range(4):
        first = id in machine.agent(f"t{n}").runs("pnpm test", error=MISSING)
        agent = machine.agent(f"t{n}")
        again = agent.begins("compact") + agent.runs("pnpm test -v", error=MISSING)
        assert (id in again) <= first


def test_where_nothing_is_to_be_measured_nothing_is_left_out(machine: Machine) -> None:
    """`TACIT_COIN=never` in a host's own environment: every session is told."""
    id = on_trial(machine)
    asked = ("inject", "--error", MISSING, "--command", "pnpm test", "--run")
    assert all(id in machine.tacit(*asked, f"t{n}", TACIT_COIN="never").out for n in range(12))


def test_her_own_word_is_left_out_of_no_session(machine: Machine) -> None:
    machine.add(FLOATS)
    assert all(FLOATS in machine.agent(f"s{n}").begins() for n in range(8))


def test_what_she_kept_is_left_out_of_no_session_any_more(machine: Machine) -> None:
    id = on_trial(machine)
    machine.tacit("keep", id)
    assert all(id in machine.agent(f"t{n}").runs("pnpm test", error=MISSING) for n in range(8))


def test_nothing_is_claimed_before_it_is_known(machine: Machine) -> None:
    machine.tacit("init")
    assert machine.tacit("effect").code == 0
    id = on_trial(machine)
    for n in range(3):
        agent = machine.agent(f"t{n}")
        agent.runs("pnpm test", error=MISSING)
        agent.is_over()
    (row,) = (line for line in machine.tacit("effect").out.splitlines() if line.startswith(id))
    assert "helps" not in row and "harms" not in row


def test_each_use_is_a_row_with_its_probability(machine: Machine) -> None:
    """So that anybody can reckon it themselves."""
    id = on_trial(machine)
    for n in range(4):
        machine.agent(f"t{n}").runs("pnpm test", error=MISSING)
    head, *rows = machine.tacit("effect", "--csv").out.splitlines()
    assert "arm" in head and sum(id in row for row in rows) == 4


def test_a_session_that_met_its_problem_again_is_counted(machine: Machine) -> None:
    id = on_trial(machine)
    for n in range(4):
        agent = machine.agent(f"t{n}")
        agent.begins()
        agent.runs("pnpm test", error=MISSING)
        agent.runs("pnpm test", error=MISSING)
        agent.ends()
    machine.learns()
    assert machine.lesson(id)["seen"] > 3
