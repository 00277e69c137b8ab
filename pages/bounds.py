"""Bounds: what theory promises of a run, term by term, beside what was measured."""

from collections.abc import Sequence

from kernlab.pictures.base import At
from kernlab.ui import bounds, inside, interpolation


def after(shown: Sequence[At]) -> None:
    """What stands beneath the pictures."""
    bounds.what_if_section(shown)
    interpolation.section(shown[0])


inside.page(
    "bounds",
    "Bounds",
    "What theory promises of a run, term by term, beside what was measured.",
    before=bounds.verdicts,
    after=after,
    without="",
    keeps=(interpolation.DESCENT,),
)
