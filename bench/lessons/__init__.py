"""What real sessions teach: five development projects fed in the order of time through the public command line, and what comes of it measured.

    python -m bench.lessons feed DATA [--project NAME] [--no-model]      sessions in order; before each one what its start is given
    python -m bench.lessons feed DATA --queue FOLDER [--no-known]        the same with a reader whose answers lie in a folder
    python -m bench.lessons figures DATA                                 what can be counted without a judge
    python -m bench.lessons sheets DATA                                  blind sheets for a judge (reference: how lessons are labelled)
    python -m bench.lessons.blind sheets|shares DATA                     the same for what rules alone tell, by kind of line, mixed with others
    python -m bench.lessons labels DATA                                  the figures that rest on labels

Everything a session's feeding leaves stands in .bench/lessons/PROJECT: a home with the host's own folders, a repository with the instruction
files of the day, the store, and log.jsonl, one line per session. What a model adds is fed the same way; only the settings differ.
"""
