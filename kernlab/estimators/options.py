"""One constructor for every method: each option of each part is a parameter, read off the registries.

scikit-learn wants every parameter in the signature of ``__init__``. The options differ from method to
method, so that an estimator has all of them, ``None`` standing for the method's own value; an option that
the chosen method does not have is refused by ``fit``.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kernlab.composition import SLOTS, MethodSpec
from kernlab.options import Component, Option, options_of
from kernlab.regularizers import REGULARIZERS

__all__ = ["constructor", "described", "every_option", "given"]


def every_option(**slots: Mapping[str, type[Component]]) -> dict[str, str]:
    """Help by flat key: the choice of each part, the options of the parts, other spellings, and penalties.

    Args:
        slots: the parts to take options from, by their place in a method; all of them by default.
    """
    places = slots or SLOTS
    schema = MethodSpec().schema()
    found = {key: schema[key].help for key in (*(p for p in places if len(places[p]) > 1), "learned")}
    for parts in places.values():
        for name, part in parts.items():
            for key, opt in options_of(part).items():
                found.setdefault(key, f"{_sentence(opt)} ({name})")
            for alias, (target, convert) in part.aliases.items():
                found.setdefault(alias, f"In place of {target}: {convert.__doc__} ({name})")
    return found | {name: f"{schema[name].help}" for name in REGULARIZERS}


def _sentence(opt: Option) -> str:
    return f"{opt.help} {opt.range[0].upper()}{opt.range[1:]}; usually {opt.default}."


def constructor(own: Mapping[str, Any], options: Mapping[str, str]) -> Callable[..., None]:
    """An ``__init__`` that stores what it is given under its name.

    Args:
        own: the estimator's own parameters and their defaults; the first may be given by position.
        options: the options, ``None`` by default.
    """
    kinds = [inspect.Parameter.POSITIONAL_OR_KEYWORD] + [inspect.Parameter.KEYWORD_ONLY] * (len(own) - 1)
    signature = inspect.Signature(
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(inspect.Parameter(key, kind, default=own[key]) for key, kind in zip(own, kinds, strict=True)),
            *(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None) for key in options),
        ]
    )

    def __init__(self: Any, *args: Any, **values: Any) -> None:
        bound = signature.bind(self, *args, **values)
        bound.apply_defaults()
        for key, value in list(bound.arguments.items())[1:]:
            setattr(self, key, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def described(options: Mapping[str, str]) -> str:
    """The options as they stand in a docstring."""
    return "\n".join(
        f"{key} : default=None\n{textwrap.indent(textwrap.fill(text), ' ' * 4)}" for key, text in options.items()
    )


def given(estimator: Any, options: Mapping[str, str]) -> dict[str, Any]:
    """The options that were set, NumPy's numbers as Python's."""
    values = {key: getattr(estimator, key) for key in options}
    return {key: v.item() if isinstance(v, np.generic) else v for key, v in values.items() if v is not None}
