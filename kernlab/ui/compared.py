"""The right side of the Compare page: the results of a comparison so far, for all methods on the same splits."""

from __future__ import annotations

import math
from collections import Counter
from html import escape
from typing import Any

import streamlit as st

from kernlab.compare import tables
from kernlab.compare.bands import bands
from kernlab.compare.records import StoredComparison
from kernlab.compare.summary import CONSTANT, OFF_SCALE, Beside, Row, Summary, Table, summarise
from kernlab.jobs.comparisons import ComparisonState
from kernlab.numerals import number
from kernlab.papers.tables import TABLES, VERDICTS, printed
from kernlab.pictures.comparison import plot_bands, plot_ranks, plot_repeats, plot_speed
from kernlab.ui import grid, pictures
from kernlab.ui.state import Value, Values, name

__all__ = ["SHOWN", "results"]

_TESTS = {"paired": "Paired t-test", "corrected": "Corrected t-test"}
_METRICS = {"accuracy": "accuracy (%)", "rmse": "RMSE", "mse": "MSE", "train_seconds": "training (s)"}
_LEVELS = {"0.01": "1 %", "0.05": "5 %", "0.1": "10 %"}

#: How results are shown: of which data set (None: the first), by which test, at which level.
SHOWN = Values(
    "compare.view",
    Value("show", None, str),
    name("test", "paired", lambda: _TESTS),
    name("level", "0.05", lambda: _LEVELS),
)

# -- the page --------------------------------------------------------------------------------------------------


def results(snapshot: ComparisonState, stored: StoredComparison) -> None:
    """Pictures, tables, what failed and the exports."""
    methods = stored.comparison.methods
    with st.container(horizontal=True, vertical_alignment="center", key="compare-views"):
        datasets = list(dict.fromkeys(record.cell["data"]["dataset"] for record in snapshot.records))
        dataset = SHOWN.choice("show", "Data set", datasets, menu=len(datasets) > 4)
        SHOWN.choice("test", "Test", list(_TESTS), _TESTS)
        SHOWN.choice("level", "Level", list(_LEVELS), _LEVELS)
        place = st.container(width="content")
    stamp = (stored.id, len(snapshot.records), len(snapshot.failed), SHOWN["test"], float(SHOWN["level"]))
    summary = _summary(stamp, snapshot, stored)
    with place:
        _exports(snapshot, summary, stored)
    table = next(each for each in summary.tables if each.dataset == dataset)
    shown = (*stamp, table.dataset)
    left, right = st.columns(2)
    with left:
        pictures.show(
            "compare-bands", shown,
            lambda: plot_bands(bands(snapshot.records, table.dataset, methods=methods), constant=True),
            alt=f"Test metric of every method over training on {table.dataset}, with bands over the repeats",
            height=400,
        )  # fmt: skip
    with right:
        pictures.show("compare-repeats", shown, lambda: plot_repeats(table), height=400,
                      alt=f"Every repeat of every method on {table.dataset}")  # fmt: skip
    _table(table, summary)
    _failures(snapshot)
    first, *others = st.columns(2 if len(summary.tables) > 1 else 1)
    with first:
        tuned = stored.comparison.tuning is not None
        pictures.show("compare-speed", shown, lambda: plot_speed(table, tuning=tuned), height=400,
                      alt=f"Training time against the test metric on {table.dataset}")  # fmt: skip
    for second in others:
        with second:
            pictures.show("compare-ranks", shown, lambda: plot_ranks(summary.ranks), height=400,
                          alt="Average ranks over the data sets with the critical difference")  # fmt: skip
    _published(table)


def _summary(stamp: tuple[Any, ...], snapshot: ComparisonState, stored: StoredComparison) -> Summary:
    """Computed anew only when something has changed: while cells are computed, the page asks every second."""
    stored_summary = st.session_state.get("compare.summary")
    if stored_summary is None or stored_summary[0] != stamp:
        figures = [figure for name in TABLES for figure in printed(name)]
        made = summarise(snapshot.records, methods=stored.comparison.methods, published=figures,
                         test=stamp[3], level=stamp[4])  # fmt: skip
        stored_summary = st.session_state["compare.summary"] = (stamp, made)
    summary: Summary = stored_summary[1]
    return summary


# -- tables ----------------------------------------------------------------------------------------------------


def _table(table: Table, summary: Summary) -> None:
    """Mean ± std of every method; best bold, what is not significantly worse underlined."""
    unit = "accuracy (%)" if table.metric == "accuracy" else "RMSE"
    first = "p" if summary.test == "paired" else "p, corrected"
    other = "p, corrected" if summary.test == "paired" else "p, paired"
    heads = ["Method", f"Test {unit}", first, other, *(column.heading for column in summary.columns), "Splits"]
    lines = [grid.line([*heads], tag="th")]
    for row in table.rows:
        decides, beside = (row.p, row.p_corrected) if summary.test == "paired" else (row.p_corrected, row.p)
        measured = [_measured(row.measured[column.key]) for column in summary.columns]
        splits = str(row.n) + (f" ({row.failed} failed)" if row.failed else "")
        cells = [escape(row.method) + _warning(row), _mean(row, table), _p(decides), _p(beside, quiet=True)]
        lines.append(grid.line([*cells, *measured, splits]))
    if table.constant is not None and all(row.method != CONSTANT for row in table.rows):
        words = [f"{CONSTANT} predictor", _figure(table.constant, table.constant_std, table), "", ""]
        lines.append(grid.line([*words, *[""] * len(summary.columns), str(len(table.splits))], quiet=True))
    train, test = (number(n) for n in (table.n_train, table.n_test))
    splits = "split" if table.waiting == 1 else "splits"
    waiting = f"; {table.waiting} further {splits} not yet finished by every method" if table.waiting else ""
    st.markdown(f"**{table.dataset}** · {train} rows to train on, {test} to test on{waiting}")
    grid.show(lines, "compare-table", main=True)
    legend = "Mean ± standard deviation. **Bold**: best. Underlined: not significantly worse. " if summary.note else ""
    st.caption(f"{legend}{summary.note}")
    for remark in table.remarks():
        st.caption(f":material/info: {remark}")


