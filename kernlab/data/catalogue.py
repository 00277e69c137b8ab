"""The data sets that can be loaded, by name."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from kernlab.data import folder
from kernlab.data.base import SOURCES, Dataset, DataSpec
from kernlab.data.registered import registered
from kernlab.errors import DataError, UnknownNameError
from kernlab.options import options_of
from kernlab.typing import Task

__all__ = ["Known", "fingerprint", "known", "load"]


class Known(NamedTuple):
    """A data set as lists show it; what only loading shows is None.

    Attributes:
        name: what ``load`` takes.
        task: "classification" or "regression".
        group: "bundled", "generated" or "folder".
        rows, features: n and d; a generator's with its default options.
        classes: number of classes, None for regression.
        description: one sentence.
        available: False for a set of the registry whose file is missing, and for a file that cannot be read.
    """

    name: str
    task: Task | None
    group: str
    rows: int | None
    features: int | None
    classes: int | None
    description: str
    available: bool = True


def load(spec_or_name: DataSpec | str, **options: Any) -> Dataset:
    """The data set of that name.

    Args:
        spec_or_name: a name, or a DataSpec (its ``dataset`` and ``source``).
        **options: options of a generator; they win over the DataSpec's.

    Raises:
        UnknownNameError: no data set or option has that name, or its file is missing.
        OptionError: an option outside its range.
        DataError: the data cannot be used as they are, or a folder of KERNLAB_DATA does not exist.
    """
    if isinstance(spec_or_name, DataSpec):
        name, options = spec_or_name.dataset, {**spec_or_name.source, **options}
    else:
        name = spec_or_name
    files = folder.files()
    paths = files.get(name, [])
    if name in SOURCES:
        unused, used = paths, f"the {SOURCES[name].group} data set"
        dataset = SOURCES[name].build(**options).load()
    elif paths:
        if options:
            raise UnknownNameError.among(f"option of {name}", next(iter(options)), ())
        unused, used = paths[1:], str(paths[0])
        dataset = folder.read(name, paths[0], registered().get(name))
    elif name in registered():
        listed = ", ".join(map(str, folder.folders()))
        raise UnknownNameError(
            f"the data set {name!r} is known, but its file {name}.parquet must lie in a folder that "
            f"{folder.VARIABLE} lists",
            f"{folder.VARIABLE}={listed}" if listed else f"{folder.VARIABLE} is not set",
            f"run kernlab data get {name}, or set {folder.VARIABLE} to the folder with that file; datasets/README.md "
            "describes its format",
        )
    else:
        raise UnknownNameError.among("data set", name, {*SOURCES, *files, *registered()})
    if not unused:
        return dataset
    notice = f"{', '.join(map(str, unused))} has the same name and is not used: {used} goes first; rename the file."
    return replace(dataset, warnings=(notice, *dataset.warnings))


def known(missing: bool = False) -> list[Known]:
    """Every data set that can be loaded, without loading it.

    Args:
        missing: list also the registry's sets whose files are missing, with ``available=False``.

    Raises:
        DataError: a folder of KERNLAB_DATA does not exist.
    """
    about = registered()
    found = []
    for name, source in SOURCES.items():
        if entry := about.get(name):
            found.append(
                Known(name, source.task, source.group, entry.rows, entry.features, entry.classes, entry.description)
            )
        else:
            found.append(_generator(name))
    files = folder.files()
    for name in sorted(set(files) - set(SOURCES), key=str.casefold):
        try:
            task, rows, features, classes = folder.glance(files[name][0], about.get(name))
        except DataError as error:
            found.append(Known(name, None, "folder", None, None, None, str(error), available=False))
            continue
        fits = name in about and about[name].describes(rows, features)
        description = about[name].description if fits else f"{files[name][0].name}, a file of yours."
        found.append(Known(name, task, "folder", rows, features, classes, description))
    if missing:
        for name in sorted(set(about) - {each.name for each in found}, key=str.casefold):
            e = about[name]
            found.append(Known(name, e.task, "folder", e.rows, e.features, e.classes, e.description, available=False))
    return found


def _generator(name: str) -> Known:
    source = SOURCES[name]
    options = options_of(source)
    default = {key: each.default for key, each in options.items()}
    regression = source.task == "regression"
    features = default.get("dimension", 1 if regression else 2)
    classes = None if regression else default.get("arms", default.get("centers", 2))
    return Known(name, source.task, source.group, default["n_samples"], features, classes, source.description)


def fingerprint(dataset: Dataset) -> str:
    """SHA-256 of inputs, targets and names: equal when and only when a run would see the same data."""
    digest = hashlib.sha256()
    head = (dataset.task, dataset.X.shape, dataset.y.shape, str(dataset.y.dtype))
    digest.update(repr((*head, dataset.feature_names, dataset.target_names)).encode())
    for array in (dataset.X, dataset.y):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
