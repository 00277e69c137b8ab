"""A table of one's own: dropped or named by its path, previewed, described, imported in the background.

file ─ look ─→ Preview ─ widgets ─→ Recipe ─ trial ─→ pictures ─ import ─→ a data set like any other
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from kernlab.data import DataSpec, origins, tables
from kernlab.data import prepare as split_and_scale
from kernlab.data.example import EXAMPLE, example
from kernlab.data.kinds import Kind
from kernlab.data.readers import Reading, Upload
from kernlab.data.readers.base import MOST_COLUMNS, SAMPLE
from kernlab.data.recipe import Recipe
from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.numerals import number
from kernlab.pictures.columns import ColumnSummary, column
from kernlab.ui import data, elements, look
from kernlab.ui.forms import show_error
from kernlab.ui.news import import_phase
from kernlab.ui.state import Value, Values

__all__ = ["BROUGHT", "show"]

#: The import on the page. What a person has decided about the table is kept beside it, but in no address.
BROUGHT = Values("bring", Value("import"))

_LARGEST = 500  # MB of an upload; a larger file is read by its path
_SHOWN = 50  # rows of the preview
_ROW, _CARDS, _MOST_CARDS = 4, 24, 400  # cards of columns in a row, at first, and at most
_LOCAL = ("127.0.0.1", "localhost", "::1")

_KINDS = {
    "number": "number",
    "boolean": "true or false",
    "date": "date",
    "category": "category",
    "text": "text, not used",
    "drop": "not used",
}
_TASKS = {"classification": "Classes", "regression": "A quantity"}
_MISSING = {
    "drop": "leave out the row",
    "mean": "fill in the mean",
    "most frequent": "fill in the most frequent value",
    "indicator": "fill in the mean, and mark it",
}
#: Of categories, which have no mean.
_MISSING_WORDS = {
    "drop": "leave out the row",
    "most frequent": "fill in the most frequent value",
    "indicator": "a category of their own",
}
_CATEGORIES = {"one-hot": "a column for each", "ordinal": "their number in sorted order"}
#: A menu cannot show None as one of its options: "" stands for what was found, and in a column for the general choice.
_DELIMITERS = {"": "found: {}", ",": "comma", ";": "semicolon", "\t": "tab", " ": "blanks", "|": "bar |"}
_ENCODINGS = ("", "utf-8", "utf-16", "latin-1", "cp1252", "gb18030", "shift_jis")
_HEADERS = {"": "found: {}", True: "yes", False: "no"}
_DECIMALS = {"": "found: {}", ".": "point", ",": "comma"}


#: Streamlit gives the place to drop files a name and the role of decoration, of which only one can be right.
_dropzone = st.components.v2.component(
    "kernlab_dropzone",
    js="""export default function () {
  const name = () => document.querySelectorAll("[data-testid=stFileUploaderDropzone][role=presentation]")
    .forEach((place) => place.setAttribute("role", "group"));
  const seen = new MutationObserver(name);
  seen.observe(document.body, { childList: true, subtree: true });
  name();
  return () => seen.disconnect();
}""",
    isolate_styles=False,
)


class _Table(NamedTuple):
    """The table on the page."""

    stamp: tuple[Any, ...]  # names the file and how it is read
    preview: tables.TablePreview


def show() -> None:
    """The whole of this part of the page."""
    upload = _file()
    if upload:
        try:
            with st.spinner("Looking at the table …"):
                table = _looked(upload)
        except KernlabError as error:
            show_error(error)
            _otherwise(None)
        else:
            _described(table)
    elif BROUGHT["import"]:
        _progress("")
    _own()


# -- the file --------------------------------------------------------------------------------------------------


def _file() -> Upload | None:
    """The file that was dropped or named, with the widgets for it."""
    local = str(st.get_option("server.address")) in _LOCAL
    places = st.columns([3, 2]) if local else [st.container()]
    with places[0]:
        dropped = st.file_uploader(
            "Drop a table here: CSV, Parquet, ARFF, LIBSVM, NPZ or Excel", max_upload_size=_LARGEST, key="bring.file",
            help="Any delimiter and encoding. The last column, or one named target, is taken for the target.",
        )  # fmt: skip
        _dropzone(key="bring.dropzone")
    if local:  # a server that others reach must not read its own files for them
        with places[1]:
            path = st.text_input(
                "or the path of a file on this machine", key="bring.path", placeholder="~/table.csv",
                help="Better for large files: it is read where it is, without a copy in memory.",
            )  # fmt: skip
        if path.strip() and not dropped:
            try:
                return Upload.of(path.strip().strip("'\""))
            except KernlabError as error:
                show_error(error)
    with places[-1]:
        _downloaded()
    if dropped is None:
        if local and path.strip():
            return None
        if st.session_state.get("bring.example"):
            return Upload(EXAMPLE, example())
        st.info("The file stays on this machine. What is understood of it can be changed before it is imported.",
                icon=":material/upload_file:")  # fmt: skip
        st.button(f"Try it with an example: {EXAMPLE}", icon=":material/table_view:", on_click=_example)
        return None
    st.session_state.pop("bring.example", None)
    return Upload(dropped.name, dropped.getvalue())


def _example() -> None:
    st.session_state["bring.example"] = True


def _downloaded() -> None:
    """A data set by its name: of the registry, or of OpenML."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="bring-download"):
        wanted = st.selectbox(
            "or a name or number of OpenML", origins.available(), index=None, key="bring.download",
            accept_new_options=True, placeholder="letter, covtype, 61 …",
            help="The sets of the published tables come from where they were published, others from OpenML. What "
            "arrives is verified.",
        )  # fmt: skip
        st.button("Get", icon=":material/download:", disabled=not wanted, on_click=_get, args=(wanted,))


