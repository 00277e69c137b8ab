"""One constructor for every method: each option of each part is a parameter, read off the registries.

scikit-learn requires every parameter in the signature of ``__init__``. Methods have different options, so an estimator
has all of them, where ``None`` stands for the method's own value; ``fit`` refuses an option that the chosen method does
not have.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from kernlab.data import Prepared
from kernlab.errors import KernlabError, OptionError
from kernlab.estimators import inputs
from kernlab.methods import SLOTS, MethodSpec
from kernlab.options import Component, Option, options_of
from kernlab.regularizers import REGULARIZERS
from kernlab.training import rules

__all__ = [
    "SCALINGS", "STOPPING", "Configured", "constructor", "described", "every_option", "options_set",
    "stopping",
]  # fmt: skip

#: What scikit-learn calls the choice of how long to train, with the defaults.
STOPPING: dict[str, Any] = {"early_stopping": "auto", "validation_fraction": None}

SHARE = 0.2  # of the rows are held out where nothing else is asked for


def every_option(**slots: Mapping[str, type[Component]]) -> dict[str, str]:
    """Help by flat key: the choice of each part, the options of the parts, their aliases, and penalties.

    Args:
        slots: the parts whose options are listed, by their place in a method; by default all.
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
    """An ``__init__`` that stores each argument under its name.

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


#: The scalings of inputs, as they stand in a docstring.
SCALINGS = ", ".join(f'"{name}"' for name in inputs.SCALINGS)

#: Parameters of every estimator, as they stand in a docstring.
_SHARED = """    random_state : int, RandomState instance or None, default=None
        Decides what is drawn and the order of the mini-batches.
    device : str, default="auto"
        Where it learns: "auto" (CUDA, then MPS, then CPU), "cpu", "cuda", "cuda:1" or "mps". What is learned is then
        kept on the CPU.
    early_stopping : "auto", True or False, default="auto"
        Hold rows out that do not train but choose how long to train (or how strongly to penalise); the model then
        learns for as long from all rows. "auto": where that is left open and there are at least 100 rows.
    validation_fraction : float or None, default=None
        Share of the rows that are held out; None: a fifth, of "auto" at most 2000 rows.
"""


def described(options: Mapping[str, str]) -> str:
    """The shared parameters and the options as they stand in a docstring."""
    words = (f"{key} : default=None\n{textwrap.indent(textwrap.fill(text), ' ' * 4)}" for key, text in options.items())
    return _SHARED + textwrap.indent("\n".join(words), " " * 4)


def options_set(estimator: Any, options: Mapping[str, str]) -> dict[str, Any]:
    """The options that were set, NumPy's numbers as Python's."""
    values = {key: getattr(estimator, key) for key in options}
    return {key: v.item() if isinstance(v, np.generic) else v for key, v in values.items() if v is not None}


class Configured:
    """An estimator whose parameters choose a method and its options."""

    _options: ClassVar[Mapping[str, str]]

    def _method(self) -> MethodSpec:
        """The method with the options that were set, and one head.

        Raises:
            KernlabError: an unknown name, a bad value, or parts that do not go together.
        """
        raise NotImplementedError

    def _method_or_none(self) -> MethodSpec | None:
        try:
            return self._method()
        except (KernlabError, TypeError, ValueError):  # fit raises it
            return None

    def _small(self, method: MethodSpec, n: int) -> MethodSpec:
        """The method for n rows, with the sizes reduced that were not set."""
        options = options_set(self, self._options)
        return inputs.at_most(method, n, width="n_features" not in options, batch="batch_size" not in options)


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
