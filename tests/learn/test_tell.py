"""Telling: few lines with something to do for the agent, the rest to the person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.rtk_sessions import rtk

from tacit.app import Memories
from tacit.app import open as open_memories
from tacit.core.programs import runs_command
from tacit.core.run import Incident, Run, Step
from tacit.core.value import replace
from tacit.learn.notice import notice
from tacit.learn.tell import told_by
from tacit.learn.tell.instructions import names_command
from tacit.learn.tell.lessons import of_failure
from tacit.learn.tell.notebook import Notebook
from tacit.learn.tell.person import as_proposal
from tacit.learn.tell.requests import Request
from tacit.stores.incidents import Counts, Noted, commonest
from tacit.stores.replaced import still_there
from tacit.surfaces.views import for_you, overview

RTK = "always prefix commands with rtk. it is always safe to use"


def failure(mark: str, family: str, nature: str, **more: object) -> Incident:
    return Incident("failure", mark, family, nature, **more)  # type: ignore[arg-type]


def command(purpose: str, form: str, passed: int = 1, folder: str = "") -> Incident:
    met = {"count": passed, "failed": 1 - min(passed, 1)}
    return Incident(
        "command", f"{purpose} {form}", nature=purpose, program=form, folder=folder, **met
    )


def formatted(tool: str, code: str, program: str, **more: object) -> Incident:
    """A finding of a linter, or of a formatter that is called like its finding."""
    family = "format" if tool == code else "lint"
    return failure(
        f"{family} {code}", family, "convention", code=code, tool=tool, program=program, **more
    )


def sentence(text: str) -> Incident:
    return Incident("sentence", " ".join(re.findall(r"\w+", text.lower())), program=text)


def told(
    per_lineage: list[list[Incident]], lines: dict[str, str] | None = None
) -> tuple[list[str], list[str]]:
    """(lessons, lines for the person) once every lineage was noticed."""
    book = Notebook()
    for n, met in enumerate(per_lineage):
        book.add(f"r{n}", f"l{n}", met)
    every = [each for met in per_lineage for each in met]
    found = told_by(book, every, lines or {})
    return [each.text for each in found.lessons], [each.text for each in found.person]


def bun(cure: str = "without rtk") -> Incident:
    return failure(
        "usage subcommand bun",
        "usage",
        "env",
        code="subcommand",
        name="bun",
        program="rtk",
        ended="form",
        cure=cure,
    )


def test_a_cure_needs_two_lineages() -> None:
    """One sighting is a coin toss."""
    assert told([[bun()]]) == ([], [])
    assert told([[bun()], [bun()]])[0] == [
        "Does not work here: `rtk bun` (no such subcommand: run `bun` itself)."
    ]
    assert told([[bun()], [bun("with --version")]])[0] == [
        "Does not work here: `rtk bun` (no such subcommand)."
    ]


def missing(
    name: str, family: str = "command", code: str = "", program: str = "", **more: object
) -> Incident:
    mark = " ".join(filter(None, (family, code, name)))
    return failure(mark, family, "env", code=code, name=name, program=program or name, **more)


def test_what_does_not_work_here_is_one_line() -> None:
    """Commands, options, fields and paths, the most often met first, each with what worked instead where two agree on it."""
    often = [
        missing("eslint", ended="form", cure="as npx eslint"),
        missing("-A", "usage", "option", "cat", ended="form", cure="without -A, with -v"),
        missing("reviewThreads", "usage", "field", "gh pr view"),
        missing("tests", "path", program="rg"),
        missing("", "cargo", "no library target", "cargo test", ended="form", cure="without --lib"),
    ]
    assert told([often] * 3)[0] == [
        "Does not work here: `eslint` (no such command: run it as `npx eslint`), `cat -A` (no such option: use `-v`),"
        " `reviewThreads` of `gh pr view` (no such field), `tests` (no such path), `cargo test --lib` (no library target)."
    ]


def test_an_option_without_a_way_out_is_no_line_by_itself() -> None:
    """Nobody is helped by that alone; beside something else it spares a try."""
    bare = missing("-A", "usage", "option", "cat")
    assert told([[bare]] * 3)[0] == []
    assert told([[bare, bun()]] * 2)[0] == [
        "Does not work here: `cat -A` (no such option), `rtk bun` (no such subcommand: run `bun` itself)."
    ]
    assert (
        told(
            [[missing("-A", "usage", "option", "cat", ended="form", cure="without -A, with -v")]]
            * 2
        )[0]
        != []
    )


def test_packages_that_a_check_does_not_find_are_one_item() -> None:
    """From three lineages; a file of the work in hand is none, and what a command brings is told as that command."""
    met = [
        missing("@faker-js/faker", "module", program="bun run test"),
        missing("next/navigation", "module", program="bun run test"),
    ]
    own = failure("module ./x", "module", "wip", name="./x", program="bun run test")
    assert told([[*met, own]] * 3)[0] == [
        "Does not work here: `@faker-js/faker`, `next/navigation` in `bun run test` (not installed)."
    ]
    assert told([[*met, own]] * 2)[0] == []
    brought = missing("left-pad", "module", program="npm test", ended="command", cure="npm ci")
    assert told([[brought]] * 3)[0] == [
        "Run `npm ci` before `npm test`; otherwise the package `left-pad` is not found."
    ]


def test_a_pattern_that_matches_nothing_stops_the_shell() -> None:
    """Whichever program it was for, but for one that is given patterns to list: quoted it lists nothing at all."""
    met = [[missing("", "glob", "no match", program)] for program in ("gh api", "rg", "pnpm add")]
    assert told(met)[0] == [
        "Does not work here: an unquoted pattern that matches nothing (quote it)."
    ]
    assert told(met[:2])[0] == []
    assert told([*met[:2], [missing("", "glob", "no match", "ls")]])[0] == []


def test_a_line_is_never_longer_than_what_is_given() -> None:
    """What is cut off at its end is told to nobody: the most often met are told as far as they make one line."""
    some = [
        missing(
            f"a-command-with-a-long-name-{n}",
            ended="form",
            cure=f"as pnpm run a-command-with-another-long-name-{n}",
        )
        for n in range(8)
    ]
    (line,) = told([some] * 2 + [some[7:]])[0]
    assert len(line) <= 400 and line.endswith(").") and some[7].name in line


def test_a_guessed_repository_and_a_script_that_is_not_there_are_told() -> None:
    """With where its name stands; a script only where it passes nowhere."""
    guessed = missing("", "github", "Repository", "gh api graphql")
    assert told([[guessed]] * 3)[0] == [
        "Does not work here: a guessed repository in `gh` (`git remote -v` names it)."
    ]
    assert told([[guessed]] * 2)[0] == []
    script = missing("typecheck", "script", program="pnpm run typecheck")
    assert told([[script]] * 2)[0] == ["Does not work here: `pnpm run typecheck` (no such script)."]
    assert not [
        each
        for each in told(
            [[script]] * 2 + [[command("typecheck", "pnpm --filter <package> typecheck")]]
        )[0]
        if "script" in each
    ]


def test_a_missing_command_is_told_before_its_own_call() -> None:
    """Whatever stood behind it each time."""
    met = [
        [missing("timeout", program=program, ended="form", cure="without timeout")]
        for program in ("git fetch", "bash -c")
    ]
    book = Notebook()
    for n, some in enumerate(met):
        book.add(f"r{n}", f"l{n}", some)
    (lesson,) = told_by(book, met[1], {}).lessons
    assert lesson.about == {"timeout": ("`timeout` (no such command: leave `timeout` out)",)}
    assert runs_command("cd x && timeout 60 git fetch", "timeout") and not runs_command(
        "git fetch --timeout", "timeout"
    )


def test_a_fence_is_told_without_its_marks() -> None:
    """Three of them would end the fence that lessons are given in."""
    met = formatted("markdownlint", "MD040", "git commit", ended="edit", repair="```language")
    assert told([[met]] * 2)[0] == [
        "markdownlint rejects in `git commit` again and again: MD040 (mended with a language behind the opening fence)."
    ]


def test_a_check_without_a_known_command_is_asked_for_by_its_name() -> None:
    """From three lineages on."""
    met = [[Incident("complaint", "fails e2e", code="e2e", program="the e2e tests still fail")]]
    assert told(met * 2)[0] == []
    assert told(met * 3)[0] == [
        "Before you say done, run the end-to-end tests: the person had to come back with failing checks."
    ]


def test_what_works_elsewhere_is_not_said_to_be_missing() -> None:
    """A program that passes in other work, a path looked for from below or there by now, an option of what is being built."""
    go = missing("go", program="go test")
    assert told([[go]] * 2 + [[command("test", "go test ./...")]] * 3)[0] == []
    assert told([[missing("src", "path", program="rg", folder="api")]] * 4)[0] == []
    assert told([[missing("target/debug/app", "path", program="ls")]] * 4)[0] == []
    assert told([[missing("--bogus", "usage", "option", "go run")]] * 3)[0] == []
    book = Notebook()
    for n in range(3):
        book.add(f"r{n}", f"l{n}", [missing("tests", "path", program="rg")])
    assert (
        told_by(
            book, [missing("tests", "path", program="rg")], {}, here=lambda path: path == "tests"
        ).lessons
        == ()
    )


def test_a_hook_that_refuses_names_the_check_that_finds_the_same() -> None:
    """Or the linter whose findings it prints, where nobody ran one by itself; not where an instruction file speaks of it."""
    hook = failure("hook pre-commit", "hook", "gate", code="pre-commit", program="git commit")
    printed, checked = (
        formatted("biome", "biome", program) for program in ("git commit", "bun run lint")
    )
    met = [
        [hook, printed],
        [hook, checked, command("lint", "bun run lint")],
        [command("lint", "bun run lint")],
    ]
    line = "Before `git commit`, run `bun run lint`: the pre-commit hook refuses what it rejects."
    assert line in told(met)[0]
    assert line not in told(met, {"a pre-commit hook runs the tests": "CLAUDE.md"})[0]
    by_name = "Before `git commit`, run biome over what you changed: the pre-commit hook refuses what it rejects."
    assert by_name in told([[hook, printed]] * 2)[0]
    assert not [each for each in told([[hook, printed], [hook]])[0] if "hook" in each]


def test_forks_of_one_piece_of_work_are_one_witness() -> None:
    """The same lineage twice says nothing new."""
    book = Notebook()
    book.add("r1", "l1", [bun()])
    book.add("r2", "l1", [bun()])
    assert told_by(book, [bun()], {}).lessons == ()


def test_work_in_progress_and_the_host_are_never_told() -> None:
    """However often they come."""
    wip = failure(
        "compile undefined",
        "compile",
        "wip",
        code="undefined",
        program="go build",
        ended="command",
        cure="go generate",
    )
    host = failure("host Edit", "host", "host", program="Edit")
    assert told([[wip, host]] * 9) == ([], [])


@pytest.mark.parametrize(
    ("cure", "is_told"), [("as python3", True), ("as curlpython", False), ("with --fix", False)]
)
def test_an_exception_that_another_version_of_the_interpreter_survives_is_of_the_machine(
    cure: str, is_told: bool
) -> None:
    """`python` was Python 2 in 209 of 300 sessions of a public benchmark, and nobody was told."""
    of = failure(
        "exception SyntaxError",
        "exception",
        "wip",
        code="SyntaxError",
        program="python tests/run.py",
        ended="form",
        cure=cure,
    )
    assert told([[of]] * 2)[0] == []
    text = "Run `python3`, not `python`, which is another version here: otherwise SyntaxError."
    assert told([[of]] * 3)[0] == ([text] if is_told else [])


def wrap(rule: str, repair: str = "") -> Incident:
    told = {"tool": "golangci-lint", "program": "mise run lint", "ended": "edit", "repair": repair}
    return failure(f"lint {rule}", "lint", "convention", code=rule, **told)


def test_one_line_per_linter_with_the_code_that_mended_each_rule() -> None:
    """Silencing is said to be silencing; a piece of code belongs to the rule with most support."""
    met = [
        [wrap("wrapcheck", "fmt.Errorf( %w"), wrap("nilerr", "//nolint:nilerr"), wrap("errcheck")]
    ] * 3
    (line,) = told(met)[0]
    assert line == (
        "golangci-lint rejects in `mise run lint` again and again: wrapcheck (mended with `fmt.Errorf(…)` and `%w`),"
        " nilerr (mostly silenced with `//nolint:nilerr` and a reason), errcheck."
    )
    bare = [wrap("errcheck"), wrap("revive"), wrap("ireturn")]
    assert told([bare] * 2)[0] == [
        "golangci-lint rejects in `mise run lint` again and again: errcheck, revive, ireturn."
    ]
    assert (
        told([bare[:2]] * 2)[0] == []
    )  # one or two rules without a repair say only that a linter is run
    silenced = [[wrap("errcheck", "//nolint:errcheck")]] * 2 + [
        [wrap("errcheck", "t.Fatalf(")],
        [wrap("errcheck", "io.ReadAll(")],
    ]
    assert told(silenced)[0] == []  # two of four is not what is done here
    unformatted = formatted("rustfmt", "rustfmt", "cargo fmt", ended="form", cure="without --check")
    assert (
        told([[unformatted]] * 3)[0] == []
    )  # no rule to name, and what mends it is anybody's first thought


def test_the_command_that_mends_is_told_before_the_check() -> None:
    """What made lint pass in two lineages."""
    met = formatted("biome", "biome", "bun run lint", ended="command", cure="bun run lint:fix")
    assert told([[met]] * 2)[0] == [
        "Run `bun run lint:fix` before `bun run lint`: it mends what biome rejects."
    ]


def test_a_command_is_told_where_no_instruction_file_names_it() -> None:
    """The project's own task before what it wraps, with its folder; what anybody would type is not told."""
    met = [
        [command("test", "mise run test:ci", folder="api"), command("test", "go test ./...")]
    ] * 3
    assert told(met)[0] == ["Run the tests with `mise run test:ci` in `api`."]
    assert told(met, {"tests: mise run test:ci": "CLAUDE.md"})[0] == []
    assert told([[command("test", "go test ./...")]] * 3)[0] == []
    assert (
        told([[command("test", "mise run test", passed=0)]] * 3)[0] == []
    )  # passes count, not calls


