# What a person does with a clone. Every target prepares .venv first; nothing is installed outside it.
#
#   make setup                     .venv with the versions of constraints.txt
#   make train                     the quickstart run; again: goes on where it stopped
#   make train RUN=runs/second     another run (CONFIG=... picks another config)
#   make test                      the tests; ARGS='-k names' narrows them down
#   make lint                      ruff, its formatter, mypy
#   make bench                     ours against what others do and against the bound; ARGS='--only tiny' narrows it down
#   make bench-scaling             how cost grows: the table, docs/scaling.svg (docs/benchmarks.md explains both)

PYTHON ?= python3
RUN ?= runs/quickstart
CONFIG ?= configs/quickstart.toml
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup-done
BENCH_STAMP := $(VENV)/.bench-done

.PHONY: setup train test lint bench bench-scaling

setup: $(STAMP)

# torch goes first and alone, so that its pin, not another package's open range, picks the build.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is $$($(PYTHON) --version 2>&1), mage needs Python 3.11 or newer: make setup PYTHON=python3.11" >&2; \
		exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

train: setup
	@if [ ! -e "$(RUN)" ]; then \
		$(BIN)/mage train "$(CONFIG)" --run "$(RUN)"; \
	elif [ -f "$(RUN)/evaluation.json" ] && tail -n 1 "$(RUN)/events.jsonl" | grep -q '"type": *"end"'; then \
		echo "$(RUN) is finished; nothing was changed."; \
		echo "  watch it:      $(BIN)/mage watch $(RUN)"; \
		echo "  evaluate it:   $(BIN)/mage evaluate $(RUN)"; \
		echo "  train longer:  $(BIN)/mage train $(CONFIG) --run $(RUN) --resume --set run.iterations=N"; \
		echo "  start another: make train RUN=runs/NAME"; \
	else \
		echo "$(RUN) exists and is not finished: going on with it (another one: make train RUN=runs/NAME)."; \
		$(BIN)/mage train "$(CONFIG)" --run "$(RUN)" --resume; \
	fi

# Up to eight processes with one thread each: those that compete for cores run many times slower. ARGS='-n0 --pdb' for a debugger.
test: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist loadfile $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m benchmarks --json build/bench.json $(ARGS)

# The extra holds what draws the plot, and TRL, which a later `make bench` then compares with.
$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[bench]'
	@touch $@

bench-scaling: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.scaling --json build/bench-scaling.json --plot docs/scaling.svg $(ARGS)
