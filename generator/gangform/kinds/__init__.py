"""One module per job API. Knows field paths and its operator's defaults; nothing about schedulers."""
