# make demo [PORT=9000]   the demo store in the browser
# make test [ARGS=...]    everything that is checked, as CI does it
# make format             put the code into its form
# Nothing but Python >= 3.11 (with venv) and make needs to be there.

PORT ?= 8050
ARGS ?=
DEMO_DB ?= sqlite:///demo.db
BIN := .venv/bin
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)

.PHONY: demo test check format parts clean

demo: .venv/installed
	@$(BIN)/evalstore --db $(DEMO_DB) demo --port $(PORT)

test: check parts
	$(BIN)/python -m pytest -n auto --dist loadfile $(ARGS)

check: .venv/installed-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: .venv/installed-test
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# What tests need and pip can't bring; a test that goes without says so.
parts: .venv/installed-test
	@sh tests/parts.sh

.venv/installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "evalstore needs Python >= 3.11 with venv"; exit 1; }
	@echo "making .venv with $(PYTHON) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/installed-test: .venv/installed
	@echo "adding what the tests need ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

clean:
	rm -rf .venv build dist demo.db demo.db-wal demo.db-shm
