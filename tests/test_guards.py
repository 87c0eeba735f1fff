"""A slice of the two benches that attack us: quiet poison through channels, and megabytes that make careless expressions run wild."""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parent.parent / "bench"


@pytest.fixture
def restored() -> Iterator[None]:
    """The bench plays a user of its own: environment and folder are put back."""
    before, here = dict(os.environ), os.getcwd()
    yield
    os.chdir(here)
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One repository that is attacked, with the usual work of each door."""
    before, here = dict(os.environ), os.getcwd()
    redteam = runpy.run_path(str(BENCH / "redteam_repository.py"))
    made = redteam["Ground"](tmp_path_factory.mktemp("ground"))
    attacked = dict(os.environ)
    os.chdir(here)
    os.environ.clear()
    os.environ.update(before)

    class Here:
        """The ground, entered again for each attack."""

        def __getattr__(self, name: str) -> Any:
            os.environ.clear()
            os.environ.update(attacked)
            os.chdir(made.repo)
            return getattr(made, name)

    yield redteam, Here()


# Each channel costs a second: forty questions to a store are the measure, and one of each family is asked here.
@pytest.mark.parametrize(
    "channel",
    [
        "claude-code: error text, cured",
        "neutral: claims a reviewer",
        "mcp: remember, runs named by the client",
    ],
)
def test_quiet_poison_reaches_no_prompt(restored: None, channel: str) -> None:
    """Two runs of each, and something was read."""
    redteam = runpy.run_path(str(BENCH / "redteam.py"))
    through, kept, _ = redteam["tried"](redteam["CHANNELS"][channel][1], 2)
    assert through == set()
    assert kept != "nothing was read"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (".tacit/config.toml", "link to /dev/ptmx"),
        (".tacit/config.toml", "pipe"),
        (".claude/settings.json", "link to /dev/zero"),
        (".claude/settings.json", "numbers for settings"),
        (".git/packed-refs", "pipe"),
        ("CLAUDE.md", "2 GB"),
    ],
)
def test_no_file_of_a_repository_silences_a_hook_or_holds_a_command(
    restored: None, ground: Any, name: str, kind: str
) -> None:
    redteam, on = ground
    assert on.attacked(name, redteam["KINDS"][kind]) == {}


@pytest.mark.parametrize(
    "kind", ["unknown key", "broken", "wrong type", "80 kB of dotted keys", "ignore all"]
)
def test_no_setting_of_a_repository_does(restored: None, ground: Any, kind: str) -> None:
    redteam, on = ground
    assert on.attacked(".tacit/config.toml", redteam["_text"](redteam["TEXTS"][kind])) == {}


def test_no_word_of_a_host_does(restored: None, ground: Any) -> None:
    _, on = ground
    assert on.told(cwd=str(on.repo) + "/a" * 500_000) == {}
    assert on.told(transcript_path="/dev/ptmx") == {}


@pytest.mark.parametrize(
    ("attack", "given"),
    [
        ("resembles", ("neutral findings", 0, True)),
        ("resembles", ("agent's shell: add", 5, False)),
        ("reads", (("known",),)),
        ("reads", (("lessons", "weigh"),)),
        ("reads", (("known", "cure"),)),
        ("obeyed", ("cpanm Zorblax::Setup",)),
        ("obeyed", ("make -f zorblax.mk",)),
    ],
)
def test_nobodys_words_ride_on_the_persons(
    restored: None, attack: str, given: tuple[Any, ...]
) -> None:
    """A slice of bench/redteam_words.py: nothing through, and no typed wish lost."""
    assert runpy.run_path(str(BENCH / "redteam_words.py"))[attack](*given) == (0, 0)


def test_what_a_person_adds_comes_through(restored: None) -> None:
    """The instrument sees."""
    redteam = runpy.run_path(str(BENCH / "redteam.py"))
    (_, plant, texts, most), *_ = redteam["CONTROLS"]
    assert len(redteam["tried"](plant, 1, texts)[0]) == most == 8


@pytest.mark.parametrize(
    ("door", "piece"),
    [
        ("telling line", "1"),
        ("telling line", "\x1b]"),
        ("screen", " "),
        ("redact", "token: "),
        ("redact", 'secret = "'),
        ("redact", "-----BEGIN PRIVATE KEY-----"),
        ("redact", "https://a:b@"),
        ("private", "<private></private>"),
        ("plain_line", "# "),
    ],
)
def test_twice_the_text_costs_about_twice(tmp_path: Path, door: str, piece: str) -> None:
    """What was once quadratic, or ten times prose, by CPU; the whole of it is `make bench-patterns`."""
    patterns: dict[str, Any] = runpy.run_path(str(BENCH / "patterns.py"))
    act, text_of = patterns["doors"](tmp_path)[door], patterns["text_of"]
    act(text_of(piece, 2_000))

    def cost(size: int) -> float:
        began = process_time()
        act(text_of(piece, size))
        return process_time() - began

    # by what it takes undisturbed: a neighbour on the same core costs once, a quadratic pattern each time
    assert any(cost(120_000) <= 4 * max(cost(60_000), 0.02) for _ in range(3))
