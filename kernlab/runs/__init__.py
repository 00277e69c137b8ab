"""Runs on disk: their records, metrics, snapshots and models. The package imports nothing by itself, so that a command
loads only the modules that it needs."""
