"""What every test does in the browser: open a page, press, and wait for what the page says, never for the clock."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Error
from waiting import PATIENCE

from kernlab.ui import landmarks


def visit(page, server, address=""):
    """Open a page of the app; it is there once its heading is."""
    page.goto(f"{server.url}/{address}")
    page.get_by_role("heading", level=1).first.wait_for()
    return page


def press(page, name):
    """Press a button of the page."""
    page.locator(landmarks.BUTTONS).get_by_role("button", name=name, exact=True).first.click()


def until(page, what, seconds=PATIENCE):
    """Wait until ``what()`` is true."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came to that"
        page.wait_for_timeout(50)


def came_to(page, status):
    """Wait until the line of the job on the page begins with this status."""
    line = page.locator(landmarks.PROGRESS, has_text=re.compile(rf"^\s*{status}\b"))
    line.first.wait_for()


def marked(page):
    """The words at the marks of a run's slider."""
    return page.locator(landmarks.MARKS).all_inner_texts()


def run_of(page):
    """The run that the address names."""
    page.wait_for_url(lambda url: "run=" in url)
    return page.evaluate("new URLSearchParams(location.search).get('run')")


def shown(page, chart):
    """Scroll to a chart: what is out of view is not drawn."""
    box = page.locator(f".st-key-{chart}").first

    def scrolled():
        try:
            if box.is_visible():
                box.scroll_into_view_if_needed()
        except Error as error:
            if "not attached" not in str(error):
                raise
            return False  # the page has just put another in its place
        return True

    until(page, scrolled)


def points(page, chart="objective"):
    """Points of a chart's first curve."""
    shown(page, chart)
    return page.evaluate(landmarks.points(chart))


def picture(page, chart):
    """All that a chart draws, as text; "null" before it is drawn."""
    shown(page, chart)
    return page.evaluate(landmarks.picture(chart))


def draws(page, chart):
    """How often a chart was drawn."""
    shown(page, chart)
    return page.evaluate(landmarks.draws(chart))


def rested(page):
    """Wait until no script runs for the page and the browser has drawn what came of the last one."""
    page.wait_for_function(landmarks.RESTED)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def choose(page, label, option):
    """Choose in a menu, which has its label above it; ``option``: its words, or a pattern of them."""
    rested(page)
    menu = page.get_by_role("combobox", name=re.compile(rf"(^|\. ){label}$"))
    exact = isinstance(option, str)
    wanted = page.get_by_role("option", name=option, exact=exact).last
    menu.scroll_into_view_if_needed()  # what moves while it is open closes it

    def chosen():
        """Whether the click has reached the option: on a busy machine the list may move away under the pointer."""
        if not wanted.count():
            menu.click()
            page.wait_for_timeout(200)
        if not wanted.count():
            return False
        words = wanted.inner_text().strip()
        wanted.click()
        page.wait_for_timeout(100)
        return menu.input_value() == words

    until(page, chosen)
    rested(page)
