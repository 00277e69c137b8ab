"""Cosine and sine, which most of a training step is spent in.

NumPy's float32 versions take less than half the time of torch's on one thread (72 against 175 µs for
128 000 numbers, AVX-512), at the same accuracy of one unit in the last place. They are used where nothing
watches the computation: on the CPU, with few threads, outside automatic differentiation, vmap and the
compiler. The choice depends on nothing that changes during a run, so numbers stay repeatable.
"""

from __future__ import annotations

import numpy as np
import torch

from kernlab.typing import Tensor

__all__ = ["cos", "sin"]

THREADS = 2  # with more of them torch is faster


def cos(z: Tensor) -> Tensor:
    """cos z, entry by entry."""
    return _by_numpy(np.cos, z) if _plain(z) else torch.cos(z)


def sin(z: Tensor) -> Tensor:
    """sin z, entry by entry."""
    return _by_numpy(np.sin, z) if _plain(z) else torch.sin(z)


def _by_numpy(function: np.ufunc, z: Tensor) -> Tensor:
    with np.errstate(invalid="ignore"):  # of infinity it is NaN, for which torch gives no warning
        return torch.from_numpy(function(z.numpy()))


def _plain(z: Tensor) -> bool:
    """Whether z is an ordinary float32 array in memory that nothing follows."""
    if torch.compiler.is_compiling() or torch.is_grad_enabled():
        return False
    if z.device.type != "cpu" or z.dtype != torch.float32 or torch.get_num_threads() > THREADS:
        return False
    try:
        z.data_ptr()  # refused by vmap and tracing
    except RuntimeError:
        return False
    return True
