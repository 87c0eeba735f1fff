"""A replay from its first clone to its verdict: an agent of our own in place of a host's, everything else as a user has it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import verbs

import tacit
from tacit.cli import main
from tacit.core.errors import NotFound, Refused, UsageError
from tacit.core.run import Step
from tacit.core.value import fields
from tacit.hooks.main import respond
from tacit.replay import arm, kept
from tacit.replay.confine import confined_argv, services, version
from tacit.replay.replaying import Replay

ERROR = 'E   psycopg.errors.UndefinedTable: relation "orders" does not exist'
LESSON = "Run `make db` before `pytest`"
# Heeds the notes if it has any, and leaves a transcript of what it did.
AGENT = """#!/bin/sh
case "$2" in *"make db"*) touch .db-up ;; esac
{ echo '{"type":"run","id":"r","host":"loop"}'
  if [ -e .db-up ]; then echo '{"type":"step","tool":"shell","input":{"command":"pytest"},"output":"3 passed","status":0}'
  else echo '{"type":"step","tool":"shell","input":{"command":"pytest"},"error":"relation \\"orders\\" does not exist","status":1}'; fi
} > "$TACIT_REPLAY_TRANSCRIPT"
"""


class World:
    """A repository with two past sessions that met the same failure, and the lesson they taught."""

    def __init__(self, top: Path) -> None:
        self.top, self.repo = top, top / "shop"
        (self.repo / "api").mkdir(parents=True)
        (self.repo / "api" / "a.py").write_text("a = 1\n")
        self.git("init", "-q", "-b", "main")
        self.commit = self.grown("first")
        (self.repo / "answer.txt").write_text("how it was solved then\n")
        self.grown("later")
        for n in range(2):
            self.session(f"s{n}")
        self.agent = self.script("agent.sh", AGENT) + " {prompt} {notes}"

    def git(self, *words: str) -> str:
        named = ["git", "-c", "user.name=ada", "-c", "user.email=ada@example.org", *words]
        return subprocess.run(
            named, cwd=self.repo, check=True, capture_output=True, text=True
        ).stdout.strip()

    def grown(self, said: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", said)
        return self.git("rev-parse", "HEAD")

    def script(self, name: str, text: str) -> str:
        path = self.top / name
        path.write_text(text)
        path.chmod(0o755)
        return shlex.quote(str(path))

    def session(self, id: str, *more: Step, root: str = "") -> None:
        def ran(line: str, **how: Any) -> Step:
            return Step("tool", "", tool="shell", input={"command": line}, **how)

        failed = ran("./bin/pytest -q", error=ERROR, status=1)
        again = ran("./bin/pytest -q", output="3 passed", status=0)
        steps = (
            Step("user", "u", text=f"ticket {id}"),
            failed,
            ran("make db", status=0),
            again,
            *more,
        )
        where = {"cwd": str(self.repo / "api"), "commit": self.commit[:10], "root": root}
        head = {"type": "run", "id": id, "host": "loop", **where}
        said = ({"type": "step", **{n: at for n, at in fields(s).items() if at}} for s in steps)
        lines = (head, *said, {"type": "end", "outcome": "success"})
        path = self.top / f"{id}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        with self.open() as memories:
            memories.learn(str(path))

    def open(self) -> tacit.Memories:
        return verbs.open(cwd=str(self.repo))

    @property
    def lesson(self) -> str:
        with self.open() as memories:
            return next(each.id for each in memories.list() if each.text.startswith(LESSON))

    def replay(self, **options: Any) -> Replay:
        with self.open() as memories:
            return memories.replay(
                self.lesson, **{"agent": self.agent, "unconfined": True, **options}
            )


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_both_arms_of_every_pair_are_run_judged_and_kept(world: World) -> None:
    """Both arms of every pair run and are judged; every transcript is kept, and the same command again tells it again."""
    found = world.replay(pairs=2)
    assert found.stopped == "all 2 planned pairs were run" and found.instrument == "signature"
    assert [(pair.given, pair.without) for pair in found.pairs] == [(0.0, 1.0)] * 2
    assert (found.unreached, found.standing.better) == (0, 2)
    folders = sorted(path for path in Path(found.folder).glob("0*"))
    assert len(folders) == 2 * len(found.pairs) == found.spent.runs
    for folder in folders:
        assert {each.name for each in folder.iterdir()} >= {"done.json", "transcripts", "out.txt"}
        assert not (folder / "work").exists()
        assert [*folder.glob("transcripts/*.jsonl")]
    again = world.replay(pairs=2)
    assert again.pairs == found.pairs and again.spent == found.spent


def test_a_run_sees_its_own_past_and_nothing_else(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No remote, no hook, no later commit, no credential; a home and a store of its own; and it starts in the same folder."""
    monkeypatch.setenv("GITHUB_TOKEN", "not-for-agents")
    world.git("remote", "add", "origin", str(world.top / "elsewhere"))
    look = world.script(
        "look.sh",
        "#!/bin/sh\npwd; env; git remote -v; git log --all --oneline; ls -a .. ../.git/hooks; git config core.hooksPath\n"
        "git cat-file -t HEAD@{1}; git count-objects -v; cat ../answer.txt; cat $HOME/.netrc\n",
    )
    found = world.replay(agent=f"{look} {{notes}}", pairs=1, check="true")
    said = (Path(found.folder) / "0001-1.1" / "out.txt").read_text()
    work = str(Path(found.folder) / "0001-1.1" / "work" / "shop")
    assert said.startswith(f"{work}/api\n")
    for word in (
        f"HOME={Path(work).parents[1]}/home",
        "TACIT_REPLAY=tacit-replay-",
        " first\n",
        "/dev/null",
    ):
        assert word in said
    for word in ("not-for-agents", "TACIT_KEY", "elsewhere", "later", "solved then"):
        assert word not in said
    assert world.git("remote") == "origin"  # the source keeps its own


