"""What pictures share is computed once for a run and a moment, and only the newest results are kept."""

from types import SimpleNamespace

import pytest

from kernlab.pictures import base


def test_results_are_computed_once_and_bounded(monkeypatch):
    monkeypatch.setattr(base, "_KEPT", 2)
    monkeypatch.setattr(base, "_computed", base.OrderedDict())
    made = []

    def result(run, key, output=0):
        at = SimpleNamespace(run=SimpleNamespace(id=run), view={"output": output})
        return base.once(at, (key,), lambda: made.append((run, key, output)) or len(made))

    assert [result("a", 0), result("a", 0), result("b", 0)] == [1, 1, 2]
    assert result("a", 0) == 1  # and is now the newest
    assert result("a", 1) == 3  # pushes b out
    assert [result("a", 0), result("b", 0)] == [1, 4]
    assert result("b", 0, output=1) == 5
    assert len(base._computed) == 2


def test_two_pictures_of_one_name_are_refused():
    def draw_density(at): ...

    with pytest.raises(ValueError, match="two pictures are called density"):
        base.picture("overview", alt="")(draw_density)
