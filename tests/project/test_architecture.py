"""Who may import whom. The rule is checked on the source, so that an import inside a function counts too."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions

import pytest
from serving import ROOT

from kernlab import _HOMES
from kernlab.feature_maps import EXACT_KERNELS, FEATURE_MAPS
from kernlab.methods import METHODS
from kernlab.regularizers import REGULARIZERS
from kernlab.solvers import SOLVERS

#: A family imports families of lower lines only: never one beside it, never one above.
LAYERS = (
    {"errors", "files", "numerals", "paths", "typing"},
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
    {"jobs", "lessons"},
    {"ui"},
    {"bench"},
    {"pages", "app", "cli"},
    {"__main__"},
)
RANK = {family: rank for rank, layer in enumerate(LAYERS) for family in layer}

#: What only these families know.
HOMES = {
    "streamlit": {"ui", "app", "pages"},
    "starlette": {"ui", "app"},
    "plotly": {"pictures", "papers", "lessons", "ui"},
    "sqlalchemy": {"runs"},
    "click": {"cli"},
}

#: Asked for only where it is used, with a sentence for those who lack it.
OPTIONAL = {"distributed", "openpyxl", "optuna", "playwright", "psutil"}
#: Imported by none of our modules: Streamlit's server takes them where they are installed.
TAKEN = {"httptools"}

#: The families whose members answer for themselves, and the families that may name a member: these, the named methods,
#: and what measures or reproduces a particular one. Proximal gradient is the one solver of its kind, and no member.
FAMILIES = ("feature_maps", "regularizers", "solvers")
MAY_NAME_MEMBERS = {*FAMILIES, "methods", "bench", "papers", "lessons"}
MAY_LIST_NAMES = {*MAY_NAME_MEMBERS, "heads", "objectives", "earlier"}

Sources = Mapping[str, str]


@cache
def tree() -> dict[str, str]:
    """Every module of the product by its dotted name."""
    files = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("kernlab/**/*.py")]
    names = (".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files)
    return {name.removesuffix(".__init__"): file.read_text("utf-8") for name, file in zip(names, files, strict=True)}


@cache
def nodes(source: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(source)))


def imports(source: str, modules: Sources) -> Iterator[str]:
    """Dotted names a source imports anywhere: at the top, in functions, for annotations only, or by a string."""
    for node in nodes(source):
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


def violations(modules: Sources, product: Sources) -> list[str]:
    """Every import of these modules that breaks the rules, as a sentence."""
    found = []
    for module, source in modules.items():
        mine = family(module)
        if mine == "kernlab":  # the package itself imports nothing until a name is asked for
            continue
        for name in imports(source, product):
            other = family(name)
            ours = name.startswith("kernlab.") and name != "kernlab.__version__" and other != mine
            if ours and RANK[other] >= RANK[mine]:
                found.append(f"{module} imports {name}, which stands beside or above it")
            if mine not in HOMES.get(name.split(".")[0], {mine}):
                found.append(f"{module} imports {name}, which belongs to {sorted(HOMES[name.split('.')[0]])}")
    return found


def test_imports_point_downwards():
    assert violations(tree(), tree()) == []


def circle(modules: Sources) -> list[str]:
    """Modules of which each imports the next, and the last is the first; empty where there is no such circle."""
    graph = {module: {*imports(source, modules)} & {*modules} - {module} for module, source in modules.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle():
    assert circle(tree()) == []
    assert len(circle({"kernlab.a": "import kernlab.b", "kernlab.b": "def f():\n    from kernlab import a"})) == 3


def test_every_module_has_a_place():
    assert {family(module) for module in tree()} - {"kernlab"} <= set(RANK)


@pytest.mark.parametrize(
    ("module", "source", "refusal"),
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
def test_the_rule_can_be_broken(module, source, refusal):
    (broken,) = violations({module: source}, tree())
    assert broken.startswith(module)
    assert refusal in broken


@pytest.fixture(scope="module")
def members() -> set[str]:
    """Names of the families' registered classes, and of the bases that only some of them share."""
    registries = (FEATURE_MAPS, EXACT_KERNELS, REGULARIZERS, SOLVERS)
    found = {cls.__name__ for registry in registries for cls in registry.values()} | {"SpectralMap", "FrameMap"}
    return found - {"ProximalGradient"}


