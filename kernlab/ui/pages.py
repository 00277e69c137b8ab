"""The pages and the frame around them. A new page is a file in pages/, begun by its ``heading``, and one line here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from kernlab.paths import bundle
from kernlab.ui.forms import sentences

__all__ = ["PAGES", "Page", "show"]


class Page(NamedTuple):
    """One page: pages/``name``.py at the address ``/name`` (the first one at ``/``).

    Attributes:
        title: in the list of pages.
        heading: above a page that shows nothing yet.
        side: it has a side bar.
    """

    name: str
    title: str
    icon: str
    heading: str
    side: bool


PAGES = (
    Page("home", "Home", ":material/home:", "See a kernel being learned", False),
    Page("learn", "Learn", ":material/school:", "Learn", False),
    Page("data", "Data", ":material/table_view:", "Data", True),
    Page("train", "Train", ":material/play_circle:", "Train", True),
    Page("compare", "Compare", ":material/leaderboard:", "Compare", True),
    Page("lab", "Kernel lab", ":material/gesture:", "Kernel lab", False),
    Page("spectrum", "Spectrum", ":material/graphic_eq:", "Spectrum", True),
    Page("kernel", "Kernel", ":material/grid_on:", "Kernel", True),
    Page("bounds", "Bounds", ":material/vertical_align_top:", "Bounds", True),
    Page("certainty", "Certainty", ":material/rule:", "Certainty", True),
    Page("runs", "Runs", ":material/database:", "Runs", False),
    Page("papers", "Papers", ":material/menu_book:", "Papers", False),
)


#: Streamlit leaves wide margins at the sides, and pictures need the room more. It gives formulas a box that is a few
#: pixels too small, which cuts letters and makes a place to scroll that no key can reach. In the dark the colour of
#: buttons is too dark for text: the chosen part of a control, and the value at a slider.
_STYLE = """
.stMainBlockContainer { padding-left: 2rem; padding-right: 2rem; }
.stMainBlockContainer { padding-top: 4.2rem; }
.stMainBlockContainer h1 { font-size: 1.7rem; padding: .2rem 0; }
.stMainBlockContainer [data-testid="stVerticalBlock"] { gap: .7rem; }
[class*="st-key-overview-"] [data-testid="stColumn"] { min-width: min(19rem, 100%); }
.st-key-train-head { position: sticky; top: 3.7rem; z-index: 90; padding-bottom: .4rem;
  background: var(--st-background-color); border-bottom: 1px solid var(--st-border-color); }
/* What the browser fills in later has its place from the start, so that nothing moves while a run trains. */
.st-key-timeline { min-height: 2.2rem; }
.st-key-progress { min-height: 2rem; }
.st-key-values { min-height: 3.3rem; }
.st-key-where { gap: .2rem 1.5rem; }
.st-key-where > .st-key-progress { flex: 1 1 18rem; width: auto; }
.st-key-where > .st-key-values { flex: 0 1 auto; width: auto; }
.st-key-against { min-height: 6rem; }
/* With runs side by side it has nine parts: one row of them on a screen of 1440 pixels. */
.st-key-transport { gap: .5rem; }
.st-key-transport button:not([data-variant]) { padding-inline: .5rem; }
.st-key-lesson-step-hidden { display: none; }
/* Two buttons of which one is offered: the first is the newer while both are drawn. */
.st-key-either[data-testid=stVerticalBlock] { display: grid; grid-template-columns: 1fr; min-width: 6.2rem; }
.st-key-either > * { grid-area: 1 / 1; }
.st-key-either > * + * { visibility: hidden; }
/* On a phone each group of buttons is one row that scrolls, so that the pictures come early. */
@media (max-width: 640px) {
  .st-key-train-head { position: static; }
  .stMainBlockContainer h1 { font-size: 1.3rem; }
  :is(.st-key-page-title, .st-key-transport, .st-key-views, .st-key-lesson-links, .st-key-lesson-after) {
    flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; }
  :is(.st-key-page-title, .st-key-transport, .st-key-views, .st-key-lesson-links, .st-key-lesson-after) > * {
    flex: 0 0 auto; }
  .st-key-page-title { gap: .3rem; }
  .stMainBlockContainer .st-key-page-title > :first-child { flex: 1 0 auto; width: auto; }
  [class*="st-key-lesson-"] [data-testid=stPageLink] p { white-space: normal; }
  .st-key-transport { gap: .3rem; }
  /* A lesson has two screens: its text, and its picture. */
  .st-key-lesson-claim { display: none; }
  .stMainBlockContainer .st-key-lesson-tries[data-testid="stVerticalBlock"] { gap: .3rem; }
  .st-key-lesson-picture [data-testid=stHorizontalBlock] { flex-wrap: nowrap; gap: 1rem; }
  .st-key-lesson-picture [data-testid=stColumn] { min-width: 0 !important; flex: 1 1 0 !important; }
  .st-key-transport .st-key-either[data-testid=stVerticalBlock] { min-width: 0; }
  /* A picture may be taller than at a desk: its legend has more lines (chart.js). */
  :is(.stElementContainer, .stBidiComponent):has(.kl-chart) { height: auto !important; flex: 0 0 auto !important; }
  .st-key-timeline { min-height: 4.8rem; }
  .st-key-progress { min-height: 4.5rem; }
  /* Every row of the table of a bound's terms becomes a paragraph. */
  [class*="st-key-terms-"] :is(table, tbody, tr, td) { display: block; border: 0; text-align: left !important; }
  [class*="st-key-terms-"] thead { display: none; }
  [class*="st-key-terms-"] tr { padding: .6rem 0; border-bottom: 1px solid var(--st-border-color); }
  [class*="st-key-terms-"] td { padding: .1rem 0; }
  [class*="st-key-terms-"] td:first-child { font-weight: 600; }
  /* The sign stays, and the name: seven of them are as wide as the screen. */
  .st-key-transport button:not([kind="primary"]:enabled, [data-variant]) p, .st-key-page-title button p {
    font-size: 0; }
  :is(.st-key-transport, .st-key-page-title) [data-testid=stPopoverButton] > div > [aria-hidden] { display: none; }
}
/* Where the definitions of words and the line of a lecture stand. */
.st-key-page-head { position: fixed; left: 0; bottom: 0; z-index: 999992; width: auto; height: 0; }
/* For a lecture (page/present.mjs): the pictures alone, two in a row at most, as high as the screen has room for. */
.kl-present :is([data-testid=stHeader], [data-testid=stSidebar], [data-testid=stExpandSidebarButton], [role=tablist],
  [data-testid=stSkipToContent], .kl-jobs, .kl-selected, .kl-chart > details, .kl-chart > .kl-late) {
  display: none !important; }
