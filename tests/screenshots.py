"""Take the README's pictures from the running app: ``python tests/screenshots.py``.

Needs Chromium. Each page is shown in light and in dark with runs that were trained for it just now.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from browsing import rested, visit
from PIL import Image
from playwright.sync_api import sync_playwright
from serving import ROOT, launch, running

#: Whether every picture in view has been drawn.
DRAWN = "[...document.querySelectorAll('.kl-seen')].every(chart => chart.dataset.drawn)"
IMAGES = ROOT / ".github" / "images"
RUNS = (
    ("SK", "moons", "--set", "n_features=300"),
    ("NSKL", "chirp", "--set", "n_features=300"),
    ("ASKL", "digits", "--set", "n_features=500"),
    ("ASKL", "checkerboard", "--set", "n_features=300", "--set", "cells=3"),
)


def train(home: Path) -> str:
    """Train the runs that the pictures show; the id of the last."""
    env = {**os.environ, "KERNLAB_HOME": str(home / "runs"), "PYTHONPATH": str(ROOT)}
    for method, dataset, *options in RUNS:
        command = [sys.executable, "-m", "kernlab.cli", "train", "--method", method, "--dataset", dataset, *options]
        printed = subprocess.run(command, env=env, check=True, text=True, stdout=subprocess.PIPE).stdout
    return printed.split()[-1]


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        run = train(home := Path(folder))
        browser = launch(driver)
        with running(ROOT / "app.py", home) as app:
            for scheme, suffix in (("light", ""), ("dark", "-dark")):
                page = browser.new_page(color_scheme=scheme)
                for name, address, height in (
                    ("home", "", 800),
                    ("train", f"train?run={run}", 1100),
                    ("runs", "runs", 520),
                ):
                    page.set_viewport_size({"width": 1280, "height": height})
                    visit(page, app, address)
                    rested(page)
                    page.wait_for_function(DRAWN)
                    page.wait_for_timeout(1_000)  # what fades in
                    image = Image.open(io.BytesIO(page.screenshot()))
                    image.quantize(256).save(IMAGES / f"{name}{suffix}.png", optimize=True)  # a third of the size
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
