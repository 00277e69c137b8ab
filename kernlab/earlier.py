"""Options of version 1 in the terms of today, for stored comparisons and estimators.

Runs and models contain every option of every part, and each part reads its own earlier versions
(:meth:`kernlab.options.Component.upgraded`). A comparison or an estimator contains a method's name and only the options
that were set. The others have the defaults of version 1: spectral maps had random phases, shared by the frequencies of
a pair, and ``n_features`` counted frequencies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernlab.feature_maps.spectral import from_version_1
from kernlab.methods import MethodSpec

__all__ = ["VERSION", "options_from_version_1"]

VERSION = 2  # of the defaults

#: Ridge penalties that named methods had of their own.
PENALTIES: Mapping[str, Mapping[str, Any]] = {name: {"ridge": 0.05} for name in ("LKRF", "LKRF-resampled")}


def options_from_version_1(method: MethodSpec, options: Mapping[str, Any], *, named: bool = True) -> dict[str, Any]:
    """Flat options of version 1 in the terms of today.

    Args:
        method: the method that they change.
        options: by flat key.
        named: the method is a named one with today's defaults; otherwise all its options were stored.

    Raises:
        KernlabError: an unknown option or value.
    """
    changes = dict(options)
    if named:
        parts = method.switched(changes).parts
        defaults = {key: value for part in parts for key, value in part.defaults_of_version_1}
        changes = {**defaults, **PENALTIES.get(method.name, {}), **changes}
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
