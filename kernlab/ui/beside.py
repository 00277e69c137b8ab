"""The Train page with two to four runs side by side: on the same data, trained in step, on one slider.

    first ─ the run of the page, and the form's         COLUMNS: second, third, fourth ─ what each has otherwise
    *Compare with …* ─→ add ─→ columns ─ train ─→ a group of trainings (kernlab.jobs.groups), each an ordinary run

The form edits the selected column; the data are those of all. A column keeps its place, and with it its colour, as long
as it is on the page. The address has every column's method and options, and its run once there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from kernlab.compare.base import Comparison
from kernlab.data import DataSpec
from kernlab.errors import KernlabError, OptionError
from kernlab.jobs import manager
from kernlab.jobs.groups import EQUAL
from kernlab.jobs.trainings import Trainings
from kernlab.pictures.base import At
from kernlab.pictures.gallery import PICTURES, offered
from kernlab.pictures.recorded import RecordedRun
from kernlab.pictures.theme import BLUE, GREEN, PURPLE, VERMILLION
from kernlab.spec import RunSpec
from kernlab.ui import elements, foreseen, live, pictures, setup
from kernlab.ui.changing import changes
from kernlab.ui.controls import controls
from kernlab.ui.heading import heading
from kernlab.ui.links import go
from kernlab.ui.news import phase
from kernlab.ui.presets import PRESETS, differences, names, presets
from kernlab.ui.scenes import SCENES
from kernlab.ui.selected import selection
from kernlab.ui.state import Address, Value, Values, name
from kernlab.ui.transport import either, show_trouble, tried
from kernlab.ui.view import TABS, VIEW, show_moment
from kernlab.ui.watch import Watch

__all__ = ["COLUMNS", "PLACES", "add_button", "arrive", "edited", "page", "several", "turn"]

#: The places of columns, and the colour of each.
PLACES = {"first": BLUE, "second": VERMILLION, "third": GREEN, "fourth": PURPLE}
_OTHERS = tuple(PLACES)[1:]
_RUN = "{}_run".format

#: The further columns: method and options of each, as they stand in an address; their runs; what is equal in step; and
#: one of the Home page's scenes.
COLUMNS = Values(
    "beside",
    *(Value(place) for place in _OTHERS),
    *(Value(_RUN(place)) for place in _OTHERS),
    name("equal", EQUAL[0], lambda: EQUAL),
    name("scene", "", lambda: SCENES),
)

_LOW, _TALL = 300, 340  # heights of pictures in pixels


class Side(NamedTuple):
    """One column of the page.

    Attributes:
        place: of :data:`PLACES`.
        spec: what it trains.
        watch: its run; None before it has one.
    """

    place: str
    spec: RunSpec
    watch: Watch | None


# -- the columns of this session -------------------------------------------------------------------------------


def _specs() -> dict[str, RunSpec]:
    found: dict[str, RunSpec] = st.session_state.setdefault("beside.specs", {})
    return found


def _watches() -> dict[str, Watch]:
    found: dict[str, Watch] = st.session_state.setdefault("beside.watches", {})
    return found


def several() -> bool:
    """More than one column is on the page."""
    return len(_specs()) > 1


def columns() -> list[Side]:
    """The columns in the order of their places."""
    specs, watches = _specs(), _watches()
    return [Side(place, specs[place], watches.get(place)) for place in PLACES if place in specs]


def selected() -> str:
    """The place of the column that the form edits."""
    found = st.session_state.get("beside.selected", "first")
    return found if found in _specs() else "first"


def arrive(jobs: Trainings, address: Address, first: RunSpec, watch: Watch | None) -> RunSpec:
    """Take up the columns that an address names; sentences of what is wrong go into its trouble.

    Returns:
        What the form is to say.
    """
    state, trouble = st.session_state, []
    state["beside.specs"], state["beside.watches"], state["beside.selected"] = {}, {}, "first"
    if scene := SCENES.get(COLUMNS["scene"]):
        first = setup.spec_from(scene.first)
        COLUMNS.change(**dict(scene.address.items() - scene.first.items()))
    specs, watches = {"first": first}, {"first": watch} if watch else {}
    for place in _OTHERS:
        text, run_id = COLUMNS[place], COLUMNS[_RUN(place)]
        try:
            if text:
                specs[place] = _read(text, first)
            if run_id:
                watches[place] = Watch(jobs, run_id)
                if not text and (found := watches[place].start):
                    specs[place] = found
        except KernlabError as error:
            trouble.append(str(error))
    if len(specs) > 1:
        state["beside.specs"], state["beside.watches"] = specs, watches
    if trouble:
        address.trouble = f"{' '.join(trouble)} (In the address of this page.)"
    if scene:
        COLUMNS.change(scene="")
        tried(partial(begin, jobs, start=True))
    return first


def _read(text: str, first: RunSpec) -> RunSpec:
    """The spec of a column: what its text says, on the data of the first."""
    own = {"dataset": first.data.dataset, **dict(parse_qsl(text))}
    return replace(setup.spec_from(own), data=first.data)


def _written(spec: RunSpec) -> str:
    own = setup.address_of(replace(spec, data=DataSpec.build(dataset=spec.data.dataset)))
    return urlencode({key: text for key, text in own.items() if key != "dataset"})


def _write(address: Address) -> None:
    """Put all columns into the address."""
    found = columns()
    texts = dict.fromkeys((*_OTHERS, *map(_RUN, _OTHERS)), "")
    texts |= {each.place: _written(each.spec) for each in found[1:]}
    texts |= {_RUN(each.place): each.watch.id for each in found[1:] if each.watch}
    COLUMNS.change(**texts)
    first = found[0]
    setup.FORM.change(run=first.watch.id if first.watch else "")
    address.write(setup.address_of(first.spec))


def edited(spec: RunSpec | None) -> None:
    """Take up what the form says: of the selected column, and of the data of all."""
    if spec is None or not several():
        return
    specs = _specs()
    specs[selected()] = spec
    if any(each.data != spec.data for each in specs.values()):
        for place, each in specs.items():
            specs[place] = replace(each, data=spec.data)


def _select(place: str) -> None:
    st.session_state["beside.selected"] = place
    st.session_state["beside.turned"] = True
    setup.show(_specs()[place])


def turn() -> None:
    """Draw the whole page again where a button in a part of it has changed what the form says."""
    if st.session_state.pop("beside.turned", False):
        st.rerun()


def _remove(place: str) -> None:
    """Take a column off the page; its run stays an ordinary run."""
    _specs().pop(place)
    watch = _watches().pop(place, None)
    if watch and watch.live and watch.state.mine:
        manager().trainings.cancel(watch.id)
    _select("first")
    if not several():
        st.session_state["train.watch"] = _watches().get("first")
        COLUMNS.read({})


def _add(jobs: Trainings, first: RunSpec, watch: Watch | None, spec: RunSpec) -> None:
    """Put a further column on the page; it begins at once where the page shows runs."""
    specs, watches = _specs(), _watches()
    if not several():
        specs["first"] = first
        watches.pop("first", None)
        if watch and watch.start == first:
            watches["first"] = watch
    place = next(each for each in _OTHERS if each not in specs)
    new = spec not in specs.values()
    specs[place] = spec
    watches.pop(place, None)
    _select(place)
    if new and "first" in watches:
        begin(jobs)


def add_button(jobs: Trainings, spec: RunSpec | None, watch: Watch | None = None) -> None:
    """*Compare with …*: the presets that make sense, and a column to change freely."""
    now = _specs()
    full = spec is None or len(now) >= len(PLACES)
    words = "Put another method or other options beside this one, on the same data and split"
    with st.popover("Compare with …", icon=":material/add_column_right:", disabled=full, help=words):
        if spec is None:
            return
        first = now.get("first", spec)
        task = next((each.task for each in setup.data_sets() if each.name == first.data.dataset), None)
        for title, other in presets(first, task, [*now.values()]).items():
            st.button(title, on_click=_add, args=(jobs, first, watch, other), width="stretch", type="tertiary",
                      help=PRESETS[title][0], key=f"beside.{title}")  # fmt: skip
        st.button("freely", on_click=_add, args=(jobs, first, watch, now.get(selected(), spec)), width="stretch",
                  type="tertiary", help="The same once more, to be changed in the form on the left",
                  icon=":material/tune:", key="beside.freely")  # fmt: skip


# -- steering --------------------------------------------------------------------------------------------------


def begin(jobs: Trainings, *, start: bool = False, paused: bool = False) -> None:
    """Train in step the columns that have no run of what they say; where all have one, or to ``start``, all anew."""
    found, watches = columns(), _watches()
    lacking = [each for each in found if not each.watch or each.watch.start != each.spec or not _whole(each.watch)]
    wanted = found if start or not lacking else lacking
    kept = [each.watch.id for each in found if each.watch and each not in wanted]
    for each in wanted:
        if each.watch and each.watch.live and each.watch.state.mine:
            jobs.cancel(each.watch.id)  # nobody would see it any more
    group = jobs.group(kept, COLUMNS["equal"])
    for each in wanted:
        watches[each.place] = Watch(jobs, jobs.submit(each.spec, paused=paused, group=group))
    show_moment(None)


def _whole(watch: Watch) -> bool:
    """Its run is over or under way."""
    return watch.live or watch.state.status == "finished"


def _mine() -> list[Watch]:
    return [each.watch for each in columns() if each.watch and each.watch.live and each.watch.state.mine]


def _advance(jobs: Trainings, unit: str) -> None:
    if not _mine():
        begin(jobs, paused=True)
    for each in _mine():
        jobs.step(each.id, unit)  # type: ignore[arg-type]


def _resume(jobs: Trainings) -> None:
    ended = [each.watch for each in columns() if each.watch and not each.watch.live and each.watch.run.resumable]
    for each in _mine():
        jobs.resume(each.id)
    group = jobs.group([each.id for each in _mine()], COLUMNS["equal"])
    for each in ended:
        jobs.resume_run(each.id, group=group)


def _each(what: Callable[[str], None]) -> None:
    for each in _mine():
        what(each.id)


def _transport(jobs: Trainings, found: Sequence[Side]) -> None:
    """Train, Pause or Resume, one epoch, one step, Stop: of all columns."""
    mine = _mine()
    waiting = [each for each in mine if each.state.status == "paused"]
    resumable = waiting or [w for c in found if (w := c.watch) and not w.live and w.run.resumable]
    button = partial(st.button, on_click=tried)
    with st.container(horizontal=True, vertical_alignment="center", key="transport"):
        button("Train", type="primary", icon=":material/play_arrow:", args=(partial(begin, jobs),),
               help="Train in step: the columns that have changed or, where none has, all of them anew")  # fmt: skip
        if resumable and len(waiting) == len(mine):
            either("Resume", on_click=tried, args=(partial(_resume, jobs),), help="Go on with all of them")
        else:
            either("Pause", on_click=tried, args=(partial(_each, jobs.pause),), disabled=not mine,
                   help="Interrupt all of them; Resume goes on from here")  # fmt: skip
        button("+1 epoch", icon=":material/skip_next:", args=(partial(_advance, jobs, "epoch"),),
               help="Train each to the end of its epoch, then pause")  # fmt: skip
        button("+1 step", icon=":material/step:", args=(partial(_advance, jobs, "batch"),),
               help="Take one step of each, then pause")  # fmt: skip
        button("Stop", icon=":material/stop:", args=(partial(_each, jobs.cancel),), disabled=not mine,
               help="End all of them here; each keeps what it has and can be resumed")  # fmt: skip
        COLUMNS.choice("equal", "In step", EQUAL, "equal {}".format)
        add_button(jobs, _specs()[selected()])
        _really(found)
        if chosen := _watches().get(selected()):
            changes(chosen)
    if mine:
        jobs.group([each.id for each in mine], COLUMNS["equal"])
    show_trouble()


# -- is that real? ---------------------------------------------------------------------------------------------


def comparison(specs: Sequence[RunSpec], repeats: int = 30) -> Comparison:
    """The comparison of these runs on the same splits; of several runs of one method each is a variant of it.

    Their seeds are those of the splits, so that runs which differ in nothing else are one method here.

    Raises:
        OptionError: they differ in nothing that a comparison can compare.
    """
    same = [replace(spec, seed=specs[0].seed) for spec in specs]
    different = [spec for place, spec in enumerate(same) if spec not in same[:place]]
    if len(different) < 2:
        raise OptionError("the runs must differ in more than their seed", "one method with the same options",
                          "choose another method or another option: every split has a seed of its own")  # fmt: skip
    own: dict[str, dict[str, Any]] = {}
    for spec in different:
        method, alike = spec.method.name, [each for each in different if each.method.name == spec.method.name]
        words = names(alike)[alike.index(spec)].replace(", ", " and ")
        own[method if words == method else f"{method}: {words}"] = spec.method.changed_options()
    return Comparison(tuple(own), (specs[0].data,), repeats, own=own, seed=specs[0].seed)


def _really(found: Sequence[Side]) -> None:
    words = "Compare these methods over 30 splits, with a test of significance"
    if st.button("Is that real?", icon=":material/help:", help=words):
        started = tried(lambda: manager().comparisons.start(comparison([each.spec for each in found])))
        if started:
            go("compare", id=started)


# -- the page --------------------------------------------------------------------------------------------------


def page(jobs: Trainings, address: Address, spec: RunSpec | None) -> None:
    """All but the form, for several columns.

    Args:
        spec: what the form says; None while it holds a mistake.
    """
    turn()
    for place, watch in list(_watches().items()):
        try:
            watch.refresh()
        except KernlabError as error:  # the run could not start, or is gone
            del _watches()[place]
            st.session_state["train.trouble"] = str(error)
    st.session_state["train.watch"] = _watches().get("first")
    _write(address)
    found = columns()
    called, colors = names([each.spec for each in found]), [PLACES[each.place] for each in found]
    with st.container(key="train-head"):
        with heading(f"Train · side by side on {found[0].spec.data.dataset}"):
            live.repeat(_specs()[selected()])
            address.share()
        _transport(jobs, found)
        runs = [each.watch for each in found if each.watch]
        if any(watch.facts for watch in runs):
            elements.timeline([watch.id for watch in runs], view=VIEW, equal=COLUMNS["equal"],
                              every=5.0 if VIEW["view"] == "bounds" else None)  # fmt: skip
    address.show_trouble()
    if spec is None:
        st.warning("Nothing can be started yet: in the side bar a sentence in red says what to change.",
                   icon=":material/left_click:")  # fmt: skip
    if runs:
        there = {words: f"var(--kl-{each.place})" for each, words in zip(found, called, strict=True) if each.watch}
        elements.against([watch.id for watch in runs], [*there], [*there.values()], [phase(watch) for watch in runs],
                         COLUMNS["equal"])  # fmt: skip
    if words := differences([each.spec for each in found], setup.label):
        st.caption(f"What differs: {words}")
    _pictures(found, called, colors)


def _heads(found: Sequence[Side], called: Sequence[str]) -> None:
    """The names of the columns above their pictures, and the buttons that edit one or take it off the page."""
    for place, each, words in zip(st.columns(len(found)), found, called, strict=True):
        with (
            place,
            st.container(key=f"column-{each.place}"),
            st.container(horizontal=True, vertical_alignment="center"),
        ):
            mine = each.place == selected()
            help = "The form on the left is of this column" if mine else "Edit this column in the form on the left"
            st.button(words, on_click=_select, args=(each.place,), key=f"beside.select.{each.place}", type="tertiary",
                      icon=":material/edit:" if mine else None, help=help)  # fmt: skip
            if each.place != "first":
                st.button("Remove", icon=":material/close:", on_click=_remove, args=(each.place,), type="tertiary",
                          key=f"beside.remove.{each.place}",
                          help=f"Take {words} off the page; what it has trained stays in My runs")  # fmt: skip


def _seen(found: Sequence[Side]) -> dict[str, At]:
    """Every column's run at the moment that is shown, or what it would start from."""
    shown = {}
    for each in found:
        run: RecordedRun | None = each.watch
        if each.watch is None:
            try:
                run = foreseen.preview(each.spec)
            except KernlabError as error:
                st.warning(str(error), icon=":material/warning:")
        moment = run.moment(VIEW["at"]) if run and run.facts else None
        if run and moment:
            shown[each.place] = At(run, moment, VIEW.now(), None, "" if each.place == "first" else f".{each.place}")
    return shown


