# Each target sets up what it needs in .venv. Only Python 3.11 or newer has to be installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Let Python save its bytecode even if the environment says otherwise: else every process of the tests compiles it again.
unexport PYTHONDONTWRITEBYTECODE

# The tests of compiled code, which `make test-slow` also runs with every index checked. Numba needs a separate cache
# folder for such code, and does not notice a change in a file that the code calls into.
CHECKED_TESTS := tests/kernels tests/objectives tests/responses tests/search tests/solvers tests/strategies/test_tree.py
KERNELS := $(wildcard src/oracular/kernels/*.py)

# npx downloads Biome once and then runs it from its cache. Without a network it fails at once.
BIOME := npm_config_prefer_offline=true npm_config_fetch_retries=0 npm_config_loglevel=error npx --yes @biomejs/biome@2.6.6

# axe-core checks the accessibility of the page. npm fetches it once; without it those tests are skipped.
AXE := axe-core@4.14.0

.PHONY: help table test test-slow lint bench race scaling serve strategies bounds proofs results pictures screenshots docs clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-11s %s\n", $$1, $$2}'

table: $(VENV)/core ## reproduce the paper's Table 1 (a minute; resumes after a stop)
	@$(BIN)/oracular table

# Three processes even on two cores, since many tests wait for a browser or another process.
test: $(VENV)/compiled $(VENV)/axe.min.js lint ## run lint, types, and the short form of every check
	@$(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder

test-slow: $(VENV)/compiled $(VENV)/axe.min.js $(VENV)/checked ## run the full form of the longer checks, and compiled code with every index checked
	@$(BIN)/python -m pytest -q -m slow -n 2 --dist loadfile
	@NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/checked-kernels \
		$(BIN)/python -m pytest -q -m 'slow or not slow' -n 2 --dist loadfile $(CHECKED_TESTS)

lint: $(VENV)/test ## check spelling, phrases, style and types; JavaScript and CSS too if Node can run Biome
	@$(BIN)/codespell src docs tools benchmarks examples Makefile mkdocs.yml *.md
	@$(BIN)/python tools/prose.py
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy
	@if $(BIOME) --version >/dev/null 2>&1; then $(BIOME) check --error-on-warnings; \
	else echo "skipped: the page's JavaScript and CSS are not linted, since npx is missing or cannot fetch Biome" >&2; fi

bench: $(VENV)/web $(VENV)/cluster race ## measure speed: trees, engines, exact results, advice, the server, a cluster, each solver
	@$(BIN)/python benchmarks/trees.py
	@$(BIN)/python benchmarks/engines.py
	@$(BIN)/python benchmarks/iterations.py
	@$(BIN)/python benchmarks/scoring.py
	@$(BIN)/python benchmarks/planning.py
	@$(BIN)/python benchmarks/exact.py
	@$(BIN)/python benchmarks/openings.py
	@$(BIN)/python benchmarks/bounds.py
	@$(BIN)/python benchmarks/advice.py
	@$(BIN)/python benchmarks/limits.py
	@$(BIN)/python benchmarks/server.py
	@$(BIN)/python benchmarks/cluster.py

race: $(VENV)/core ## compare all solvers, a minute each, and all oracles
	@$(BIN)/python benchmarks/oracles.py
	@$(BIN)/python benchmarks/solvers.py

scaling: $(VENV)/cluster ## measure time and memory by words, letters and workers: docs/scaling.md (minutes)
	@$(BIN)/python benchmarks/cluster.py
	@$(BIN)/python benchmarks/scaling.py

serve: $(VENV)/web ## play in a browser, at http://127.0.0.1:8000/
	@$(BIN)/oracular serve

strategies: $(VENV)/core ## make the shipped strategies again (about an hour; resumes after a stop)
	@$(BIN)/python tools/make_strategies.py
	@$(BIN)/python tools/make_openings.py

bounds: $(VENV)/core ## prove the lower bounds of the shipped strategies again (hours; resumes after a stop)
	@$(BIN)/python tools/make_bounds.py wordle bulls-4x10 --published
	@$(BIN)/python tools/make_bounds.py jotto-3 --target 6.65
	@$(BIN)/python tools/make_bounds.py jotto-4 --target 6.4
	@$(BIN)/python tools/make_bounds.py jotto-5 --target 6.22
	@$(BIN)/python tools/make_bounds.py jotto-3-familiar jotto-4-familiar jotto-5-familiar --seconds 60
	@$(BIN)/python tools/make_bounds.py --seconds 60 jotto-3-repeats-anagrams-familiar \
		jotto-4-repeats-anagrams-familiar jotto-5-repeats-anagrams-familiar

# In hard mode SALET needs seven guesses for some secrets, unless that costs too much.
proofs: $(VENV)/core ## write the proofs in docs/verify.md and check them (minutes)
	@mkdir -p runs/proofs
	@echo '{"utilities": [6, 5, 4, 3, 2, 1, -20000]}' > runs/proofs/within-six.json
	@$(BIN)/oracular respond bulls-4x6 --proof runs/proofs/bulls-4x6.proof
	@$(BIN)/oracular respond mastermind-4x6 --proof runs/proofs/mastermind-4x6.proof
	@$(BIN)/oracular solve mastermind-4x6 --solver exact --out runs/proofs/mastermind-4x6 --fresh \
		--proof runs/proofs/mastermind-4x6-equilibrium.proof
	@$(BIN)/oracular solve jotto-2 --solver exact --out runs/proofs/jotto-2 --fresh \
		--proof runs/proofs/jotto-2-equilibrium.proof
	@$(BIN)/oracular respond wordle --opening salet --proof runs/proofs/wordle-salet.proof
	@$(BIN)/oracular respond wordle-hard --opening salet --objective runs/proofs/within-six.json \
		--proof runs/proofs/wordle-hard-salet.proof
	@$(BIN)/python src/oracular/checker.py runs/proofs/*.proof

results: $(VENV)/plot table ## write docs/results.md from the runs, after 'make race' if necessary
	@test -e runs/race.json -a -e runs/oracles.json || $(MAKE) race
	@$(BIN)/python tools/results.py

pictures: $(VENV)/plot table ## draw the README's picture and the picture of the imports again
	@$(BIN)/python tools/draw_imports.py
	@$(BIN)/oracular plot runs/table/jotto-5-3906 --out docs/jotto-5.png

screenshots: $(VENV)/test ## take the screenshots in docs/screens again (needs Chromium)
	@$(BIN)/python tools/screenshots.py

docs: $(VENV)/docs ## build the documentation site: site/index.html
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

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

$(VENV)/cluster: pyproject.toml | $(VENV)/bin/python
	@echo "installing oracular[cluster,plot] into $(VENV)" >&2
	@$(PIP) --editable '.[cluster,plot]'
	@touch $@

$(VENV)/web: pyproject.toml | $(VENV)/bin/python
	@echo "installing oracular[web] into $(VENV)" >&2
	@$(PIP) --editable '.[web]'
	@touch $@

$(VENV)/docs: pyproject.toml | $(VENV)/bin/python
	@echo "installing oracular[docs] into $(VENV)" >&2
	@$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/test: pyproject.toml | $(VENV)/bin/python
	@echo "installing oracular[test] into $(VENV)" >&2
	@$(PIP) --editable '.[test]'
	@touch $@

$(VENV)/axe.min.js: Makefile | $(VENV)/bin/python
	@npm_config_fetch_retries=0 npm pack --silent --pack-destination $(VENV) $(AXE) >/dev/null 2>&1 && \
		tar -xzmf $(VENV)/$(subst @,-,$(AXE)).tgz -C $(VENV) --strip-components 1 package/axe.min.js || \
		echo "skipped: the accessibility of the page is not tested, since npm is missing or cannot fetch $(AXE)" >&2

$(VENV)/checked: $(VENV)/test $(KERNELS)
	@rm -rf $(VENV)/checked-kernels
	@touch $@

$(VENV)/compiled: $(VENV)/test tools/compile_kernels.py $(KERNELS)
	@echo "compiling the kernels (a minute or two, once)" >&2
	@$(BIN)/python tools/compile_kernels.py
	@touch $@

clean: ## remove the environment and all caches, but no runs
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist site
