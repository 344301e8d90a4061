# Every target sets up .venv by itself: `make demo` and `make test` are all one needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALLED := $(VENV)/.installed
KERNELS := $(shell find src/geceval/kernels -name "*.pyx" -o -name "*.pxd" -o -name "*.h")
WORKERS ?= auto

.PHONY: install integrations lock licenses demo test lint type layers languagetool bench docs reproduce cards promises wheel debug-kernels clean

install: $(INSTALLED)  ## the package in editable mode and everything that demo and tests need

# Nothing is installed whose hash is not in requirements.txt; geceval itself is then built
# without the network. pip compiles what it copies only, not the modules of an editable package.
$(INSTALLED): pyproject.toml setup.py requirements.txt $(KERNELS)
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes --requirement requirements.txt
	$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src/geceval
	touch $@

integrations: install  ## tools that geceval works within, for their tests
	$(PIP) install --constraint constraints.txt evaluate inspect-ai lm-eval

lock: install  ## pin and hash again what is installed, after a change of pyproject.toml or constraints.txt
	$(PIP) install uv
	sh tools/lock.sh $(BIN)/uv

demo: install  ## scores of the bundled example, and a report
	$(BIN)/geceval demo

# All checks are run to the end, and any that fails ends the tests. Each shows its output when it
# is done; that of the licenses is long, so they come first.
test: install  ## everything that must pass
	$(MAKE) --jobs=2 --keep-going --output-sync=target licenses layers type lint languagetool
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

licenses: install  ## of everything that is installed with geceval; fails on one that is not permissive
	$(BIN)/python tools/licenses.py

lint: install
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/codespell
	PATH="$(abspath $(BIN)):$$PATH" cython-lint src/geceval/kernels

type: install
	$(BIN)/mypy --num-workers=2

layers: install
	$(BIN)/lint-imports

languagetool: install  ## best effort: without Java or Maven it says so and goes on
	$(BIN)/geceval languagetool install --best-effort

bench: install  ## speed, as ratios in one run
	$(BIN)/python -m pytest benchmarks --benchmark-only --benchmark-columns=min,median,rounds

docs: install
	$(PIP) install --constraint constraints.txt "pip>=25.1"
	$(PIP) install --constraint constraints.txt --group docs
	$(BIN)/sphinx-build -n -W -b html docs docs/_build/html

reproduce: install languagetool  ## published tables and figures beside ours, as pages; the data are in GECEVAL_DATA
	$(BIN)/python -m pytest tests/reproduce --run-reproduce --reproduction reproduction

CONLL14 := $(GECEVAL_DATA)/conll14
cards: install  ## results of all built-in metrics, to compare others with; the data are in GECEVAL_DATA
	$(BIN)/geceval metaeval card all --gold $(CONLL14)/gold/official-2014.combined.m2 \
		--human GJG15=$(CONLL14)/human/gjg15-judgments.xml --systems $(CONLL14)/systems \
		--seeda $(GECEVAL_DATA)/seeda --export src/geceval/data/cards.json

promises: install  ## what geceval promises, at full size: up to an hour on two cores
	GECEVAL_PROMISES=full $(BIN)/python -m pytest -n $(WORKERS) tests/promises tests/extraction/lang/test_packs.py

wheel: install  ## build it, install it away from the sources, import every kernel, run it
	sh tools/check-wheel.sh $(BIN)/python

debug-kernels: install  ## the kernel tests with bounds checks on, under ASan and UBSan
	sh tools/debug-kernels.sh $(BIN)/python

clean:
	rm -rf $(VENV) build dist docs/_build src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .import_linter_cache
	find src -name '*.so' -delete
