"""The tools of Copilot CLI by name, and what each does; any other tool's output is somebody else's words."""

TOOLS = {
    "shell": "bash shell",
    "read": "view",
    "search": "grep glob",
    "write": "create edit str_replace_editor apply_patch",
    "later": "read_bash write_bash",
    "person": "ask_user",
    "host": "report_intent update_todo stop_bash",
}
