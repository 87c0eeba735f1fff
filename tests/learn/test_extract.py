"""What a run says, without a model: wishes, cures, pitfalls, commands, resolutions."""

from __future__ import annotations

import pytest

from tacit.core.run import Finding, Run, Step
from tacit.learn import failures, shell
from tacit.learn.extract import EXTRACTORS, Known, extract
from tacit.learn.resolves import resolution
from tacit.learn.wishes import read

CWD = "/home/me/app"


def run(*steps: Step, findings: tuple[Finding, ...] = (), branch: str = "") -> Run:
    """A run of these steps, each at its own place."""
    placed = tuple(Step(**{**step.__dict__, "place": f"line:{n}"}) for n, step in enumerate(steps, 1))
    return Run("r1", "test", placed, findings, cwd=CWD, branch=branch)


def sh(command: str, error: str = "", output: str = "", agent: str = "", interrupted: bool = False) -> Step:
    status = 1 if error else 0
    return Step(
        "tool", "", tool="Bash", input={"command": command}, output=output, error=error, status=status, agent=agent,
        interrupted=interrupted,
    )  # fmt: skip


def edit(path: str, error: str = "", tool: str = "Edit") -> Step:
    return Step("tool", "", tool=tool, input={"file_path": f"{CWD}/{path}"}, error=error)


def opened(path: str) -> Step:
    return Step("tool", "", tool="Read", input={"file_path": f"{CWD}/{path}"}, output="…")


def typed(text: str) -> Step:
    return Step("user", "", text=text, typed=True)


def texts(made: Run, *extractors: str) -> list[str]:
    return [finding.text for finding in extract(made, Known(extractors=extractors))]


# --- the table --------------------------------------------------------------------------------------------------------


def test_said_outright_passes_through() -> None:
    """What the format read is not touched, whatever its length."""
    said = (Finding("r1", "verdict:1", "ok", tier="review"), Finding("r1", "verdict:1", "ok", tier="review"))
    assert extract(run(findings=said), Known(min_chars=50)) == said


def test_a_profile_switches_extractors() -> None:
    """Only the extractors that are on speak."""
    made = run(typed("always use pnpm"), sh("npm test"))
    assert [f.extractor for f in extract(made, Known(extractors=("command",)))] == ["command"]
    assert set(EXTRACTORS) == {"outright", "wish", "fix", "repeat", "command", "resolve"}


def test_two_findings_of_one_step_have_two_keys() -> None:
    """The second stands at place#2; the same run again says the same."""
    made = run(typed("Always use pnpm. Never push to main."))
    found = extract(made, Known())
    assert [f.place for f in found] == ["line:1", "line:1#2"]
    assert len({f.key for f in found}) == 2
    assert extract(made, Known()) == found


# --- wishes -----------------------------------------------------------------------------------------------------------


