"""The changes of a run, those of its configuration and those that are asked for while it trains, stretch by stretch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kernlab.errors import OptionError
from kernlab.methods.changes import Change
from kernlab.spec import RunSpec
from kernlab.training.state import TrainingState

__all__ = ["Course"]


class Course:
    """What a run has been asked to do up to now.

    Args:
        spec: the run's configuration.

    Attributes:
        spec: the same with every change that was asked for since.
    """

    def __init__(self, spec: RunSpec) -> None:
        self.spec = spec
        self._before, self._epochs = 0, 0.0
        self._states: Sequence[TrainingState] = ()

    @property
    def changes(self) -> list[Any]:
        """All changes, past and planned, as the spec's JSON has them."""
        found: list[Any] = self.spec.to_dict().get("changes", [])
        return found

    def enter(self, states: Sequence[TrainingState], before: int, epochs: float) -> None:
        """Let trainings follow the changes from now on.

        Args:
            states: of the present stretch.
            before: steps of the run before this stretch, and the one that returns to the start; 0 in the first stretch.
            epochs: of the stretch before.
        """
        self._states, self._before, self._epochs = states, before, epochs
        self._give()

    def check_steps(self, most: int) -> None:
        """Refuse changes that would never count.

        Args:
            most: steps that the run may take.

        Raises:
            OptionError: a change comes at its end or later.
        """
        if late := [each for each in self.spec.changes if each.step >= most]:
            must = f"a change must come before the end of the run, which has {most} steps at most"
            raise OptionError(must, late[0], f"give it a step from 0 to {most - 1}")

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """Let options have other values from a step of the present stretch on."""
        for option, value in values.items():
            self.spec = self.spec.with_change(self._before + step, option, value)
        if values:
            self._give()

    def _give(self) -> None:
        for state in self._states:
            state.changes = [*self._local(state.per_epoch)]

    def _local(self, per_epoch: int) -> Iterable[Change]:
        """The changes in steps of the present stretch; those of the stretch before are repeated at their epochs."""
        earlier = (self._before - 1) / self._epochs if self._before else 0.0  # steps of an epoch then
        for each in self.spec.changes:
            if each.step >= self._before:
                yield replace(each, step=each.step - self._before)
            else:
                yield replace(each, step=round(each.step / earlier * per_epoch))
