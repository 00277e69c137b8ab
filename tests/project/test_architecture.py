"""Who may import whom. The rule is checked on the source, so that an import inside a function counts too."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import packages_distributions

import pytest
from serving import ROOT

from kernlab import _HOMES

#: A family imports families of lower lines only: never one beside it, never one above.
LAYERS = (
    {"errors", "typing", "paths"},
    {"registry", "options", "processes"},
    {"linalg", "kernels", "devices"},
    {"feature_maps", "objectives", "regularizers", "bounds", "data"},
    {"heads"},
    {"solvers"},
    {"methods"},
    {"earlier", "model", "spec"},
    {"training"},
    {"runs", "compare"},
    {"pictures"},
    {"estimators", "analysis"},
    {"bench", "plots"},
    {"ui"},
    {"pages", "app", "cli"},
)
RANK = {family: rank for rank, layer in enumerate(LAYERS) for family in layer}

#: What only these families know.
HOMES = {
    "streamlit": {"ui", "app", "pages"},
    "starlette": {"ui"},
    "plotly": {"pictures", "plots", "ui"},
    "sqlalchemy": {"runs"},
    "click": {"cli"},
}

#: Asked for only where it is used, with a sentence for those who lack it.
OPTIONAL = {"distributed", "optuna", "playwright"}

Sources = Mapping[str, str]


def tree() -> dict[str, str]:
    """Every module of the product by its dotted name."""
    files = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("kernlab/**/*.py")]
    names = (".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files)
    return {name.removesuffix(".__init__"): file.read_text("utf-8") for name, file in zip(names, files, strict=True)}


def imports(source: str, modules: Sources) -> Iterator[str]:
    """Dotted names a source imports anywhere: at the top, in functions, for annotations only, or by a string."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are written in full"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if node.module == "kernlab" and alias.name in _HOMES:  # the short names of `import kernlab`
                    inner = f"kernlab.{_HOMES[alias.name]}"
                yield inner if inner in modules or node.module == "kernlab" else str(node.module)
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            yield from (str(each.value) for each in node.args if isinstance(each, ast.Constant))


def family(module: str) -> str:
    head, *rest = module.split(".")
    return rest[0] if head == "kernlab" and rest else head


def violations(modules: Sources) -> list[str]:
    """Every import that breaks the rules, as a sentence."""
    found = []
    for module, source in modules.items():
        mine = family(module)
        if mine == "kernlab":  # the package itself imports nothing until a name is asked for
            continue
        for name in imports(source, modules):
            other = family(name)
            ours = name.startswith("kernlab.") and name != "kernlab.__version__" and other != mine
            if ours and RANK[other] >= RANK[mine]:
                found.append(f"{module} imports {name}, which stands beside or above it")
            if mine not in HOMES.get(name.split(".")[0], {mine}):
                found.append(f"{module} imports {name}, which belongs to {sorted(HOMES[name.split('.')[0]])}")
    return found


def test_imports_point_downwards():
    assert violations(tree()) == []


def test_every_module_has_a_place():
    assert {family(module) for module in tree()} - {"kernlab"} <= set(RANK)


@pytest.mark.parametrize(
    ("module", "source", "said"),
    [
        ("kernlab.data.fake", "from kernlab.objectives import Hinge", "beside or above"),
        ("kernlab.linalg", "from kernlab import methods", "beside or above"),
        ("kernlab.linalg", "from kernlab import METHODS", "beside or above"),
        ("kernlab.solvers.fake", "def f():\n    import kernlab.training.trainer", "beside or above"),
        (
            "kernlab.bounds.fake",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from kernlab.spec import RunSpec",
            "beside or above",
        ),
        ("kernlab.runs.fake", "__import__('importlib').import_module('kernlab.ui.live')", "beside or above"),
        ("kernlab.pictures.fake", "def draw_fake(at):\n    import streamlit as st", "belongs to"),
        ("kernlab.pictures.fake", "from kernlab.ui.watch import Watch", "beside or above"),
        ("kernlab.compare.fake", "from kernlab.pictures.theme import figure", "beside or above"),
        ("kernlab.training.fake", "import plotly.graph_objects as go", "belongs to"),
        ("kernlab.training.fake", "def f():\n    from streamlit import session_state", "belongs to"),
        ("kernlab.cli", "import streamlit as st", "belongs to"),
    ],
)
def test_the_rule_can_be_broken(module, source, said):
    (broken,) = violations({**tree(), module: source})
    assert broken.startswith(module)
    assert said in broken


def test_events_and_control_need_nothing_but_python():
    modules = tree()
    for name in ("kernlab.training.events", "kernlab.training.control"):
        outside = {each.split(".")[0] for each in imports(modules[name], modules)} - set(sys.stdlib_module_names)
        assert outside == set()


def test_what_is_imported_is_what_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed, tested = _names(project["dependencies"]), _names(project["optional-dependencies"]["test"])
    files = [*ROOT.glob("tests/**/*.py")]
    ours = {"kernlab", *(file.stem for file in files)}
    assert _distributions(tree().values(), ours) == needed | OPTIONAL
    assert tested >= OPTIONAL
    assert _distributions((file.read_text("utf-8") for file in files), ours) <= needed | tested


def _names(requirements: Iterable[str]) -> set[str]:
    return {re.sub(r"[-_.]+", "-", re.split(r"[<>=!~;\[ ]", line)[0]).lower() for line in requirements}


def _distributions(sources: Iterable[str], ours: set[str]) -> set[str]:
    """The installed packages that the sources import from."""
    owners = packages_distributions()
    used = {name.split(".")[0] for source in sources for name in imports(source, {})}
    return _names(owners[name][0] for name in used - set(sys.stdlib_module_names) - ours)
