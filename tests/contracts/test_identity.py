"""Project identity, held against real git: what git says of a folder and its config, `locate` says too."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tacit.core.rows import Choice, decide_project
from tacit.core.value import replace
from tacit.place import identity
from tacit.place.identity import Place, locate, normalise_remote
from tacit.place.record import record_project

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
SOURCE = str(Path(identity.__file__).parents[2])
NOBODY = 65534


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with its real path, below which nothing is a repository yet."""
    return tmp_path.resolve()


@pytest.fixture
def env(home: Path) -> dict[str, str]:
    """What the user's environment says: nothing, except that looking up ends at the test's own folder."""
    return {"GIT_CEILING_DIRECTORIES": str(home), "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(home)}


def git(at: Path, *args: str) -> str:
    """What git prints."""
    done = try_git(at, *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def try_git(at: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run git as a user without any configuration of his own would."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    who = {
        f"GIT_{role}_{part}": "t@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    fixed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    command = [
        "git",
        "-C",
        str(at),
        "-c",
        "protocol.file.allow=always",
        "-c",
        "init.defaultBranch=main",
        *args,
    ]
    return subprocess.run(
        command, env=clean | who | fixed, capture_output=True, text=True, check=False
    )


def repository(at: Path) -> Path:
    """A repository with one commit."""
    at.mkdir(parents=True)
    git(at, "init", "-q")
    (at / "README").write_text("hello\n")
    git(at, "add", "README")
    git(at, "commit", "-qm", "Begin")
    return at


def fake_repository(at: Path, config: bytes) -> Path:
    """The least that is a repository, with this config."""
    for folder in ("objects", "refs"):
        (at / ".git" / folder).mkdir(parents=True)
    (at / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (at / ".git" / "config").write_bytes(config)
    return at


def recorded(at: Path, env: dict[str, str], project: str) -> Path:
    """The same folder after its project was written down."""
    assert record_project(locate(str(at), env), project)
    return at


# ---- the id in git's config


@needs_git
def test_worktrees_share_the_project(home: Path, env: dict[str, str]) -> None:
    """An id recorded from a linked worktree is that of the main one, and config.worktree has no say."""
    app = repository(home / "app")
    git(app, "worktree", "add", "-q", str(home / "other"))
    other = recorded(home / "other", env, "p1")
    git(app, "config", "extensions.worktreeConfig", "true")
    git(other, "config", "--worktree", "tacit.project", "p2")
    dot = app / ".git"
    place = locate(str(other), env)
    assert place == Place(
        str(other),
        "git",
        str(dot),
        "app",
        id="p1",
        git_dir=str(dot / "worktrees" / "other"),
        common_dir=str(dot),
    )
    assert locate(str(app), env).id == "p1"
    git(app, "status")


@needs_git
def test_a_submodule_is_its_own_project(home: Path, env: dict[str, str]) -> None:
    """Its id goes to its own config, and the repository around it keeps another."""
    library, app = repository(home / "library"), repository(home / "app")
    git(app, "submodule", "add", "-q", str(library), "lib")
    recorded(app, env, "p-app")
    recorded(app / "lib", env, "p-lib")
    inner = str(app / ".git" / "modules" / "lib")
    assert locate(str(app / "lib"), env) == Place(
        str(app / "lib"),
        "git",
        inner,
        "lib",
        id="p-lib",
        remote=str(library),
        git_dir=inner,
        common_dir=inner,
    )
    assert git(app / "lib", "config", "--get", "tacit.project") == "p-lib\n"
    assert git(app, "config", "--get", "tacit.project") == "p-app\n"


@needs_git
@pytest.mark.parametrize("hidden", [False, True], ids=["project.git", ".bare behind a .git file"])
def test_a_bare_repository_and_its_worktrees_share_the_project(
    home: Path, env: dict[str, str], hidden: bool
) -> None:
    """Both common layouts: a bare repository beside its worktrees, and one hidden in the folder above them."""
    source = repository(home / "source")
    top = home / "project"
    bare = top / ".bare" if hidden else top / "project.git"
    git(source, "clone", "-q", "--bare", str(source), str(bare))
    if hidden:
        (top / ".git").write_text("gitdir: ./.bare\n")
    git(bare, "worktree", "add", "-q", str(top / "main"), "main")
    recorded(top / "main", env, "p1")
    starts = [bare, bare / "hooks", top / "main"] + ([top] if hidden else [])
    found = [locate(str(start), env) for start in starts]
    assert {(place.id, place.key, place.name, place.kind) for place in found} == {
        ("p1", str(bare), "project", "git")
    }


# ---- what a clone or an archive holds


@needs_git
def test_nothing_among_the_cloned_files_has_a_say(home: Path, env: dict[str, str]) -> None:
    """A hostile repository cannot claim a project by .tacit/, a marker, an included config, or a bare repository."""
    evil = repository(home / "evil")
    setting = '[tacit]\n\tproject = victim\n[remote "origin"]\n\turl = https://example.org/victim\n'
    (evil / ".tacit").mkdir()
    for name in (".tacit/project", ".tacit/config", ".tacit-project", ".gitconfig"):
        (evil / name).write_text(setting if name.endswith("config") else "victim\n")
    for folder in ("objects", "refs"):
        (evil / "bare" / folder).mkdir(parents=True)
        (evil / "bare" / folder / "keep").write_text("")
    (evil / "bare" / "HEAD").write_text("ref: refs/heads/main\n")
    (evil / "bare" / "config").write_text(setting)
    (evil / "bare" / ".tacit-project").write_text("victim\n")
    git(evil, "add", "-A")
    git(evil, "commit", "-qm", "Look what I have")
    git(home, "clone", "-q", str(evil), "clone")
    git(home / "clone", "config", "include.path", "../.gitconfig")
    assert git(home / "clone", "config", "--get", "tacit.project") == "victim\n", (
        "git itself follows the include"
    )
    found = [
        locate(str(home / "clone" / start), env) for start in ("", ".tacit", "bare", "bare/refs")
    ]
    dot = str(home / "clone" / ".git")
    assert (
        found
        == [
            Place(
                str(home / "clone"),
                "git",
                dot,
                "clone",
                remote=str(evil),
                git_dir=dot,
                common_dir=dot,
            )
        ]
        * 4
    )


@needs_git
@pytest.mark.parametrize(
    "trick", ["file", "link", "worktree", "submodule", "commondir", "config link"]
)
def test_an_archive_cannot_claim_a_repository_by_its_path(
    home: Path, env: dict[str, str], trick: str
) -> None:
    """A .git that points into the user's own repository is believed only if that repository knows the folder."""
    app = repository(home / "app")
    git(app, "worktree", "add", "-q", str(home / "other"))
    git(app, "submodule", "add", "-q", str(app), "lib")
    for owned in (app, app / "lib"):
        recorded(owned, env, "victim")
    evil = home / "unpacked"
    evil.mkdir()
    if trick == "file":
        (evil / ".git").write_text(f"gitdir: {app}/.git\n")
    elif trick == "link":
        (evil / ".git").symlink_to(app / ".git")
    elif trick == "worktree":
        (evil / ".git").write_text(f"gitdir: {app}/.git/worktrees/other\n")
    elif trick == "submodule":
        (evil / ".git").write_text(f"gitdir: {app}/.git/modules/lib\n")
    else:
        fake_repository(evil, b"")
        if trick == "commondir":
            (evil / ".git" / "commondir").write_text(f"{app}/.git\n")
        else:
            (evil / ".git" / "config").unlink()
            (evil / ".git" / "config").symlink_to(app / ".git" / "config")
    place = locate(str(evil), env)
    assert (place.id, place.remote, place.believed, place.note != "") == ("", "", False, True)
    assert place.key.startswith(str(evil))
    assert record_project(place, "p1") is False


@pytest.mark.parametrize(
    "text", ["", "gitdir:", "gitdir: /nowhere/at/all\n", "gitdir: a\0b\n", "\xff"]
)
def test_a_git_file_that_leads_nowhere_makes_a_plain_folder(
    home: Path, env: dict[str, str], text: str
) -> None:
    """A worktree whose repository is gone is not taken for part of what lies around it."""
    fake_repository(home / "app", b"[tacit]\nproject = around\n")
    inner = home / "app" / "inner"
    inner.mkdir()
    (inner / ".git").write_text(text, encoding="latin-1")
    (inner / ".tacit-project").write_text("p1\n")
    place = locate(str(inner), env)
    assert replace(place, note="") == Place(str(inner), "path", str(inner), "inner", believed=False)


def test_special_files_do_not_hold_up_the_hook(home: Path, env: dict[str, str]) -> None:
    """A pipe in place of a config, a marker or a .git is not waited for, and counts as nothing."""
    app = fake_repository(home / "app", b"")
    (app / ".git" / "config").unlink()
    os.mkfifo(app / ".git" / "config")
    assert locate(str(app), env).note == "the git config cannot be read"
    for name in (".git", ".tacit-project"):
        os.mkfifo(home / name)
        (home / "plain").mkdir(exist_ok=True)
        os.rename(home / name, home / "plain" / name)
    assert locate(str(home / "plain"), env) == Place(
        str(home / "plain"), "path", str(home / "plain"), "plain"
    )


# ---- without git


def test_a_hostile_marker_cannot_name_a_project_that_was_never_here(
    home: Path, env: dict[str, str]
) -> None:
    """An archive's marker names a known project: without agreement of the path nobody's memories are given out."""
    (home / "unpacked").mkdir()
    (home / "unpacked" / ".tacit-project").write_text("victim\n")
    at = home / "unpacked"
    place = locate(str(at), env)
    victim = ["victim"]
    assert [
        decide_project(place, by_id, [], by_key)
        for by_id, by_key in ((victim, []), (victim, victim), ([], []))
    ] == [
        Choice("", "ambiguous", f"the marker names victim, never seen at {at}: confirm the move"),
        Choice("victim", "marker", f"the marker names victim, known at {at}"),
        Choice("victim", "marker", "the marker names victim, which this store does not know yet"),
    ]


# ---- the user's own word


def test_the_user_may_name_the_project(home: Path, env: dict[str, str]) -> None:
    """TACIT_PROJECT goes before everything found, and is kept free of control characters."""
    app = fake_repository(home / "app", b"[tacit]\nproject = p1\n")
    place = locate(str(app), env | {"TACIT_PROJECT": " my\x1b work\n"})
    assert (place.given, place.name, place.id) == ("my work", "my work", "p1")
    named = replace(place, given="work")
    assert [
        decide_project(named, known, ["p2"], ["p3"])
        for known in (["p7"], ["work", "p7"], ["p7", "p8"], [])
    ] == [
        Choice("p7", "explicit", "the user named work"),
        Choice("work", "explicit", "the user named work"),
        Choice("", "ambiguous", "2 projects are called work: give an id"),
        Choice("work", "explicit", "the user named work, which this store does not know yet"),
    ]
    assert decide_project(place, [], [], []) == Choice("", "new", "no project is called my work")
    everywhere = replace(place, given="@global")
    assert decide_project(everywhere, ["@global"], [], []) == Choice(
        "", "new", "no project is called @global"
    )


@needs_git
def test_git_dir_counts_only_together_with_its_work_tree(
    home: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dotfiles kept by GIT_DIR and GIT_WORK_TREE are found; the GIT_DIR that git sets for its hooks moves nothing."""
    git(home, "init", "-q", "--bare", "dotfiles")
    (home / "user" / "config").mkdir(parents=True)
    app = recorded(repository(home / "user" / "app"), env, "p-app")
    both = env | {"GIT_DIR": str(home / "dotfiles"), "GIT_WORK_TREE": str(home / "user")}
    assert record_project(locate(str(home / "user" / "config"), both), "p-dots")
    alone = {name: text for name, text in both.items() if name != "GIT_WORK_TREE"}
    starts = [home / "user", home / "user" / "config", app]
    assert [locate(str(at), both).id for at in starts] == ["p-dots", "p-dots", "p-app"]
    assert [locate(str(at), alone).id for at in starts] == ["", "", "p-app"]
    monkeypatch.chdir(home / "user")
    relative = env | {"GIT_DIR": "../dotfiles", "GIT_WORK_TREE": "."}
    assert [locate(str(at), relative).id for at in starts] == ["", "", "p-app"]


# ---- whose repository it is


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that other users can enter, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp()).resolve()
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def as_nobody(shared: Path) -> Iterator[None]:
    """Act as a user without privileges, for whom permissions and ownership mean something."""
    if os.geteuid() == 0:
        os.chown(shared, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        yield
        os.seteuid(0)
    else:
        yield


def ceiling(shared: Path) -> dict[str, str]:
    return {"GIT_CEILING_DIRECTORIES": str(shared), "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.mark.usefixtures("as_nobody")
def test_a_read_only_repository_is_left_alone(shared: Path) -> None:
    """Nothing can be recorded, which is an answer and not an error, and the config is as it was."""
    app = fake_repository(shared / "app", b"[core]\n\tbare = false\n")
    (app / ".git").chmod(0o555)
    (shared / "notes").mkdir(mode=0o555)
    answers = [
        record_project(locate(str(shared / name), ceiling(shared)), "p1")
        for name in ("app", "notes")
    ]
    (app / ".git").chmod(0o755)
    assert answers == [False, False]
    assert (app / ".git" / "config").read_bytes() == b"[core]\n\tbare = false\n"
    assert sorted(os.listdir(app / ".git")) == ["HEAD", "config", "objects", "refs"]
    assert os.listdir(shared / "notes") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_what_another_user_owns_is_believed_only_if_git_was_told_so(
    shared: Path, home: Path
) -> None:
    """Someone else's .git in a shared folder has no say, unless it is a safe.directory; a marker never has."""
    app = fake_repository(shared / "app", b"[tacit]\nproject = p1\n")
    (shared / "notes").mkdir()
    (shared / "notes" / ".tacit-project").write_text("p2\n")
    for path in (app / ".git", app / ".git" / "config", shared / "notes" / ".tacit-project"):
        os.chown(path, NOBODY, NOBODY)
    env = ceiling(shared) | {"HOME": str(home)}
    stranger = Place(str(app), "path", str(app), "app", believed=False, note=identity.FOREIGN)
    assert locate(str(app), env) == stranger
    assert locate(str(shared / "notes"), env).kind == "path"
    for listed, believed in {
        f"directory = {app}": True,
        "directory = *": True,
        f"directory = {shared}/*": True,
        "directory = *\n\tdirectory =": False,
        f"directory = {shared}": False,
    }.items():
        (home / ".gitconfig").write_text(f"[safe]\n\t{listed}\n")
        place = locate(str(app), env)
        assert (place.id, place.believed) == (("p1", True) if believed else ("", False)), listed
    (home / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")
    assert record_project(locate(str(app), env), "p3")
    found = (app / ".git" / "config").stat()
    assert (found.st_uid, found.st_gid) == (NOBODY, NOBODY)
    assert locate(str(app), {**ceiling(shared), "SUDO_UID": str(NOBODY)}).id == "p3"


# ---- writing


def test_recording_keeps_every_other_byte_and_the_mode(home: Path, env: dict[str, str]) -> None:
    """The rest of the file stays as it was, also bytes that are no text and line ends of another system."""
    before = b'\xef\xbb\xbf[core]\r\n\tbare = 0 ; \xff\xfe\r\n[Tacit]\r\n\tPROJECT = "old"\r\n\tother = \\\r\n 1\r\n'
    app = fake_repository(home / "app", before)
    (app / ".git" / "config").chmod(0o640)
    assert record_project(locate(str(app), env), "new")
    assert (app / ".git" / "config").read_bytes() == before.replace(
        b'PROJECT = "old"', b"project = new"
    )
    assert stat.S_IMODE((app / ".git" / "config").stat().st_mode) == 0o640
    assert sorted(os.listdir(app / ".git")) == ["HEAD", "config", "objects", "refs"]


def test_a_lock_is_respected(home: Path, env: dict[str, str]) -> None:
    """While git or another of us writes the config, we do not, and their lock stays."""
    app = fake_repository(home / "app", b"")
    lock = app / ".git" / "config.lock"
    lock.write_text("theirs")
    assert record_project(locate(str(app), env), "p1") is False
    assert lock.read_text() == "theirs"
    assert locate(str(app), env).id == ""


def test_who_comes_second_does_not_overwrite(home: Path, env: dict[str, str]) -> None:
    """An id that was recorded since the place was located wins."""
    app = fake_repository(home / "app", b"")
    (home / "notes").mkdir()
    for at in (app, home / "notes"):
        seen = locate(str(at), env)
        assert [
            record_project(seen, "first"),
            record_project(seen, "second"),
            record_project(seen, "first"),
        ] == [
            True,
            False,
            True,
        ]
        assert locate(str(at), env).id == "first"
        assert record_project(locate(str(at), env), "second"), "with eyes open it may be changed"


RACER = """
import sys
from tacit.place.identity import locate
from tacit.place.record import record_project
me, *repositories = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
for path in repositories:
    while not (place := locate(path, {})).id and not record_project(place, me):
        pass
    print("lost" if place.id else "won")
"""


@needs_git
def test_of_eight_processes_one_wins_each_repository(home: Path) -> None:
    """Exactly one id is recorded, by the one that was told so, and what git wrote in the meantime is kept."""
    repositories = [fake_repository(home / f"r{n}", b"[core]\n\tbare = false\n") for n in range(12)]
    names = [f"racer{n}" for n in range(8)]
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, name, *map(str, repositories)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": SOURCE},
        )
        for name in names
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    written = [try_git(at, "config", "user.name", "git").returncode == 0 for at in repositories]
    answers = [racer.communicate()[0].split() for racer in racers]
    for number, at in enumerate(repositories):
        winners = [name for name, told in zip(names, answers) if told[number] == "won"]
        assert len(winners) == 1
        listed = git(at, "config", "--file", ".git/config", "--list").splitlines()
        expected = ["core.bare=false", f"tacit.project={winners[0]}"] + ["user.name=git"] * written[
            number
        ]
        assert sorted(listed) == expected
        assert sorted(os.listdir(at / ".git")) == ["HEAD", "config", "objects", "refs"]


# ---- git's grammar

HEADERS = [
    "[tacit]",
    "[TaCit]",
    "\t[tacit]",
    "[tacit] ",
    "[tacit]#x",
    '[tacit ""]',
    '[tacit "sub"]',
    "[tacit.sub]",
    "[core]",
    '[remote "origin"]',
    '[a "b\\"]c\\\\"]',
    '[url "x]y"]',
    "[other][tacit]",
    '[ "x"]',
    "[]",
    "[include]",
]
BAD_LINES = [
    "[tacit",
    '[tacit "x" ]',
    '[tacit "x]',
    "[tacit x]",
    "=x",
    "key # no",
    "1key = x",
    "project x",
    "[tac_it]",
    "é = 1",
]
KEYS = ["project", "PROJECT", "Project", "projects", "p", "x-y", "path", "url"]
EQUALS = ["=", " = ", "=\t", " \t=", ""]
PIECES = [
    "abc",
    "p1",
    '"q"',
    '"a;b"',
    '"c#d"',
    "\\\n",
    "\\\n  ",
    " ",
    "# note",
    "; note \\",
    '\\"',
    "\\\\",
    "\\t",
    "\\n",
    "\\b",
    '"',
    "\\x",
    "é",
    "'",
    "=",
    "[tacit]",
    "\\",
]

lines = st.one_of(
    st.sampled_from(HEADERS),
    st.sampled_from(["", "  ", "# project = no", "; [core]", "\t# x \\"]),
    st.builds(
        lambda indent, key, equals, pieces: (
            f"{indent}{key}{equals}{''.join(pieces) if equals else ''}"
        ),
        st.sampled_from(["", "\t", "[tacit]", " [tacit] "]),
        st.sampled_from(KEYS),
        st.sampled_from(EQUALS),
        st.lists(st.sampled_from(PIECES), max_size=5),
    ),
)
plain_entry = st.sampled_from(
    ["\tproject = p1", 'project="p2"', "project = p\\\n3", "[tacit]project=p4 ; note", "project"]
)
files = st.builds(
    lambda bom, lines, end, ending: (bom + "\n".join(lines) + end).replace("\n", ending).encode(),
    st.sampled_from(["", "", "\ufeff"]),
    st.lists(
        st.one_of(lines, lines, lines, plain_entry, st.sampled_from(["[tacit]", *BAD_LINES])),
        max_size=8,
    ),
    st.sampled_from(["\n", "", "\\", "\\\n", "\r"]),
    st.sampled_from(["\n", "\n", "\r\n"]),
)
against_git = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@needs_git
@against_git
@given(files)
@example(b"[a]\nb = c\\")
@example(b"[a]\nb = c\\\n")
@example(b"[tacit]project = x\\\n")
def test_recording_changes_nothing_else_that_git_reads(
    home: Path, env: dict[str, str], config: bytes
) -> None:
    """For any config that git reads, git then reads our id and all else as before; any other is not touched."""
    app = home / "app"
    if not app.exists():
        fake_repository(app, b"")
    path = app / ".git" / "config"
    path.write_bytes(config)
    before = read_by_git(app, "--list")
    answer = record_project(locate(str(app), env), "0123456789ab")
    if before is None:
        assert (answer, path.read_bytes()) == (False, config)
    else:
        after = read_by_git(app, "--list")
        assert (answer, read_by_git(app, "--get", "tacit.project")) == (True, ["0123456789ab"])
        assert after is not None
        assert others(after) == others(before)


def read_by_git(at: Path, *question: str) -> list[str] | None:
    """git's answers, without following includes; None where it cannot read the file."""
    done = try_git(at, "config", "--file", ".git/config", "--no-includes", "-z", *question)
    return None if done.returncode > 1 else done.stdout.split("\0")[:-1]


def others(listed: list[str]) -> list[str]:
    return [entry for entry in listed if entry.partition("\n")[0] != "tacit.project"]


# ---- remotes

SAME = [
    "https://github.com/me/app",
    "https://github.com/me/app.git",
    "https://GitHub.com/me/app/",
    "http://github.com:80/me/app",
    "https://user:ghp_secret@github.com:443/me/app.git/",
    "https://x-token@github.com/me//app",
    "https://github.com/me/app.git?access_token=secret#x",
    "ssh://git@github.com/me/app",
    "ssh://git@github.com:22/me/app.git",
    "git+ssh://github.com/me/app",
    "git://github.com:9418/me/app",
    "HTTPS://github.com./me/app",
    "git@github.com:me/app.git",
    "github.com:me/app",
    "git@github.com:/me/app",
    "[git@github.com:22]:me/app",
    " github.com:me/app\n",
]


@pytest.mark.parametrize("url", SAME)
def test_all_spellings_of_a_remote_are_one(url: str) -> None:
    """Scheme, user, token, default port, case of the host, suffix and slashes make no difference."""
    assert normalise_remote(url) == "github.com/me/app"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("ssh://git@example.org:2222/me/app", "example.org:2222/me/app"),
        ("[git@example.org:2222]:me/app", "example.org:2222/me/app"),
        ("https://example.org/Me/App", "example.org/Me/App"),
        ("ssh://git@[::1]:2222/me/app", "[::1]:2222/me/app"),
        ("git@[::1]:me/app", "[::1]/me/app"),
        ("[::1]:me/app", "[::1]/me/app"),
        ("https://example.org/me/.github.git", "example.org/me/.github"),
        ("work:me/app", "work/me/app"),
        ("https://example.org/a b/ü", "example.org/a b/ü"),
    ],
)
def test_what_makes_a_remote_another_is_kept(url: str, expected: str) -> None:
    """Ports that are not the usual, upper case in paths, and host names of the user's own ssh config."""
    assert normalise_remote(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "garbage",
        "../up",
        "./here",
        "a/b:c",
        "ext::sh -c evil",
        "codecommit::eu-west-1://app",
        "https://",
        "https://host",
        "https://host/",
        "https:///path",
        "https://user:to/ken@host/x",
        "host:",
        ":path",
        "-oProxyCommand=x:y",
        "foo://host/path",
        "https://ho st/x",
        "https://host/\x1b[31m",
        "https://[::1/x",
        "file://elsewhere/srv/app",
        "file:///",
        "/",
        "a\0b:c",
        "\udcff:x",
    ],
)
def test_what_names_no_repository_is_no_remote(url: str) -> None:
    """Relative paths, helpers, and whatever cannot be read as a host and a path."""
    assert normalise_remote(url) == ""


# ---- odd paths


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are Unicode there")
def test_a_path_of_any_bytes_can_be_stored(home: Path, env: dict[str, str]) -> None:
    """The key of a folder whose name is no text is text, and the root still opens."""
    folder = os.fsencode(home) + b"/caf\xe9\x1b"
    os.mkdir(folder)
    place = locate(os.fsdecode(folder), env)
    assert (place.key, place.name) == (f"{home}/caf\\udce9\x1b", "caf")
    assert os.path.isdir(place.root)
