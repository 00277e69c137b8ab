"""A table to try an import with: houses that were sold, with gaps, words, dates, yes and no, and an identifier.

The price is 3 per square metre and 60 more in Bath, 40 more with a garden, and falls by 0.5 a year of age; normal noise
of standard deviation 15.
"""

from __future__ import annotations

import numpy as np

__all__ = ["EXAMPLE", "example"]

EXAMPLE = "houses.csv"  #: its file name


def example(rows: int = 400, seed: int = 0) -> bytes:
    """The table as CSV; a twentieth of the areas and of the towns is missing."""
    random = np.random.default_rng(seed)
    area, age = random.uniform(40, 200, rows), random.integers(0, 120, rows)
    town, garden = random.choice(["Bath", "Ely", "Leeds", "York"], rows), random.random(rows) < 0.4
    price = 3 * area + 60 * (town == "Bath") + 40 * garden - 0.5 * age + random.normal(0, 15, rows)
    sold = np.datetime64("2023-01-01") + random.integers(0, 700, rows)
    gaps = random.random((2, rows)) < 0.05
    lines = ["id,area,town,built,sold,garden,price"]
    for k in range(rows):
        cells = [f"H{k:04d}", "" if gaps[0, k] else f"{area[k]:.1f}", "" if gaps[1, k] else str(town[k]),
                 str(2023 - age[k]), str(sold[k]), "yes" if garden[k] else "no", f"{price[k]:.1f}"]  # fmt: skip
        lines.append(",".join(cells))
    return "\n".join(lines).encode()