def test_a_script_of_the_purposes_own_name_is_no_news() -> None:
    """It stands in package.json, and everybody tries it; another name does not."""
    for usual in ("pnpm --filter <package> build", "npm run build", "yarn build"):
        assert told([[command("build", usual)]] * 3)[0] == []
    assert told([[command("test", "pnpm run test:ci")]] * 3)[0] == [
        "Run the tests with `pnpm run test:ci`."
    ]
    assert told([[command("build", "npm run build", folder="web")]] * 3)[0] == [
        "Build with `npm run build` in `web`."
    ]


def test_known_by_its_words_with_or_without_options() -> None:
    """`bun run test` is not `bun run test:unit`."""
    lines = {"run `bun run test` often": "CLAUDE.md"}
    assert names_command(lines, "bun run test --bail") == "CLAUDE.md"
    assert names_command(lines, "bun run test:unit") == ""


def test_before_you_say_done() -> None:
    """The person had to name a failing check in two lineages."""
    met = [
        Incident("complaint", "lint fails", code="lint", program="lint is failing"),
        command("lint", "mise run lint"),
    ]
    assert told([met])[0] == []
    assert told([met, met])[0] == [
        "Before you say done, run `mise run lint`: the person had to come back with failing checks."
    ]


def test_an_instruction_that_orders_what_fails_is_the_persons_to_mend() -> None:
    """With the line, the sessions and how it might read; the agent is told how to go on."""
    lessons, person = told([[bun()]] * 4, {RTK: "CLAUDE.md"})
    assert lessons == ["Does not work here: `rtk bun` (no such subcommand: run `bun` itself)."]
    assert person == [f"CLAUDE.md says “{RTK}”, and `rtk bun` fails in 4 of 4 sessions."]


