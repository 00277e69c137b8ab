"""What is measured of a model: metrics, bound terms, and the arrays of a snapshot.

While a training runs, fixed samples of the training and test rows are evaluated; at its end, all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import torch

from kernlab.bounds.spectral import rademacher_exact
from kernlab.data import constant_metric
from kernlab.feature_maps import FeatureMap
from kernlab.heads import Head, feature_blocks
from kernlab.linalg import real_targets, singular_values
from kernlab.model import outputs
from kernlab.objectives import OBJECTIVES, Loss
from kernlab.training.certainty import certainty
from kernlab.training.failures import NO_MEMORY, NOT_FINITE
from kernlab.training.state import TrainingState, to_numpy
from kernlab.training.terms import DRAWS, TERMS, Evaluation
from kernlab.training.views import view_of
from kernlab.typing import Float, Params, Targets, Tensor

__all__ = ["Measure", "final_metrics"]

TRAIN_ROWS, TEST_ROWS = 2000, 4000  # evaluated while training
FEWEST_ROWS, NUMBERS = 500, 10_000_000  # or fewer training rows, so that wide features are no more numbers than this
ROWS_PER_FEATURE = 4  # of the sample that a head is fitted to while its map is learned, at least
QUICK_FLOPS = 2e9  # and all rows where that costs less
SNAPSHOT_BYTES = 2**20  # of frequencies in a snapshot: all of them, or a random sample this large,
RUN_BYTES = 120 * 2**20  # or smaller, where all the snapshots of a run would be more than this
DIAGONAL_ROWS = 500  # whose k(x, x) is in a snapshot
EXACT_FLOPS = 2e11  # the exact complexity is computed on all rows at the end where that costs less


@torch.no_grad()
def final_metrics(state: TrainingState) -> tuple[dict[str, Any], dict[str, float], Tensor]:
    """What is reported of any finished training.

    Returns:
        ``n_train``, ``n_test``, ``epochs``, ``steps``, ``constant`` (the constant predictor's metric), ``metric``
        ("accuracy" in percent, or "rmse" in the reported unit), ``train_metric`` and ``test_metric`` on all rows; for
        regression ``test_rmse_range100`` and ``target_unit``; where there are several heads, ``heads`` with the metrics
        and losses of each. Then the metrics and losses of the model's own head, and its outputs on the training rows.
    """
    data, method = state.data, state.method
    X_test, y_test = state.tensors(data.X_test, data.y_test)
    F = {
        head.name: [outputs(method, state.with_head(head), X, head) for X in (state.X, X_test)] for head in method.heads
    }
    heads = {head.name: _scores(state, head, F[head.name], (state.y, y_test)) for head in method.heads}
    own, (F_train, F_test) = heads[method.head.name], F[method.head.name]
    found = {
        "n_train": state.n,
        "n_test": len(data.X_test),
        "epochs": state.step // state.per_epoch,
        "steps": state.step,
        "constant": constant_metric(data),
        "metric": data.metric,
        "train_metric": own["train_metric"],
        "test_metric": own["test_metric"],
    }
    if data.targets:  # the same error with every target stretched to [0, 100]: comparable across data sets
        found["test_rmse_range100"] = state.score(F_test, y_test, data.range100)
        found["target_unit"] = data.target_unit
    if len(heads) > 1:
        found["heads"] = heads
    return found, own, F_train


def _loss(state: TrainingState, head: Head) -> Loss:
    """The loss of a head's outputs: the objective, where the head is learned jointly."""
    objective = state.method.objective
    if head.stage == "joint" and isinstance(objective, Loss):
        return objective
    loss = OBJECTIVES[head.loss if state.data.metric == "accuracy" else "squared"].build()
    assert isinstance(loss, Loss)
    return loss


def _scores(state: TrainingState, head: Head, F: Sequence[Tensor], y: Sequence[Targets]) -> dict[str, float]:
    """Metrics and mean losses of a head's outputs on training and test rows."""
    loss, parts = _loss(state, head), list(zip(("train", "test"), F, y, strict=True))
    metrics = {f"{name}_metric": state.score(outputs, targets) for name, outputs, targets in parts}
    return metrics | {f"{name}_loss": float(loss.value(outputs, targets)) for name, outputs, targets in parts}


class Measure:
    """Evaluates one training.

    Args:
        state: the training.
        evaluations: about how many there will be.

    Attributes:
        facts: facts of Started about the view and the samples.
        arrays: arrays of Started for the pictures.
    """

    def __init__(self, state: TrainingState, evaluations: int = 1) -> None:
        self.state = state
        self._bytes = min(SNAPSHOT_BYTES, RUN_BYTES // max(1, evaluations))
        method, samples = state.method, np.random.default_rng(state.seed)
        order = samples.permutation(state.n)
        columns = method.feature_map.columns(state.parameters) if isinstance(method.feature_map, FeatureMap) else 1
        size = min(TRAIN_ROWS, max(FEWEST_ROWS, NUMBERS // max(1, columns)))
        self._train = torch.from_numpy(order[:size]).to(state.device)
        rows = samples.permutation(len(state.data.X_test))[:TEST_ROWS]
        self._test = state.tensors(state.data.X_test[rows], state.data.y_test[rows])
        self._first = {name: value.clone() for name, value in state.parameters.items()}
        self._order = torch.from_numpy(order).to(state.device)
        view, self.arrays = view_of(state.data, state.seed)
        self._points = torch.from_numpy(self.arrays["view_points"]).to(state.device)
        self._kept = self._columns()
        self.arrays |= {f"{name}_initial": value for name, value in self._pictured(self._first).items()}
        self.arrays |= {name: to_numpy(value) for name, value in method.feature_map.described(self._first).items()}
        self.facts: dict[str, Any] = {
            **view,
            "metric": state.data.metric,
            "evaluated_rows": [len(self._train), len(self._test[0])],
            "frequencies_kept": self._kept,
            "bound": method.bound,
        }

    @torch.no_grad()
    def evaluate(self) -> tuple[dict[str, float], dict[str, Any]]:
        """Metrics with ``bound/…`` terms on the samples, and the arrays of a snapshot."""
        state, method = self.state, self.state.method
        params = state.with_head(rows=self._order[: self._rows_fitted()])
        Phi, y_train = self._sample_features(params), state.y[self._train]
        F_train, F_test = method.head.scores(params, Phi), outputs(method, params, self._test[0])
        metrics = _scores(state, method.head, (F_train, F_test), (y_train, self._test[1]))
        terms = self._bound_terms(params, Phi, F_train, y_train, metrics)
        scores = to_numpy(outputs(method, params, self._points))
        if state.data.targets:
            scores = state.data.targets.inverse(scores).astype(np.float32)
        arrays = {**self._pictured(state.parameters), "view_scores": scores}
        if "weight" in params:
            arrays["weight_singular_values"] = to_numpy(singular_values(params["weight"]))
            if params["weight"].numel() * params["weight"].element_size() <= self._bytes:
                arrays |= {f"head_{name}": to_numpy(params[name]) for name in ("weight", "bias") if name in params}
        if isinstance(method.feature_map, FeatureMap):
            arrays["diagonal"] = to_numpy(Phi[:DIAGONAL_ROWS].pow(2).sum(1))
        if "penalty" in params:
            metrics["ridge"] = float(params["penalty"])
        return {**metrics, **{f"bound/{key}": value for key, value in terms.items()}}, arrays

    @torch.no_grad()
    def kernel(self) -> dict[str, Any]:
        """The arrays of a snapshot that speak of the map alone."""
        return self._pictured(self.state.parameters)

    @torch.no_grad()
    def final(self) -> dict[str, Any]:
        """:func:`final_metrics` with objective and bound terms on all rows, and :func:`certainty`."""
        state, method, params = self.state, self.state.method, self.state.with_head()
        found, metrics, F_train = final_metrics(state)
        Phi = self._sample_features(params)
        terms = self._bound_terms(params, Phi, F_train, state.y, metrics)
        if "dual_norm" in terms and 2.0 * state.n * Phi.shape[1] * state.K * DRAWS < EXACT_FLOPS:
            blocks = feature_blocks(method.feature_map, params, state.X)
            exact = rademacher_exact(blocks, state.K, draws=DRAWS, generator=self._signs())
            terms["dual_norm"], terms["dual_norm_se"] = (terms["weight_norm"] * value for value in exact)
        objective = state.objective
        if objective is None:
            W = params.get("weight")
            theta = {name: params[name] for name in method.feature_map.trainable}
            penalties = (r.weight * float(r.value_at(W, Phi, theta)) for r in method.regularizers if W is not None)
            objective = metrics["train_loss"] + sum(penalties)
        sure: dict[str, Any] = {}
        with suppress(*NOT_FINITE, *NO_MEMORY):  # what a model says of itself must not cost the run
            sure = certainty(state, params)
        return {**found, "objective": objective, "bound": terms, "certainty": sure}

    def _rows_fitted(self) -> int:
        """Training rows that a head is fitted to while its map is learned: all where that is quick."""
        representation, size = self.state.method.feature_map, len(self._train)
        if not isinstance(representation, FeatureMap) or not self.state.method.head.quick:
            return size
        columns = representation.columns(self.state.parameters)
        if columns > TRAIN_ROWS:
            return size
        return max(size, ROWS_PER_FEATURE * columns, int(QUICK_FLOPS / columns**2))

    def _bound_terms(
        self,
        params: Params,
        Phi: Float[Tensor, "s D"],
        F: Float[Tensor, "a K"],
        y: Targets,
        metrics: dict[str, float],
    ) -> dict[str, float]:
        """Terms of the method's bound from the sample's features and from outputs on the training rows of targets y."""
        state = self.state
        if state.method.bound not in TERMS:
            return {}
        Y = real_targets(state.y[self._train], state.K, Phi.dtype)
        evaluation = Evaluation(
            state.method, params, self._first, state.X[self._train], Phi, Y, F, y, state.n,
            metrics["train_loss"], metrics["test_loss"], _loss(state, state.method.head), self._signs(),
        )  # fmt: skip
        return TERMS[state.method.bound](evaluation)

    def _sample_features(self, params: Params) -> Float[Tensor, "s D"]:
        blocks = feature_blocks(self.state.method.feature_map, params, self.state.X[self._train])
        return torch.cat(list(blocks))

    def _pictured(self, params: Params) -> dict[str, Any]:
        """The map's parameters in a snapshot. Frequencies are random draws, so the first ones are a fair sample."""
        feature_map = self.state.method.feature_map
        frequencies = {name: value[:, : self._kept] for name, value in feature_map.frequencies(params).items()}
        rows = {name: self._first_rows(value) for name, value in feature_map.pictured(params).items()}
        return {name: to_numpy(value) for name, value in {**frequencies, **rows}.items()}

    def _columns(self) -> int:
        """Frequencies in a snapshot."""
        found = list(self.state.method.feature_map.frequencies(self.state.parameters).values())
        each = sum(value.element_size() * value.shape[0] for value in found)
        return min(found[0].shape[1], max(1, self._bytes // each)) if found else 0

    def _first_rows(self, value: Tensor) -> Tensor:
        """As many rows as fit into a snapshot."""
        each = value.element_size() * max(1, value[0].numel()) if len(value) else 1
        return value[: max(1, self._bytes // each)] if value.ndim > 1 else value

    def _signs(self) -> torch.Generator:
        """The same random signs at every evaluation, so that a curve changes only with the model."""
        return torch.Generator().manual_seed(self.state.seed + 1)
