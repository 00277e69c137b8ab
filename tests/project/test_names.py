"""Every name that a module uses exists. Linter and type checker leave this out: shapes in annotations are no names."""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterator
from types import CodeType

from serving import ROOT

KNOWN = {*dir(builtins), "__file__", "__path__", "__annotations__"}
FILES = sorted([*ROOT.glob("kernlab/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"])


def unknown(source: str, name: str = "<text>") -> set[str]:
    """Global names that are read in a module and bound nowhere in it."""
    read, bound = set(), set(KNOWN)
    for code in codes(compile(source, name, "exec")):
        for each in dis.get_instructions(code):
            if each.opname in ("STORE_GLOBAL", "STORE_NAME"):
                bound.add(each.argval)
            elif each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                read.add(each.argval)
    return read - bound


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all within it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


def test_every_name_exists():
    files = {str(file.relative_to(ROOT)): unknown(file.read_text("utf-8"), str(file)) for file in FILES}
    assert {file: names for file, names in files.items() if names} == {}


def test_a_name_that_does_not_exist_is_found():
    assert unknown("import json\ndef f():\n    return json.dumps(threading.Thread())\n") == {"threading"}
