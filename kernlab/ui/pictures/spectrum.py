"""The pictures of a spectrum: frequencies along a line, in pairs, by length, as pictures, and the kernel they make."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import plotly.graph_objects as go

from kernlab.analysis import density, importance, joint, profile, selection
from kernlab.analysis.assigned import Assigned, assigned_to
from kernlab.analysis.frequency_pictures import frequency_pictures
from kernlab.analysis.spectrum import Spectrum, spectrum_at
from kernlab.feature_maps.deep import Deep
from kernlab.plots.density import plot_density, plot_density_change
from kernlab.plots.frequency_pictures import plot_frequency_pictures
from kernlab.plots.importance import plot_importance, plot_importance_picture
from kernlab.plots.joint import plot_joint, plot_joint_change, plot_joint_surface
from kernlab.plots.profile import plot_part, plot_profile, plot_profile_change
from kernlab.plots.selection import plot_cloud
from kernlab.ui.pictures.base import Shown, picture
from kernlab.ui.pictures.looking import direction, input_names, looked

__all__ = ["frequencies_at", "selected", "starts"]

_LOOK = ("look", "custom")


# -- what a run has at a moment --------------------------------------------------------------------------------


def frequencies_at(at: Shown) -> tuple[Spectrum, Spectrum]:
    """The frequencies now and before training."""
    now, before = spectrum_at(at.arrays), spectrum_at(at.static, initial=True)
    assert now
    return now, before or now


def selected(at: Shown) -> tuple[int, ...]:
    """Places of those selected frequencies that this run has."""
    now = spectrum_at(at.arrays)
    return tuple(place for place in at.frequencies if now and place < now.size)


def starts(at: Shown) -> dict[str, Any]:
    """Where a kernel along a line can start: the origin, and a few rows of the data."""
    sample = at.sample
    found: dict[str, Any] = {"the origin": None}
    if sample is None or not len(sample.X):
        return found
    if sample.classes:
        begins = [0, *sample.borders[:-1].tolist()]
        return found | {f"a row of {name}": sample.X[row] for name, row in zip(sample.names, begins, strict=True)}
    rows = {"the lowest target": 0, "the middle target": len(sample.X) // 2, "the highest target": -1}
    return found | {f"the row of {name}": sample.X[row] for name, row in rows.items()}


def _then(at: Shown) -> Spectrum | None:
    """The frequencies at the moment that this one is compared with."""
    return spectrum_at(at.reference.arrays) if at.reference else None


def _since(at: Shown) -> str:
    assert at.reference
    unit = at.watch.unit
    return f"{unit} {at.reference.epoch:.2f}" if unit == "epoch" else f"{unit} {at.reference.epoch:.0f}"


def _law(at: Shown) -> Assigned | None:
    return assigned_to(at.method.feature_map) if at.method else None


def _what(at: Shown) -> str:
    """Where one looks; of stacked layers at the first, which alone has frequencies of the inputs."""
    deep = at.method is not None and isinstance(at.method.feature_map, Deep)
    return looked(at) + (", first layer" if deep else "")


def _pictured(at: Shown) -> bool:
    return at.image is not None


def _taken(at: Shown, event: str, value: Any) -> Mapping[str, Any]:
    """The frequencies that were drawn round; one that is clicked joins them, or leaves.

    An empty selection says nothing: the browser reports one whenever an outline goes.
    """
    points = [value] if event == "click" else value
    chosen = {int(point["customdata"]) for point in points if point.get("customdata") is not None}
    if not chosen:
        return {}
    if event == "click":
        chosen ^= set(at.frequencies)
    return {"frequencies": ",".join(str(place) for place in sorted(chosen))}


# -- densities -------------------------------------------------------------------------------------------------


@picture("overview", "spectrum", key="density", alt="Spectral density along a direction", arrays=("omega",),
         uses=_LOOK, height=360)  # fmt: skip
def spectral_density(at: Shown) -> go.Figure:
    """Density of ω along one direction: now, before, and as drawn from; or what has changed."""
    line, law = direction(at), _law(at)
    now, before = frequencies_at(at)

    def seen(one: Spectrum) -> density.Density:
        return density.direction_density(
            line, one.omega, before.omega, one.omega_prime, before.omega_prime, weights=one.weights, what=_what(at),
            law=partial(law.along, line) if law else None,
        )  # fmt: skip

    if then := _then(at):
        return plot_density_change(density.change(seen(now), seen(then)), _since(at))
    return plot_density(seen(now))


def _about_pairs(at: Shown) -> tuple[str, str]:
    law = _law(at)
    words = (
        "ν says how fast k(x, x) falls around the origin beside how fast the frequencies turn there. 0: all pairs lie "
        "on the diagonal and the kernel is stationary; ½: two frequencies that know nothing of each other; 1: opposite "
        "ones. Rotating or rescaling the inputs does not change it (derived from ASKL eq. 5–6)."
    )
    if law and not law.crossed:
        words += " Here the two phases of a pair are drawn apart, which makes the kernel stationary whatever ν is."
    return (
        r"\nu=\frac{\mathbb E\|\omega-\omega'\|^2}{2\,\mathbb E\left[\|\omega\|^2+\|\omega'\|^2\right]}\in[0,1]",
        words,
    )


@picture("spectrum", alt="Joint density of the two frequencies, with pairs that can be selected",
         arrays=("omega", "omega_prime"), uses=(*_LOOK, "surface", "frequencies"), height=560, note=_about_pairs,
         events=("click", "select"), taken=_taken)  # fmt: skip
def joint_density(at: Shown) -> go.Figure:
    """s(ω, ω') along one direction with the diagonal: as colour with pairs on it, as a surface, or what has changed."""
    line = direction(at)
    now, before = frequencies_at(at)

    def seen(one: Spectrum) -> joint.Joint:
        assert one.omega_prime is not None
        assert before.omega_prime is not None
        return joint.joint_density(
            line, one.omega, one.omega_prime, before.omega, before.omega_prime, what=_what(at)
        )  # fmt: skip

    if then := _then(at):
        return plot_joint_change(joint.change(seen(now), seen(then)), _since(at))
    if at.view["surface"]:
        return plot_joint_surface(seen(now))
    return plot_joint(seen(now), selection.cloud(line, now, selected(at), what=_what(at)))


@picture("inside.spectrum", alt="Frequencies as points that can be selected", arrays=("omega",),
         when=lambda at: "omega_prime" not in at.arrays, uses=(*_LOOK, "frequencies"), height=360,
         events=("click", "select"), taken=_taken)  # fmt: skip
def frequency_cloud(at: Shown) -> go.Figure:
    """Single frequencies along one direction against their length."""
    return plot_cloud(selection.cloud(direction(at), frequencies_at(at)[0], selected(at), what=_what(at)))


@picture("spectrum", alt="Lengths of the frequencies", arrays=("omega",), height=300)
def lengths(at: Shown) -> go.Figure:
    """Density of ‖ω‖: now, before, and as drawn from; or what has changed."""
    now, before = frequencies_at(at)
    law = _law(at)

    def seen(one: Spectrum) -> density.Density:
        return density.length_density(
            one.omega, before.omega, one.omega_prime, before.omega_prime, weights=one.weights,
            law=partial(law.length, now.d) if law else None,
        )  # fmt: skip

    if then := _then(at):
        return plot_density_change(density.change(seen(now), seen(then)), _since(at))
    return plot_density(seen(now))


# -- the kernel they make --------------------------------------------------------------------------------------


def _along(at: Shown, one: Spectrum, before: Spectrum | None, width: float) -> profile.Profile:
    law = _law(at)
    return profile.profile(
        direction(at), one, before, law=law, origin=_start(at), crossed=law is None or law.crossed, width=width,
        what=_what(at),
    )  # fmt: skip


def _start(at: Shown) -> Any:
    return starts(at).get(at.view["start"]) if "omega_prime" in at.arrays else None


def _beside(at: Shown) -> str:
    """What is to be said where the features are another kernel than that of their frequencies."""
    if at.method is None or getattr(at.method.feature_map, "paired", True):
        return ""
    return "; this run's features have random phases, and come near to it only until frequencies are learned"


def _about_profile(at: Shown) -> tuple[str, str]:
    if "omega_prime" in at.arrays:
        return (
            r"\begin{gathered}k(x,x_0)=\tfrac14\,\mathbb E\big[\cos(\omega^\top x-\omega'^\top x_0)\\"
            r"+\cos(\omega'^\top x-\omega^\top x_0)\\"
            r"+\cos\tau\omega^\top u+\cos\tau\omega'^\top u\big]\end{gathered}",
            "The kernel of these frequencies between x₀ and the points x = x₀ + τu on a line through it (ASKL eq. 5–6)"
            f"{_beside(at)}. The band is the error of an average over as many frequencies drawn independently.",
        )
    return (
        r"k(\tau u)=\mathbb E\cos(\tau\,\omega^\top u)",
        "Bochner's theorem: the average of cosines is the kernel of these frequencies along the line, wherever it "
        f"starts{_beside(at)}. The band is the error of an average over as many frequencies drawn independently.",
    )


@picture("inside.spectrum", alt="The kernel along a line, learned and exact", arrays=("omega",), height=340,
         uses=(*_LOOK, "start"), note=_about_profile)  # fmt: skip
def line_profile(at: Shown) -> go.Figure:
    """k(x₀ + τu, x₀): now with its error, before, and of the density that frequencies were drawn from."""
    now, before = frequencies_at(at)
    width = profile.reach(direction(at), before)
    if then := _then(at):
        change = profile.change(_along(at, now, None, width), _along(at, then, None, width))
        return plot_profile_change(change, _since(at))
    return plot_profile(_along(at, now, before, width))


@picture("inside.spectrum", alt="What the selected frequencies carry of the kernel", arrays=("omega",), height=340,
         when=lambda at: bool(selected(at)), uses=(*_LOOK, "start", "frequencies"))  # fmt: skip
def carried_part(at: Shown) -> go.Figure:
    """The part of the kernel that the selected frequencies carry, and the rest."""
    now, before = frequencies_at(at)
    law, line = _law(at), direction(at)
    return plot_part(
        profile.part(
            line, now, selected(at), origin=_start(at), crossed=law is None or law.crossed,
            width=profile.reach(line, before), what=_what(at),
        )
    )  # fmt: skip


# -- inputs ----------------------------------------------------------------------------------------------------


def _about_importance(at: Shown) -> tuple[str, str]:
    return (
        r"\mathbb E\,\omega_j^2=-\left.\frac{\partial^2 k(\tau e_j,0)}{\partial\tau^2}\right|_{\tau=0}",
        "How sharply the kernel bends along each scaled input: the mean squared slope of a random function with this "
        "kernel (Rasmussen & Williams 2006, section 4.1). Of pairs the mean of both frequencies counts.",
    )


@picture("inside.spectrum", alt="Importance of the inputs as bars, now and before training", arrays=("omega",),
         when=lambda at: int(at.facts.get("d") or 0) > 1, height=440, note=_about_importance)  # fmt: skip
def input_importance(at: Shown) -> go.Figure:
    """Share of E ω_j² that each input has."""
    now, before = frequencies_at(at)
    then, names = _then(at), input_names(at)
    found = importance.importance(now, then or before, names, count=15)
    return plot_importance(found, f"at {_since(at)}") if then else plot_importance(found)


@picture("inside.spectrum", alt="Importance of the pixels", arrays=("omega",), when=_pictured, height=380)
def pixel_importance(at: Shown) -> go.Figure:
    """The same as a picture, or what has changed about it."""
    assert at.image
    found = importance.importance_picture(frequencies_at(at)[0], at.image, _then(at))
    return plot_importance_picture(found, _since(at)) if found.change else plot_importance_picture(found)


@picture("spectrum", alt="Frequencies as pictures", arrays=("omega",), when=_pictured, height=420,
         uses=("order", "frequencies"), events=("click", "select"), taken=_taken)  # fmt: skip
def frequencies(at: Shown) -> go.Figure:
    """Frequencies as pictures of the size of the inputs, or what has changed about them."""
    assert at.image
    now, before = frequencies_at(at)
    then = _then(at)
    return plot_frequency_pictures(
        frequency_pictures(
            now, at.image, then=then or before, order=at.view["order"], selected=selected(at), change=then is not None
        )
    )
