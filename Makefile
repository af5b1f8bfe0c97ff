# Everything that people, hooks and CI run. Each target sets up what it needs in .venv; a second run installs nothing.
# On a machine with several Pythons: make test PYTHON=python3.12

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip --quiet --disable-pip-version-check

.PHONY: demo serve test test-slow test-all lint bench node clean

.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fleetlint needs Python 3.11 or newer; say which with PYTHON=...")'
	$(PYTHON) -m venv .venv

# `demo` needs far less than the tests do.
.venv/ready: pyproject.toml | .venv/bin/pip
	$(PIP) install --editable .
	@touch $@

.venv/ready-serve: pyproject.toml | .venv/bin/pip
	$(PIP) install --editable '.[serve]'
	@touch $@

.venv/ready-dev: pyproject.toml | .venv/bin/pip
	$(PIP) install --editable '.[dev]'
	@touch .venv/ready .venv/ready-serve $@

tests/node/node_modules/.ready: tests/node/package-lock.json
	npm --prefix tests/node ci --no-fund --no-audit
	@touch $@

demo: .venv/ready
	$(BIN)/fleetlint check examples/clean
	$(BIN)/fleetlint check examples/broken --registry examples/broken/registry.json --fail-on never

# The example with findings, for a browser on this machine.
serve: .venv/ready-serve
	$(BIN)/fleetlint serve examples/broken --registry examples/broken/registry.json

test: .venv/ready-dev
	$(BIN)/pytest -q -n auto -m "not slow"

test-slow: .venv/ready-dev
	$(BIN)/pytest -q -n auto -m slow

test-all: .venv/ready-dev
	$(BIN)/pytest -q -n auto

lint: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/make_catalogue.py --check
	$(BIN)/python tools/make_tables.py --check
	$(BIN)/python tools/vendor.py --check

# The validators from outside: the SARIF Multitool, Mermaid, markdownlint.
node: tests/node/node_modules/.ready

bench: .venv/ready-dev node
	$(PIP) install --requirement bench/requirements.txt
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/overlap.py
	$(BIN)/python bench/scale.py
	$(BIN)/python bench/worst.py
	$(BIN)/python bench/diff.py
	$(BIN)/python bench/serve.py
	$(BIN)/python bench/page.py

clean:
	rm -rf .venv tests/node/node_modules
