"""What origins offer beside remembering: audits of a run's findings, questions for one kind of learning."""

from __future__ import annotations

from tacit.origins.archeflow.audit import Checked, Regression, check_run, regressions
from tacit.origins.ralph.knowledge import Knowledge

__all__ = ["Checked", "Knowledge", "Regression", "check_run", "regressions"]
