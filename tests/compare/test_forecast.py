"""The estimate of a comparison's time: what earlier cells of its methods took, scaled by rows and features."""

import pytest

from kernlab import devices
from kernlab.compare import Record
from kernlab.compare import forecast as forecasts
from kernlab.compare.forecast import forecast
from kernlab.compare.records import RecordStore
from kernlab.compare.written import assemble


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(devices, "cores", lambda: 2)
    return RecordStore(tmp_path)


def measured(store, method, seconds, rows=100, features=2000):
    """Keep a comparison of one finished cell."""
    data = {"method": method, "seed": 0, "data": {"dataset": "iris"}}
    options = {"n_features": features, "epochs": "auto"}
    key = f"{method}-{seconds}-{rows}"
    store.put(Record(key, data, "done", metric="accuracy", test=1.0, n_train=rows, n_test=9, seconds=seconds,
                     extra={"options": options}))  # fmt: skip
    store.keep(assemble([method], ["iris"], {}, repeats=rows), keys=(key,))


def test_without_earlier_cells_it_is_a_rule_of_thumb(store):
    found = forecast(assemble(["SK", "constant"], ["iris"], {}, repeats=5), {"iris": 120}, store)
    assert (found.cells, found.unknown, found.processes) == (0, ("SK",), 2)
    assert found.seconds == pytest.approx(forecasts.PER_ROW * 120 * 5 / 2)


def test_earlier_cells_are_scaled_by_rows_features_and_repeats(store):
    measured(store, "SK", 3.0)
    measured(store, "RF", 1000.0)  # another method
    asked = assemble(["SK"], ["wine", "iris"], {"n_features": "500"}, repeats=4)
    found = forecast(asked, {"wine": 200, "iris": 100}, store)
    assert (found.cells, found.unknown) == (1, ())
    assert found.seconds == pytest.approx(3.0 / 100 * (200 + 100) * (500 / 2000) * 4 / 2)


def test_a_method_that_was_never_measured_counts_like_the_slowest(store):
    measured(store, "SK", 3.0)
    found = forecast(assemble(["SK", "ASKL"], ["iris"], {}, repeats=1), {"iris": 100}, store)
    assert found.unknown == ("ASKL",)
    assert found.seconds == pytest.approx(2 * 3.0 / 2)


def test_one_slow_cell_among_many_does_not_decide(store):
    for seconds, rows in ((3.0, 100), (3.1, 101), (900.0, 102)):
        measured(store, "SK", seconds, rows)
    found = forecast(assemble(["SK"], ["iris"], {}, repeats=1), {"iris": 100}, store)
    assert found.seconds == pytest.approx(100 * 3.1 / 101 / 2)


def test_searching_settings_multiplies_it_up_to_its_limit(store):
    from kernlab.compare import Tuning

    measured(store, "SK", 3.0)
    free = forecast(assemble(["SK"], ["iris"], {}, repeats=2, tuning=Tuning(trials=10)), {"iris": 100}, store)
    assert free.seconds == pytest.approx(3.0 * 11 * 2 / 2)
    limited = forecast(assemble(["SK"], ["iris"], {}, repeats=2, tuning=Tuning(trials=10, seconds=1.0)),
                       {"iris": 100}, store)  # fmt: skip
    assert limited.seconds == pytest.approx(2 * 2 * 1.0 / 2)


def test_only_so_many_cells_are_read(store, monkeypatch):
    monkeypatch.setattr(forecasts, "READ", 3)
    for rows in range(100, 106):
        measured(store, "SK", 1.0, rows)
    assert forecast(assemble(["SK"], ["iris"], {}, repeats=1), {"iris": 100}, store).cells == 3
