"""Looking at a model while its weights are held still: metrics, bound terms, and what a snapshot keeps.

While training goes on, fixed samples of the training and test rows are looked at; at the end, all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from kernlab.bounds import spectral_terms
from kernlab.bounds.spectral import rademacher_exact
from kernlab.linalg import singular_values
from kernlab.model import feature_blocks, outputs
from kernlab.training.state import TrainingState, to_numpy
from kernlab.training.views import view_of
from kernlab.typing import Float, Targets, Tensor

__all__ = ["Measure"]

TRAIN_ROWS, TEST_ROWS = 2000, 4000  # looked at while training
SNAPSHOT_BYTES = 2**20  # frequencies a snapshot keeps: all of them, or a random sample this large
DIAGONAL_ROWS = 500  # whose k(x, x) a snapshot keeps
DRAWS = 8  # sign matrices for the exact complexity
EXACT_FLOPS = 2e11  # the exact complexity is computed on all rows at the end where that costs less


class Measure:
    """Measures one training.

    Attributes:
        facts: what Started says about the view and the samples.
        arrays: what Started keeps for the pictures.
    """

    def __init__(self, state: TrainingState) -> None:
        self.state = state
        samples = np.random.default_rng(state.seed)
        rows = samples.permutation(state.n)[:TRAIN_ROWS]
        self._train = torch.from_numpy(rows).to(state.device)
        rows = samples.permutation(len(state.data.X_test))[:TEST_ROWS]
        self._test = state.tensors(state.data.X_test[rows], state.data.y_test[rows])
        view, self.arrays = view_of(state.data, state.seed)
        self._points = torch.from_numpy(self.arrays["view_points"]).to(state.device)
        self._kept = self._columns()
        self.arrays |= {f"{name}_initial": to_numpy(value) for name, value in self._frequencies().items()}
        self.facts: dict[str, Any] = {
            **view,
            "metric": self.metric,
            "evaluated_rows": [len(self._train), len(self._test[0])],
            "frequencies_kept": self._kept,
        }

    @property
    def metric(self) -> str:
        """ "accuracy" (percent) or "rmse" (reported unit)."""
        return "accuracy" if self.state.data.dataset.task == "classification" else "rmse"

    @torch.no_grad()
    def look(self) -> tuple[dict[str, float], dict[str, Any]]:
        """Metrics with ``bound/…`` terms on the samples, and the arrays of a snapshot."""
        state = self.state
        Phi = self._sample_features()
        F_train, F_test = Phi @ state.params["weight"], outputs(state.method, state.params, self._test[0])
        metrics, terms = self._measure(Phi, F_train, state.y[self._train], F_test, self._test[1])
        scores = to_numpy(outputs(state.method, state.params, self._points))
        if state.data.targets:
            scores = state.data.targets.inverse(scores).astype(np.float32)
        return {**metrics, **{f"bound/{key}": value for key, value in terms.items()}}, {
            **{name: to_numpy(value) for name, value in self._frequencies().items()},
            "weight_singular_values": to_numpy(singular_values(state.params["weight"])),
            "view_scores": scores,
            "diagonal": to_numpy(Phi[:DIAGONAL_ROWS].pow(2).sum(1)),
        }

    @torch.no_grad()
    def final(self) -> dict[str, Any]:
        """Metrics, objective and bound terms on all rows."""
        state = self.state
        X_test, y_test = state.tensors(state.data.X_test, state.data.y_test)
        F_train, F_test = (outputs(state.method, state.params, X) for X in (state.X, X_test))
        Phi = self._sample_features()
        metrics, terms = self._measure(Phi, F_train, state.y, F_test, y_test)
        if 2.0 * state.n * state.method.feature_map.width * state.K * DRAWS < EXACT_FLOPS:
            blocks = feature_blocks(state.method, state.params, state.X)
            exact = rademacher_exact(blocks, state.K, draws=DRAWS, generator=self._signs())
            terms["dual_norm"], terms["dual_norm_se"] = (terms["weight_norm"] * value for value in exact)
        penalties = (r.weight * float(r.value(state.params["weight"], Phi)) for r in state.method.regularizers)
        found: dict[str, Any] = {
            "metric": self.metric,
            "train_metric": metrics["train_metric"],
            "test_metric": metrics["test_metric"],
            "objective": metrics["train_loss"] + sum(penalties),
            "bound": terms,
        }
        if state.data.targets:  # the same error with every target stretched to [0, 100]: comparable across data sets
            found["test_rmse_range100"] = self._rmse(F_test, y_test, unit=state.data.range100)
            found["target_unit"] = state.data.target_unit
        return found

    def _measure(
        self,
        Phi: Float[Tensor, "s D"],
        F_train: Float[Tensor, "a K"],
        y_train: Targets,
        F_test: Float[Tensor, "b K"],
        y_test: Targets,
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Metrics, and bound terms from outputs and from the features of a sample of training rows."""
        loss = self.state.loss
        train_loss, test_loss = float(loss.value(F_train, y_train)), float(loss.value(F_test, y_test))
        terms = spectral_terms(
            self.state.params["weight"],
            Phi,
            n=self.state.n,
            empirical_risk=train_loss,
            lipschitz=loss.lipschitz(F_train, y_train),
            gap=test_loss - train_loss,
            draws=DRAWS,
            generator=self._signs(),
        )
        metrics = {
            "train_metric": self._score(F_train, y_train),
            "test_metric": self._score(F_test, y_test),
            "train_loss": train_loss,
            "test_loss": test_loss,
        }
        return metrics, terms

    def _score(self, F: Float[Tensor, "n K"], y: Targets) -> float:
        return 100.0 * int((F.argmax(1) == y).sum()) / len(y) if self.metric == "accuracy" else self._rmse(F, y)

    def _rmse(self, F: Float[Tensor, "n K"], y: Targets, unit: Any = 1.0) -> float:
        """Root of the mean, over samples and outputs, of squared errors in the reported unit times ``unit``."""
        assert self.state.data.targets
        errors = to_numpy(F - y).astype(np.float64) * self.state.data.targets.scale * unit
        return float(np.sqrt(np.mean(errors**2)))

    def _sample_features(self) -> Float[Tensor, "s D"]:
        return torch.cat(list(feature_blocks(self.state.method, self.state.params, self.state.X[self._train])))

    def _frequencies(self) -> dict[str, Tensor]:
        """The frequencies that a snapshot keeps: they are random draws, so the first ones are a fair sample."""
        found = self.state.method.feature_map.frequencies(self.state.params)
        return {name: value[:, : self._kept] for name, value in found.items()}

    def _columns(self) -> int:
        found = list(self.state.method.feature_map.frequencies(self.state.params).values())
        each = sum(value.element_size() * value.shape[0] for value in found)
        return min(found[0].shape[1], max(1, SNAPSHOT_BYTES // each)) if found else 0

    def _signs(self) -> torch.Generator:
        """The same random signs at every look, so that a curve moves only because the model does."""
        return torch.Generator().manual_seed(self.state.seed + 1)
