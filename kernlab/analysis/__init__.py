"""The numbers behind every picture: arrays and metrics in, a NamedTuple out. NumPy and SciPy only.

A picture is two functions: one here, tested on literals and closed forms, and one of the same name in
:mod:`kernlab.plots` that only draws what it is given.
"""
