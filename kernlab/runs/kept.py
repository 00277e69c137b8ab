"""What a run kept, read off its facts: how long it tried, what the rows that did not train chose, and what followed.

epoch  0 ──── kept.epoch ──── kept.stopped │ 0 ──── kept.epoch
       choosing, on the other rows         │ repeating, on all rows
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["Kept", "epoch_at", "held_out_rows", "kept", "number"]


class Kept(NamedTuple):
    """The choice of the held-out rows, as the event ``Kept`` stated it.

    Attributes:
        epoch: epochs that were best; 0: the map stays as it was drawn.
        stopped: epochs that were tried; the repetition on all rows begins there.
        of: epochs that might have been tried.
        rows: held-out rows.
        penalty: ridge penalty of the head, where these rows chose it.
        learned: the map is learned; False: the rows preferred the assigned map.
    """

    epoch: int
    stopped: int
    of: int
    rows: int
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


def kept(facts: Mapping[str, Any]) -> Kept | None:
    """What the run kept; None before it is known, and where no rows were held out."""
    found = facts.get("kept")
    return Kept(*(found[name] for name in Kept._fields)) if found else None


def held_out_rows(facts: Mapping[str, Any]) -> int:
    """Training rows that choose instead of training; 0 where there are none."""
    found = kept(facts)
    return found.rows if found else int(facts.get("n_held") or 0)


def epoch_at(facts: Mapping[str, Any], step: int) -> float:
    """Epochs through both stretches after so many steps; an epoch on all rows has more steps than one before."""
    per_epoch, found = float(facts.get("steps_per_epoch") or 0), kept(facts)
    if not per_epoch:
        return 0.0
    if not found or not found.epoch:
        return step / per_epoch
    if facts.get("n_held"):  # the facts were stated when the run began
        before = found.stopped * per_epoch
        per_epoch = (facts["total_steps"] - before) / found.epoch
    else:  # they were stated when it was resumed in its second stretch
        before = facts["total_steps"] - found.epoch * per_epoch
    return step * found.stopped / before if step < before else found.stopped + (step - before) / per_epoch


def number(count: int) -> str:
    """Thousands are set apart: 3 200."""
    return f"{count:,}".replace(",", "\u202f")
