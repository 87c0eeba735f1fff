"""Bugs whose right fix was settled in an earlier chat: does what the hooks give an agent solve them?

    python -m bench.decisions feed DATA --queue QUEUE     the chats of both projects, learned in the order of time, read by kept answers
    python -m bench.decisions parts DATA                  for a judge: each rule of the keys, and the lessons that its chats left
    python -m bench.decisions notes DATA                  what the hooks give before each bug: start, prompt, the module's file
    python -m bench.decisions folders DATA ARM OUT        a folder for each bug as its agent gets it: repository, report, notes of that arm
    python -m bench.decisions grade DATA OUT              solved bugs, by visible and hidden tests; the fixes are kept in bench/labels/decisions
    python -m bench.decisions again DATA NAME             grade the kept fixes of an earlier run

DATA is the unpacked folder with `settled`, `amended`, `tasks` and `keys`. Questions of the reader that have no answer yet lie in QUEUE (recorded.py).
Arms: `hooks` as they are given with default settings but no coin, `coins` with it, `scout` (the same lessons by plain full text, the best three and the
neighbours of the best), `chats` (three passages of the chats by plain full text), `none`.
"""
