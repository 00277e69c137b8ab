"""Widgets from options, and URL state."""

import itertools
import threading
import traceback
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.exceptions import StopException
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1 import AppTest
from waiting import PATIENCE

from kernlab.methods import METHODS, MethodSpec
from kernlab.options import Option
from kernlab.ui import callbacks, state
from kernlab.ui.forms import from_text, grid
from kernlab.ui.setup import families
from kernlab.ui.state import to_text

FLOAT = Option("rate", "float", 1e-2, "A rate.", above=0, maximum=1, log=True)
INT = Option("n", "int", 2000, "A count.", minimum=1, maximum=100_000)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9))
@settings(max_examples=50)
def test_a_number_comes_back_from_its_text(value):
    again = from_text(FLOAT, to_text(value))
    assert abs(again - value) <= 1e-11 * max(1, abs(value))


def test_text_that_is_no_number_is_left_to_the_component():
    assert from_text(FLOAT, "fast") == "fast"
    assert from_text(INT, "12.5") == 12.5
    assert from_text(INT, "12") == 12
    assert from_text(Option("s", "float", "auto", "", choices=("auto",)), "auto") == "auto"
    assert from_text(Option("b", "bool", False, ""), "True") is True


def test_the_log_grid_stays_in_its_range_and_holds_the_default():
    values = grid(FLOAT)
    assert 1e-2 in values
    assert min(values) > 0
    assert max(values) == 1
    assert 0.0 in grid(Option("ridge", "float", 1e-5, "", minimum=0, maximum=1, log=True))


def app():
    import streamlit as st

    from kernlab.ui.state import Address, Value, Values, name, number

    kinds = name("kind", "round", lambda: ["round", "square"])
    table = Values("thing", number("size", 5, 1, 50), Value("deep", False), kinds, Value("note"))
    page = Address("thing", table)
    arrived = page.arrive() is not None
    page.show_trouble()
    st.slider("Size", 1, 50, table["size"], **table.widget("size"))
    st.toggle("Deep", table["deep"], **table.widget("deep"))
    if table["deep"]:  # a widget that comes and goes
        st.text_input("Note", table["note"], **table.widget("note"))
    table.choice("kind", "Kind", ["round", "square"])
    st.text(f"{table['size']} {table['deep']} {table['kind']} {table['note']} {arrived} {page.rest}")
    page.write(page.rest)


def test_widgets_follow_the_address_and_the_address_follows_the_widgets():
    page = AppTest.from_function(app)
    page.query_params["size"] = "7"
    page.query_params["deep"] = "true"
    page.query_params["more"] = "x"
    page.run()
    assert page.text[0].value == "7 True round  True {'more': 'x'}"
    page.slider(key="thing.size").set_value(9).run()
    assert page.text[0].value == "9 True round  False {'more': 'x'}"
    assert page.query_params["size"] == "9"
    page.slider(key="thing.size").set_value(5).run()
    assert "size" not in page.query_params
    page.text_input(key="thing.note").set_value("here").run()
    page.toggle(key="thing.deep").set_value(False).run()
    page.slider(key="thing.size").set_value(6).run()
    page.toggle(key="thing.deep").set_value(True).run()  # what was not drawn for a while has kept its value
    assert page.text_input(key="thing.note").value == "here"
    page.query_params["size"] = "8"  # a link that was opened in this tab, or "back"
    page.query_params["note"] = ""
    page.run()
    assert page.slider(key="thing.size").value == 8
    assert page.text_input(key="thing.note").value == ""
    assert not page.exception


def test_changes_that_are_quicker_than_the_address_are_kept_and_back_goes_back(monkeypatch):
    page = AppTest.from_function(app)
    page.query_params["size"] = "7"
    page.run()
    page.slider(key="thing.size").set_value(9).run()
    page.query_params["size"] = "7"  # the browser sends the next change before it has had the address of the last
    page.toggle(key="thing.deep").set_value(True).run()
    assert page.text[0].value == "9 True round  False {}"
    assert (page.query_params["size"], page.query_params["deep"]) == ("9", "true")
    page.slider(key="thing.size").set_value(8).run()  # sent with the newest address, so that all before are past
    page.query_params.clear()
    page.query_params["size"] = "7"  # a link to where the page was before
    page.run()
    assert page.text[0].value == "7 False round  True {}"
    page.slider(key="thing.size").set_value(9).run()
    page.toggle(key="thing.deep").set_value(True).run()
    page.query_params.clear()
    page.query_params["size"] = "9"  # the last address but one, to which the person goes back
    monkeypatch.setattr(state, "_went_back", lambda: True)
    page.run()
    assert page.text[0].value == "9 False round  True {}"


