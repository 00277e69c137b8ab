"""Presenting: pictures and a line of words in large type, by an address, and a list of scenes that keys go through."""

from urllib.parse import quote

import pytest
from browsing import rested, visit

from kernlab.bench.pages import stored
from kernlab.ui import landmarks

pytestmark = pytest.mark.browser

#: Texts that can be seen and have letters below 20 pixels.
SMALL = """() => {
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement, range = document.createRange();
    if (!walk.currentNode.data.trim() || parent.closest('style, script')) continue;
    range.selectNodeContents(walk.currentNode);
    const { width, height } = range.getBoundingClientRect();
    const seen = parent.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!width || !height || !seen || parent.closest('.kl-spoken')) continue;
    const size = parseFloat(getComputedStyle(parent).fontSize) * parent.currentCSSZoom;
    if (size < 20) found.push([walk.currentNode.data, size, parent.outerHTML.slice(0, 120)]);
  }
  return found;
}"""
DRAWN = """() => { const seen = [...document.querySelectorAll('.kl-seen')];
  return seen.length > 0 && seen.every(chart => chart.dataset.drawn); }"""
RUNS = """() => { window.scriptRuns = 0; new MutationObserver(() => window.scriptRuns++).observe(
  document.querySelector('[data-testid=stApp]'), { attributeFilter: ['data-test-script-state'] }); }"""


@pytest.fixture(scope="module")
def run(server):
    return stored(server.home / "runs", "ASKL", "moons", n_features=40, n_samples=120, epochs=3, validation=0)


#: Addresses of a lecture, the words of its line, and what is seen of each: pictures, figures, or the page itself.
LECTURE = (
    ("home", "See a kernel being learned", DRAWN),
    ("learn", "Learn", "document.documentElement.matches('.kl-whole')"),
    ("data?dataset=iris", "Data · iris", DRAWN),
    ("train?run={run}", "Train · ASKL on moons", DRAWN),
    ("train?run=nowhere", "Train", DRAWN),
    ("bounds?run={run}", "Bounds", DRAWN),
    ("compare", "Compare", "document.documentElement.matches('.kl-whole')"),
    ("papers", "Papers", "document.querySelector('.figures')?.checkVisibility()"),
    ("runs", "Runs", "document.querySelector('[data-testid=stDataFrame] canvas')?.checkVisibility()"),
    ("lab", "Kernel lab", "document.querySelector('.kl-lab canvas')?.checkVisibility()"),
)


def at_scene(page, place, run):
    """Wait until a scene of the lecture is there; all of it is legible from the last row."""
    _, words, seen = LECTURE[place - 1]
    page.locator(landmarks.STAGE).get_by_text(f"{place} of {len(LECTURE)}").wait_for()
    page.wait_for_function("words => document.querySelector('.kl-stage p').textContent.startsWith(words)", arg=words)
    rested(page)
    page.wait_for_function(seen)
    assert page.evaluate(SMALL) == []
    assert page.locator("h1").first.is_hidden()
    assert page.locator("[data-testid=stSidebar]").is_hidden()


def test_a_lecture_of_ten_addresses(server, page, run):
    scenes = quote("|".join(["nowhere", *(address.format(run=run) for address, *_ in LECTURE)]), safe="")
    visit(page, server, f"?present=1&scenes={scenes}")
    stage = page.locator(landmarks.STAGE)
    stage.get_by_text("Left out: nowhere").wait_for()
    # Forward by keys, in the same tab without loading it anew.
    page.evaluate("window.same = true")
    for place in range(1, len(LECTURE) + 1):
        at_scene(page, place, run)
        if "nowhere" in LECTURE[place - 1][0]:  # a scene that fails says so, and the lecture goes on
            page.get_by_text("a run must be one that the store has").wait_for()
        page.keyboard.press("ArrowRight")
    stage.get_by_text("10 of 10").wait_for()
    assert page.evaluate("window.same") is True
    from axe_playwright_python.sync_playwright import Axe

    page.keyboard.press("ArrowLeft")
    page.keyboard.press("PageUp")
    at_scene(page, 8, run)
    assert Axe().run(page).response["violations"] == []
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement !== null")
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement === null")
    # Leaving and coming back costs no run of the page's script, and the place survives a reload.
    page.evaluate(RUNS)
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "present" not in url and "place=8" in url)
    page.locator("h1").first.wait_for()
    stage.get_by_role("button", name="Present").click()
    page.wait_for_url(lambda url: "present=1" in url)
    assert page.evaluate("window.scriptRuns") == 0
    page.reload()
    at_scene(page, 8, run)
    for _ in range(4):  # faster than pages come
        page.keyboard.press("PageUp")
    at_scene(page, 4, run)
    assert not page.locator(landmarks.TIME).is_visible()
    page.wait_for_url(lambda url: f"run={run}" in url and "place=4" in url and "paper=" not in url)


def test_a_list_of_scenes_is_made_in_the_share_popover(server, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for address in ("", "data?dataset=iris"):
        rested(visit(page, server, address))
        page.get_by_role("button", name="Share").click()
        page.get_by_role("button", name="Add this page").click()
        page.get_by_text("Added as scene").wait_for()
    page.get_by_role("button", name="Move scene 2 up").click()
    page.get_by_role("button", name="Copy the link").click()
    page.get_by_text("The link to the list is copied.").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{server.url}/data?dataset=iris&present=1&scenes=data%3Fdataset%3Diris%7Chome"
    page.goto(link)
    page.locator(landmarks.STAGE).get_by_text("1 of 2").wait_for()
    page.wait_for_function("document.querySelector('.kl-stage p').textContent.startsWith('Data · iris')")
    rested(page)
    assert "scenes=" in page.url  # the page's own script keeps what is the browser's
