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

from kernlab.data import Prepared
from kernlab.errors import OptionError
from kernlab.methods import SLOTS, MethodSpec
from kernlab.options import Component, Option, options_of
from kernlab.regularizers import REGULARIZERS
from kernlab.training import rules

__all__ = ["STOPPING", "constructor", "described", "every_option", "given", "rows_that_learn", "stopping"]

#: What scikit-learn calls the choice of how long to train, with the defaults.
STOPPING: dict[str, Any] = {"early_stopping": "auto", "validation_fraction": None}

SHARE = 0.2  # of the rows are held out where nothing else is asked for


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
    del found["validation"]  # early_stopping and validation_fraction say it
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


STOPPING_WORDS = """    early_stopping : "auto", True or False, default="auto"
        Hold rows out that do not train but choose how long to train (or how strongly to penalise); the model then
        learns for as long from all rows. "auto": where that is left open and there are at least 100 rows.
    validation_fraction : float or None, default=None
        Share of the rows that are held out; None: a fifth, of "auto" at most 2000 rows.
"""


def described(options: Mapping[str, str]) -> str:
    """The options as they stand in a docstring."""
    return (
        STOPPING_WORDS.strip()
        + "\n"
        + "\n".join(
            f"{key} : default=None\n{textwrap.indent(textwrap.fill(text), ' ' * 4)}" for key, text in options.items()
        )
    )


def given(estimator: Any, options: Mapping[str, str]) -> dict[str, Any]:
    """The options that were set, NumPy's numbers as Python's."""
    values = {key: getattr(estimator, key) for key in options}
    return {key: v.item() if isinstance(v, np.generic) else v for key, v in values.items() if v is not None}


def stopping(method: MethodSpec, data: Prepared | None, early_stopping: Any, validation_fraction: Any) -> MethodSpec:
    """The method with the share of the rows that choose how long to train, or how strongly to penalise.

    Args:
        method: whose option ``validation`` is set.
        data: what it will learn from; None where its solver learns nothing.
        early_stopping: "auto" (as the method says; by rule, where it leaves that open), True or False.
        validation_fraction: share of the rows that choose, above 0 and at most 0.5; None: a fifth.

    Raises:
        OptionError: another value, or nothing that the method could choose.
    """
    if not (isinstance(early_stopping, bool | np.bool_) or early_stopping == "auto"):
        raise OptionError('early_stopping must be "auto", True or False', repr(early_stopping))
    share = SHARE if validation_fraction is None else validation_fraction
    if not (isinstance(share, float | np.floating) and 0 < share <= 0.5):
        raise OptionError("validation_fraction must be a number above 0 and at most 0.5", repr(share))
    share, own = float(share), method.solver.options().get("validation")
    if own is None:
        if early_stopping == "auto" or not early_stopping:
            return method
        raise OptionError(
            "early_stopping=True needs a method that learns from mini-batches or chooses a penalty on held-out rows",
            method.name,
            'leave early_stopping at "auto"',
        )
    if not isinstance(early_stopping, str):
        return method.with_options({"validation": share if early_stopping else 0.0})
    assert data is not None
    by_rule = rules.resolve(method, data).solver.options()["validation"] if own == "auto" else own
    return method.with_options({"validation": share if by_rule and validation_fraction is not None else by_rule})


def rows_that_learn(method: MethodSpec, n: int) -> int:
    """How many of n rows are not held out."""
    return n - round(n * float(method.solver.options().get("validation", 0.0)))