def test_a_wish_whole() -> None:
    """A standing wish is the user's, in the user's words, at the place where it was typed."""
    made = run(
        Step("user", "", text="ok, please never edit src/generated/api.ts!", typed=True, at="2026-01-02T03:04:05Z")
    )
    assert extract(made, Known()) == (
        Finding(
            run="r1", place="line:1", text="Never edit src/generated/api.ts.", extractor="wish", version=1, kind="rule",
            by="user", tier="user", severity="warning", tags=("standing",), paths=("src/generated/api.ts",),
            quote="ok, please never edit src/generated/api.ts!", at="2026-01-02T03:04:05Z",
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("no, use pnpm not npm", "Use pnpm not npm."),
        ("always run the linter before committing", "Always run the linter before committing."),
        ("from now on use uv for everything, thanks!", "From now on use uv for everything."),
        ("please use ruff instead of flake8", "Use ruff instead of flake8."),
        ("in this repo we squash commits", "In this repo we squash commits."),
        ("I already told you not to push to main", "Do not push to main."),
        ("you forgot to run the linter", "Do not forget to run the linter."),
        ("Can you always answer in German?", "Always answer in German."),
        ("No. Don't use npm.", "Don't use npm."),
        ("stop adding comments to the code", "Stop adding comments to the code."),
        ("If the schema changes, always regenerate the client", "If the schema changes, always regenerate the client."),
        ("No emojis in commit messages", "No emojis in commit messages."),
        ("we use vitest here, not jest", "We use vitest here, not jest."),
        ("Always run `make check` before you push", "Always run `make check` before you push."),
        ("nein, nimm pnpm statt npm", "Nimm pnpm statt npm."),
        ("immer vor dem Commit die Tests laufen lassen", "Immer vor dem Commit die Tests laufen lassen."),
        ("ab jetzt bitte pnpm benutzen", "Ab jetzt bitte pnpm benutzen."),
        ("Fass die generierten Dateien nie an", "Fass die generierten Dateien nie an."),
        ("siempre usa pnpm", "Siempre usa pnpm."),
        ("por favor, nunca hagas push a main", "Nunca hagas push a main."),
        ("no uses npm", "No uses npm."),
        ("toujours utiliser pnpm", "Toujours utiliser pnpm."),
        ("ne modifie jamais les fichiers générés", "Ne modifie jamais les fichiers générés."),
        ("non, utilise pnpm au lieu de npm", "Utilise pnpm au lieu de npm."),
    ],
)
def test_wishes_that_outlive_the_task(said: str, kept: str) -> None:
    """In four languages: the person's own sentence without politeness and a leading no, its negation kept."""
    assert [wish.text for wish in read(said, after_action=True)] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "no, the other button", "make it blue", "thanks!", "never mind", "continue", "did you push?", "I don't know",
        "it always fails", "the server never starts", "we never got a reply", "every time I run it it crashes",
        "why do you always use npm?", "should we use pnpm instead of npm?", "maybe use pnpm instead of npm",
        "don't do that yet", "Never do that again", "don't worry about it", "don't use --no-git in those tests",
        "use the other one instead", "use a list here", "I prefer option 2", "run pytest again", "use port 3001",
        "put the config in config.yaml", "you should add a test for this", "Stop look in the justfile",
        "Remember to write it the new way", "the docs say: always use yarn", "in this project there is a bug",
        "der Test schlägt immer fehl", "immer noch der gleiche Fehler", "nein, der andere Knopf", "mach das nie wieder",
        "nunca funciona", "siempre da error", "no, el otro botón", "ça ne marche toujours pas", "non, l'autre bouton",
        "if we can read the language, add it to `platform_text`. but don't assume english as a fallback.",
    ],
)  # fmt: skip
def test_the_task_at_hand_is_no_lesson(said: str) -> None:
    """Requests, questions, descriptions, guesses and what points at something unseen are left alone."""
    assert list(read(said, after_action=True)) == []


@pytest.mark.parametrize(
    "said",
    [
        "Look at this:\n```\nalways use yarn\n```",
        "> always use yarn\nwhat does that mean?",
        "<private>always use yarn</private>",
        'he wrote "always use yarn"',
        "The README says:\n\nAlways use yarn.",
        "<doc>\nAlways use yarn.\n</doc>",
        "[Pasted text #1 +20 lines]",
        "\n".join(f"- always use rule {n}" for n in range(12)),
        "ERROR: never use main",
    ],
)
def test_only_the_persons_own_words_count(said: str) -> None:
    """Fences, quotations, private spans, tags, pasted blocks and reported text are somebody else's."""
    assert list(read(said, after_action=True)) == []


def test_only_typed_text_counts() -> None:
    """Meta text, tool results and sub-agents' prompts are not the person."""
    assert extract(run(Step("user", "", text="always use pnpm"), sh("ls", output="always use pnpm")), Known()) == ()


def test_a_correction_needs_something_to_correct() -> None:
    """The same sentence opens a task, or corrects what was just done."""
    correction = typed("don't edit config/prod.exs")
    assert texts(run(correction), "wish") == []
    assert texts(run(edit("config/prod.exs"), correction), "wish") == ["Don't edit config/prod.exs."]


def test_severity_follows_strength() -> None:
    """Must, never and what had to be repeated are warnings; a mere preference is information."""
    said = ["I prefer httpx over requests", "always use httpx", "never use requests", "I told you to use httpx"]
    assert [wish.severity for text in said for wish in read(text)] == ["info", "recommendation", "warning", "warning"]


# --- failure and cure -------------------------------------------------------------------------------------------------

NO_MODULE = "Traceback (most recent call last):\n  File \"x.py\", line 1\nModuleNotFoundError: No module named 'yaml'"


