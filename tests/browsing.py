"""What every test does in the browser: open a page, press, and wait for what the page says, never for the clock."""

from __future__ import annotations

import time

from kernlab.ui import landmarks

#: Seconds that anything may take. A test that holds never waits for them; a machine with other work needs some.
PATIENCE = 120


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


def run_of(page):
    """The run that the address names."""
    page.wait_for_url(lambda url: "run=" in url)
    return page.evaluate("new URLSearchParams(location.search).get('run')")


def points(page, chart="objective"):
    """Points of a chart's first curve."""
    return page.evaluate(landmarks.points(chart))


def picture(page, chart):
    """All that a chart draws, as text; "null" before it is drawn."""
    return page.evaluate(landmarks.picture(chart))


def draws(page, chart):
    """How often a chart was drawn."""
    return page.evaluate(landmarks.draws(chart))


def rested(page):
    """Wait until no script runs for the page and the browser has drawn what came of the last one."""
    page.wait_for_function(landmarks.RESTED)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
