"""Raw tables in pipelines: the same inputs as an import makes, measured on the training rows alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from kernlab.data import Preparation
from kernlab.errors import DataError, OptionError, UnknownNameError
from kernlab.estimators import KernelClassifier, TableColumns


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    n = 150
    table = pd.DataFrame(
        {
            "age": random.integers(20, 70, n).astype(float),
            "job": random.choice(["cook", "clerk", "pilot"], n),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, n), unit="D"),
            "member": random.choice(["yes", "no"], n),
            "name": [f"person {k}" for k in range(n)],
        }
    )
    table.loc[::10, "age"] = np.nan
    table.loc[::13, "job"] = None
    return table


@pytest.mark.parametrize("missing", ["mean", "most frequent", "indicator"])
def test_the_inputs_are_those_of_scikit_learns_own_transformers(frame, missing):
    strategy = "most_frequent" if missing == "most frequent" else "mean"
    words = SimpleImputer(strategy="constant", fill_value="(missing)") if missing == "indicator" else SimpleImputer(
        strategy="most_frequent")  # fmt: skip
    plain = frame.assign(
        since=(frame.since - pd.Timestamp("1970-01-01")).dt.days, member=(frame.member == "yes") * 1.0
    ).drop(columns="name")
    plain["job"] = plain["job"].astype(object).where(plain["job"].notna(), np.nan)
    oracle = ColumnTransformer([
        ("numbers", SimpleImputer(strategy=strategy, add_indicator=missing == "indicator"), ["age", "since", "member"]),
        ("words", make_pipeline(words, OneHotEncoder(sparse_output=False)), ["job"]),
    ]).fit_transform(plain)  # fmt: skip
    found = TableColumns(missing=missing).fit_transform(frame)
    if missing == "indicator":  # its category of gaps comes last
        oracle = np.concatenate([oracle[:, :4], oracle[:, 5:], oracle[:, 4:5]], axis=1)
    np.testing.assert_allclose(found, oracle, rtol=1e-6)


def test_a_pipeline_takes_raw_rows_and_is_searched(frame):
    labels = np.where(frame.age.fillna(40) > 45, "old", "young")
    model = make_pipeline(TableColumns(), KernelClassifier(method="RF", n_features=30, random_state=0))
    assert cross_val_score(model, frame, labels, cv=3).mean() > 0.6
    search = GridSearchCV(model, {"tablecolumns__categories": ["one-hot", "ordinal"]}, cv=2).fit(frame, labels)
    assert set(search.predict(frame)) <= {"old", "young"}
    names = search.best_estimator_[:-1].get_feature_names_out()
    assert list(names[:3]) == ["age", "since", "member"]


def test_what_is_measured_comes_from_the_rows_it_is_fitted_to(frame):
    fitted = TableColumns().fit(frame[50:])
    mean = frame.age[50:].mean()
    np.testing.assert_allclose(fitted.transform(frame[:50])[::10, 0], mean, rtol=1e-6)
    unseen = frame[:3].assign(job="diver")
    assert (fitted.transform(unseen)[:, 3:] == 0).all()
    again = Preparation.from_dict(fitted.preparation_.to_dict())
    np.testing.assert_array_equal(again.transform(frame), fitted.transform(frame))


@pytest.mark.parametrize("form", ["frame", "arrow", "dicts", "objects"])
def test_every_form_of_rows(frame, form):
    made = {
        "frame": lambda t: t,
        "arrow": lambda t: pa.Table.from_pandas(t, preserve_index=False),
        "dicts": lambda t: t.to_dict("records"),
        "objects": lambda t: t.to_numpy(object),
    }[form]
    fitted = clone(TableColumns()).fit(made(frame))
    np.testing.assert_allclose(fitted.transform(made(frame)), TableColumns().fit_transform(frame))
    assert fitted.n_features_in_ == 5


def test_mistakes_are_sentences(frame):
    with pytest.raises(NotFittedError):
        TableColumns().transform(frame)
    with pytest.raises(OptionError, match="leave rows out"):
        TableColumns(missing="drop").fit(frame)
    with pytest.raises(UnknownNameError, match="Did you mean age"):
        TableColumns(kinds={"ago": "number"}).fit(frame)
    with pytest.raises(DataError, match=r"row 1, column 'job': '.*' is not a finite number"):
        TableColumns(kinds={"job": "number"}).fit(frame[1:])
    fitted = TableColumns().fit(frame)
    with pytest.raises(DataError, match="no column 'age'"):
        fitted.transform(frame.drop(columns="age"))
    with pytest.raises(DataError, match="at least one input"):
        TableColumns().fit(frame[["name"]])
