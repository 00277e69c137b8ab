"""The clock of a part of a page that is drawn again and again."""

from kernlab.ui import polling


def clocks(monkeypatch, draw, pace, drawings):
    """What the browser is told after each drawing."""
    found, parts = [], []
    monkeypatch.setattr(polling, "_set_clock", found.append)
    monkeypatch.setattr(polling.st, "fragment", lambda again, run_every: parts.append(again) or (lambda: None))
    polling.poll(draw, pace)
    for _ in range(drawings):
        parts[0]()
    return found


def test_what_ends_while_it_is_drawn_is_drawn_once_more(monkeypatch):
    under_way = [True]
    assert clocks(monkeypatch, under_way.clear, lambda: 1.0 if under_way else None, 2) == [1.0, None]


def test_what_begins_while_it_is_drawn_is_followed(monkeypatch):
    under_way = []
    assert clocks(monkeypatch, lambda: under_way.append(True), lambda: 1.0 if under_way else None, 1) == [1.0]
