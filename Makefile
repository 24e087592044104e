# Each target sets up what it needs by itself, in .venv; nothing but Python 3.11 or newer has to be installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help table test test-slow lint bench race strategies results pictures clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

table: $(VENV)/core ## reproduce the paper's Table 1 (minutes; picks up where it was stopped)
	@$(BIN)/oracular table

test: $(VENV)/test lint ## lint, types, and the small form of every check
	@$(BIN)/python -m pytest -q

test-slow: $(VENV)/test ## the full form of the checks that take longer
	@$(BIN)/python -m pytest -q -m slow

lint: $(VENV)/test ## style and types
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy

bench: $(VENV)/core race ## how fast it is: trees, exact results, and what each solver guarantees after a minute
	@$(BIN)/python benchmarks/trees.py
	@$(BIN)/python benchmarks/engines.py
	@$(BIN)/python benchmarks/exact.py

race: $(VENV)/core ## every solver for a minute, and every oracle, side by side
	@$(BIN)/python benchmarks/oracles.py
	@$(BIN)/python benchmarks/solvers.py

strategies: $(VENV)/core ## make the shipped strategies again (about half an hour; goes on where it was stopped)
	@$(BIN)/python tools/make_strategies.py

results: $(VENV)/plot table ## write docs/results.md from the runs, racing the solvers first if need be
	@test -e runs/race.json -a -e runs/oracles.json || $(MAKE) race
	@$(BIN)/oracular results
	@$(BIN)/python tools/readme_table.py

pictures: $(VENV)/plot table ## draw the README's picture again, from the table's five-letter run
	@$(BIN)/oracular plot runs/table/jotto-5-3906 --out docs/jotto-5.png

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	@echo "setting up $(VENV)" >&2
	@$(PYTHON) -m venv $(VENV)

$(VENV)/core: pyproject.toml | $(VENV)/bin/python
	@echo "installing oracular into $(VENV)" >&2
	@$(PIP) --editable .
	@touch $@

$(VENV)/plot: pyproject.toml | $(VENV)/bin/python
	@echo "installing oracular[plot] into $(VENV)" >&2
	@$(PIP) --editable '.[plot]'
	@touch $@

$(VENV)/test: pyproject.toml | $(VENV)/bin/python
	@echo "installing oracular[test] into $(VENV)" >&2
	@$(PIP) --editable '.[test]'
	@touch $@

clean: ## remove the environment and all caches; runs are kept
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
