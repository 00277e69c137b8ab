"""The pictures of one run at one moment: from what was stored to a figure, through analysis and plots."""

# They register themselves, in the order of the page.
from kernlab.ui.pictures import training  # noqa: F401
from kernlab.ui.pictures.base import PICTURES, Picture, Shown, draw, offered, picture, show
from kernlab.ui.pictures.training import directions, head_words, metric_name, rank

__all__ = [
    "PICTURES",
    "Picture",
    "Shown",
    "directions",
    "draw",
    "head_words",
    "metric_name",
    "offered",
    "picture",
    "rank",
    "show",
]
