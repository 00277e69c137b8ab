from __future__ import annotations

from pathlib import Path

import pytest

from kernlab.compare.records import RecordStore


@pytest.fixture
def store(tmp_path: Path) -> RecordStore:
    return RecordStore(tmp_path)
