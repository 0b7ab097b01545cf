# The front door. `make` alone lists what there is.

.DEFAULT_GOAL := help
.PHONY: help demo test conformance pages lint typing verifytypes docs bench load fuzz crash crashfleet package constraints clean

# A python3.11 that is only a version manager's shim may not run, so it is tried first.
PYTHON ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)
TOO_OLD = elicitkit needs Python 3.11 or newer, and $(PYTHON) is older. Name another: make PYTHON=...
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=
PIP = -m pip --disable-pip-version-check

# One environment for everything: the demo shows each adapter, and a second one would be installed for nothing.
# The stamp is written last, so an install that failed half-way is tried again.
INSTALLED := $(VENV)/installed
LOG := $(VENV)/install.log

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "$(TOO_OLD)")'
	@echo "Installing into $(VENV), once; this takes about a minute."
	@rm -f $@
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP) install --constraint constraints.txt --editable '.[dev]' >$(LOG) 2>&1 || { tail -n 30 $(LOG); exit 1; }
	@touch $@

# The official conformance suite and the node it needs. Whatever npm writes stays in there: no lock file, no manifest.
# The stamp is what the tests look for.
JUDGE := .judge
SUITE := @modelcontextprotocol/conformance@0.2.0-alpha.12 node@24.21.0

$(JUDGE)/installed: Makefile
	@echo "Installing the conformance suite into $(JUDGE), once."
	@rm -rf $(JUDGE) && mkdir $(JUDGE)
	@{ npm install --prefix $(JUDGE) --no-save --no-package-lock --no-audit --no-fund $(SUITE) && \
	   $(JUDGE)/node_modules/node/bin/node --version; } \
	  >$(JUDGE)/install.log 2>&1 || { tail -n 30 $(JUDGE)/install.log; exit 1; }
	@touch $@

# What judges whether the pages of the inbox are accessible.
AXE := .axe

$(AXE)/installed: Makefile
	@echo "Installing axe-core into $(AXE), once."
	@rm -rf $(AXE) && mkdir $(AXE)
	@npm install --prefix $(AXE) --no-save --no-package-lock --no-audit --no-fund axe-core@4.14.1 \
	  >$(AXE)/install.log 2>&1 || { tail -n 30 $(AXE)/install.log; exit 1; }
	@touch $@

pages: $(INSTALLED) $(AXE)/installed  ## the pages of the inbox in a real browser, which is Chromium
	@$(BIN)/pytest tests/render/web $(ARGS)

# Others that tests talk to, in environments of their own: they need other versions than we do. Where one cannot be
# installed the tests say so, and CI fails.
PEERS := .peers

$(PEERS)/toolnexus/installed: WANTED := toolnexus==0.21.*
$(PEERS)/fastmcp/installed: WANTED := fastmcp[tasks]==4.1.4

$(PEERS)/%/installed: Makefile
	@echo "Installing $(WANTED) into $(PEERS), once."
	@rm -rf $(@D) && $(PYTHON) -m venv $(@D)
	@if $(@D)/bin/python $(PIP) install '$(WANTED)' >$(@D)/install.log 2>&1; then touch $@; \
	 else tail -n 5 $(@D)/install.log; rm -rf $(@D); fi

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(INSTALLED)  ## try it here; ANSWERS=file answers for you
	@$(BIN)/elicitkit demo $(if $(ANSWERS),--answers '$(ANSWERS)')

# One process for each core; the tests of a file stay together, because they may share what is slow to start.
test: $(INSTALLED) $(PEERS)/toolnexus/installed $(PEERS)/fastmcp/installed  ## run the tests; ARGS='-k name' goes to pytest
	@$(BIN)/pytest -n auto --dist loadfile $(ARGS)

conformance: $(INSTALLED) $(JUDGE)/installed  ## be judged by the official suite, which npm brings
	@$(BIN)/pytest tests/conformance $(ARGS)

lint: $(INSTALLED)  ## style, format, types and layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

typing: $(INSTALLED)  ## what both type checkers see
	@$(BIN)/mypy
	@$(BIN)/pyright --pythonpath $(BIN)/python

# With this option pyright heeds no --pythonpath: it looks at the first python of PATH.
verifytypes: $(INSTALLED)  ## nothing that is exported is left to the inference of a type checker
	@PATH=$(abspath $(BIN)):$$PATH PYTHONPATH=src $(BIN)/pyright --verifytypes elicitkit --ignoreexternal >$(VENV)/types.log || \
	  { cat $(VENV)/types.log; exit 1; }

docs: $(INSTALLED)  ## build the documentation into build/docs; a warning is an error
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs build/docs
	@echo "Built: build/docs/index.html"

ROWS := build/bench.jsonl

bench: $(INSTALLED) $(PEERS)/fastmcp/installed $(PEERS)/toolnexus/installed  ## the benchmarks, and one table of them all; ARGS=--quick for a look
	@mkdir -p build && rm -f $(ROWS)
	@set -e; for script in benchmarks/[!_]*.py; do echo "== $$script"; BENCH_ROWS=$(ROWS) $(BIN)/python "$$script" $(ARGS); done
	@echo; $(BIN)/python benchmarks/_table.py $(ROWS)

load: $(INSTALLED)  ## 64 calls at once over HTTP for 30 seconds
	@$(BIN)/python -m tests.roads.load --seconds 30 --calls 64 $(ARGS)

fuzz: $(INSTALLED)  ## feed everything that reads from a wire for five minutes; ARGS='--seconds 3600'
	@$(BIN)/python -m tests.fuzz $(ARGS)

crash: $(INSTALLED)  ## 200 tasks on a server that is killed 50 times; ARGS='--seed 7'
	@$(BIN)/python -m tests.crash $(ARGS)

crashfleet: $(INSTALLED)  ## the same for two servers and three workers, on PostgreSQL and Redis
	@$(BIN)/python -m tests.crash --fleet $(ARGS)

# From an empty folder, so that nothing of the checkout helps; its answers are the only thing it is given.
package:  ## build the wheel, install it alone, and run the demo from it
	@rm -rf build/package && mkdir -p build/package
	@$(PYTHON) $(PIP) wheel --quiet --no-deps --wheel-dir build/package .
	@$(PYTHON) -m venv build/package/alone
	@build/package/alone/bin/python $(PIP) install --quiet --constraint constraints.txt build/package/*.whl
	@cd build/package/alone && env -u PYTHONPATH bin/elicitkit demo --answers $(CURDIR)/tests/cli/demo_answers.jsonl >../shown.txt 2>&1
	@tail -n 1 build/package/shown.txt && ls build/package/*.whl

constraints:  ## pin the newest versions that resolve together
	@rm -rf $(VENV)-fresh && $(PYTHON) -m venv $(VENV)-fresh
	@$(VENV)-fresh/bin/python $(PIP) install --editable '.[dev]'
	@{ echo "# Made by \`make constraints\`: what .[dev] resolves to. Do not edit."; \
	   $(VENV)-fresh/bin/python $(PIP) freeze --exclude-editable; } > $(VENV)-fresh/constraints.txt
	@mv $(VENV)-fresh/constraints.txt constraints.txt && rm -rf $(VENV)-fresh

clean:  ## remove the environment and every cache
	@rm -rf $(VENV) $(VENV)-fresh $(JUDGE) $(AXE) $(PEERS) .screens build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
