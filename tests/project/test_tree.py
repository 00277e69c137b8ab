"""What lies in the tree, and what must not stand in it."""

from __future__ import annotations

import re

from serving import ROOT

TOP = {"pyproject.toml", "README.md", "app.py", "kernlab", "pages", "tests", "datasets"}
DOTTED = (".ci", ".github", ".streamlit", ".gitignore")
MADE = {"build", "dist", "__pycache__"}  # by tools, and ignored by git

#: Folders of one machine. The brackets keep this line from finding itself.
PLACES = re.compile(r"/wor[k]/|/tm[p]/|/roo[t]/|/hom[e]/\w|[C]:\\Users|\.\./share[d]")
HOSTS = re.compile(r"https?://([\w.-]*)|\b((?:[\w-]+\.)*(?:pyp[i]|pythonhoste[d]|npmj[s]|huggingfac[e]|githu[b])\.\w+)")
#: Loopback, addresses filled in at run time, and the name (not the place) of the SVG format.
KNOWN = {"127.0.0.1", "localhost", "", "host", "www.w3.org"}

#: The addresses that the product downloads from, each where it needs it.
ORIGINS = {("datasets/registry.toml", "raw.githubusercontent.com"), ("kernlab/data/openml.py", "api.openml.org")}

BINARY = {".png", ".parquet", ".safetensors", ".db", ".zip", ".kernlab", ".tar", ".xz"}


def texts():
    """Every text file of the tree with its path."""
    for top in (*sorted(TOP), *DOTTED):
        for file in [ROOT / top] if (ROOT / top).is_file() else sorted((ROOT / top).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and file.suffix not in BINARY:
                yield file.relative_to(ROOT).as_posix(), file.read_text("utf-8")


def test_the_top_level_is_fixed():
    assert {each.name for each in ROOT.iterdir() if not each.name.startswith(".")} - MADE == TOP


def test_no_place_of_one_machine():
    # The tests and CI may look beside the tree for real data; nothing else knows such a folder.
    allowed = {(".ci/run", "../" + "shared"), ("tests", "../" + "shared")}
    found = {
        (name if name == ".ci/run" else name.split("/")[0], place)
        for name, text in texts()
        for place in PLACES.findall(text)
    }
    assert found <= allowed


def test_no_host_of_a_network():
    found = {(name, "".join(hit)) for name, text in texts() for hit in HOSTS.findall(text)}
    assert {(name, host) for name, host in found if host not in KNOWN} == ORIGINS


def test_the_rules_can_be_broken():
    assert PLACES.findall("open('/wor" + "k/x'); '../shar" + "ed/y'") == ["/wor" + "k/", "../shar" + "ed"]
    assert HOSTS.findall("http" + "s://example.org/x and pyp" + "i.org") == [("example.org", ""), ("", "pyp" + "i.org")]
