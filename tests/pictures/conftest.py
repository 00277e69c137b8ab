"""A store for the runs that the tests of one file share."""

from __future__ import annotations

import pytest

from kernlab.jobs import manager


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder for the runs of one file, and no data but what is bundled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNLAB_HOME", str(tmp_path_factory.mktemp("home")))
        patch.delenv("KERNLAB_DATA", raising=False)
        yield
        manager().shutdown()
