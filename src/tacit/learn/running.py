"""A run while it goes on, for loops in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from tacit.core.errors import TacitError, Unavailable, UsageError
from tacit.core.profile import Profile
from tacit.core.run import OUTCOMES, Cost, Finding, Run, Step
from tacit.core.trust import TIER_OF
from tacit.learn.by_hand import finding_from
from tacit.learn.stage import Learned
from tacit.lesson import PERSONS, Lesson, checked, seen_by

if TYPE_CHECKING:
    from tacit.hooks.events import Injection

    class Recording(Protocol):
        """What a run needs of the memory: `Memory` is one."""

        env: Mapping[str, str]
        now: Callable[[], str]

        @property
        def profile(self) -> Profile: ...
        def get(self, id: str) -> Lesson: ...
        @property
        def inject(self) -> Callable[..., Injection]: ...
        def learn(self, source: Run, *, over: bool = False) -> list[Learned]: ...


OF_RUN = ("agent", "domain", "task_type", "task_id", "model", "host")  # facets that a run keeps
OF_INJECT = (*OF_RUN, "files", "errors", "mission", "category", "budget")
STEP_ROLES = ("user", "assistant", "tool", "system")


class Running:
    """One run of a loop, between its beginning and its end."""

    def __init__(
        self,
        memories: Recording,
        task: str,
        id: str,
        root: str,
        instruments: tuple[str, ...],
        facets: Mapping[str, Any],
    ) -> None:
        unknown = [name for name in facets if name not in OF_INJECT]
        if unknown:
            raise UsageError(
                f"{unknown[0]} is not a facet of a run.", f"Facets: {', '.join(OF_INJECT)}."
            )
        self.id, self.task = id, task
        self.text = ""  # the lessons as text for a prompt; empty where there are none
        self.lessons: Sequence[Lesson] = ()
        self.note = ""  # why nothing was given, where that is not plain
        self.cost: Cost | None = None
        self.learned: Learned | None = None  # what came of it, after the end
        self._memories = memories
        self._root, self._instruments = root, instruments
        self._facets = {"host": "library", **facets}
        self._steps: list[Step] = []
        self._findings: list[Finding] = []
        self._started = self._outcome = ""

    @property
    def outcome(self) -> str:
        """success, failure, aborted or unknown: said by the loop, or told from how it ends;
        empty until then."""
        return self._outcome

    @outcome.setter
    def outcome(self, word: str) -> None:
        self._outcome = checked("outcome", word, OUTCOMES)

    # -- what the loop tells
    # -----------------------------------------------------------------------------------------

    def step(
        self,
        role: str = "",
        text: str = "",
        *,
        input: str | Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> None:
        """Something that happened: a tool call with its answer, or what somebody said.

        Fields: tool, output, error, status, files, agent, typed (the words of the person at the
        keyboard), interrupted. A step with a `tool` is a tool's; `input` may be the command line
        itself.
        """
        who = checked(
            "role of a step", role or ("tool" if fields.get("tool") else "assistant"), STEP_ROLES
        )
        given = {"command": input} if isinstance(input, str) else input
        fields["files"] = tuple(fields.get("files") or ())
        try:
            self._steps.append(
                Step(
                    who,
                    f"step:{len(self._steps) + 1}",
                    text,
                    input=given,
                    at=self._memories.now(),
                    **fields,
                )
            )
        except TypeError:
            known = "tool, output, error, status, files, agent, typed, interrupted"
            raise UsageError(
                f"A step has no such field among {', '.join(fields)}.", f"Fields: {known}."
            ) from None

    def finding(
        self, text: str, *, by: str = "agent", files: Sequence[str] = (), **facets: Any
    ) -> None:
        """Something that may be worth remembering, and who says so: reviewer, test, ci, linter,
        harness, agent, page …

        Its trust follows who said it, never above review; that a person said it, only a person can
        say (`memories.add`). Facets: kind, category, severity, domain, task_type, tags, quote,
        error.
        """
        if by.lower() in PERSONS:
            raise UsageError(
                f"A loop cannot speak for a person ({by!r}).",
                "Give the person's own words as a step: role='user', typed=True.",
            )
        tier = TIER_OF.get(by.lower(), "agent")
        told = {**facets, "by": by, "paths": [*files]}
        self._findings.append(
            finding_from(text, told, self._memories.profile, self.id, tier, self._memories.now())
        )

    @property
    def env(self) -> dict[str, str]:
        """The environment for child processes: a `tacit` that their agents call belongs to this
        run."""
        return {**self._memories.env, "TACIT_RUN": self.id}

    # -- beginning and end
    # -------------------------------------------------------------------------------------------

    def __enter__(self) -> Running:
        self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave(error)

    def _begin(self) -> None:
        self._started = self._memories.now()
        try:
            given = self._memories.inject(
                self.task, run=self.id, root=self._root, surface="loop", **self._asked()
            )
        except Unavailable as error:
            self.note = error.message
            return
        self.note = given.note
        if given.injected:
            self.text = given.markdown
            self.lessons = [self._memories.get(id) for id in given.injected]

    def _asked(self) -> dict[str, Any]:
        listed: dict[str, Any] = {
            name: tuple(self._facets[name]) for name in ("files", "errors") if name in self._facets
        }
        return {**self._facets, **listed}

    def _leave(self, error: BaseException | None) -> None:
        run = self._as_run(error)
        try:
            (self.learned,) = self._memories.learn(run, over=True)
        except TacitError as failed:
            if error is None:
                raise
            error.add_note(
                f"tacit: this run was not learned: {failed.message}"
            )  # the loop's own error goes first

    def _as_run(self, error: BaseException | None) -> Run:
        """The run as it is learned: over, with all that was taken down."""
        if not self._outcome:
            self._outcome = (
                "success"
                if error is None
                else "failure"
                if isinstance(error, Exception)
                else "aborted"
            )
        if isinstance(error, Exception):
            told = f"{type(error).__name__}: {error}"
            self._steps.append(
                Step("system", f"step:{len(self._steps) + 1}", text=told, at=self._memories.now())
            )
        kept: dict[str, Any] = {
            name: str(self._facets[name]) for name in OF_RUN if name in self._facets
        }
        return Run(
            self.id,
            steps=tuple(self._steps),
            findings=tuple(self._findings),
            root=self._root,
            task=self.task,
            outcome=self._outcome,
            complete=True,
            cost=self.cost,
            files=tuple(dict.fromkeys(path for step in self._steps for path in step.files)),
            started_at=self._started,
            ended_at=self._memories.now(),
            extra={"instruments": [instrument_of(each) for each in self._instruments]}
            if self._instruments
            else None,
            **kept,
        )


def instrument_of(name: str) -> str:
    """Somebody who looks for problems, by the name that their findings bear: they see what they
    have told before, and nothing else.

    `review` alone, or a name with a colon, is said as formats say it (`learn/settle.py`).
    """
    if ":" in name or name in ("review", "agent"):
        return name
    return f"{seen_by(TIER_OF.get(name.lower(), 'agent'))}:{name}:own"
