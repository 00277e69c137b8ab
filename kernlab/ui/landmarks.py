"""Where tests and benchmarks find what they look for on the pages: CSS selectors and JavaScript. No streamlit here."""

from __future__ import annotations

__all__ = [
    "BUTTONS",
    "COARSE",
    "DRAG",
    "DRAWN",
    "ENDED",
    "FOLLOW",
    "HEADING",
    "HIDE",
    "JOBS",
    "LINE",
    "LINKED",
    "MARKS",
    "MEANING",
    "MOMENT",
    "OPENED",
    "PLAYED",
    "PROGRESS",
    "RESTED",
    "SEEN",
    "STAGE",
    "STARTED",
    "STEPS",
    "TIME",
    "WHOLE",
    "chart",
    "draws",
    "picture",
    "points",
]

HEADING = "[data-testid=stMain] h1"  # of the page itself; before it comes, that of its first view is seen
TIME = "[data-testid=stMain] .kl-time input"  # the slider over the snapshots of a run
MOMENT = "[data-testid=stMain] .kl-time output"  # the moment that it stands at, in words
MARKS = ".kl-marks button"  # its moments that have words
PROGRESS = ".kl-way > p:first-child"  # how far a job is, in words
BUTTONS = "[data-testid=stMain] .stButton"  # of the page itself, not of its head or its side bar
DRAWN = ".kl-chart[data-drawn]"  # a picture that has been drawn; the attribute counts how often
SEEN = ".kl-chart[data-drawn], .kl-chart[data-sketched]"  # one of which at least a sketch can be seen
JOBS = ".kl-jobs > button"  # the entry of the jobs in the head
LINKED = ".kl-words > button"  # a term with a definition; its data-term is the name in the glossary
MEANING = "#kl-meaning"  # the box that says what a term means
STAGE = ".kl-stage"  # the line at the foot of a page that is presented, or belongs to a list of scenes

#: A page may have steps of its own: arrow keys and the buttons of the line press the button of the next or previous.
#: ``st.button(…, key="step-next")`` is such a button; one that a module draws has ``data-step="next"``.
STEPS = {way: f"[data-step={way}], .st-key-step-{way} button" for way in ("next", "previous")}
#: Where a page has something else than its heading to say while it is presented: ``st.container(key="present-words")``.
LINE = "[data-present-words], .st-key-present-words"

#: True when no script runs for the page and the browser has drawn what came of the last one, in the page's own style.
RESTED = """() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
  && document.querySelector('[data-testid=stEvent] style')
  && !document.querySelector('[data-stale=true]') && !document.querySelector('.kl-seen .kl-wait')"""

#: Hides a page, or shows it again, as if its person had gone to another tab and come back.
HIDE = """hidden => {
  const now = { hidden, visibilityState: hidden ? 'hidden' : 'visible' };
  for (const name in now) Object.defineProperty(document, name, { configurable: true, get: () => now[name] });
  document.dispatchEvent(new Event('visibilitychange'));
}"""

#: Milliseconds from a key to the first and to the last picture that was drawn because of it within three seconds.
FOLLOW = """() => new Promise(done => {
  const begun = performance.now();
  let first = null, last = null;
  const seen = new MutationObserver(() => { last = performance.now() - begun; first ??= last; });
  document.querySelectorAll('.kl-chart').forEach(
    chart => seen.observe(chart, { attributes: true, attributeFilter: ['data-drawn'] }));
  setTimeout(() => { seen.disconnect(); done([first, last]); }, 3000);
})"""


_FRAMES = "[...(window.kernlabReel?.seen ?? [])].map(({ picture }) => picture).filter(({ overTime }) => !overTime)"
_THERE = """() => {{ const shown = {frames}; return shown.length > 0 && shown.every(({{ frames }}) =>
  frames.steps.length > 0 && frames.steps.every((_, place) => place % {every} !== 0 || frames.has(place))); }}"""

#: True when every eighth frame, or every frame, of the pictures in view has been fetched.
COARSE, WHOLE = (_THERE.format(frames=_FRAMES, every=every) for every in (8, 1))