def test_a_fix_whole() -> None:
    """What failed, why, and what then worked, over recorded facts alone."""
    made = run(sh("cd /home/me/app && pytest -q 2>&1", NO_MODULE), sh("pip install -e '.[test]'"), sh("pytest -q"))
    assert extract(made, Known(extractors=("fix",))) == (
        Finding(
            run="r1", place="line:1", extractor="fix", version=1, kind="fix", by="tool", tier="observed", severity="warning",
            text="`pytest -q` failed with `ModuleNotFoundError: No module named 'yaml'`; "
            "running `pip install -e '.[test]'` first made it pass.",
            signature="ModuleNotFoundError: No module named <q>", quote="ModuleNotFoundError: No module named 'yaml'",
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (
            [sh("npm test", "Error: Cannot find module 'vite'"), sh("ls"), sh("npm ci"), sh("npm run test -- --ci")],
            "`npm test` failed with `Error: Cannot find module 'vite'`; running `npm ci` first made it pass.",
        ),
        (
            [sh("npm test", "Error: Cannot find module 'vite'"), sh("npm ci && npm test")],
            "`npm test` failed with `Error: Cannot find module 'vite'`; running `npm ci` first made it pass.",
        ),
        (
            [
                sh("git push", "Exit code 128\nfatal: The current branch fix-7 has no upstream branch."),
                sh("git push --set-upstream origin fix-7"),
            ],
            "`git push` failed with `fatal: The current branch <branch> has no upstream branch`; "
            "`git push --set-upstream origin <branch>` worked.",
        ),
        (
            [
                sh("mix test", "** (RuntimeError) no :secret_key_base configuration found in App.Endpoint."),
                edit("config/test.exs"),
                sh("mix test test/a_test.exs"),
            ],
            "`mix test` failed with `** (RuntimeError) no :secret_key_base configuration found in App.Endpoint`; "
            "editing `config/test.exs` made it pass.",
        ),
        (
            [
                sh('git commit -m "x"', "Pre-commit validation failed:\\n\\n[FORMAT] Code is not formatted."),
                sh("mix format"),
                sh("git add -A && git commit -m 'y'"),
            ],
            "`git commit -m …` failed with `Pre-commit validation failed: [FORMAT] Code is not formatted`; "
            "running `mix format` first made it pass.",
        ),
        (
            [sh("npm run build", 'npm error Missing script: "build"'), sh("cd web && npm run build")],
            '`npm run build` failed with `Missing script: "build"`; `cd web && npm run build` worked.',
        ),
        (
            [edit("a.py", "File has not been read yet. Read it first."), opened("a.py"), edit("a.py")],
            "`Edit` of a file failed with `File has not been read yet. Read it first`; "
            "reading the file first made it work.",
        ),
        (
            [opened("a.py"), edit("a.py", "String to replace not found in file."), opened("a.py"), edit("a.py")],
            "`Edit` of `a.py` failed with `String to replace not found in file`; "
            "reading the file again first made it work.",
        ),
        (
            [
                Step(
                    "tool",
                    "",
                    tool="Task",
                    input={"a": 1},
                    error="InputValidationError: the parameter `prompt` is missing",
                ),
                Step("tool", "", tool="Task", input={"a": 1, "prompt": "x"}, output="ok"),
            ],
            "`Task` failed with `InputValidationError: the parameter 'prompt' is missing`; giving `prompt` made it work.",
        ),
    ],
)
def test_cures(steps: list[Step], text: str) -> None:
    """A command before it, a configuration file, the changed line, another folder, a file read first, an argument."""
    assert texts(run(*steps, branch="fix-7"), "fix", "repeat") == [text]


def test_one_error_after_the_other() -> None:
    """An error that gave way to another was still overcome, if the command passed in the end."""
    made = run(
        sh("mix test", "** (RuntimeError) no :secret_key_base configuration found."),
        edit("config/test.exs"),
        sh("mix test", "** (RuntimeError) LiveView requires lazy_html as a test dependency."),
        edit("mix.exs"),
        sh("mix deps.get"),
        sh("mix test"),
    )
    assert texts(made, "fix") == [
        "`mix test` failed with `** (RuntimeError) no :secret_key_base configuration found`; "
        "editing `config/test.exs` got past this error.",
        "`mix test` failed with `** (RuntimeError) LiveView requires lazy_html as a test dependency`; "
        "editing `mix.exs` and running `mix deps.get` made it pass.",
    ]


