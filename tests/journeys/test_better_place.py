"""What takes a guard's place: a rule of the host, an option of the project's linter; and what a server says to a guard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tacit
from tacit.core.errors import Refused

TEXT = "Run `pnpm install`, not `npm install`."


def test_a_guard_is_refused_plainly_on_a_server(folder: Path) -> None:
    with tacit.open(by="ada", yes=True) as memories:
        lesson = memories.add(TEXT)
        if not memories.store.is_file:
            with pytest.raises(Refused, match="Guards need a store in a file; postgresql://"):
                memories.arm_guard(lesson.id, "ask", anyway=True)
        assert memories.guards() == []


def test_no_session_is_read_where_no_lesson_could_be_offered(folder: Path) -> None:
    with tacit.open(by="ada", yes=True) as memories:
        memories.add(TEXT)
        assert memories.offer_guards(lambda: pytest.fail("read for nothing")) == []


@pytest.mark.parametrize(
    "before",
    [
        None,
        "{}",
        '{\n  "hooks": {},\n  "permissions": {"deny": ["Bash(rm:*)"]}\n}\n',
        '{"permissions":\r\n{"allow": []}}',
    ],
)
def test_a_better_place_is_applied_and_taken_back_byte_for_byte(
    folder: Path, before: str | None
) -> None:
    """The host's own rule stands for the lesson, which is retired; taking it back gives the file and the lesson as they were."""
    path = folder / ".claude" / "settings.local.json"
    if before is not None:
        path.parent.mkdir()
        path.write_bytes(before.encode())
    with tacit.open(by="ada", yes=True) as memories:
        lesson = memories.add(TEXT)
        done = memories.place_guard(lesson.id)
        kept = json.loads(path.read_text())["permissions"]
        assert done.rules == ("Bash(npm install:*)",) and "Bash(npm install:*)" in kept["deny"]
        assert kept.get("deny", [])[:1] == (
            ["Bash(rm:*)"] if before and "rm:" in before else ["Bash(npm install:*)"]
        )
        assert memories.get(lesson.id).state == "archived"
        memories.unplace_guard(lesson.id)
        assert (path.read_bytes().decode() if path.exists() else None) == before
        assert memories.get(lesson.id).state == lesson.state
        memories.place_guard(lesson.id)
        path.write_text(path.read_text() + " ")
        with pytest.raises(Refused, match="was changed since"):
            memories.unplace_guard(lesson.id)


FOREIGN = "What `bun run test` reports in `tmp/clones` is not this project's code: do not mend it, look at the rest."


@pytest.mark.parametrize(
    ("text", "file", "before", "holds"),
    [
        (
            FOREIGN,
            "biome.json",
            '{\r\n\t"files": {"includes": ["src/**"]}\r\n}\r\n',
            '"!tmp/clones"',
        ),
        (FOREIGN, "biome.jsonc", "{\n  // ours\n}\n", '"**"'),
        (FOREIGN, ".eslintrc.json", '{"root": true}', '"tmp/clones/"'),
        (FOREIGN, ".markdownlint-cli2.jsonc", '{"ignores": ["dist",],}\n', '"tmp/clones/**"'),
        (
            "Never use `console.log`.",
            "biome.json",
            '{"linter": {"rules": {"recommended": true}}}',
            '"noConsole"',
        ),
        ("Don't use default exports.", "biome.json", "{}", '"noDefaultExport"'),
        (
            "Never use `any`.",
            ".eslintrc.json",
            '{"rules": {"eqeqeq": 2}}',
            '"@typescript-eslint/no-explicit-any"',
        ),
        ("Never import `lodash`.", ".eslintrc.json", "{}", '"lodash"'),
    ],
)
def test_an_option_of_the_projects_linter_is_a_better_place(
    folder: Path, text: str, file: str, before: str, holds: str
) -> None:
    """Put in beside everything that stands there, the lesson retired; taken back byte for byte."""
    (folder / file).write_bytes(before.encode())
    with tacit.open(by="ada", yes=True) as memories:
        lesson = memories.add(text)
        assert memories.place_guard(lesson.id).file == file
        after = (folder / file).read_bytes().decode()
        assert holds in after and after != before and memories.get(lesson.id).state == "archived"
        with pytest.raises(Refused):
            memories.place_guard(lesson.id)
        memories.unplace_guard(lesson.id)
        assert (folder / file).read_bytes().decode() == before and memories.get(
            lesson.id
        ).state == lesson.state


@pytest.mark.parametrize(
    ("text", "file", "before"),
    [
        (FOREIGN, "biome.json", '{"files": {"includes": ["**", "!tmp/clones"]}}'),
        (FOREIGN, "biome.json", '{"$schema": "https://biomejs.dev/schemas/1.9.4/schema.json"}'),
        (FOREIGN, "biome.json", "{ no json"),
        ("Never use `console.log` in tests.", "biome.json", "{}"),
        (
            "Never use `any`.",
            ".eslintrc.json",
            '{"rules": {"@typescript-eslint/no-explicit-any": "off"}}',
        ),
        ("Never use `any`.", ".prettierrc.json", "{}"),
    ],
)
def test_a_linter_that_has_it_or_cannot_say_it_is_left_alone(
    folder: Path, text: str, file: str, before: str
) -> None:
    (folder / file).write_text(before)
    with tacit.open(by="ada", yes=True) as memories, pytest.raises(Refused):
        memories.better_place(memories.add(text).id)


def test_a_lesson_that_says_more_than_its_rule_stays_in_force(folder: Path) -> None:
    text = "Does not work here: `pnpm run typecheck` (no such script), a guessed repository in `gh` (`git remote -v` names it)."
    with tacit.open(by="ada", yes=True) as memories:
        lesson = memories.add(text)
        assert memories.place_guard(lesson.id).rules == ("Bash(pnpm run typecheck:*)",)
        assert memories.get(lesson.id).state == lesson.state
        memories.unplace_guard(lesson.id)
        assert (
            not (folder / ".claude" / "settings.local.json").exists()
            and memories.get(lesson.id).state == lesson.state
        )


def test_a_rule_with_an_option_stands_wherever_the_option_does(folder: Path) -> None:
    with tacit.open(by="ada", yes=True) as memories:
        assert memories.better_place(memories.add("Never make draft PRs.").id).rules[:2] == (
            "Bash(gh pr create --draft:*)",
            "Bash(gh pr create * --draft*)",
        )


def test_no_rule_of_a_host_says_an_order(folder: Path) -> None:
    with tacit.open(by="ada", yes=True) as memories:
        lesson = memories.add("Run `make test` before `git commit`.")
        with pytest.raises(Refused, match="No permission rule"):
            memories.better_place(lesson.id)
