"""A printed table, what of it is computed anew, and ours beside it while that goes on.

The comparison that the form says is stored under a name made of everything in it, so the same form finds it again:
after a reload, in another browser, and begun by ``kernlab reproduce`` just as well.
"""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from kernlab.bench.published import TABLES as PRINTED
from kernlab.bench.published import printed
from kernlab.bench.tables import TABLES, available, beside, comparison_of
from kernlab.compare import Comparison, Tuning
from kernlab.compare.job import ComparisonManager, Snapshot
from kernlab.compare.records import comparison_id
from kernlab.compare.summary import CONSTANT, OFF_SCALE, Published
from kernlab.data.catalogue import registered
from kernlab.devices import cores
from kernlab.errors import KernlabError, UnknownNameError
from kernlab.pictures.beside import METRICS, plot_beside
from kernlab.ui import grid, pictures
from kernlab.ui.forms import show_error
from kernlab.ui.papers_choices import Choices, choices_of, keep
from kernlab.ui.steering import look, open_comparison, opened, progress, transport

__all__ = ["command", "form", "open_stored", "printed_table", "results", "usual"]

_QUICK, _REPEATS = 2, 3  # the smallest data sets at hand, and splits, where nothing else is said
_PLACES = {"accuracy": 2, "rmse": 2, "mse": 4, "train_seconds": 4}


def usual(table: str) -> Choices:
    """What is quick: the smallest data sets of a table that are at hand, in its order, and a few splits."""
    about = registered()
    try:
        there = available(table)
    except KernlabError:
        there = []
    small = sorted(there, key=lambda name: about[name].rows if name in about else 0)[:_QUICK]
    return Choices(tuple(name for name in there if name in small), _REPEATS)


# -- what was printed ------------------------------------------------------------------------------------------


def printed_table(table: str) -> None:
    """The figures as they were printed, with the constant predictor and marks where they are off the stated scale."""
    about, figures = PRINTED[table], printed(table)
    methods = list(dict.fromkeys(figure.method for figure in figures))
    rows: dict[str, dict[str, Published]] = {}
    for figure in figures:
        rows.setdefault(figure.dataset, {})[figure.method] = figure
    known = any(figure.constant is not None for figure in figures)
    heads = ["Data set", "", *methods, *([f"{CONSTANT} predictor"] if known else [])]
    lines = [grid.line(list(map(escape, heads)), tag="th", names=2)]
    for dataset, row in rows.items():
        first = next(iter(row.values()))
        places = _PLACES[first.metric]
        unit = f'<span class="quiet">{METRICS[first.metric].split(" (")[0]}</span>'
        constant = "–" if first.constant is None else grid.figure(first.constant, None, places)
        best = _best(row)
        cells = [_cell(row[method], places, best) if method in row else "" for method in methods]
        lines.append(grid.line([escape(dataset), unit, *cells, *([constant] if known else [])], names=2))
    st.markdown(f"**{about.title}, as printed**")
    grid.show(lines, "papers-printed")
    marked = sum(bool(figure.mark) for figure in figures)
    scale = ", ".join(words for metric, words in METRICS.items() if any(f.metric == metric for f in figures))
    note = f"{about.citation}. {about.protocol[0].upper()}{about.protocol[1:]}. Units: {scale}. **Bold**: best printed."
    if any(figure.metric == "accuracy" for figure in figures):
        note += " What a constant predictor's accuracy is comes with the reproduction."
    st.caption(note)
    if marked:
        st.warning(
            f"† {OFF_SCALE} ({marked} of {len(figures)} figures): on the scale that the paper states, predicting the "
            "mean of the targets for every row has a smaller error than these. Whatever they were measured on, it was "
            "something else, so a better figure of ours claims nothing there.",
            icon=":material/straighten:",
        )


def _best(row: Mapping[str, Published]) -> float | None:
    """The best printed figure of a data set; none where its scale is in doubt."""
    if any(figure.mark for figure in row.values()):
        return None
    means = [figure.mean for figure in row.values()]
    return max(means) if next(iter(row.values())).metric == "accuracy" else min(means)


def _cell(figure: Published, places: int, best: float | None) -> str:
    text = _as_printed(figure.mean, figure.std, places)
    if figure.mark:
        return f'<span title="{escape(figure.mark)}">{text} †</span>'
    return f"<b>{text}</b>" if figure.mean == best else text