def _warning(row: Row) -> str:
    if row.method == CONSTANT or row.beats_constant is not False:
        return ""
    return ' <span class="quiet">(no better than the constant)</span>'


def _mean(row: Row, table: Table) -> str:
    text = _figure(row.mean, row.std, table)
    return f"<b>{text}</b>" if row.best else f"<u>{text}</u>" if row.not_worse else text


def _figure(mean: float | None, std: float | None, table: Table) -> str:
    if mean is None:
        return "–"
    places = 2 if table.metric == "accuracy" else max(0, min(8, 3 - math.floor(math.log10(abs(mean) or 1.0))))
    return grid.figure(mean, std, places)


def _p(value: float | None, *, quiet: bool = False) -> str:
    text = "" if value is None else "&lt; 0.001" if value < 0.001 else f"{value:.3f}"
    return f'<span class="quiet">{text}</span>' if quiet else text


def _measured(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 1 else number(value, 4)


def _failures(snapshot: ComparisonState) -> None:
    """Each reason once, with the cells that gave it."""
    reasons = Counter(
        (record.cell["method"], record.cell["data"]["dataset"], record.message) for record in snapshot.failed
    )
    if reasons:
        with st.expander(f"{len(snapshot.failed)} failed", icon=":material/error:", expanded=True):
            for (method, dataset, message), count in reasons.items():
                cells = f" ({count} splits)" if count > 1 else ""
                st.markdown(f"**{method}** on **{dataset}**{cells}: {message}")


def _published(table: Table) -> None:
    """Printed figures of this data set, ours beside them on the same scale."""
    if not table.published:
        return
    heads = ["Printed in", "Method", "Metric", "Printed", "Constant", "Ours", ""]
    lines = [grid.line([*heads], tag="th"), *(grid.line(_printed(each)) for each in table.published)]
    st.markdown(f"**{table.dataset} in the papers**")
    grid.show(lines, "compare-published")
    used = dict.fromkeys(each.published.table for each in table.published)
    marked = any(each.published.mark for each in table.published)
    note = f" *{OFF_SCALE}*: worse than predicting a constant there, so nothing is claimed from it." if marked else ""
    st.caption(" ".join(f"{_named(name)}: {TABLES[name].citation}; {TABLES[name].printed}." for name in used) + note
               + " Better means a better mean, ours under the protocol chosen here; no test is made.")  # fmt: skip


def _named(table: str) -> str:
    """ "askl-table2" as people say it."""
    paper, _, number = table.partition("-table")
    return f"{paper.upper()}, Table {number}"


def _printed(beside: Beside) -> list[str]:
    figure = beside.published
    verdict = figure.mark or VERDICTS[beside.beats]
    places = 2 if figure.metric in ("accuracy", "rmse") else 4
    mean, ours = (grid.figure(*pair, places) for pair in ((figure.mean, figure.std), (beside.mean, beside.std)))
    constant = "" if figure.constant is None else grid.figure(figure.constant, None, places)
    names = [_named(figure.table), figure.method, _METRICS.get(figure.metric, figure.metric)]
    return [*map(escape, names), mean, constant, ours, escape(verdict)]


# -- exports ---------------------------------------------------------------------------------------------------


def _exports(snapshot: ComparisonState, summary: Summary, stored: StoredComparison) -> None:
    """The comparison as files; every picture has its own camera."""
    name = f"comparison-{stored.id}"
    files = {
        "Table as LaTeX": (f"{name}.tex", "text/x-tex", lambda: tables.to_latex(summary)),
        "Costs as LaTeX": (f"{name}-costs.tex", "text/x-tex", lambda: tables.to_latex_costs(summary)),
        "A row a method (CSV)": (f"{name}-wide.csv", "text/csv", lambda: tables.to_wide_csv(summary)),
        "A row a cell (CSV)": (f"{name}-long.csv", "text/csv", lambda: tables.to_long_csv(snapshot.records)),
        "Everything as JSON": (f"{name}.json", "application/json", lambda: tables.to_json(summary)),
    }
    if any(table.published for table in summary.tables):
        published = (f"{name}-published.tex", "text/x-tex", lambda: tables.to_latex_published(summary))
        files["Printed figures as LaTeX"] = published
    with st.popover("Export", icon=":material/download:"):
        for label, (file, mime, make) in files.items():
            st.download_button(label, data=make, file_name=file, mime=mime, key=f"compare.export.{label}",
                               on_click="ignore", width="stretch")  # fmt: skip
        st.caption("Each picture is saved by the camera in its corner.")
