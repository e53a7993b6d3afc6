# `make help` lists the commands. Each one makes what it needs; a second run reuses it.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TOOLS  := .tools
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

# The checkout itself runs, installed or not.
GANGFORM := PYTHONPATH="$(CURDIR)/generator" "$(CURDIR)/$(BIN)/python" -m gangform

# Where `make schemas` finds the published CRDs; extra arguments for `make unit` and `make lock`.
CRDS ?=
ARGS ?=

# Twice as quick as one process on two cores; the tests of a file stay together and share its costly set-up.
PYTEST := $(BIN)/pytest -n auto --maxprocesses=4 --dist=loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-cluster lint types layers unit tools cluster-tools bench bench-streams bench-controller bench-waking schemas overlays rules-docs docs wheels zipapp lock clean

help:  ## this list
	@awk -F ':.*##' '/^[a-z-]+:.*##/ {printf "make %-13s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/run.stamp  ## validate base/ and render both overlays into .demo/ (needs Python alone)
	@GANGFORM_PYTHON="$(CURDIR)/$(BIN)/python" sh tools/demo.sh

test: lint types layers unit  ## everything that CI checks, in this order

lint: $(VENV)/dev.stamp  ## ruff
	$(BIN)/ruff check .

types: $(VENV)/dev.stamp  ## mypy --strict
	$(BIN)/mypy
	$(BIN)/mypy bench tools

layers: $(VENV)/dev.stamp  ## which package may import which
	$(BIN)/lint-imports --no-logo

unit: $(VENV)/dev.stamp tools wheels  ## pytest; ARGS="tests/docs -k link" picks tests
	PATH="$(CURDIR)/$(BIN):$$PATH" $(if $(HAS_GO),GANGFORM_REQUIRE_TOOLS=1) $(PYTEST) --ignore=tests/cluster $(ARGS)

# Each of the four processes has a control plane of its own; most of the time is waiting.
test-cluster: $(VENV)/dev.stamp tools cluster-tools  ## the real schedulers and operator on a control plane of its own (needs Go)
	PATH="$(CURDIR)/$(BIN):$$PATH" GANGFORM_REQUIRE_CLUSTER=1 $(BIN)/pytest -n 4 --dist=loadfile --no-loadscope-reorder tests/cluster $(ARGS)

bench: $(VENV)/dev.stamp  ## how long a start and a validation take
	$(BIN)/python bench/run.py $(ARGS)

bench-streams: $(VENV)/dev.stamp  ## what 10,000 jobs cost as a stream, beside kustomize and kubeconform
	$(BIN)/python bench/streams.py $(ARGS)

bench-controller: $(VENV)/dev.stamp cluster-tools  ## what the controller costs with 10,000 jobs, and how soon it tells (needs Go)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python bench/controller.py $(ARGS)

bench-waking: $(VENV)/dev.stamp cluster-tools  ## how long gangs wait under coscheduling although there is room (needs Go; an hour)
	$(BIN)/python bench/waking.py $(ARGS)

schemas: $(VENV)/dev.stamp  ## derive schemas/ anew from the published CRDs in CRDS=DIR
	@test -d "$(CRDS)" || { echo "make schemas: name the folder of the CRDs: make schemas CRDS=DIR" >&2; exit 2; }
	$(BIN)/python tools/derive_schemas.py "$(CRDS)" schemas

overlays: $(VENV)/run.stamp  ## render overlays/ from base/ as gangform.yaml says
	$(GANGFORM) render

rules-docs: $(VENV)/dev.stamp  ## write docs/rules/ anew from the rules' docstrings
	$(BIN)/python tools/write_rule_pages.py docs/rules

docs: rules-docs  ## write docs/cli.md anew from the commands' help, docs/status.md, and docs/rules/
	$(BIN)/python tools/write_command_pages.py docs/cli.md
	$(BIN)/python tools/write_status_page.py docs/status.md

# Keeps the pins that still fit; ARGS=--upgrade takes the newest.
LOCK = uv pip compile --generate-hashes --universal --python-version 3.11 --quiet \
  --no-emit-index-url --no-emit-find-links --no-header $(ARGS)

lock:  ## pin requirements/ anew from pyproject.toml (needs uv)
	$(LOCK) pyproject.toml --output-file requirements/run.txt
	$(LOCK) pyproject.toml --constraints requirements/run.txt --extra controller --output-file requirements/controller.txt
	$(LOCK) pyproject.toml --constraints requirements/controller.txt --extra cluster --output-file requirements/cluster.txt
	$(LOCK) pyproject.toml --constraints requirements/controller.txt --extra controller --group dev --output-file requirements/dev.txt
	$(LOCK) --constraints requirements/dev.txt --group build --output-file requirements/build.txt

