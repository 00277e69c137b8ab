"""Looking at a model while its weights are held still: metrics, bound terms, and what a snapshot keeps.

While training goes on, fixed samples of the training and test rows are looked at; at the end, all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from kernlab.bounds.spectral import rademacher_exact
from kernlab.feature_maps import FeatureMap
from kernlab.heads import Head, feature_blocks
from kernlab.linalg import real_targets, singular_values
from kernlab.model import outputs
from kernlab.objectives import OBJECTIVES, Loss
from kernlab.training.state import TrainingState, to_numpy
from kernlab.training.terms import DRAWS, TERMS, Looked
from kernlab.training.views import view_of
from kernlab.typing import Float, Params, Targets, Tensor

__all__ = ["Measure"]

TRAIN_ROWS, TEST_ROWS = 2000, 4000  # looked at while training
FEWEST_ROWS, NUMBERS = 500, 10_000_000  # or fewer training rows, so that wide features are no more numbers than this
ROWS_PER_FEATURE = 4  # of the sample that a head is fitted to while its map is learned, at least
QUICK_FLOPS = 2e9  # and all rows where that costs less
SNAPSHOT_BYTES = 2**20  # frequencies a snapshot keeps: all of them, or a random sample this large,
RUN_BYTES = 120 * 2**20  # or smaller, where all the snapshots of a run would be more than this
DIAGONAL_ROWS = 500  # whose k(x, x) a snapshot keeps
EXACT_FLOPS = 2e11  # the exact complexity is computed on all rows at the end where that costs less


class Measure:
    """Measures one training.

    Args:
        state: the training.
        looks: how often it will be looked at, about.

    Attributes:
        facts: what Started says about the view and the samples.
        arrays: what Started keeps for the pictures.
    """

    def __init__(self, state: TrainingState, looks: int = 1) -> None:
        self.state = state
        self._bytes = min(SNAPSHOT_BYTES, RUN_BYTES // max(1, looks))
        method, samples = state.method, np.random.default_rng(state.seed)
        order = samples.permutation(state.n)
        columns = method.feature_map.columns(state.parameters) if isinstance(method.feature_map, FeatureMap) else 1
        looked = min(TRAIN_ROWS, max(FEWEST_ROWS, NUMBERS // max(1, columns)))
        self._train = torch.from_numpy(order[:looked]).to(state.device)
        rows = samples.permutation(len(state.data.X_test))[:TEST_ROWS]
        self._test = state.tensors(state.data.X_test[rows], state.data.y_test[rows])
        self._first = {name: value.clone() for name, value in state.parameters.items()}
        self._order = torch.from_numpy(order).to(state.device)
        view, self.arrays = view_of(state.data, state.seed)
        self._points = torch.from_numpy(self.arrays["view_points"]).to(state.device)
        self._kept = self._columns()
        pictured = {**self._frequencies(), **method.feature_map.pictured(self._first)}
        self.arrays |= {f"{name}_initial": to_numpy(self._cut(value)) for name, value in pictured.items()}
        self.arrays |= {name: to_numpy(value) for name, value in method.feature_map.described(self._first).items()}
        self.facts: dict[str, Any] = {
            **view,
            "metric": state.data.metric,
            "evaluated_rows": [len(self._train), len(self._test[0])],
            "frequencies_kept": self._kept,
            "bound": method.bound,
        }

    @torch.no_grad()
    def look(self) -> tuple[dict[str, float], dict[str, Any]]:
        """Metrics with ``bound/…`` terms on the samples, and the arrays of a snapshot."""
        state, method = self.state, self.state.method
        params = state.with_head(rows=self._order[: self._rows_fitted()])
        Phi = self._sample_features(params)
        F_train, F_test = method.head.scores(params, Phi), outputs(method, params, self._test[0])
        metrics, terms = self._measure(params, Phi, F_train, state.y[self._train], F_test, self._test[1])
        scores = to_numpy(outputs(method, params, self._points))
        if state.data.targets:
            scores = state.data.targets.inverse(scores).astype(np.float32)
        arrays = {
            **{name: to_numpy(value) for name, value in self._frequencies().items()},
            **{
                name: to_numpy(self._cut(value))
                for name, value in method.feature_map.pictured(state.parameters).items()
            },
            "view_scores": scores,
        }
        if "weight" in params:
            arrays["weight_singular_values"] = to_numpy(singular_values(params["weight"]))
        if isinstance(method.feature_map, FeatureMap):
            arrays["diagonal"] = to_numpy(Phi[:DIAGONAL_ROWS].pow(2).sum(1))
        if "penalty" in params:
            metrics["ridge"] = float(params["penalty"])
        return {**metrics, **{f"bound/{key}": value for key, value in terms.items()}}, arrays

    def _rows_fitted(self) -> int:
        """Training rows that a head is fitted to while its map is learned: all where that is quick."""
        representation = self.state.method.feature_map
        looked = len(self._train)
        if not isinstance(representation, FeatureMap) or not self.state.method.head.quick:
            return looked
        columns = representation.columns(self.state.parameters)
        if columns > TRAIN_ROWS:
            return looked
        return max(looked, ROWS_PER_FEATURE * columns, int(QUICK_FLOPS / columns**2))

    @torch.no_grad()
    def final(self) -> dict[str, Any]:
        """Metrics, objective and bound terms on all rows, and what the other heads reach."""
        state, method = self.state, self.state.method
        X_test, y_test = state.tensors(state.data.X_test, state.data.y_test)
        params = state.with_head()
        F_train, F_test = (outputs(method, params, X) for X in (state.X, X_test))
        Phi = self._sample_features(params)
        metrics, terms = self._measure(params, Phi, F_train, state.y, F_test, y_test)
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
        found: dict[str, Any] = {
            "metric": state.data.metric,
            "train_metric": metrics["train_metric"],
            "test_metric": metrics["test_metric"],
            "objective": objective,
            "bound": terms,
        }
        if state.data.targets:  # the same error with every target stretched to [0, 100]: comparable across data sets
            found["test_rmse_range100"] = state.score(F_test, y_test, state.data.range100)
            found["target_unit"] = state.data.target_unit
        if len(method.heads) > 1:
            found["heads"] = {head.name: self._head_metrics(head, X_test, y_test) for head in method.heads}
        return found

    def _head_metrics(self, head: Head, X_test: Tensor, y_test: Targets) -> dict[str, float]:
        """What one of the reported heads reaches on all rows."""
        state = self.state
        params = state.with_head(head)
        F_train, F_test = (outputs(state.method, params, X, head) for X in (state.X, X_test))
        loss = self._loss(head)
        return {
            "train_metric": state.score(F_train, state.y),
            "test_metric": state.score(F_test, y_test),
            "train_loss": float(loss.value(F_train, state.y)),
            "test_loss": float(loss.value(F_test, y_test)),
        }

    def _loss(self, head: Head) -> Loss:
        """The loss that a head's outputs are judged by: the objective, where it is learned jointly."""
        objective = self.state.method.objective
        if head.takes == "solver" and isinstance(objective, Loss):
            return objective
        loss = OBJECTIVES[head.loss if self.state.data.metric == "accuracy" else "squared"].build()
        assert isinstance(loss, Loss)
        return loss

    def _measure(
        self,
        params: Params,
        Phi: Float[Tensor, "s D"],
        F_train: Float[Tensor, "a K"],
        y_train: Targets,
        F_test: Float[Tensor, "b K"],
        y_test: Targets,
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Metrics, and bound terms from outputs and from the features of a sample of training rows."""
        state = self.state
        loss = self._loss(state.method.head)
        train_loss, test_loss = float(loss.value(F_train, y_train)), float(loss.value(F_test, y_test))
        metrics = {
            "train_metric": state.score(F_train, y_train),
            "test_metric": state.score(F_test, y_test),
            "train_loss": train_loss,
            "test_loss": test_loss,
        }
        if state.method.bound not in TERMS:
            return metrics, {}
        Y = real_targets(state.y[self._train], state.K, Phi.dtype)
        looked = Looked(
            state.method, params, self._first, state.X[self._train], Phi, Y, F_train, y_train, state.n,
            train_loss, test_loss, loss, self._signs(),
        )  # fmt: skip
        return metrics, TERMS[state.method.bound](looked)

    def _sample_features(self, params: Params) -> Float[Tensor, "s D"]:
        blocks = feature_blocks(self.state.method.feature_map, params, self.state.X[self._train])
        return torch.cat(list(blocks))

    def _frequencies(self) -> dict[str, Tensor]:
        """The frequencies that a snapshot keeps: they are random draws, so the first ones are a fair sample."""
        found = self.state.method.feature_map.frequencies(self.state.parameters)
        return {name: value[:, : self._kept] for name, value in found.items()}

    def _columns(self) -> int:
        found = list(self.state.method.feature_map.frequencies(self.state.parameters).values())
        each = sum(value.element_size() * value.shape[0] for value in found)
        return min(found[0].shape[1], max(1, self._bytes // each)) if found else 0

    def _cut(self, value: Tensor) -> Tensor:
        """As many of its rows as a snapshot keeps."""
        each = value.element_size() * max(1, value[0].numel()) if len(value) else 1
        return value[: max(1, self._bytes // each)] if value.ndim > 1 else value

    def _signs(self) -> torch.Generator:
        """The same random signs at every look, so that a curve moves only because the model does."""
        return torch.Generator().manual_seed(self.state.seed + 1)
