"""Where kernlab's own files and the user's runs live."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

__all__ = ["LESSONS", "bundle", "home", "lessons"]

#: The environment variable with the folder of a lecturer's own lessons.
LESSONS = "KERNLAB_LESSONS"


def bundle() -> Path:
    """The folder with app.py, pages/ and datasets/: the source tree, or the copy inside a wheel."""
    package = Path(__file__).resolve().parent
    packed = package / "_bundle"
    return packed if packed.is_dir() else package.parent


def home() -> Path:
    """The folder of runs and settings: ``KERNLAB_HOME``, else the user's data folder."""
    chosen = os.environ.get("KERNLAB_HOME")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_data_dir("kernlab", appauthor=False))


def lessons() -> Path | None:
    """The folder of a lecturer's own lessons, which ``kernlab app --lessons`` names; None: there are none."""
    chosen = os.environ.get(LESSONS)
    return Path(chosen).expanduser() if chosen else None
