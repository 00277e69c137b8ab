"""Bars of what a run reached, head by head."""

from kernlab.pictures.results import plot_results, results

NAMES = {"ridge": "ridge", "linear_svm": "linear SVM"}


def test_every_head_that_was_measured_has_its_bars():
    heads = {"ridge": {"train_metric": 90.0, "test_metric": 80.0}, "linear_svm": {"train_metric": 99.0}}
    view = results({}, NAMES, heads=heads, constant=50.0)
    assert view.heads == (("ridge", 90.0, 80.0), ("linear SVM", 99.0, None))
    train, test = plot_results(view, y="accuracy (%)").data
    assert (list(train.x), list(train.y), list(test.y)) == (["ridge", "linear SVM"], [90.0, 99.0], [80.0, None])


def test_before_the_end_there_is_the_first_head_alone():
    view = results({"train_metric": 0.3, "test_metric": 0.4}, NAMES, percent=False)
    assert view.heads == (("ridge", 0.3, 0.4),)
    figure = plot_results(view, y="RMSE")
    assert figure.layout.shapes == ()
    assert figure.data[0].texttemplate == "%{y:.3~g}"


def test_large_errors_are_written_with_a_prefix_and_the_constant_is_a_line():
    figure = plot_results(results({"train_metric": 6e4, "test_metric": 5e4}, NAMES, percent=False, constant=1e5), y="")
    assert figure.data[0].texttemplate == "%{y:.3~s}"
    assert figure.layout.shapes[0].y0 == figure.layout.shapes[0].y1 == 1e5
