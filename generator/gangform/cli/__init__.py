"""One command per file: parse, call one workflow, print, return an exit code."""
