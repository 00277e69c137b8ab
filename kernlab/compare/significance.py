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
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from kernlab.errors import OptionError

__all__ = ["Standing", "Test", "better", "explanation", "standings", "t_test"]

#: "paired", as in the papers, or "corrected" for the overlap of the splits.
Test = Literal["paired", "corrected"]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How one method stands among the others on the same splits.

    Attributes:
        n: splits it finished.
        mean, std: over those; std divides by n − 1. None where these are too few.
        p, p_corrected: two-sided, against the best method; None for the best itself and where no test is possible.
        best: no mean is better.
        not_worse: not best, and not significantly worse than the best.
        better: significantly better than the best on the splits that both finished. It is not the best itself because
            it failed on other splits, so that its mean is over fewer of them.
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


def t_test(x: ArrayLike, y: ArrayLike, ratio: float = 0.0) -> float | None:
    """Two-sided p of ``x`` [J] against ``y`` [J]: of the paired t-test, or of the corrected resampled one.

    Pairs with a NaN are left out. None for fewer than two pairs. Where all differences are equal they decide alone:
    p = 1 if they are zero, else p = 0.

    Args:
        x, y: the metric on the same splits.
        ratio: n_test/n_train of the splits for the corrected test; 0: the paired test.

    Raises:
        OptionError: a ratio that is negative or not finite.
    """
    if not 0 <= ratio < np.inf:
        raise OptionError("the ratio of test to training rows must be a number of at least 0", ratio)
    difference = np.asarray(x, np.float64) - np.asarray(y, np.float64)
    difference = difference[np.isfinite(difference)]
    J = len(difference)
    if J < 2:
        return None
    mean, variance = difference.mean(), difference.var(ddof=1)
    if np.ptp(difference) == 0 or variance == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * scipy.stats.t.sf(abs(mean) / np.sqrt(variance * (1 / J + ratio)), J - 1))


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
    arrays = {name: np.asarray(each, np.float64) for name, each in values.items()}
    if len({each.shape for each in arrays.values()}) > 1:
        raise OptionError("all methods must have the same splits", {name: len(a) for name, a in arrays.items()})
    finished = {name: each[np.isfinite(each)] for name, each in arrays.items()}
    most = max((len(each) for each in finished.values()), default=0)
    means = {name: float(each.mean()) for name, each in finished.items() if len(each) == most > 0}
    top = (max if direction == "more" else min)(means.values(), default=np.nan)
    winner = next((arrays[name] for name, mean in means.items() if mean == top), np.nan)
    found = {}
    for name, each in arrays.items():
        best = means.get(name) == top
        p = None if best else t_test(each, winner)
        corrected = None if best or ratio is None else t_test(each, winner, ratio)
        decides = p if test == "paired" else corrected
        significant = decides is not None and decides < level
        ahead = bool(np.nansum(each - winner) * (1 if direction == "more" else -1) > 0)
        n = len(finished[name])
        found[name] = Standing(
            n=n,
            mean=float(finished[name].mean()) if n else None,
            std=float(finished[name].std(ddof=1)) if n > 1 else None,
            p=p,
            p_corrected=corrected,
            best=best,
            not_worse=decides is not None and (ahead or not significant),
            better=significant and ahead,
            failed=len(each) - n,
        )
    return found


def explanation(test: Test, level: float, repeats: Sequence[int], *, same_rows: bool = False) -> str:
    """Which test was made and why, in sentences for a caption.

    Args:
        test, level: as in :func:`standings`.
        repeats: number of splits of each data set.
        same_rows: every repeat has the source's own test part.
    """
    if not repeats or max(repeats) < 2:
        return "No test: it takes at least two repeats."
    size = f"{100 * level:g} % level"
    if test == "paired":
        words = (
            f"Two-sided paired t-test against the best, {size}, as in the papers. Splits share training rows, so it "
            "finds differences too easily; the corrected resampled t-test (Nadeau and Bengio 2003) allows for that."
        )
    else:
        words = (
            f"Two-sided corrected resampled t-test against the best (Nadeau and Bengio 2003), {size}: splits share "
            "training rows, and the variance is raised by n_test/n_train for that. The papers print the paired t-test."
        )
    if same_rows:
        words += " Repeats share the source's own split: the test sees only what training draws, not other data."
    if min(repeats) < 2:
        words += " Data sets with fewer than two repeats are not tested."
    return words