@pytest.mark.skipif(not version(), reason="this kernel has no Landlock")
def test_nothing_outside_can_be_written_and_nothing_pushed(world: World) -> None:
    """The agent tries: a push to the repository it came from by its path, a file in the home, one beside the store, the store itself."""
    home = Path(os.environ["HOME"])
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id").write_text("a private key")
    tries = world.script(
        "tries.sh",
        f"#!/bin/sh\nenv -u GIT_ALLOW_PROTOCOL git push {world.repo} HEAD:refs/heads/stolen && echo PUSHED\ngit push && echo PUSHED\n"
        f"echo x > {home}/evil && echo WROTE\necho x >> {world.repo}/answer.txt && echo WROTE\nrm -f {home}/data/tacit/tacit.db && echo GONE\n"
        f"cat {home}/.ssh/id {world.repo}/answer.txt\necho x > /tmp/tacit-evil && echo WROTE\necho fine > own.txt && cat own.txt\n",
    )

    def files() -> list[tuple[str, int]]:
        found = [path for path in home.rglob("*") if "replays" not in str(path) and path.is_file()]
        return sorted(
            (str(path), path.stat().st_mtime_ns)
            for path in found
            if path.name[-4:] not in ("-shm", "-wal")
        )

    before = files()
    found = world.replay(
        agent=f"{tries} {{notes}}", pairs=1, check="test -e api/own.txt", unconfined=False
    )
    out, errors = (
        (Path(found.folder) / "0001-1.1" / name).read_text() for name in ("out.txt", "err.txt")
    )
    assert out == "fine\n" and errors.count("ermission denied") >= 5
    assert (
        found.pairs[0].given == found.pairs[0].without == 0.0
    )  # in its own folder it works as ever
    assert world.git("branch", "--list", "stolen") == "" and not (home / "evil").exists()
    assert files() == before