#: Run before a page's own scripts: ``kernlabOpened`` then has the milliseconds from its address to the first picture
#: that is seen, to a slider with every eighth frame of the pictures in view, to the first picture that Plotly has
#: drawn, and to every frame, each once the browser draws what comes of it.
OPENED = f"""(() => {{
  const found = window.kernlabOpened = {{}}, there = (where) => () => document.querySelector(where);
  const slider = there('.kl-time input'), coarse = {COARSE}, whole = {WHOLE};
  const wanted = {{ seen: there('{SEEN}'), coarse: () => slider() && coarse(), picture: there('{DRAWN}'),
    whole: () => slider() && whole() }};
  const turn = () => {{
    for (const [name, is] of Object.entries(wanted)) if (!(name in found) && is()) found[name] = performance.now();
    requestAnimationFrame(turn);
  }};
  turn();
}})()"""

#: Milliseconds from a change of the slider, to a share of its length, until every picture in view has been drawn anew.
DRAG = """share => new Promise(done => {
  const input = document.querySelector('.kl-time input'), charts = [...document.querySelectorAll('.kl-seen')];
  const before = charts.map(chart => chart.dataset.drawn), begun = performance.now();
  input.value = share * input.max;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  const turn = () => charts.every((chart, place) => chart.dataset.drawn !== before[place])
    || performance.now() - begun > 3000 ? done(performance.now() - begun) : requestAnimationFrame(turn);
  turn();
})"""

#: True when the slider stands at the newest snapshot and does not play.
ENDED = "() => !kernlabReel.clock.playing && kernlabReel.clock.at === null"

#: Starts to wait for a click; ``kernlabStarted`` then has the milliseconds from it to the first picture on the page of
#: the run, and to the first point of the objective, each painted, as a sketch or by Plotly. A picture that the preview
#: has shown and that stays is one of the run's.
STARTED = f"""() => {{
  const old = new WeakSet(document.querySelectorAll('.kl-chart')), found = window.kernlabStarted = {{}};
  const of = (where) => [...document.querySelectorAll(where)].filter(chart => !chart.closest('[data-stale=true]'));
  const curves = () => of('.st-key-objective .kl-chart').filter(chart => !old.has(chart));
  const wanted = {{
    picture: () => curves().length && of('{SEEN}').length,
    point: () => curves().some(chart => chart.matches('{SEEN}')),
  }};
  document.addEventListener('click', () => {{
    const begun = performance.now();
    const turn = () => {{
      for (const [name, there] of Object.entries(wanted)) {{
        if (!(name in found) && there()) requestAnimationFrame(() => {{ found[name] = performance.now() - begun; }});
      }}
      if (Object.keys(found).length < 2) requestAnimationFrame(turn);
    }};
    turn();
  }}, {{ capture: true, once: true }});
}}"""

#: How often the first picture of a snapshot in view is drawn within so many milliseconds.
PLAYED = """milliseconds => new Promise(done => {
  let count = 0;
  const seen = new MutationObserver(() => count++);
  const charts = [...document.querySelectorAll('.kl-seen')];
  seen.observe(charts.at(-1), { attributes: true, attributeFilter: ['data-drawn'] });
  setTimeout(() => { seen.disconnect(); done(count); }, milliseconds);
})"""


def chart(key: str) -> str:
    """The node that Plotly draws the picture of that key into."""
    return f".st-key-{key} .js-plotly-plot"


def points(key: str) -> str:
    """Points of a picture's first curve."""
    return f"Number(document.querySelector('.st-key-{key} .kl-chart')?.dataset.points ?? 0)"


def picture(key: str) -> str:
    """All that a picture draws, as text; "null" before it is drawn."""
    painted = f"document.querySelector('.st-key-{key} .kl-painted')?.kernlabFigure.data"
    return f"JSON.stringify({painted} ?? document.querySelector('{chart(key)}')?.data ?? null)"


def draws(key: str) -> str:
    """How often a picture was drawn."""
    return f"Number(document.querySelector('.st-key-{key} .kl-chart')?.dataset.drawn ?? 0)"
