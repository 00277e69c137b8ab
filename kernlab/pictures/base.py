"""What a picture is: its registration states which arrays or metrics it needs and in which views it is shown.

A picture is offered wherever a run has what it needs, whatever the method is called. Pages, the command line and
notebooks draw the same figures; :mod:`kernlab.pictures.gallery` has all of them.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import plotly.graph_objects as go

from kernlab.bounds import BOUNDS, Bound
from kernlab.methods import MethodSpec
from kernlab.pictures.kernel_at import KernelAt, kernel_at
from kernlab.pictures.recorded import Moment, RecordedRun
from kernlab.pictures.sample import Sample, sorted_sample

_T = TypeVar("_T")

#: The switches of a view with their defaults. The type of a default is the value's; None stands for a number that may
#: be absent.
VIEW: dict[str, Any] = {
    "smooth": False,
    "log": False,
    "boundlog": True,
    "look": "principal direction 1",  # the direction along which frequencies are projected
    "custom": "",  # the weights of the inputs in a direction that a person writes
    "at": None,  # the moment, in epochs; None: the newest
    "reference": None,  # an earlier or later moment with which that one is compared
    "output": 0,
    "start": "the origin",  # the point at which a kernel along the direction starts
    "surface": False,  # densities over a plane as a surface
    "order": "longest",  # of frequencies in a list
    # What is selected (:data:`SELECTED`), by number: rows as the data set counts them.
    "points": "",
    "frequencies": "",
    "classes": "",
    "inputs": "",
    "matrix": "features",  # which Gram matrix is shown
    "measure": "relative",  # of the error of features
    "around": "",  # the row x₀ of k(x₀, ·)
}

#: What a point of a picture can be, and the switch that has the numbers of the selected ones. The traces of a picture
#: state it as Plotly's ``meta``, from the kind to numbers: {"row": [p]}, one a point, bar or cell of a matrix (in
#: reading order); {"row": {"x": [c], "y": [r]}} along the axes of a matrix; {"class": 3} where the whole trace is one.
#: What is selected in one picture is then the same in all others, and the browser marks it without asking for a frame.
SELECTED = {"row": "points", "frequency": "frequencies", "class": "classes", "input": "inputs"}

#: The values that a run offers for a switch, by the switch's name.
CHOICES: dict[str, Callable[[At], Sequence[str]]] = {}


class At(NamedTuple):
    """A run at a moment with the switches of a view: everything that pictures are drawn from."""

    run: RecordedRun
    moment: Moment  # the snapshot that is shown
    view: Mapping[str, Any] = VIEW  # the values of the switches, as in :data:`VIEW`
    # the moment with which this one is compared; None: without comparison
    reference: Moment | None = None
    side: str = ""  # tells apart the runs that are shown side by side

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
    def data(self) -> str:
        """A name of the run's data, in which numbers mean the same rows; older runs have numbers of their own."""
        return self.run.run.fingerprint if "row_numbers" in self.static else self.run.id

    @property
    def mark(self) -> float | None:
        """The epoch at which curves are marked: the moment, unless it is the newest."""
        return None if self.view["at"] is None else self.moment.epoch

    @property
    def bound(self) -> Bound | None:
        """The bound that belongs to the method."""
        return BOUNDS.get(str(self.facts.get("bound")))

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of the classes; empty for a regression, whose facts name its outputs in the same place."""
        names = self.facts.get("classes") if self.facts.get("task") == "classification" else None
        return tuple(str(name) for name in names or ())

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
        """Places of the selected rows in the sorted sample, in the order in which they were selected."""
        wanted = places(self.view["points"])
        found = (
            {int(number): place for place, number in enumerate(self.sample.numbers)} if wanted and self.sample else {}
        )
        return tuple(found[number] for number in wanted if number in found)

    @property
    def image(self) -> tuple[int, int] | None:
        """Height and width, where inputs are pictures."""
        shape = self.facts.get("image_shape")
        return (int(shape[0]), int(shape[1])) if shape else None


class Picture(NamedTuple):
    """One picture, and when it is shown."""

    key: str
    make: Callable[[At], go.Figure]
    views: tuple[str, ...]
    alt: str  # its alternative text, for readers who cannot see it
    arrays: tuple[str, ...] = ()  # the arrays that the snapshot must hold
    metrics: tuple[str, ...] = ()  # the metrics that must have been measured
    when: Callable[[At], bool] = lambda at: True  # a further condition
    height: int = 340  # in CSS pixels
    uses: tuple[str, ...] = ()  # the switches that change it
    over_time: bool = False  # it is drawn from the metrics of the whole run; otherwise from one snapshot
    note: Callable[[At], tuple[str, str]] | None = None  # a formula and a sentence beneath it
    of_data: bool = False  # it shows the data alone, so that runs on the same data have the same one
    together: tuple[str, ...] = ()  # names of its curves that several runs have in one picture; none: each its own
    wide: bool = False  # it takes the whole width of the page
    events: tuple[Literal["click"], ...] = ()  # the events that the browser reports of it
    # the switches that such an event changes: (at, event, its report) -> new values by name
    taken: Callable[[At, str, Any], Mapping[str, Any]] | None = None

    def fits(self, at: At) -> bool:
        """Whether the run has all that the picture needs at this moment."""
        whole = set(self.arrays) <= at.arrays.keys() and set(self.metrics) <= at.run.history.keys()
        return whole and self.when(at)


Drawing: TypeAlias = Callable[[At], go.Figure]

#: The pictures of those files that have been imported; :data:`kernlab.pictures.gallery.PICTURES` is complete.
REGISTERED: dict[str, Picture] = {}


def picture(*views: str, **rest: Any) -> Callable[[Drawing], Drawing]:
    """Decorator that registers ``draw_NAME`` as the picture NAME; the other arguments are those of :class:`Picture`."""

    def register(make: Drawing) -> Drawing:
        name = make.__name__.removeprefix("draw_")
        # A hot reload may register a picture again.
        if name in REGISTERED and REGISTERED[name].make.__module__ != make.__module__:
            raise ValueError(f"two pictures are called {name}")
        REGISTERED[name] = Picture(name, make, views, **rest)
        return make

    return register


def has_images(at: At) -> bool:
    """Whether inputs are pictures."""
    return at.image is not None


def places(text: str) -> tuple[int, ...]:
    """The numbers in a text like "3,17,40"."""
    return tuple(int(number) for number in re.findall(r"\d+", text))


# -- results that several pictures of a moment share ------------------------------------------------------------

_KEPT = 120  # results: a Gram matrix is half a megabyte
_computed: OrderedDict[Hashable, Any] = OrderedDict()
_lock = threading.Lock()


def once(at: At, key: tuple[Hashable, ...], make: Callable[[], _T]) -> _T:
    """The result of ``make``, computed once for a run, an output and a key of the moment; the last 120 are kept."""
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
