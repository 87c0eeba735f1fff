"""Guards as pure values: what a line is, which sentences make a condition, when it fires, and how a past firing is judged."""

from __future__ import annotations

import json
from time import process_time

import pytest

from tacit.core.memory import Memory, Tally
from tacit.guards.command import read
from tacit.guards.condition import Attempt, Condition, Guard, fires, guard_from, guard_json
from tacit.guards.history import MOOT, RIGHT, WRONG, of_part, offered, offers, recorded
from tacit.guards.make import condition_of, guard_of, why_not
from tacit.testing import run, say, tool, user


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "cd app && FOO=1 timeout -s 9 10 npm test 2>&1 | tail -3",
            [("npm", "test"), ("tail", "-3")],
        ),
        (
            "git commit -m 'it; is | fine' && git push",
            [("git", "commit", "-m", "it; is | fine"), ("git", "push")],
        ),
        ("git commit -m \"$(cat <<'EOF'\nfix (a)\nEOF\n)\"", [("git", "commit", "-m", "\0")]),
        ("make # and then\nls", [("make",), ("ls",)]),
        ("(cd app && npm test) || ls", [("npm", "test"), ("ls",)]),
        ("{ make; ls; } 2>&1 | tee log", [("make",), ("ls",), ("tee", "log")]),
        ("! sh -ec 'make && ls'", [("make",), ("ls",)]),
        ("'git' \"pu\"sh --f'orce'", [("git", "push", "--force")]),
    ],
)
def test_a_line_is_its_simple_commands(line: str, words: list[tuple[str, ...]]) -> None:
    assert [each.words for each in read(line) or ()] == words


@pytest.mark.parametrize(
    "line",
    [
        "cat <<EOF\ngit push\nEOF",
        "git push $(branch)",
        "git push `branch`",
        "for b in a b; do git push; done",
        "f() { git push; }",
        "sh -c 'git push $(branch)'",
        "case $x in a) git push;; esac",
        "$TOOL push",
        "git commit -m 'open",
        'git commit -m "$(cat <<EOF\nx\nEOF\n)"',
        "Get-ChildItem | % { git push }",
        "alias g=git",
        "x" * 5000,
    ],
)
def test_what_the_grammar_does_not_hold_is_not_seen(line: str) -> None:
    """Nothing fires on a line that cannot be read."""
    assert read(line) is None
    assert (
        fires(Guard("m", "Never `git push`.", Condition(calls=(("git", "push"),))), Attempt(line))
        is None
    )


@pytest.mark.parametrize(
    ("text", "fired", "quiet"),
    [
        (
            "Run `uv run pytest`, not `pytest`.",
            ["pytest -q", "cd x && pytest"],
            ["uv run pytest", "grep pytest a", "pytest-watch"],
        ),
        (
            "Use pnpm install instead of npm install.",
            ["npm install left-pad"],
            ["pnpm install", "npm test"],
        ),
        (
            "Never `git push --force`.",
            ["git push origin x --force"],
            ["git push", "git push --force-with-lease"],
        ),
        (
            "Don't use `--no-verify`.",
            ["git commit -m x --no-verify", "git commit -nm x"],
            ["git commit -m x", "npm ci --no-verify"],
        ),
        (
            "`hk` is not on PATH; call it as `mise x hk -- hk`.",
            ["hk install"],
            ["mise x hk -- hk install"],
        ),
        (
            "Run `bun run test` directly, not with `rtk` in front.",
            ["rtk bun run test"],
            ["bun run test", "rtk git status"],
        ),
        ("Never make draft PRs.", ["gh pr create --draft -t x"], ["gh pr create -t x"]),
        (
            "Never open PRs against release.",
            ["gh pr create -t x --base release", "gh pr create --base=release"],
            ["gh pr create --base main"],
        ),
        (
            "Does not work here: `f` of `gh pr view` (no such field), several names behind `cargo test` (it takes one).",
            ["gh pr view 3 --json a,f", "cargo test one two"],
            ["gh pr view 3 --json a", "cargo test one -p two", "cargo test -- a b"],
        ),
        (
            "Does not work here: `timeout` (no such command: leave `timeout` out), `tests` (no such path).",
            ["timeout 5 make"],
            ["make", "ls tests"],
        ),
    ],
)
def test_a_sentence_makes_a_condition(text: str, fired: list[str], quiet: list[str]) -> None:
    made = guard_of(Memory("m", "p", text))
    assert made is not None
    assert [line for line in (*fired, *quiet) if fires(made, Attempt(line))] == fired


