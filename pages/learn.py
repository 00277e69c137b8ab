"""Learn: lessons that ask first and answer by a computation."""

from kernlab.ui import learn
from kernlab.ui.forms import sentences

with sentences():
    learn.page()
