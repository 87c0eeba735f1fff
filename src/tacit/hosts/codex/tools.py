"""The tools of Codex by name, and what each does; any other tool's output is somebody else's words."""

TOOLS = {
    "shell": "exec_command shell local_shell",
    "script": "exec",
    "write": "apply_patch",
    "later": "write_stdin",
    "person": "request_user_input",
    "host": "update_plan close_agent",
}
