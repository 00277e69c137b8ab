"""What the Data page knows: which data set it shows, and what is found out about it.

address ─ arrive ─→ FORM ─ asked ─→ RunSpec (its data and seed) ─ look ─→ Look ─ kernlab.ui.look ─→ the page
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from kernlab.data import Dataset, DataSpec, Prepared, load, prepare
from kernlab.data.findings import Finding, findings_of
from kernlab.data.tables import TablePreview
from kernlab.errors import DataError
from kernlab.methods import METHODS
from kernlab.options import Option, options_of
from kernlab.pictures.columns import ColumnSummary, column
from kernlab.pictures.distances import Distances, distances
from kernlab.pictures.neighbours import Neighbours, neighbours, room
from kernlab.pictures.thinning import sampled
from kernlab.spec import RunSpec
from kernlab.ui import setup
from kernlab.ui.forms import option_widget
from kernlab.ui.links import link
from kernlab.ui.previews import stamp
from kernlab.ui.state import Value, Values, name

__all__ = ["COLOURS", "FORM", "FRESH", "ORDERS", "PARTS", "Look", "arrive", "data_form", "found", "links", "look"]

#: The parts of the page, by their names in the address.
PARTS = {"look": "Look at it", "bring": "Bring your own", "draw": "Draw points"}
#: What a first visitor finds: real columns, few enough to be seen at once.
FRESH = "wine"
#: What "Compare on it" begins with: fixed against learned frequencies, and two baselines.
_COMPARED = "SK,ASKL,svm-rbf,constant"
_METHOD = "ASKL"  # that the page leads to; it takes classes and real targets
COLOURS = {"target": "by target", "split": "by split"}
ORDERS = {"related": "closest to the target first", "table": "in the order of the table"}

#: What is shown. ``show_data`` adds the data set, the seed and the options of the data, which the address says as a
#: whole, as on the Train page.
FORM = Values(
    "data",
    name("part", "look", lambda: PARTS),
    Value("x"),
    Value("y"),
    name("colour", "target", lambda: COLOURS),
    name("order", "related", lambda: ORDERS),
)

_CELLS, _LEAST, _MOST = 2_000_000, 2000, 20_000  # numbers of a sample of rows that columns are measured on, and rows
_COLUMNS = 2000  # columns that are measured
_STRANGE = 6
#: What loading says too, of the kinds that findings have.
_FOUND = ("constant and can be dropped", "exact copy of another", "smaller than")
_numbers = itertools.count()


def arrive(rest: Mapping[str, str]) -> None:
    """Take the data set and its options from what the address says beside the declared values.

    Raises:
        KernlabError: something in it is not what it must be.
    """
    data = {key: text for key, text in rest.items() if key not in ("method", "device")}
    spec = setup.spec_from({"dataset": FRESH, **data, "method": _METHOD})
    setup.show_data(spec, FORM)


def data_form() -> RunSpec:
    """The widgets of the data set in the side bar: what is asked for, as a run that only its data matter of.

    Raises:
        KernlabError: a value of it is not what it must be.
    """
    dataset, source = setup.data_form(FORM, unfolded=True)
    schema, values = options_of(DataSpec), {}
    with st.expander("Split and scaling"):
        for key in setup.DATA:
            values[key] = option_widget(schema[key], FORM, f"o.{key}", schema[key].default)
        seed = Option("seed", "int", 0, "Decides the split.", minimum=0, maximum=2**31 - 1)
        option_widget(seed, FORM, "seed")
    spec = RunSpec(METHODS[_METHOD], DataSpec.build(dataset=dataset, **values), FORM["seed"])
    return spec.with_options({f"data.{key}": value for key, value in source.items()})


def links(dataset: str, spec: RunSpec | None = None, *, look: str = "") -> None:
    """To the pages that show a data set, train on it and compare on it.

    Args:
        dataset: its name.
        spec: its options, where they are not the defaults.
        look: the key of a button that shows it on this page; empty: without it.
    """
    address = setup.address_of(spec) if spec else {"dataset": dataset}
    address |= {key: value for key, value in setup.START.items() if key != "dataset"}
    own = {key: text for key, text in address.items() if key not in setup.START}
    source = spec.data.source if spec else {}
    options = {f"data.{key}" if key in source else key: text for key, text in own.items()}
    if look:  # a link to the page that is open would not change the browser's address
        st.button("Look at it", icon=":material/table_view:", key=f"data.{look}", on_click=_open, args=(dataset,),
                  type="tertiary")  # fmt: skip
    link("train", "Train on it", ":material/play_circle:", **address)
    link("compare", "Compare on it", ":material/leaderboard:", datasets=dataset, methods=_COMPARED, **options)


def _open(dataset: str) -> None:
    arrive({"dataset": dataset})
    FORM.change(part="look", x="", y="")


class Look(NamedTuple):
    """A data set, split and scaled, and what is found out about it."""

    number: int  # of this look: no two have the same
    prepared: Prepared
    columns: tuple[ColumnSummary, ...]
    measured: int  # rows that the columns were measured on
    rows: NDArray[np.int64]  # numbers of the rows that were compared with one another [m]
    X: NDArray[np.float32]  # these rows, scaled [m d]
    near: Neighbours  # of them
    distances: Distances
    findings: tuple[Finding, ...]  # what is worth knowing, what spoils a result first

    @property
    def sentences(self) -> list[str]:
        """What is worth knowing, each once: also what was noticed when the data set was loaded."""
        rest = [words for words in self.dataset.warnings if not any(known in words for known in _FOUND)]
        return [*rest, *(finding.sentence for finding in self.findings)]

    @property
    def dataset(self) -> Dataset:
        return self.prepared.dataset

    @property
    def test(self) -> NDArray[np.bool_]:
        """Which of the compared rows are held out for testing [m]."""
        return np.isin(self.rows, self.prepared.test_rows)

    @property
    def strangest(self) -> NDArray[np.int64]:
        """Places of the strangest among the compared rows."""
        return self.near.strangest(_STRANGE)


def look(spec: RunSpec) -> Look:
    """What is found out about the data of ``spec``; the last few are kept.

    Raises:
        KernlabError: the data cannot be used.
    """
    text = json.dumps(spec.data.options(), sort_keys=True)
    return _looked(text, spec.seed, stamp(spec.data.dataset))


@lru_cache(maxsize=4)
def _looked(options: str, seed: int, stamp: tuple[object, ...]) -> Look:
    spec = DataSpec.build(**json.loads(options))
    return found(prepare(load(spec), spec, seed))


def found(prepared: Prepared, preview: TablePreview | None = None) -> Look:
    """What is found out about prepared data. Large tables are measured on rows that are drawn with a fixed seed.

    Args:
        prepared: the data.
        preview: the raw table that they come from, where it is at hand.
    """
    dataset = prepared.dataset
    if dataset.d > _COLUMNS:
        raise DataError(
            f"a table must have at most {_COLUMNS} columns to be looked at", f"{dataset.name} with {dataset.d}",
            "train on it as it is, or keep fewer columns",
        )  # fmt: skip
    some = sampled(dataset.n, int(np.clip(_CELLS // dataset.d, _LEAST, _MOST)))
    y = dataset.y[some]
    columns = tuple(
        column(name, values, y, dataset.task)
        for name, values in zip(dataset.feature_names, dataset.X[some].T, strict=True)
    )
    rows = sampled(dataset.n, room(prepared.d))
    X = prepared.inputs.transform(dataset.X, rows)
    return Look(
        next(_numbers), prepared, columns, len(some), rows, X, neighbours(X), distances(prepared.X_train),
        findings_of(dataset, prepared, preview),
    )  # fmt: skip
