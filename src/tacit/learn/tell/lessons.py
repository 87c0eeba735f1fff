"""What an agent is told of what was noticed: few lines, each with something to do.

A lesson is worded from all incidents of one subject, when two lineages met it and there is a way out: a cure that both took, code that
both brought in, a command that passes and that no instruction file names, a check that the person had to name. What fails without a way
out is the person's to know. Only recognised facts enter a text (programs, options, codes, paths, pieces of code), never a tool's
sentence; counts stay out of it, since the store knows them and a text that changes with each session starts its trial anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tacit.core.memory import BEFORE_DONE
from tacit.core.run import Incident
from tacit.core.value import grouped, value
from tacit.learn.command import SCRIPT_RUNNERS, Command, commands
from tacit.learn.own_commands import why_not_own
from tacit.learn.tell.instructions import names_command
from tacit.stores.incidents import Form, Noted
from tacit.words.diagnose import Diagnosis

LINEAGES = 2  # that met it
# lineages, where a name may have been guessed, the shell may have stood elsewhere, or it may have been the work itself
GUESSED = 3
_SHARE = 0.4  # of a rule's repairs that brought the same code in
MOSTLY = 0.6  # of them that silenced it: only then is that what is done here
OF_CURED = 0.3  # of the lineages that got over it, in which the same cure did it
_MOST_RULES = 8  # names of rules in one line
BARE = 3  # rules without a repair that are worth a line: fewer say only that a linter is run here
UNNAMED_LINEAGES = 3  # lineages that complained of a check whose command is not known
RUNNER = 0.25  # of the passes of the best form: then the project's own task is named before what it wraps
COMMIT = "git commit"
NEED, TOLD_AT_START = (
    "at need",
    "at start",
)  # when a lesson is given: with its program or error, or at a start too

# another form of the command is the cure: all of them in one line (`groups`)
_GROUPED = frozenset("usage command cargo binary".split())
_SILENCES = re.compile(
    r"nolint|noqa|type:_?ignore|disable|biome-ignore|ts-(?:expect-error|ignore)|allow\("
)
_WORDING = {
    "test": "Run the tests with `{}`{}.",
    "build": "Build with `{}`{}.",
    "lint": "Lint with `{}`{}.",
    "format": "Format with `{}`{}.",
    "typecheck": "Check types with `{}`{}.",
    "check": "Run all checks with `{}`{}.",
    "generate": "Generate files with `{}`{}.",
    "migrate": "Run database migrations with `{}`{}.",
}


@value
class ToldLesson:
    """One lesson as the incidents of its subject word it now."""

    subject: str  # the signature it is found and kept by: one lesson per subject
    text: str
    kind: str
    witnesses: tuple[Noted, ...]
    when: str = TOLD_AT_START
    tags: tuple[str, ...] = ()
    by: str = "notice"  # whose wording it is: the rules', or a reader's
    trust: str = "observed"  # of that wording
    hold: str = ""  # why a person is asked first
    advises: tuple[str, ...] = ()  # the commands it tells somebody to run, as sessions ran them
    # the commands it is told before, each with the parts of the text that are about it; none: all of it
    about: Mapping[str, tuple[str, ...]] = {}


# --- failures


def of_linter(tool: str, met: Sequence[Noted]) -> ToldLesson | None:
    """One line for all rules of a linter: those that came again, with the code that mended each, and the command that mends."""
    by_rule = grouped(met, lambda each: each.incident.code)
    again = {rule: same for rule, same in by_rule.items() if _count(same) >= LINEAGES}
    mending = cure(met, ("command",))
    if any(call.called == each.incident.program for call in commands(mending) for each in met):
        mending = ""  # the checker itself, without its --check: anybody's first thought
    brought: dict[
        str, set[tuple[str, str]]
    ] = {}  # piece of code -> the rules and lineages whose repairs brought it in
    for each in met:
        for piece in each.incident.repair.split():
            brought.setdefault(piece, set()).add((each.incident.code, each.lineage))
    repairs = {rule: code for rule, same in again.items() if (code := _repair(rule, same, brought))}
    often = sorted(again, key=lambda rule: (rule not in repairs, -_count(again[rule]), rule))[
        :_MOST_RULES
    ]
    order = list(
        by_rule
    )  # as they were first met: a line that merely changes its order starts its trial anew
    often.sort(key=lambda rule: (rule not in repairs, order.index(rule)))
    rules = [rule for rule in often if rule != tool]
    if not mending and not repairs and len(rules) < BARE:
        return None  # nothing to do about it; and a formatter that finds files unformatted names no rule
    parts = []
    programs = printed_by(met)
    if mending:
        checked = Counter(each.incident.program for each in met).most_common(1)[0][0]
        parts.append(f"Run `{mending}` before `{checked}`: it mends what {tool} rejects.")
    if repairs or (rules and not mending):
        told = ", ".join(_rule(rule, repairs.get(rule, "")) for rule in rules)
        where = f" in `{programs[0]}`" if programs and tool not in programs[0].split(" ") else ""
        parts.append(f"{tool} rejects{where or ' here'} again and again: {told}.")
    marks = dict.fromkeys(again[rule][0].incident.mark for rule in often)
    advises, about = (mending,) if mending else (), dict.fromkeys(programs, ())
    return ToldLesson(
        f"lint by {tool}",
        " ".join(parts),
        "rule",
        _kept(met, again),
        tags=(tool, *marks),
        about=about,
        advises=advises,
    )


def printed_by(met: Sequence[Noted]) -> list[str]:
    """The programs that two lineages met it with, as they were first met: which one leads does not change from session to session."""
    by: dict[str, set[str]] = {}
    for each in met:
        by.setdefault(each.incident.program, set()).add(each.lineage)
    often = [program for program in by if len(by[program]) >= LINEAGES]
    return sorted(
        often, key=lambda program: program == COMMIT
    )  # a commit's hook runs the check itself


def _rule(rule: str, repair: str) -> str:
    if not repair:
        return rule
    if _SILENCES.search(repair):
        return f"{rule} (mostly silenced with `{repair.replace('_', ' ')}` and a reason)"
    return f"{rule} (mended with {' and '.join(map(_shown, repair.split()))})"


def _shown(code: str) -> str:
    if code.startswith("```"):
        return (
            "a language behind the opening fence"  # the marks themselves would end a fence of ours
        )
    return f"`{code}…)`" if code.endswith("(") else f"`{code}`"


def _repair(rule: str, same: Sequence[Noted], brought: Mapping[str, set[tuple[str, str]]]) -> str:
    """The piece of code that repairs of one rule share, and repairs of the others do not."""
    mended = {
        each.lineage: dict.fromkeys(each.incident.repair.split())
        for each in same
        if each.incident.repair
    }
    counts = Counter(code for codes in mended.values() for code in codes)
    shared: list[str] = []
    for code, n in counts.most_common():
        named = rule.lower() in code.lower()
        enough = MOSTLY if _SILENCES.search(code) else _SHARE
        elsewhere = {lineage for other, lineage in brought[code] if other != rule}
        if n >= LINEAGES and n >= enough * len(mended) and (named or n > len(elsewhere)):
            shared.append(code)
    silencing = [code for code in shared if _SILENCES.search(code)]
    if shared and shared[0] in silencing:
        return silencing[0]
    return " ".join([code for code in shared if code not in silencing][:2])


def of_failure(mark: str, met: Sequence[Noted]) -> ToldLesson | None:
    """What to do instead, where two lineages got over the same failure in the same way."""
    first = met[0].incident
    program = Counter(each.incident.program for each in met).most_common(1)[0][0]
    said = _said(first)
    if not outlives_task(first) or not said:
        return None
    command = cure(met, ("command",)) if _by_command(first, program) else ""
    form = cure(met, ("form",)) if first.family in ("command", "exception", "module") else ""
    if first.family != "command" and form.startswith("as "):
        return _of_interpreter(mark, met, program.split(" ")[0], form.removeprefix("as "))
    if form.startswith("as ") and why_not_own(form := form.removeprefix("as ")):
        text = f"Run `{first.name}` as `{form}`: there is no such command otherwise."
        return ToldLesson(mark, text, "pitfall", _kept(met), NEED, (first.name,), advises=(form,))
    if not command or (first.family in _GROUPED and not why_not_own(command)):
        return None
    text = f"Run `{command}` before `{program}`; otherwise {said}."
    tags = tuple(dict.fromkeys((program.split(" ")[0], program)))
    about = dict.fromkeys(printed_by(met) or [program], ())
    return ToldLesson(
        mark, text, "pitfall", _kept(met), NEED, tags, about=about, advises=(command,)
    )


def _of_interpreter(mark: str, met: Sequence[Noted], old: str, new: str) -> ToldLesson | None:
    """An exception that the same call survives with another version of its interpreter is the machine's, not of the work in hand."""
    if _count(met) < GUESSED or not re.fullmatch(re.escape(old) + r"\d[\d.]{0,5}", new):
        return None
    text = f"Run `{new}`, not `{old}`, which is another version here: otherwise {_said(met[0].incident)}."
    return ToldLesson(mark, text, "pitfall", _kept(met), NEED, (old,), about={old: ()})


