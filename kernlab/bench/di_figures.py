"""The two figures on Discriminant Information: ridge errors and SVM accuracies of learned features against D.

    data      letter 15 000 / 5 000, MNIST 60 000 / 10 000: the sources' own boundaries; inputs in [0, 1]
    kernel    Gaussian exp(−γ‖x − x'‖²); γ = 4 on letter, elsewhere by 3-fold cross-validation of a linear SVM on plain
              Nyström features of a sample (the paper takes 1000 features and does not say what it found)
    features  cosines whose random phases are learned with their frequencies, θ = (Ω, b)
    heads     ridge regression (ρ = 1e-4) and a linear SVM on features of unit variance

The figures were printed without numbers, so there is nothing to stand beside ours; what they claim is that
learned features beat drawn ones by far, that NysDI has the lowest ridge error of the Nyström maps, and that
RFDI and RF-LS are close.

Source: DI §5, Fig. 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kernlab.bench.base import REPRODUCTIONS, over_repeats
from kernlab.data import DataSpec, Prepared, load, prepare
from kernlab.feature_maps.spectral import SpectralMap
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

__all__ = ["METHODS", "WIDTHS", "choose_gamma", "di_figures"]

METHODS = ("RF", "RF-CE", "RF-LS", "RFDI", "Nys", "Nys-kmeans", "Nys-CE", "Nys-LS", "NysDI")
WIDTHS = {"letter": (100,), "mnist": (100, 500)}
FIXED = {"letter": 4.0}
GAMMAS = tuple(2.0**k for k in range(-8, 5))
_HEADS = {
    "ridge_train_error": ("ridge", "train_loss"),
    "ridge_test_error": ("ridge", "test_loss"),
    "svm_train_accuracy": ("linear_svm", "train_metric"),
    "svm_test_accuracy": ("linear_svm", "test_metric"),
}
MEASURED = (*_HEADS, "steps", "seconds")
_AS_PRINTED = {"split": "source", "scaling": "[0,1]"}
CHOSEN_ON, LANDMARKS = 3000, 200  # rows and landmarks that γ is chosen with


@REPRODUCTIONS.register("di-figures")
def di_figures(
    progress: Callable[[str], None],
    *,
    datasets: Sequence[str] = (),
    repeats: int = 1,
    seed: int = 0,
    methods: Sequence[str] = METHODS,
) -> list[dict[str, Any]]:
    """One row for each data set, width and method: mean (and standard deviation) over ``repeats`` draws."""
    rows = []
    for name in datasets or tuple(WIDTHS):
        spec = DataSpec.build(dataset=name, **_AS_PRINTED)
        data = prepare(load(spec), spec, seed)
        gamma = FIXED.get(name) or choose_gamma(data, seed)
        progress(f"{name}: gamma = {gamma:g}")
        for D in WIDTHS.get(name, (100,)):
            for method in methods:
                settings = {"dataset": name, "D": D, "method": method, "gamma": gamma}
                turns = []
                for turn in range(repeats):
                    run = RunSpec.of(method, name, seed=seed + turn, n_features=D, gamma=gamma, **_AS_PRINTED)
                    printed = {"rho": 1e-4, "ridge": 1e-4, "validation": 0}
                    run = run.with_options({k: v for k, v in printed.items() if k in run.method.schema()})
                    if isinstance(run.method.feature_map, SpectralMap):
                        run = run.with_options({"phase": "shared"})
                    turns.append([{**settings, **_measured(fit(run, data=data).summary)}])
                rows += over_repeats(turns, MEASURED)
                progress(
                    f"{name} D={D} {method}: ridge error {rows[-1]['ridge_train_error']:.4f} / "
                    f"{rows[-1]['ridge_test_error']:.4f}, SVM {rows[-1]['svm_test_accuracy']:.2f} %"
                )
    return rows


def choose_gamma(data: Prepared, seed: int = 0) -> float:
    """γ with the best 3-fold accuracy of a linear SVM on plain Nyström features, on a sample of training rows.

    Source: DI §5.1.
    """
    from sklearn.kernel_approximation import Nystroem
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    rows = np.random.default_rng(seed).permutation(len(data.X_train))[:CHOSEN_ON]
    X, y = data.X_train[rows], data.y_train[rows]

    def accuracy(gamma: float) -> float:
        features = Nystroem(gamma=gamma, n_components=LANDMARKS, random_state=seed)
        machine = make_pipeline(features, StandardScaler(), LinearSVC(dual=False, C=0.1, tol=1e-2))
        return float(cross_val_score(machine, X, y, cv=3).mean())

    return max(GAMMAS, key=accuracy)


def _measured(summary: Mapping[str, Any]) -> dict[str, float]:
    found = {key: float(summary["heads"][head][metric]) for key, (head, metric) in _HEADS.items()}
    return {**found, "steps": summary["steps"], "seconds": summary["seconds"]}
