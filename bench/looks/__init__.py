"""The looks at the whole, measured alone (design §12, E13): questions in order of time, answers by a careful reader, sheets for judges.

python -m bench.looks ask DATA --project P --look habits --out FOLDER     the next open question, or "done"
python -m bench.looks ask DATA --project P --look tidy --lessons FILE --out FOLDER
python -m bench.looks figures DATA --out FOLDER
python -m bench.looks sheets DATA --out FOLDER
python -m bench.looks judged DATA --out FOLDER
"""
