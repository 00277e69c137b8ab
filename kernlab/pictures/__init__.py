"""The pictures of a run: one file a topic, from the numbers over a NamedTuple to the figure and its registration.

:mod:`kernlab.pictures.gallery` imports all of them.
"""
