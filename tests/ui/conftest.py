"""Pages over a store of their own or over one whose runs all tests of a session share, and the app in a browser."""

from __future__ import annotations

import pytest
from opening import store_of

from kernlab import devices
from kernlab.jobs import manager


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of this test alone for runs and comparisons."""
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    monkeypatch.setattr(devices, "cores", lambda: 1)  # other processes take seconds to start
    yield tmp_path / "home"
    manager().shutdown()


@pytest.fixture(scope="session")
def _shared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shared")
    yield folder
    manager(folder).shutdown()


@pytest.fixture
def shared(_shared, monkeypatch):
    """The store that :func:`opening.ran` trains each run in once."""
    monkeypatch.setenv("KERNLAB_HOME", str(_shared))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    return store_of(_shared)


@pytest.fixture
def app(server):
    """The app, in whose log a test may not leave an error."""
    yield server
    assert server.trouble() == []
