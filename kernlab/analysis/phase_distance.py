"""How far features with random phases are from the kernel of their own frequencies.

    distance = ‖ΦΦᵀ − K‖_F / ‖K‖_F,      K the mean of ΦΦᵀ over phases b that do not depend on Ω

Pairs of cosine and sine have distance 0 for every Ω. With phases it is the noise of drawing them, about 1/√D, as long
as Ω was drawn without a look at b; a gradient step on Ω looks at b. So what the frequencies say (their density, how
stationary they are, k(x, x) ≤ 1) is said of K, while the model predicts with ΦΦᵀ. Phases that are drawn anew for the
same frequencies show what of the distance is noise.

Source: ASKL eq. 5–6, whose expectation over b is taken at a fixed Ω.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from kernlab.analysis.exact_kernel import of_frequencies
from kernlab.analysis.moment import KernelAt
from kernlab.feature_maps.spectral import SpectralMap

__all__ = ["PhaseDistance", "PhaseHistory", "has_phases", "phase_distance", "phase_history"]

DRAWS = 4  # of phases, whose mean distance counts


class PhaseDistance(NamedTuple):
    """Distances of one moment.

    Attributes:
        own: of the features with the phases that they have.
        redrawn: of the same frequencies with phases drawn anew, mean over a few draws.
    """

    own: float
    redrawn: float


class PhaseHistory(NamedTuple):
    """Distances over the snapshots of a run.

    Attributes:
        epoch: when [s].
        own, redrawn: as in :class:`PhaseDistance` [s].
        n: rows of the sample.
    """

    epoch: NDArray[np.float64]
    own: NDArray[np.float64]
    redrawn: NDArray[np.float64]
    n: int


def has_phases(at: KernelAt) -> bool:
    """Whether these are features with random phases."""
    return isinstance(at.representation, SpectralMap) and "phase" in at.params


def phase_distance(at: KernelAt, X: NDArray[Any], *, seed: int = 0, draws: int = DRAWS) -> PhaseDistance:
    """The distance of one moment's features.

    Args:
        at: features of a spectral map; of pairs both distances are 0 but for rounding.
        X: scaled inputs [n d].
        seed: of the phases that are drawn anew.
        draws: how often; 0: not at all, and ``redrawn`` is NaN.
    """
    map = at.representation
    assert isinstance(map, SpectralMap)
    K = of_frequencies(map, at.params)(X, X)
    size = float(np.linalg.norm(K)) or 1.0

    def apart(kernel: KernelAt) -> float:
        return float(np.linalg.norm(kernel.gram(X) - K)) / size

    own = apart(at)
    if not has_phases(at) or not draws:
        return PhaseDistance(own, math.nan if draws == 0 else own)
    generator, form = torch.Generator().manual_seed(seed), map.replace(n_features=at.params["omega"].shape[-1])
    drawn = [at._replace(params={**at.params, "phase": form.draw_phase(generator)}) for _ in range(draws)]
    return PhaseDistance(own, float(np.mean([apart(each) for each in drawn])))


def phase_history(epochs: ArrayLike, values: Iterable[PhaseDistance], n: int) -> PhaseHistory:
    """Distances of several moments as curves.

    Args:
        epochs: when [s].
        values: the distance at each.
        n: rows of the sample.
    """
    found = np.array(list(values), np.float64).reshape(-1, 2)
    return PhaseHistory(np.asarray(epochs, np.float64), found[:, 0], found[:, 1], n)
