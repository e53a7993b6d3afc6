#!/bin/sh
# Helm 4 does not show what a post-renderer says (internal/plugin/runtime_subprocess.go, 4.3). When gangform
# fails, this says it where helm's own errors go: through /proc on Linux, else on the terminal.
said=$(mktemp) || exit 3
trap 'rm -f "$said"' EXIT
gangform transform "$@" 2>"$said"
code=$?
if [ "$code" -ne 0 ]; then
  { cat "$said" >>"/proc/$PPID/fd/2"; } 2>/dev/null || { cat "$said" >/dev/tty; } 2>/dev/null
fi
exit "$code"
