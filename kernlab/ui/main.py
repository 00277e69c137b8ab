"""Runs for every page address."""

from kernlab.ui.pages import show

show()