def origin(wanted: str) -> str:
    """The name by which :func:`kernlab.data.origins.get` fetches what a person has typed."""
    return wanted if wanted in origins.available() else f"openml:{wanted.strip()}"


def _get(wanted: str) -> None:
    work = partial(origins.get, origin(wanted))
    id = manager().imports.start(wanted, lambda progress, cancelled: work(progress=progress, cancelled=cancelled))
    BROUGHT.change(**{"import": id})


def _looked(upload: Upload) -> _Table:
    """The preview of a file; it is looked at again when the file, or how it is to be read, has changed."""
    state = st.session_state
    content = upload.content
    file = (upload.name, upload.size, hash(content) if isinstance(content, bytes) else content.stat().st_mtime_ns)
    if state.get("bring.of") != file:
        state["bring.of"] = file
        BROUGHT.read({})
        for key in ("bring.table", "bring.seen"):
            state.pop(key, None)
    asked = {key: BROUGHT.get(f"r.{key}", "") for key in ("delimiter", "encoding", "header", "decimal", "features")}
    reading = Reading(**{key: value for key, value in asked.items() if value not in ("", None)})
    kept: _Table | None = state.get("bring.table")
    if kept is None or kept.stamp != (file, reading):
        kept = state["bring.table"] = _Table((file, reading), tables.look(upload, reading=reading))
        state["bring.summaries"] = {}
    return kept


def _otherwise(found: Reading | None) -> None:
    """How the file is read, to be changed."""

    def chosen(key: str, label: str, options: Sequence[Any], words: Any) -> None:
        value = BROUGHT.get(f"r.{key}", "")
        st.selectbox(label, options, list(options).index(value), **BROUGHT.widget(f"r.{key}", value),
                     format_func=lambda each: words(each, str(getattr(found, key, None))))  # fmt: skip

    def named(of: dict[Any, str]) -> Any:
        return lambda each, now: of[each].format(of.get({"True": True, "False": False}.get(now, now), now))

    with st.expander("Read it otherwise", icon=":material/tune:"):
        if found and found.format == "svmlight":
            st.number_input("Features", 1, MOST_COLUMNS, found.features, placeholder="found", width=260,
                            **BROUGHT.widget("r.features", found.features),
                            help="How many there are, where the last ones are 0 in every row.")  # fmt: skip
            return
        places = st.columns(4)
        with places[0]:
            chosen("delimiter", "Delimiter", list(_DELIMITERS), named(_DELIMITERS))
        with places[1]:
            chosen("encoding", "Encoding", _ENCODINGS, lambda each, now: each or f"found: {now}")
        with places[2]:
            chosen("header", "Names in the first row", list(_HEADERS), named(_HEADERS))
        with places[3]:
            chosen("decimal", "Decimal sign", list(_DECIMALS), named(_DECIMALS))


# -- what it is ------------------------------------------------------------------------------------------------


