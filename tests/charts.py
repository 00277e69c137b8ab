"""Charts on a page of their own: a browser draws figures with kernlab's modules, without a server."""

from __future__ import annotations

from pathlib import Path

import plotly
from serving import ROOT

HOME = "http://localhost:1/"
FOLDERS = (
    *(ROOT / "kernlab/ui" / each for each in ("", "film", "page")),
    Path(plotly.__file__).parent / "package_data",
)

_DRAW = """async ([figures, width]) => {
  document.body.style.margin = 0;
  const look = { 'text-color': '#31333f', 'background-color': '#ffffff', font: 'sans-serif' };
  for (const [name, value] of Object.entries(look)) document.body.style.setProperty(`--st-${name}`, value);
  const { default: chart } = await import('/chart.js');
  for (const [name, figure, height] of figures) {
    const parentElement = Object.assign(document.createElement('div'), { id: name });
    parentElement.style.width = `${width}px`;
    document.body.append(parentElement);
    const data = { figure, name, alt: name, height, events: [] };
    chart({ data, parentElement, setStateValue() {} }, location.href, '/plotly.min.js');
  }
}"""

#: Words that lie over other words, outside of their picture, or, of a heading, in the plot: a sentence each.
_FAULTS = r"""() => {
  const kinds = {
    title: '.gtitle', subtitle: '.gtitle-subtitle', 'tick of x': '.xtick text', 'tick of y': '.ytick text',
    'name of x': '.xtitle', 'name of y': '.ytitle', legend: '.legendtext', note: '.annotation-text',
    strip: '.cbtitle text', 'tick of the strip': '.cbaxis text',
  };
  const faults = [];
  for (const chart of document.querySelectorAll('.kl-chart')) {
    const box = chart.getBoundingClientRect(), name = chart.parentElement.id;
    const plot = chart.querySelector('.nsewdrag')?.getBoundingClientRect();
    const words = Object.entries(kinds).flatMap(([kind, css]) => [...chart.querySelectorAll(css)]
      .map((node) => ({ kind, text: node.textContent, at: node.getBoundingClientRect(),
        turned: /rotate\(-?[1-9]/.test(node.getAttribute('transform')) }))
      .filter(({ at }) => at.width && at.height));
    words.forEach((a, place) => {
      const say = (what) => faults.push(`${name}: ${a.kind} "${a.text}" ${what}`);
      const { left, right, top, bottom } = a.at;
      const beyond = Math.max(box.left - left, right - box.right, box.top - top, bottom - box.bottom);
      if (beyond > 1) say('leaves the picture');
      if (plot && /title$/.test(a.kind) && a.at.bottom > plot.top + 3) say('reaches into the plot');
      for (const b of words.slice(place + 1)) {
        if (a.kind === b.kind && a.kind.startsWith('tick') && a.turned) continue; // their boxes overlap, they do not
        const wide = Math.min(a.at.right, b.at.right) - Math.max(a.at.left, b.at.left);
        const high = Math.min(a.at.bottom, b.at.bottom) - Math.max(a.at.top, b.at.top);
        if (wide > 2 && high > 4) say(`lies over ${b.kind} "${b.text}"`);
      }
    });
    const share = plot ? plot.height / box.height : 1;
    if (share < 0.25) faults.push(`${name}: the plot has ${share.toFixed(2)} of the height`);
  }
  return faults;
}"""


def faults(page, figures, width):
    """Draw figures, (name, figure as JSON, height) each, at a width; sentences about words that cannot be read."""
    page.route(f"{HOME}**", _serve)
    page.goto(HOME)
    page.evaluate(_DRAW, [figures, width])
    page.wait_for_function("[...document.querySelectorAll('.kl-chart')].every((chart) => chart.dataset.drawn)")
    return page.evaluate(_FAULTS)


def titles(page):
    """Height of each title below the top of its picture, in pixels."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.kl-chart')].map((chart) => Math.round(
          chart.querySelector('.gtitle').getBoundingClientRect().top - chart.getBoundingClientRect().top))"""
    )


def _serve(route):
    name = route.request.url.removeprefix(HOME)
    file = next((folder / name for folder in FOLDERS if name and (folder / name).exists()), None)
    if file:
        route.fulfill(path=file, content_type="text/javascript")
    else:
        route.fulfill(body="<!doctype html><title>Charts</title>", content_type="text/html")