@pytest.mark.parametrize(
    "text",
    [
        "Use `btn-secondary`, not `btn-primary`.",
        "When the API changed, run `pnpm generate` before committing.",
        "Never `git push` unless asked.",
        "Do not just silence linters to get linting green.",
        "Keep the cookie at `Lax`, not `Strict`.",
        "Never use `git`.",
        "`test:smoke` never touches the server.",
        "Fail early.",
    ],
)
def test_other_sentences_make_none(text: str) -> None:
    assert condition_of(text) == (None, "")


def test_an_order_of_two_calls_holds_since_the_last_one() -> None:
    made = guard_of(
        Memory("m", "p", "Run the tests before every commit."), {"test": ["pytest -q", "make test"]}
    )
    assert made is not None
    commit = Attempt("git add . && git commit -m x")
    assert fires(made, commit)
    assert fires(made, commit, ["uv run pytest -q tests/a.py"]) is None
    assert fires(made, commit, ["make test", "git commit -m y"])
    assert fires(made, Attempt("make test && git commit -m x")) is None


FORCED = [
    *("git push -f", "git push -uf origin x", "git push origin +main", "git push --forc"),
    *("(git push --force)", "( cd a && git push --force )", "{ git push --force; }"),
    *("! git push --force", "exec git push --force", "setsid git push --force"),
    *("ionice -c 3 git push --force", "script -qc 'git push --force' /dev/null"),
    *("git.exe push --force", "sh -c 'git push --force'", "eval git push --force"),
    *("git -C a push --force", "'git' push \"--force\"", "g\\it push --force"),
    *("timeout 5 sudo -u a git push --force", "A=1 command git push --force"),
]
TO_MAIN = [
    *("HEAD:refs/heads/main", "refs/heads/main", "+main", "HEAD:main", ":main", "x main"),
    *("--all", "--mirror", "-u main", "heads/main", "'main'"),
]


@pytest.mark.parametrize("piece", ["`a` (no ", "`a` (no b: ", "`a` of `", "several names behind `"])
def test_a_text_that_closes_nothing_is_looked_at_in_linear_time(piece: str) -> None:
    """Eight times as long takes eight times as long, not sixty-four times."""
    took = []
    for size in (8_000, 64_000):
        begun = process_time()
        condition_of(("Does not work here: " + piece * size)[:size])
        took.append(process_time() - begun)
    assert took[1] < max(0.05, took[0]) * 20


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Never run `git push --force`.", FORCED),
        ("Never push to main.", [f"git push origin {each}" for each in TO_MAIN]),
        ("Never push to main.", ["git -C a push origin main", "git push --mirror"]),
        ("Don't use `--no-verify`.", ["git commit --no-veri -m x", "git push --no-verif"]),
    ],
)
def test_one_call_in_other_spellings(text: str, lines: list[str]) -> None:
    """Short options, the rest of a long one, references, groups, quotes, wrappers, a shell's own line."""
    made = guard_of(Memory("m", "p", text))
    assert made is not None
    assert [line for line in lines if not fires(made, Attempt(line, branch="x"))] == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Never run `git push --force`.", ["git push --force-with-lease", "git push origin x"]),
        ("Never push to main.", ["git push origin main:x", "git push origin remain", "git push"]),
        ("Never push to main.", ["git push origin refs/heads/main-2", "echo 'git push main'"]),
    ],
)
def test_what_is_another_call(text: str, lines: list[str]) -> None:
    """A safer option, another branch, a word in a text."""
    made = guard_of(Memory("m", "p", text))
    assert made is not None
    assert [line for line in lines if fires(made, Attempt(line, branch="x"))] == []


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("config/prod.yaml", ["/w/config//prod.yaml", "config/./prod.yaml"]),
        ("./config/prod.yaml", ["config/y/../prod.yaml", "C:\\w\\config\\prod.yaml"]),
        (".env", ["/w/.env", "./.env"]),
    ],
)
def test_one_file_in_other_spellings(name: str, paths: list[str]) -> None:
    """A path is what it leads to, however it is written; a name may begin with a dot."""
    made = guard_of(Memory("m", "p", f"Never edit {name}."))
    assert made is not None
    assert [path for path in paths if not fires(made, Attempt(file=path))] == []
    assert not fires(made, Attempt(file="/w/config/prod.yaml/../other.yaml"))


def test_branches_and_files() -> None:
    main = guard_of(Memory("m", "p", "Never push directly to main."))
    assert main is not None
    assert fires(main, Attempt("git push origin main")) and fires(
        main, Attempt("git push", branch="main")
    )
    assert not fires(main, Attempt("git push origin feature", branch="main"))
    assert not fires(main, Attempt("git push", branch="feature"))
    file = guard_of(Memory("m", "p", "Never edit `src/gen/*.ts` by hand."))
    assert file is not None
    assert fires(file, Attempt(file="/w/src/gen/api.ts")) and not fires(
        file, Attempt(file="/w/src/gen/api.py")
    )


