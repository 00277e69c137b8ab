"""What a column is, and its cells as numbers or categories, from text and from typed columns alike.

number      64-bit numbers; in text with a decimal point or comma
boolean     true/false, yes/no … as 1 and 0
date        days since 1970-01-01, with decimals for the time of day
category    one of a few words
text        words that nearly all differ (names, identifiers): no input
drop        left out
"""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple, get_args

__all__ = [
    "DATE_FORMATS",
    "KINDS",
    "MISSING",
    "NUMBER",
    "CellError",
    "Detected",
    "Kind",
    "converted",
    "detected",
    "without_missing",
]

Kind = Literal["number", "boolean", "date", "category", "text", "drop"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: How tables write that a value is missing.
MISSING = ["", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "none", "?", "#N/A", "-"]

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

_TRUE = ("true", "yes", "t", "y", "on", "ja", "oui", "wahr", "vrai")
_FALSE = ("false", "no", "f", "n", "off", "nein", "non", "falsch", "faux")

DATE_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M:%S.%f",
    "%Y-%m-%dT%H:%M:%S.%f",
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%m/%d/%Y %H:%M",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M:%S",
    "%d-%m-%Y",
    "%d %b %Y",
    "%b %d, %Y",
)
_DATE_LIKE = r"^\s*(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2} \w{3} |\w{3} \d)"
_DAY = 86_400e9  # nanoseconds

_FEW = 50  # different words that still make a category without being asked for


class CellError(ValueError):
    """A cell that is not what its column is: its place in the array, and what it contains."""

    def __init__(self, place: int, cell: str) -> None:
        super().__init__(cell)
        self.place, self.cell = place, cell


class Detected(NamedTuple):
    """What a column seems to be.

    Attributes:
        kind: see the module.
        date_format: of dates in text.
        whole: numbers that are all written without decimals.
    """

    kind: Kind
    date_format: str = ""
    whole: bool = False


def detected(column: Any, decimal: str = ".") -> Detected:
    """The kind of a ``pyarrow`` array or chunked array, from the cells that are not missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if column.null_count == len(column):
        return Detected("drop")
    if pa.types.is_boolean(kind):
        return Detected("boolean")
    if pa.types.is_integer(kind):
        return Detected("number", whole=True)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Detected("number")
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return Detected("date")
    if pa.types.is_dictionary(kind) and _is_text(kind.value_type):
        column = pc.cast(column, pa.string())
    if not _is_text(column.type):
        return Detected("drop")
    words = pc.drop_null(without_missing(column))
    if not len(words):
        return Detected("drop")
    values = pc.unique(words)
    try:
        _numbers(values, decimal)
        whole = not pc.any(pc.match_substring_regex(values, r"[^-+0-9\s]")).as_py()
        return Detected("number", whole=whole)
    except CellError:
        pass
    lowered = set(pc.unique(pc.utf8_lower(pc.utf8_trim_whitespace(values.slice(0, 10)))).to_pylist())
    if len(values) <= 4 and lowered <= {*_TRUE, *_FALSE} and len(lowered) == 2:
        return Detected("boolean")
    if (format := _date_format(values)) is not None:
        return Detected("date", format)
    if len(values) <= _FEW and (len(values) <= 0.5 * len(words) or len(words) < 20):
        return Detected("category")
    return Detected("text")


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def without_missing(column: Any) -> Any:
    """The column with null for every way to write that a value is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if _is_text(column.type):
        missing = pc.is_in(column, value_set=pa.array(MISSING, column.type))
    elif pa.types.is_floating(column.type):
        missing = pc.is_nan(column)
    else:
        return column
    return pc.if_else(pc.fill_null(missing, False), pa.scalar(None, column.type), column)