def _described(table: _Table) -> None:
    """What was understood of a table, to be changed; pictures of it; and the import."""
    preview = table.preview
    reading = preview.reading
    size = preview.upload.size / 1e6
    rows, exact = _rows(preview)
    words = [f"**{preview.upload.name}**", str(reading.format),
             f"{'' if exact else 'about '}{number(rows)} rows", f"{number(len(preview.columns))} columns",
             f"{size:.1f} MB" if size >= 1 else f"{1000 * size:.1f} kB"]  # fmt: skip
    st.markdown(" · ".join(words))
    top = st.container()  # the import, as soon as it is known what would be imported
    recipe = _recipe(preview)
    for note in preview.notes:
        st.caption(f":material/info: {note}")
    seen = None
    try:
        seen = _seen(table, recipe)
    except KernlabError as error:
        show_error(error)
    if seen:
        for warning in seen.sentences:
            st.warning(warning, icon=":material/warning:")
        facts = seen.prepared
        st.markdown("**What a model would be given**")
        part = "all rows" if exact and seen.dataset.n == rows else f"{number(seen.dataset.n)} of the rows"
        st.caption(
            f"From {part}: {number(seen.dataset.d)} inputs, scaled by “{facts.inputs.kind}”, "
            f"{number(len(facts.train_rows))} rows to train on and {number(len(facts.test_rows))} to test on, by the "
            "split of seed 0."
        )  # fmt: skip
        look.pictures_of(seen)
    _cards(table, recipe)
    st.markdown("**First rows**")
    st.dataframe(preview.sample.slice(0, _SHOWN), hide_index=True, height=260, key="bring.rows")
    st.caption(f"{number(min(_SHOWN, preview.looked_at))} of the {number(preview.looked_at)} that were looked at.")
    _otherwise(reading)
    with top:
        _import(preview, recipe, seen is not None)


def _rows(preview: tables.TablePreview) -> tuple[int, bool]:
    """How many rows a table has, and whether that is exact: of a small one all were looked at."""
    whole = preview.looked_at < SAMPLE
    return preview.looked_at if whole else preview.rows, whole or preview.exact


def _choose(key: str, label: str, options: Any, value: Any, words: Any = str, **rest: Any) -> Any:
    """A menu whose value is kept beside the table; one that is not on offer is replaced by ``value``."""
    options = list(options)
    kept = BROUGHT.get(key, value)
    kept = kept if kept in options else value
    format_func = words.__getitem__ if isinstance(words, dict) else words
    st.selectbox(label, options, options.index(kept), **BROUGHT.widget(key, kept), format_func=format_func, **rest)
    return kept


def _recipe(preview: tables.TablePreview) -> Recipe:
    """The recipe that the widgets say."""
    asked = preview.recipe
    names = [each.name for each in preview.columns]
    first, second, third, fourth = st.columns(4)
    with first:
        proposed = asked.targets[0] if asked.targets else names[-1]
        target = _choose("target", "Target", names, proposed, help="The column that is to be predicted.")
    with second:
        suggested = asked if (target,) == asked.targets else tables.with_targets(preview, asked, [target])
        task = _choose("task", "It is", list(_TASKS), suggested.task, _TASKS)
    with third:
        missing = _choose("missing", "Missing values", list(_MISSING), asked.missing, _MISSING)
    with fourth:
        categories = _choose("categories", "Categories become", list(_CATEGORIES), asked.categories, _CATEGORIES)
    with first:
        further = _further(preview, target) if task == "regression" else []
    kinds = {name: BROUGHT.get(f"k.{name}", kind) for name, kind in suggested.kinds.items()}
    recipe = replace(suggested, targets=(target, *further), task=task, kinds=kinds, missing=missing,
                     categories=categories)  # fmt: skip
    own = {key: {name: BROUGHT.get(f"{key}.{name}", "") for name in recipe.inputs} for key in ("m", "c")}
    return replace(
        recipe,
        missing_of={name: how for name, how in own["m"].items() if how in _missing_of(kinds[name])},
        categories_of={name: how for name, how in own["c"].items() if how and kinds[name] == "category"},
    )


def _further(preview: tables.TablePreview, target: str) -> list[str]:
    """Columns that are to be predicted together with the target, where there are others of numbers."""
    numbers = [each.name for each in preview.columns if each.kind in ("number", "boolean", "date")]
    numbers = [name for name in numbers if name != target]
    if not numbers:
        return []
    kept = [name for name in BROUGHT.get("further", []) if name in numbers]
    st.multiselect("Further targets", numbers, kept, **BROUGHT.widget("further", kept), placeholder="none",
                   help="Further quantities that one model predicts together with the first one.")  # fmt: skip
    return kept


