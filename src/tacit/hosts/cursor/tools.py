"""The tools of Cursor by name, and what each does; any other tool's output is somebody else's words."""

TOOLS = {
    "shell": "Shell run_terminal_cmd",
    "read": "Read read_file",
    "search": "Grep Glob LS grep_search file_search list_dir codebase_search",
    "write": "Write StrReplace edit_file search_replace",
    "host": "todo_write TodoWrite",
}
