"""Which commands serve which purpose here, how often each form passed and failed: counted, never told by one run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.digest import short_hash
from tacit.core.incident import COMMAND, Incident
from tacit.core.run import Run
from tacit.core.value import replace
from tacit.learn.notice.forms import general
from tacit.learn.notice.purposes import purpose

if TYPE_CHECKING:
    from tacit.learn.notice.calls import Lane

_MOST = 12  # forms of one run
MOST_CALLS = 200  # of one shell line that are looked at; a longer one is a script
# A failure that no form of the grammar knows, told by the output's own summary.
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?\b)|^FAILED\b|^FAIL\b|^error(?:\[|:)|BUILD FAILED|Build failed|exit(?:ed with)? (?:code|status) [1-9]",
    re.M | re.I,
)


def commands(run: Run, by_lane: Sequence[Lane]) -> Iterator[Incident]:
    """The forms of commands that a run used, by purpose, with how often they passed and failed."""
    found: dict[str, Incident] = {}
    for lane in by_lane:
        for one in lane.tries:
            for call in one.calls[:MOST_CALLS]:
                served = "" if call.fed else purpose(call)
                said = general(call, run.cwd, one.folder) if served else None
                if said is None:
                    continue
                form, folder, single = said
                mark = short_hash(served, form, folder)  # the form itself stands beside it
                failed = one.failed and (not one.soft or any(one.blamed(each) == call for each in one.found))
                failed = failed or (call.piped and bool(_FAILED.search(one.step.output[-4000:])))
                known = found.get(mark) or Incident(
                    COMMAND, mark, "single" if single else "", served, program=form, folder=folder, count=0, place=one.step.place, at=one.step.at
                )  # fmt: skip
                found[mark] = replace(known, count=known.count + (not failed), failed=known.failed + failed)
    most = sorted(found.values(), key=lambda each: -(each.count + each.failed))[:_MOST]
    yield from sorted(most, key=lambda each: each.at)
