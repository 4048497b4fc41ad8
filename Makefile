# Two commands on a fresh machine with Python 3.11+: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-slow lint format bench notebooks clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all]'
	touch $@

demo: $(STAMP)  ## two learners train against each other, then a duplicate tournament
	$(BIN)/python -m experiments run configs/quickstart.yaml

test: $(STAMP)  ## the default tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(STAMP)  ## all tests, also those that take minutes
	$(BIN)/python -m pytest -n 2 --dist loadfile -m ''

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)  ## speed beside the peers, which are installed first
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python -m experiments bench configs/bench.yaml

notebooks: $(STAMP)  ## executes the notebooks again, in place
	$(BIN)/python -m tests.notebooks.executing

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
