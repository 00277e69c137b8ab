"""Bounds: what theory promises of a run, term by term, beside what was measured."""

from kernlab.ui import bounds, inside

inside.page(
    "bounds",
    "Bounds",
    "What theory promises of a run, term by term, beside what was measured.",
    before=bounds.said,
    after=bounds.what_if_section,
)
