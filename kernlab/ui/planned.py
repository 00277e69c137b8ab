"""What stands on the Compare page before the first result: splits, their cost in time, and what the papers print."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from kernlab.compare import Comparison
from kernlab.compare.forecast import Forecast, forecast
from kernlab.compare.records import RecordStore
from kernlab.data import DataSpec, Known
from kernlab.numerals import number
from kernlab.papers.tables import TABLES
from kernlab.ui import compare, grid
from kernlab.ui.papers_results import printed_figures
from kernlab.ui.setup import data_sets
from kernlab.ui.transport import duration

__all__ = ["cost_words", "preview"]


def preview(comparison: Comparison | None, store: RecordStore) -> None:
    """What Start would compute; of an empty form, what the example computes.

    Args:
        comparison: as the form says it, or the one under way; None while methods or data sets are missing.
        store: of earlier cells.
    """
    names, repeats, share = compare.FORM["datasets"], compare.FORM["repeats"], compare.FORM["test_size"]
    if comparison is None and not names:
        st.header("An example", anchor=False)
        comparison = compare.example()
    if comparison:
        _preview(comparison.datasets, comparison.repeats, comparison, store)
    else:
        _preview([DataSpec(dataset=name, test_size=share) for name in names], repeats, None, store)


def _preview(datasets: Sequence[DataSpec], repeats: int, comparison: Comparison | None, store: RecordStore) -> None:
    known = {each.name: each for each in data_sets()}
    rows = {data.dataset: count for data in datasets if (count := _rows(data, known.get(data.dataset)))}
    parts = {
        name: _parts(rows[name], data.test_size)
        for data in datasets if (name := data.dataset) in rows and data.split == "random"
    }  # fmt: skip
    heads = ["Data set", "Task", "Rows", "Inputs", "To train on", "To test on", "Splits"]
    lines = [grid.line(heads, tag="th", names=2)]
    for data in datasets:
        about = known.get(data.dataset)
        kind = (f"{about.classes} classes" if about.classes else about.task or "") if about else ""
        sizes = [rows.get(data.dataset), about and about.features, *parts.get(data.dataset, (None, None)), repeats]
        lines.append(grid.line([data.dataset, kind, *("–" if n is None else number(n) for n in sizes)], names=2))
    grid.show(lines, "compare-splits")
    if comparison:
        cells = len(comparison.methods) * len(datasets) * repeats
        found = forecast(comparison, {name: train for name, (train, _) in parts.items()}, store)
        st.markdown(f"{', '.join(comparison.methods)} on {repeats} split{'s' * (repeats > 1)} of each data set: "
                    f"{number(cells)} cells, {cost_words(found)}")  # fmt: skip
    names = [data.dataset for data in datasets]
    tables = [table for table in TABLES if set(names) & set(TABLES[table].datasets)]
    for table in tables:
        printed_figures(table, names)
    if not tables:
        every = dict.fromkeys(name for table in TABLES.values() for name in table.datasets)
        st.caption(f"No paper prints figures for these data sets. The papers have tables for {', '.join(every)}.")


def cost_words(found: Forecast) -> str:
    """The estimated time and where it comes from."""
    on = f"on {found.processes} processes" if found.processes > 1 else "on one process"
    words = [f"{f'about {duration(found.seconds)}' if found.seconds >= 10 else 'some seconds'} {on}."]
    if found.cells:
        words.append(f"The estimate scales {number(found.cells)} earlier cells of these methods by the training rows.")
        if found.unknown:
            words.append(f"Nothing has been measured yet of {', '.join(found.unknown)}.")
    else:
        words.append("This is a rule of thumb, since none of these methods has been compared on this machine yet.")
    return " ".join(words)


def _rows(data: DataSpec, about: Known | None) -> int | None:
    asked = data.source.get("n_samples")
    return int(asked) if asked else about.rows if about else None


def _parts(rows: int, test_size: float) -> tuple[int, int]:
    """Training and test rows of a random split."""
    test = math.ceil(test_size * rows)
    return rows - test, test
