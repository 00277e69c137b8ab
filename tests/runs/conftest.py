from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fake_training
import pytest

from kernlab.jobs.trainings import Trainings
from kernlab.runs.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "home") as made:
        yield made


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of a finished run."""
    home = tmp_path_factory.mktemp("exported")
    with Store(home) as made:
        made.export(fake_training.trained(made), home / "run.zip")
    return home / "run.zip"


@pytest.fixture
def jobs(store: Store) -> Iterator[Trainings]:
    made = Trainings(store, fake_training.train, device_key=str)
    yield made
    made.shutdown()
