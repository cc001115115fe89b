# make demo [PORT=9000]        build the demo store and open it in the browser
# make test [ARGS=...]         run every check and test, as CI does
# make test-fast [ARGS=...]    run the checks and the quick tests: under 2 minutes on 2 cores
# make test-newest             run quick tests with the newest versions of all dependencies
# make check                   run ruff and mypy
# make format                  format the code
# make docs                    renew the pages in docs/ that are generated from the program
# make site                    build the documentation with a search box: build/site/index.html
# make screenshots             renew docs/screenshots/, and build/screenshots/ of every page
# make constraints             renew constraints.txt with the newest versions
# make clean                   delete the environments, builds and the demo store
# make help                    print this list
# Needed: make and Python 3.11 or later with venv.

PORT ?= 8050
ARGS ?=
DEMO_DB ?= sqlite:///demo.db
BIN := .venv/bin
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
# The files in the order of their names: tests/unit, at the end, has the short ones, so that no
# process has a long one left when the others are done.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder
# pip reads constraints.txt for what it installs, and (the second name, from pip 25.3 on) for what
# it builds with. It compiles nothing: most modules are never imported, and the others are compiled
# then.
PINNED_PIP := PIP_COMPILE=no PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	$(BIN)/python -m pip --quiet --disable-pip-version-check

# Tests start hundreds of interpreters; without .pyc files each would compile all it imports.
unexport PYTHONDONTWRITEBYTECODE
# Processes of tests use all cores already; threads of NumPy's library would wait in loops beside.
export OPENBLAS_NUM_THREADS := 1

.PHONY: demo test test-fast test-newest check format docs site screenshots constraints test-programs clean help

demo: .venv/installed
	@$(BIN)/evalstore --db $(DEMO_DB) demo --port $(PORT)

test: check test-programs
	$(PYTEST) $(ARGS)

test-fast: check
	$(PYTEST) -m "not slow and not postgres and not browser and not packaging" $(ARGS)

test-newest: .venv/installed-test
	@$(BIN)/python .ci/newest.py

check: .venv/installed-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy docs/generate docs/conf.py

format: .venv/installed-test
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: .venv/installed-test
	$(BIN)/python docs/generate/commands_page.py
	$(BIN)/python docs/generate/json_page.py
	$(BIN)/python docs/generate/measures_page.py
	$(BIN)/python docs/generate/messages_page.py
	$(BIN)/python docs/generate/parquet_page.py
	$(BIN)/python docs/generate/schema_page.py

site: .venv/installed-test
	@rm -rf build/site
	@$(BIN)/python -m sphinx -q -W --keep-going -d build/doctrees -E -c docs . build/site

screenshots: .venv/installed-test
	$(BIN)/python tests/browser/make_screenshots.py

constraints: .venv/installed
	$(BIN)/python .ci/constraints.py

# Programs that tests need and pip can't install; without them those tests are skipped.
test-programs: .venv/installed-test
	@sh tests/programs.sh

.venv/installed: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "evalstore needs Python >= 3.11 with venv"; exit 1; }
	@echo "making .venv with $(PYTHON) ..."
	@$(PYTHON) -m venv .venv
	@$(PINNED_PIP) install -e '.[dashboard]'
	@touch $@

.venv/installed-test: .venv/installed
	@echo "adding what the tests need ..."
	@$(PINNED_PIP) install -e '.[test,docs]'
	@touch $@

clean:
	rm -rf .venv .venv-newest .venv-oldest build dist demo.db demo.db-wal demo.db-shm

help:
	@sed -n 's/^# make/make/p' Makefile
