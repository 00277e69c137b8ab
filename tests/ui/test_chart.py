"""The live chart in a real browser: updated where it stands, zoom kept, themed, saved."""

import shutil
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from browsing import draws, until, visit
from serving import ROOT, running

from kernlab.ui import landmarks
from kernlab.ui.chart import to_json

PLOT = ".st-key-curves .js-plotly-plot"


@pytest.fixture(scope="module")
def chart_app(tmp_path_factory):
    home = tmp_path_factory.mktemp("chart")
    shutil.copytree(ROOT / ".streamlit", home / ".streamlit")
    with running(Path(__file__).with_name("chart_app.py"), home) as app:
        yield app


@pytest.fixture
def charts(chart_app, page):
    page.goto(chart_app.url)
    page.locator(f"{PLOT} .scatterlayer .trace").first.wait_for()
    yield page
    assert chart_app.trouble() == []


def test_arrays_travel_as_base64_and_the_template_stays_here():
    text = to_json(go.Figure(go.Scatter(x=np.arange(1000, dtype=np.float32))))
    assert '"bdata"' in text
    assert len(text) < 6000
    assert "template" not in text


@pytest.mark.browser
def test_never_mounted_again_and_zoom_survives(charts):
    charts.evaluate(f"document.querySelector('{PLOT}').dataset.tag = 'first'")
    box = charts.locator(f"{PLOT} .nsewdrag").first.bounding_box()
    charts.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 40)
    charts.mouse.down()
    charts.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 150, steps=5)
    charts.mouse.up()
    charts.wait_for_function(f"document.querySelector('{PLOT}').layout.xaxis.range[0] > 1")
    zoom = charts.evaluate(f"document.querySelector('{PLOT}').layout.xaxis.range")
    assert 1 < zoom[0] < zoom[1] < 6
    before = draws(charts, "curves")
    charts.evaluate(
        f"""window.lost = 0; setInterval(() => {{
              const node = document.querySelector('{PLOT}');
              if (!node || node.dataset.tag !== 'first') window.lost++; }}, 20)"""
    )
    until(charts, lambda: draws(charts, "curves") >= before + 8)
    assert charts.evaluate("window.lost") == 0
    assert charts.evaluate(f"document.querySelector('{PLOT}').layout.xaxis.range") == zoom


@pytest.mark.browser
def test_a_chart_in_a_closed_tab_is_drawn_when_it_opens_and_not_again_without_news(charts):
    assert draws(charts, "map") == 0
    hidden = charts.get_by_role("tab", name="Hidden")

    def opened():
        hidden.click()  # Streamlit disables a tab while the fragment that it stands in is drawn again
        return hidden.get_attribute("aria-selected") == "true"

    until(charts, opened)
    charts.locator(".st-key-map .heatmaplayer image").wait_for()
    assert charts.locator(".st-key-map .js-plotly-plot").bounding_box()["width"] > 500
    count = draws(charts, "map")
    charts.wait_for_timeout(1500)  # several turns of the page's clock; a chart in a closed tab counts none
    assert draws(charts, "map") == count


@pytest.mark.browser
def test_a_picture_without_room_waits_for_it(chart_app, page):
    """Plotly fails where the heading, broken into many lines, leaves nothing for the axes."""
    page.add_init_script("""addEventListener('DOMContentLoaded', () => document.head.append(
      Object.assign(document.createElement('style'),
        { id: 'narrow', textContent: '.kl-chart { width: 20px !important }' })))""")
    page.goto(chart_app.url)
    page.locator(".st-key-curves .kl-chart").wait_for()
    until(page, lambda: page.evaluate("window.Plotly !== undefined"))
    page.wait_for_timeout(1500)  # several turns of the page's clock
    assert draws(page, "curves") == 0
    page.evaluate("document.getElementById('narrow').remove()")
    until(page, lambda: draws(page, "curves") > 0)
    assert page.locator(".st-key-curves .kl-wait").count() == 0
    page.evaluate("document.querySelector('.st-key-curves .kl-chart').style.width = '20px'")  # it loses its room again
    page.wait_for_timeout(1500)
    page.evaluate("document.querySelector('.st-key-curves .kl-chart').style.width = ''")
    count = draws(page, "curves")
    until(page, lambda: draws(page, "curves") > count)
    assert page.locator(PLOT).bounding_box()["width"] > 500


@pytest.mark.browser
def test_named_clicked_saved(charts):
    picture = charts.get_by_role("img", name="A sine that moves")
    picture.wait_for()
    box = charts.locator(f"{PLOT} .nsewdrag").first.bounding_box()
    charts.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 8)
    charts.get_by_text("clicked 0").wait_for()
    for entry, name in (("Data as CSV", "curves.csv"), ("PNG picture", "curves.png"), ("SVG picture", "curves.svg")):
        charts.get_by_label("Save this picture").first.press("Enter")
        with charts.expect_download() as download:
            charts.locator(".st-key-curves").get_by_role("button", name=entry).click()
        assert download.value.suggested_filename == name
        if entry == "Data as CSV":
            table = Path(download.value.path()).read_text().splitlines()
            assert table[0] == "series,x,y"
            assert len(table) == 303
            assert table[1].startswith("sine,0,")
            assert float(table[300].split(",")[1]) == 10


@pytest.mark.browser
def test_follows_the_theme_and_fits_a_phone(chart_app, new_page):
    seen = {}
    for scheme in ("light", "dark"):
        page = new_page(390, 844, scheme)
        page.goto(chart_app.url)
        page.locator(f"{PLOT} .scatterlayer .trace").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator(PLOT).bounding_box()["width"] <= 390
        seen[scheme] = page.evaluate(
            f"""(() => {{ const plot = document.querySelector('{PLOT}');
                const full = plot._fullLayout;
                return [full.font.color, full.xaxis.gridcolor, plot._fullData[0].line.color]; }})()"""
        )
    assert all(light != dark for light, dark in zip(seen["light"], seen["dark"], strict=True))


@pytest.mark.browser
def test_a_picture_of_an_open_page_follows_the_theme(app, new_page):
    page = visit(new_page(), app, "train?dataset=moons&method=SK&n_features=20")
    layout = f"document.querySelector('{landmarks.DRAWN} .js-plotly-plot')?._fullLayout"
    page.wait_for_function(layout)
    colors = f"[{layout}.font.color, {layout}.xaxis.gridcolor]"
    light = page.evaluate(colors)
    for scheme, same in (("dark", False), ("light", True)):
        page.emulate_media(color_scheme=scheme)
        until(page, lambda same=same: (page.evaluate(colors) == light) is same)
        assert all((now == then) is same for now, then in zip(page.evaluate(colors), light, strict=True))
