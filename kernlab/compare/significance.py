"""Which method is best on the same splits, and which are not significantly worse.

    d_j = x_j − y_j  (j = 1 … J splits that both methods finished),   d̄ their mean, s² their variance (J − 1)

    paired t-test        t = d̄ / √(s² / J)                        J − 1 degrees of freedom
    corrected            t = d̄ / √(s² (1/J + n_test/n_train))     J − 1 degrees of freedom

Random splits of one data set share most of their training rows, so the d_j are not independent and the plain test
calls too many differences significant. The correction counts the overlap (Nadeau and Bengio, Inference for the
generalization error, Machine Learning 52, 2003). Papers on kernels print the plain test (ASKL Table 2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from kernlab.errors import OptionError

__all__ = ["Standing", "Test", "better", "corrected_t_test", "explanation", "paired_t_test", "standings"]

#: "paired", as the papers do, or "corrected" for the overlap of the splits.
Test = Literal["paired", "corrected"]


class Standing(NamedTuple):
    """How one method stands among the others on the same splits.

    Attributes:
        n: splits it finished.
        mean, std: over those; std divides by n − 1. None where there are too few.
        p, p_corrected: two-sided, against the best method; None for the best itself and where there is no test.
        best: no mean is better.
        not_worse: not best, and not significantly worse than the best.
        better: significantly better than the best on the splits that both finished. It is not the best itself, because
            it failed on others, so that its mean is over other splits.
        failed: splits on which it failed.
    """

    n: int
    mean: float | None
    std: float | None
    p: float | None
    p_corrected: float | None
    best: bool
    not_worse: bool
    better: bool
    failed: int


def better(metric: str) -> Literal["more", "less"]:
    """Whether more or less of a metric is better: accuracy grows, errors shrink.

    Raises:
        OptionError: a metric of unknown direction.
    """
    if metric == "accuracy":
        return "more"
    if metric in ("rmse", "mse", "error"):
        return "less"
    raise OptionError("the metric must be accuracy, rmse, mse or error", metric)


def paired_t_test(x: ArrayLike, y: ArrayLike) -> float | None:
    """Two-sided p of the paired t-test of ``x`` [J] against ``y`` [J].

    Pairs with a NaN are left out. None for fewer than two pairs. Where all differences are equal they decide alone:
    p = 1 if they are zero, else p = 0.
    """
    return _t_test(x, y, 0.0)


def corrected_t_test(x: ArrayLike, y: ArrayLike, ratio: float) -> float | None:
    """Two-sided p of the corrected resampled t-test; as :func:`paired_t_test`.

    Args:
        x, y: [J].
        ratio: n_test/n_train of the splits, above 0.

    Raises:
        OptionError: a ratio that is not above 0.
    """
    if not 0 < ratio < np.inf:
        raise OptionError("the ratio of test to training rows must be above 0", ratio)
    return _t_test(x, y, ratio)


def _t_test(x: ArrayLike, y: ArrayLike, ratio: float) -> float | None:
    difference = np.asarray(x, np.float64) - np.asarray(y, np.float64)
    difference = difference[np.isfinite(difference)]
    J = len(difference)
    if J < 2:
        return None
    mean, variance = difference.mean(), difference.var(ddof=1)
    if np.ptp(difference) == 0 or variance == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stats.t.sf(abs(mean) / np.sqrt(variance * (1 / J + ratio)), J - 1))


def standings(
    values: Mapping[str, ArrayLike],
    *,
    direction: Literal["more", "less"] = "more",
    level: float = 0.05,
    test: Test = "paired",
    ratio: float | None = None,
) -> dict[str, Standing]:
    """How every method stands.

    The best is sought among the methods that finished most splits: a mean over the easy splits alone is no
    achievement. Methods of equal best mean are all best.

    Args:
        values: method to its metric on each split [J], in the same order of splits; NaN where it failed.
        direction: whether more or less is better.
        level: p below which a difference is called significant, in (0, 1).
        test: which p decides ``not_worse``.
        ratio: n_test/n_train, for the corrected test; None: that p is not computed.

    Raises:
        OptionError: a level outside (0, 1), methods with different numbers of splits, or the corrected test
            without a ratio.
    """
    if not 0 < level < 1:
        raise OptionError("the level of a test must be between 0 and 1", level, "0.05 is usual")
    if test == "corrected" and ratio is None:
        raise OptionError("the corrected test needs the ratio of test to training rows")
    arrays = {name: np.asarray(held, np.float64) for name, held in values.items()}
    if len({held.shape for held in arrays.values()}) > 1:
        raise OptionError("all methods must have the same splits", {name: len(a) for name, a in arrays.items()})
    finished = {name: held[np.isfinite(held)] for name, held in arrays.items()}
    most = max((len(held) for held in finished.values()), default=0)
    means = {name: float(held.mean()) for name, held in finished.items() if len(held) == most > 0}
    top = (max if direction == "more" else min)(means.values(), default=np.nan)
    winner = next((name for name, mean in means.items() if mean == top), None)
    return {
        name: _standing(held, finished[name], arrays[winner], means.get(name) == top, direction, level, test, ratio)
        if winner is not None
        else Standing(0, None, None, None, None, False, False, False, len(held))
        for name, held in arrays.items()
    }


def _standing(
    held: NDArray[np.float64],
    finished: NDArray[np.float64],
    winner: NDArray[np.float64],
    best: bool,
    direction: Literal["more", "less"],
    level: float,
    test: Test,
    ratio: float | None,
) -> Standing:
    n = len(finished)
    p = None if best else paired_t_test(held, winner)
    corrected = None if best or ratio is None else corrected_t_test(held, winner, ratio)
    decides = p if test == "paired" else corrected
    ahead = np.nansum(held - winner) * (1 if direction == "more" else -1) > 0
    significant = decides is not None and decides < level
    return Standing(
        n,
        float(finished.mean()) if n else None,
        float(finished.std(ddof=1)) if n > 1 else None,
        p,
        corrected,
        best,
        decides is not None and (bool(ahead) or not significant),
        significant and bool(ahead),
        len(held) - n,
    )


def explanation(test: Test, level: float, repeats: Sequence[int], *, same_rows: bool = False) -> str:
    """What was tested and why that way, in sentences for a caption.

    Args:
        test, level: as in :func:`standings`.
        repeats: splits compared, one number a data set.
        same_rows: every repeat has the source's own test part.
    """
    if not repeats or max(repeats) < 2:
        return "No test: it takes at least two repeats."
    size = f"{100 * level:g} % level"
    if test == "paired":
        said = (
            f"Two-sided paired t-test against the best, {size}, as in the papers. Splits share training rows, so it "
            "finds differences too easily; the corrected resampled t-test (Nadeau and Bengio 2003) allows for that."
        )
    else:
        said = (
            f"Two-sided corrected resampled t-test against the best (Nadeau and Bengio 2003), {size}: splits share "
            "training rows, and the variance is raised by n_test/n_train for that. The papers print the paired t-test."
        )
    if same_rows:
        said += " Repeats share the source's own split: the test sees only what training draws, not other data."
    if min(repeats) < 2:
        said += " Data sets with fewer than two repeats are not tested."
    return said
