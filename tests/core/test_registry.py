"""Names: what is registered is found, what is not is answered with the nearest."""

from __future__ import annotations

import pickle

import pytest

from kernlab import errors
from kernlab.errors import KernlabError, UnknownNameError
from kernlab.registry import Registry


@pytest.fixture
def metals() -> Registry[int]:
    registry: Registry[int] = Registry("metal")
    for i, name in enumerate(("iron", "Copper", "tin")):
        registry.add(name, i)
    return registry


def test_a_registry_is_a_mapping_in_the_order_of_registration(metals):
    assert list(metals) == ["iron", "Copper", "tin"]
    assert (len(metals), metals["Copper"], "tin" in metals, "lead" in metals) == (3, 1, True, False)
    assert repr(metals) == "<3 metals: iron, Copper, tin>"


@pytest.mark.parametrize(
    ("asked", "offered"),
    [("irn", "Did you mean iron or tin?"), ("COPER", "Did you mean Copper?"), ("xyz", "Known: Copper")],
)
def test_an_unknown_name_is_answered_with_the_nearest_and_the_list(metals, asked, offered):
    with pytest.raises(UnknownNameError, match=offered.replace("?", r"\?")) as caught:
        metals[asked]
    assert "metal must be one that kernlab knows" in str(caught.value)
    assert repr(asked) in str(caught.value)
    assert "Copper, iron, tin" in str(caught.value)


def test_what_cannot_be_a_name_is_unknown_too(metals):
    """UnknownNameError is a KeyError, so that ``get`` and ``in`` of every mapping work."""
    assert metals.get("lead") is None
    for odd in (None, 3, ["iron"], {}):
        with pytest.raises(UnknownNameError):
            metals[odd]
    with pytest.raises(UnknownNameError, match="none is registered"):
        Registry("metal")["iron"]


def test_two_entries_cannot_share_a_name_and_the_decorator_returns_the_class(metals):
    metals.add("iron", metals["iron"])  # the same entry again changes nothing
    with pytest.raises(ValueError, match="registered twice"):
        metals.add("iron", 99)
    registry: Registry[type] = Registry("metal")
    assert registry.register("zinc")(dict) is registry["zinc"] is dict


@pytest.mark.parametrize("kind", errors.__all__)
def test_every_error_names_the_rule_the_value_and_the_remedy(kind):
    error = getattr(errors, kind)("n must be whole", 2.5, "round it")
    assert isinstance(error, KernlabError)
    assert str(error) == "n must be whole. Given: 2.5. Round it."
    assert str(getattr(errors, kind)("n must be whole")) == "n must be whole."
    copy = pickle.loads(pickle.dumps(error))  # as a worker process sends it
    assert (type(copy), str(copy), copy.fix) == (type(error), str(error), "round it")
