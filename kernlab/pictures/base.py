"""What a picture is: one registration says which arrays or metrics it needs and in which views it is shown.

    at = At(run, run.moment(), VIEW)
    for picture in offered("overview", at): picture.make(at)

A picture is offered wherever a run has what it needs, whatever the method is called. Nothing here knows the browser:
pages, the command line and notebooks draw the same figures.
"""

from __future__ import annotations

import math
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import plotly.graph_objects as go

from kernlab.bounds import BOUNDS, Bound
from kernlab.errors import OptionError, UnknownNameError
from kernlab.methods import MethodSpec
from kernlab.pictures.kernel_at import KernelAt, kernel_at
from kernlab.pictures.recorded import Moment, RecordedRun
from kernlab.pictures.sample import Sample, sorted_sample

_T = TypeVar("_T")

#: The switches of a view with their defaults. The type of a default is the value's; None stands for a number that may
#: be missing.
VIEW: dict[str, Any] = {
    "smooth": False,
    "log": False,
    "boundlog": True,
    "look": "principal direction 1",  # the line along which frequencies are projected
    "custom": "",  # its weights of the inputs, where a person chooses them
    "at": None,  # the moment, in epochs; None: the newest
    "reference": None,  # another moment with which that one is compared
    "output": 0,
    "start": "the origin",  # where a kernel along that line starts
    "surface": False,  # densities over a plane as a surface
    "order": "longest",  # of frequencies in a list
    "frequencies": "",  # places of the selected frequencies
    "points": "",  # places of the selected rows
    "matrix": "features",  # which Gram matrix is shown
    "measure": "relative",  # of the error of features
    "around": "",  # the row x₀ of k(x₀, ·)
}

#: The values that a run offers for a switch, by the switch's name.
CHOICES: dict[str, Callable[[At], Sequence[str]]] = {}


class At(NamedTuple):
    """A run seen at a moment: what pictures are made of.

    Attributes:
        run: the run.
        moment: the snapshot that is shown.
        view: the values of the switches, as in :data:`VIEW`.
        reference: an earlier or later moment with which this one is compared; None: nothing is compared.
        side: tells apart the runs that are shown side by side.
    """

    run: RecordedRun
    moment: Moment
    view: Mapping[str, Any] = VIEW
    reference: Moment | None = None
    side: str = ""

    @property
    def arrays(self) -> Mapping[str, Any]:
        """The arrays of the snapshot."""
        return self.moment.arrays

    @property
    def static(self) -> Mapping[str, Any]:
        """The arrays that stay the same over the run."""
        return self.run.static

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts stated at the run's start."""
        return self.run.facts

    @property
    def method(self) -> MethodSpec | None:
        """The method with every "auto" resolved."""
        return self.run.method

    @property
    def mark(self) -> float | None:
        """The epoch at which curves are marked: the moment, unless it is the newest."""
        return None if self.view["at"] is None else self.moment.epoch

    @property
    def bound(self) -> Bound | None:
        """The bound that belongs to the method."""
        return BOUNDS.get(str(self.facts.get("bound")))

    @property
    def kernel(self) -> KernelAt | None:
        """The kernel at the moment; None where a snapshot does not hold it."""
        return kernel_at(self.method, self.arrays) if self.method else None

    @property
    def kernel_before(self) -> KernelAt | None:
        """The kernel before training."""
        return kernel_at(self.method, {}, initial=self.static) if self.method else None

    @property
    def kernel_of_reference(self) -> KernelAt | None:
        """The kernel at the reference moment."""
        return kernel_at(self.method, self.reference.arrays) if self.method and self.reference else None

    @property
    def sample(self) -> Sample | None:
        """Rows of the run, sorted by class or target."""
        # Of a regression "classes" are the names of its outputs.
        classes = self.facts.get("classes") if self.facts.get("task") == "classification" else None
        return sorted_sample(self.static, classes or (), output=self.view["output"])

    @property
    def frequencies(self) -> tuple[int, ...]:
        """Places of the selected frequencies."""
        return places(self.view["frequencies"])

    @property
    def points(self) -> tuple[int, ...]:
        """Places of the selected rows in the sorted sample."""
        return places(self.view["points"])

    @property
    def image(self) -> tuple[int, int] | None:
        """Height and width, where inputs are pictures."""
        shape = self.facts.get("image_shape")
        return (int(shape[0]), int(shape[1])) if shape else None