def test_only_a_persons_or_twice_observed_words_make_guards() -> None:
    """Never from imported, quoted, synced, found-once or agents' words."""
    lesson = Memory("m", "p", "Never `git push`.", state="provisional")
    twice = Tally(seen=2)
    assert why_not(lesson) == ""
    assert [
        why_not(Memory("m", "p", "x", state="provisional", trust=tier, tally=twice)) != ""
        for tier in ("imported", "quoted", "agent", "team", "review")
    ] == [True] * 5
    assert why_not(Memory("m", "p", "x", state="provisional", trust="observed", tally=twice)) == ""
    assert why_not(
        Memory("m", "p", "x", state="provisional", trust="observed", tally=Tally(seen=1))
    )
    assert why_not(
        Memory("m", "p", "x", state="provisional", trust="user", extra={"word": "found"})
    )
    assert why_not(Memory("m", "p", "x", state="candidate")) and why_not(
        Memory("m", "p", "x", state="provisional", gate="hold")
    )


def test_what_is_kept_is_a_closed_form() -> None:
    made = Guard("m", "t", Condition(calls=(("git", "push"),), branch=("main",)), step="ask")
    assert guard_from(json.loads(json.dumps(guard_json(made)))) == made
    for broken in (
        {},
        {**guard_json(made), "v": 2},
        {**guard_json(made), "on": {"run": ["rm"]}},
        {**guard_json(made), "on": {"calls": [[1]]}},
    ):
        with pytest.raises(ValueError, match="no "):
            guard_from(broken)


NPM = Guard(
    "m",
    "Use pnpm install, not npm install.",
    Condition(calls=(("npm", "install"),)),
    "pnpm install",
)


def _verdicts(*steps: object) -> list[str]:
    return [each.verdict for each in recorded(NPM, [run("r", *steps)]).firings]  # type: ignore[arg-type]


def test_past_firings_are_judged_by_what_followed() -> None:
    call = tool("npm install", output="ok")
    go_on = [tool(f"make {n}", output="ok") for n in range(6)]
    assert _verdicts(user("set it up"), tool("npm install", error="npm: command not found")) == [
        RIGHT
    ]
    assert _verdicts(user("set it up"), call, user("no, npm install is wrong here, take pnpm")) == [
        RIGHT
    ]
    assert _verdicts(user("set it up"), call, tool("pnpm install", output="ok")) == [RIGHT]
    assert _verdicts(user("please run npm install"), call, *go_on) == [WRONG]
    assert _verdicts(user("set it up"), call, *go_on) == [WRONG]
    assert _verdicts(user("set it up"), call, say("done")) == [MOOT]


def test_a_step_is_offered_by_its_record() -> None:
    right, wrong = (
        [tool("npm install", error="npm: command not found")],
        [tool("npm install", output="ok"), user("go on")],
    )

    def after(*kinds: list[object]) -> str:
        return offered(
            recorded(NPM, [run(f"r{n}", user("set it up"), *kind) for n, kind in enumerate(kinds)])
        )  # type: ignore[arg-type]

    assert [after(*[right] * 4), after(*[right] * 4, wrong), after(*[right] * 3, wrong, wrong)] == [
        "",
        "ask",
        "",
    ]
    assert [after(*[right] * 10), after(*[right] * 20, wrong)] == ["refuse", "ask"]


def test_no_call_rides_on_the_record_of_another() -> None:
    both = Guard("m", "t", Condition(calls=(("npm", "install"), ("npm", "ci"))))
    bad, good = tool("npm install", error="npm: command not found"), tool("npm ci", output="ok")
    record = recorded(
        both, [run(f"r{n}", user("set it up"), *[bad] * 3, good, user("go on")) for n in range(5)]
    )
    [(step, part)] = offers(both, record)
    assert (step, part.condition.calls, of_part(part, record).count(WRONG)) == (
        "refuse",
        (("npm", "install"),),
        0,
    )
    few = recorded(
        both,
        [
            run(f"f{n}", user("set it up"), bad, tool("npm ci", error="npm: command not found"))
            for n in range(3)
        ],
    )
    assert (offered(few), offers(both, few)) == ("ask", []), "six right in all, three of each"
    assert offered(record) == "" and offers(both, recorded(both, [])) == []
    ci = tool("npm ci", error="npm: command not found")
    each = recorded(both, [run(f"e{n}", user("set it up"), bad, bad, ci) for n in range(5)])
    assert [(step, part.condition.calls) for step, part in offers(both, each)] == [
        ("refuse", (("npm", "install"),)),
        ("ask", (("npm", "ci"),)),
    ]
