"""Components: frozen, validated sets of options that describe themselves.

A feature map, an objective, a solver, a data generator: each is a frozen dataclass whose fields are its options, made
with :func:`component` and :func:`option`. The form on the page, the ``--set`` keys, the JSON of a run, its link and the
message for a bad value follow from these fields.

    @component
    class Stationary(Component):
        n_features: int = option(2000, "Number of features D.", ge=1, le=100_000)
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar

from annotated_types import Ge, Gt, Le, Lt
from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic.fields import FieldInfo

from kernlab.errors import OptionError, UnknownNameError

__all__ = ["Component", "Option", "component", "flatten", "option", "options_of"]

C = TypeVar("C")
_RULES: dict[str, Callable[[float], Any]] = {"ge": Ge, "gt": Gt, "le": Le, "lt": Lt}


@typing.dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(Field,))
def component(cls: type[C]) -> type[C]:
    """Make ``cls`` a frozen, keyword-only dataclass that checks types and ranges when it is built."""
    # A range belongs to the number in ``float | Literal["auto"]``, not to the word.
    scope = {**vars(typing), **vars(sys.modules[cls.__module__])}
    for key, hint in vars(cls).get("__annotations__", {}).items():
        info = vars(cls).get(key)
        if isinstance(info, FieldInfo) and isinstance(info.json_schema_extra, dict):
            limits = typing.cast(dict[str, float], info.json_schema_extra["limits"])
            hint = eval(hint, scope) if isinstance(hint, str) else hint  # our own source, as get_type_hints does
            cls.__annotations__[key] = _limit(hint, limits) if limits else hint
    config = ConfigDict(extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=True)
    return typing.cast(type[C], pydantic_dataclass(frozen=True, kw_only=True, config=config)(cls))


def _limit(hint: Any, limits: dict[str, float]) -> Any:
    rules = tuple(_RULES[rule](value) for rule, value in limits.items())
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        members = [Annotated[(m, *rules)] if m in (int, float) else m for m in typing.get_args(hint)]
        return functools.reduce(operator.or_, members)
    return Annotated[(hint, *rules)]


def option(
    default: Any,
    help: str,
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    unit: str = "",
    advanced: bool = False,
    log: bool = False,
) -> Any:
    """One option of a component: its default, one sentence of help and its range.

    Args:
        default: the value of an option that is not set.
        help: one plain sentence; shown beside the widget and by the command line.
        ge, gt, le, lt: the range, for numbers.
        unit: unit of the value, if it has one.
        advanced: stands in the folded part of a form.
        log: has a logarithmic scale (step sizes, penalties).
    """
    limits = {rule: value for rule, value in (("ge", ge), ("gt", gt), ("le", le), ("lt", lt)) if value is not None}
    extra: dict[str, Any] = {"unit": unit, "advanced": advanced, "log": log, "limits": limits}
    return Field(default=default, description=help, json_schema_extra=extra)


class Option(NamedTuple):
    """One option, as forms and the command line need it.

    Attributes:
        key: name of the option.
        type: "int", "float", "bool", "choice" or "text".
        default: value of an option that is not set.
        help: one plain sentence.
        minimum, maximum: the closed range of a number, None where it is open.
        above, below: the open range of a number (value > above, value < below).
        choices: the values of a choice; for a number, words that are also valid ("auto").
        unit, advanced, log: as in :func:`option`.
    """

    key: str
    type: Literal["int", "float", "bool", "choice", "text"]
    default: Any
    help: str
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    advanced: bool = False
    log: bool = False

    @property
    def range(self) -> str:
        """The valid values in words: "a whole number from 1 to 100000, or auto"."""
        words = {"int": "a whole number", "float": "a number", "bool": "true or false", "text": "text"}
        if self.type == "choice":
            return "one of " + ", ".join(self.choices)
        text = words[self.type]
        if self.minimum is not None and self.maximum is not None:
            text += f" from {self.minimum:g} to {self.maximum:g}"
        else:
            low = f" of at least {self.minimum:g}" if self.minimum is not None else ""
            low = f" above {self.above:g}" if self.above is not None else low
            high = f"at most {self.maximum:g}" if self.maximum is not None else ""
            high = f"below {self.below:g}" if self.below is not None else high
            text += low + (f"{' and' if low else ''} {high}" if high else "")
        return text + (f", or {' or '.join(self.choices)}" if self.choices else "")


def options_of(cls: type[Any]) -> dict[str, Option]:
    """The options of a component class by key, in the order they were declared."""
    return dict(_declared(typing.cast(Any, cls)))


@functools.cache  # classes do not change, and estimators call this thousands of times
def _declared(cls: Any) -> dict[str, Option]:
    found = {}
    for key, info in cls.__pydantic_fields__.items():
        extra = dict(info.json_schema_extra) if isinstance(info.json_schema_extra, dict) else {}
        limits = typing.cast(dict[str, float], extra.pop("limits", {}))
        kind, choices = _kind(info.annotation)
        found[key] = Option(
            key=key,
            type=kind,
            default=info.get_default(call_default_factory=True, validated_data={}),
            help=info.description or "",
            choices=choices,
            minimum=limits.get("ge"),
            maximum=limits.get("le"),
            above=limits.get("gt"),
            below=limits.get("lt"),
            **typing.cast(dict[str, Any], extra),
        )
    return found


def _kind(hint: Any) -> tuple[Literal["int", "float", "bool", "choice", "text"], tuple[str, ...]]:
    """Form type and words of an annotation: ``float | Literal["auto"]`` is a float that may be "auto"."""
    parts = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    parts = tuple(typing.get_args(part)[0] if typing.get_origin(part) is Annotated else part for part in parts)
    words = tuple(str(w) for part in parts if typing.get_origin(part) is Literal for w in typing.get_args(part))
    for plain, kind in ((bool, "bool"), (int, "int"), (float, "float")):
        if plain in parts:
            return typing.cast(Any, kind), words
    return ("choice", words) if words else ("text", ())


class Component:
    """Base of the parts that are chosen by name and have options.

    Class attributes:
        name: the registered name.
        title: the field's term for it, for headings.
        formula: LaTeX of what it computes.
        source: paper and equation.
        aliases: other spellings of an option, as ``alias -> (option, conversion)``; the conversion takes the value
            and the component with its other options, and its docstring says what the alias means.
        version: of the meaning of its options; the JSON contains it from 2 on. See :meth:`upgraded`.
        defaults_of_version_1: defaults of version 1 that differ from today's.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    source: ClassVar[str] = ""
    aliases: ClassVar[Mapping[str, tuple[str, Callable[[Any, Any], Any]]]] = {}
    version: ClassVar[int] = 1
    defaults_of_version_1: ClassVar[tuple[tuple[str, Any], ...]] = ()

    @classmethod
    def build(cls, **values: Any) -> Self:
        """An instance from the option values of JSON, a link or a command line.

        Raises:
            UnknownNameError: an option that the component does not have.
            OptionError: a value outside its range or of the wrong type.
        """
        known = options_of(cls)
        plain: dict[str, Any] = {}
        converted: dict[
            str, Callable[[Any], Any]
        ] = {}  # they need the other options: a γ's scale depends on the kernel
        for key, value in values.items():
            if key in cls.aliases:
                target, convert = cls.aliases[key]
                if target in values or target in converted:
                    raise OptionError(f"{key} and {target} say the same thing; only one may be set", key, f"drop {key}")
                number = known[target].type in ("int", "float")
                converted[target] = functools.partial(convert, _positive(key, value) if number else value)
            elif key in known:
                if isinstance(value, bool) and known[key].type in ("int", "float"):  # to Python True is the number 1
                    raise _refused(known[key], value)
                plain[key] = value
            else:
                raise UnknownNameError.among(f"option of {cls.name or cls.__name__}", key, [*known, *cls.aliases])
        try:
            built = cls(**plain)
            plain |= {key: convert(built) for key, convert in converted.items()}
            return cls(**plain) if converted else built
        except ValidationError as error:
            key = str(error.errors()[0]["loc"][0])
            raise _refused(known[key], plain.get(key)) from None

    def replace(self, **values: Any) -> Self:
        """A copy with some options changed, checked again."""
        return self.build(**{**self.options(), **values})

    def options(self) -> dict[str, Any]:
        """The options and their values, in declaration order."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: ``{"kind": name, option: value, ...}``, with ``"version"`` where there was an earlier one."""
        return {"kind": self.name, **({"version": self.version} if self.version > 1 else {}), **self.options()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The component that ``to_dict`` wrote, in this version or an earlier one.

        Raises:
            KernlabError: as :meth:`build`, or an unknown version.
        """
        version = values.get("version", 1)
        if version not in range(1, cls.version + 1):
            known = f"from 1 to {cls.version}" if cls.version > 1 else "1"
            raise OptionError(f"the version of {cls.name} must be {known}", repr(version), "use a newer kernlab")
        options = {key: value for key, value in values.items() if key not in ("kind", "version")}
        return cls.build(**(options if version == cls.version else cls.upgraded(options)))

    @classmethod
    def upgraded(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options of an earlier version in the terms of this one; those it left out had its own defaults."""
        return {**dict(cls.defaults_of_version_1), **options}


def _refused(opt: Option, value: object) -> OptionError:
    return OptionError(f"{opt.key} must be {opt.range}", repr(value), f"the default is {opt.default}")


def _positive(key: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 < number < float("inf"):
        raise OptionError(f"{key} must be a number above 0", repr(value))
    return number


def flatten(parts: Iterable[Component]) -> dict[str, Any]:
    """The options of several components in one dictionary; an option of two of them has the first one's value."""
    flat: dict[str, Any] = {}
    for part in parts:
        flat = {**flat, **part.options(), **flat}
    return flat
