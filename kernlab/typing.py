"""The vocabulary of axes, and the array types built from it.

Every shape in kernlab is written with these letters, in annotations and in trailing comments:

    n   samples              d   inputs (columns of X)
    m   mini-batch           D   features (columns of Phi)
    K   outputs: classes, or regression targets
    R   replicates trained side by side

``Float[Tensor, "n D"]`` is a floating tensor with n rows and D columns. The tests check the shapes (jaxtyping with
beartype); outside them the annotations cost nothing.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import torch
from jaxtyping import Float, Int, Num
from torch import Tensor

__all__ = ["Float", "Int", "Num", "Params", "Targets", "Task", "Tensor"]

Task: TypeAlias = Literal["classification", "regression"]

#: A model's tensors by name, e.g. ``{"omega": [d D], "phase": [D], "weight": [D K]}``.
Params: TypeAlias = Mapping[str, torch.Tensor]

#: Class codes ``Int[n]`` for classification, real targets ``Float[n K]`` for regression.
Targets: TypeAlias = Int[Tensor, " n"] | Float[Tensor, "n K"]
