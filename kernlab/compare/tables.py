"""A comparison as text: CSV (a row for each cell, or for each method), JSON, and LaTeX in the style of the papers."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kernlab.compare.base import Record
from kernlab.compare.summary import COLUMNS, CONSTANT, Row, Summary, Table

__all__ = [
    "escape", "number", "to_csv", "to_json", "to_latex", "to_latex_costs", "to_latex_published", "to_long_csv",
    "to_wide_csv",
]  # fmt: skip

_LONG = [
    "dataset", "method", "seed", "status", "metric", "test", "train", "constant", "n_train", "n_test", "seconds",
    "tuning_seconds", "trials",
]  # fmt: skip
_WIDE = [
    "dataset", "metric", "method", "splits", "n", "mean", "std", "p", "p_corrected", "best", "not_worse", "seconds",
    "tuning_seconds", "failed", "messages", "constant", "beats_constant", "better",
]  # fmt: skip
_PUBLISHED = [
    "table", "published_metric", "published_mean", "published_std", "ours_mean", "ours_std", "mark", "beats_published",
]  # fmt: skip

#: What TeX reads as a command, and letters of the field that pdfLaTeX's text fonts lack.
_TEX = {letter: f"\\{letter}" for letter in "{}$&%#_"}
_TEX |= {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "–": "--",
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "γ": r"$\gamma$", "ε": r"$\varepsilon$", "ϵ": r"$\epsilon$",
    "λ": r"$\lambda$", "ν": r"$\nu$", "ρ": r"$\rho$", "σ": r"$\sigma$", "φ": r"$\phi$", "χ": r"$\chi$",
    "ω": r"$\omega$",
}  # fmt: skip
_TEX_LETTERS = str.maketrans(_TEX)


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as they are, with all columns that any of them has, as they first occur."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return _csv(columns, ([row.get(key) for key in columns] for row in rows))


def to_long_csv(records: Iterable[Record]) -> str:
    """A row for each cell, done or failed, with everything that was measured; ``chosen`` is JSON."""
    further = [column for column in COLUMNS if column.key not in _LONG]
    rows = []
    for r in records:
        cell = {"dataset": r.cell["data"]["dataset"], "method": r.cell["method"], "seed": r.cell["seed"]}
        values = [cell[key] if key in cell else getattr(r, key) for key in _LONG]
        chosen = json.dumps(dict(r.chosen), sort_keys=True) if r.chosen else ""
        rows.append([*values, chosen, r.message, *(column.measured(r) for column in further)])
    return _csv([*_LONG, "chosen", "message", *(column.key for column in further)], rows)


def to_wide_csv(summary: Summary) -> str:
    """A row for each method on each data set, with its printed figure; one for each of several printed figures."""
    further = [column.key for column in COLUMNS if column.key not in _WIDE]
    rows = []
    for table in summary.tables:
        for row in table.rows:
            ours = {"dataset": table.dataset, "metric": table.metric, "splits": len(table.splits)} | row.to_dict()
            ours["messages"] = "; ".join(row.messages)
            printed = [
                [p.table, p.metric, p.mean, p.std, b.mean, b.std, p.mark, b.beats]
                for b in table.published
                if (p := b.published).method == row.method
            ] or [[None] * len(_PUBLISHED)]
            measured = [ours[key] for key in further]
            rows += [[*(ours[key] for key in _WIDE), *figures, *measured] for figures in printed]
    return _csv([*_WIDE, *_PUBLISHED, *further], rows)


def to_json(summary: Summary) -> str:
    """Everything in a summary, values of single splits included; what is not a number is null."""
    return json.dumps(_plain(summary), indent=1, ensure_ascii=False, allow_nan=False)


def to_latex(summary: Summary, *, label: str = "tab:comparison") -> str:
    """A table in the style of ASKL Table 2: data sets down, methods across, mean ± std.

    The best is bold, what is not significantly worse is underlined; the caption says by which test. Needs the
    package booktabs.
    """
    methods = [name for name in summary.methods if name != CONSTANT]
    header = " & ".join(["Data set", *map(escape, methods), "Constant"])
    lines = []
    for table in summary.tables:
        rows = {row.method: row for row in table.rows}
        digits = _digits(table)
        cells = [_cell(rows.get(name), len(table.splits), digits) for name in methods]
        arrow = {"more": r"$\uparrow$", "less": r"$\downarrow$"}[table.direction]
        name = f"{escape(table.dataset)} ({_UNITS.get(table.metric, '--')} {arrow})"
        lines.append(" & ".join([name, *cells, number(table.constant, digits)]) + r" \\")
    counts = sorted({len(table.splits) for table in summary.tables}) or [0]
    several = counts[-1] > 1
    spread = ", mean $\\pm$ standard deviation over" if several else " on"
    repeats = " to ".join(map(str, dict.fromkeys([counts[0], counts[-1]])))
    caption = (
        f"Test metric{spread} {repeats} split{'' if counts[-1] == 1 else 's'} that all methods share"
        f"{_sizes(summary.tables)}. Best in bold{', not significantly worse ones underlined' if several else ''}. "
        f"{escape(summary.note)} "
        "Constant: what predicting the most frequent class or the mean gives."
    )
    if any(row.failed for table in summary.tables for row in table.rows):
        caption += " In brackets: the splits that a method finished, where it failed on some."
    several_sets = len(summary.tables) > 1
    for table in summary.tables:
        for remark in table.remarks():
            caption += f" {escape(f'{table.dataset}: {remark}' if several_sets else remark)}"
    return _latex("l" + "c" * (len(methods) + 1), header, lines, caption, label)


def to_latex_costs(summary: Summary, *, label: str = "tab:costs") -> str:
    """Means of what was measured besides the metric, a line for each method on each data set; needs booktabs."""
    lines = []
    for table in summary.tables:
        for row in table.rows:
            values = [number(row.measured[column.key], 3) for column in summary.columns]
            lines.append(" & ".join([escape(table.dataset), escape(row.method), *values]) + r" \\")
    header = " & ".join(["Data set", "Method", *(escape(column.heading) for column in summary.columns)])
    return _latex("ll" + "c" * len(summary.columns), header, lines, "Means over the splits.", label)


def to_latex_published(summary: Summary, *, label: str = "tab:published") -> str:
    """The printed figures beside ours, a line each; those that are worse than a constant are marked; needs booktabs."""
    lines = []
    for table in summary.tables:
        for beside in table.published:
            p = beside.published
            digits = 2 if p.metric == "accuracy" else 4
            cells = [escape(p.dataset), escape(p.method), escape(p.metric), _pm(p.mean, p.std, digits)]
            cells += [_pm(beside.mean, beside.std, digits), number(p.constant, digits), escape(p.mark or "--")]
            lines.append(" & ".join(cells) + r" \\")
    header = "Data set & Method & Metric & Published & Ours & Constant & Note"
    caption = (
        "Published figures beside ours. A published error above the constant predictor's is marked, and nothing is "
        "claimed from it."
    )
    return _latex("lllcccl", header, lines, caption, label)


def number(value: float | None, digits: int) -> str:
    """A number with that many decimals, in TeX's notation where it is very large or small; -- for none."""
    if value is None or not math.isfinite(value):
        return "--"
    if value and not 1e-5 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.2e}".split("e")
        return rf"${mantissa} \cdot 10^{{{int(exponent)}}}$"
    return f"{value:.{digits}f}" if value >= 0 else f"${value:.{digits}f}$"


