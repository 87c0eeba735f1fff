"""The session that the benchmark generates: the same for the same seed, and read without a fault."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from tacit.core.run import Reading
from tacit.hosts.claude_code import transcript as claude_code
from tacit.hosts.source import BytesSource


def bench() -> ModuleType:
    path = Path(__file__).parents[2] / "bench" / "transcripts.py"
    spec = importlib.util.spec_from_file_location("bench_transcripts", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_generated_session_reads_without_a_fault() -> None:
    """Every line is understood, every call has its result, and failures are among them."""
    made = list(bench().generate(0.3, seed=1))
    assert made == list(bench().generate(0.3, seed=1))
    (run,) = claude_code.read(BytesSource(b"".join(made)))
    assert run.reading == Reading(lines=len(made), interactive=True, entry="cli")
    assert all(step.output or step.error for step in run.steps if step.role == "tool")
    assert any(step.error for step in run.steps) and any(step.typed for step in run.steps)
