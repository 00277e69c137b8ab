"""Why a training failed, as a sentence for whoever asked for it."""

from __future__ import annotations

import logging

import numpy as np
import torch

from kernlab.errors import KernlabError, TrainingError

__all__ = ["why"]

_log = logging.getLogger(__name__)

#: What comes of a matrix that holds NaN or infinity.
_NOT_FINITE: tuple[type[BaseException], ...] = (
    torch.linalg.LinAlgError,  # type: ignore[attr-defined]
    np.linalg.LinAlgError,
    FloatingPointError,
)


def why(error: Exception, device: object) -> str:
    """The sentence; an error that nobody expected is logged too.

    Args:
        error: what was raised.
        device: where the training was computed.
    """
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        advice = "set a smaller n_features or batch_size, or fewer workers"
        error = TrainingError("a training must fit into memory", device, advice)
    elif isinstance(error, _NOT_FINITE):
        advice = "set a smaller learning_rate or frequency_scale"
        error = TrainingError("the numbers must stay finite", "a matrix without a decomposition", advice)
    if isinstance(error, KernlabError):
        return str(error)
    _log.error("a training failed with an unexpected error", exc_info=error)
    return f"An error inside kernlab ({type(error).__name__}: {error})."
