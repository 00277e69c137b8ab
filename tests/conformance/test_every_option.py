"""Every option with its default and its range is as it was.

Addresses, stored runs and copied commands leave out what equals the default, so a default that changes silently changes
what they mean. Who changes one on purpose gives its component a new version (``Component.version``) and writes the list
anew: python tests/conformance/test_every_option.py
"""

from __future__ import annotations

from pathlib import Path

from variants import through_json, variants

from kernlab.bounds import BOUNDS
from kernlab.heads import HEADS
from kernlab.methods import REPRESENTATIONS
from kernlab.objectives import OBJECTIVES
from kernlab.options import options_of
from kernlab.regularizers import REGULARIZERS
from kernlab.solvers import SOLVERS

LIST = Path(__file__).with_name("options.txt")
FAMILIES = {"map": REPRESENTATIONS, "objective": OBJECTIVES, "penalty": REGULARIZERS, "solver": SOLVERS, "head": HEADS}


def options() -> str:
    """One line for each option of each component, and one for each bound."""
    lines = [f"bound {name}" for name in BOUNDS]
    for family, registry in FAMILIES.items():
        for name, component in registry.items():
            version = getattr(component, "version", 1)
            before = [f"{key} was {value!r}" for key, value in getattr(component, "defaults_of_version_1", ())]
            lines.append(", ".join([f"{family} {name} version {version}", *before]))
            for key, each in options_of(component).items():
                limits = {">=": each.minimum, "<=": each.maximum, ">": each.above, "<": each.below}
                words = [f"{sign} {value:g}" for sign, value in limits.items() if value is not None]
                words += ["|".join(each.choices)] if each.choices else []
                words += [word for word in ("log", "advanced") if getattr(each, word)]
                lines.append(" ".join([f"  {key}: {each.type} {each.default!r}", *words]))
    return "\n".join(sorted(lines[: len(BOUNDS)]) + lines[len(BOUNDS) :]) + "\n"


def test_defaults_and_ranges_are_as_they_were():
    assert options().splitlines() == LIST.read_text("utf-8").splitlines()


def test_options_survive_json():
    for registry in FAMILIES.values():
        for part in (each.values[0] for each in variants(registry)):
            assert through_json(part, registry) == part


if __name__ == "__main__":
    LIST.write_text(options(), "utf-8")
