"""Files that lessons are kept in: whole or not at all, and not a byte of anybody else's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core.errors import NotFound, Refused
from tacit.learn.block import END, bring_up
from tacit.place.files import WorkTree

RULES = ("Never push to main.", "Every migration has a way back.")


@pytest.fixture
def memories(folder: Path) -> Iterator[Memories]:
    """Two rules, approved for the page."""
    with verbs.open() as opened:
        for text in RULES:
            opened.put_on_page(opened.add(text, kind="rule").id)
        yield opened


# --- a file whole or not at all ---------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from tacit.place import files

OLD, NEW = b"old\\n" * 1000, b"new\\n" * 1000

def killed_before(line):
    def trace(frame, event, arg):
        nonlocal line
        if frame.f_code.co_filename == files.__file__:
            if event == "line":
                line -= 1
                if line == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == signal.SIGKILL
    sys.settrace(trace)
    files.WorkTree(".").write("MEMORY.md", NEW, OLD)
    os._exit(0)

line = 0
while True:
    line += 1
    with open("MEMORY.md", "wb") as file:
        file.write(OLD)
    os.chmod("MEMORY.md", 0o640)
    killed = killed_before(line)
    with open("MEMORY.md", "rb") as file:
        text = file.read()
    print({OLD: "old", NEW: "new"}.get(text, "half"), oct(os.stat("MEMORY.md").st_mode & 0o777))
    if not killed:
        break
"""


def test_killed_between_any_two_steps_a_page_is_old_or_new(folder: Path) -> None:
    """SIGKILL before each line of the writer: never half a page, never another mode, nothing left behind by the next one."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED], capture_output=True, text=True, check=True
    )
    seen = done.stdout.splitlines()
    assert {*seen} == {"old 0o640", "new 0o640"} and len(seen) > 20 and seen[-1] == "new 0o640"
    assert [each.name for each in folder.iterdir()] == ["MEMORY.md"]


PASS = """
import os, signal, sys
import tacit
from tacit.learn import block
from tacit.place import files
ours = {module.__file__ for module in (files, block)}
left = int(sys.argv[1])

def trace(frame, event, arg):
    global left
    if frame.f_code.co_filename in ours:
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

with tacit.open() as memories:
    sys.settrace(trace)
    block.page(memories, over=True)
    sys.settrace(None)
