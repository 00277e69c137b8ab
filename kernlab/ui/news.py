"""What is new of a job, as the browser asks for it: where it stands, its snapshots, and the words that say so."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import Any, NamedTuple

from kernlab.data.download import Arrived
from kernlab.errors import StoreError, UnknownNameError
from kernlab.jobs.comparisons import Comparisons, ComparisonState
from kernlab.jobs.imports import Imports, ImportState
from kernlab.jobs.queue import JobState
from kernlab.jobs.reproductions import Reproductions, ReproductionState
from kernlab.numerals import number
from kernlab.pictures.base import At
from kernlab.pictures.changes import turns
from kernlab.pictures.recorded import Moment, RecordedRun
from kernlab.pictures.results import head_words
from kernlab.pictures.spectrum import nonstationarity, spectrum_at
from kernlab.pictures.theme import CHANGED, NOTE
from kernlab.pictures.weights import rank
from kernlab.runs.kept import held_out_rows, steps_choosing
from kernlab.ui.transport import duration, progress_words, sharing, status_words
from kernlab.ui.watch import Watch

__all__ = [
    "News",
    "compared",
    "comparison_news",
    "comparison_phase",
    "import_news",
    "import_phase",
    "marks",
    "news",
    "phase",
    "phases_before",
    "preview_news",
    "reproduction_news",
    "reproduction_phase",
    "values",
]


class News(NamedTuple):
    """A job at a moment.

    Attributes:
        version: a text that changes whenever anything else of it does.
        facts: what the browser shows of it.
    """

    version: str
    facts: dict[str, Any]


def preview_news(run: RecordedRun) -> News:
    """The news of a preview: one snapshot, and nothing will follow."""
    facts: dict[str, Any] = {
        "version": run.id, "phase": [], "live": False, "words": "", "done": None, "beside": "", "error": "",
        "unit": run.unit, "metrics": 0, "steps": [0], "epochs": [0.0], "length": 0.0, "stages": [],
        "marks": [],
    }  # fmt: skip
    return News(run.id, facts)


def news(watch: Watch) -> News:
    """The news of a run, as of the last refresh."""
    words, done = progress_words(watch)
    return _news(
        watch.state, phase(watch), words, done, unit=watch.unit, metrics=watch.version[0],
        steps=watch.snapshots.steps.tolist(), epochs=watch.snapshots.epochs.tolist(),
        length=watch.length if watch.facts else None, stages=stages(watch),
        pace=watch.state.elapsed / watch.state.epoch if watch.state.epoch else None,
        marks=marks(watch),
    )  # fmt: skip


def _news(state: JobState, phase: list[Any], words: str, done: float | None, **more: Any) -> News:
    facts = {"phase": phase, "live": state.live, "words": words, "done": done, "beside": sharing(state)}
    facts |= {"error": state.error, **more}
    version = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]
    return News(version, {"version": version, **facts})


def phase(watch: Watch) -> list[Any]:
    """What decides about the controls and pictures of a page: its script runs again when one of these changes."""
    state = watch.state
    # Nothing else is offered in the moment before its work begins.
    status = "running" if state.status == "queued" and not state.position else state.status
    return [status, bool(watch.facts), watch.kept is not None, len(watch.snapshots.steps) > 0]


def phases_before(status: str) -> list[list[Any]]:
    """The phases of a run in that status that come before its first snapshot."""
    return [[status, facts, False, False] for facts in (False, True)]


def stages(watch: Watch) -> list[tuple[float, float, str]]:
    """The stages of a run with held-out rows: the first moment of each, the epoch that it counts from, and its name."""
    if not held_out_rows(watch.facts):
        return []
    found, (steps, epochs) = watch.kept, watch.snapshots
    repeated = epochs[steps > steps_choosing(watch.facts)]
    again = [(float(repeated[0]), float(found.stopped), "on all rows")] if found and len(repeated) else []
    return [(0.0, 0.0, "choosing"), *again]


def marks(watch: Watch) -> list[dict[str, Any]]:
    """The moments of a run that have words: where an option was changed, and where a note is pinned."""
    found = [{"at": turn.epoch, "color": CHANGED, "words": turn.sentence} for turn in turns(watch)]
    with suppress(StoreError):  # whoever pins a note sees what is wrong with the others
        found += [{"at": note.epoch, "color": NOTE, "words": f"“{note.text}”"} for note in watch.notes_lately]
    return sorted(found, key=lambda mark: mark["at"])


def values(run: RecordedRun, step: int) -> dict[str, Any]:
    """The numbers beside the pictures at a snapshot.

    Returns:
        ``numbers``, pairs of a label and a value as text; ``compared``, the same for a line on what differs.

    Raises:
        UnknownNameError: there is no snapshot at that step.
    """
    steps = run.snapshots.steps.tolist()
    if step not in steps:
        raise UnknownNameError("the run must have a snapshot at that step", step)
    moment = run.moment(float(run.snapshots.epochs[steps.index(step)]))
    assert moment
    return {"numbers": numbers(run, moment), "compared": compared(run, moment)}


def compared(run: RecordedRun, moment: Moment) -> list[tuple[str, str]]:
    """The words on a run beside others: its result, without a label, then numbers with theirs."""
    at, result = At(run, moment), moment.values.get("test_metric")
    if result is None:
        return []
    cells = [("", f"{result:.1f} %" if run.facts.get("metric") == "accuracy" else f"RMSE {number(result, 4)}")]
    if now := spectrum_at(at.arrays):
        nu = 0.0 if now.omega_prime is None else nonstationarity(now.omega, now.omega_prime)
        cells.append(("ν", f"{nu:.2f}" if nu else "0"))
    if (found := rank(at)) is not None:
        cells.append(("rank of W", str(found)))
    if "nonzero" in moment.values:
        cells.append(("functions", f"{moment.values['nonzero']:.0f}"))
    return cells


def numbers(run: RecordedRun, moment: Moment) -> list[tuple[str, str]]:
    """Labels and values of the moment's results; of a finished run, those of every head."""
    at, values = At(run, moment), moment.values
    percent = run.facts.get("metric") == "accuracy"
    name = "accuracy" if percent else "RMSE"

    def shown(value: float | None) -> str:
        if value is None:
            return "–"
        return f"{value:.1f} %" if percent else number(value, 4)

    heads: dict[str, Any] = run.run.summary.get("heads", {}) if moment.latest else {}
    cells = [(f"Test {name}, {head_words(head)}", shown(found["test_metric"])) for head, found in heads.items()]
    cells = cells or [(f"Test {name}", shown(values.get("test_metric")))]
    cells.append((f"Training {name}", shown(values.get("train_metric"))))
    if "objective" in run.history or not run.at_once:
        cells.append(("Objective", number(values["objective"], 4) if "objective" in values else "–"))
    if "bound/support" in values:
        cells.append(("Features kept", f"{values['bound/support']:.0f}"))
    if "nonzero" in values:
        cells.append(("Functions kept", f"{values['nonzero']:.0f}"))
    if (found := rank(at)) is not None:
        cells.append(("Rank of W", str(found)))
    return cells


