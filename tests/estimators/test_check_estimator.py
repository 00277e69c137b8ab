"""scikit-learn's own checks: every named method and every transformer passes all of them, none expected to fail."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import pytest
from estimators_small import cases, estimator
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from kernlab.estimators import TRANSFORMERS
from kernlab.feature_maps import FEATURE_MAPS
from kernlab.methods import METHODS

#: Needs a setting that must be made before SciPy is imported; test_array_api makes it.
ELSEWHERE = {"check_array_api_input"}


def passes(checked) -> int:
    """How many checks were passed.

    Raises whatever a check raises, and if one was skipped.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        results = check_estimator(checked, on_fail="raise")
    assert {each["check_name"] for each in results if each["status"] != "passed"} <= ELSEWHERE
    return sum(each["status"] == "passed" for each in results)


@pytest.mark.parametrize(("name", "task"), cases())
def test_every_method(name, task):
    assert passes(estimator(name, task)) >= 50


QUICK = {"n_features": 20, "order": 3, "j_min": 0, "hidden": 10, "epochs": 2, "g": 1e-2, "compile": "off"}


def transformers():
    """Each of them drawn, and learned by the first method that can, if there is one."""
    for name, cls in TRANSFORMERS.items():
        for learned in (None, True):
            made = cls(learned=learned, random_state=0)
            if learned and not any(each.learned and each.feature_map.name in cls._maps for each in METHODS.values()):
                continue
            has = made._method().options()
            few = {key: value for key, value in QUICK.items() if key in has}
            if made._method().feature_map.from_rows:
                few.pop("n_features")  # as many as there are rows
            yield pytest.param(made.set_params(**few), id=f"{name}{'-learned' if learned else ''}")


@pytest.mark.parametrize("transformer", list(transformers()))
def test_every_transformer(transformer):
    assert passes(transformer) >= 45


def test_every_map_has_a_transformer():
    assert {maps for cls in TRANSFORMERS.values() for maps in cls._maps} == set(FEATURE_MAPS)


ARRAY_API = """
from estimators_small import cases, estimator
from sklearn.utils.estimator_checks import check_array_api_input
from kernlab.estimators import TRANSFORMERS
every = [estimator(*case) for case in cases()] + [cls() for cls in TRANSFORMERS.values()]
for each in every:
    check_array_api_input(type(each).__name__, each, array_namespace="numpy", expect_only_array_outputs=False)
print(len(every))
"""


def test_array_api():
    here = os.path.dirname(__file__)
    settings = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": here}
    run = subprocess.run([sys.executable, "-c", ARRAY_API], env=settings, capture_output=True, text=True, check=False)
    assert run.stdout.strip() == str(len(cases()) + len(TRANSFORMERS)), run.stderr


def test_the_checks_can_fail():
    broken = estimator("KRR", "regression")
    cls = type("Broken", (type(broken),), {"predict": lambda self, X: [0.0] * len(X)})
    with pytest.raises(AssertionError):
        passes(cls("KRR", random_state=0))
