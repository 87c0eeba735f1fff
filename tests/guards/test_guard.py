"""Guards as pure values: what a line is, which forms make a condition, when it fires, and how a past firing is judged."""

from __future__ import annotations

import json
from contextlib import suppress
from time import process_time

import pytest

from tacit.core.errors import UsageError
from tacit.guards.command import read
from tacit.guards.condition import Attempt, Condition, Guard, fires, guard_from, guard_json
from tacit.guards.forms import Form, condition_of, proposed, question
from tacit.guards.guarding import why_not
from tacit.guards.history import MOOT, RIGHT, WRONG, offered, recorded
from tacit.lesson import Lesson, Tally
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
    ("form", "fired", "quiet"),
    [
        (
            "pytest: instead uv run pytest",
            ["pytest -q", "cd x && pytest"],
            ["uv run pytest", "grep pytest a", "pytest-watch"],
        ),
        ("npm install", ["npm install left-pad"], ["pnpm install", "npm test"]),
        (
            "git push --force",
            ["git push origin x --force"],
            ["git push", "git push --force-with-lease"],
        ),
        (
            "git commit --no-verify, git push --no-verify",
            ["git commit -m x --no-verify", "git commit -nm x"],
            ["git commit -m x", "npm ci --no-verify"],
        ),
        ("hk: instead mise x hk -- hk", ["hk install"], ["mise x hk -- hk install"]),
        ("rtk bun run test", ["rtk bun run test"], ["bun run test", "rtk git status"]),
        ("rm: unless -i", ["rm a"], ["rm -i a"]),
        ("gh pr create --draft", ["gh pr create --draft -t x"], ["gh pr create -t x"]),
        (
            "gh pr create --base=release, gh pr create --base release",
            ["gh pr create -t x --base release", "gh pr create --base=release"],
            ["gh pr create --base main"],
        ),
        ("timeout", ["timeout 5 make"], ["make", "ls tests"]),
    ],
)
def test_a_form_makes_a_condition(form: str, fired: list[str], quiet: list[str]) -> None:
    made = _guard(form)
    assert [line for line in (*fired, *quiet) if fires(made, Attempt(line))] == fired


def _guard(form: str) -> Guard:
    condition, instead = condition_of(form)
    return Guard("m", form, condition, instead)


@pytest.mark.parametrize(
    "text", ["", "git push && rm x", "git push $(x)", "git push: when asked", ": on main"]
)
def test_other_texts_make_none(text: str) -> None:
    with pytest.raises(UsageError, match=r"names no call|not one plain|says nothing"):
        condition_of(text)


def test_a_reader_proposes_what_the_lesson_names_and_nothing_else() -> None:
    """Each command, option, branch, file and key of a form stands in the lesson; the rest is left out."""
    texts = ["Never push to main.", "Run `make test` before a commit.", "Answer kindly."]
    rows = [
        {"lesson": 1, "when": "call", "form": "git push: on main"},
        {"lesson": 1, "when": "call", "form": "git push: on production"},
        {"lesson": 2, "when": "end", "form": "ran make test after *"},
        {"lesson": 3, "when": "call", "form": "rm -rf"},
        {"lesson": 9, "when": "call", "form": "ls"},
        {"lesson": "1", "form": "ls"},
        {"lesson": 2, "when": "end", "form": "sing"},
    ]
    assert proposed(rows, texts) == {
        0: Form("git push: on main"),
        1: Form("ran make test after *", True),
    }
    assert "3. Answer kindly." in question(texts)


def test_an_order_of_two_calls_holds_since_the_last_one() -> None:
    made = _guard("git commit: first pytest -q, make test")
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


@pytest.mark.parametrize("piece", ["git push, ", "a: first b; ", "'", "edit a, "])
def test_a_text_that_closes_nothing_is_looked_at_in_linear_time(piece: str) -> None:
    """Eight times as long takes eight times as long, not sixty-four times."""
    took = []
    for size in (8_000, 64_000):
        begun = process_time()
        with suppress(UsageError):
            condition_of((piece * size)[:size])
        took.append(process_time() - begun)
    assert took[1] < max(0.05, took[0]) * 20


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("git push --force", FORCED),
        ("git push: on main", [f"git push origin {each}" for each in TO_MAIN]),
        ("git push: on main", ["git -C a push origin main", "git push --mirror"]),
        (
            "git commit --no-verify, git push --no-verify",
            ["git commit --no-veri -m x", "git push --no-verif"],
        ),
    ],
)
def test_one_call_in_other_spellings(form: str, lines: list[str]) -> None:
    """Short options, the rest of a long one, references, groups, quotes, wrappers, a shell's own line."""
    made = _guard(form)
    assert [line for line in lines if not fires(made, Attempt(line, branch="x"))] == []


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("git push --force", ["git push --force-with-lease", "git push origin x"]),
        ("git push: on main", ["git push origin main:x", "git push origin remain", "git push"]),
        ("git push: on main", ["git push origin refs/heads/main-2", "echo 'git push main'"]),
    ],
)
def test_what_is_another_call(form: str, lines: list[str]) -> None:
    """A safer option, another branch, a word in a text."""
    made = _guard(form)
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
    made = _guard(f"edit {name}")
    assert [path for path in paths if not fires(made, Attempt(file=path))] == []
    assert not fires(made, Attempt(file="/w/config/prod.yaml/../other.yaml"))


def test_branches_and_files() -> None:
    main = _guard("git push: on main")
    assert fires(main, Attempt("git push origin main")) and fires(
        main, Attempt("git push", branch="main")
    )
    assert not fires(main, Attempt("git push origin feature", branch="main"))
    assert not fires(main, Attempt("git push", branch="feature"))
    file = _guard("edit src/gen/*.ts")
    assert fires(file, Attempt(file="/w/src/gen/api.ts")) and not fires(
        file, Attempt(file="/w/src/gen/api.py")
    )


def test_only_a_persons_or_twice_observed_words_make_guards() -> None:
    """Never from imported, quoted, synced, found-once or agents' words."""
    lesson = Lesson("m", "p", "Never `git push`.", state="active")
    twice = Tally(seen=2)
    assert why_not(lesson) == ""
    assert [
        why_not(Lesson("m", "p", "x", state="active", trust=tier, tally=twice)) != ""
        for tier in ("imported", "quoted", "agent", "team", "review")
    ] == [True] * 5
    assert why_not(Lesson("m", "p", "x", state="active", trust="observed", tally=twice)) == ""
    assert why_not(Lesson("m", "p", "x", state="active", trust="observed", tally=Tally(seen=1)))
    assert why_not(Lesson("m", "p", "x", state="active", trust="user", extra={"word": "found"}))
    assert why_not(Lesson("m", "p", "x", state="waiting")) and why_not(
        Lesson("m", "p", "x", state="active", gate="hold")
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
