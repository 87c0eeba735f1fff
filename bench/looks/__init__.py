"""The looks at the whole, measured alone (design §12, E13): questions in order of time, answers by a careful reader, sheets for judges.

python -m bench.looks ask DATA --project P --look habits --out FOLDER     the next open question, or "done"
python -m bench.looks lessons DATA --project P --store STORE --out FOLDER  a fed store's, for tidying
python -m bench.looks ask DATA --project P --look tidy --out FOLDER
python -m bench.looks figures DATA --out FOLDER
python -m bench.looks sheets DATA --out FOLDER
python -m bench.looks judged DATA --out FOLDER
python -m bench.looks pack|unpack DATA --out FOLDER       the kept answers and labels (labels/looks)
"""
