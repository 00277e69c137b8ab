"""One published result on the Papers page: as printed, what of it is computed anew, and ours beside it.

A printed table is an ordinary comparison, stored under a name made of everything in it, so the same form finds it
again: after a reload, in another browser, and where ``kernlab reproduce`` began it. Any other result is one
computation in a process of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple, TypeAlias

import streamlit as st

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
from kernlab.jobs.reproductions import Asked, ReproductionState
from kernlab.papers import REPRODUCTIONS, TABLES
from kernlab.papers.base import Reproduction
from kernlab.papers.tables import VERDICTS, available, beside, comparison_of, printed
from kernlab.pictures.beside import METRICS, plot_beside, plot_measured
from kernlab.ui import grid, pictures, steering
from kernlab.ui.forms import show_error, to_text
from kernlab.ui.polling import EVERY
from kernlab.ui.transport import duration, sharing, status_words

__all__ = ["command", "fill", "form", "pace", "show", "show_printed"]

_QUICK, _REPEATS = 2, 3  # the smallest data sets at hand, and splits, where nothing else is chosen
_PLACES = {"accuracy": 2, "rmse": 2, "mse": 4, "train_seconds": 4}

Work: TypeAlias = Comparison | Asked


class Choices(NamedTuple):
    """What of a result is computed; each result keeps its own."""

    datasets: tuple[str, ...] = ()  #: by name, as they were written; empty: a few that are quick
    repeats: int = 0  #: splits or draws; 0: as many as are quick
    tune: bool = False  #: search settings
    budget: float = 10.0  #: minutes of that
    seed: int = 0  #: of the first split or draw


_DEFAULT = Choices()


def _all() -> dict[str, Choices]:
    kept: dict[str, Choices] = st.session_state.setdefault("papers.choices", {})
    return kept


def fill(result: str, scene: Mapping[str, str]) -> None:
    """Take the choices for one result from an address; a number that makes no sense there means the default."""

    def number(key: str, low: float, high: float, default: float) -> float:
        try:
            value = float(scene.get(key, ""))
        except ValueError:
            return default
        return value if low <= value <= high else default

    names = (name.strip() for name in scene.get("datasets", "").split(","))
    _all()[result] = Choices(
        tuple(dict.fromkeys(filter(None, names))),
        int(number("repeats", 1, 1000, _DEFAULT.repeats)),
        scene.get("tune") == "true",
        number("budget", 0.1, 10_000, _DEFAULT.budget),
        int(number("seed", 0, 2**31 - 1, _DEFAULT.seed)),
    )
    for key in Choices._fields:
        st.session_state.pop(f"papers.{key}.{result}", None)


def scene_of(result: str) -> dict[str, str]:
    """The address of the choices for a result: what differs from the quick ones."""
    now, quick = _all().get(result, _DEFAULT), _quick(result)
    scene = {"datasets": ",".join(now.datasets)} if now.datasets not in ((), quick.datasets) else {}
    if now.repeats not in (0, quick.repeats):
        scene["repeats"] = str(now.repeats)
    if now.tune:
        scene |= {"tune": "true"} | ({"budget": to_text(now.budget)} if now.budget != quick.budget else {})
    return scene | ({"seed": str(now.seed)} if now.seed else {})


def _quick(result: str) -> Choices:
    """What is quick: the smallest data sets of a table, or one draw of the first parts, of those that are at hand."""
    at_hand = _at_hand(result)
    if result in TABLES:
        about = registered()
        small = sorted(at_hand, key=lambda name: about[name].rows if name in about else 0)[:_QUICK]
        return Choices(tuple(name for name in at_hand if name in small), _REPEATS)
    first = [part for part in REPRODUCTIONS[result].first if part in at_hand]
    return Choices(tuple(first or at_hand), 1)


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
        _printed_table(result)
        return
    about = REPRODUCTIONS[result]
    st.markdown(f"**{about.title}**")
    if about.rows:
        lines = [grid.line(about.head, tag="th", names=2), *(grid.line(row, names=2) for row in about.rows)]
        grid.show(lines, "papers-printed")
        st.caption(about.note)
    else:
        st.markdown(about.note)


def _printed_table(table: str) -> None:
    """The printed figures, with the constant predictor and marks where they are off the stated scale."""
    about, figures = TABLES[table], printed(table)
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
    note = f"{about.citation}. {about.printed[0].upper()}{about.printed[1:]}. Units: {scale}. **Bold**: best printed."
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
    """A deviation too small for the decimals is written as it was printed: 1.29e-5."""
    if mean is not None and std and std < 0.5 * 10**-places:
        return f"{grid.figure(mean, None, places)} ± {std:.2e}".replace("e-0", "e-")
    return grid.figure(mean, std, places)


# -- what is computed ------------------------------------------------------------------------------------------


def form(result: str) -> Work | None:
    """Which data sets or parts, how often, tuned or not; None while something is missing or wrong."""
    table = TABLES.get(result)
    names = table.datasets if table else REPRODUCTIONS[result].parts
    if table:
        try:
            available(result)
        except KernlabError as error:
            show_error(error)
            return None
    at_hand, now = _at_hand(result), _all().get(result, _DEFAULT)
    _missing([name for name in names if name not in at_hand], expanded=not at_hand, prepared=table is None)
    if not at_hand:
        return None
    chosen = [name for name in now.datasets if name in at_hand] or list(_quick(result).datasets)
    unknown = [name for name in now.datasets if name not in names]
    with st.container(horizontal=True, vertical_alignment="bottom", key="papers-form"):
        now = (_table_widgets if table else _part_widgets)(result, at_hand, chosen, now)
    _all()[result] = now
    try:
        if not table:
            if now.datasets:
                return Asked(result, now.datasets, now.repeats, now.seed)
            st.warning("Choose at least one part.", icon=":material/left_click:")
            return None
        for name in unknown:
            raise UnknownNameError.among(f"data set of {result}", name, names)
        if not now.datasets:
            st.warning("Choose at least one data set.", icon=":material/left_click:")
            return None
        tuning: dict[str, Any] = {}
        if now.tune:
            tuning = {"tuning": Tuning(), "budget": 60 * now.budget, "workers": cores()}
        return comparison_of(result, datasets=now.datasets, repeats=now.repeats, seed=now.seed, **tuning)
    except KernlabError as error:
        show_error(error)
        return None


def _part_widgets(name: str, at_hand: Sequence[str], chosen: Sequence[str], now: Choices) -> Choices:
    parts = st.pills("Parts", at_hand, selection_mode="multi", default=chosen, key=f"papers.datasets.{name}")
    repeats = st.number_input("Repeats", 1, 100, min(now.repeats or 1, 100), key=f"papers.repeats.{name}", width=130,
                              help="Draws of everything, averaged.")  # fmt: skip
    return now._replace(datasets=tuple(part for part in at_hand if part in parts), repeats=int(repeats))


def _table_widgets(table: str, at_hand: Sequence[str], chosen: Sequence[str], now: Choices) -> Choices:
    datasets = st.multiselect("Data sets", at_hand, chosen, key=f"papers.datasets.{table}", format_func=_described,
                              width=420, placeholder="Choose one or more")  # fmt: skip
    repeats = st.number_input("Repeats", 1, 1000, now.repeats or _REPEATS, key=f"papers.repeats.{table}", width=130,
                              help="Random splits of each data set; the paper took 30.")  # fmt: skip
    tune = st.toggle("Tune", now.tune, key=f"papers.tune.{table}",
                     help="Search every method's settings inside each training part, all by the same rule. The "
                     "test part is never used for it.")  # fmt: skip
    budget = now.budget
    if tune:
        budget = st.number_input("Minutes of tuning", 0.1, 10_000.0, budget, key=f"papers.budget.{table}",
                                 format="%g", width=160, help="For all data sets together.")  # fmt: skip
    return Choices(tuple(datasets), int(repeats), bool(tune), float(budget), now.seed)


def _described(name: str) -> str:
    about = registered().get(name)
    return f"{name} · {about.rows:,} rows".replace(",", " ") if about else name


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
    if isinstance(work, Asked):
        return shlex.join(["kernlab", *work.words])
    now = _all().get(result, _DEFAULT)
    words = ["kernlab", "reproduce", result, "--datasets", ",".join(now.datasets), "--repeats", str(now.repeats)]
    words += ["--seed", str(now.seed)] if now.seed else []
    words += ["--tune", "--budget", f"{60 * now.budget:g}"] if now.tune else []
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


# -- what came of it -------------------------------------------------------------------------------------------


def pace(work: Work | None) -> float | None:
    """Seconds between two drawings; None when nothing is under way."""
    if isinstance(work, Comparison):
        return steering.pace(manager().comparisons)
    return EVERY if work and manager().reproductions.snapshot(work.key).live else None


def show(result: str, work: Work) -> None:
    """The buttons, the progress, and ours beside the printed."""
    if isinstance(work, Asked):
        _reproduction(work)
    else:
        _comparison(result, manager().comparisons, work)


def _comparison(table: str, jobs: Comparisons, comparison: Comparison) -> None:
    snapshot, stored = steering.look(jobs), steering.opened()
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
    grid.show(lines, "papers-beside")
    failures: dict[str, list[str]] = {}  # each reason once, with the methods and data sets that gave it
    for row in rows:
        for message in row["messages"]:
            failures.setdefault(message, []).append(f"{row['method']} on {row['dataset']}")
    for message, names in failures.items():
        st.error(f"{', '.join(names)}: {message}", icon=":material/error:")
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


def _reproduction(work: Asked) -> None:
    jobs, about = manager().reproductions, REPRODUCTIONS[work.name]
    now = jobs.snapshot(work.key)

    def act(do: Callable[[], None]) -> None:
        st.session_state["papers.trouble"] = ""
        try:
            do()
        except KernlabError as error:
            st.session_state["papers.trouble"] = str(error)

    with st.container(horizontal=True, key="papers-transport"):
        again = "Reproduce again" if now.status == "finished" else "Reproduce"
        st.button(again, type="primary", icon=":material/play_arrow:", on_click=act,
                  args=(partial(jobs.start, work),), disabled=now.live,
                  help="Compute it anew, in the background")  # fmt: skip
        st.button("Stop", icon=":material/stop:", on_click=act, args=(partial(jobs.cancel, work.key),),
                  disabled=not (now.live and now.mine), help="End it; nothing of it is kept")  # fmt: skip
    if trouble := st.session_state.get("papers.trouble"):
        st.error(trouble, icon=":material/error:")
    _state(now, about)
    if now.rows:
        _ours(about, now.rows)


def _state(now: ReproductionState, about: Reproduction) -> None:
    if now.status == "":
        st.info(f"{about.said} It goes on when the page is closed.", icon=":material/replay:")
    elif now.live:
        words = [status_words(now), *([duration(now.elapsed)] if now.elapsed else []), *now.said[-1:]]
        st.info(" · ".join(words))
        sharing(now)
        if len(now.said) > 1:
            with st.expander(f"{len(now.said)} steps so far"):
                st.code("\n".join(now.said), language=None, wrap_lines=True)
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
    grid.show(lines, "papers-beside")
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
