from __future__ import annotations

import multiprocessing
from multiprocessing import forkserver
from pathlib import Path

import pytest

from kernlab.compare.records import RecordStore


@pytest.fixture
def store(tmp_path: Path) -> RecordStore:
    return RecordStore(tmp_path)


@pytest.fixture(scope="session")
def processes() -> multiprocessing.context.ForkServerContext:
    """Makes processes that have everything loaded already: loading it takes each of them seconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["kernlab.compare.cluster", "sklearn.svm", "torch._dynamo", "small_comparison"])
    forkserver.ensure_running()
    return context
