"""Certainty: how sure a model is, which rows it rests on, and which labels are probably wrong."""

from collections.abc import Sequence

from kernlab.pictures.base import At
from kernlab.ui import certainty, draw_one, inside


def after(shown: Sequence[At]) -> None:
    """What stands beneath the pictures."""
    certainty.row_list(shown)
    draw_one.section(shown[0])


inside.page(
    "certainty",
    "Certainty",
    "How sure a model is, which rows it rests on, and which labels are probably wrong.",
    after=after,
    keeps=(draw_one.DRAWN,),
)