# -- comparisons, reproductions and imports ----------------------------------------------------------------------------


def comparison_phase(state: ComparisonState) -> list[Any]:
    """What decides about the controls and tables of a comparison."""
    return [state.status, len(state.records), state.total]


def comparison_news(jobs: Comparisons, id: str) -> News:
    """The news of a comparison.

    Raises:
        KernlabError: there is none of that id.
    """
    state = jobs.snapshot(id)
    done, total = len(state.records), state.total or len(jobs.store.comparison(id).keys)
    words = [status_words(state)]
    if total:
        words.append(f"{done} of {total} cells")
    elif state.status == "running":
        words.append("reading the data")
    if failed := len(state.failed):
        words.append(f"{failed} failed")
    if state.elapsed:
        words.append(f"{duration(state.elapsed)} elapsed")
    if state.live and state.remaining is not None:
        words.append(f"about {duration(state.remaining)} left")
    if state.status in ("pausing", "stopping"):
        words.append("cells under way are finished first")
    return _news(state, comparison_phase(state), " · ".join(words), done / total if total else 0.0)


def reproduction_phase(state: ReproductionState) -> list[Any]:
    """What decides about the controls and tables of a reproduction."""
    return [state.status, len(state.lines)]


def reproduction_news(jobs: Reproductions, id: str) -> News:
    """The news of a reproduction."""
    state = jobs.snapshot(id)
    words = [status_words(state), *([duration(state.elapsed)] if state.elapsed else []), *state.lines[-1:]]
    return _news(state, reproduction_phase(state), " · ".join(words), None if state.live else 1.0)


def import_phase(state: ImportState) -> list[Any]:
    """What decides about the controls of an import."""
    return [state.status]


def import_news(jobs: Imports, id: str) -> News:
    """The news of an import.

    Raises:
        UnknownNameError: there is none of that id.
    """
    state = jobs.snapshot(id)
    words, at = [status_words(state)], state.progress
    if state.live and at:
        if isinstance(at, Arrived):
            words.append(f"{at.done / 1e6:.1f} MB" + (f" of {at.total / 1e6:.1f} MB" if at.total else ""))
        else:
            doing = "reading" if at.phase == "measuring" else at.phase
            words += [f"{doing}: {number(at.rows)} rows", f"{100 * at.share:.0f} %"]
        if at.remaining is not None:
            words.append(f"about {duration(at.remaining)} left")
    words.append(duration(state.elapsed))
    return _news(state, import_phase(state), " · ".join(words), state.done)