def test_an_instruction_that_orders_a_command_which_is_not_there() -> None:
    """With the spelling that works, where two lineages found it."""
    book = Notebook()
    for n in range(3):
        book.add(f"r{n}", f"l{n}", [missing("hk", ended="form", cure="as mise x hk -- hk")])
    (found,) = told_by(
        book, [missing("hk")], {"run hk install --mise once to set up hooks": "CLAUDE.md"}
    ).person
    assert (
        found.text
        == "CLAUDE.md says “run hk install --mise once to set up hooks”, and the command `hk` is not there in 3 of 3 sessions."
    )
    assert found.patch == "… `mise x hk -- hk` instead of `hk`"
    speaks = "hk install may print nothing. Use `mise run lint` / `mise run lint-fix` (which run hk) instead."  # and orders something else
    assert told_by(book, [missing("hk")], {speaks: "AGENTS.md"}).person == ()


def test_an_instruction_that_names_what_is_not_there() -> None:
    """Three lineages looked; a build product is there once it was built."""
    gone = failure(
        "path docs/cli.md", "path", "env", name="docs/cli.md", program="Read", ended="never"
    )
    built = failure(
        "path target/debug/app", "path", "env", name="target/debug/app", program="ls", ended="never"
    )
    lines = {"see docs/cli.md for commands": "CLAUDE.md", "run target/debug/app": "CLAUDE.md"}
    assert told([[gone, built]] * 3, lines)[1] == [
        "CLAUDE.md says “see docs/cli.md for commands”, and `docs/cli.md` is not there in 3 of 3 sessions."
    ]


