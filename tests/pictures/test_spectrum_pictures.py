"""Pictures of a spectrum hold the numbers they are given."""

import numpy as np
from drawn import same

from kernlab.pictures import directions, importance, selection
from kernlab.pictures.importance import plot_importance, plot_importance_picture
from kernlab.pictures.selection import plot_cloud
from kernlab.pictures.spectrum import Spectrum
from kernlab.pictures.theme import BLUE

rng = np.random.default_rng(0)
NOW, THEN = (Spectrum(*rng.normal(size=(2, 784, 200)).astype(np.float32)) for _ in range(2))
IMPORTANCE = importance.importance(NOW, THEN)
FIGURES = {
    "importance": plot_importance(IMPORTANCE),
    "importance picture change": plot_importance_picture(
        importance.importance_picture(NOW, (28, 28), THEN), since="step 3"
    ),
}


def test_importance_before_and_now():
    bars, marks = FIGURES["importance"].data
    same(bars, x=IMPORTANCE.now, y=IMPORTANCE.names)
    same(marks, x=IMPORTANCE.before, y=IMPORTANCE.names)
    assert FIGURES["importance"].layout.yaxis.autorange == "reversed"
    assert f"20 of 784 inputs, {IMPORTANCE.shown:.0%}" in FIGURES["importance"].layout.title.subtitle.text
    assert bars.marker.color == BLUE


def test_a_change_of_importance_is_centred_on_zero():
    (heat,) = FIGURES["importance picture change"].data
    same(heat, z=importance.importance_picture(NOW, (28, 28), THEN).values)
    assert heat.zmin == -heat.zmax
    assert "step 3" in FIGURES["importance picture change"].layout.title.subtitle.text
    assert plot_importance(IMPORTANCE, "at step 3").data[1].name == "at step 3"


def test_dragging_selects_and_its_outline_goes_when_the_selection_is_marked():
    first, second = (plot_cloud(selection.cloud(directions.coordinate(784, 3), NOW, [place])) for place in (5, 7))
    assert (first.layout.dragmode, first.layout.selections) == ("select", ())
    assert first.layout.selectionrevision != second.layout.selectionrevision