def outlives_task(of: Incident) -> bool:
    """Not the work in hand; an exception may be either, and is told where a command alone made it go away."""
    return of.nature in ("env", "gate", "git") or of.family == "exception"


def _by_command(first: Incident, program: str) -> bool:
    """Whether a command run before may have cured it: not git's daily life, nor a path that somebody guessed while looking around."""
    looking = all(call.looks for call in commands(program))
    return first.family not in ("hook", "git", "lock", "network", "glob", "foreign") and not (
        first.family == "path" and looking
    )


def changed_words(form: str) -> tuple[str, str]:
    """The words that a form of a command lost, and those it gained."""
    lost = re.search(r"without ([^,]+)", form)
    gained = (
        re.search(r"with ([^,]+)$", form)
        if not form.startswith("without") or ", with " in form
        else None
    )
    return lost[1] if lost else "", gained[1] if gained else ""


def cure(met: Sequence[Noted], how: Sequence[str]) -> str:
    """The cure that most lineages share, where at least two do and it stands for a fair part of those that got over it."""
    cured = {each.lineage for each in met if each.incident.ended not in ("never", "")}
    by_cure: dict[str, set[str]] = {}
    for each in met:
        if each.incident.cure and each.incident.ended in how:
            by_cure.setdefault(each.incident.cure, set()).add(each.lineage)
    best = max(by_cure, key=lambda cure: (len(by_cure[cure]), -len(cure)), default="")
    return best if best and len(by_cure[best]) >= max(LINEAGES, OF_CURED * len(cured)) else ""