def test_an_address_is_taken_wherever_the_run_of_the_script_is_interrupted(monkeypatch):
    """On a busy machine the next run was asked for before a page had filled its form: it trained with the defaults."""

    def app():
        import streamlit as st

        from kernlab.ui.state import Address, Value, Values

        table = Values("page", Value("text"))

        def fill(rest):
            st.session_state["form"] = f"{table['text']} {rest}"

        Address("page", table).arrive(fill)
        st.text(st.session_state.get("form", "the defaults"))

    def interrupts(runner):
        if any(each.name == "arrive" for each in traceback.extract_stack()) and next(left, None) is None:
            raise StopException

    monkeypatch.setattr(ScriptRunner, "_maybe_handle_execution_control_request", interrupts)
    for allowed in range(20):
        page = AppTest.from_function(app)
        page.query_params.update(text="asked", other="more")
        left = iter(range(allowed))  # times that the session is looked at before the next run is asked for
        page.run()
        left = itertools.repeat(0)
        assert page.run().text[0].value == "asked {'other': 'more'}"


def test_nothing_interrupts_a_callback():
    asked, seen = [], []

    class Below(SessionState):
        def on_script_will_rerun(self, *changes, **rest):  # where Streamlit calls the callbacks
            seen.append(session["x"])

    session = SafeSessionState(Below(), lambda: asked.append("may I interrupt?"))
    session["x"] = 1
    assert len(asked) == 1
    session.on_script_will_rerun(None)
    assert seen == [1]
    assert len(asked) == 1  # neither before it, which would lose a press that has come, nor within it
    assert session["x"] == 1
    assert len(asked) == 2  # but after it


def states_of(**values):
    """What a browser says of its widgets."""
    states = WidgetStates()
    for name, value in values.items():
        states.widgets.add(id=name, **{"trigger_value" if value is True else "int_value": value})
    return states


def test_the_runs_of_a_session_take_turns():
    done, inside, go_on = [], threading.Event(), threading.Event()

    class Below(SessionState):
        def on_script_will_rerun(self, change, **rest):
            done.extend(each.id for each in change.widgets)

        def on_script_finished(self, widgets, *, remove_stale_widgets):
            done.append("puts away")
            inside.set()
            assert go_on.wait(PATIENCE)
            done.append("has put away")

    state = Below()
    first, second, third = (SafeSessionState(state, lambda: done.append("may I be interrupted?")) for _ in range(3))
    ending = threading.Thread(target=first.on_script_finished, args=(frozenset(),), daemon=True)
    ending.start()
    assert inside.wait(PATIENCE)
    beginning = threading.Thread(target=second.on_script_will_rerun, args=(states_of(change=1),), daemon=True)
    beginning.start()
    beginning.join(0.1)  # it would have come through by now
    assert done == ["puts away"]
    go_on.set()
    ending.join()
    beginning.join()
    assert done == ["puts away", "has put away", "change"]

    done.clear()
    first.on_script_finished(frozenset())  # what the second has changed stays
    assert done == []
    third.on_script_will_rerun(states_of(newer=1))
    second.on_script_will_rerun(states_of(change=1))
    assert done == ["newer", "may I be interrupted?"]
    third.on_script_finished(frozenset())
    assert done[2:] == ["puts away", "has put away"]
    SafeSessionState(Below(), list).on_script_will_rerun(states_of(change=1))  # of another session
    assert done[4:] == ["change"]


def begins(run, change):
    """A thread in which a later run takes up a change."""
    thread = threading.Thread(target=run.on_script_will_rerun, args=(states_of(**change),), daemon=True)
    thread.start()
    thread.join(0.1)  # it would have come through by now
    return thread


def test_no_later_run_begins_within_what_must_not_be_done_by_halves(monkeypatch):
    done = []

    class Below(SessionState):
        def on_script_will_rerun(self, states, **rest):
            done.extend(each.id for each in states.widgets)

    below = Below()
    first, second = (SafeSessionState(below, lambda: done.append("may I be interrupted?")) for _ in range(2))
    monkeypatch.setattr(callbacks, "get_script_run_ctx", lambda: SimpleNamespace(session_state=first))
    with callbacks.whole():
        assert done == ["may I be interrupted?"]  # before it, not within it
        beginning = begins(second, {"change": 1})
        first["x"] = 1
        with callbacks.whole():
            assert done == ["may I be interrupted?"]
    beginning.join()
    assert done[1:] == ["change"]


def test_a_run_that_a_later_one_ends_writes_nothing_over_its_changes():
    begun = []

    class Below(SessionState):
        def on_script_will_rerun(self, states, **rest):
            self["x"] = 2

    def asked():
        if begun:
            raise StopException
        begun.append(begins(second, {}))  # asked for while the first is about to write

    below = Below()
    first, second = SafeSessionState(below, asked), SafeSessionState(below, lambda: None)
    first["x"] = 1  # which comes before the change
    begun[0].join()
    assert second["x"] == 2
    with pytest.raises(StopException):
        first["x"] = 1


