"""Data: what there is (:func:`known`), getting it (:func:`load`), splitting and scaling it (:func:`prepare`)."""

from kernlab.data import bundled, synthetic  # noqa: F401  (they register their sources)
from kernlab.data.base import SOURCES, Dataset, DataSpec, Prepared, Scaler, Source
from kernlab.data.catalogue import Known, fingerprint, known, load
from kernlab.data.preparation import constant_metric, prepare, rescaled, score
from kernlab.data.table import encode, make_dataset

__all__ = [
    "SOURCES",
    "DataSpec",
    "Dataset",
    "Known",
    "Prepared",
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
