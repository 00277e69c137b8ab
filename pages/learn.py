"""Learn: lessons that ask before they tell."""

from kernlab.ui import learn
from kernlab.ui.forms import sentences

with sentences():
    learn.page()