def _as_printed(mean: float | None, std: float | None, places: int) -> str:
    """With a deviation like 1.29e-5 as it stands."""
    if mean is not None and std and std < 0.5 * 10**-places:
        return f"{grid.figure(mean, None, places)} ± {std:.2e}".replace("e-0", "e-")
    return grid.figure(mean, std, places)


# -- what is computed ------------------------------------------------------------------------------------------


def form(table: str) -> Comparison | None:
    """Which data sets, how often, tuned or not; None while something is missing or wrong."""
    now, names = choices_of(table), TABLES[table].datasets
    try:
        there = available(table)
    except KernlabError as error:
        show_error(error)
        return None
    _missing([name for name in names if name not in there], expanded=not there)
    if not there:
        return None
    chosen = [name for name in now.datasets if name in there] or list(usual(table).datasets)
    with st.container(horizontal=True, vertical_alignment="bottom", key="papers-form"):
        chosen = st.multiselect("Data sets", there, chosen, key=f"papers.datasets.{table}", format_func=_described,
                                width=420, placeholder="Choose one or more")  # fmt: skip
        repeats = st.number_input("Repeats", 1, 1000, now.repeats or _REPEATS, key=f"papers.repeats.{table}", width=130,
                                  help="Random splits of each data set; the paper took 30.")  # fmt: skip
        tune = st.toggle("Tune", now.tune, key=f"papers.tune.{table}",
                         help="Search every method's settings inside each training part, all by the same rule. The "
                         "test part is never looked at.")  # fmt: skip
        budget = now.budget
        if tune:
            budget = st.number_input("Minutes of tuning", 0.1, 10_000.0, budget, key=f"papers.budget.{table}",
                                     format="%g", width=160, help="For all data sets together.")  # fmt: skip
    unknown = [name for name in now.datasets if name not in there]
    now = Choices(tuple(chosen), int(repeats), bool(tune), float(budget), now.seed)
    keep(table, now)
    try:
        for name in unknown:
            if name not in names:
                raise UnknownNameError.among(f"data set of {table}", name, names)
        if not chosen:
            st.warning("Choose at least one data set.", icon=":material/left_click:")
            return None
        tuning: dict[str, Any] = {}
        if tune:
            tuning = {"tuning": Tuning(), "budget": 60 * now.budget, "workers": cores()}
        return comparison_of(table, datasets=chosen, repeats=now.repeats, seed=now.seed, **tuning)
    except KernlabError as error:
        show_error(error)
        return None


def _described(name: str) -> str:
    about = registered().get(name)
    return f"{name} · {about.rows:,} rows".replace(",", " ") if about else name


def _missing(names: Sequence[str], *, expanded: bool) -> None:
    """Data sets of the table whose files are not here, with where they come from."""
    if not names:
        return
    about = registered()
    several = "s are" if len(names) > 1 else " is"
    words = f"{len(names)} data set{several} not at hand: {', '.join(names)}"
    with st.expander(words, icon=":material/folder_off:", expanded=expanded):
        st.markdown(
            "Set **KERNLAB_DATA** to a folder with a file NAME.parquet for each: a column for each input, and the "
            "column `target` (datasets/README.md describes the format). Where they come from:"
        )
        entries = [(name, about.get(name)) for name in names]
        st.markdown("\n".join(f"- **{name}**: {entry.origin}" for name, entry in entries if entry))


def command(table: str) -> str:
    """The command line that computes the same, or goes on with it."""
    now = choices_of(table)
    words = ["kernlab", "reproduce", table, "--datasets", ",".join(now.datasets), "--repeats", str(now.repeats)]
    words += ["--seed", str(now.seed)] if now.seed else []
    words += ["--tune", "--budget", f"{60 * now.budget:g}"] if now.tune else []
    return shlex.join(words)


def open_stored(jobs: ComparisonManager, comparison: Comparison | None) -> None:
    """Put what the form says on the page, if it was ever begun."""
    wanted = comparison_id(comparison) if comparison else None
    now = opened()
    if now is None or now.id != wanted:
        st.session_state["compare.trouble"] = ""
        try:
            open_comparison(jobs.store.comparison(wanted) if wanted else None)
        except UnknownNameError:
            open_comparison(None)


