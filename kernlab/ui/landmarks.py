"""Where tests and benchmarks find what they look for on the pages: CSS selectors and JavaScript. No streamlit here."""

from __future__ import annotations

__all__ = ["BUTTONS", "DRAWN", "FOLLOW", "JOBS", "RESTED", "chart", "draws", "picture", "points"]

BUTTONS = "[data-testid=stMain] .stButton"  # of the page itself, not of its head or its side bar
DRAWN = ".kl-chart[data-drawn]"  # a picture that has been drawn; the attribute counts how often
JOBS = ".kl-jobs > button"  # the entry of the jobs in the head

#: True when no script runs for the page and the browser has drawn what came of the last one.
RESTED = """() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
  && !document.querySelector('[data-stale=true]') && !document.querySelector('.kl-wait')"""

#: Milliseconds from a key to the first and to the last picture that was drawn because of it within three seconds.
FOLLOW = """() => new Promise(done => {
  const begun = performance.now();
  let first = null, last = null;
  const seen = new MutationObserver(() => { last = performance.now() - begun; first ??= last; });
  document.querySelectorAll('.kl-chart').forEach(
    chart => seen.observe(chart, { attributes: true, attributeFilter: ['data-drawn'] }));
  setTimeout(() => { seen.disconnect(); done([first, last]); }, 3000);
})"""


def chart(key: str) -> str:
    """The node that Plotly draws the picture of that key into."""
    return f".st-key-{key} .js-plotly-plot"


def points(key: str) -> str:
    """Points of a picture's first curve."""
    return f"(document.querySelector('{chart(key)}')?._fullData?.[0]?._length ?? 0)"


def picture(key: str) -> str:
    """All that a picture draws, as text; "null" before it is drawn."""
    return f"JSON.stringify(document.querySelector('{chart(key)}')?.data ?? null)"


def draws(key: str) -> str:
    """How often a picture was drawn."""
    return f"Number(document.querySelector('.st-key-{key} .kl-chart')?.dataset.drawn ?? 0)"
