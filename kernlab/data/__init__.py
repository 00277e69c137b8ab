"""Data sets: :func:`known` lists them, :func:`load` reads one, :func:`prepare` splits and scales it."""

from kernlab.data import bundled, synthetic  # noqa: F401  (they register their sources)
from kernlab.data.base import SOURCES, Dataset, DataSpec, Prepared, Scaler, Source
from kernlab.data.catalogue import Known, fingerprint, known, load
from kernlab.data.preparation import constant_metric, prepare, rescaled, score
from kernlab.data.recipe import Preparation, Recipe
from kernlab.data.table import encode, make_dataset

__all__ = [
    "SOURCES",
    "DataSpec",
    "Dataset",
    "Known",
    "Preparation",
    "Prepared",
    "Recipe",
    "Scaler",
    "Source",
    "constant_metric",
    "encode",
    "fingerprint",
    "known",
    "load",
    "make_dataset",
    "prepare",
    "rescaled",
    "score",
]
