"""The spectral densities that stored runs have learned, on the grids of the Kernel lab.

GET densities                       the runs that have frequencies, newest first
GET densities/RUN?look=DIRECTION    the density along a direction of the inputs: s(ω), and s(ω, ω') of a map of pairs
"""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kernlab.errors import KernlabError, OptionError
from kernlab.jobs import manager
from kernlab.pictures.density import kde
from kernlab.pictures.directions import chosen_direction, direction, directions
from kernlab.pictures.gallery import seen
from kernlab.pictures.joint import kde2
from kernlab.pictures.recorded import RecordedRun
from kernlab.pictures.spectrum import frequencies_at
from kernlab.runs.record import Run
from kernlab.runs.store import Store
from kernlab.spec import RunSpec
from kernlab.ui.table import result

__all__ = ["HALF", "NODES", "RANGES", "learned", "routes", "runs"]

#: Frequencies of a density over one frequency, at 0, 1 … steps of the range / NODES; of pairs at −HALF … HALF steps of
#: the range / HALF; and the ranges, in rad per unit. Those of lab/density.mjs.
NODES, HALF = 64, 16
RANGES = {"line": (10, 20, 40, 80), "pairs": (5, 10, 20)}

_OFFERED = 50  # runs in the list
_WITHIN = 0.99  # share of the frequencies that the chosen range has to hold


def routes(base: str) -> list[BaseRoute]:
    """The routes for ``st.App``."""
    return [Route(f"{base}/densities", _list), Route(f"{base}/densities/{{run}}", _one)]


def runs(store: Store) -> list[dict[str, str]]:
    """Id and name of the newest runs whose map has frequencies."""
    return [
        {"id": run.id, "name": " · ".join(filter(None, (run.name, result(run))))}
        for run in store.list(limit=4 * _OFFERED)
        if not run.damage and _has_frequencies(run)
    ][:_OFFERED]


def _has_frequencies(run: Run) -> bool:
    try:
        return RunSpec.from_dict(run.resolved).method.feature_map.law() is not None
    except KernlabError:
        return False  # another version's, or one that has not started


def learned(store: Store, run_id: str, look: str = "") -> dict[str, Any]:
    """The density that a run has at its newest moment, along a direction of its inputs.

    Args:
        store: where the run is kept.
        run_id: the run.
        look: the direction in words, as its pictures have it; the first that the run offers if left out.

    Raises:
        KernlabError: there is no such run, moment or direction, or the run has no frequencies.

    Returns:
        ``looks`` and ``look``: the directions, and the one that was taken. ``line``: ``range`` in rad per unit and
        ``values`` [64]. ``pairs``: the same with values [289] at the pairs (a, b) of steps with a ≥ |b|, or None.
        ``words``: what was taken, in a sentence.
    """
    recorded = RecordedRun(store, run_id)
    recorded.refresh()
    at = seen(recorded, {"look": look} if look else {})
    if "omega" not in at.arrays:
        raise OptionError("a run whose density is taken must have frequencies", recorded.run.name, "choose another run")
    now, u = frequencies_at(at)[0], direction(at)
    both = now.along(u)
    everything = np.abs(np.concatenate(both))
    line, pairs = (_range(everything, each) for each in RANGES.values())
    share = np.mean([_density(each, line, now.weights) for each in both], axis=0)
    outside = float((everything > line).mean())
    words = f"{recorded.run.name}, along {chosen_direction(at)}: {now.size} frequencies in rad per scaled unit"
    return {
        "looks": directions(at),
        "look": chosen_direction(at),
        "line": {"range": line, "values": share.tolist()},
        "pairs": {"range": pairs, "values": _joint(*both, pairs).tolist()} if len(both) == 2 else None,
        "words": f"{words}, {outside:.0%} of them above {line}." if outside > 0.005 else f"{words}.",
    }


def _range(lengths: NDArray[np.float64], offered: tuple[int, ...]) -> int:
    """The smallest range that holds nearly all frequencies; else the largest."""
    needed = float(np.quantile(lengths, _WITHIN))
    return next((each for each in offered if needed <= each), offered[-1])


def _density(values: NDArray[np.float64], range_: int, weights: NDArray[Any] | None) -> NDArray[np.float64]:
    """Density at the nodes [64] of ω and −ω together."""
    step = range_ / NODES
    grid = np.arange(-NODES, NODES + 1, dtype=np.float64) * step
    found = kde(np.concatenate([values, -values]), grid, None if weights is None else np.tile(weights, 2))[0]
    return found[NODES : 2 * NODES]


def _joint(first: NDArray[np.float64], second: NDArray[np.float64], range_: int) -> NDArray[np.float64]:
    """Joint density at the pairs (a, b) of steps with a ≥ |b| [289]; a pair, its swap and negatives count alike."""
    pairs = np.array([first, second])
    each = np.concatenate([pairs, pairs[::-1], -pairs, -pairs[::-1]], axis=1)
    # One cell more on each side: frequencies at the very edge of a grid count as outside.
    grid = np.arange(-HALF - 1, HALF + 2) * range_ / HALF
    density = kde2(each[0], each[1], grid)
    return np.array([density[b + HALF + 1, a + HALF + 1] for a in range(HALF + 1) for b in range(-a, a + 1)])


async def _list(request: Request) -> Response:
    return await _answered(lambda: runs(manager().trainings.store))


async def _one(request: Request) -> Response:
    run, look = request.path_params["run"], request.query_params.get("look", "")
    return await _answered(lambda: learned(manager().trainings.store, run, look))


async def _answered(work: Any) -> Response:
    try:
        return JSONResponse(await asyncio.to_thread(work), headers={"Cache-Control": "no-store"})
    except KernlabError as error:
        return JSONResponse({"error": str(error)}, 404)
