"""One published result on the Papers page: as printed, what of it is computed anew, and ours beside it.

A printed table is an ordinary comparison, stored under a name made of everything in it, so the same form finds it
again: after a reload, in another browser, and where ``kernlab reproduce`` began it. Any other result is one
computation in a process of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from html import escape
from typing import Any, TypeAlias

import streamlit as st

from kernlab import numerals
from kernlab.compare import Comparison, Tuning
from kernlab.compare.records import comparison_id
from kernlab.compare.summary import CONSTANT, OFF_SCALE, Published
from kernlab.compare.tables import to_csv
from kernlab.data.folder import VARIABLE, files
from kernlab.data.registered import registered
from kernlab.devices import cores
from kernlab.errors import KernlabError, UnknownNameError
from kernlab.jobs import manager
from kernlab.jobs.comparisons import Comparisons, ComparisonState
from kernlab.jobs.reproductions import ReproductionState, Request
from kernlab.papers import REPRODUCTIONS, TABLES
from kernlab.papers.base import Reproduction
from kernlab.papers.tables import VERDICTS, available, beside, comparison_of, printed
from kernlab.pictures.beside import METRICS, plot_beside, plot_measured
from kernlab.ui import elements, grid, pictures, steering
from kernlab.ui.forms import show_error
from kernlab.ui.news import reproduction_phase
from kernlab.ui.state import Value, Values, names, number
from kernlab.ui.transport import duration

__all__ = ["choices", "command", "form", "open_stored", "printed_figures", "show", "show_printed"]

_QUICK, _REPEATS = 2, 3  # the smallest data sets at hand, and splits, where nothing else is chosen
_PLACES = {"accuracy": 2, "rmse": 2, "mse": 4, "train_seconds": 4}

Work: TypeAlias = Comparison | Request


@cache
def choices(result: str) -> Values:
    """What of a result is computed; each result keeps its own. None: what is quick."""
    return Values(
        f"papers.{result}",
        names("datasets", lambda: _names(result), f"data set of {result}", default=None),
        number("repeats", None, 1, 1000),  # splits or draws
        Value("tune", False),
        number("budget", 10.0, 0.1, 10_000, whole=False),  # minutes of tuning
        number("seed", 0, 0),  # of the first split or draw
    )


def _names(result: str) -> Sequence[str]:
    """The data sets of a table, or the parts of a reproduction."""
    return TABLES[result].datasets if result in TABLES else REPRODUCTIONS[result].parts


def _quick(result: str, at_hand: Sequence[str]) -> list[str]:
    """The smallest data sets of a table, or the first parts of a reproduction, of those that are at hand."""
    if result in TABLES:
        about = registered()
        small = sorted(at_hand, key=lambda name: about[name].rows if name in about else 0)[:_QUICK]
    else:
        small = list(REPRODUCTIONS[result].first)
    return [name for name in at_hand if name in small] or list(at_hand)


def _at_hand(result: str) -> list[str]:
    """The data sets of a table, or the parts of a reproduction, that can be computed here."""
    try:
        if result in TABLES:
            return available(result)
        about = REPRODUCTIONS[result]
        return [part for part in about.parts if not about.prepared or part in files()]
    except KernlabError:  # a folder of KERNLAB_DATA does not exist: the form says so
        return []


# -- what was printed ------------------------------------------------------------------------------------------


def show_printed(result: str) -> None:
    """What the paper printed of it."""
    if result in TABLES:
        printed_figures(result)
        return
    about = REPRODUCTIONS[result]
    st.markdown(f"**{about.title}**")
    if about.rows:
        lines = [grid.line(about.head, tag="th", names=2), *(grid.line(row, names=2) for row in about.rows)]
        grid.show(lines, "papers-printed", main=True)
        st.caption(about.note)
    else:
        st.markdown(about.note)


def printed_figures(table: str, datasets: Collection[str] = ()) -> None:
    """The printed figures, with the constant predictor and marks where they are off the stated scale.

    Args:
        table: a name of TABLES.
        datasets: whose figures are shown; default: all of the table.
    """
    about = TABLES[table]
    figures = [figure for figure in printed(table) if not datasets or figure.dataset in datasets]
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
    grid.show(lines, f"printed-{table}", main=True)
    marked = sum(bool(figure.mark) for figure in figures)
    scale = ", ".join(words for metric, words in METRICS.items() if any(f.metric == metric for f in figures))
    note = f"{about.citation}. {about.printed[0].upper()}{about.printed[1:]}. Units: {scale}. **Bold**: best printed."
    if any(figure.metric == "accuracy" for figure in figures):
        note += " The accuracy of a constant predictor is computed with the reproduction."
    st.caption(note)
    if marked:
        st.warning(
            f"† {OFF_SCALE} ({marked} of {len(figures)} figures): on the scale that the paper states, predicting the "
            "mean of the targets for every row has a smaller error than these. Whatever they were measured on, it was "
            "something else, so a better figure of ours proves nothing for these data sets.",
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
    """A deviation too small for the decimals is written as it was printed: 1.29e-5."""
    if mean is not None and std and std < 0.5 * 10**-places:
        return f"{grid.figure(mean, None, places)} ± {std:.2e}".replace("e-0", "e-")
    return grid.figure(mean, std, places)


# -- what is computed ------------------------------------------------------------------------------------------


def form(result: str) -> Work | None:
    """Which data sets or parts, how often, tuned or not; None while something is missing."""
    table, now = result in TABLES, choices(result)
    if table:
        try:
            available(result)
        except KernlabError as error:
            show_error(error)
            return None
    at_hand = _at_hand(result)
    _missing([name for name in _names(result) if name not in at_hand], expanded=not at_hand, prepared=not table)
    if not at_hand:
        return None
    quick, wanted = _quick(result, at_hand), now["datasets"]
    chosen = [name for name in wanted or () if name in at_hand]
    chosen = quick if not chosen and wanted != () else chosen
    repeats, most = now["repeats"] or (_REPEATS if table else 1), 1000 if table else 100
    several = now.widget("datasets", chosen, lambda picked: None if picked == quick else tuple(picked))
    with st.container(horizontal=True, vertical_alignment="bottom", key="papers-form"):
        if table:
            st.multiselect("Data sets", at_hand, chosen, **several, format_func=_described, width=420,
                           placeholder="Choose one or more")  # fmt: skip
        else:
            st.pills("Parts", at_hand, selection_mode="multi", default=chosen, **several)
        repeats = min(repeats, most)
        help = "Random splits of each data set; the paper took 30." if table else "Draws of everything, averaged."
        st.number_input("Repeats", 1, most, repeats, **now.widget("repeats", repeats), width=130, help=help)
        if table:
            st.toggle("Tune", now["tune"], **now.widget("tune"),
                      help="Search every method's settings inside each training part, all by the same rule. The test "
                      "part is never used for it.")  # fmt: skip
            if now["tune"]:
                st.number_input("Minutes of tuning", 0.1, 10_000.0, now["budget"], **now.widget("budget"), format="%g",
                                width=160, help="For all data sets together.")  # fmt: skip
    if not chosen:
        st.warning(f"Choose at least one {'data set' if table else 'part'}.", icon=":material/left_click:")
        return None
    if not table:
        return Request(result, tuple(name for name in at_hand if name in chosen), repeats, now["seed"])
    tuning: dict[str, Any] = {}
    if now["tune"]:
        tuning = {"tuning": Tuning(), "budget": 60 * now["budget"], "workers": cores()}
    return comparison_of(result, datasets=chosen, repeats=repeats, seed=now["seed"], **tuning)


def _described(name: str) -> str:
    about = registered().get(name)
    return f"{name} · {numerals.number(about.rows)} rows" if about else name


def _missing(names: Sequence[str], *, expanded: bool, prepared: bool) -> None:
    """Data sets whose files are not here, with where they come from."""
    if not names:
        return
    if prepared:
        st.info(f"Not at hand: {', '.join(names)}. Set {VARIABLE} to a folder with {names[0]}.parquet; "
                "datasets/README.md describes the format.", icon=":material/folder_off:")  # fmt: skip
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


def command(result: str, work: Work) -> str:
    """The command line that computes the same, or goes on with it."""
    if isinstance(work, Request):
        return shlex.join(["kernlab", *work.words])
    now, datasets = choices(result), ",".join(data.dataset for data in work.datasets)
    words = ["kernlab", "reproduce", result, "--datasets", datasets, "--repeats", str(work.repeats)]
    words += ["--seed", str(work.seed)] if work.seed else []
    words += ["--tune", "--budget", f"{60 * now['budget']:g}"] if now["tune"] else []
    return shlex.join(words)


def open_stored(work: Work | None) -> None:
    """Put the comparison that the form describes on the page, if it was ever begun."""
    store = manager().comparisons.store
    wanted = comparison_id(work) if isinstance(work, Comparison) else None
    now = steering.opened()
    if now is None or now.id != wanted:
        st.session_state["compare.trouble"] = ""
        try:
            steering.open_comparison(store.comparison(wanted) if wanted else None)
        except UnknownNameError:
            steering.open_comparison(None)


# -- results ---------------------------------------------------------------------------------------------------


def show(result: str, work: Work) -> None:
    """The buttons, the progress, and ours beside the printed."""
    if isinstance(work, Request):
        _reproduction(work)
    else:
        _comparison(result, manager().comparisons, work)


def _comparison(table: str, jobs: Comparisons, comparison: Comparison) -> None:
    snapshot, stored = steering.snapshot_of(jobs), steering.opened()
    steering.transport(jobs, snapshot, comparison, start="Reproduce", name=table,
                       help="Compute the chosen part of the table anew, in the background")  # fmt: skip
    if snapshot is None or stored is None:
        cells = len(comparison.methods) * len(comparison.datasets) * comparison.repeats
        st.info(
            f"**Reproduce** trains the table's methods and the constant predictor on the same splits: {cells} "
            "cells. It goes on when the page is closed, can be stopped at any time, and computes nothing twice.",
            icon=":material/replay:",
        )
        return
    steering.progress(snapshot, stored)
    if snapshot.records:
        _beside(table, snapshot)


def _beside(table: str, snapshot: ComparisonState) -> None:
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
    grid.show(lines, "papers-beside", main=True)
    failures: dict[str, list[str]] = {}  # each reason once, with the methods and data sets that gave it
    for row in rows:
        for message in row["messages"]:
            failures.setdefault(message, []).append(f"{row['method']} on {row['dataset']}")
    for message, whose in failures.items():
        st.error(f"{', '.join(whose)}: {message}", icon=":material/error:")
    st.caption(
        "Mean ± standard deviation over the splits that every method has finished; constant: what predicting one value "
        "gives on the same splits. Better means a better mean, ours under the settings chosen here; no test is made. "
        "Seconds are of this machine and theirs."
    )
    _download(table, [{key: value for key, value in row.items() if key != "messages"} for row in rows])
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
    verdict = row["mark"] or VERDICTS[row["beats"]]
    if row["failed"]:
        verdict = ", ".join(filter(None, [verdict, f"{row['failed']} failed"]))
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
        escape(verdict),
    ]


def _download(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    st.download_button("Table as CSV", lambda: to_csv(rows), f"{name}.csv", "text/csv", key="papers.csv",
                       icon=":material/download:", on_click="ignore")  # fmt: skip


def _reproduction(work: Request) -> None:
    jobs, about = manager().reproductions, REPRODUCTIONS[work.name]
    now = jobs.snapshot(work.key)

    def act(do: Callable[[], None]) -> None:
        st.session_state["reproduction.trouble"] = ""
        try:
            do()
        except KernlabError as error:
            st.session_state["reproduction.trouble"] = str(error)

    with st.container(horizontal=True, key="papers-transport"):
        again = "Reproduce again" if now.status == "finished" else "Reproduce"
        st.button(again, type="primary", icon=":material/play_arrow:", on_click=act,
                  args=(partial(jobs.start, work),), disabled=now.live,
                  help="Compute it anew, in the background")  # fmt: skip
        st.button("Stop", icon=":material/stop:", on_click=act, args=(partial(jobs.cancel, work.key),),
                  disabled=not (now.live and now.mine), help="End it; nothing of it is kept")  # fmt: skip
    if trouble := st.session_state.get("reproduction.trouble"):
        st.error(trouble, icon=":material/error:")
    _state(now, about)
    if now.rows:
        _ours(about, now.rows)


def _state(now: ReproductionState, about: Reproduction) -> None:
    if now.status == "":
        st.info(f"{about.protocol} It goes on when the page is closed.", icon=":material/replay:")
    elif now.live:
        elements.progress(f"reproduction/{now.id}", reproduction_phase(now), key="reproduction-progress")
        if len(now.lines) > 1:
            with st.expander(f"{len(now.lines)} steps so far"):
                st.code("\n".join(now.lines), language=None, wrap_lines=True)
    elif now.status == "failed":
        st.error(now.error, icon=":material/error:")
    elif now.status == "finished":
        st.caption(f":material/check_circle: Computed here in {duration(now.elapsed)}.")
    else:
        st.info(f"{now.status.capitalize()}; nothing of it is kept.", icon=":material/stop_circle:")


def _ours(about: Reproduction, rows: Sequence[Mapping[str, Any]]) -> None:
    lines = [grid.line([heading for _, heading, _ in about.columns], tag="th")]
    lines += [grid.line([_word(row, key, places) for key, _, places in about.columns]) for row in rows]
    st.markdown("**Ours beside the printed**" if "published_test_error" in rows[0] else "**Ours**")
    grid.show(lines, "papers-beside", main=True)
    st.caption(about.remark)
    _download(about.name, rows)
    key, words = about.figure
    stamp = tuple(row[key] for row in rows)
    pictures.show(f"papers-{about.name}", stamp, lambda: plot_measured(rows, key, words), height=160 + 34 * len(rows),
                  alt=f"{words} of every method")  # fmt: skip


def _word(row: Mapping[str, Any], key: str, places: int | None) -> str:
    value = row.get(key)
    if places is None or isinstance(value, str):
        return str(value)
    return grid.figure(value, row.get(f"{key}_std"), places)
