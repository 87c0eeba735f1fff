"""The tools of opencode by name, and what each does; any other tool's output is somebody else's words."""

TOOLS = {
    "shell": "bash",
    "read": "read",
    "search": "grep glob list",
    "write": "write edit patch apply_patch",
    "person": "question",
    "host": "todowrite todoread",
}
