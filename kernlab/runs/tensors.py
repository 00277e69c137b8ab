"""Arrays and their JSON in one safetensors file, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from kernlab import files
from kernlab.errors import StoreError

__all__ = ["dump", "dumps", "load", "save"]


def dumps(value: Any) -> str:
    """JSON text; NumPy's numbers and arrays become plain ones, NaN and infinity are kept."""
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} is not JSON-ready")


def dump(arrays: Mapping[str, Any], meta: Mapping[str, Any] | None = None) -> bytes:
    """A safetensors file's bytes, with the JSON-ready ``meta`` in its header."""
    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    return safetensors.numpy.save(plain, metadata={"json": dumps(meta or {})})


def save(path: Path, arrays: Mapping[str, Any], meta: Mapping[str, Any] | None = None) -> None:
    """Write ``arrays`` and the JSON-ready ``meta`` to ``path`` atomically.

    Raises:
        OSError: the file cannot be written; its old contents stay.
    """
    content = dump(arrays, meta)
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write(path, content)


def load(path: Path, names: Iterable[str] | None = None) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays of ``path`` and its meta; with ``names`` only those arrays are read.

    Raises:
        FileNotFoundError: the file does not exist.
        StoreError: the file is damaged, or has no array of that name.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            known = list(file.keys())
            wanted = known if names is None else list(names)
            for name in wanted:
                if name not in known:
                    raise StoreError(f"an array must be one of {', '.join(known)}", repr(name), "ask for one of these")
            meta = json.loads((file.metadata() or {}).get("json", "{}"))
            if not isinstance(meta, dict):
                raise ValueError(f"its meta must be an object of JSON, not {type(meta).__name__}")
            return {name: file.get_tensor(name) for name in wanted}, meta
    except (safetensors.SafetensorError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise StoreError(
            f"the file {path} must be a whole safetensors file",
            error,
            "run kernlab runs check --repair, which sets it aside and says what is lost by that",
        ) from error