.kl-present:not(.kl-whole) [data-testid=stMain] :is([data-testid=stElementContainer], [data-testid=stLayoutWrapper],
  [data-testid=stColumn], [data-testid=stVerticalBlock], [data-testid=stHorizontalBlock]):not(
  :has(.kl-chart, .kl-lab, .kl-picture, .st-key-present-picture, .st-key-page-head, [data-testid=stAlertContentError]),
  .st-key-page-head, .st-key-present-picture, .st-key-present-picture *) { display: none !important; }
/* Of a page of figures its table is what there is to see, and of one without either the page itself. */
.kl-present:not(.kl-whole) :is(.figures, .st-key-present-picture, [data-testid=stAlert]),
  .kl-whole [data-testid=stMainBlockContainer] { zoom: 1.45; }
.kl-whole .st-key-page-head { zoom: calc(1 / 1.45); }
.kl-whole :is(h1, [data-testid=stPopover], [data-testid=stExpander]) { display: none !important; }
/* A table on a canvas takes the width that it is seen with for its own. */
.kl-present .st-key-present-picture > [data-testid=stElementContainer]:has([data-testid=stDataFrame]) {
  width: calc(100% / 1.45) !important; }
.kl-present [data-testid=stMainBlockContainer] { padding: 1rem 1.5rem 4.5rem; max-width: none; }
.kl-present [data-testid=stHorizontalBlock] { flex-wrap: wrap; }
.kl-present [data-testid=stColumn]:has(.kl-chart) { min-width: min(40rem, 100%) !important; flex: 1 1 40rem; }
.kl-present :is(.kl-chart, .kl-chart > .js-plotly-plot, .kl-chart > [role=img]) {
  height: var(--kl-picture, 26rem) !important; }
.kl-present :is(.js-plotly-plot tspan[style*="70%"], .kl-wait) { font-size: 20px !important; }  /* exponents, indices */
.kl-present :is(.stElementContainer, .stBidiComponent):has(.kl-chart) {
  height: auto !important; flex: 0 0 auto !important; overflow: visible; }
/* The lab has pictures and controls in one element. */
.kl-present .kl-lab :is(.kl-lab-help, figcaption > :not(span), dl), .kl-present .kl-lab > :not(.kl-lab-panels) {
  display: none !important; }
.kl-present .kl-lab figcaption { font-size: 24px; }
.kl-present .kl-lab canvas { height: calc(50vh - 6rem); }
/* The colours of runs side by side, those of kernlab.ui.beside. */
.stApp { --kl-first: light-dark(#0072B2, #4AA3E3); --kl-second: light-dark(#D55E00, #F5803A);
  --kl-third: light-dark(#009E73, #27C296); --kl-fourth: light-dark(#CC79A7, #DD93BC); }
[class*="st-key-column-"] { border-top: .25rem solid; padding-top: .1rem; }
.st-key-column-first { border-color: var(--kl-first); }
.st-key-column-second { border-color: var(--kl-second); }
.st-key-column-third { border-color: var(--kl-third); }
.st-key-column-fourth { border-color: var(--kl-fourth); }
[class*="st-key-column-"] button p { font-weight: 600; }
.katex-display { padding: 0.6rem 0.25rem; }
.katex-display > .katex { white-space: normal; }  /* a formula wider than its column goes on in the next line */
button[data-variant="segmented_control"][data-selected="true"] p, button[data-variant="pills"][data-selected="true"] p,
[data-testid="stSliderThumbValue"] p {
  color: light-dark(#0A589A, #6BB3EE); }
"""


@sentences()
def show(head: Callable[[], None], first: str = PAGES[0].name) -> None:
    """The frame with the page that the address asks for.

    Args:
        head: draws what stands in the head of every page.
        first: the page of an address without a name.
    """
    st.set_page_config(page_title="kernlab", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
    st.html(f"<style>{_STYLE}</style>")
    folder = bundle() / "pages"
    entries = [
        st.Page(folder / f"{name}.py", title=title, icon=icon, url_path=name, default=name == first)
        for name, title, icon, *_ in PAGES
    ]
    page = st.navigation(entries, position="top")
    head()
    page.run()