def knowing(modules: Sources, members: set[str]) -> set[str]:
    """Every import of a member of a family by a module that should ask it, as a sentence."""
    homes = tuple(f"kernlab.{each}" for each in FAMILIES)
    return {
        f"{module} knows {alias.name}"
        for module, source in modules.items() if family(module) not in MAY_NAME_MEMBERS
        for node in nodes(source)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(homes)
        for alias in node.names if alias.name in members
    }  # fmt: skip


def listing(modules: Sources, names: Mapping[str, set[str]]) -> set[str]:
    """Every literal with two names of a kind where a registry should be asked, as a sentence."""
    found = set()
    for module, source in modules.items():
        for node in nodes(source) if family(module) not in MAY_LIST_NAMES else ():
            parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
            words = {part.value for part in parts if isinstance(part, ast.Constant)}
            found |= {f"{module} lists {kind}" for kind, known in names.items() if len(words & known) > 1}
    return found


def mutual(modules: Sources) -> set[tuple[str, str]]:
    """Every pair of modules that import one another."""
    arrows = {(module, name) for module, source in modules.items() for name in imports(source, modules)}
    return {(a, b) for a, b in arrows if a < b and (b, a) in arrows}


def shared_names(modules: Sources) -> set[str]:
    """Every public name of several classes."""
    classes = [node.name for text in modules.values() for node in nodes(text) if isinstance(node, ast.ClassDef)]
    return {name for name, count in Counter(classes).items() if count > 1 and not name.startswith("_")}


NAMES = {
    "methods": set(METHODS),
    "regularizers": set(REGULARIZERS),
    # With the phases, learned on demand, and the second frequencies of a pair, as a snapshot names them.
    "parameters": {"phase", "omega_prime", *(name for cls in FEATURE_MAPS.values() for name in cls().trainable)},
}


def test_nobody_asks_which_map_penalty_or_solver_it_has(members):
    assert knowing(tree(), members) == set()


def test_names_are_listed_by_registries_alone():
    assert listing(tree(), NAMES) == set()


def test_no_two_modules_import_one_another():
    assert mutual(tree()) == set()


def test_a_class_has_a_name_of_its_own():
    assert shared_names(tree()) == set()


@pytest.mark.parametrize(
    "wanted",
    ["feature_maps import Stationary", "feature_maps.spectral import SpectralMap", "regularizers import TraceNorm",
     "solvers import Assigned"],
)  # fmt: skip
def test_knowing_a_member_is_seen(wanted, members):
    name = wanted.split()[-1]
    source = f"def f(x):\n    from kernlab.{wanted}\n    return isinstance(x, {name})"
    assert knowing({"kernlab.training.fake": source}, members) == {f"kernlab.training.fake knows {name}"}
    assert knowing({"kernlab.methods.fake": source}, members) == set()


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("methods", "def f(name):\n    return name in ('ASKL', 'KRR')"),
        ("regularizers", "WORDS = {'trace_norm': 'rank', 'frobenius': 'length'}"),
        ("parameters", "found = [name for name in ['omega', 'phase']]"),
    ],
)
def test_a_list_of_names_is_seen(kind, source):
    assert listing({"kernlab.ui.fake": source}, NAMES) == {f"kernlab.ui.fake lists {kind}"}
    assert listing({"kernlab.papers.fake": source}, NAMES) == set()


def test_modules_that_import_one_another_and_shared_names_are_seen():
    one = {"kernlab.data.one": "from kernlab.data import two\nclass Twice: ...\nclass _Own: ..."}
    two = {"kernlab.data.two": "def f():\n    from kernlab.data.one import Twice\nclass _Own: ..."}
    assert mutual(one | two) == {("kernlab.data.one", "kernlab.data.two")}
    assert shared_names(one | two) == set()
    assert shared_names(one | {"kernlab.ui.two": "class Twice: ..."}) == {"Twice"}


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
    assert _distributions(tree().values(), ours) == (needed - TAKEN) | OPTIONAL
    assert needed >= TAKEN
    assert tested >= OPTIONAL
    assert _distributions((file.read_text("utf-8") for file in files), ours) <= needed | tested


def _names(requirements: Iterable[str]) -> set[str]:
    return {re.sub(r"[-_.]+", "-", re.split(r"[<>=!~;\[ ]", line)[0]).lower() for line in requirements}


def _distributions(sources: Iterable[str], ours: set[str]) -> set[str]:
    """The installed packages that the sources import from."""
    owners = packages_distributions()
    used = {name.split(".")[0] for source in sources for name in imports(source, {})}
    return _names(owners[name][0] for name in used - set(sys.stdlib_module_names) - ours)
