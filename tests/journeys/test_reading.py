"""Who reads: off without a yes, asked once, nobody else's to switch on; and what lies there already is read with the price said first."""

from __future__ import annotations

import json
import os
import re
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.terminals import Screen
from tests.verbs import open as open_memories

from tacit.cli import called
from tacit.cli.reading import PROGRESS, remember
from tacit.cli.verb import Cli
from tacit.learn.learning import agree_to
from tacit.reading.exam import EXAM_PAIRS
from tacit.testing import signed

SAID = "before new work we need to get back to main and pull in latest"


# What passes the exam: pieces of its questions and their answers.
EXAM = [
    (
        "postal code to the address form",
        json.dumps(
            {
                "lessons": [
                    {
                        "text": "Never start the dev server.",
                        "kind": "rule",
                        "standing": "said",
                        "quotes": [
                            {"line": 5, "words": "please never start the dev server yourself"}
                        ],
                    }
                ]
            }
        ),
    ),
    (
        "this repo is pnpm only",
        json.dumps(
            {
                "answers": [
                    {"n": n, "says": says[0], "holds": holds[0]}
                    for n, (_, _, says, holds) in enumerate(EXAM_PAIRS, 1)
                ]
            }
        ),
    ),
]


def program(folder: Path, name: str, said: str, status: int = 0) -> Path:
    """A program that answers every question alike, and notes what it was called with."""
    path = folder / name
    path.write_text(
        f"#!{sys.executable}\nimport json, os, sys\nasked = sys.stdin.read()\n"
        f"open({str(folder / 'calls')!r}, 'a').write(json.dumps([sys.argv[1:], os.environ.get('TACIT_MODEL_CALL'), os.getcwd(), asked[:40]]) + '\\n')\n"
        f"exam = {EXAM!r}\n"
        f"print(next((told for asked_for, told in exam if asked_for in asked), {said!r}))\nsys.exit({status})\n"
    )
    path.chmod(0o755)
    return path


def answers() -> str:
    lesson: dict[str, Any] = {
        "kind": "rule",
        "standing": "said",
        "quotes": [{"line": 1, "words": SAID}],
    }
    lesson["text"] = "Before new work get back to main and pull in latest."
    return json.dumps(
        {
            "lessons": [lesson],
            "answers": [{"n": 1, "says": "yes", "holds": "working"}],
            "verdicts": [],
        }
    )


def config(alone: Path) -> Path:
    return alone / ".config" / "tacit" / "config.toml"


def transcript(alone: Path, folder: Path, name: str = "s1") -> Path:
    """A session of Claude Code, where it keeps them."""
    at: dict[str, Any] = {"sessionId": name, "cwd": str(folder), "version": "2.1.50"}
    at |= {"timestamp": "2026-02-11T10:00:00.000Z", "isSidechain": False, "userType": "external"}
    asked, said = {"role": "user", "content": SAID}, [{"type": "text", "text": "Sure."}]
    answer = {"id": "m1", "role": "assistant", "content": said}
    records = [
        {**at, "type": "user", "uuid": f"{name}-u1", "promptSource": "typed", "message": asked},
        {**at, "type": "assistant", "uuid": f"{name}-a1", "message": answer},
    ]
    path = (
        alone / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(folder)) / f"{name}.jsonl"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    return path


@pytest.mark.parametrize(
    "before",
    [
        "",
        '[model]\nname = "m"\n',
        '[reader]\nmodel = "x"\n\n[model]\nname = "m"',
        '[reader]\nby = "model"\noff = ["/x"]\n',
    ],
)
def test_an_answer_is_remembered_and_nothing_else_changes(alone: Path, before: str) -> None:
    path = config(alone)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before)
    wanted = tomllib.loads(before)
    wanted.setdefault("reader", {})["by"] = "claude-code"
    for _ in range(2):
        remember(str(path), "claude-code")
        assert tomllib.loads(path.read_text()) == wanted