def test_what_fails_in_somebody_elses_code_is_the_persons_to_leave_out() -> None:
    """A check that runs into a copy of another project: until the person mends that, an agent is told not to mend or delete the copy."""
    clones = missing(
        "tmp/clones", "foreign", program="bun run test", ended="command", cure="bun run clean"
    )
    refused = missing("tmp/clones", "foreign", program="git commit")
    assert told([[clones]]) == ([], [])
    assert told([[refused], [clones], [refused], [clones]])[0] == [
        "What `bun run test` and `git commit` report in `tmp/clones` is not this project's code: do not mend it, look at the rest."
    ]
    assert told([[clones]] * 5) == (
        [
            "What `bun run test` reports in `tmp/clones` is not this project's code: do not mend it, look at the rest."
        ],
        [
            "`bun run test` failed in 5 of 5 sessions in `tmp/clones`, which is not the project's own code. Leave that folder out of what it checks."
        ],
    )


def test_a_command_that_is_not_there_needs_a_way_out() -> None:
    """Without one an agent can do nothing about it; the person hears of it."""
    gone = missing("docker", ended="never")
    assert told([[gone]] * 5) == (
        [],
        ["The command `docker` is not there: 5 of 5 sessions tried it."],
    )


def test_what_fails_without_a_way_out_is_told_to_the_person_alone() -> None:
    """From five lineages; packages missing together are one cause."""
    full = failure("disk full", "disk", "env", code="full", program="go test", ended="never")
    assert told([[full]] * 4) == ([], [])
    assert told([[full]] * 5) == (
        [],
        ["`go test` failed in 5 of 5 sessions: disk full. Nothing the agents tried helped."],
    )
    packages = [
        missing(name, "module", program="bun run test", ended="never") for name in ("a", "b")
    ]
    assert told([packages] * 5)[1] == [
        "`bun run test` failed in 5 of 5 sessions: the package `a`, `b` is not found. Nothing the agents tried helped."
    ]