def _said(of: Incident) -> str:
    return Diagnosis(of.family, of.code, of.name, of.nature, of.tool).said


# --- commands


def of_command(served: str, forms: Sequence[Form], lines: Mapping[str, str]) -> ToldLesson | None:
    """The command for a purpose, where it is known to pass and no instruction file names one for it."""
    best = best_form(forms)
    if best is None or untold_because(served, forms, lines):
        return None
    text = _WORDING[served].format(best.text, f" in `{best.folder}`" if best.folder else "")
    return ToldLesson(
        f"command {served}", text, "command", (), tags=(served,), advises=(best.text,)
    )


def untold_because(served: str, forms: Sequence[Form], lines: Mapping[str, str]) -> str:
    """Why nobody is told a command for a purpose; empty where one is worth telling."""
    best = best_form(forms)
    if served not in _WORDING or best is None:
        return "no command for it passes more often than it fails by now"
    if is_usual(best):  # and what serves beside it is not how it is done here
        return f"`{best.text}` is what anybody would type"
    named = (
        form.text for form in forms if form.passed >= LINEAGES and names_command(lines, form.text)
    )
    return f"an instruction file names `{told}`" if (told := next(named, "")) else ""


def best_form(forms: Iterable[Form]) -> Form | None:
    """The form that passed in most lineages; the project's own task before what it wraps."""
    passing = [
        form
        for form in forms
        if form.passed >= LINEAGES and form.passed > form.failed and not form.single
    ]
    if not passing:
        return None
    most = max(form.passed for form in passing)
    tasks = [
        form
        for form in passing
        if form.passed >= RUNNER * most and any(call.task for call in calls_of(form))
    ]
    return max(tasks or passing, key=lambda form: (form.passed, -len(form.text), form.text))


