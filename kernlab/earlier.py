"""What version 1 of the settings meant, for comparisons and estimators that were kept by their options alone.

Runs and models keep every option of every part, and each part reads its own earlier versions
(:meth:`kernlab.options.Component.upgraded`). A comparison or an estimator keeps only what was set, beside a name, so
that what was not set is what the name meant then: spectral maps had random phases, shared by the frequencies of a
pair, and ``n_features`` counted frequencies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernlab.feature_maps.spectral import from_version_1
from kernlab.methods import MethodSpec

__all__ = ["VERSION", "options_from_version_1"]

VERSION = 2  # of what unsaid settings mean

#: Ridge penalties that named methods had of their own.
PENALTIES: Mapping[str, Mapping[str, Any]] = {name: {"ridge": 0.05} for name in ("LKRF", "LKRF-resampled")}


def options_from_version_1(method: MethodSpec, options: Mapping[str, Any], *, named: bool = True) -> dict[str, Any]:
    """Flat options as they were set in version 1, in the terms of today.

    Args:
        method: what they change.
        options: by flat key.
        named: the method is one that a name stands for, as it is today; else it is a whole one, already read.

    Raises:
        KernlabError: an option or a value that there is not.
    """
    changes = dict(options)
    if named:
        parts = method.switched(changes).parts
        unsaid = {key: value for part in parts for key, value in part.defaults_of_version_1}
        changes = {**unsaid, **PENALTIES.get(method.name, {}), **changes}
    whole = method.switched(changes).options()
    if "phase" not in whole:
        return changes
    if not {"form", "phase"} & changes.keys():
        if named:
            return {**changes, "phase": "shared"}
        double = whole["phase"] == "paired" and "n_features" in changes
        return {**changes, "n_features": 2 * changes["n_features"]} if double else changes
    if named or whole["phase"] != "paired":  # else its own number is one of columns already
        changes.setdefault("n_features", whole["n_features"])
    return from_version_1(changes)
