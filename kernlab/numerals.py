"""How a number is written where a person reads it."""

from __future__ import annotations

__all__ = ["number"]


def number(value: float, digits: int | None = None) -> str:
    """A number with thin spaces between its thousands: 3 200 rows, a risk of 1 020, a probability of 2.5e-05.

    Args:
        value: finite.
        digits: that count; None: a whole number, with all of its digits.
    """
    if digits is not None:
        value = float(f"{value:.{digits}g}")
        if not 1e3 <= abs(value) < 1e9:
            return f"{value:.{digits}g}"
    return f"{value:,.0f}".replace(",", "\u202f")
