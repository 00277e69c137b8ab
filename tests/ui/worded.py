"""Which terms of a page in the browser have no definition where they stand: on its own, not as the page finds them."""

from __future__ import annotations

import time

from browsing import rested
from waiting import PATIENCE

from kernlab.ui.glossary import found, terms

__all__ = ["all_worded"]

#: What belongs together, and has each of its terms explained once; what is no text, or changes while a run trains.
BLOCK = ".kl-chart, [data-testid=stElementContainer], [data-testid=stPopover], summary, [role=tablist], nav"
NO_TEXT = (
    "script, style, input, textarea, select, code, pre, canvas, .hoverlayer, .katex, .kl-jobs, .kl-stage, .kl-time, "
    ".kl-late, .kl-way, .kl-values dd, .kl-data, [role=option], [role=slider], [data-testid=stIconMaterial], "
    "#kl-meaning"
)

#: For every block its texts, those of its formulas, the parts that are underlined, and terms in its pictures.
BLOCKS = f"""() => {{
  const blocks = new Map();
  const of = node => {{
    const block = node.parentElement?.closest("{BLOCK}");
    if (!block) return null;
    if (!blocks.has(block)) blocks.set(block, {{ texts: [], formulas: [], marked: [], named: [] }});
    return blocks.get(block);
  }};
  for (const each of CSS.highlights.get("kl-word") ?? []) {{
    const range = document.createRange();
    range.setStart(each.startContainer, each.startOffset);
    range.setEnd(each.endContainer, each.endOffset);
    of(each.startContainer)?.marked.push(range.toString());
  }}
  for (const each of document.querySelectorAll(".kl-chart > .kl-words > button"))
    of(each)?.named.push(each.dataset.term);
  for (const each of document.querySelectorAll(".katex-html")) of(each)?.formulas.push(each.textContent);
  for (const text of document.querySelectorAll(".kl-chart[data-drawn] svg.main-svg text")) {{
    if (text.closest(".hoverlayer")) continue;
    // A capital letter at a mark or a point is the name of a class.
    if (/^[A-Z]$/.test(text.textContent) && text.closest(".xtick, .ytick, .annotation, .textpoint")) continue;
    const lines = text.querySelector("tspan.line") ? text.querySelectorAll("tspan.line") : [text];
    for (const line of lines) of(text)?.texts.push(line.textContent);
  }}
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {{
    const node = walk.currentNode;
    if (node.data.trim() && !node.parentElement.closest("{NO_TEXT}, svg")) of(node)?.texts.push(node.data);
  }}
  return [...blocks.values()];
}}"""

#: Letters that have one meaning in every formula, or whose definition says which one they have where.
SYMBOLS = "λφΩωνηδρWD"
#: The term of what only formulas have.
_ALONE = {spelling: term.name for term in terms() for spelling in term.formulas}


def _missing(page) -> list[tuple[str, str]]:
    """Terms, and symbols of formulas, that are not explained, each with its text."""
    lacking = []
    for block in page.evaluate(BLOCKS):
        there = {name for part in block["marked"] for name in (*found(part), _ALONE.get(part, ""))} | set(
            block["named"]
        )
        lacking += [(term, text) for text in block["texts"] for term in found(text) if term not in there]
        letters = "".join(block["marked"]).replace("ϕ", "φ")
        lacking += [
            (letter, formula)
            for formula in block["formulas"]
            for letter in SYMBOLS
            if letter in formula.replace("ϕ", "φ") and letter not in letters and not {*found(letter)} & there
        ]
    return lacking


#: Brings the first picture that is not drawn yet into view; whether none is left.
_DRAWN = """() => {
  const chart = [...document.querySelectorAll(".kl-chart:not([data-drawn])")].find(each => each.offsetHeight);
  chart?.scrollIntoView({ block: "center" });
  return !chart;
}"""


def _whole(page) -> None:
    """Open every fold of the page, and draw every picture of it: what is out of view is not drawn."""
    # Elements, not places in a list: what has been opened is no longer in it.
    for fold in page.locator("[data-testid=stExpander] details:not([open]) > summary").element_handles():
        if fold.is_visible():
            fold.click()
    rested(page)
    page.wait_for_function(_DRAWN, polling=100)


def all_worded(page) -> None:
    """Wait until every term of every text, label, button, tab, legend and formula of the page has its definition."""
    _whole(page)
    page.wait_for_function("Number(document.documentElement.dataset.words) > 0")
    end = time.monotonic() + PATIENCE / 4
    while (lacking := _missing(page)) and time.monotonic() < end:
        page.wait_for_timeout(100)
    assert lacking == [], lacking
