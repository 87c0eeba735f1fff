"""What a host's tools do, by their names: a row for each host.

shell runs a line · script calls other tools · read shows a file · search goes over files · write
puts the agent's own words into a file · later shows what an earlier call prints · person is the
person's answer · host is bookkeeping. A tool that no table names prints somebody else's words.
"""

from __future__ import annotations

# Of a loop of one's own, in the neutral format.
NEUTRAL = {
    "shell": "bash Bash shell",
    "read": "read Read",
    "search": "grep Grep glob Glob",
    "write": "write Write edit Edit",
}
TOOLS: dict[str, dict[str, str]] = {
    "claude-code": {
        "shell": "Bash Monitor",
        "read": "Read NotebookRead",
        "search": "Grep Glob LS",
        "write": "Write Edit MultiEdit NotebookEdit",
        "later": "BashOutput TaskOutput",
        "person": "AskUserQuestion",
        "host": "TodoWrite TodoRead ExitPlanMode EnterPlanMode TaskCreate TaskUpdate TaskList "
        "TaskGet TaskStop KillShell KillBash ReportFindings ScheduleWakeup",
    },
    "codex": {
        "shell": "exec_command shell local_shell",
        "script": "exec",
        "write": "apply_patch",
        "later": "write_stdin",
        "person": "request_user_input",
        "host": "update_plan close_agent",
    },
    "copilot": {
        "shell": "bash shell",
        "read": "view",
        "search": "grep glob",
        "write": "create edit str_replace_editor apply_patch",
        "later": "read_bash write_bash",
        "person": "ask_user",
        "host": "report_intent update_todo stop_bash",
    },
    "cursor": {
        "shell": "Shell run_terminal_cmd",
        "read": "Read read_file",
        "search": "Grep Glob LS grep_search file_search list_dir codebase_search",
        "write": "Write StrReplace edit_file search_replace",
        "host": "todo_write TodoWrite",
    },
    "gemini": {
        "shell": "run_shell_command",
        "read": "read_file",
        "search": "search_file_content grep_search glob list_directory",
        "write": "write_file replace",
        "person": "ask_user",
        "host": "write_todos save_memory",
    },
    "opencode": {
        "shell": "bash",
        "read": "read",
        "search": "grep glob list",
        "write": "write edit patch apply_patch",
        "person": "question",
        "host": "todowrite todoread",
    },
    "vscode": {
        "shell": "run_in_terminal runTests",
        "read": "read_file",
        "search": "grep_search file_search list_dir",
        "write": "create_file replace_string_in_file insert_edit_into_file apply_patch "
        "multi_replace_string_in_file",
        "later": "get_terminal_output",
        "host": "manage_todo_list",
    },
}


def tools_of(host: str) -> dict[str, str]:
    """What each tool of a host does, by its name."""
    table = TOOLS.get(host, NEUTRAL)
    return {name: does for does, names in table.items() for name in names.split()}


def writing(host: str) -> list[str]:
    """The tools of a host that put the agent's own words into a file."""
    return TOOLS[host]["write"].split()
