"""What a host's tools do, by their names: a table in each host's folder.

shell runs a line · script calls other tools · read shows a file · search goes over files · write
puts the agent's own words into a file · later shows what an earlier call prints · person is the
person's answer · host is bookkeeping. A tool that no table names prints somebody else's words.
"""

from __future__ import annotations

from functools import cache

from tacit.hosts.claude_code.tools import TOOLS as CLAUDE_CODE
from tacit.hosts.codex.tools import TOOLS as CODEX
from tacit.hosts.copilot.tools import TOOLS as COPILOT
from tacit.hosts.cursor.tools import TOOLS as CURSOR
from tacit.hosts.gemini.tools import TOOLS as GEMINI
from tacit.hosts.opencode.tools import TOOLS as OPENCODE
from tacit.hosts.vscode.tools import TOOLS as VSCODE

# Of a loop of one's own, in the neutral format.
NEUTRAL = {
    "shell": "bash Bash shell",
    "read": "read Read",
    "search": "grep Grep glob Glob",
    "write": "write Write edit Edit",
}
_HOSTS = {
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "copilot": COPILOT,
    "cursor": CURSOR,
    "gemini": GEMINI,
    "opencode": OPENCODE,
    "vscode": VSCODE,
}


@cache
def tools_of(host: str) -> dict[str, str]:
    """What each tool of a host does, by its name."""
    table = _HOSTS.get(host, NEUTRAL)
    return {name: does for does, names in table.items() for name in names.split()}