@pytest.mark.parametrize(
    "steps",
    [
        [sh("grep -r foo src", "Exit code 1"), sh("grep -r foo lib")],
        [sh("ls docs", "ls: cannot access 'docs': No such file or directory"), sh("ls")],
        [sh("test -f a", "Exit code 1"), sh("test -f b")],
        [sh("diff a b", "Exit code 1\n1c1"), sh("diff a c")],
        [sh("pytest", "AssertionError: assert 1 == 2"), edit("src/a.py"), sh("pytest")],
        [sh("pytest", NO_MODULE), sh("pytest")],
        [sh("pytest tests/a.py", "AssertionError: assert 1 == 2"), sh("pytest tests/b.py")],
        [sh("npm i", "The user doesn't want to proceed with this tool use.", interrupted=True), sh("npm i")],
        [
            sh("npm i", "Claude requested permissions to use Bash, but you haven't granted it yet."),
            sh("npm ci"),
            sh("npm i"),
        ],
        [sh("npm test", "Command timed out after 2m 0.0s"), sh("npm ci"), sh("npm test")],
        [sh("python - <<'E'\nimport yaml\nE", NO_MODULE), sh("python - <<'E'\nimport json\nE")],
        [sh("npm test", "Error: Cannot find module 'a'"), sh("npm ci"), sh("npm test | tail -3", output="2 failed")],
        [sh("pytest", NO_MODULE), sh("pip install a"), sh("pip install b"), sh("uv add c"), sh("pytest")],
        [sh("pytest", NO_MODULE), sh("pip install pyyaml", agent="other"), sh("pytest", agent="other")],
    ],
)
def test_no_lesson_where_nothing_was_learned(steps: list[Step]) -> None:
    """Looking, unfinished code, reruns, refusals, timeouts, scripts of the moment, muddles and other lanes."""
    assert texts(run(*steps), "fix", "repeat") == []


def test_one_finding_per_error_and_run() -> None:
    """The same refusal on five files is one lesson that names none of them."""
    steps = [
        step
        for name in ("a.py", "b.py", "c.py")
        for step in (edit(name, "String to replace not found in file."), opened(name), edit(name))
    ]
    found = extract(run(*steps), Known())
    assert [(f.text, f.paths, f.place) for f in found] == [
        (
            "`Edit` of a file failed with `String to replace not found in file`; reading the file first made it work.",
            ("a.py", "b.py", "c.py"),
            "line:1",
        )
    ]


def test_errors_that_repeat() -> None:
    """Three times in one run, or to two agents, without a cure: a pitfall."""
    broken = "> Build error occurred\n[TypeError: generate is not a function]"
    thrice = run(*[sh("npm run build", broken)] * 3)
    assert texts(thrice, "repeat") == [
        "`npm run build` failed 3 times in one run with `TypeError: generate is not a function` and was not fixed; "
        "find the cause before trying it again."
    ]
    assert texts(run(*[sh("npm run build", broken)] * 2), "repeat") == []
    twice = run(sh("npm run build", broken), sh("npm run build", broken, agent="builder"))
    assert len(texts(twice, "repeat")) == 1


def test_secrets_and_content_do_not_enter_a_command() -> None:
    """Variables in front, messages and long arguments are the moment's, and may be secret."""
    call = shell.main_call("TOKEN=abc MIX_ENV=test git commit -m 'fix login' --author=\"$(cat <<'E'\nx\nE\n)\"")
    assert call is not None
    assert shell.shown(call) == "MIX_ENV=test git commit -m … …"


# --- commands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["npm test"], "Tests of this project run with `npm test`."),
        (["cd /home/me/app && pytest -q 2>&1 | tail -5"], "Tests of this project run with `pytest`."),
        (["pytest tests/a.py", "pytest", "pytest tests/a.py"], "Tests of this project run with `pytest`."),
        (["mix test test/a_test.exs:12"], "Single test files of this project run with `mix test <file>`."),
        (["DATABASE_URL=x MIX_ENV=test mix test --seed 0"], "Tests of this project run with `MIX_ENV=test mix test`."),
        (["timeout 60 uv run pytest -x"], "Tests of this project run with `uv run pytest`."),
        (["npm run build"], "This project is built with `npm run build`."),
        (["cargo build --release"], "This project is built with `cargo build --release`."),
        (["go vet ./..."], "This project is linted with `go vet ./...`."),
        (["ruff check ."], "This project is linted with `ruff check .`."),
        (["prettier --check ."], ""),
        (["mix format"], "Code of this project is formatted with `mix format`."),
        (["cd web && npx tsc --noEmit"], "Types of this project are checked with `cd web && npx tsc --noEmit`."),
        (["docker compose up -d"], "This project is started with `docker compose up -d`."),
        (["pip install -e '.[dev]'"], "Dependencies of this project are installed with `pip install -e '.[dev]'`."),
        (["pip install left-pad"], ""),
        (["make"], "This project is built with `make`."),
        (["make -C /tmp/x test"], ""),
        (["cd /tmp/x && npm test"], ""),
        (["python script.py", "ls", "git status"], ""),
    ],
)
def test_commands_of_the_project(lines: list[str], said: str) -> None:
    """One sentence per purpose, general before specific, without what belongs to the moment."""
    assert texts(run(*map(sh, lines)), "command") == ([said] if said else [])


