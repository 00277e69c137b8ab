"""The type checker behind the shape checks: beartype, asked once for a function that is defined anew at each call.

A map's gradient is a function inside a function: a training of a thousand steps defines it a thousand times, and making
its check takes longer than the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beartype import beartype

_made: dict[tuple[Any, ...], Callable[..., Any]] = {}


def checked(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Check ``fn``, which jaxtyping writes for the signature of a function: its body is empty, its annotations are all
    that matters."""
    if "<locals>" not in fn.__qualname__ or fn.__defaults__ or fn.__kwdefaults__:
        return beartype(fn)
    key = (fn.__module__, fn.__qualname__, fn.__code__.co_varnames, repr(fn.__annotations__))
    if key not in _made:
        _made[key] = beartype(fn)
    return _made[key]
