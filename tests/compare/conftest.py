from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from kernlab.compare.records import RecordStore


@pytest.fixture
def store(tmp_path: Path) -> RecordStore:
    return RecordStore(tmp_path)


@pytest.fixture(scope="module")
def processes() -> Iterator[multiprocessing.context.ForkServerContext]:
    """Makes processes that have everything loaded already: loading it takes each of them seconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["kernlab.compare.cluster", "sklearn.svm", "torch._dynamo", "small_comparison"])
    with pytest.MonkeyPatch.context() as patch:
        # Processes run the main module of the one that starts them, and Streamlit's tests leave their script as that.
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        yield context
