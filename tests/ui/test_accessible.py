"""Every page for everybody: axe-core finds nothing, in either theme, at a desk and on a phone; nothing is too wide.

Nor is a word of the field there without its definition.
"""

import pytest
from browsing import rested, visit
from worded import all_worded

from kernlab.runs.store import Store
from kernlab.spec import RunSpec
from kernlab.training.trainer import train

pytestmark = pytest.mark.browser

PAGES = ("", "learn", "learn?lesson=density", "learn?lesson=proof", "learn?lesson=rank&step=answer&guess=9",
         "data", "data?dataset=moons&noise=0.3", "data?part=draw", "data?part=bring",
         "train", "train?run={run}", "compare", "compare?datasets=iris,digits&methods=SK,ASKL,svm-rbf",
         "spectrum?run={run}", "kernel?run={run}", "bounds?run={run}", "certainty?run={run}", "runs", "papers",
         "papers?paper=fks", "papers?view=errors", "lab", "lab?view=pairs")  # fmt: skip

#: Whether the page is in this theme.
THEME = "scheme => getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === scheme"


@pytest.fixture(scope="module")
def run(server):
    spec = RunSpec.of("NSKL", "digits", n_features=60, epochs=3)
    with Store(server.home / "runs") as store:
        run_id = store.create(spec.to_dict())
        with store.writer(run_id) as writer:
            for event in train(spec):
                writer.write(event)
    return run_id


@pytest.mark.parametrize("address", PAGES)
def test_axe_finds_nothing_no_page_is_too_wide_and_every_term_has_its_definition(server, new_page, run, address):
    from axe_playwright_python.sync_playwright import Axe

    page, found = new_page(), []
    for width, height, scheme in ((390, 844, "light"), (1440, 900, "dark")):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        if scheme == "light":
            visit(page, server, address.format(run=run))
        page.wait_for_function(THEME, arg=scheme)
        rested(page)
        page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")  # the place of a widget to come
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        main = page.locator("[data-testid=stMain]")
        assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
        found += [
            (scheme, each["id"], each["impact"], node["html"][:200])
            for each in Axe().run(page).response["violations"]
            for node in each["nodes"]
        ]
    all_worded(page)
    assert found == []
