"""Bugs whose right fix was settled in an earlier chat: does what the hooks give an agent solve them? The figures alone: `make exams EXAMS=E1`.

    python -m bench.decisions notes DATA                  learn the chats by kept answers, play the hooks before each bug: start, prompt, the module's file
    python -m bench.decisions folders DATA ARM OUT        a folder for each bug as its agent gets it: repository, report, notes of that arm
    python -m bench.decisions grade DATA OUT              solved bugs, by visible and hidden tests; the fixes are kept in bench/labels/decisions
    python -m bench.decisions again DATA NAME             grade the kept fixes of an earlier run

DATA is the unpacked folder with `settled`, `amended`, `tasks` and `keys`. Arms: `hooks` as they are given without the coin, `select` (what `hooks/select.py` would tell), `scout` (the same lessons by plain full text, the best three and
the neighbours of the best), `chats` (three passages of the chats by plain full text), `none`.
"""
