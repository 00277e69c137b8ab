"""How a page says what the rows that did not train chose: a sentence, and marks on the time slider."""

from __future__ import annotations

from kernlab.methods import MethodSpec
from kernlab.numerals import number
from kernlab.pictures.theme import GREY, KEPT
from kernlab.runs.kept import held_out_rows
from kernlab.ui.state import to_text
from kernlab.ui.watch import Watch

__all__ = ["marks", "reduced", "sentence", "settled"]


def marks(watch: Watch) -> list[tuple[float, str, str]]:
    """Marks on the time slider: the kept epoch and where the repetition begins, each with its colour and words."""
    if (found := watch.kept) is None:
        return []
    kept = [(float(found.epoch), KEPT, found.label)]
    return kept + [(float(found.stopped), GREY, "the kept epochs again, on all rows")] * bool(found.epoch)


def sentence(watch: Watch) -> str:
    """How many rows choose, and what they chose; empty where none were held out."""
    facts, found, rows = watch.facts, watch.kept, held_out_rows(watch.facts)
    if not rows:
        return ""
    if not found:
        return (
            f"{number(rows)} of the {number(facts['n_train'])} training rows do not train: after every epoch they "
            "judge the model. The number of epochs that is best for them is then repeated on all training rows."
        )
    words = [f"{found.sentence[0].upper()}{found.sentence[1:]}."]
    if not found.learned:
        words.append("These rows prefer the assigned map, so the model of this run is that of the map as it was drawn.")
    if found.epoch:
        words.append(
            f"The curves show first the {_epochs(found.stopped)} of choosing, which end past the best, then the "
            f"repetition: {_epochs(found.epoch)} on all {number(facts['n_train'])} training rows, which is the model "
            "of this run."
        )
    if found.penalty is not None and found.epoch:
        words.append(f"The same rows chose the ridge penalty {found.penalty:.3g}.")
    return " ".join(words)


def _epochs(count: int) -> str:
    return f"{count} epoch{'s' * (count != 1)}"


def settled(watch: Watch) -> str:
    """The value that each "auto" of the run stands for, and a smaller number of features than the method's own; empty
    before they are known.
    """
    asked, method = watch.spec, watch.method
    if not (asked and method and watch.run.resolved):
        return ""
    ridge = watch.history.get("ridge")
    resolved = {
        **method.options(),
        **({"ridge": float(f"{ridge.values[-1]:.3g}")} if ridge and len(ridge.values) else {}),
    }
    found = {key: resolved.get(key) for key, value in asked.method.options().items() if value == "auto"}
    words = [f"{key} = {to_text(value)}" for key, value in found.items() if value not in (None, "auto")]
    sentences = [f"Values used in place of auto: {', '.join(words)}."] if words else []
    if words and (rows := watch.facts.get("chosen_on")):
        sentences.append(
            f"These values were best on {number(rows)} of the {number(watch.facts['n_train'])} training rows, after "
            "training on the others; the model of this run was then trained on all of them."
        )
    if few := reduced(asked.method, method):
        sentences.append(f"{few}.")
    return " ".join(sentences)


def reduced(asked: MethodSpec, found: MethodSpec) -> str:
    """That a training has fewer features than the method's own number, without a full stop; empty where it has not."""
    own, used = (method.options().get("n_features", 0) for method in (asked, found))
    if own == used:
        return ""
    return f"{number(used)} features, since the rows are too few for {number(own)}"