print(int(sys.argv[1]) - left)
"""


def test_killed_anywhere_a_pass_is_made_good_by_the_next(memories: Memories, folder: Path) -> None:
    """At points spread over reading, writing, remembering and marking: nothing twice, nothing lost."""
    memories.keep_page("AGENTS.md")
    memories.page()
    page = folder / "AGENTS.md"

    def run(line: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", PASS, str(line)], capture_output=True, text=True
        )

    steps, wanted, killed = int(run(10**9).stdout), {*RULES}, 0
    for number in range(3):
        memories.put_on_page(memories.add(f"Approved rule {number}.", kind="rule").id)
        wanted |= {f"Approved rule {number}."}
        done = run(10 + steps * number // 3)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        killed += done.returncode != 0
        memories.page(over=True)
        lines = [
            line[2:].partition(" <!--")[0]
            for line in page.read_text().splitlines()
            if line.startswith("- ")
        ]
        assert (
            sorted(lines)
            == sorted(wanted)
            == sorted(memory.text for memory in memories.list(limit=99))
        )
    assert killed == 3 and memories.proposals() == []
    done = memories.page(dry_run=True)
    assert (done.files, done.by_hand) == ((), ())
    assert not memories.health().health.faults


def test_what_an_editor_saved_meanwhile_is_not_written_over(folder: Path) -> None:
    """A file that is not as it was read, or is gone, is left."""
    tree, page = WorkTree("."), folder / "MEMORY.md"
    page.write_text("saved meanwhile")
    assert not tree.write("MEMORY.md", b"ours", b"as read")
    assert not tree.write("MEMORY.md", b"ours", None)
    assert not tree.remove("MEMORY.md", b"as read")
    assert page.read_text() == "saved meanwhile"
    page.unlink()
    assert not tree.write("MEMORY.md", b"ours", b"as read")
    assert list(folder.iterdir()) == []


def test_a_page_saved_between_reading_and_writing_is_read_again(
    memories: Memories, folder: Path
) -> None:
    """What the editor saved is in the file that is written, and the new line too."""
    memories.keep_page("AGENTS.md")
    memories.page()

    class Editor(WorkTree):
        saved = False

        def write(self, name: str, data: bytes, was: bytes | None) -> bool:
            if not self.saved:
                self.saved = True
                page = folder / name
                page.write_text(page.read_text() + "\nWritten while you were looking.\n")
            return super().write(name, data, was)

    memories.put_on_page(memories.add("Sign every release.", kind="rule").id)
    assert len(bring_up(memories.work, Editor(".")).files) == 1
    text = (folder / "AGENTS.md").read_text()
    assert "Written while you were looking." in text and "- Sign every release." in text


def test_a_link_is_followed_and_one_that_turns_is_not(
    memories: Memories, folder: Path, tmp_path: Path
) -> None:
    """The page stays a link; when it leads elsewhere than when a person asked for it, nothing is written."""
    (tmp_path / "notes.md").write_text("# Mine\n")
    (folder / "MEMORY.md").symlink_to(tmp_path / "notes.md")
    memories.keep_page("MEMORY.md")
    memories.page()
    assert (folder / "MEMORY.md").is_symlink() and "- Never push to main." in (
        tmp_path / "notes.md"
    ).read_text()
    (tmp_path / "bashrc").write_text("alias ls=ls\n")
    (folder / "MEMORY.md").unlink()
    (folder / "MEMORY.md").symlink_to(tmp_path / "bashrc")
    assert "leads to" in memories.page().notes[0]
    assert (tmp_path / "bashrc").read_text() == "alias ls=ls\n"


@pytest.mark.parametrize("name", ["../MEMORY.md", "/etc/motd", "a/../../b.md"])
def test_no_target_lies_outside(memories: Memories, name: str) -> None:
    """A page is a file of the project."""
    with pytest.raises(Refused):
        memories.keep_page(name)


def test_what_is_no_file_is_told(memories: Memories, folder: Path) -> None:
    """A pipe does not make us wait, a folder does not make us fail."""
    os.mkfifo(folder / "MEMORY.md")
    memories.keep_page("MEMORY.md")
    assert memories.page().notes == ("MEMORY.md is not a plain file.",)


# --- blocks -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "theirs",
    [
        b"# Mine\n\nRead this.\n",
        b"# Mine\r\n\r\nNo line break at the end",
        b"\xff\xfe not UTF-8\n",
        b"",
    ],
)
def test_a_block_in_somebodys_file(memories: Memories, folder: Path, theirs: bytes) -> None:
    """Written, brought up to date wherever it is moved, and taken out again: their bytes stay."""
    file = folder / "AGENTS.md"
    file.write_bytes(theirs)
    memories.keep_page("AGENTS.md")
    memories.page()
    first = file.read_bytes()
    assert first.startswith(theirs) and b"- Never push to main." in first and b"### Rules" in first
    assert (b"\r\n" in first) == (b"\r\n" in theirs) and first.count(b"\n") - first.count(
        b"\r\n"
    ) in (
        0,
        first.count(b"\n"),
    )
    memories.put_on_page(memories.add("Sign every release.", kind="rule").id)
    file.write_bytes(first + b"More of mine.\n")
    memories.page()
    assert b"- Sign every release." in file.read_bytes() and file.read_bytes().endswith(
        b"More of mine.\n"
    )
    file.write_bytes(file.read_bytes().removesuffix(b"More of mine.\n"))
    memories.keep_page("AGENTS.md", on=False)
    assert file.read_bytes() == theirs
    assert len(memories.list()) == 3


def test_a_block_that_we_brought_leaves_no_file_behind(memories: Memories, folder: Path) -> None:
    """A file that was not there before is gone again."""
    memories.keep_page("CLAUDE.md")
    memories.page()
    assert (folder / "CLAUDE.md").exists()
    memories.keep_page("CLAUDE.md", on=False)
    assert not (folder / "CLAUDE.md").exists()
    with pytest.raises(NotFound):
        memories.keep_page("CLAUDE.md", on=False)


def test_broken_markers_are_told_and_left(memories: Memories, folder: Path) -> None:
    """Without its end nobody knows what is ours."""
    memories.keep_page("AGENTS.md")
    memories.page()
    file = folder / "AGENTS.md"
    broken = file.read_text().replace(END, "")
    file.write_text(broken)
    assert "1 begin and 0 end markers" in memories.page().notes[0]
    assert file.read_text() == broken


# --- limits, layout -----------------------------------------------------------------------------------------------------


def test_a_page_keeps_its_limits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most so many lines and bytes, the strongest first; what found no room is counted, and given otherwise."""
    with verbs.open() as memories:
        made = memories.add_many(
            {"text": f"Rule number {n}: {'x' * (n % 90)}", "kind": "rule"} for n in range(200)
        )
        memories.pin(made[199].id)
        for memory in made:
            memories.put_on_page(memory.id)
        memories.keep_page("MEMORY.md")
        (note,) = memories.page().notes
        text = (folder / "MEMORY.md").read_text()
        assert "of its 200 lessons found no room" in note
        assert text.count("\n") <= 180 and len(text.encode()) <= 22_000 and text.count("\n- ") > 150
        assert "Rule number 199" in text
        assert memories.page(dry_run=True).files == ()
        monkeypatch.setattr("tacit.learn.block.MAX_BYTES", 3_000)
        memories.page()
        assert len((folder / "MEMORY.md").read_bytes()) <= 3_200


