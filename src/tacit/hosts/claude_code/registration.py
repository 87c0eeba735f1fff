"""Claude Code: its files, and how our hooks stand in its settings."""

from __future__ import annotations

from tacit.hosts.claude_code import NAMES
from tacit.hosts.registration import Host, as_claude_code_says, entries_of, in_shell

HOST = Host(
    "claude-code",
    "Claude Code",
    # None is `async`: an answer to a failure would come a turn late, and versions up to 2.1.197 leave `claude -p` without SessionEnd where
    # Stop is; later ones end that hook early.
    entries_of(
        NAMES,
        session_start="startup|resume|clear|compact|fork",
        before_command="Bash|Edit|MultiEdit|Write|NotebookEdit|Read",
        tool_failure="Bash",
    ),
    in_shell(type="command"),
    as_claude_code_says,
    user=("settings.json",),
    shared=(".claude", "settings.json"),
    local=(".claude", "settings.local.json"),
    home=("CLAUDE_CONFIG_DIR", ".claude"),
    programs=("claude",),
    traces=(".claude",),
    loaded_by_others=True,
    transcripts=("projects",),
    sessions=r"(?!agent-).*\.jsonl",
    instructions=("CLAUDE.md", ".claude/CLAUDE.md", ".claude/claude.md", "CLAUDE.local.md"),
    pages=("CLAUDE.md", "CLAUDE.local.md"),
    reader='claude -p --tools "" --system-prompt "You read records of finished sessions and answer with JSON only." --setting-sources ""'
    # A name, or 2.1.197 sends the whole question a second time, for a title.
    " --strict-mcp-config --no-session-persistence --disable-slash-commands --name reading --output-format json --model {model}",
    # Says nothing of the machine to the model, 230 tokens a question; it reads no login but this variable.
    reader_with=("ANTHROPIC_API_KEY", "--bare"),
    login=(".credentials.json",),
    reaches=(
        "ANTHROPIC_*",
        "CLAUDE_CODE_OAUTH_*",
        "CLAUDE_CODE_USE_*",
        "CLAUDE_CODE_SKIP_*",
        "CLAUDE_CODE_DISABLE_*",
        "DISABLE_*",
    ),
)
