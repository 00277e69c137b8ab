"""The second descent on the data and the assigned kernel of a run, computed on request beneath the Bounds page."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.numerals import number
from kernlab.pictures.base import At
from kernlab.pictures.interpolation import (
    PATIENCE,
    PENALTIES,
    Descent,
    descend,
    fitting,
    penalty_words,
    plot_errors,
    plot_promise,
    plot_sizes,
    work,
)
from kernlab.pictures.run_data import data_of
from kernlab.ui import pictures
from kernlab.ui.state import Values, one_of
from kernlab.ui.transport import duration

__all__ = ["DESCENT", "section"]

_KEPT, _HEIGHT = 8, 400
#: What the address of the page holds: whether it was asked for, of as many rows as are computed in half a minute or of
#: all, and the penalty.
DESCENT = Values("descent", one_of("descent", "", ("", "some", "all")), one_of("ridge", 0.0, PENALTIES))

_worker = ThreadPoolExecutor(1, "descent")  # one at a time: each takes all cores


class _Work:
    """The regressions of one run, computed in the background: a page that is left and opened again finds them."""

    def __init__(self, at: At, rows: str) -> None:
        self.share, self.rows, self.begun, self.took, self.stopped = 0.0, 0, 0.0, 0.0, False
        self.result: Future[Descent] = _worker.submit(self._compute, at, rows)

    def _compute(self, at: At, rows: str) -> Descent:
        assert at.method
        data, found = data_of(at.run), None
        n, K = len(data.X_train), data.dataset.n_outputs
        self.rows = n if rows == "all" else fitting(n, data.dataset.d, K)
        self.begun = time.monotonic()
        for share, found in descend(at.method.feature_map, data, seed=at.run.run.seed or 0, rows=self.rows):  # noqa: B007
            self.share = share
            if self.stopped:
                raise CancelledError
        assert found
        self.took = time.monotonic() - self.begun
        return found

    def stop(self) -> None:
        """End it at the next of its steps."""
        self.stopped = True
        DESCENT.change(descent="")

    @property
    def words(self) -> str:
        """How far it is."""
        if not self.begun:
            return "Waiting for another page"
        words = f"Fitting regressions on 10 to {number(4 * self.rows)} features of {number(self.rows)} training rows"
        left = (time.monotonic() - self.begun) * (1 - self.share) / max(self.share, 1e-9)
        return f"{words}: about {duration(left)} left" if self.share > 0.1 else words


_works: OrderedDict[tuple[str, str], _Work] = OrderedDict()  # of the last runs, for every session


def section(at: At) -> None:
    """The button, and what it led to."""
    st.header("Interpolation", anchor=False)
    st.markdown(
        "A regression on D random features of the assigned kernel, for D from 10 to four times the number n of "
        "training rows. Around D = n it can just fit every row, and its test error has a peak; beyond it the error "
        "falls a second time."
    )
    if not DESCENT["descent"]:
        st.button("Show the second descent", icon=":material/airline_stops:", key="descent", on_click=_ask,
                  args=("some",), help=f"On as many training rows as take {PATIENCE:.0f} seconds")  # fmt: skip
        return
    try:
        done = _done(at, DESCENT["descent"])
    except KernlabError as error:
        st.error(str(error), icon=":material/error:")
        return
    except CancelledError:
        return
    found = done.result.result()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.select_slider("Penalty λ, beside the mean k(x, x)", PENALTIES, DESCENT["ridge"], penalty_words,
                         **DESCENT.widget("ridge"))  # fmt: skip
        if found.rows < found.of_rows:
            data = data_of(at.run).dataset
            every, some = (work(n, data.d, data.n_outputs) for n in (found.of_rows, found.rows))
            seconds = duration(done.took * every / some)
            st.button(f"All {found.of_rows} training rows: about {seconds}", icon=":material/hourglass_top:",
                      key="descent.all", on_click=_ask, args=("all",))  # fmt: skip
    penalty = PENALTIES.index(DESCENT["ridge"])
    drawn = (
        ("descent_errors", plot_errors, "Train and test error over the number of features"),
        ("descent_sizes", plot_sizes, "Norm of the weights, condition number and effective dimension"),
        ("descent_bound", plot_promise, "The bound beside what it bounds"),
    )
    with st.container(key="overview-descent"):
        for column, (key, make, alt) in zip(st.columns(3), drawn, strict=True):
            with column:
                pictures.show(
                    key, (at.run.id, found.rows, penalty), partial(make, found, penalty), alt=alt, height=_HEIGHT
                )
    st.caption(
        "The frequencies are drawn anew from the assigned density; the features of a smaller D are among those of a "
        "larger one. The bound follows ‖W‖: its peak is where the weights are largest, and with λ both peaks go. "
        "Belkin, Hsu, Ma & Mandal 2019."
    )


def _ask(rows: str) -> None:
    DESCENT.change(descent=rows)


def _done(at: At, rows: str) -> _Work:
    """The regressions once they are done; until then a bar of progress and a button that stops them.

    Raises:
        KernlabError: the run has no features that can be drawn, or its data are gone or too many.
    """
    key = at.run.id, rows
    if key not in _works or _works[key].stopped:
        _works[key] = _Work(at, rows)
        while len(_works) > _KEPT:
            _works.popitem(last=False)[1].stopped = True
    found = _works[key]
    if not found.result.done():
        place = st.empty()
        with place.container(horizontal=True, vertical_alignment="center"):
            bar: Callable[[float, str], object] = st.progress(0.0, found.words).progress
            st.button("Stop", icon=":material/stop:", key="descent.stop", on_click=found.stop)
        while not found.result.done():
            bar(found.share, found.words)
            time.sleep(0.2)
        place.empty()
    try:
        found.result.result()
    except BaseException:
        _works.pop(key, None)
        raise
    return found
