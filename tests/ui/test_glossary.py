"""The glossary: definitions are short, spellings clear, and what forms and numbers are called is in it or plain."""

import json
import re
import shutil
import subprocess
from collections import Counter

import pytest
from serving import ROOT
from waiting import PATIENCE

from kernlab.compare.summary import COLUMNS
from kernlab.methods import METHODS
from kernlab.pictures.theme import ROLES
from kernlab.ui import glossary, landmarks
from kernlab.ui.glossary import found, terms
from kernlab.ui.setup import label

#: Labels of forms whose words everybody knows, or which the sentence beside the widget explains.
PLAIN = {
    "Learn it", "Compile", "Unit variance", "Normalized", "Algorithm", "Combine", "Max width", "Unit", "Bias",
    "Draws (0: keep weights)", "Features of the candidates", "Resample", "Norm p of the weights",
}  # fmt: skip
#: Words of legends and columns that need none either.
WORDS = {"learning rate", "Training (s)", "Search (s)", "Prediction (ms per 1000 rows)", "penalty"}


def test_a_definition_is_one_or_two_sentences():
    assert len(terms()) > 100
    for term in terms():
        sentences = re.split(r"(?<=[.])\s+(?=[A-Z‖0-9ω])", term.words)
        assert 1 <= len(sentences) <= 2, term
        assert term.words.endswith("."), term
        assert 20 <= len(term.words) <= 220, term


def test_no_spelling_has_two_meanings():
    spellings = Counter(each for term in terms() for each in {*term.also, *term.labels})
    assert [each for each, times in spellings.items() if times > 1] == []
    for term in terms():
        assert all(found(each) == [term.name] for each in (*term.also, *term.labels)), term


def test_terms_are_found_as_a_reader_would():
    assert found("Trace norms and Rank of W") == ["trace norm", "rank of W"]
    assert found("ν = 0.52 in 2-D, D = 40") == ["non-stationarity", "features D"]
    assert found("A non-stationary kernel") == ["non-stationary kernel"]
    assert found("train") == ["training rows"]
    assert found("To train is a joy") == []
    assert found("λ₁‖W‖⁎ × 1000") == ["λ₁"]
    assert found("J. Li, Y. Liu and W. Wang") == []
    assert found("As large as W. The rank of it, and D. D. Wang") == ["W", "rank of W"]


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_browser_finds_what_python_finds():
    texts = [text for term in terms() for text in (term.name, *term.also, *term.labels, term.words)]
    texts += ["J. Li, Y. Liu and W. Wang", "D.-X. Zhou (D. Fu), D. D. Wang", "as large as W. The rank of W"]
    script = (
        f"import {{ Glossary }} from '{(ROOT / 'kernlab/ui/page/glossary.mjs').as_uri()}';"
        "import { readFileSync } from 'node:fs'; const { terms, texts } = JSON.parse(readFileSync(0));"
        "const all = new Glossary(terms); process.stdout.write(JSON.stringify("
        "texts.map((text) => [...new Set(all.find(text).map(({ name }) => name))])));"
    )
    asked = json.dumps({"terms": [term._asdict() for term in terms()], "texts": texts})
    done = subprocess.run(["node", "--input-type=module", "-e", script], input=asked, capture_output=True, text=True,
                          timeout=PATIENCE, encoding="utf-8")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [found(text) for text in texts]


def test_every_label_of_a_form_is_explained_or_plain():
    labels = {label(key) for method in METHODS.values() for key in method.schema()}
    assert {each for each in labels if not found(each)} - PLAIN == set()


def test_every_curve_and_column_is_explained_or_plain():
    named = {words for words, *_ in ROLES.values()} | {column.heading for column in COLUMNS}
    assert {each for each in named if not found(each)} - WORDS == set()


def test_the_browser_knows_the_landmarks_of_steps():
    module = (ROOT / "kernlab/ui/page/present.mjs").read_text("utf-8")
    assert landmarks.LINE in module
    assert landmarks.STEPS["next"].replace("next", "${way}") in module


def test_another_glossary_has_another_address():
    assert re.fullmatch(r"words/[0-9a-f]{12}", glossary.address())
