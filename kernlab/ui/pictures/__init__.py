"""The pictures of one run at one moment: from what was stored to a figure, through analysis and plots."""

# They register themselves, in the order of the page.
from kernlab.ui.pictures import training, spectrum, kernel, bounds  # noqa: F401, I001
from kernlab.ui.pictures.base import PICTURES, Picture, Shown, draw, offered, picture, show
from kernlab.ui.pictures.kernel import matrices, phases_now, rank
from kernlab.ui.pictures.looking import directions
from kernlab.ui.pictures.training import head_words, metric_name

__all__ = [
    "PICTURES",
    "Picture",
    "Shown",
    "directions",
    "draw",
    "head_words",
    "matrices",
    "metric_name",
    "offered",
    "phases_now",
    "picture",
    "rank",
    "show",
]
