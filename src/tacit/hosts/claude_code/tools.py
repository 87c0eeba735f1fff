"""The tools of Claude Code by name, and what each does; any other tool's output is somebody else's words."""

TOOLS = {
    "shell": "Bash Monitor",
    "read": "Read NotebookRead",
    "search": "Grep Glob LS",
    "write": "Write Edit MultiEdit NotebookEdit",
    "later": "BashOutput TaskOutput",
    "person": "AskUserQuestion",
    "host": (
        "TodoWrite TodoRead ExitPlanMode EnterPlanMode TaskCreate TaskUpdate TaskList "
        "TaskGet TaskStop KillShell KillBash ReportFindings ScheduleWakeup"
    ),
}