def converted(column: Any, kind: Kind, decimal: str = ".", date_format: str = "") -> Any:
    """Cells as float64 (number, boolean, date) or text (category, text), null where they are missing.

    Args:
        column: a ``pyarrow`` array.
        kind: what the column is.
        decimal: the decimal sign of numbers in text.
        date_format: of dates in text, as ``strptime`` has it; found where it is empty.

    Raises:
        CellError: the first cell that is not of that kind, or infinite.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    text = _is_text(column.type)
    if kind in ("category", "text"):
        if text:
            return without_missing(column).cast(pa.string())
        if pa.types.is_floating(column.type):
            whole = pc.all(pc.equal(column, pc.floor(column))).as_py()  # 3.0 is the category 3
            column = pc.cast(column, pa.int64(), safe=False) if whole else without_missing(column)
        return pc.cast(column, pa.string())
    if kind == "number" or (kind == "boolean" and not text):
        return _numbers(column, decimal)
    if not text:
        return _days(column, date_format)
    # Words repeat: each is parsed once.
    encoded = pc.dictionary_encode(without_missing(column))
    words = encoded.dictionary
    try:
        values = _booleans(words) if kind == "boolean" else _days(words, date_format)
    except CellError as error:
        raise CellError(pc.index(encoded.indices, error.place).as_py(), error.cell) from None
    return values.take(encoded.indices)


def _numbers(column: Any, decimal: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _is_text(column.type):
        try:
            values = without_missing(pc.cast(column, pa.float64(), safe=False))
        except pa.ArrowException:
            raise CellError(0, f"a value of type {column.type}") from None
    else:
        plain = pc.replace_substring(column, ",", ".") if decimal == "," else column
        try:
            values = without_missing(pc.cast(plain, pa.float64()))
        except pa.ArrowException:
            values = _rarer_numbers(column, decimal)
    infinite = pc.is_inf(values)
    if pc.any(infinite).as_py():
        place = pc.index(infinite, True).as_py()
        raise CellError(place, str(column[place].as_py()))
    return values


def _rarer_numbers(column: Any, decimal: str) -> Any:
    """Numbers with blanks around them, signs of missing values, or thousands apart (1,234.5; 1.234,5; 1 234,5)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = without_missing(pc.utf8_trim_whitespace(column))
    apart = "," if decimal == "." else r"\."
    grouped = rf"^[-+]?\d{{1,3}}([{apart}\x{{a0}}' ]\d{{3}})+({re.escape(decimal)}\d*)?$"
    thousands = pc.fill_null(pc.match_substring_regex(trimmed, grouped), False)
    plain = pc.if_else(thousands, pc.replace_substring_regex(trimmed, rf"[{apart}\x{{a0}}' ]", ""), trimmed)
    if decimal == ",":
        plain = pc.replace_substring(plain, ",", ".")
    good = pc.match_substring_regex(plain, r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
    wrong = pc.invert(pc.fill_null(good, True))
    if pc.any(wrong).as_py():
        place = pc.index(wrong, True).as_py()
        raise CellError(place, str(column[place].as_py()))
    return pc.cast(pc.replace_substring_regex(plain, r"^\+", ""), pa.float64())


def _booleans(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    word = pc.utf8_lower(pc.utf8_trim_whitespace(column))
    true = pc.is_in(word, value_set=pa.array([*_TRUE, "1", "1.0"]))
    false = pc.is_in(word, value_set=pa.array([*_FALSE, "0", "0.0"]))
    wrong = pc.and_(pc.is_valid(word), pc.invert(pc.or_(true, false)))
    if pc.any(wrong).as_py():
        place = pc.index(wrong, True).as_py()
        raise CellError(place, str(column[place].as_py()))
    return pc.if_else(pc.is_valid(word), pc.cast(true, pa.float64()), pa.scalar(None, pa.float64()))


def _parsed_dates(column: Any, format: str, errors: Literal["raise", "coerce"]) -> Any:
    import pandas as pd

    words = pd.Series(column.to_pandas(), dtype=object).str.strip()
    return pd.to_datetime(words, format=format, errors=errors)


def _date_format(values: Any) -> str | None:
    """The first format that reads every value; None where there is none."""
    import pyarrow.compute as pc

    few = values.slice(0, 50)
    if not pc.all(
        pc.match_substring_regex(few, r"^\s*(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2} \w{3} |\w{3} \d)")
    ).as_py():
        return None
    for format in DATE_FORMATS:
        if _parsed_dates(few, format, "coerce").notna().all() and _parsed_dates(values, format, "coerce").notna().all():
            return format
    return None


def _days(column: Any, format: str) -> Any:
    """Days since 1970-01-01."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _is_text(column.type):
        if not (pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)):
            return _numbers(column, ".")
        stamps = pc.cast(column, pa.timestamp("us", getattr(column.type, "tz", None)), safe=False)
        return pc.divide(pc.cast(pc.cast(stamps, pa.int64()), pa.float64()), _DAY / 1000)
    if not format:
        format = _date_format(pc.drop_null(pc.unique(column))) or ""
    parsed = _parsed_dates(column, format or "ISO8601", "coerce")
    wrong = parsed.isna().to_numpy() & column.is_valid().to_numpy(zero_copy_only=False)
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise CellError(place, str(column[place].as_py()))
    stamps = pa.array(parsed.dt.tz_localize(None) if parsed.dt.tz else parsed, pa.timestamp("us"), from_pandas=True)
    return pc.divide(pc.cast(pc.cast(stamps, pa.int64()), pa.float64()), _DAY / 1000)
