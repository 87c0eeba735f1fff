"""The tools of agents in VS Code by name, and what each does; any other tool's output is somebody else's words."""

TOOLS = {
    "shell": "run_in_terminal runTests",
    "read": "read_file",
    "search": "grep_search file_search list_dir",
    "write": (
        "create_file replace_string_in_file insert_edit_into_file apply_patch "
        "multi_replace_string_in_file"
    ),
    "later": "get_terminal_output",
    "host": "manage_todo_list",
}