clean:  ## delete all that the commands above have made
	rm -rf $(VENV) $(TOOLS) .demo .cluster-logs dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find generator tests bench tools -name __pycache__ -type d -prune -exec rm -rf {} +

# --- what the commands need ---------------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "gangform needs Python 3.11 or newer: $$($(PYTHON) --version 2>&1). Name one: make PYTHON=python3.12" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 2; }

$(VENV)/run.stamp: requirements/run.txt | $(BIN)/python
	$(PIP) install --require-hashes --requirement requirements/run.txt
	@touch $@

# The build backend comes from the lock as well, so that nothing unpinned is fetched.
$(VENV)/dev.stamp: requirements/dev.txt pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes --requirement requirements/dev.txt
	$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/run.stamp

wheels: $(TOOLS)/wheels/stamp  ## fetch what gangform is built from and runs on, to install it without a network

$(TOOLS)/wheels/stamp: requirements/cluster.txt requirements/run.txt requirements/build.txt | $(BIN)/python
	rm -rf $(TOOLS)/wheels
	$(PIP) download --only-binary :all: --require-hashes --requirement requirements/run.txt --dest $(TOOLS)/wheels
	$(PIP) download --only-binary :all: --require-hashes --requirement requirements/cluster.txt --dest $(TOOLS)/wheels
	$(PIP) download --only-binary :all: --require-hashes --requirement requirements/build.txt --dest $(TOOLS)/wheels
	@touch $@

zipapp: $(VENV)/dev.stamp wheels  ## build dist/gangform.pyz: one file, for machines without pip, with the Python that builds it
	$(BIN)/python tools/build_zipapp.py $(TOOLS)/wheels dist/gangform.pyz

HAS_GO := $(shell command -v go)

# Each major version of helm has a module of its own: their dependencies do not agree.
HELMS := $(patsubst tools/%/go.mod,%,$(wildcard tools/helm*/go.mod))

ifdef HAS_GO
tools: $(TOOLS)/stamp $(HELMS:%=$(TOOLS)/%.stamp)  ## build kustomize, kubeconform, actionlint and helm into .tools/ (needs Go)
else
tools:
	@echo "Go is not installed: kustomize and kubeconform are not built, and tests that find neither on PATH are skipped."
endif

$(TOOLS)/stamp: tools/go.mod tools/go.sum
	cd tools && CGO_ENABLED=0 GOFLAGS=-mod=readonly go build -trimpath -o "$(CURDIR)/$(TOOLS)/" tool
	@touch $@

$(TOOLS)/helm%.stamp: tools/helm%/go.mod tools/helm%/go.sum
	cd tools/helm$* && CGO_ENABLED=0 GOFLAGS=-mod=readonly go build -trimpath -o "$(CURDIR)/$(TOOLS)/helm$*" helm.sh/helm/v$*/cmd/helm
	@touch $@

# --- the control plane of the cluster tests -----------------------------------------------------

# One Go module per set of versions that agree; each becomes a folder of programs.
PLANES := $(patsubst tests/cluster/tools/%/go.mod,%,$(wildcard tests/cluster/tools/*/go.mod))

# Kubernetes takes its own version from the linker; without one the API server calls itself v0.0.0.
VERSION := $(word 3,$(shell grep '^require k8s.io/kubernetes ' tests/cluster/tools/kubernetes/go.mod))
LINKED = -s -w $(if $(filter kubernetes,$*),-X k8s.io/component-base/version.gitVersion=$(VERSION))

# promtool tests alert rules here; what it would discover targets with is most of its code.
LEFT_OUT = $(if $(filter prometheus,$*),-tags remove_all_sd)

cluster-tools: $(PLANES:%=$(TOOLS)/cluster/%/stamp)  ## build the control plane of the cluster tests (needs Go; minutes, once)

# The stamp goes first: a build that is interrupted must not leave that of the programs before it.
.SECONDEXPANSION:
$(TOOLS)/cluster/%/stamp: tests/cluster/tools/%/go.mod tests/cluster/tools/%/go.sum $$(wildcard tests/cluster/tools/$$*/*.go)
	@command -v go >/dev/null || { echo "Go is not installed: it builds the control plane of the cluster tests." >&2; exit 2; }
	@echo "Building $* of the cluster tests; the first time takes minutes."
	@rm -f $@
	cd tests/cluster/tools/$* && CGO_ENABLED=0 GOFLAGS=-mod=readonly go build -trimpath $(LEFT_OUT) -ldflags "$(LINKED)" -o "$(CURDIR)/$(@D)/" tool
	@touch $@
