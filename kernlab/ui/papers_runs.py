"""Results that are no table over splits: released examples with their errors, and figures without numbers.

They are run in a process of their own, and shown beside what was printed.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from kernlab.analysis.tables import to_csv
from kernlab.bench.di_figures import METHODS as DI_METHODS
from kernlab.bench.di_figures import WIDTHS
from kernlab.bench.lkrf import EXAMPLES
from kernlab.data.folder import VARIABLE, files
from kernlab.errors import KernlabError
from kernlab.pictures.beside import plot_measured
from kernlab.ui import grid, pictures
from kernlab.ui.papers_choices import Choices, choices_of, keep
from kernlab.ui.papers_job import Asked, Progress, reproductions
from kernlab.ui.polling import EVERY
from kernlab.ui.transport import duration

__all__ = ["RESULTS", "command", "form", "pace", "printed", "show", "usual"]


class Result(NamedTuple):
    """A result that ``kernlab reproduce`` computes at once.

    Attributes:
        said: how it is computed, and how long that takes.
        printed: draws what the paper printed of it.
        parts: names of its parts.
        first: parts that are chosen where nothing else is said.
        columns: of our table: key, heading, decimals (None: as it is).
        figure: what is drawn: key and axis.
        note: stands beneath our table.
    """

    said: str
    printed: Callable[[], None]
    parts: tuple[str, ...]
    first: tuple[str, ...]
    columns: tuple[tuple[str, str, int | None], ...]
    figure: tuple[str, str]
    note: str


def _lkrf() -> None:
    heads = ["Example", "Features", "Training error, printed", "Test error, printed"]
    lines = [grid.line(heads, tag="th", names=2)]
    for example in EXAMPLES:
        for method, (train, test) in example.published.items():
            about = f"{example.name}: {example.n} rows, d = {example.d}"
            words = {"RF": "plain", "LKRF": "re-weighted"}[method]
            lines.append(grid.line([about, words, f"{train:.4f}", f"{test:.3f}"], names=2))
    st.markdown("**Errors of the released examples, as printed**")
    grid.show(lines, "papers-printed")
    st.caption(
        "Shares of rows on the wrong side, as the released scripts print them for one draw; shell: y = sign(‖x‖ − √d), "
        "linear: y = sign(wᵀx). A constant answer is wrong on 44 % of the first's rows and on half of the second's."
    )


def _di() -> None:
    st.markdown(
        "**What the figures claim** (they were printed without numbers, so there are none to stand beside ours)\n"
        "- Learned features need far fewer dimensions than drawn ones for the same error.\n"
        "- With Nyström features, training for the discriminant information reaches a lower ridge error on the "
        "training part than training for the squared error itself.\n"
        "- Of support vector machines on the learned features, those on NysDI's are the most accurate of the Nyström "
        "kind; with random Fourier features, cross-entropy is better on letter and covtype."
    )


_METHOD = ("method", "Method", None)

RESULTS: dict[str, Result] = {
    "lkrf-examples": Result(
        "Draws the data and 20 000 candidate cosines anew, weights them, and fits ridge regression; about a minute.",
        _lkrf,
        tuple(example.name for example in EXAMPLES),
        tuple(example.name for example in EXAMPLES),
        (("example", "Example", None), _METHOD, ("features", "Features", 0), ("chi_square", "χ²", 2),
         ("train_error", "Training error", 4), ("published_train_error", "printed", 4),
         ("test_error", "Test error", 3), ("published_test_error", "printed", 3)),
        ("test_error", "test error"),
        "LKRF: the features whose weights are not zero; RF: as many drawn ones. With bias: the same features, with a "
        "constant fitted besides, which the released scripts do not do. Another draw moves test errors by about 0.01.",
    ),
    "di-figures": Result(
        f"Trains {len(DI_METHODS)} methods on the sources' own splits and fits ridge regression and a support vector "
        "machine on each; minutes for letter, about an hour for MNIST.",
        _di,
        tuple(WIDTHS),
        ("letter",),
        (("dataset", "Data set", None), ("D", "D", 0), _METHOD, ("ridge_train_error", "Ridge error, training", 4),
         ("ridge_test_error", "Ridge error, test", 4), ("svm_train_accuracy", "SVM accuracy, training (%)", 2),
         ("svm_test_accuracy", "SVM accuracy, test (%)", 2), ("seconds", "Seconds", 1)),
        ("ridge_test_error", "ridge error on the test part"),
        "RF, Nys and Nys-kmeans are drawn; -CE, -LS and DI are learned. Ridge errors are sums over outputs, means over "
        "rows.",
    ),
}  # fmt: skip


def printed(name: str) -> None:
    """What the paper printed."""
    RESULTS[name].printed()


def usual(name: str) -> Choices:
    """What is quick: one draw of the first parts that are at hand."""
    first = [part for part in RESULTS[name].first if part in _there(name)]
    return Choices(tuple(first or _there(name)), 1)


def _there(name: str) -> list[str]:
    """The parts whose data are at hand."""
    try:
        return [part for part in RESULTS[name].parts if part not in WIDTHS or part in files()]
    except KernlabError:
        return []


def form(name: str) -> Asked | None:
    """The widgets, and what they ask for; None where nothing can be computed."""
    result, there, now = RESULTS[name], _there(name), choices_of(name)
    if lacking := [part for part in result.parts if part not in there]:
        st.info(f"Not at hand: {', '.join(lacking)}. Set {VARIABLE} to a folder with {lacking[0]}.parquet; "
                "datasets/README.md describes the format.", icon=":material/folder_off:")  # fmt: skip
    if not there:
        return None
    first = [part for part in now.datasets if part in there] or list(usual(name).datasets)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.pills("Parts", there, selection_mode="multi", default=first, key=f"papers.datasets.{name}")
        repeats = st.number_input("Repeats", 1, 100, min(now.repeats or 1, 100), key=f"papers.repeats.{name}",
                                  width=130, help="Draws of everything, averaged.")  # fmt: skip
    chosen = [part for part in there if part in chosen]
    keep(name, now._replace(datasets=tuple(chosen), repeats=int(repeats)))
    if not chosen:
        st.warning("Choose at least one part.", icon=":material/left_click:")
        return None
    return Asked(name, tuple(chosen), int(repeats), now.seed)


def command(what: Asked) -> str:
    """The command line that computes the same."""
    return shlex.join(["kernlab", *what.words])


def pace(what: Asked | None) -> float | None:
    """Seconds between two looks; none when nothing moves."""
    return EVERY if what and reproductions().look(what).status == "running" else None


def show(what: Asked) -> None:
    """The buttons, what it is doing, and ours beside the printed."""
    jobs, result = reproductions(), RESULTS[what.name]
    now = jobs.look(what)
    with st.container(horizontal=True, key="papers-transport"):
        again = "Reproduce again" if now.status == "finished" else "Reproduce"
        st.button(again, type="primary", icon=":material/play_arrow:", on_click=_act, args=(jobs.start, what),
                  disabled=now.status == "running", help="Compute it anew, in the background")  # fmt: skip
        st.button("Stop", icon=":material/stop:", on_click=_act, args=(jobs.stop, what),
                  disabled=now.status != "running", help="End it; nothing of it is kept")  # fmt: skip
    if trouble := st.session_state.get("papers.trouble"):
        st.error(trouble, icon=":material/error:")
    _state(now, result)
    if now.rows:
        _table(what.name, now.rows, result)


def _act(do: Callable[[Asked], None], what: Asked) -> None:
    st.session_state["papers.trouble"] = ""
    try:
        do(what)
    except KernlabError as error:
        st.session_state["papers.trouble"] = str(error)


def _state(now: Progress, result: Result) -> None:
    if now.status == "":
        st.info(f"{result.said} It goes on when the page is closed.", icon=":material/replay:")
    elif now.status == "running":
        st.info(f"Running · {duration(now.seconds)} · {now.said[-1] if now.said else 'starting'}",
                icon=":material/play_arrow:")  # fmt: skip
        if len(now.said) > 1:
            with st.expander(f"{len(now.said)} steps so far"):
                st.code("\n".join(now.said), language=None, wrap_lines=True)
    elif now.status == "failed":
        st.error(now.error, icon=":material/error:")
    elif now.status == "stopped":
        st.info("Stopped; nothing of it is kept.", icon=":material/stop_circle:")
    else:
        st.caption(f":material/check_circle: Computed here in {duration(now.seconds)}.")


def _table(name: str, rows: Sequence[Mapping[str, Any]], result: Result) -> None:
    lines = [grid.line([heading for _, heading, _ in result.columns], tag="th")]
    lines += [grid.line([_word(row, key, places) for key, _, places in result.columns]) for row in rows]
    st.markdown("**Ours beside the printed**" if "published_test_error" in rows[0] else "**Ours**")
    grid.show(lines, "papers-beside")
    st.caption(result.note)
    st.download_button("Table as CSV", lambda: to_csv(rows), f"{name}.csv", "text/csv", key="papers.csv",
                       icon=":material/download:", on_click="ignore")  # fmt: skip
    key, words = result.figure
    stamp = tuple(row[key] for row in rows)
    pictures.show(f"papers-{name}", stamp, lambda: plot_measured(rows, key, words), height=160 + 34 * len(rows),
                  alt=f"{words} of every method")  # fmt: skip


def _word(row: Mapping[str, Any], key: str, places: int | None) -> str:
    value = row.get(key)
    if places is None or isinstance(value, str):
        return str(value)
    return grid.figure(value, row.get(f"{key}_std"), places)