# -- what came of it -------------------------------------------------------------------------------------------


def results(table: str, jobs: ComparisonManager, comparison: Comparison | None) -> None:
    """The buttons, how far it is, and ours beside the printed figures."""
    snapshot, stored = look(jobs), opened()
    transport(jobs, snapshot, comparison, start="Reproduce", name=table,
              help="Compute the chosen part of the table anew, in the background")  # fmt: skip
    if snapshot is None or stored is None:
        if comparison:
            cells = len(comparison.methods) * len(comparison.datasets) * comparison.repeats
            st.info(
                f"**Reproduce** trains the table's methods and the constant predictor on the same splits: {cells} "
                "cells. It goes on when the page is closed, can be stopped at any time, and computes nothing twice.",
                icon=":material/replay:",
            )
        return
    progress(snapshot, stored)
    if snapshot.records:
        _beside(table, snapshot)


def _beside(table: str, snapshot: Snapshot) -> None:
    rows = beside(table, snapshot.records)
    finished = [row for row in rows if row["mean"] is not None]
    st.markdown("**Ours beside the printed**")
    if not finished:
        st.caption("The first split is complete once every method has finished it.")
    timed = all(row["metric"] == "train_seconds" for row in rows)
    against = [f"Ours / {rows[0]['method']}", "Printed / same"] if timed else ["Difference", "Constant"]
    heads = ["Data set", "Method", "Ours", "Printed", *against, "Unit", "Splits", "Training (s)", ""]
    lines = [grid.line(heads, tag="th", names=2)]
    lines += [grid.line(_words(row), quiet=row["method"] == CONSTANT, names=2) for row in rows]
    grid.show(lines, "papers-beside")
    for message, names in _failures(rows).items():
        st.error(f"{', '.join(names)}: {message}", icon=":material/error:")
    st.caption(
        "Mean ± standard deviation over the splits that every method has finished; constant: what predicting one value "
        "gives on the same splits. Better means a better mean, ours under the settings chosen here; no test is made. "
        "Seconds are of this machine and theirs."
    )
    st.download_button("Table as CSV", lambda: _csv(rows), f"{table}.csv", "text/csv", key="papers.csv",
                       icon=":material/download:", on_click="ignore")  # fmt: skip
    metrics = list(dict.fromkeys(row["metric"] for row in finished if row["published_mean"] is not None))
    stamp = (snapshot.id, len(snapshot.records))
    for place, metric in zip(st.columns(max(len(metrics), 1)), metrics, strict=False):
        with place:
            pictures.show(f"papers-beside-{metric}", (*stamp, table), partial(plot_beside, rows, metric),
                          alt=f"Our {METRICS[metric]} against the printed", height=440)  # fmt: skip


def _words(row: Mapping[str, Any]) -> list[str]:
    places = _PLACES.get(row["metric"], 4)
    ours, theirs = row["mean"], row["published_mean"]
    if row["metric"] == "train_seconds":  # of two machines, so only what each says of its own can be compared
        against = ["" if row[key] is None else f"{row[key]:.3g}" for key in ("times", "published_times")]
    else:
        difference = "" if ours is None or theirs is None else f"{ours - theirs:+.{places}f}".replace("-", "−")
        against = [difference, "–" if row["constant"] is None else grid.figure(row["constant"], None, places)]
    told = row["mark"] or {True: "ours is better", False: "printed is better", None: ""}[row["beats"]]
    if row["failed"]:
        told = ", ".join(filter(None, [told, f"{row['failed']} failed"]))
    seconds = "–" if row["seconds"] is None else f"{row['seconds']:.3g}"
    return [
        escape(row["dataset"]),
        escape(row["method"]),
        grid.figure(ours, row["std"], places),
        _as_printed(theirs, row["published_std"], places),
        *against,
        METRICS.get(row["metric"], row["metric"]).split(" (")[0],
        str(row["n"]),
        seconds,
        escape(told),
    ]


def _failures(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Each reason once, with the methods and data sets that gave it."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for message in row["messages"]:
            found.setdefault(message, []).append(f"{row['method']} on {row['dataset']}")
    return found


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = [key for key in rows[0] if key != "messages"]
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()