def _missing_of(kind: Kind) -> dict[str, str]:
    """What can become of missing values in a column of that kind, with its words."""
    return _MISSING_WORDS if kind == "category" else _MISSING


def _seen(table: _Table, recipe: Recipe) -> data.Look:
    """What a model would be given, of the rows looked at."""
    state = st.session_state
    asked = (table.stamp, repr(recipe))
    if "bring.seen" not in state or state["bring.seen"][0] != asked:
        dataset = tables.trial(table.preview, recipe)
        state["bring.seen"] = (asked, data.found(split_and_scale(dataset, DataSpec(), 0), table.preview))
    found: data.Look = state["bring.seen"][1]
    return found


# -- columns ---------------------------------------------------------------------------------------------------


def _cards(table: _Table, recipe: Recipe) -> None:
    """A card for each column: its kind, to be changed, and what is in it."""
    preview = table.preview
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown("**Columns**")
        wanted = ""
        if len(preview.columns) > _CARDS:
            wanted = st.text_input("Find a column", key="bring.find", placeholder="Find a column", width=240,
                                   label_visibility="collapsed")  # fmt: skip
    found = [each for each in preview.columns if wanted.casefold() in each.name.casefold()]
    shown = found[:_CARDS]
    if len(found) > _CARDS and st.toggle(f"All {min(len(found), _MOST_CARDS)} columns", key="bring.all"):
        shown = found[:_MOST_CARDS]
    look.style("bring-columns")
    with st.container(key="bring-columns"):
        for start in range(0, len(shown), _ROW):
            for place, each in zip(st.columns(_ROW), shown[start : start + _ROW], strict=False):
                with place:
                    _card(table, recipe, each)


def _card(table: _Table, recipe: Recipe, each: tables.ColumnView) -> None:
    target = each.name in recipe.targets
    label = f"{each.name} (target)" if target else each.name
    kind = _choose(f"k.{each.name}", label, list(_KINDS), recipe.kinds[each.name], _KINDS)
    if each.name in recipe.inputs:
        _exceptions(table, recipe, each, kind)
    summary = None if kind in ("drop", "text") else _summary(table, recipe, each, kind)
    words = [f"{number(each.missing)} missing{', whose rows are not used' if target else ''}"] if each.missing else []
    examples = f": {', '.join(each.examples[:3])}" if each.examples else ""
    words.append(f"{number(each.distinct)} distinct{examples}")
    if summary and not target:
        words.append(f"explains {100 * summary.relation:.0f}\xa0%")
    if summary:
        st.html(look.bars(summary))
    st.caption(". ".join(filter(None, (" · ".join(words), each.note))))


def _exceptions(table: _Table, recipe: Recipe, each: tables.ColumnView, kind: Kind) -> None:
    """What is to be otherwise in one column than the menus above all columns say: its categories and its gaps."""
    whole = _rows(table.preview)[0] == table.preview.looked_at
    if kind == "category":
        words = {"": f"as above: {_CATEGORIES[recipe.categories]}", **_CATEGORIES}
        _choose(f"c.{each.name}", f"Categories of {each.name} become", words, "", words,
                label_visibility="collapsed")  # fmt: skip
    if each.missing or not whole:
        ways = _missing_of(kind)
        words = {"": f"as above: {ways.get(recipe.missing, _MISSING['most frequent'])}", **ways}
        _choose(f"m.{each.name}", f"Missing values of {each.name}", words, "", words,
                label_visibility="collapsed")  # fmt: skip


def _summary(table: _Table, recipe: Recipe, each: tables.ColumnView, kind: Any) -> ColumnSummary | None:
    """What is in a column; None where its cells are not of that kind, which the pictures' place says."""
    kept: dict[Any, ColumnSummary | None] = st.session_state["bring.summaries"]
    asked = (each.name, kind, recipe.task, *((target, recipe.kinds[target]) for target in recipe.targets))
    if asked not in kept:
        try:
            y, there = _answers(table.preview, recipe)
            values, labels = _codes(table.preview.values(each.name, kind))
            kept[asked] = column(each.name, values[there], y, recipe.task, labels)
        except KernlabError:
            kept[asked] = None
    return kept[asked]


