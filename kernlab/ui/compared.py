"""The right side of the Compare page: what came of a comparison so far, the same for all methods at any moment."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from html import escape
from typing import Any

import streamlit as st

from kernlab.compare import tables
from kernlab.compare.bands import bands
from kernlab.compare.records import StoredComparison
from kernlab.compare.summary import CONSTANT, OFF_SCALE, Beside, Row, Summary, Table, summarise
from kernlab.jobs.comparisons import ComparisonState
from kernlab.papers.tables import TABLES, VERDICTS, printed
from kernlab.pictures.comparison import plot_bands, plot_repeats, plot_speed
from kernlab.pictures.ranks import plot_ranks
from kernlab.ui import grid, pictures
from kernlab.ui.forms import to_text
from kernlab.ui.live import digits

__all__ = ["VIEW", "fill_view", "results", "view_scene"]

#: What the address may say about the view; leaving it out means this.
_DEFAULTS: dict[str, Any] = {"show": None, "test": "paired", "level": 0.05}

#: The address's words for the view.
VIEW = tuple(_DEFAULTS)

_TESTS = {"paired": "Paired t-test", "corrected": "Corrected t-test"}
_METRICS = {"accuracy": "accuracy (%)", "rmse": "RMSE", "mse": "MSE", "train_seconds": "training (s)"}
_LEVELS = (0.01, 0.05, 0.1)


# -- what is shown ---------------------------------------------------------------------------------------------


# Widgets that are not drawn lose their value, so what the view shows is kept here and given to them.
def _view() -> dict[str, Any]:
    kept: dict[str, Any] = st.session_state.setdefault("compare.view", dict(_DEFAULTS))
    return kept


def fill_view(scene: Mapping[str, str]) -> None:
    """Take the view from an address; what makes no sense there means the default."""
    levels = {to_text(level): level for level in _LEVELS}
    _view().update(
        show=scene.get("show"),
        test=scene["test"] if scene.get("test") in _TESTS else "paired",
        level=levels.get(scene.get("level", ""), 0.05),
    )
    for key in VIEW:
        st.session_state.pop(f"compare.view.{key}", None)


def view_scene() -> dict[str, str]:
    """What the address has to say about the view."""
    return {key: to_text(value) for key, value in _view().items() if value != _DEFAULTS[key]}


# -- the page --------------------------------------------------------------------------------------------------


def results(snapshot: ComparisonState, stored: StoredComparison) -> None:
    """Pictures, tables, what failed and the exports."""
    view, methods = _view(), stored.comparison.methods
    with st.container(horizontal=True, vertical_alignment="center", key="compare-views"):
        there = list(dict.fromkeys(record.cell["data"]["dataset"] for record in snapshot.records))
        if view["show"] not in there:
            view["show"] = there[0]
        if len(there) > 1:
            _choice("show", "Data set", there)
        _choice("test", "Test", list(_TESTS), _TESTS)
        _choice("level", "Level", list(_LEVELS), {level: f"{100 * level:g} %" for level in _LEVELS})
        place = st.container(width="content")
    stamp = (stored.id, len(snapshot.records), len(snapshot.failed), view["test"], view["level"])
    summary = _summary(stamp, snapshot, stored)
    with place:
        _exports(snapshot, summary, stored)
    table = next(each for each in summary.tables if each.dataset == view["show"])
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


def _choice(key: str, label: str, choices: list[Any], words: Mapping[Any, str] | None = None) -> None:
    """A widget for one entry of the view."""
    view, widget = _view(), f"compare.view.{key}"
    if st.session_state.get(widget) not in choices:
        st.session_state[widget] = view[key]
    names = {choice: str(choice) for choice in choices} | dict(words or {})
    if len(choices) > 4:
        view[key] = st.selectbox(label, choices, choices.index(view[key]), key=widget, format_func=names.__getitem__,
                                 label_visibility="collapsed", width=220)  # fmt: skip
    else:
        view[key] = st.segmented_control(label, choices, default=view[key], key=widget, required=True,
                                         format_func=names.__getitem__, label_visibility="collapsed")  # fmt: skip


def _summary(stamp: tuple[Any, ...], snapshot: ComparisonState, stored: StoredComparison) -> Summary:
    """Made anew only when something has changed: the page looks twice a second."""
    held = st.session_state.get("compare.summary")
    if held is None or held[0] != stamp:
        figures = [figure for name in TABLES for figure in printed(name)]
        made = summarise(snapshot.records, methods=stored.comparison.methods, published=figures,
                         test=stamp[3], level=stamp[4])  # fmt: skip
        held = st.session_state["compare.summary"] = (stamp, made)
    summary: Summary = held[1]
    return summary


# -- tables ----------------------------------------------------------------------------------------------------


def _table(table: Table, summary: Summary) -> None:
    """Mean ± std of every method; best bold, what is not significantly worse underlined."""
    unit = "accuracy (%)" if table.metric == "accuracy" else "RMSE"
    tuned = any(row.tuning_seconds for row in table.rows)
    first = "p" if summary.test == "paired" else "p, corrected"
    other = "p, corrected" if summary.test == "paired" else "p, paired"
    heads = ["Method", f"Test {unit}", first, other, "Training (s)", *(["Search (s)"] if tuned else []), "Splits"]
    lines = [grid.line([*heads], tag="th")]
    for row in table.rows:
        decides, beside = (row.p, row.p_corrected) if summary.test == "paired" else (row.p_corrected, row.p)
        searched = [_seconds(row.tuning_seconds)] if tuned else []
        splits = str(row.n) + (f" ({row.failed} failed)" if row.failed else "")
        cells = [escape(row.method) + _warning(row), _mean(row, table), _p(decides), _p(beside, quiet=True)]
        lines.append(grid.line([*cells, _seconds(row.seconds), *searched, splits]))
    if table.constant is not None and all(row.method != CONSTANT for row in table.rows):
        words = [f"{CONSTANT} predictor", _figure(table.constant, table.constant_std, table), "", "", ""]
        lines.append(grid.line([*words, *([""] if tuned else []), str(len(table.splits))], quiet=True))
    train, test = (f"{n:,}".replace(",", " ") for n in (table.n_train, table.n_test))
    splits = "split" if table.waiting == 1 else "splits"
    waiting = f"; {table.waiting} further {splits} not yet finished by every method" if table.waiting else ""
    st.markdown(f"**{table.dataset}** · {train} rows to train on, {test} to test on{waiting}")
    grid.show(lines, "compare-table")
    said = "Mean ± standard deviation. **Bold**: best. Underlined: not significantly worse. " if summary.note else ""
    st.caption(f"{said}{summary.note}")
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


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 1 else digits(value)


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
    told = figure.mark or VERDICTS[beside.beats]
    places = 2 if figure.metric in ("accuracy", "rmse") else 4
    mean, ours = (grid.figure(*pair, places) for pair in ((figure.mean, figure.std), (beside.mean, beside.std)))
    constant = "" if figure.constant is None else grid.figure(figure.constant, None, places)
    names = [_named(figure.table), figure.method, _METRICS.get(figure.metric, figure.metric)]
    return [*map(escape, names), mean, constant, ours, escape(told)]


# -- exports ---------------------------------------------------------------------------------------------------


def _exports(snapshot: ComparisonState, summary: Summary, stored: StoredComparison) -> None:
    """The comparison as files; every picture has its own camera."""
    name = f"comparison-{stored.id}"
    files = {
        "Table as LaTeX": (f"{name}.tex", "text/x-tex", lambda: tables.to_latex(summary)),
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
        st.caption("Pictures are saved by their own camera.")
