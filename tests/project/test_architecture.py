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
    {"errors", "typing", "paths", "files"},
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
    {"estimators", "papers"},
    {"jobs"},
    {"ui"},
    {"bench"},
    {"pages", "app", "cli"},
)
RANK = {family: rank for rank, layer in enumerate(LAYERS) for family in layer}

#: What only these families know.
HOMES = {
    "streamlit": {"ui", "app", "pages"},
    "starlette": {"ui"},
    "plotly": {"pictures", "papers", "ui"},
    "sqlalchemy": {"runs"},
    "click": {"cli"},
}

#: Asked for only where it is used, with a sentence for those who lack it.
OPTIONAL = {"distributed", "optuna", "playwright"}

#: The families whose members answer for themselves, and who may name a member all the same: the family, the named
#: methods, and what measures or reproduces a particular one.
FAMILIES = ("feature_maps", "regularizers")
MAY_NAME_MEMBERS = {"feature_maps", "regularizers", "methods", "bench", "papers"}
#: Pictures still tell some maps apart by their class; they are to ask them, too.
NOT_YET = {"analysis", "pictures", "ui"}

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


def members() -> set[str]:
    """The classes of the families that have a name of their own, and what only some of them share."""
    from kernlab.feature_maps import EXACT_KERNELS, FEATURE_MAPS
    from kernlab.regularizers import REGULARIZERS

    registered = [cls for registry in (FEATURE_MAPS, EXACT_KERNELS, REGULARIZERS) for cls in registry.values()]
    return {cls.__name__ for cls in registered} | {"SpectralMap", "FrameMap"}


def told_apart(modules: Sources, names: set[str]) -> list[str]:
    """Every import of a member of a family by a module that should ask it, as a sentence."""
    found = []
    for module, source in modules.items():
        if family(module) in MAY_NAME_MEMBERS:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(
                tuple(f"kernlab.{each}" for each in FAMILIES)
            ):
                found += [f"{module} knows {alias.name}" for alias in node.names if alias.name in names]
    return found


def test_nobody_asks_which_map_or_penalty_it_has():
    modules = {module: source for module, source in tree().items() if family(module) not in NOT_YET}
    assert told_apart(modules, members()) == []


@pytest.mark.parametrize("wanted", ["feature_maps import Stationary", "feature_maps.spectral import SpectralMap",
                                    "regularizers import TraceNorm"])  # fmt: skip
def test_that_somebody_asks_can_be_seen(wanted):
    source = f"def f(x):\n    from kernlab.{wanted}\n    return isinstance(x, {wanted.split()[-1]})"
    assert told_apart({"kernlab.training.fake": source}, members()) == [
        f"kernlab.training.fake knows {wanted.split()[-1]}"
    ]
    assert told_apart({"kernlab.methods.fake": source}, members()) == []


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
