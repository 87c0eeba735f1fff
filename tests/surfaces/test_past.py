"""Past sessions go where they belong: to their repository, also when the folder they ran in is gone, and never into another project unasked."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from tests import verbs

from tacit.cli import called
from tacit.cli.verb import Cli
from tacit.core.value import replace
from tacit.hosts import formats
from tacit.hosts.source import FileSource
from tacit.place.replaced import repository_of
from tacit.testing import run, user

REMOTE = "https://github.com/ada/shop.git"


@pytest.mark.parametrize(
    ("gone", "repository"),
    [
        ("/home/ada/shop/.worktrees/fix", "/home/ada/shop"),
        ("/home/ada/shop/.claude/worktrees/fix/src", "/home/ada/shop"),
        ("/home/ada/.codex/worktrees/1f2e/shop", "/home/ada/.codex/worktrees/shop"),
        ("/home/ada/.codex/worktrees/77ab/shop/src", "/home/ada/.codex/worktrees/shop"),
        ("/home/ada/worktrees/shop", "/home/ada/worktrees/shop"),
        ("/home/ada/shop", "/home/ada/shop"),
        ("", ""),
    ],
)
def test_the_repository_of_a_work_tree_that_is_gone(gone: str, repository: str) -> None:
    """As git's users and the hosts name them."""
    assert repository_of(gone) == repository


def repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for name in ("objects", "refs"):
        (folder / ".git" / name).mkdir()
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {REMOTE}\n')
    return folder


def test_codex_notes_the_repository(tmp_path: Path) -> None:
    """All that is left of its work trees."""
    meta = {
        "id": "s1",
        "cwd": "/gone/1f2e/shop",
        "source": "cli",
        "git": {"branch": "main", "repository_url": REMOTE},
    }
    file = tmp_path / "rollout-2026-07-16T00-00-00-s1.jsonl"
    file.write_text(
        json.dumps(
            {"timestamp": "2026-07-16T00:00:00.000Z", "type": "session_meta", "payload": meta}
        )
        + "\n"
    )
    [found] = formats.read(FileSource(str(file)), "codex")
    assert found.remote == REMOTE


def test_a_run_of_a_gone_folder_is_its_repositorys(tmp_path: Path) -> None:
    """Known by its remote, in the current project or another; unknown ones are asked about, and left out without a yes."""
    shop, blog = repository(tmp_path / "shop"), tmp_path / "blog"
    blog.mkdir()
    said = user("No, always use pnpm instead of npm in this repo.")
    with verbs.open(str(tmp_path / "s.db"), by="ada", yes=True, cwd=str(shop)) as memories:
        here = memories.ensure_project().id
        [one] = memories.learn(
            replace(run("r1", said), cwd="/gone/1f2e/shop", remote=REMOTE), apart=True
        )
    assert one.project == here
    with verbs.open(str(tmp_path / "s.db"), by="ada", yes=True, cwd=str(blog)) as memories:
        [two] = memories.learn(
            replace(run("r2", said), cwd="/gone/77ab/shop", remote=REMOTE), apart=True
        )
        assert two.project == here
        asked: list[str] = []
        assert (
            memories.learn(
                replace(run("r3", said), cwd="/gone/worktrees/x1/api"),
                apart=lambda folder: bool(asked.append(folder)),
            )
            == []
        )
        assert (
            asked == ["/gone/worktrees/api"]
            and memories.store.find_run(memories.project_id, "r3") is None
        )
        [four] = memories.learn(
            replace(run("r4", said), cwd="/gone/worktrees/x2/api"), apart=lambda folder: True
        )
        [five] = memories.learn(
            replace(run("r5", said), cwd="/gone/worktrees/x3/api"), apart=lambda folder: True
        )
        assert four.project == five.project not in (here, memories.project_id)
        new = "git@github.com:ada/unseen.git"
        [six] = memories.learn(
            replace(run("r6", said), cwd="/gone/9/unseen", remote=new), apart=True
        )
        [seven] = memories.learn(
            replace(run("r7", said), cwd="/gone/8/unseen", remote=new), apart=True
        )
        assert six.project == seven.project and memories.store.project(six.project).name == "unseen"  # type: ignore[union-attr]


def test_learn_without_a_path_takes_what_lookback_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each session into its own project; of a folder that is gone nobody is asked without a terminal, and it is said what was left out."""
    shop = repository(tmp_path / "shop")
    folder = Path(os.environ["HOME"]) / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    for n, cwd in enumerate((str(shop), "/gone/away")):
        lines = [
            {
                "type": "user",
                "sessionId": f"s{n}",
                "cwd": cwd,
                "uuid": f"u{n}",
                "timestamp": f"2026-07-1{n}T10:00:00.000Z",
                "version": "2.1.0",
                "userType": "external",
                "message": {"role": "user", "content": "always run make seed before the tests"},
            },
            {
                "type": "assistant",
                "sessionId": f"s{n}",
                "cwd": cwd,
                "uuid": f"a{n}",
                "timestamp": f"2026-07-1{n}T10:01:00.000Z",
                "message": {"role": "assistant", "content": [{"type": "text", "text": "ok"}]},
            },
        ]
        (folder / f"s{n}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.chdir(tmp_path)
    out, err = io.StringIO(), io.StringIO()
    assert called(["learn", "--store", str(tmp_path / "s.db")], Cli(os.environ, out, err)) == 0
    assert "learned 1 session" in out.getvalue() and "shop" in out.getvalue()
    assert "1 session of a folder that is gone, left out: tacit learn --yes" in err.getvalue()
    with verbs.open(str(tmp_path / "s.db"), create=False) as memories:
        assert not any("gone" in project.root for project in memories.store.projects())