def test_a_standing_request_comes_in_several_wordings() -> None:
    """Three lineages and two wordings; one text letter by letter is a template; a commit is asked for every day."""
    said = [
        "commit and update changelog",
        "commit this and update the changelog",
        "then commit, and update changelog",
    ]
    (asked,) = told([[sentence(each)] for each in said])[1]
    assert asked.startswith(
        "In 3 of 3 sessions you asked “commit and update changelog”"
    ) and asked.endswith("Make it a lasting order?")
    assert told([[sentence(said[0])]] * 5)[1] == []
    daily = "commit it|can you review the changes|review the changes in the branch|commit the changes|please commit"
    daily += "|yes commit the changes|commit and push"
    assert told([[sentence(each)] for each in daily.split("|")])[1] == []


def test_an_order_says_when_it_is_meant() -> None:
    """What was typed after edits is for the end of the work; the words themselves would read as a task for now."""
    steps = (
        Step("user", "line:1", text="do it", typed=True),
        Step("tool", "line:2", tool="Edit", input={"file_path": "/a.py"}, files=("/a.py",)),
    )
    said = [
        "commit and update changelog",
        "then commit and update the changelog",
        "Commit, and update the changelog now",
    ]
    runs = [
        Run(f"s{n}", "claude-code", steps=(*steps, Step("user", "line:3", text=text, typed=True)))
        for n, text in enumerate(said)
    ]
    book = Notebook()
    for n, run in enumerate(runs):
        book.add(run.id, f"l{n}", notice(run))
    (asked,) = told_by(book, notice(runs[0]), {}).person
    assert (
        asked.order
        == "When the work is done, offer to commit and update changelog, which this person often asks for, and wait for their word."
    )
    looked = replace(runs[0], steps=(steps[0], replace(steps[1], tool="Read"), runs[0].steps[2]))
    assert {each.family for each in notice(looked) if each.kind == "sentence"} == {""}
    proposal = as_proposal(asked, "p", "t", None)
    assert proposal is not None and (
        (proposal.payload or {})["text"],
        (proposal.payload or {})["order"],
    ) == (
        said[0],
        asked.order,
    )


