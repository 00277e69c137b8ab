"""Every form that a registered part can take, read from its options.

A new entry of a registry is tested by being registered: its defaults, made small, and then once with each
value of each choice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from kernlab.options import Component, options_of

SMALL = 6


def variants(registry: Mapping[str, type[Component]], **fixed: Any) -> list[Any]:
    """One pytest parameter for each form of each entry, large whole numbers replaced by small ones."""
    found = []
    for name, cls in registry.items():
        options = options_of(cls)
        numbers = {key: o.default for key, o in options.items() if o.type == "int" and o.default != "auto"}
        small = {key: SMALL for key, default in numbers.items() if default > SMALL}
        base = {**small, **{key: value for key, value in fixed.items() if key in options}}
        found.append(pytest.param(cls.build(**base), id=name))
        for key, o in options.items():
            others = [choice for choice in o.choices if o.type == "choice" and choice != o.default]
            found += [pytest.param(cls.build(**base, **{key: c}), id=f"{name}-{key}={c}") for c in others]
    return found


def through_json(part: Component, registry: Mapping[str, type[Component]]) -> Component:
    """What another process builds from the JSON of ``part``."""
    values = json.loads(json.dumps(part.to_dict()))
    return registry[values["kind"]].from_dict(values)


__all__ = ["SMALL", "through_json", "variants"]
