"""Runs: kept on disk (store) and worked on in the background (jobs).
Import the modules you need; this package imports nothing by itself."""
