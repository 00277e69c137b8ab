"""What is built from the tree works far from it: in an environment and a folder of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import venv
from pathlib import Path

import pytest
from serving import ROOT, free_port, served
from waiting import PATIENCE

from kernlab.ui.pages import PAGES


def call(*command: object, cwd: Path, **environment: str) -> str:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=env | environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The source distribution, and a wheel made from nothing but that."""
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory) -> Path:
    """The bin folder of a new environment with the wheel in it; what it depends on is borrowed from ours."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    call(sys.executable, "-m", "pip", "--python", scripts / "python", "install", "-q", "--no-deps", "--no-index",
         *built.glob("*.whl"), cwd=folder)  # fmt: skip
    (site,) = {Path(json.loads(call(scripts / "python", "-c", _SITE, cwd=folder)))}
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"), "utf-8")  # stands after the wheel's own folder
    return scripts


_SITE = "import json, sysconfig; print(json.dumps(sysconfig.get_path('purelib')))"


def test_the_source_distribution_is_the_whole_tree(built):
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as pack:
        names = {name.partition("/")[2] for name in pack.getnames()}
    git = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    wanted = git.stdout.split() if git.returncode == 0 else ["README.md", "app.py", "pages/train.py"]
    assert [name for name in wanted if name not in names] == []


def test_the_wheel_is_what_is_imported(installed, tmp_path):
    code = "import json, kernlab, kernlab.paths; print(json.dumps([kernlab.__file__, str(kernlab.paths.bundle())]))"
    module, bundle = map(Path, json.loads(call(installed / "python", "-c", code, cwd=tmp_path)))
    assert installed.parent in module.parents
    assert bundle == module.parent / "_bundle"
    assert {path.stem for path in (bundle / "pages").glob("*.py")} == {page.name for page in PAGES}
    assert (bundle / "datasets" / "registry.toml").is_file()
    assert len([*(module.parent / "lessons" / "texts").glob("*.toml")]) == 11


def test_the_wheel_trains(installed, tmp_path):
    printed = call(
        *(installed / "kernlab", "train", "--method", "SKL", "--dataset", "iris", "--epochs", "2", "--json"),
        *("--set", "n_features=20"), cwd=tmp_path, KERNLAB_HOME=str(tmp_path), OMP_NUM_THREADS="1",
    )  # fmt: skip
    assert json.loads(printed)["dataset"] == "iris"
    assert (tmp_path / "kernlab.db").is_file()


@pytest.fixture(scope="module")
def app(installed, tmp_path_factory):
    port = free_port()
    command = [str(installed / "kernlab"), "app", "--port", str(port), "--no-browser"]
    with served(command, port, tmp_path_factory.mktemp("served"), PYTHONPATH="") as server:
        yield server


def test_the_wheel_serves_every_page_by_its_address(app):
    for address in ("", *(page.name for page in PAGES)):
        with urllib.request.urlopen(f"{app.url}/{address}", timeout=PATIENCE) as answer:
            page = answer.read().decode()
            assert "<title>" in page
            for file in ("plotly.js", "chart.js", "jobs.js"):
                address = re.search(rf'href="\.(/assets/\w[\w.]*/{file})"', page)[1]
                with urllib.request.urlopen(app.url + address, timeout=PATIENCE) as script:
                    assert script.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert app.trouble() == []


@pytest.mark.browser
def test_the_wheel_opens_on_a_deep_link(app, page):
    page.goto(f"{app.url}/train?dataset=iris&method=SKL")
    page.get_by_role("heading", name="Train").wait_for()
    page.get_by_role("button", name="Train", exact=True).wait_for()
    assert page.get_by_role("link", name="Runs").first.is_visible()
    page.goto("about:blank")
    assert app.trouble() == []