def escape(text: str) -> str:
    """Text as LaTeX prints it letter by letter, on one line."""
    return re.sub(r"\s+", " ", "".join(c for c in text if c.isprintable() or c.isspace())).translate(_TEX_LETTERS)


_UNITS = {"accuracy": r"\%", "rmse": "RMSE"}


def _sizes(tables: Iterable[Table]) -> str:
    shares = {round(100 * t.n_test / (t.n_train + t.n_test)) for t in tables if t.n_train}
    return f" ({shares.pop()}\\,\\% of the rows held out)" if len(shares) == 1 else ""


def _digits(table: Table) -> int:
    """Two decimals of a percentage, four figures of an error."""
    if table.metric == "accuracy":
        return 2
    means = [abs(row.mean) for row in table.rows if row.mean]
    return min(8, max(0, 3 - math.floor(math.log10(min(means))))) if means else 2


def _cell(row: Row | None, splits: int, digits: int) -> str:
    if row is None or row.mean is None:
        return "--" if row is None or not row.failed else "failed"
    text = _pm(row.mean, row.std, digits)
    text = rf"\textbf{{{text}}}" if row.best else rf"\underline{{{text}}}" if row.not_worse else text
    return f"{text} ({row.n})" if row.n < splits else text


def _pm(mean: float | None, std: float | None, digits: int) -> str:
    return number(mean, digits) if std is None else rf"{number(mean, digits)} $\pm$ {number(std, digits)}"


def _latex(columns: str, header: str, lines: list[str], caption: str, label: str) -> str:
    head = [r"% \usepackage{booktabs}", r"\begin{table}", r"\centering", rf"\caption{{{caption}}}"]
    label = re.sub(r"[^\w:.-]", "-", label, flags=re.ASCII)
    body = [rf"\label{{{label}}}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule", header + r" \\", r"\midrule"]
    return "\n".join([*head, *body, *lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _csv(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def _plain(value: Any) -> Any:
    """Named tuples and rows as objects, NaN as null."""
    if isinstance(value, Row):
        return _plain(value.to_dict())
    if hasattr(value, "_asdict"):
        extra = {"mark": value.mark} if hasattr(value, "mark") else {}
        return {key: _plain(each) for key, each in value._asdict().items()} | extra
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
