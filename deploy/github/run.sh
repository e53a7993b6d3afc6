#!/usr/bin/env bash
# One run of gangform in GitHub Actions. Its exit code becomes an output, so that later steps still run and tell it.
# Reads MODE, ARGS, CHANGED_SINCE, COMMIT_MESSAGE and the runner's own variables.
set -euo pipefail

report="$RUNNER_TEMP/gangform.md"
paths="$RUNNER_TEMP/gangform.paths"
rm -f "$report" "$paths"
# To the end of the text: an input may have several lines.
read -r -d '' -a words <<< "${ARGS:-}" || true

check() {
  if [[ -n "${CHANGED_SINCE:-}" ]]; then
    words+=(--changed-since "$CHANGED_SINCE")
  fi
  gangform check --format github --format "markdown=$report" "${words[@]}"
}

# The paths of the answer begin at the top of the checkout, wherever the working folder is.
list_rendered() {
  python3 -c '
import json, sys
answer = json.load(sys.stdin)
written = [overlay["path"] + "/" + change["path"] for overlay in answer["overlays"] for change in overlay["changes"]]
for path in written + answer["enlisted"]:
    sys.stdout.write(":(top,literal)" + path + "\0")
'
}

# Nothing but what was rendered is committed, whatever else earlier steps have left in the folder.
commit() {
  git add --all --pathspec-from-file="$paths" --pathspec-file-nul \
    && git -c user.name="github-actions[bot]" -c user.email="41898282+github-actions[bot]@users.noreply.github.com" \
      commit --quiet --message "$COMMIT_MESSAGE" --pathspec-from-file="$paths" --pathspec-file-nul \
    && git push --quiet origin "HEAD:$1"
}

render() {
  local branch rendered
  if ! branch="$(git symbolic-ref --quiet HEAD)"; then
    echo "::error title=gangform::No branch is checked out, so nothing can be pushed." \
      "Give actions/checkout a ref, such as github.head_ref."
    return 2
  fi
  rendered="$(gangform render --format json "${words[@]}")" || return
  list_rendered <<< "$rendered" > "$paths" || return
  if [[ -s "$paths" ]]; then
    commit "$branch"
  else
    echo "The overlays are fresh."
  fi
}

# After || the shell no longer stops at the first failure: the functions above say themselves where they stop.
code=0
case "$MODE" in
  check | render) "$MODE" || code=$? ;;
  *) echo "::error title=gangform::The mode is $MODE; known: check, render."; code=2 ;;
esac
if [[ -s "$report" ]]; then
  cat "$report" >> "$GITHUB_STEP_SUMMARY"
fi
echo "exit-code=$code" >> "$GITHUB_OUTPUT"
