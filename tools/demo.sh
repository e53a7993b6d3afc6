#!/bin/sh
# A first look, for `make demo`: a repository of jobs in .demo/, validated and rendered for both schedulers.
# Expects GANGFORM_PYTHON: a Python that has gangform's dependencies.
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
PYTHONPATH=$repository/generator
export PYTHONPATH

gangform() {
    "$GANGFORM_PYTHON" -m gangform "$@"
}

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

rm -rf "$repository/.demo"
mkdir "$repository/.demo"
cd "$repository/.demo"
cp -R ../base ../gangform.yaml .

show gangform validate base
show gangform render
show find overlays -type f | LC_ALL=C sort
show cat overlays/coscheduling/pi.podgroup.yaml overlays/coscheduling/pi.patch.yaml
show cat overlays/volcano/pi.podgroup.yaml overlays/volcano/pi.patch.yaml
show cat overlays/volcano/kustomization.yaml
printf '\nThese files are in .demo/. Change a job below .demo/base and render again: README.md says how.\n'