def test_nobody_reads_without_a_yes(tacit: Any, folder: Path, alone: Path, tmp_path: Path) -> None:
    """Not because a program is there, not because a repository, the environment or a model's setting says so."""
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    (folder / ".tacit").mkdir()
    (folder / ".tacit" / "config.toml").write_text('[reader]\nby = "claude-code"\n')
    tacit("connect", "claude-code", PATH=path)
    assert not config(alone).exists()
    tacit(
        "learn", str(transcript(alone, folder)), "--over", PATH=path, TACIT_READER_BY="claude-code"
    )
    assert not (tmp_path / "calls").exists()


def test_a_yes_has_sessions_read_by_the_hosts_own_program(
    tacit: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    """Without tools, settings, memory and history, in an empty folder, with our own hooks silent; and its answer counts."""
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    session = transcript(alone, folder)
    done = tacit("connect", "claude-code", "--read", PATH=path)
    assert (
        "they would teach about 1 lesson (about $0.01, or 4,000 tokens of your plan)" in done.out
    ), done.out
    assert tomllib.loads(config(alone).read_text())["reader"]["by"] == "claude-code"
    tacit("learn", str(session), "--over", PATH=path)
    calls = [json.loads(line) for line in (tmp_path / "calls").read_text().splitlines()]
    # two of its exam, what the session teaches, whether the line says it; nothing is remembered yet
    assert len(calls) == 4
    for words, marker, place, asked in calls:
        assert (
            words[words.index("--tools") + 1] == ""
            and words[words.index("--setting-sources") + 1] == ""
        )
        assert {"--strict-mcp-config", "--no-session-persistence", "--disable-slash-commands"} <= {
            *words
        }
        assert (
            "--name" in words
        )  # without one some versions send every question twice, once for a title
        assert marker == "1" and place != str(folder) and asked.startswith("[tacit asks]")
    assert "passed its exam; 1 session read" in " ".join(tacit("doctor", PATH=path).out.split())
    [lesson] = [
        each for each in tacit("list", "--json").data["memories"] if each["extra"].get("word")
    ]
    assert (lesson["state"], lesson["trust"]) == ("active", "user")


def test_a_no_is_remembered_and_off_per_folder_holds(
    tacit: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    tacit("connect", "claude-code", "--no-read", PATH=path)
    assert "would teach" not in tacit("connect", "claude-code", PATH=path).out
    tacit("learn", str(transcript(alone, folder)), "--over", PATH=path)
    config(alone).write_text(f'[reader]\nby = "claude-code"\noff = ["{folder}"]\n')
    tacit("learn", str(transcript(alone, folder, "s2")), "--over", PATH=path)
    assert not (tmp_path / "calls").exists()


def test_what_lies_there_is_read_with_the_price_said_first(
    tacit: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    """And again: what was read is not read twice."""
    transcript(alone, folder, "s0")
    assert "claude is not on this shell's PATH" in tacit("lookback", "--read", PATH="/usr/bin").err
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    for n in range(3):
        transcript(alone, folder, f"s{n}")
    config(alone).parent.mkdir(parents=True, exist_ok=True)
    config(alone).write_text('[reader]\nby = "claude-code"\n')
    done = tacit("lookback", "--read", "--json", PATH=path)
    assert done.data["sessions"] == 3 and done.data["tokens"] > 3000 and done.data["read"] == 0
    assert tacit("lookback", "--read", "--yes", "--json", PATH=path).data["read"] == 3
    asked = (tmp_path / "calls").read_text()
    tacit("lookback", "--read", "--yes", PATH=path)
    assert (tmp_path / "calls").read_text() == asked


def test_the_same_sentence_on_every_first_screen(
    tacit: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    """The reader came last, behind a No, after three screens that never mentioned it."""
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    for n in range(3):
        transcript(alone, folder, f"s{n}")
    sentence = "3 sessions with words of yours: read by your own Claude (haiku) they would teach about 3 lessons"
    for screen in (["lookback"], ["learn"], [], ["connect", "claude-code"]):
        assert sentence in " ".join(tacit(*screen, PATH=path).out.split())
    assert "3 sessions with words of yours: read by a model they would teach" in " ".join(
        tacit("connect", "claude-code").out.split()
    )
    tacit("lookback", "--read", "--yes", "--by", "ann", PATH=path)
    assert "would teach" not in tacit(PATH=path).out
    assert "claude is not on this shell's PATH" not in tacit(PATH=path).out


def test_the_question_stands_below_the_screen_and_behind_no_pager(
    folder: Path, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On fifty lines the offer lay behind a pager, and the y of a newcomer scrolled it. What to do next is said after the answer."""
    program(tmp_path, "claude", answers())
    program(tmp_path, "pager", "")
    transcript(alone, folder)
    monkeypatch.setenv("LINES", "8")
    monkeypatch.setattr(os, "get_terminal_size", lambda fd=1: os.terminal_size((80, 8)))
    monkeypatch.setattr("sys.stdin", asked := Screen("n\n"))
    env = signed(
        {
            **os.environ,
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "PAGER": str(tmp_path / "pager"),
            "TERM": "xterm",
        }
    )
    out = err = Screen()
    assert called(["lookback"], Cli(env, out, err)) == 0 and asked.read() == ""
    before, _, after = out.getvalue().partition("[y/N] ")
    assert (
        "they would teach" in before
        and "Next:" not in before
        and "tacit connect claude-code" in after
    )
    calls = (tmp_path / "calls").read_text() if (tmp_path / "calls").exists() else ""
    assert "Looked back" not in calls


@pytest.mark.parametrize("later", ["n", "y"])
def test_a_yes_to_these_sessions_is_none_to_later_ones(
    tacit: Any,
    folder: Path,
    alone: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    later: str,
) -> None:
    """One question was about both: who wanted the past read had to let every later session be read. Then a second question came before the
    first lesson; now it is asked when a host is connected, with its price."""
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    transcript(alone, folder)
    monkeypatch.setattr("sys.stdin", asked := Screen(f"y\ny\n{later}\n"))
    out = err = Screen()
    env = signed({**os.environ, "PATH": path, "TACIT_NO_WORKER": "1"})
    assert called(["lookback"], Cli(env, out, err)) == 0 and "read 1 session" in out.getvalue()
    assert out.getvalue().count("[y/N]") == 1 and "spent" in out.getvalue() and asked.tell() == 2
    assert called(["connect", "claude-code"], Cli(env, out, err)) == 0
    assert (
        "each as it ends, about " in " ".join(out.getvalue().split())
        and out.getvalue().count("[y/N]") == 3
    )
    assert ("no model reads them" in out.getvalue()) is (later == "n")
    told = tomllib.loads(config(alone).read_text()) if config(alone).exists() else {}
    assert told.get("reader", {}).get("by", "") == ("claude-code" if later == "y" else "")
    calls = (tmp_path / "calls").read_text()
    tacit("learn", str(transcript(alone, folder, "another")), "--over", PATH=path)
    assert ((tmp_path / "calls").read_text() != calls) is (later == "y")


def test_nothing_is_asked_about_sessions_that_are_being_read(
    tacit: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    """`connect` offered to read them a second time, `lookback` did so, beside the first."""
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    transcript(alone, folder)
    with open_memories() as memories:
        memories.ensure_project()
        with memories.store.write() as tx:
            at = {
                "pid": os.getppid(),
                "total": 30,
                "done": 20,
                "lessons": 9,
                "began": int(time.time()) - 1200,
            }
            tx.put_meta(PROGRESS, json.dumps(at))
    for asked in (
        ["connect", "claude-code"],
        ["lookback"],
        ["lookback", "--read", "--yes", "--by", "ann"],
    ):
        said = " ".join(tacit(*asked, PATH=path).out.split())
        assert (
            "in the background: 20 of 30 sessions, 9 new lessons so far, about 10 minutes left."
            in said
        )
        assert "would teach" not in said and not (tmp_path / "calls").exists()


def test_who_leaves_while_sessions_are_read_is_not_brought_back(
    tacit: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    """A reading that was stopped looked for sessions that somebody had said yes to, found no store, took all for unread and made a new one."""
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    transcript(alone, folder, "s0")
    assert (
        tacit("lookback", "--read", "--yes", "--by", "ann", "--json", PATH=path).data["read"] == 1
    )
    for name in ("s1", "s2"):
        transcript(alone, folder, name)
    with open_memories() as memories:
        agree_to(memories.store, "claude-code", ["s0", "s1", "s2"])
        store = memories.store.path
    gone = (  # as `tacit leave` does it
        f"import shutil, tacit\nwith tacit.open({store!r}) as memories, memories.store.write() as tx:\n"
        f"    tx.put_meta('paused_until', '9999')\nshutil.rmtree({os.path.dirname(store)!r})\nexam ="
    )
    claude = tmp_path / "claude"
    claude.write_text(claude.read_text().replace("exam =", gone, 1))
    (tmp_path / "calls").unlink()
    tacit("lookback", "--read", "--yes", "--json", PATH=path, TACIT_KEY="")
    asked = (tmp_path / "calls").read_text().count("\n")
    assert (
        not os.path.exists(store) and asked <= 3
    )  # the exam's two and one about the session; six where it began anew


def test_what_was_chosen_is_read_and_nothing_else(
    tacit: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    """`--read FILE` and `--project-filter` read everything."""
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    other = tmp_path / "elsewhere"
    other.mkdir()
    mine, theirs = transcript(alone, folder, "mine"), transcript(alone, other, "theirs")
    chosen = tacit("lookback", "--read", "--yes", "--by", "ann", "--json", str(theirs), PATH=path)
    assert chosen.data["read"] == 1
    filtered = tacit("lookback", "--read", "--json", "--project-filter", folder.name, PATH=path)
    assert filtered.data["sessions"] == 1
    with open_memories() as memories:
        names = {
            run.foreign_id
            for each in memories.store.projects()
            for run in memories.store.runs(each.id, limit=9)
        }
    assert names == {"theirs"} and mine.exists()


def test_a_reading_stops_at_its_cap(tacit: Any, folder: Path, alone: Path, tmp_path: Path) -> None:
    """Those with most of the person's words come first, and what lies beyond is said."""
    program(tmp_path, "claude", answers())
    path = f"{tmp_path}:{os.environ['PATH']}"
    for n in range(3):
        transcript(alone, folder, f"s{n}")
    done = tacit("lookback", "--read", "--cap", "0.01", "--json", PATH=path)
    assert done.data["sessions"] == 1 and done.data["beyond_cap"] == 2 and done.data["usd"] <= 0.01


def test_a_reading_ends_where_nobody_answers_and_where_it_is_told_to(
    tacit: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    """With a model that is not there it went on through all sessions; `--no-read` said that no model reads, and it went on too."""
    path = f"{tmp_path}:{os.environ['PATH']}"
    config(alone).parent.mkdir(parents=True, exist_ok=True)
    config(alone).write_text('[reader]\nby = "claude-code"\n')
    for n in range(6):
        transcript(alone, folder, f"s{n}")
    claude = program(tmp_path, "claude", answers())
    ends = f"if {SAID!r} in asked and 'worth remembering' in asked: open({str(config(alone))!r}, 'w').write('[reader]\\nby = \"nobody\"\\n')\nexam ="
    claude.write_text(claude.read_text().replace("exam =", ends, 1))
    read = ("lookback", "--read", "--yes", "--json")
    assert tacit(*read, PATH=path, TACIT_NO_WORKER="1").data["read"] == 1
    config(alone).write_text('[reader]\nby = "claude-code"\n')
    program(tmp_path, "claude", "", status=1)
    done = tacit(*read, PATH=path, TACIT_NO_WORKER="1")
    assert (done.data["sessions"], done.data["waiting"]) == (5, 3) and done.data["why"], done.data