def _answers(preview: tables.TablePreview, recipe: Recipe) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The targets of the rows that have all of them, and which rows these are."""
    if recipe.task == "classification":
        codes, _ = _codes(preview.values(recipe.targets[0], "category"))
        there = np.isfinite(codes)
        return codes[there].astype(np.int64), there
    kinds: dict[str, Kind] = {name: recipe.kinds[name] for name in recipe.targets}
    y = np.stack(
        [preview.values(name, kind if kind in ("boolean", "date") else "number") for name, kind in kinds.items()],
        axis=1,
    )
    whole: NDArray[np.bool_] = np.isfinite(y).all(axis=1)
    return y[whole], whole


def _codes(values: NDArray[Any]) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Numbers as they are; words as codes in sorted order, with the words."""
    if values.dtype != object:
        return values.astype(np.float64), ()
    there = np.array([value is not None for value in values])
    labels, codes = np.unique(values[there].astype(str), return_inverse=True)
    found = np.full(len(values), np.nan)
    found[there] = codes
    return found, tuple(labels.tolist())


# -- the import ------------------------------------------------------------------------------------------------


def _import(preview: tables.TablePreview, recipe: Recipe, usable: bool) -> None:
    """Name and button; then how far it is."""
    called = BROUGHT.get("called", preview.suggested_name)
    with st.container(horizontal=True, vertical_alignment="bottom", key="bring-import"):
        st.text_input("Name of the data set", called, **BROUGHT.widget("called", called), max_chars=100, width=260)
        mine = called in st.session_state.get("bring.mine", ())
        try:
            tables.check_name(called, replacing=mine)
            trouble = None
        except KernlabError as error:
            trouble = error
        st.button("Import", type="primary", icon=":material/download_done:", disabled=bool(trouble) or not usable,
                  on_click=_start, args=(preview, recipe, called, mine))  # fmt: skip
    if trouble:
        show_error(trouble)
    _progress(called)


def _start(preview: tables.TablePreview, recipe: Recipe, called: str, replacing: bool) -> None:
    upload = preview.upload
    id = manager().imports.start(
        called,
        lambda progress, cancelled: tables.prepare(
            upload, recipe, called, progress=progress, cancelled=cancelled, replacing=replacing
        ),
    )
    st.session_state.setdefault("bring.mine", []).append(called)
    BROUGHT.change(**{"import": id, "called": called})


def _progress(called: str) -> None:
    """How far the import on the page is, and where the data set can be used when it is over."""
    if not (id := BROUGHT["import"]):
        return
    try:
        state = manager().imports.snapshot(id)
    except KernlabError:  # of a server that has ended since
        BROUGHT.change(**{"import": ""})
        return
    if called and state.name != called:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="bring-progress"):
        elements.progress(f"import/{id}", import_phase(state), key="import-progress")
    if state.live:
        st.button("Cancel", icon=":material/stop:", on_click=_cancel, args=(id,))
    if stored := state.stored:
        features = f"{number(stored.features)} input{'s' * (stored.features != 1)}"
        st.success(f"**{stored.name}** is kept: {number(stored.rows)} rows, {features}. " + " ".join(stored.notes),
                   icon=":material/check:")  # fmt: skip
        with st.container(horizontal=True, key="bring-links"):
            data.links(stored.name, look="imported")


def _cancel(id: str) -> None:
    try:
        manager().imports.cancel(id)
    except KernlabError:  # it has just ended
        return


def _own() -> None:
    """The data sets that were imported or painted."""
    names = tables.names()
    if not names:
        return
    with st.expander(f"Your data sets: {len(names)}", icon=":material/folder:"):
        for name in names:
            with st.container(horizontal=True, vertical_alignment="center"):
                try:
                    about = tables.about(name)
                    st.markdown(f"**{name}** · {number(about.rows)} rows, {number(about.features)} inputs")
                    data.links(name, look=f"own.{name}")
                except KernlabError as error:
                    st.markdown(f"**{name}**: {error}")
                with st.popover("Remove", icon=":material/delete:"):
                    st.write("The file that it was made from stays where it is. Runs that were trained on it stay too.")
                    st.button("Remove it", key=f"bring.remove.{name}", on_click=_remove, args=(name,))


def _remove(name: str) -> None:
    try:
        tables.remove(name)
    except KernlabError:  # somebody else has removed it
        return
