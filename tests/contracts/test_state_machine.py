"""Random work on a store by hand: only legal moves, rows equal to the fold of their journal, nothing vanishes, an erased text is nowhere."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule
from tests.terminals import put_as
from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.core import clock
from tacit.core.errors import Refused, TacitError
from tacit.core.links import Evidence
from tacit.core.states import ADMINISTRATIVE, LEGAL, STATES, is_legal
from tacit.lesson import DECIDED, columns_of
from tacit.store.check import check
from tacit.testing import signed

TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=60
).filter(str.strip)


class Keeping(RuleBasedStateMachine):
    """A person, an agent and time, at one store."""

    ids = Bundle("ids")

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.mkdtemp()
        self.env = signed({"HOME": self.folder, "USER": "ada", "XDG_DATA_HOME": self.folder})
        self.path = os.path.join(self.folder, "s.db")
        self.made: set[str] = set()
        self.erased: list[str] = []
        self.n = 0
        self.memories: Memories = self._open()

    def _open(self) -> Memories:
        return open_memories(self.path, project="p", env=self.env, cwd=self.folder)

    @rule(target=ids, text=TEXT, kind=st.sampled_from(["preference", "fix", "fact", "command"]))
    def add(self, text: str, kind: str) -> str:
        memory = self.memories.add(text, kind=kind)
        self.made.add(memory.id)
        return memory.id

    @rule(target=ids, texts=st.lists(TEXT, min_size=1, max_size=4))
    def add_many(self, texts: list[str]) -> str:
        found = self.memories.add_many(texts)
        self.made |= {m.id for m in found}
        return found[-1].id

    @rule(id=ids, text=TEXT, tags=st.lists(TEXT, max_size=2))
    def edit(self, id: str, text: str, tags: list[str]) -> None:
        self._try(lambda: self.memories.edit(id, text=text, tags=tags))

    @rule(id=ids, on=st.booleans())
    def pin(self, id: str, on: bool) -> None:
        self._try(lambda: self.memories.pin(id, on))

    @rule(id=ids)
    def forget(self, id: str) -> None:
        self._try(lambda: self.memories.forget(id))

    @rule(id=ids)
    def undo(self, id: str) -> None:
        self._try(lambda: self.memories.undo(id))

    @rule(data=st.data())
    def undo_entry(self, data: Any) -> None:
        entries = self.memories.log()
        if entries:
            self._try(lambda: self.memories.undo(data.draw(st.sampled_from(entries)).id))

    @rule(id=ids, to=st.sampled_from(STATES))
    def move(self, id: str, to: str) -> None:
        with self.memories.store.write() as tx:
            memory = tx.get(id)
            try:
                put_as(
                    tx,
                    memory,
                    "move",
                    clock.now(),
                    state=to,
                    previous_state=memory.state,
                    updated_at=clock.now(),
                )
                assert to == memory.state or to in LEGAL[memory.state]
            except Refused:
                assert to not in LEGAL[memory.state]

    @rule(
        id=ids,
        run=st.sampled_from(["r1", "r2", "r3"]),
        stance=st.sampled_from(["supports", "contradicts"]),
    )
    def witness(self, id: str, run: str, stance: str) -> None:
        with self.memories.store.write() as tx:
            tx.add_evidence(
                Evidence(
                    id,
                    tx.get(id).project,
                    run,
                    run,
                    "f",
                    stance,
                    at=clock.now(),
                    quote=tx.get(id).text,
                )
            )

    @rule(id=consumes(ids))
    def erase(self, id: str) -> None:
        # A word of its own, so that finding it anywhere means something.
        self.n += 1
        word = f"zyxw{self.n}vuts"
        try:
            self.memories.edit(id, text=f"the word {word} is secret", tags=[word])
        except TacitError:
            return
        self.memories.erase(id)
        self.erased.append(word)

    @rule()
    def reopen(self) -> None:
        self.memories.close()
        self.memories = self._open()

    @rule()
    def reindex(self) -> None:
        self.memories.reindex()

    def _try(self, act: Any) -> None:
        try:
            act()
        except TacitError as error:
            assert error.message

    @invariant()
    def everything_verifies(self) -> None:
        if hasattr(self, "memories"):
            assert check(self.memories.store).faults == ()

    @invariant()
    def rows_are_the_fold_of_their_journal(self) -> None:
        if not hasattr(self, "memories"):
            return
        store = self.memories.store
        for id in self.made:
            memory = store.get(id)
            entries = store.entries(memory=id)
            assert [e.n for e in entries] == list(range(1, len(entries) + 1))
            if any(e.erased for e in entries):
                assert memory.text == ""
                continue
            folded: dict[str, Any] = {name: "" for name in DECIDED} | {
                "under_review_count": 0,
                "pinned": 0,
                "on_page": 0,
                "merged": 0,
            }
            folded |= {"id": id, "project": memory.project}
            for entry in entries:
                before = folded.get("state")
                folded.update(entry.after)
                if entry.before and before != folded["state"]:
                    assert (
                        is_legal(before, folded["state"], entry.verb)
                        or entry.verb in ADMINISTRATIVE
                    )
            assert {name: folded[name] for name in DECIDED} == columns_of(memory)

    @invariant()
    def nothing_vanishes(self) -> None:
        if hasattr(self, "memories"):
            assert {m.id for m in self.memories.list(archived=True, limit=10_000)} == self.made

    @invariant()
    def what_was_erased_is_in_no_file(self) -> None:
        if hasattr(self, "memories") and self.erased:
            self.memories.close()  # never read the file beside an open connection: closing it would drop the locks
            for name in os.listdir(self.folder):
                path = os.path.join(self.folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        raw = file.read()
                    assert not [word for word in self.erased if word.encode() in raw], name
            self.memories = self._open()

    def teardown(self) -> None:
        if hasattr(self, "memories"):
            self.memories.close()
            shutil.rmtree(self.folder)


TestKeeping = Keeping.TestCase
TestKeeping.settings = settings(
    max_examples=int(os.environ.get("TACIT_EXAMPLES", "15")),
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