def test_what_was_answered_is_asked_again_only_when_it_came_twice_as_often() -> None:
    """A proposal per subject: open it follows the count, closed it stays closed for a while."""
    book = Notebook()
    for n in range(4):
        book.add(f"r{n}", f"l{n}", [bun()])
    (one,) = told_by(book, [bun()], {RTK: "CLAUDE.md"}).person
    first = as_proposal(one, "p", "2026-01-01T00:00:00Z", None)
    assert first is not None and first.state == "open"
    assert as_proposal(one, "p", "2026-01-02T00:00:00Z", first) is None
    closed = replace(first, state="rejected")
    assert as_proposal(replace(one, count=6), "p", "2026-01-03T00:00:00Z", closed) is None
    again = as_proposal(replace(one, count=8), "p", "2026-01-04T00:00:00Z", closed)
    assert again is not None and (again.id, again.state) == (first.id, "open")


# --- through the store


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    (tmp_path / "CLAUDE.md").write_text("Always prefix commands with rtk.\n")
    with open_memories(
        str(tmp_path / "m.db"), cwd=str(tmp_path), env={"HOME": str(tmp_path)}, by="ann", yes=True
    ) as opened:
        yield opened


def test_one_memory_per_subject_with_all_its_witnesses(memories: Memories) -> None:
    """In force with the second lineage, the same words ever after, counted on; a fork is no witness."""
    for n in range(4):
        memories.learn(rtk(n))
    memories.learn(rtk(9, lineage="s3"))
    (lesson,) = [each for each in memories.list() if each.source == "notice"]
    assert (lesson.state, lesson.trust, lesson.tally.seen) == ("provisional", "observed", 4)
    assert [each.verb for each in memories.log(memory=lesson.id)] == ["add", "move"]
    memories.learn(rtk(0))  # the same run again changes nothing
    assert memories.get(lesson.id).tally.seen == 4