class Picture(NamedTuple):
    """One picture, and when it is shown.

    Attributes:
        key: its name.
        make: draws it.
        views: where it is shown, by name.
        alt: what it shows, for readers who cannot see it.
        arrays: what the snapshot must hold.
        metrics: what must have been measured.
        when: what else must be true.
        height: in CSS pixels.
        uses: the switches that change it.
        over_time: it is drawn from the metrics of the whole run; otherwise from one snapshot.
        note: a formula and a sentence beneath it.
        wide: it takes the whole width of the page.
        events: what the browser reports of it.
        taken: what such a report changes of the view: (at, event, what was reported) -> new values by name.
    """

    key: str
    make: Callable[[At], go.Figure]
    views: tuple[str, ...]
    alt: str
    arrays: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    when: Callable[[At], bool] = lambda at: True
    height: int = 340
    uses: tuple[str, ...] = ()
    over_time: bool = False
    note: Callable[[At], tuple[str, str]] | None = None
    wide: bool = False
    events: tuple[Literal["click", "select"], ...] = ()
    taken: Callable[[At, str, Any], Mapping[str, Any]] | None = None

    def fits(self, at: At) -> bool:
        """Whether the run has all that the picture needs at this moment."""
        whole = set(self.arrays) <= at.arrays.keys() and set(self.metrics) <= at.run.history.keys()
        return whole and self.when(at)

    def stamp(self, at: At) -> Hashable:
        """A value that changes whenever the picture does."""
        time: tuple[Hashable, ...] = (at.moment.step, len(at.run.snapshots.steps) if "look" in self.uses else 0)
        if self.over_time:
            time = (*at.run.version, at.run.live, at.mark)
        compared = at.reference.step if at.reference else None
        return (at.run.id, *time, compared, *(at.view[name] for name in self.uses))


Drawing: TypeAlias = Callable[[At], go.Figure]

#: Every picture, in the order of the pages.
PICTURES: dict[str, Picture] = {}


def picture(*views: str, **rest: Any) -> Callable[[Drawing], Drawing]:
    """Decorator that registers ``draw_NAME`` as the picture NAME; the other arguments are those of :class:`Picture`."""

    def register(make: Drawing) -> Drawing:
        name = make.__name__.removeprefix("draw_")
        if (
            name in PICTURES and PICTURES[name].make.__module__ != make.__module__
        ):  # a hot reload may register one again
            raise ValueError(f"two pictures are called {name}")
        PICTURES[name] = Picture(name, make, views, **rest)
        return make

    return register


def offered(views: str | Sequence[str], at: At) -> list[Picture]:
    """The pictures that a view, or any of several, has for this run."""
    wanted = {views} if isinstance(views, str) else set(views)
    return [each for each in PICTURES.values() if wanted & set(each.views) and each.fits(at)]


def has_images(at: At) -> bool:
    """Whether inputs are pictures."""
    return at.image is not None


def places(text: str) -> tuple[int, ...]:
    """The numbers in a text like "3,17,40"."""
    return tuple(int(number) for number in re.findall(r"\d+", text))


# -- what several pictures of a moment need --------------------------------------------------------------------

_KEPT = 120  # results: a Gram matrix is half a megabyte
_computed: OrderedDict[Hashable, Any] = OrderedDict()
_lock = threading.Lock()


def once(at: At, key: tuple[Hashable, ...], make: Callable[[], _T]) -> _T:
    """The result of ``make``, computed once for a run, an output and a key that names the moment; the last 120 stay."""
    name = (at.run.id, at.view["output"], *key)
    with _lock:
        if name in _computed:
            _computed.move_to_end(name)
            found: _T = _computed[name]
            return found
    made = make()  # outside the lock, so that sessions do not wait for one another
    with _lock:
        _computed[name] = made
        while len(_computed) > _KEPT:
            _computed.popitem(last=False)
    return made


# -- a run as it is asked for by text --------------------------------------------------------------------------


def seen(run: RecordedRun, settings: Mapping[str, str] | None = None) -> At:
    """A run at the moment and with the switches that texts name.

    Args:
        run: refreshed.
        settings: switches of :data:`VIEW` as text; ``at`` and ``reference`` in epochs, the newest moment by default.

    Raises:
        UnknownNameError: there is no such switch, or the run does not offer that value.
        OptionError: a value of the wrong type, or a run without a snapshot.
    """
    view = dict(VIEW)
    for name, text in (settings or {}).items():
        view[name] = _value(name, text)
    moment = run.moment(view["at"])
    if moment is None:
        raise OptionError("a run must have a snapshot before it can be drawn", run.id, "wait until it has started")
    reference = None if view["reference"] is None else run.moment(view["reference"])
    at = At(run, moment, view, reference)
    for name in (settings or {}).keys() & CHOICES.keys():
        _among(f"value of {name} for this run", view[name], CHOICES[name](at))
    return at


def _value(name: str, text: str) -> Any:
    default = VIEW[_among("switch of the view", name, VIEW)]
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise OptionError(f"{name} must be true or false", text)
        return text.lower() == "true"
    try:
        number = float(text) if default is None else int(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        kind = "a number" if default is None else "a whole number"
        raise OptionError(f"{name} must be {kind} of at least 0", text)
    return number


def picture_for(key: str, at: At) -> Picture:
    """The picture of that name, if the run has what it needs.

    Raises:
        UnknownNameError: there is no such picture, or the run has not what it needs.
    """
    found = PICTURES[_among("picture", key, PICTURES)]
    fitting = [each.key for each in PICTURES.values() if each.fits(at)]
    if key not in fitting:
        raise UnknownNameError(f"the run must have what {key} needs", at.run.id, f"it has {', '.join(fitting)}")
    return found


def _among(kind: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    if name not in names:
        raise UnknownNameError.among(kind, name, names)
    return name