def calls_of(form: Form) -> tuple[Command, ...]:
    """The calls of a form; what it names in angle brackets is no redirection."""
    return commands(form.text.replace("<", "").replace(">", ""))


def is_usual(form: Form) -> bool:
    """Whether anybody would type it who knows the language: telling it is noise."""
    aside = ("./...", ".", "npx", "uv", "run", "python", "python3")
    words = [word for word in form.text.split() if not word.startswith("-") and word not in aside]
    head = [word for word in words if word not in ("<package>", "run")]
    script = (
        len(head) == 2 and head[0] in SCRIPT_RUNNERS and head[1] == form.purpose
    )  # it stands in package.json
    bare = [
        word
        for call in calls_of(form)[:1]
        for word in call.proper
        if not word.startswith("-") and word not in ("./...", ".")
    ]
    return not form.folder and (
        script or not _USUAL_FORMS.isdisjoint((" ".join(words), " ".join(bare)))
    )


_USUAL_FORMS = frozenset(
    "go test|go build|go vet|go fmt|gofmt|cargo test|cargo build|cargo check|cargo fmt|cargo clippy|pytest|ruff check|ruff format|mypy|npm test|npm test build"
    "|npm build|npm lint|tsc|eslint|prettier|make|make test|make build|mvn test|mvn package|dotnet test|dotnet build|mix test|rake test|rails test|swift test"
    "|gradle test|gradle build|./gradlew test|./gradlew build|flutter test|golangci-lint|pnpm test|yarn test|bun test|deno test|deno lint|deno fmt|dart test"
    "|flutter analyze|sbt test|ctest|mix format|mix compile|swift build|dotnet format|composer test|php artisan test|php artisan migrate|bin/rails test"
    "|bin/rails db:migrate|rails db:migrate|mix ecto.migrate|manage.py test|manage.py migrate|alembic upgrade head|vendor/bin/phpunit|rspec|bundle exec rspec"
    "|rubocop|bundle exec rubocop|go generate|prisma generate|tox|nox|make check|make lint|make format".split(
        "|"
    )
)


def before_done(complaints: Sequence[Noted], forms: Sequence[Form]) -> ToldLesson | None:
    """The checks that the person had to name after the agent had gone on, with the commands that run them."""
    if _count(complaints) < LINEAGES:
        return None
    checks: dict[str, set[str]] = {}
    for each in complaints:
        checks.setdefault(each.incident.code, set()).add(each.lineage)
    named: list[str] = []
    for check in sorted(checks, key=lambda check: -len(checks[check])):
        serving = [form for form in forms if form.purpose == check]
        if check in ("e2e", "ci"):  # a check of that name, or none that we know
            serving = [
                form
                for form in forms
                if form.purpose in ("test", "check") and re.search(rf"\b{check}\b", form.text)
            ]
        best = best_form(serving)
        said = best and (f"`cd {best.folder} && {best.text}`" if best.folder else f"`{best.text}`")
        if said and said not in named and len(named) < 3:
            named.append(said)
    if not named:  # nothing is known to run it, but what it is called says enough
        often = [check for check, met in checks.items() if len(met) >= UNNAMED_LINEAGES]
        named = [_CHECK_WORDS[check] for check in often if check in _CHECK_WORDS][:3]
    if not named:
        return None
    told = named[0] if len(named) == 1 else ", ".join(named[:-1]) + " and " + named[-1]
    text = f"Before you say done, run {told}: the person had to come back with failing checks."
    return ToldLesson(BEFORE_DONE, text, "rule", tuple(complaints))


_CHECK_WORDS = {
    "e2e": "the end-to-end tests",
    "ci": "what CI runs",
    "test": "the tests",
    "lint": "the linter",
    "build": "the build",
    "typecheck": "the type checker",
}


def _count(met: Iterable[Noted]) -> int:
    return len({each.lineage for each in met})


def _kept(met: Sequence[Noted], rules: Iterable[str] | None = None) -> tuple[Noted, ...]:
    wanted = None if rules is None else set(rules)
    return tuple(each for each in met if wanted is None or each.incident.code in wanted)


def purposes_of(incidents: Iterable[Incident]) -> tuple[str, ...]:
    """The purposes that some commands serve."""
    return tuple(dict.fromkeys(each.nature for each in incidents if each.kind == "command"))
