"""Runs for every page address."""

from kernlab.ui.head import head
from kernlab.ui.pages import show

show(head)
