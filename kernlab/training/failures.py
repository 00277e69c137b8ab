"""Why a training failed, as a sentence for the person who started it."""

from __future__ import annotations

import logging

import numpy as np
import torch

from kernlab.errors import KernlabError, TrainingError

__all__ = ["EXPECTED", "NOT_FINITE", "NO_MEMORY", "failure_message"]

_log = logging.getLogger(__name__)

#: Errors of a matrix that has NaN or infinity.
NOT_FINITE: tuple[type[Exception], ...] = (
    torch.linalg.LinAlgError,  # type: ignore[attr-defined]
    np.linalg.LinAlgError,
    FloatingPointError,
)
NO_MEMORY: tuple[type[Exception], ...] = (torch.OutOfMemoryError, MemoryError)
#: What may go wrong in any training.
EXPECTED: tuple[type[Exception], ...] = (TrainingError, *NOT_FINITE, *NO_MEMORY)


def failure_message(error: Exception, device: object) -> str:
    """The sentence for an error; an unexpected one is logged, too.

    Args:
        error: what was raised.
        device: where the training was computed.
    """
    if isinstance(error, NO_MEMORY):
        advice = "set a smaller n_features or batch_size, or fewer workers"
        error = TrainingError("a training must fit into memory", device, advice)
    elif isinstance(error, NOT_FINITE):
        advice = "set a smaller learning_rate or frequency_scale"
        error = TrainingError("the numbers must stay finite", "a matrix without a decomposition", advice)
    if isinstance(error, KernlabError):
        return str(error)
    _log.error("a training failed with an unexpected error", exc_info=error)
    return f"An error inside kernlab ({type(error).__name__}: {error})."
