"""What the held-out rows of a run chose, read from its facts.

epoch  0 ──── kept.epoch ──── kept.stopped │ 0 ──── kept.epoch
       choosing, on the other rows         │ repeating, on all rows
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from kernlab.numerals import number

__all__ = ["SHAPE", "BestEpoch", "Counted", "Whole", "epoch_at", "held_out_rows", "kept", "steps_choosing"]

Whole: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]
Counted: TypeAlias = Annotated[int, Field(ge=1, lt=2**63)]


#: Keys of stored JSON must have their types; another version of kernlab may add more keys.
SHAPE = ConfigDict(strict=True, extra="allow")


class BestEpoch(BaseModel):
    """The choice of the held-out rows, from the event ``Kept``.

    Attributes:
        epoch: epochs that were best; 0: the map stays as it was drawn.
        stopped: epochs that were tried, after which the repetition on all rows begins.
        of: epochs that might have been tried.
        rows: held-out rows.
        penalty: ridge penalty of the head, where these rows chose it.
        learned: the map is learned; False: the rows preferred the assigned map.
    """

    model_config = SHAPE

    epoch: Whole
    of: Whole
    stopped: Counted
    rows: Counted
    penalty: float | None
    learned: bool

    @property
    def label(self) -> str:
        """What was kept, in a few words: "kept: epoch 3 of 20"."""
        if not self.epoch:
            return "kept: epoch 0, the map as it was drawn"
        return f"kept: epoch {self.epoch} of {self.stopped}" + ("" if self.learned else ", assigned map")

    @property
    def sentence(self) -> str:
        """The same with its reason."""
        return f"{self.label}, chosen on {number(self.rows)} rows that did not train"


def kept(facts: Mapping[str, Any]) -> BestEpoch | None:
    """The choice of the held-out rows; None before it is known, and where no rows were held out."""
    found = facts.get("kept")
    return BestEpoch.model_construct(**found) if found else None  # checked where the record is read


def held_out_rows(facts: Mapping[str, Any]) -> int:
    """Training rows that choose instead of training; 0 in a run without held-out rows."""
    found = kept(facts)
    return found.rows if found else int(facts.get("n_held") or 0)


def epoch_at(facts: Mapping[str, Any], step: int) -> float:
    """Epochs through both stretches after so many steps; an epoch on all rows has more steps than one before."""
    per_epoch, found = float(facts.get("steps_per_epoch") or 0), kept(facts)
    if not per_epoch:
        return 0.0
    if not found or not found.epoch:
        return step / per_epoch
    before = steps_choosing(facts)
    per_epoch = (facts["total_steps"] - before) / found.epoch
    return step * found.stopped / before if step < before else found.stopped + (step - before) / per_epoch


def steps_choosing(facts: Mapping[str, Any]) -> float:
    """Steps before the repetition on all rows; infinite while the run still chooses."""
    per_epoch, found = float(facts.get("steps_per_epoch") or 0), kept(facts)
    if not found:
        return math.inf
    if facts.get("n_held"):  # the facts are of the run's start
        return found.stopped * per_epoch
    return float(facts["total_steps"] - found.epoch * per_epoch)  # of its resumption in the second stretch
