"""The figures of the Papers page: a NamedTuple of :mod:`kernlab.analysis` in, a plotly Figure out."""
