"""A learning rate that falls when the objective no longer does, and the end of training when that does not help.

The mean objective of each epoch is compared with the best so far. After ``patience`` epochs without a
relative gain the rate is divided by ten; a rate that brought no gain at all before the next fall ends the
training.

Source: DI §5.1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Plateau"]


@dataclass(frozen=True)
class Plateau:
    """How far the learning rate has fallen, and why.

    Attributes:
        best: lowest mean objective of an epoch so far; None before the first.
        waited: epochs since then.
        falls: how often the rate was divided by ten.
        gained: the present rate has brought a gain.
        over: the last fall brought none.
    """

    best: float | None = None
    waited: int = 0
    falls: int = 0
    gained: bool = False
    over: bool = False

    @property
    def factor(self) -> float:
        """Present learning rate over the first one."""
        return float(10.0**-self.falls)

    def after(self, mean: float, *, patience: int, tolerance: float) -> Plateau:
        """Its state after an epoch of this mean objective."""
        if self.best is None or mean < self.best - tolerance * abs(self.best):
            return replace(self, best=mean, waited=0, gained=True)
        if self.waited + 1 < patience:
            return replace(self, waited=self.waited + 1)
        if not self.gained:
            return replace(self, waited=self.waited + 1, over=True)
        return replace(self, waited=0, falls=self.falls + 1, gained=False)
