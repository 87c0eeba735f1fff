"""The tools of Gemini CLI by name, and what each does; any other tool's output is somebody else's words."""

TOOLS = {
    "shell": "run_shell_command",
    "read": "read_file",
    "search": "search_file_content grep_search glob list_directory",
    "write": "write_file replace",
    "person": "ask_user",
    "host": "write_todos save_memory",
}