class Session(AppSession):
    """One that asks for runs, which the test makes begin."""

    def __init__(self):
        self._state, self._scriptrunner, self._client_state = AppSessionState.APP_NOT_RUNNING, None, ClientState()
        self.seen = seen = []

        class Below(SessionState):
            def on_script_will_rerun(self, states, **rest):
                seen.append({each.id: getattr(each, each.WhichOneof("value")) for each in states.widgets})

        self._session_state = Below()

    def shutdown(self):
        """Nothing of it is to be ended."""

    def has_fragment(self, fragment_id):
        return fragment_id != "gone"

    def _create_scriptrunner(self, initial_rerun_data):
        requests = ScriptRequests()
        requests.request_rerun(initial_rerun_data)
        state = SafeSessionState(self._session_state, lambda: None)
        self._scriptrunner = SimpleNamespace(
            _requests=requests, _session_state=state,
            request_stop=requests.request_stop, request_rerun=requests.request_rerun,
        )  # fmt: skip

    def ask(self, fragment="", **values):
        self.request_rerun(ClientState(fragment_id=fragment, widget_states=states_of(**values)))
        return self._scriptrunner

    def begin(self, runner):
        """The run takes up what it was asked for, if it still may."""
        request = runner._requests.on_scriptrunner_ready()
        return request.rerun_data.widget_states if request.type is ScriptRequestType.RERUN else None


def test_a_press_is_not_lost_with_the_run_that_was_to_take_it_up():
    session = Session()
    first = session.ask(press=True, size=1)
    second = session.ask(size=2)  # before the first one has begun
    assert session.begin(first) is None
    second._session_state.on_script_will_rerun(session.begin(second))
    assert session.seen == [{"press": True, "size": 2}]

    third = session.ask(size=3)  # of what has been taken up nothing is taken up again
    taken = session.begin(third)
    assert [each.id for each in taken.widgets] == ["size"]
    third._session_state.on_script_will_rerun(taken)
    session.ask("fragment", more=True, size=3)  # waits for the end of the third
    fourth = session.ask(size=4)
    taken = session.begin(fourth)
    assert {each.id for each in taken.widgets} == {"more", "size"}
    fifth = session.ask(size=5)  # the fourth has begun, and has not taken up anything yet
    fourth._session_state.on_script_will_rerun(taken)
    assert session.seen[1:] == [{"size": 3}]
    fifth._session_state.on_script_will_rerun(session.begin(fifth))
    assert session.seen[2:] == [{"more": True, "size": 5}]

    session.ask("gone", late=True, size=5)  # in a part of the page that is there no more
    sixth = session.ask(size=6)
    sixth._session_state.on_script_will_rerun(session.begin(sixth))
    assert session.seen[3:] == [{"size": 6}]


def test_the_address_of_a_run_that_begins_late_goes_nowhere():
    session = Session()
    late, last = session.ask(size=1)._session_state, session.ask(size=2)._session_state
    with last.query_params() as address:
        address.populate_from_query_string("methods=SK,NSK")
    with late.query_params() as address:  # its thread has come only now
        address.populate_from_query_string("methods=SK")
    with last.query_params() as address:
        assert address.to_dict() == {"methods": "SK,NSK"}


def test_a_run_that_is_dropped_within_what_it_does_as_a_whole_still_has_its_address(monkeypatch):
    session = Session()
    run = session.ask(size=1)._session_state
    with run.query_params() as address:
        address.populate_from_query_string("methods=SK")
    monkeypatch.setattr(callbacks, "get_script_run_ctx", lambda: SimpleNamespace(session_state=run))
    with callbacks.whole():
        session.ask(size=2)
        with run.query_params() as address:
            assert address.to_dict() == {"methods": "SK"}


def test_what_an_odd_address_says_is_a_sentence_each_and_the_rest_of_it_is_taken():
    page = AppTest.from_function(app)
    for key, text in {"size": "99", "deep": "perhaps", "kind": "squar", "note": "kept"}.items():
        page.query_params[key] = text
    page.run()
    assert not page.exception
    for sentence in ("size must be a whole number from 1 to 50", "deep must be true or false", "Did you mean square"):
        assert sentence in page.error[0].value
    assert page.text[0].value == "5 False round kept True {}"


def test_a_method_stands_under_the_family_that_it_names_whatever_its_source(monkeypatch):
    monkeypatch.setattr(METHODS, "_entries", {**METHODS})
    METHODS.add("mine", MethodSpec("mine", source="Le et al. 2013", family="Fast features"))
    METHODS.add("yours", MethodSpec("yours", source="Cho & Saul 2009"))
    found = families()
    assert found["Fast features"] == ["mine"]
    assert found["Others"] == ["yours"]
    assert found["Spectral kernels (ASKL)"] == ["SK", "NSK", "SKL", "NSKL", "ASKL", "Deep-ASKL"]
    assert found["Exact kernels"][-1] == "MKL"
    assert {name for names in found.values() for name in names} == {*METHODS, "Custom"}