@pytest.mark.skipif(version() < 6, reason="this kernel cannot scope sockets")
def test_no_socket_without_a_file_is_reached(tmp_path: Path) -> None:
    """What listens outside under a name alone cannot be asked to act; what listens inside can."""
    ask = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1].replace('@', chr(0)))"
    with socket.socket(socket.AF_UNIX) as outside:
        name = f"@tacit-{os.getpid()}"
        outside.bind(name.replace("@", "\0"))
        outside.listen()
        words = [sys.executable, "-c", ask, name]
        assert subprocess.run(words).returncode == 0
        held = subprocess.run(
            confined_argv(words, [str(tmp_path)], []), capture_output=True, text=True
        )
    assert held.returncode != 0 and "not permitted" in held.stderr


def test_a_plan_names_the_sockets_that_stay_within_reach(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those with a file that something listens at; nothing where a replay is not confined anyway."""
    monkeypatch.chdir(world.repo)
    monkeypatch.setattr("tacit.replay.request.version", lambda: 7)
    monkeypatch.setattr("tacit.cli.replay.SERVICES", 10_000)
    place = tempfile.mkdtemp(dir="/tmp")
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(f"{place}/s")
        service.listen()
        assert f"{place}/s" in services()
        assert main(["replay", world.lesson, "--agent", world.agent, "--plan"]) == 0
        assert f"{place}/s" in capsys.readouterr().out
    shutil.rmtree(place)
    assert f"{place}/s" not in services()


def test_a_replay_is_no_evidence(world: World) -> None:
    """The store that the lesson lives in has the same runs, evidence, uses and journal as before; and a kept transcript is refused."""

    def state(memories: tacit.Memories) -> Any:
        store, project = memories.store, memories.project_id
        return (
            store.runs(project),
            store.evidence(world.lesson),
            store.all_uses(project),
            memories.log(),
        )

    with world.open() as memories:
        before = state(memories)
    found = world.replay(pairs=1)
    path = next(Path(found.folder).glob("0001-*/transcripts/*"))
    with world.open() as memories:
        [learned] = memories.learn(str(path))
        assert learned.already and learned.warnings == ("r: a replayed run is never learned.",)
        assert state(memories) == before


def test_hooks_give_in_a_replay_and_queue_nothing(world: World) -> None:
    """A session of a replay is given its lesson; its transcript is queued by no event, by its mark or by its folder."""
    with world.open() as memories:
        memories.add("Always run make lint.", kind="rule")
        store, jobs = memories.store.path, memories.store.queued()
    payload = {"session_id": "r1", "cwd": str(world.repo), "source": "startup"}
    payload["transcript_path"] = str(world.top / "s0.jsonl")
    env = {**os.environ, "TACIT_REPLAY": "tacit-replay-x-1", "TACIT_STORE": store}
    assert "make lint" in respond(
        "session-start", {**payload, "hook_event_name": "SessionStart"}, env
    )
    inside = world.top / "tacit-replay-x-1" / "work"
    shutil.copytree(world.repo, inside)
    for folder, seen in ((world.repo, env), (inside, {**env, "TACIT_REPLAY": ""})):
        for name in ("Stop", "PreCompact", "SessionEnd"):
            respond("stop", {**payload, "cwd": str(folder), "hook_event_name": name}, seen)
    with world.open() as memories:
        assert memories.store.queued() == jobs
        ordinary = {**os.environ, "TACIT_STORE": store, "TACIT_WORKER_IDLE": "0"}
        respond("stop", {**payload, "hook_event_name": "Stop"}, ordinary)
        assert memories.store.queued() == jobs + 1  # an ordinary session is


def test_an_agent_in_a_replay_is_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot approve, nor start a replay in its turn."""
    monkeypatch.setenv("TACIT_REPLAY", "tacit-replay-x-1")
    monkeypatch.delenv("TACIT_KEY")
    with pytest.raises(Refused, match="inside a replay"):
        world.replay()
    with world.open() as memories:
        assert not memories.actor.is_person


# -- killed and called again ------------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """What nothing catches, as nothing catches kill -9."""


class Agent:
    """Runs in this process: the same task and arm always fare the same."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, fares: Callable[[int, bool], float]
    ) -> None:
        self.ran: list[str] = []
        self.fares = fares
        monkeypatch.setattr(arm, "run_once", self.run)

    def run(self, bench: Any, task: Any, given: bool, folder: str) -> dict[str, Any]:
        os.makedirs(os.path.join(folder, "work"))
        self.ran.append(os.path.basename(folder))
        loss = self.fares(int(os.path.basename(folder)[:4]), given)
        return {"loss": loss, "seconds": 1.0, "reached": given}


def alternate(pair: int, given: bool) -> float:
    return float((pair % 3 == 0) if given else (pair % 2 == 0))


def test_killed_at_every_write_it_goes_on_and_nothing_is_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was over stays over: each run ends as it would have without the kills, and none that was recorded runs twice."""
    agent = Agent(monkeypatch, alternate)
    whole = world.replay(pairs=8)
    shutil.rmtree(whole.folder)
    real, writes = os.replace, 0
    plan = None

    def dies(source: Any, target: Any) -> None:
        nonlocal writes
        writes += 1
        if writes % 3 == 0:  # half of the kills before the file is there, half after
            if writes % 2:
                real(source, target)
            raise Killed
        real(source, target)

    monkeypatch.setattr(os, "replace", dies)
    kills, found, agent.ran = 0, None, []
    while found is None:
        try:
            found = world.replay(pairs=8)
        except Killed:
            kills += 1
            plan = plan or kept.read(os.path.join(whole.folder, kept.PLAN))
            assert kills < 100
    assert kills > 6 and found.stopped == whole.stopped == "all 8 planned pairs were run"
    fared = [
        [(pair.number, pair.given, pair.without) for pair in each.pairs] for each in (found, whole)
    ]
    assert fared[0] == fared[1]
    assert (
        plan is not None and kept.read(os.path.join(whole.folder, kept.PLAN))["key"] == plan["key"]
    )  # type: ignore[index]
    finished = [json.loads(path.read_text()) for path in Path(found.folder).glob("0*/done.json")]
    done = sorted((each["pair"], each["order"]) for each in finished)
    assert done == [(pair, order) for pair in range(1, 9) for order in (1, 2)]
    assert len(agent.ran) == len(set(agent.ran))  # a folder is never used twice


def test_what_was_cut_off_is_cleared_and_run_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under another name, so that what still writes there disturbs nobody."""
    agent = Agent(monkeypatch, alternate)
    fares, dies = agent.fares, True

    def first_dies(pair: int, given: bool) -> float:
        nonlocal dies
        if dies:
            dies = False
            raise Killed
        return fares(pair, given)

    agent.fares = first_dies
    with pytest.raises(Killed):
        world.replay(pairs=2)
    found = world.replay(pairs=2)
    assert agent.ran == ["0001-1.1", "0001-1.2", "0001-2.1", "0002-1.1", "0002-2.1"]
    assert len(found.pairs) == 2 and not [*(Path(found.folder) / "0001-1.1").iterdir()]


def test_a_useless_lesson_is_called_nothing_and_a_harmful_one_harmful(
    world: World, monkeypatch: Any
) -> None:
    """Alike in both arms: no verdict; worse with it: harms."""
    Agent(monkeypatch, lambda pair, given: float(pair % 2 == 0))
    assert world.replay(pairs=6).standing.word == "not yet known"
    Agent(monkeypatch, lambda pair, given: float(given))
    assert world.replay(pairs=20, check="true").standing.word == "harms"


def test_more_pairs_go_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was run before counts."""
    agent = Agent(monkeypatch, alternate)
    assert len(world.replay(pairs=2).pairs) == 2
    assert len(world.replay(pairs=3).pairs) == 3 and len(agent.ran) == 6


# -- the surface ---------------------------------------------------------------------------------------------------------------


def test_the_command_line_plans_runs_and_tells(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tasks that cannot be done again are named; the cost comes before anything runs; the figures are there afterwards."""
    world.session("s2", Step("tool", "p", tool="shell", input={"command": "npm publish"}))
    world.session("s3", root="s2")
    Agent(monkeypatch, lambda pair, given: float(not given))
    monkeypatch.chdir(world.repo)
    line = ["replay", world.lesson, "--agent", world.agent, "--unconfined"]
    assert main([*line, "--plan"]) == 0
    said = capsys.readouterr().out
    assert (
        "3 past tasks can be replayed, judged by signature" in said
        and "s3  it goes on from another session" in said
    )
    assert "at most 40 pairs: about 80 runs" in said and "NOT confined" in said
    assert main(["replay"]) == 0 and "Nothing was replayed here yet" in capsys.readouterr().out
    assert main([*line, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["verdict"], data["pairs"][0]["difference"], data["better"]) == (
        "helps",
        -1.0,
        len(data["pairs"]),
    )
    assert main(["replay", world.lesson]) == 0
    told = capsys.readouterr().out
    verdict = "Helps: the problem costs less with the lesson, in these tasks; error rate 5 %"
    assert verdict in told and data["folder"] in told


# What it may write, it writes: each way in which a git directory, or a folder in the work tree, names a program.
HOSTILE = (
    AGENT
    + """
cd ..
printf '[diff]\\n\\texternal = "touch {out}.diff #"\\n' >> .git/config
printf '[core]\\n\\tfsmonitor = "touch {out}.monitor #"\\n\\thooksPath = .git/hooks\\n' >> .git/config
printf '[filter "f"]\\n\\tclean = "touch {out}.clean; cat"\\n\\trequired\\n' >> .git/config
printf '[diff "d"]\\n\\ttextconv = "touch {out}.textconv; cat"\\n' >> .git/config
mkdir -p .git/hooks .git/info; printf '#!/bin/sh\\ntouch {out}.hook\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change
echo '* filter=f diff=d' > .git/info/attributes; echo '* filter=f diff=d' > .gitattributes
echo b >> api/a.py
"""
)


@pytest.mark.process
@pytest.mark.parametrize("confined", [True, False])
def test_nothing_that_an_agent_writes_into_its_clone_runs_afterwards(
    world: World,
    confined: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The whole command: none of the programs that the clone names was started."""
    if confined and not version():
        pytest.skip("this kernel has no Landlock")
    monkeypatch.chdir(world.repo)
    out = world.top / "OUT"
    agent = world.script("hostile.sh", HOSTILE.replace("{out}", str(out))) + " {prompt} {notes}"
    line = [
        "replay",
        world.lesson,
        "--agent",
        agent,
        "--pairs",
        "1",
        "--yes",
        "--by",
        "ada",
        "--json",
    ]
    assert main([*line, *([] if confined else ["--unconfined"])]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert [*world.top.glob("OUT*")] == [] and len(data["pairs"]) == 1


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"agent": "claude 'x"}, UsageError, "cannot be read"),
        ({"agent": " "}, UsageError, "needs the command of an agent"),
        ({"agent": "loop {notes}", "pairs": -1}, UsageError, "at least one pair"),
    ],
)
def test_what_cannot_be_asked_for(
    world: World, options: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        world.replay(**options)


def test_a_lesson_that_nothing_can_judge_or_nobody_met(world: World) -> None:
    """What to do next is said; nothing is left on disk."""
    with world.open() as memories:
        mine = memories.add("Prefer small commits.", kind="rule")
        with pytest.raises(UsageError, match="Nothing can tell whether"):
            memories.replay(mine.id, agent=world.agent, unconfined=True)
        with pytest.raises(NotFound, match="No past task can be replayed"):
            memories.replay(mine.id, agent=world.agent, check="true", unconfined=True)
        assert memories.replays() == []


def test_only_a_person_has_agents_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TACIT_KEY")
    with pytest.raises(Refused, match="a person's word"):
        world.replay()


# -- lines of an instruction file ---------------------------------------------------------------------------------------

RULES = "# Rules\n\nUse tabs.\n\n## Tests\n\nSkip the slow tests.\n```sh\n# not a heading\n```\n\n## Style\n\nShort lines.\n"
# an agent that does what the file says: where it is told to skip tests, its work is not well
FOLLOWER = """#!/bin/sh
[ -z "$(git status --short)" ] && ! grep -q 'Skip the slow tests' ../CLAUDE.md && touch well
echo '{"type":"run","id":"r","host":"loop"}' > "$TACIT_REPLAY_TRANSCRIPT"
"""


@pytest.fixture
def ruled(tmp_path: Path) -> World:
    made = World(tmp_path)
    (made.repo / "CLAUDE.md").write_text(RULES)
    made.commit = made.grown("rules")
    for n in range(3):
        made.session(f"b{n}")
    made.agent = made.script("follows.sh", FOLLOWER) + " {prompt}"
    return made


HARMFUL, CHECK = "CLAUDE.md:5-10", "test -e api/well"


def without_lines(ruled: World, memories: tacit.Memories, pairs: int) -> Replay:
    said = {"agent": ruled.agent, "without": HARMFUL, "check": CHECK, "unconfined": True}
    return memories.replay("", pairs=pairs, **said)


def test_a_block_that_harms_is_named(
    ruled: World, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the lines the check fails, without them it passes; git shows neither arm what was taken out; nothing of the store changes."""
    monkeypatch.chdir(ruled.repo)
    line = [
        "replay",
        "--without",
        HARMFUL,
        "--agent",
        ruled.agent,
        "--check",
        CHECK,
        "--unconfined",
    ]
    assert main([*line, "--plan"]) == 0
    said = capsys.readouterr().out
    assert "3 past tasks can be replayed" in said and "did not hold these lines then" in said
    with ruled.open() as memories:
        before = [(each.id, each.state) for each in memories.list()]
        found = without_lines(ruled, memories, 12)
        assert found.standing.word == "harms" and found.standing.better == 0
        assert [(each.id, each.state) for each in memories.list()] == before
        assert memories.replays("CLAUDE.md:5-10")[0].standing.word == "harms"
    assert main(["replay", "CLAUDE.md:5-10"]) == 0
    told = capsys.readouterr().out
    assert (
        "CLAUDE.md:5-10 takes about 14 tokens in every context" in told
        and "CLAUDE.md:5-10 is what harms" in told
    )


def test_another_repositorys_index_is_left_alone(
    ruled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell, or a hook of git's own, may name one: what was taken out is hidden in the clone alone."""
    monkeypatch.chdir(ruled.repo)
    monkeypatch.setenv("GIT_INDEX_FILE", str(ruled.repo / ".git" / "index"))
    with ruled.open() as memories:
        found = without_lines(ruled, memories, 1)
    assert found.pairs
    told = subprocess.run(
        ["git", "ls-files", "-v", "CLAUDE.md"], capture_output=True, text=True, check=True
    ).stdout
    assert told == "H CLAUDE.md\n"  # h: as unchanged, whatever is edited


def test_what_cannot_be_judged_is_refused(ruled: World) -> None:
    """No check, no such lines, no instruction file, no such file."""
    with ruled.open() as memories:
        for name, check, error in (
            ("CLAUDE.md:5-10", "", UsageError),
            ("CLAUDE.md:90-99", "true", UsageError),
            ("api/a.py:1-1", "true", UsageError),
            ("AGENTS.md:1-2", "true", NotFound),
        ):
            with pytest.raises(error):
                memories.plan_replay("", agent="x", without=name, check=check, unconfined=True)