def _pictures(found: Sequence[Side], called: Sequence[str], colors: Sequence[str]) -> None:
    shown = _seen(found)
    if not shown:
        _heads(found, called)
        st.caption("Measuring where they start …")
        return
    trained = any(each.watch for each in found)
    lead = next(iter(shown.values()))
    with st.container(horizontal=True, vertical_alignment="center", key="views"):
        wanted = "preview"
        if trained:
            tabs = [tab for tab in TABS if any(offered(tab, at) for at in shown.values())] or ["overview"]
            wanted = VIEW.choice("view", "View", tabs, TABS)
        fitting = {
            each.place: offered(wanted if each.watch else "preview", shown[each.place])
            for each in found if each.place in shown
        }  # fmt: skip
        controls([each for one in fitting.values() for each in one], lead)
        selection(lead)
    shown = {place: at._replace(view=VIEW.now()) for place, at in shown.items()}
    mine = [each for each in PICTURES.values() if any(each in one for one in fitting.values())]
    overlaid = [each for each in mine if each.together]
    alike = [each for each in mine if each.of_data]
    for start in range(0, len(overlaid), 3):
        row = overlaid[start : start + 3]
        with st.container(key=f"overview-{start}"):
            for place, each in zip(st.columns(len(row)), row, strict=True):
                with place:
                    those = [c.place for c in found if each in fitting.get(c.place, ())]
                    order = [c.place for c in found]
                    pictures.together(each, [shown[p] for p in those], [called[order.index(p)] for p in those],
                                      [colors[order.index(p)] for p in those], _LOW)  # fmt: skip
    if alike:
        with st.container(key="overview-data"):
            for place, each in zip(st.columns(len(alike)), alike, strict=True):
                with place:
                    pictures.draw(each, lead, _LOW, note=False)
    _heads(found, called)
    for each in mine:
        if not each.together and not each.of_data:
            _row(each, found, shown, fitting)
    if trained:
        live.look_inside([shown[each.place] for each in found if each.watch and each.place in shown])


def _row(each: Any, found: Sequence[Side], shown: Mapping[str, At], fitting: Mapping[str, Sequence[Any]]) -> None:
    """The same picture of every run, on common axes."""
    those = [column.place for column in found if each in fitting.get(column.place, ())]
    for place, column in zip(st.columns(len(found)), found, strict=True):
        with place:
            if column.place in those:
                others = [shown[p].run.id for p in those if p != column.place]
                pictures.draw(each, shown[column.place], min(each.height, _TALL), note=False, beside=others)
            else:
                st.caption(f"{each.alt}: this run has no such picture.")
