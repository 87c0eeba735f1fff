"""Who is speaking, and how far their words go.

Memory is a way into every later prompt. Text filters are a tripwire only; provenance is the wall: the tier follows
who wrote the words, the least source of a text decides, and trust never rises by repetition. An agent with a shell is
not a person: inside a host or a run the command line acts as the agent, and so does whatever comes without a terminal
and without a key. Whoever has the user's shell can still lie here, and the documentation says so (docs/security.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacit.core.links import Evidence
from tacit.core.run import Finding, Run
from tacit.core.value import replace, value
from tacit.lesson import TIERS, Lesson
from tacit.lesson import WITNESSES as WITNESSES

HELD = (
    "quoted",
    "imported",
)  # until a person, or independent evidence of tier review or above, confirms them

READ_AS = "word"  # in a lesson's extra: how the reader heard it, which its ladder asks about …
# … the tier of what it quotes, and that nothing from outside brought it: nobody else says any of them
READ_BY = (READ_AS, "witness", "inside")

CLAIMABLE = (
    "imported",
    "quoted",
    "agent",
    "observed",
    "review",
)  # tiers a finding may claim for itself
# The tier of a finding that claims none, by who is said to have said it; for anyone else agent.
TIER_OF = {
    **dict.fromkeys(
        ("review", "reviewer", "guardian", "test", "tests", "ci", "linter", "static-analysis"),
        "review",
    ),
    **dict.fromkeys(("harness", "tool", "command", "exit-status"), "observed"),
    **dict.fromkeys(("web", "page", "file", "document", "tool-output"), "quoted"),
}
DOUBTS = "doubts"  # the stance of a word against a lesson that counts for nothing; shown by `why`


# What to do about a refusal. Whoever reads it may be an agent, marked or not, and is not told how to be a person.
SIGNING = "A person does it at a terminal; how a program of yours may: docs/security.md."
OUTSIDE = "A person does it in a terminal of their own, outside the agent."


@value
class Actor:
    """In whose name a command acts."""

    name: str
    tier: str  # user, or agent
    reason: str
    how: str = SIGNING  # how a person would do what this one may not

    @property
    def is_person(self) -> bool:
        """Only a person may approve, raise trust, erase."""
        return self.tier == "user"


def actor(
    env: Mapping[str, str],
    by: str = "",
    yes: bool = False,
    login: str = "",
    *,
    shells: Iterable[str],
    terminal: bool = False,
    key: str = "",
) -> Actor:
    """Who acts: a person signs with a name and says yes, shows a key (`key` is whose it is), or sits at a terminal outside any agent.

    Everybody else is an agent: one whose host marks its shell with one of the variables in `shells`, who may not sign there without a
    terminal, and whoever comes with none of the three, as agents of other hosts do.
    """
    marker = next((name for name in shells if env.get(name)), "")
    if marker and not (by and yes and terminal):
        return Actor(
            "agent", "agent", f"{marker} is set: an agent's shell is not a person", OUTSIDE
        )
    if by and yes:
        return Actor(
            by, "user", f"signed by {by}" + (f" although {marker} is set" if marker else "")
        )
    named = by or env.get("TACIT_BY", "")
    if key:
        return Actor(named or key, "user", f"signed with the key of {key}")
    if terminal:
        person = named or login or env.get("USER", "") or env.get("LOGNAME", "") or "user"
        return Actor(person, "user", "at a terminal, outside any agent")
    return Actor("agent", "agent", "nobody is at a terminal, and no key is shown")


def least(tiers: Iterable[str]) -> str:
    """The trust of a text put together from several sources."""
    return min(tiers, key=TIERS.index, default="imported")


def tier_to_take_away(memory: Lesson, evidence: Iterable[Evidence]) -> str:
    """Whose word it takes to change a lesson, take it out or count against it: as much as was put in.

    That is the tier of its words, or a person's where one confirmed it, pinned it or put it on a page.
    """
    vouched = any(row.stance == "supports" and row.tier == "user" for row in evidence)
    return "user" if vouched or memory.pinned or memory.on_page else memory.trust


def reaches(tier: str, needed: str) -> bool:
    """Whether somebody's word is enough. A team's lesson is every person's of it."""
    return tier == "user" or TIERS.index(tier) >= TIERS.index(needed)


def stance_against(tier: str, needed: str) -> str:
    """How a word against a lesson counts: it contradicts one of its own tier or below, and is kept as a doubt about any other."""
    return "contradicts" if reaches(tier, needed) else DOUBTS


# Anybody may write one, whatever it claims: who learns it does not stand for it by that alone.
ANYBODYS = ("neutral",)


def reported(run: Run, format: str, vouched: bool, *, told: bool = False) -> Run:
    """A run as its file may speak for it. What a file says of its own trust counts only where a person stands for its format.

    A finding that is stated outright is somebody's own words, never our words over what a harness recorded: *observed* cannot be
    claimed either. What is taken back is said among the run's warnings, unless they are `told` that all of it is held.
    """
    run = replace(run, findings=tuple(map(_unread, run.findings)))
    if vouched:
        return run
    lowered = tuple(
        replace(each, tier="agent") if each.tier in WITNESSES else each for each in run.findings
    )
    count = sum(one.tier != other.tier for one, other in zip(run.findings, lowered))
    if not count or told:
        return replace(run, findings=lowered)
    claim = (
        f"{count} findings claim a reviewer's or a tool's word; taken as an agent's: a program of yours"
        " stands for its reports by handing them to the library as values"
    )
    return replace(run, findings=lowered).warned(claim, count)


@value
class LogFile:
    """A file of a log, as far as it tells who may have written it."""

    path: str
    inside: bool  # it really lies in the folder of this repository where its system writes
    own: bool  # it is this user's
    written: float  # when, in seconds
    tracked: bool | None  # by git; None where git could not be asked


def doubts_files(files: Iterable[LogFile]) -> str:
    """Why a log is somebody's, whoever learns it: git tracks a file of it. Empty where it does not, or cannot be asked."""
    return next(
        (
            f"git tracks {each.path}: somebody else may have written it"
            for each in files
            if each.tracked
        ),
        "",
    )


def doubts_choice(files: Iterable[LogFile], folder: str, profile: str, since: float) -> str:
    """Why a person's choice of a profile does not vouch for a log; empty where it does: every file of it has to be the system's own."""
    for each in files:
        if not each.inside:
            return f"{each.path} does not lie in {folder or 'a folder'} of this repository, where {profile} writes"
        if not each.own:
            return f"{each.path} is another user's"
        if each.written < since:
            return f"{each.path} is older than the choice of the profile {profile} here"
        if each.tracked is None:
            return f"git cannot say whether {each.path} came with the repository"
        if each.tracked:
            return f"git tracks {each.path}: somebody else may have written it"
    return ""


def _unread(finding: Finding) -> Finding:
    """A finding without the words by which a reader of ours says how it was heard: no file can say that of itself."""
    kept = {name: at for name, at in (finding.extra or {}).items() if name not in READ_BY}
    return (
        finding
        if finding.extra is None or len(kept) == len(finding.extra)
        else replace(finding, extra=kept)
    )


def above(tier: str) -> str:
    """The next tier; a person's word is the highest."""
    return TIERS[min(TIERS.index(tier) + 1, len(TIERS) - 1)]


def may_vouch(tier: str, least: str) -> bool:
    """Whether evidence of this tier confirms what was held: of a least tier, or above."""
    return tier in TIERS and TIERS.index(tier) >= TIERS.index(least)
