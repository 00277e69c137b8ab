"""How sure a trained model may be, in a few numbers for its summary: Bayesian regression on its features.

The same as the pictures of a run's certainty (:mod:`kernlab.heads.laplace`, :mod:`kernlab.heads.posterior`), on at most
300 features, drawn from all of them, and as many rows as a tenth of a second allows. Of an exact kernel it is the
Gaussian process, on as many rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from kernlab.feature_maps import ExactKernel, FeatureMap
from kernlab.heads.calibration import intervals, reliability
from kernlab.heads.coordinates import coordinates
from kernlab.heads.laplace import laplace
from kernlab.heads.posterior import posterior
from kernlab.linalg import real_targets, wide
from kernlab.training.state import TrainingState
from kernlab.typing import Params, Tensor

__all__ = ["certainty"]

_COLUMNS, _LEAST, _TEST, _WORK = 300, 200, 1000, 2e8


@torch.no_grad()
def certainty(state: TrainingState, params: Params) -> dict[str, Any]:
    """``log_evidence`` a training row and ``test_loss`` (−log p) a test row in nats, ``calibration_error`` on test rows
    (mean deviation of what came true from what was promised), and the ``rows`` and ``features`` that were used.

    Args:
        state: a training that is done.
        params: of its model.

    Returns:
        Empty without test rows. There are no ``features`` of an exact kernel.
    """
    representation, data = state.method.feature_map, state.data
    if not len(data.X_test):
        return {}
    draw = torch.Generator().manual_seed(state.seed)
    if isinstance(representation, ExactKernel):
        size = max(_LEAST, int(_WORK ** (1 / 3)))
        rows = torch.randperm(state.n, generator=draw)[:size].to(state.device)
        span = coordinates(representation, params, state.X[rows])

        def features(X: Tensor) -> Tensor:
            return span(X).cpu()

        used = {"rows": len(rows)}
    else:
        assert isinstance(representation, FeatureMap)
        total = representation.columns(params)
        columns = torch.randperm(total, generator=draw)[:_COLUMNS].to(state.device)
        size = max(_LEAST, int(_WORK / len(columns) / (len(columns) + 20 * state.K)))
        rows = torch.randperm(state.n, generator=draw)[:size].to(state.device)
        scale = math.sqrt(total / len(columns))

        def features(X: Tensor) -> Tensor:
            return scale * wide(representation.apply(params, X)[:, columns]).cpu()

        used = {"rows": len(rows), "features": len(columns)}
    X_test, _ = state.tensors(data.X_test[:_TEST], data.y_test[:_TEST])
    truth = data.y_test[:_TEST]
    Phi, new, y = features(state.X[rows]), features(X_test), state.y[rows].cpu()
    if data.targets is None:
        found = laplace(Phi, y, state.K)
        judged = reliability(found.probabilities(new).numpy(), truth)
        return {"log_evidence": found.log_evidence / len(rows), "test_loss": judged.loss,
                "calibration_error": judged.error, **used}  # fmt: skip
    regression = posterior(
        lambda: [Phi], real_targets(y, state.K, torch.float64), bias=state.method.head.stage != "joint"
    )
    mean, variance = regression.predict(new)
    unit = np.asarray(data.targets.scale)
    deviation = (variance + regression.noise).sqrt().numpy() * unit
    expected, true = data.targets.inverse(mean.numpy()), data.targets.inverse(truth)
    outputs = [intervals(expected[:, k], deviation[:, k], true[:, k]) for k in range(state.K)]
    evidence = float(regression.log_evidence.sum()) / len(rows) - float(np.log(unit).sum())
    return {"log_evidence": evidence, "test_loss": float(sum(each.loss for each in outputs)),
            "calibration_error": float(np.mean([each.error for each in outputs])), **used}  # fmt: skip
