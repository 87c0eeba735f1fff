"""The looks at the whole, measured alone (design §12, E13): questions in order of time, answers by a careful reader, sheets for judges.

python -m bench.looks ask DATA --project P --look habits --out FOLDER     the next open question, or "done"
python -m bench.looks answer DATA --project P --look habits --file F --out FOLDER   checked as the product checks it
python -m bench.looks lessons DATA --project P --store STORE --out FOLDER  a fed store's, for tidying
python -m bench.looks ask DATA --project P --look tidy --out FOLDER
python -m bench.looks twins DATA --logs LOGS --out FOLDER      told twins by E2's logs, without tidying and with it
python -m bench.looks figures DATA --out FOLDER
python -m bench.looks sheets DATA --out FOLDER
python -m bench.looks judged DATA --out FOLDER
python -m bench.looks pack|unpack DATA --out FOLDER       the kept answers and labels (labels/looks)
"""