def test_counting_looks_at_the_newest_runs_alone(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much was noticed in the years before, learning one more run stays as quick; a run without a row counts itself."""
    for n in range(4):
        memories.learn(rtk(n))
    monkeypatch.setattr("tacit.stores.incidents.INCIDENT_RUNS", 2)
    counts = Counts(memories.store, memories.project_id)
    assert (
        counts.lineages(),
        len(counts.missing()),
        [form.passed for form in counts.forms("test")],
    ) == (2, 2, [2])
    assert len(counts.failures("usage subcommand bun")) == 4  # found by an index, all of them
    first = memories.store.rows("SELECT id FROM run ORDER BY seq")[0][0]
    assert Counts(memories.store, memories.project_id, run=first).lineages() == 3


def test_what_a_person_took_out_or_worded_stays_so(memories: Memories) -> None:
    """Met again it is counted, and nothing more."""
    for n in range(2):
        memories.learn(rtk(n))
    (lesson,) = [each for each in memories.list() if each.source == "notice"]
    memories.forget(lesson.id)
    for n in range(2, 5):
        memories.learn(rtk(n))
    assert [each.source for each in memories.list()].count("notice") == 0
    assert memories.get(lesson.id).state == "archived"


def test_the_inbox_asks_and_an_answer_is_a_standing_order(memories: Memories) -> None:
    """What the person should mend, and what may be a lasting order: once each, whatever is learned after."""
    for n in range(5):
        memories.learn(rtk(n))
    asked = {each.kind: each for each in memories.proposals()}
    assert set(asked) == {"request", "notice"}
    assert (
        asked["notice"].reason
        == "CLAUDE.md says “Always prefix commands with rtk.”, and `rtk bun` fails in 5 of 5 sessions."
    )
    (found,) = [each for each in for_you(memories) if each["kind"] == "notice"]
    assert (found["quote"], found["patch"], found["count"], len(found["runs"])) == (
        "Always prefix commands with rtk.",
        "… (except `bun`: run it without `rtk`)",
        5,
        5,
    )
    assert f"{found['text']} Suggested: {found['patch']}" in overview(memories)["for_you"]
    memories.review(asked["request"].id)
    memories.review(asked["notice"].id, "reject")
    memories.learn(rtk(5))
    assert memories.proposals() == []
    (order,) = [each for each in memories.list() if each.trust == "user"]
    assert (order.text, order.state) == (
        "Offer to commit and update changelog, which this person often asks for, and wait for their word.",
        "provisional",
    )
    runs = (asked["request"].payload or {})["runs"]
    quotes = {each.quote for each in memories.store.evidence(order.id)}  # each session's own words
    assert runs and quotes == {
        "commit and update changelog",
        "then commit, and update the changelog",
    }
    assert not any(
        "Make it a lasting order" in given
        for given in (memories.inject("x", trial=False).markdown,)
    )


def test_what_another_person_asks_for_is_not_asked_about_here(memories: Memories) -> None:
    """On a shared store each person's standing requests are their own."""
    said = [
        "commit and update changelog",
        "then commit and update the changelog",
        "commit, and update the changelog now",
    ]
    for n, text in enumerate(said):
        memories.env = {**memories.env, "USER": "ada" if n else "bob"}
        memories.learn(
            Run(
                f"s{n}",
                "claude-code",
                steps=(Step("user", "line:1", text=text, typed=True),),
                complete=True,
            )
        )
    assert memories.proposals() == []
    assert {row[0] for row in memories.store.rows("SELECT person FROM incident")} == {"ada", "bob"}


def test_a_flipped_incident_is_seen(memories: Memories) -> None:
    """A row carries the hash of what was written; one of the schema before carries none."""
    memories.learn(rtk(0))
    assert memories.health().health.is_sound
    memories.store.rows("UPDATE incident SET hash = x''")
    assert memories.health().health.is_sound
    memories.learn(rtk(1))
    memories.store.rows("UPDATE incident SET count = 9 WHERE hash <> x''")
    assert {fault.kind for fault in memories.health().health.faults} == {"incident"}


def test_erased_words_are_gone_from_what_was_noticed(memories: Memories) -> None:
    """Everything noted where an erased lesson was met goes with it."""
    for n in range(2):
        memories.learn(rtk(n))
    (lesson,) = [each for each in memories.list() if each.source == "notice"]
    memories.erase(lesson.id)
    assert (
        memories.store.rows("SELECT 1 FROM incident WHERE place = 'line:1' AND kind = 'failure'")
        == []
    )


def test_an_incident_is_small(memories: Memories) -> None:
    """Under 400 bytes each, its index included."""
    for n in range(60):
        memories.learn(rtk(n))
    rows = memories.store.rows("SELECT COUNT(*) FROM incident")[0][0]
    pages = memories.store.rows("SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'incident%'")[0][0]
    assert pages / rows < 400


def test_one_question_though_its_commonest_wording_changes(memories: Memories) -> None:
    """The same request is asked about once, whichever of its wordings leads by now."""
    said = [
        "commit and update changelog",
        "then commit and update the changelog",
        "commit, and update the changelog now",
    ]
    for n, text in enumerate([*said, said[1], said[1], said[2], said[2], said[2]]):
        memories.learn(
            Run(
                f"s{n}",
                "claude-code",
                steps=(Step("user", "line:1", text=text, typed=True),),
                complete=True,
            )
        )
    assert len(memories.proposals()) == 1


def test_a_formatters_own_check_is_no_news() -> None:
    """`cargo fmt` after `cargo fmt --check` is anybody's first thought."""
    met = formatted("rustfmt", "rustfmt", "cargo fmt", ended="command", cure="cargo fmt --all")
    assert told([[met]] * 3) == ([], [])


def test_what_was_noticed_is_counted_for_people(memories: Memories) -> None:
    """Also what nobody is ever told, with its cost."""
    for n in range(2):
        memories.learn(rtk(n))
    (only,) = commonest(memories.store, memories.project_id)
    assert (only["signature"], only["nature"], only["lineages"], only["times"]) == (
        "usage subcommand bun",
        "env",
        2,
        2,
    )


def test_a_work_tree_that_is_gone_belongs_to_its_repository(tmp_path: Path) -> None:
    """The folder above that lies in a repository; without one nobody can say."""
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    assert still_there(str(tmp_path / "shop" / ".worktrees" / "1" / "api")) == str(
        tmp_path / "shop"
    )
    assert still_there(str(tmp_path / "shop")) == str(tmp_path / "shop")
    assert still_there(str(tmp_path / "gone" / "for" / "good")) == ""


def test_sessions_of_a_folder_that_is_gone_are_not_mixed_into_this_project(
    memories: Memories,
) -> None:
    """Each such folder is a project of its own where many are learned at once; a single file is vouched for by whoever names it."""
    for n in range(2):
        memories.learn(replace(rtk(n), cwd="/home/nobody/gone"), apart=True)
    assert [each.text for each in memories.list()] == []
    memories.learn(replace(rtk(2), cwd="/home/nobody/gone"))
    assert len(memories.store.rows("SELECT DISTINCT project FROM incident")) == 2


def test_a_language_that_is_too_old_is_the_persons_to_mend() -> None:
    """No agent is told that the language's own modules are not installed."""
    old = failure(
        "version Node.js", "version", "env", code="Node.js", program="npm run test", ended="never"
    )
    lessons, person = told([[old]] * 5)
    assert (lessons, person) == (
        [],
        [
            "`npm run test` failed in 5 of 5 sessions: Node.js is too old for this project. Nothing the agents tried helped."
        ],
    )


def test_what_anybody_would_type_is_no_news_behind_a_runner_either() -> None:
    """`mise exec -- go test ./...` is `go test ./...`; with a flag that only this project has, it is news."""
    for form in (
        "go test ./...",
        "mise exec -- go test ./...",
        "uv run pytest -q",
        "vendor/bin/phpunit",
    ):
        assert not [each for each in told([[command("test", form)]] * 3)[0] if form in each], form
    assert told([[command("test", "mise run test:ci")]] * 3)[0] == [
        "Run the tests with `mise run test:ci`."
    ]
    some = [command("test", "bun run test"), command("test", "bun test src/")]
    assert told([some] * 3 + [some[:1]] * 9)[0] == []  # nor is what merely stands beside it


@pytest.mark.parametrize(
    ("family", "nature", "program", "is_told"),
    [
        ("module", "env", "make test", True),
        ("module", "work", "make test", False),
        ("path", "env", "make test", True),
        ("path", "env", "ls dist", False),
    ],
)
def test_a_failure_of_the_work_in_hand_is_not_told(
    family: str, nature: str, program: str, is_told: bool
) -> None:
    """Though two lineages got over it by the same command, and there are words for it; nor is a path that was guessed while looking around."""
    met = failure(
        "m", family, nature, name="left_pad", program=program, ended="command", cure="make install"
    )
    assert ("make install" in " ".join(told([[met], [met]])[0])) is is_told
    assert (
        of_failure("m", [Noted(f"r{n}", f"l{n}", 0, met) for n in range(2)]) is not None
    ) is is_told


@pytest.mark.parametrize(
    ("text", "after", "order"),
    [
        ("Run the tests!", False, "Without being asked each time: run the tests."),
        ("Run the tests!", True, "When the work is done, without being asked: run the tests."),
        (
            "Commit it.",
            False,
            "Offer to commit it, which this person often asks for, and wait for their word.",
        ),
        (
            "Commit it.",
            True,
            "When the work is done, offer to commit it, which this person often asks for, and wait for their word.",
        ),
    ],
)
def test_a_standing_request_is_worded_as_an_order(text: str, after: bool, order: str) -> None:
    """With when it was asked for; and no leave to do unasked what cannot be undone."""
    assert Request(text, (), (), (), after=after).order == order
