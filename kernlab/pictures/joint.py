"""The joint density s(ω, ω') of a non-stationary kernel along one line, and how far it is off the diagonal.

Yaglom's theorem: a kernel is stationary exactly when all the mass of s lies on ω = ω'. As one number,

    ν = E‖ω − ω'‖² / (2 E[‖ω‖² + ‖ω'‖²])  in [0, 1]

In one sentence: ν compares how fast k(x, x) falls around the origin with how fast the frequencies turn there; 0 is
stationary, ½ two uncorrelated frequencies, 1 opposite ones.

Where it comes from. The kernel is k(x, z) = ¼E[cos(ωᵀx − ω'ᵀz) + cos(ω'ᵀx − ωᵀz) + cos ωᵀ(x−z) + cos ω'ᵀ(x−z)],
so k(x, x) = ½(1 + E cos δᵀx) with δ = ω − ω'. It is constant exactly if δ = 0 almost surely. Around the origin
k(x, x) = 1 − ¼E(δᵀx)² + …, so −Δk(x, x) = ½E‖δ‖² there; the mean square of all frequencies is ½E[‖ω‖² + ‖ω'‖²],
and the ratio of the two, in which the unit of the inputs cancels, is twice what is called ν here:

    2ν = −Δ_x k(x, x)|₀ / ½E[‖ω‖² + ‖ω'‖²],     in one direction u with uᵀω and uᵀω' in place of ω and ω'

What follows. ‖ω − ω'‖² ≤ 2(‖ω‖² + ‖ω'‖²) (parallelogram law), hence 0 ≤ ν ≤ 1. ν = 0: ω' = ω, stationary. ν = 1:
ω' = −ω. ν = ½: E ωᵀω' = 0, as where they are drawn independently from an even density; then the expected ν of any
number of draws is exactly ½, even without moments (flipping the sign of ω' turns ν into 1 − ν). ν = (1 − ρ)/2: mean
zero, the same variance, correlation ρ. Rotating the inputs or rescaling them all changes nothing; ν of all inputs
is the mean of ν along each coordinate, weighted by the mean squares there. A finite set of frequencies always
has a ν, unless all of them are zero: then the kernel is constant and ν = 0.

Source: ASKL eq. 5–6 and Yaglom 1987 for s and k; ν is ours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.density import FREQUENCY_UNIT, window
from kernlab.pictures.directions import direction, unit
from kernlab.pictures.marks import cells, line
from kernlab.pictures.selection import Cloud, cloud, points, selecting
from kernlab.pictures.spectrum import (
    LOOK,
    Spectrum,
    frequencies_at,
    law_at,
    nonstationarity,
    selected,
    since,
    then_at,
    where,
)
from kernlab.pictures.theme import BLUE, ORANGE, VERMILLION, figure

#: Cells of the grid along each axis.
CELLS = 64


class JointDensity(NamedTuple):
    """Joint density of (uᵀω, uᵀω') now, with the assigned one to compare."""

    what: str  # the direction: "feature alcohol", "principal direction 1"
    grid: NDArray[np.float32]  # positions along both axes [G], radians per unit of the scaled inputs
    now: NDArray[np.float32]  # now, assigned: density [G G], rows ω', columns ω
    assigned: NDArray[np.float32]
    levels: tuple[float, float]  # densities whose super-level sets hold 90 % and 50 % of the assigned mass
    along: float  # ν along this line, now
    total: float  # ν of the whole vectors, now


class JointChange(NamedTuple):
    """A joint density now minus the same one at an earlier moment."""

    what: str  # the direction
    grid: NDArray[np.float32]  # positions along both axes [G]
    values: NDArray[np.float32]  # now − then [G G], rows ω', columns ω
    limit: float  # colours run from −limit to limit
    along: float  # along, along_then: ν along this line, now and then
    along_then: float


def joint_change(now: JointDensity, then: JointDensity) -> JointChange:
    """What has changed between two moments: ``now`` minus ``then``, bilinearly on the grid of ``now``."""
    before = then.now
    for axis in (0, 1):
        before = np.apply_along_axis(lambda row: np.interp(now.grid, then.grid, row, left=0.0, right=0.0), axis, before)
    values = (now.now - before).astype(np.float32)
    limit = float(np.abs(values).max())
    return JointChange(now.what, now.grid, values, limit, now.along, then.along)


def joint_density(
    direction: ArrayLike, omega: ArrayLike, omega_prime: ArrayLike, initial: ArrayLike, initial_prime: ArrayLike, *,
    what: str = "", beside: tuple[ArrayLike, ArrayLike] | None = None,
) -> JointDensity:  # fmt: skip
    """Joint density of the projections of ω and ω' on a direction u.

    Args:
        direction: u [d]; scaled to unit length.
        omega, omega_prime: frequencies now [d D].
        initial, initial_prime: frequencies before training [d D].
        what: the direction, for the title.
        beside: frequencies of another moment, two of [d D]: the grid is the same for both, or their difference would
            have an edge.

    Raises:
        OptionError: the direction has length zero.
    """
    u = unit(direction)
    now, now_prime, before, before_prime, *others = (
        u @ np.asarray(W) for W in (omega, omega_prime, initial, initial_prime, *(beside or ()))
    )
    low, high = window(now, now_prime, before, before_prime, *others)
    grid = np.linspace(low, high, CELLS)
    assigned = kde2(before, before_prime, grid)
    density = kde2(now, now_prime, grid)
    return JointDensity(
        what, grid.astype(np.float32), density.astype(np.float32), assigned.astype(np.float32), mass_levels(assigned),
        nonstationarity(now, now_prime), nonstationarity(omega, omega_prime),
    )  # fmt: skip


def kde2(first: ArrayLike, second: ArrayLike, grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gaussian density estimate of pairs on an even square grid; rows are ``second``, columns ``first``.

    The bandwidth matrix is n^(−1/3) times the sample covariance (Scott's rule in two dimensions), so mass
    that lies on the diagonal stays there instead of being smeared across it. The covariance is that of the
    pairs inside the window: heavy tails have none.
    """
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    cells, step = len(grid), grid[1] - grid[0]
    columns, rows = (first - grid[0]) / step, (second - grid[0]) / step
    inside = (columns >= 0) & (columns < cells - 1) & (rows >= 0) & (rows < cells - 1)
    if not inside.any():
        return np.zeros((cells, cells))
    columns, rows = columns[inside], rows[inside]
    weight = np.zeros(cells * cells)
    j, i = columns.astype(np.intp), rows.astype(np.intp)
    s, t = columns - j, rows - i
    for below, beside, share in ((0, 0, (1 - t) * (1 - s)), (0, 1, (1 - t) * s), (1, 0, t * (1 - s)), (1, 1, t * s)):
        weight += np.bincount((i + below) * cells + j + beside, share, cells * cells)
    # In cells; never narrower than 0.8 of one, or the cut at the grid's highest frequency would ring.
    spread = np.cov(rows, columns, bias=True) if len(rows) > 1 else np.zeros((2, 2))
    bandwidth = len(rows) ** (-1 / 3) * spread + 0.64 * np.eye(2)
    down, right = 2 * np.pi * np.fft.fftfreq(2 * cells)[:, None], 2 * np.pi * np.fft.rfftfreq(2 * cells)[None]
    quadratic = bandwidth[0, 0] * down**2 + 2 * bandwidth[0, 1] * down * right + bandwidth[1, 1] * right**2
    padded = (2 * cells, 2 * cells)
    spectrum = np.fft.rfft2(weight.reshape(cells, cells), padded) * np.exp(-0.5 * quadratic)
    density = np.fft.irfft2(spectrum, padded)[:cells, :cells] / (len(first) * step**2)
    return np.asarray(np.maximum(density, 0.0))


def mass_levels(density: NDArray[np.float64], shares: tuple[float, float] = (0.9, 0.5)) -> tuple[float, float]:
    """Levels c for which the cells with density ≥ c hold the given shares of the grid's mass."""
    falling = np.sort(density, axis=None)[::-1]
    mass = np.cumsum(falling)
    places = np.minimum(np.searchsorted(mass, np.array(shares) * mass[-1]), len(falling) - 1)
    return float(falling[places[0]]), float(falling[places[1]])


# Transparent where there is no mass, so that either background shows there.
_SCALE = [[0, "rgba(0,114,178,0)"], [0.15, "rgba(0,114,178,0.45)"], [0.6, "rgba(0,114,178,0.95)"], [1, "#56B4E9"]]
# Transparent where nothing has changed.
_CHANGE = [[0, VERMILLION], [0.5, "rgba(128,128,128,0)"], [1, BLUE]]
# A surface has no background to show through.
_SOLID = [[0, "#f2f2f2"], [0.02, "#cfe0ee"], [0.3, "#56B4E9"], [1, "#0072B2"]]
_HOVER = "ω %{x:.3~g}, ω' %{y:.3~g}: "
_AXES: dict[str, Any] = {"x": f"ω ({FREQUENCY_UNIT})", "y": "ω'"}
_PLAIN = {"zeroline": False, "showgrid": False}


def plot_joint(joint: JointDensity, cloud: Cloud | None = None) -> go.Figure:
    """Density now as colour, the assigned one as dotted lines round 50 % and 90 % of its mass; ν as the subtitle.

    ν is 0 where the kernel is stationary and ½ where ω and ω' are uncorrelated. With a ``cloud`` of pairs they are
    drawn as points that can be selected, each with its place among the frequencies.
    """
    grid, outer = joint.grid, joint.levels[0]
    assigned = [
        go.Contour(
            x=grid, y=grid, z=joint.assigned, name="assigned", legendgroup="assigned", showlegend=level == outer,
            contours={"type": "constraint", "operation": "=", "value": level},
            line={"color": ORANGE, "width": 2, "dash": "dot"}, hoverinfo="skip",
        )
        for level in joint.levels
    ]  # fmt: skip
    density = cells(joint.now, "now", f"{_HOVER}density %{{z:.3~g}}", _SCALE, strip="density", x=grid, y=grid,
                    zsmooth="best")  # fmt: skip
    drawn = ""
    if cloud is not None and len(cloud.x) < cloud.total:
        drawn = f"; {len(cloud.x)} of {cloud.total} pairs drawn"
    return figure(
        [density, *assigned, _diagonal(grid), *([] if cloud is None else points(cloud))],
        title="Joint density of ω and ω'", subtitle=_subtitle(joint) + drawn, revision=f"joint:{joint.what}", **_AXES,
        xaxis={**_PLAIN, "constrain": "domain", "range": _ends(grid)}, yaxis={**_PLAIN, "range": _ends(grid)},
        **({} if cloud is None else selecting(cloud.marked)),
    )  # fmt: skip


def plot_joint_surface(joint: JointDensity) -> go.Figure:
    """The same density as a surface, with a line above the diagonal; a stationary kernel would be a wall there."""
    grid, axis = joint.grid, {"showgrid": True, "zeroline": False, "tickfont": {"size": 12}}
    surface = go.Surface(
        x=grid, y=grid, z=joint.now, name="now", colorscale=_SOLID, showscale=False,
        hovertemplate=f"{_HOVER}density %{{z:.3~g}}<extra></extra>",
    )  # fmt: skip
    diagonal = go.Scatter3d(
        x=grid, y=grid, z=np.diagonal(joint.now), mode="lines", name="stationary",
        line={"color": VERMILLION, "width": 6},
        hovertemplate="ω = ω' = %{x:.3~g}: density %{z:.3~g}<extra></extra>",
    )  # fmt: skip
    scene: dict[str, Any] = {
        f"{letter}axis": {**axis, "title": {"text": name}}
        for letter, name in (("x", "ω"), ("y", "ω'"), ("z", "density"))
    }
    scene |= {"aspectratio": {"x": 1, "y": 1, "z": 0.6}, "camera": {"eye": {"x": 1.2, "y": -1.5, "z": 0.9}}}
    return figure(
        [surface, diagonal], title="Joint density of ω and ω'", subtitle=_subtitle(joint), **_AXES,
        revision=f"joint-surface:{joint.what}", scene=scene, showlegend=True,
    )  # fmt: skip


def plot_joint_change(change: JointChange, since: str) -> go.Figure:
    """Where pairs have arrived (blue) and which places they have left (vermillion) since the moment ``since``."""
    heat = cells(
        change.values, "now − then", f"{_HOVER}%{{z:+.3~g}}", _CHANGE, (-change.limit, change.limit),
        strip="density now − then", x=change.grid, y=change.grid, zsmooth="best",
    )  # fmt: skip
    return figure(
        [heat, _diagonal(change.grid)], title="Change of the joint density",
        subtitle=f"{change.what}, since {since}: ν {change.along_then:.3f} → {change.along:.3f}", **_AXES,
        revision=f"joint-change:{change.what}", xaxis={**_PLAIN, "constrain": "domain"}, yaxis=_PLAIN,
    )  # fmt: skip


def _diagonal(grid: Any) -> go.Scatter:
    return line(_ends(grid), _ends(grid), "stationary", VERMILLION, None, width=2, dash="dash")


def _ends(grid: Any) -> list[float]:
    return [float(grid[0]), float(grid[-1])]


def _subtitle(joint: JointDensity) -> str:
    return f"{joint.what}: ν = {joint.along:.2f} (all inputs {joint.total:.2f})"


def _about_pairs(at: At) -> tuple[str, str]:
    law = law_at(at)
    words = (
        "ν compares how fast k(x, x) falls around the origin with how fast the frequencies turn there. 0: all pairs "
        "lie on the diagonal and the kernel is stationary; ½: the two frequencies are uncorrelated; 1: they are "
        "opposite. Rotating or rescaling the inputs does not change it (derived from ASKL eq. 5–6)."
    )
    if law and not law.crossed:
        words += " Here both phases of a pair are drawn independently, which makes the kernel stationary whatever ν is."
    return (
        r"\nu=\frac{\mathbb E\|\omega-\omega'\|^2}{2\,\mathbb E\left[\|\omega\|^2+\|\omega'\|^2\right]}\in[0,1]",
        words,
    )


@picture("spectrum", alt="Joint density of the two frequencies, with pairs that can be selected",
         arrays=("omega_prime",), uses=(*LOOK, "surface"), height=560, note=_about_pairs)  # fmt: skip
def draw_joint_density(at: At) -> go.Figure:
    """s(ω, ω') along one direction with the diagonal: as colour with pairs on it, as a surface, or what has changed."""
    u = direction(at)
    now, before = frequencies_at(at)

    def pairs(one: Spectrum) -> tuple[ArrayLike, ArrayLike]:
        assert one.omega_prime is not None
        return one.omega, one.omega_prime

    def seen(one: Spectrum, beside: Spectrum | None = None) -> JointDensity:
        return joint_density(u, *pairs(one), *pairs(before), what=where(at), beside=pairs(beside) if beside else None)

    if then := then_at(at):
        return plot_joint_change(joint_change(seen(now, then), seen(then, now)), since(at))
    if at.view["surface"]:
        return plot_joint_surface(seen(now))
    return plot_joint(seen(now), cloud(u, now, selected(at), what=where(at)))
