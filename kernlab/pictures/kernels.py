"""What all pictures of a kernel use: a run's kernels at a moment, their Gram matrices, and values over the run."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernlab.feature_maps.law import ExactGram, GramFunction
from kernlab.pictures.base import CHOICES, At, once
from kernlab.pictures.kernel_at import KernelAt, exact_of, kernel_at
from kernlab.pictures.sample import Sample
from kernlab.pictures.thinning import spread

_T = TypeVar("_T")

PAGE = "inside.kernel"  # the view that only the Kernel page shows
_SNAPSHOTS, _ALIGNED = 20, 120  # moments, and rows, of curves over the run


def has_kernel(at: At) -> bool:
    """Whether the run keeps rows, and its snapshots hold its kernel."""
    return at.sample is not None and len(at.sample.X) > 1 and at.kernel is not None


def rows_of(at: At) -> Sample:
    """The sample of a run that has one."""
    sample = at.sample
    assert sample is not None
    return sample


def classes_of(at: At) -> tuple[str, ...]:
    """Names of all classes; empty for real targets."""
    return at.class_names if rows_of(at).classes else ()


def exact_at(at: At) -> ExactGram | None:
    """The exact kernel that the features of the moment approximate; None where none is known."""
    kernel = at.kernel
    return exact_of(at.method, kernel) if at.method and kernel else None


def then_words(at: At) -> str:
    """The reference moment, in words that begin with "then"."""
    assert at.reference
    return f"then ({at.run.unit} {at.reference.epoch:.3g})"


def kernels_at(at: At) -> dict[str, tuple[Hashable, GramFunction]]:
    """Every kernel of this moment by name, "now" first, each with a key that no other kernel of the run has."""
    step = at.moment.step
    found: dict[str, tuple[Hashable, GramFunction]] = {}
    if now := at.kernel:
        found["now"] = (step, now.gram)
    learned = at.method is not None and at.method.learned
    # Also at the moment with which is compared, where both are the same: no curve may come and go in a film.
    if at.reference and (then := at.kernel_of_reference):
        found[then_words(at)] = (at.reference.step, then.gram)
    elif learned and (before := at.kernel_before):
        found["before training"] = ("initial" if step else step, before.gram)
    exact = exact_at(at)
    if exact and not exact.same:
        found["exact"] = (f"exact {step}", exact.gram)
    return found


def grams_at(at: At) -> dict[str, NDArray[np.float64]]:
    """The Gram matrix of the sample under each of these kernels."""
    X = rows_of(at).X
    kernels = kernels_at(at).items()
    return {name: once(at, ("gram", key), partial(kernel, X, X)) for name, (key, kernel) in kernels}


def features_words(kernel: KernelAt) -> str:
    """A sentence where a snapshot keeps only a part of the features."""
    if kernel.kept < kernel.total:
        return f"The kernel is made of the {kernel.kept} of {kernel.total} features that a snapshot keeps."
    return ""


# -- the matrix ------------------------------------------------------------------------------------------------

MATRICES = {"features": "features", "exact": "exact kernel", "error": "features − exact", "change": "now − before"}


def matrices(at: At) -> dict[str, str]:
    """The matrices that can be shown, and their names in words."""
    names = ["features"]
    if "exact" in (kernels := kernels_at(at)):
        names += ["exact", "error"]
    if any(name.startswith(("then", "before")) for name in kernels):
        names.append("change")
    itself = {"features": "kernel"} if (kernel := at.kernel) and kernel.itself else {}
    return {name: MATRICES[name] for name in names} | itself


def chosen_matrix(at: At) -> str:
    """The Gram matrix that the view names, or that of the features where this run does not have the named one."""
    return str(at.view["matrix"]) if at.view["matrix"] in matrices(at) else "features"


def matrix_words(at: At, chosen: str) -> str:
    """A matrix in words, for a title; none of a kernel without features, which has no other to mean."""
    return "" if chosen == "features" and (kernel := at.kernel) and kernel.itself else MATRICES[chosen]


def earlier(names: Mapping[str, Any]) -> str:
    """The name of the kernel with which the present one is compared."""
    return next(name for name in names if name.startswith(("then", "before")))


def few_rows(at: At) -> NDArray[np.intp]:
    """The rows of the sample that curves over the run are made of."""
    return spread(len(rows_of(at).X), _ALIGNED)


def over_run(at: At, what: str, measure: Callable[[KernelAt], _T]) -> tuple[NDArray[np.float64], list[_T]]:
    """Epochs of some of the run's snapshots, evenly spread, and what ``measure`` returns of the kernel at each."""

    def measured(step: int) -> _T:
        assert at.method
        # Not through the run, which keeps in memory the few snapshots that a person scrubs through.
        kernel = kernel_at(at.method, at.run.store.snapshot(at.run.id, step))
        assert kernel
        return measure(kernel)

    taken = spread(len(at.run.snapshots.steps), _SNAPSHOTS)
    steps = [int(step) for step in at.run.snapshots.steps[taken]]
    return at.run.snapshots.epochs[taken], [once(at, (what, step), partial(measured, step)) for step in steps]


CHOICES["matrix"] = lambda at: list(matrices(at))
