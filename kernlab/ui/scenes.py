"""Runs side by side that one opens to see one thing: the Home page has a link to each, and they start by themselves.

No scene needs torch before it is opened.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

__all__ = ["SCENES", "Scene"]


class Scene(NamedTuple):
    """One scene.

    Attributes:
        title: what is compared.
        words: what there is to see.
        icon: of its link.
        first: the address of the first run on the Train page.
        others: what the further runs have otherwise.
    """

    title: str
    words: str
    icon: str
    first: dict[str, str]
    others: tuple[dict[str, str], ...]

    @property
    def address(self) -> dict[str, str]:
        """Of the Train page with these runs side by side, before they have begun."""
        names = ("second", "third", "fourth")
        return self.first | {name: urlencode(each) for name, each in zip(names, self.others, strict=False)}


_SHORT = {"validation": "0", "epochs": "30", "batch_size": "64"}

#: By their names in an address.
SCENES: dict[str, Scene] = {
    "learned": Scene(
        "Learned against assigned", "The same frequencies: one kernel learns them, the other keeps them as drawn.",
        ":material/school:",
        {"dataset": "checkerboard", "method": "SKL", "n_features": "200", **_SHORT},
        ({"method": "SK", "n_features": "200", **_SHORT},),
    ),
    "stationary": Scene(
        "Stationary against not", "A target whose waves quicken: a kernel of x − x′ alone is the same everywhere.",
        ":material/waves:",
        {"dataset": "chirp", "method": "NSKL", "n_features": "200", **_SHORT},
        ({"method": "SKL", "n_features": "200", **_SHORT},),
    ),
    "features": Scene(
        "Features added", "Ten, forty and four hundred features of the same kernel.",
        ":material/add_chart:",
        {"dataset": "checkerboard", "method": "ASKL", "n_features": "10", **_SHORT},
        tuple({"method": "ASKL", "n_features": count, **_SHORT} for count in ("40", "400")),
    ),
    "penalty": Scene(
        "λ raised", "The trace norm of W with weights of 10⁻⁵, 1 and 8: the rank of W falls, and at last the accuracy.",
        ":material/compress:",
        {"dataset": "digits", "method": "ASKL", "n_features": "200", **_SHORT},
        tuple({"method": "ASKL", "n_features": "200", "trace_norm": weight, **_SHORT} for weight in ("1", "8")),
    ),
}  # fmt: skip