def test_a_block_that_somebody_took_out_is_not_put_back(memories: Memories, folder: Path) -> None:
    """It is said, with the two ways to go on."""
    memories.keep_page("AGENTS.md")
    memories.page()
    (folder / "AGENTS.md").write_text("Mine.\n")
    assert "--undo" in memories.page().notes[0]
    assert (folder / "AGENTS.md").read_text() == "Mine.\n"
    memories.keep_page("AGENTS.md")
    memories.page()
    assert "- Never push to main." in (folder / "AGENTS.md").read_text()


def test_a_line_of_a_curated_page_is_its_keepers(folder: Path) -> None:
    """On an origin's page a line that was reworded by hand stays so, one that was taken out stays out, and neither is learned."""
    with verbs.open(profile="joelclaw", by="joel") as opened:
        for text in ("Rotate keys monthly", "Restart the gateway", "Ship on Mondays"):
            opened.put_on_page(opened.add(text, category="jc:operations").id)
        opened.keep_page("MEMORY.md")
        opened.page()
        page = folder / "MEMORY.md"
        lines = [
            line.replace("monthly", "weekly")
            for line in page.read_text().splitlines()
            if "gateway" not in line
        ]
        page.write_text("\n".join([*lines, "- Mine alone", ""]))
        was = page.read_text()
        opened.page()
        assert page.read_text() == was
        ships = next(each for each in opened.list() if "Ship" in each.text)
        opened.edit(ships.id, text="Ship on Tuesdays")
        opened.page()
        assert "Ship on Tuesdays" in page.read_text() and "weekly" in page.read_text()
        assert {memory.text for memory in opened.list()} == {
            "Rotate keys monthly",
            "Restart the gateway",
            "Ship on Tuesdays",
        }


def test_what_is_erased_leaves_every_page(memories: Memories, folder: Path) -> None:
    """The words go from the files that are kept too; nothing of them is left in what is remembered of a page."""
    for name in ("MEMORY.md", "AGENTS.md"):
        memories.keep_page(name)
    memories.page()
    memory = next(each for each in memories.list() if each.text == RULES[0])
    memories.erase(memory.id)
    assert not any(RULES[0] in path.read_text() for path in folder.glob("*.md"))
    assert RULES[1] in (folder / "MEMORY.md").read_text()
    assert memory.id not in memories.store.meta(f"pages:{memories.project_id}")


def test_a_project_named_from_elsewhere_keeps_its_own_page(
    memories: Memories, folder: Path, tmp_path: Path
) -> None:
    """`--project NAME` in another folder writes into the project's work tree, not into the folder."""
    memories.keep_page("MEMORY.md")
    project = memories.ensure_project()
    (tmp_path / "elsewhere").mkdir()
    with verbs.open(project=project.id, cwd=str(tmp_path / "elsewhere")) as other:
        assert len(other.page().files) == 1
    assert (folder / "MEMORY.md").exists() and list((tmp_path / "elsewhere").iterdir()) == []


def test_a_lesson_on_the_page_is_not_learned_from_the_page(memories: Memories) -> None:
    """Instruction lines are compared without the ids behind them."""
    memories.keep_page("MEMORY.md")
    memories.page()
    assert memories.instruction_lines()["never push to main"] == "MEMORY.md"


def test_who_has_earned_a_line(folder: Path) -> None:
    """Pinned ones first, then rules, preferences and the like by weight; nobody who stands there or was taken out."""
    with verbs.open() as opened:
        kinds = ("rule", "pitfall", "preference", "security")
        made = opened.add_many(
            {"text": f"Lesson {n} of many", "kind": kinds[n % 4]} for n in range(12)
        )
        opened.pin(made[5].id)
        opened.put_on_page(made[0].id)
        opened.forget(made[2].id)
        every = [memory.id for memory in opened.earned()]
        assert every[0] == made[5].id
        assert {*every} == {made[n].id for n in (3, 4, 5, 6, 7, 8, 10, 11)}
        assert [memory.id for memory in opened.earned(3)] == every[:3]
