"""The numbers behind the Papers page: arrays and metrics in, a NamedTuple out; and comparisons as text."""