@pytest.mark.parametrize(
    "step",
    [
        sh("npm test", "Exit code 1\nfailed"),
        sh("npm test 2>&1 | tail -5", output="Tests: 2 failed, 3 passed"),
        sh("npm test", output="Command running in background with ID: bash_1"),
        sh("npm test", interrupted=True),
    ],
)
def test_only_success_counts(step: Step) -> None:
    """A command that failed, visibly or behind a pipe, was left running or stopped, shows nothing."""
    assert texts(run(step), "command") == []


def test_a_lone_cd_is_remembered() -> None:
    """An agent that went somewhere by a line of its own relies on staying there."""
    assert texts(run(sh("cd web"), sh("npm test")), "command") == [
        "Tests of this project run with `cd web && npm test`."
    ]


# --- resolutions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "advice"),
    [
        (
            "In the next trial, I will go to desk 1, then examine the coffee mug.",
            "Go to desk 1, then examine the coffee mug.",
        ),
        (
            "Next time I should not delete the migration before the backup.",
            "Do not delete the migration before the backup.",
        ),
        ("I will try to execute a different action if I am stuck in a loop again.", ""),
        ("In the next trial, I will find the mug, take it, then put it on the desk.", ""),
        ("In this environment, my plan was to find a mug.", ""),
        ("Next time I will ask my colleague about the deployment window.", ""),
        ("I will now run the tests.", ""),
    ],
)
def test_resolutions(sentence: str, advice: str) -> None:
    """The advice without the diary; moods and plans are not advice."""
    assert resolution(sentence) == advice


def test_resolutions_are_the_agents_claims() -> None:
    """Their tier says so, and nothing but the resolution is taken."""
    said = "I looked in three drawers. Next time I will open the fridge before the microwave. Done."
    found = extract(run(Step("assistant", "", text=said)), Known())
    assert [(f.text, f.tier, f.by, f.kind) for f in found] == [
        ("Open the fridge before the microwave.", "agent", "agent", "pitfall")
    ]


# --- parts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "about"),
    [
        ("cd /a/b && npm test 2>&1 | tail -5", ("npm", "run", "test")),
        ("git add -A && git commit -m \"$(cat <<'EOF'\nfeat: x (y)\n\nit's\nEOF\n)\" && git push", ("git", "push")),
        ("yes '' | npx create-app x", ("create-app",)),
        ("python3 -m pip install x", ("pip", "install")),
        ("docker-compose up -d", ("docker", "compose", "up")),
        ("pnpm --filter web dev", ("pnpm", "run", "dev")),
        ("python3.11 manage.py migrate", ("python", "manage.py", "migrate")),
        ("sudo env A=1 timeout 60 cargo test", ("cargo", "test")),
        ("cat > a.txt <<'E'\nnpm test\nE\nmake", ("make",)),
    ],
)
def test_what_a_line_is_about(line: str, about: tuple[str, ...]) -> None:
    """Folders, pipes, here-documents, wrappers and runners are not what a line is about."""
    call = shell.main_call(line)
    assert call is not None
    assert shell.key(call) == about


@pytest.mark.parametrize("line", ["", "echo hi", "cd x", "for f in a; do echo $f; done", "A=1", "'", "$(", "<<", "a |"])
def test_lines_about_nothing_are_read_without_harm(line: str) -> None:
    """Scenery and broken lines have no call worth a lesson."""
    call = shell.main_call(line)
    assert call is None or shell.key(call)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (NO_MODULE, "ModuleNotFoundError: No module named 'yaml'"),
        (
            "Exit code 2\nnpm warn old\n\nsrc/a.ts(6,3): error TS2307: Cannot find module 'b'.",
            "src/a.ts(6,3): error TS2307: Cannot find module 'b'.",
        ),
        (
            "Compiling 3 files\n\n  1) test x\n     ** (RuntimeError) no key\n     stacktrace:\n       a.ex:1",
            "** (RuntimeError) no key",
        ),
        ("\x1b[31merror\x1b[0m: unknown flag --foo\nUsage: x", "error: unknown flag --foo"),
        ("Hook said no:\nrun the linter", "Hook said no: run the linter"),
        ("", ""),
    ],
)
def test_the_telling_line(error: str, line: str) -> None:
    """The line a person would quote, out of chatter, frames and colours."""
    assert failures.telling_line(error) == line
