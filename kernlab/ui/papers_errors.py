"""What is wrong in the papers: each beside a picture that moves, of what is printed and of what is so.

One entry of :data:`ERRORS` is one error: its formula and source, a sentence, sliders, and the picture they move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

import plotly.graph_objects as go
import streamlit as st

from kernlab.analysis import paper_errors as numbers
from kernlab.analysis import paper_frames as frames
from kernlab.bench.published import printed
from kernlab.plots import paper_errors as plots
from kernlab.ui import pictures
from kernlab.ui.forms import to_text

__all__ = ["ERRORS", "KINDS", "Mistake", "Slider", "errors_of", "fill_sliders", "show_errors", "slider_scene"]


class Slider(NamedTuple):
    """A few values to move through.

    Attributes:
        key: its argument of the numbers.
        label: with the unit.
        values: from the left.
        default: one of them.
    """

    key: str
    label: str
    values: tuple[Any, ...]
    default: Any


class Mistake(NamedTuple):
    """One thing that is wrong in a paper, or easily taken wrong.

    Attributes:
        key: its name in the address.
        paper: "askl", "di", "fks" or "lkrf".
        kind: of :data:`KINDS`.
        title: in a few words.
        formula: LaTeX, a line each: as it is.
        source: paper and equation.
        words: what is wrong and what kernlab does.
        try_this: what to move and what to look for.
        make: the picture, from the sliders' values by key.
        alt: what it shows, for those who hear it.
        sliders: what can be moved.
    """

    key: str
    paper: str
    kind: Literal["error", "scale", "code", "care"]
    title: str
    formula: tuple[str, ...]
    source: str
    words: str
    try_this: str
    make: Callable[..., go.Figure]
    alt: str
    sliders: tuple[Slider, ...] = ()


#: What kind of mistake it is: words, sign and colour.
KINDS: dict[str, tuple[str, str, Literal["red", "orange", "blue", "violet"]]] = {
    "error": ("Error in a formula", ":material/error:", "red"),
    "scale": ("Printed figures off their scale", ":material/straighten:", "orange"),
    "code": ("Error in the released code", ":material/code_off:", "violet"),
    "care": ("Right, if read with care", ":material/visibility:", "blue"),
}


def _against(table: str) -> Callable[[], go.Figure]:
    return lambda: plots.plot_against_constant(numbers.against_constant(printed(table)))


_SMALL = (1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.3, 1.0, 3.0)
_THOUSANDS = (10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000)
_HUNDRED = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)

#: In the order of the page.
ERRORS: tuple[Mistake, ...] = (
    Mistake(
        "phases", "askl", "error", "Two phases give another kernel",
        (r"\varphi(x)=\tfrac1{\sqrt{2D}}\,[\cos(\Omega^\top x+b)+\cos(\Omega'^\top x+b')]",
         r"\mathbb E\,\varphi(x)\cdot\varphi(x')=k(x,x')\quad\text{only if}\quad b'=b"),
        "ASKL eq. 6 and the sentence after it",
        "The paper draws b and b' independently and calls these features equivalent in expectation to the paired ones. "
        "With two phases the cross terms average out: what is left is stationary, with k(x, x) = ½, so nothing of "
        "Yaglom's theorem remains. kernlab needs no phases (phase=paired), and offers one for both (phase=shared) and "
        "two (phase=independent).",
        "Add features: the broken line settles at half of a stationary kernel, not at the dotted line. With "
        "correlation 1 the kernel itself is stationary, and the two differ by a factor of 2.",
        lambda **at: plots.plot_phases(numbers.phases(**at)),
        "Monte-Carlo value of a kernel entry against the number of features, with one phase and with two",
        (Slider("n_features", "Features D", _HUNDRED, 10_000),
         Slider("correlation", "Correlation of ω and ω'", (0.0, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0), 0.9),
         Slider("seed", "Draw", (0, 1, 2, 3, 4), 0)),
    ),
    Mistake(
        "learned", "askl", "error", "Learning ends the equality in expectation",
        (r"\mathbb E_b\,\varphi(x)\cdot\varphi(x')=k(x,x')\ \text{ if }\ b\perp(\Omega,\Omega')",
         r"\Omega^{t+1}=\Omega^t-\eta\,\nabla_\Omega\,J(\Omega^t,b)"),
        "ASKL eq. 6 together with the gradient step, eq. 9",
        "Even with one phase for both frequencies, φ(x)·φ(x') is the kernel of the frequencies only on average over "
        "phases that the frequencies do not depend on. A gradient step on Ω looks at b, so that learned frequencies "
        "depend on it: their density then speaks of another kernel than the one that predicts. Cosine and sine side by "
        "side are that kernel for every Ω, and are kernlab's default (phase=paired).",
        "Each form is trained here, now. Pairs stay at zero; with phases the distance grows beyond what phases drawn "
        "anew for the same frequencies have. At learning rate 0 only the noise of drawing is left, less with more D.",
        lambda **at: plots.plot_learned_phases(numbers.learned_phases(**at)),
        "Distance of the features from the kernel of their own frequencies over training, for three forms",
        (Slider("learning_rate", "Learning rate η", (0.0, 0.01, 0.03, 0.1, 0.2), 0.1),
         Slider("n_features", "Features D", (20, 60, 200), 200),
         Slider("noise", "Noise of y", (0.0, 0.5, 1.0, 2.0), 1.0),
         Slider("seed", "Draw", (0, 1, 2), 0)),
    ),
    Mistake(
        "dual", "askl", "error", "A looser norm than the step allows",
        (r"\sup_{\|W\|_*\le B}\langle W,\Phi^\top\varepsilon\rangle=B\,\|\Phi^\top\varepsilon\|_2"
         r"\;\le\;B\,\|\Phi^\top\varepsilon\|_F",),
        "ASKL Theorem 3, Hölder's inequality in its proof",
        "The dual norm of the trace norm is the spectral norm, but the proof goes on with the Frobenius norm. The "
        "bound holds, and is larger than it need be, the more so the more outputs there are. kernlab shows both.",
        "Raise the frequency scale: features of many directions leave more between the two norms; near 0 all "
        "features are alike, Φᵀε has rank 1, and the norms agree.",
        lambda **at: plots.plot_complexities(numbers.complexities(**at)),
        "Rademacher complexity and the paper's bound on it against the number of outputs",
        (Slider("frequency_scale", "Frequency scale σ", (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0), 1.0),
         Slider("n", "Points n", (50, 100, 200, 400), 200)),
    ),
    Mistake(
        "widths", "askl", "care", "One σ with two meanings",
        (r"e^{-\Delta^2/2\sigma^2}\iff\omega\sim\mathcal N(0,\sigma^{-2}I)",
         r"e^{-\sigma^2\Delta^2/2}\iff\omega\sim\mathcal N(0,\sigma^2I)"),
        "ASKL, section on stationary kernels, and experimental setup",
        "The text pairs a Gaussian kernel of width σ with N(0, 1/σ), the experiments draw from N(0, σ²). In the first "
        "a large σ makes a wide kernel, in the second a narrow one. In kernlab σ is a frequency scale, 1/lengthscale, "
        "and is called frequency_scale.",
        "Move σ away from 1 and the three kernels part.",
        lambda **at: plots.plot_widths(numbers.widths(**at)),
        "Three Gaussian kernels over the distance, from three readings of one sigma",
        (Slider("sigma", "σ", (0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0), 2.0),),
    ),
    Mistake(
        "shrinkage", "askl", "code", "Singular values that fall below zero",
        (r"W^{t+1}=U\,\mathrm{diag}\big((\sigma_j-\lambda_1\eta)_+\big)V^\top",),
        "ASKL eq. 8 is right; the code its authors released leaves out (·)₊",
        "Without holding them at zero, small singular values turn negative and come back as positive ones at the next "
        "step, so the rank never falls. That code also learns classes by cross-entropy where the paper says "
        "hinge, rebinds W so that only Ω is learned from the second step on, penalises unsquared norms, and chooses "
        "settings on the test part. kernlab takes none of this as a reference; its tests check each point.",
        "Take more steps: held at zero, the rank falls; not held, all twelve stay.",
        lambda **at: plots.plot_shrinkage(numbers.shrinkage(**at)),
        "Singular values of a matrix before and after thresholding, held at zero or not",
        (Slider("threshold", "Threshold λ₁η", (0.0, 0.05, 0.1, 0.2, 0.4, 0.8), 0.4),
         Slider("steps", "Steps", tuple(range(1, 11)), 1)),
    ),
    Mistake(
        "askl-scale", "askl", "scale", "Errors worse than a constant",
        (r"\mathrm{RMSE}_{\text{constant}}=100\cdot\frac{\operatorname{std}(y)}{\max y-\min y}",),
        "ASKL Table 2, space_ga and cadata",
        "With targets in [0, 100], as the paper says, predicting the mean gives 6.27 on space_ga and 23.79 on cadata; "
        "all five printed methods are worse. So these figures are not on the stated scale, and being better than them "
        "claims nothing.",
        "Point at a mark to read both figures.",
        _against("askl-table2"),
        "Printed errors of ASKL Table 2 divided by the constant predictor's",
    ),
    Mistake(
        "spectra", "fks", "error", "A factor γ is missing",
        (r"\lambda_j^*=\Big(\frac{g\mu_j^2}{\gamma\,b_j}\Big)^{\!\frac1{\gamma+1}}",
         r"c_j=\big(1+\tfrac1\gamma\big)\,g^{\frac\gamma{\gamma+1}}(\gamma b_j)^{\frac1{\gamma+1}}"),
        "FKS Theorem 4",
        r"Setting the derivative of $g\mu^2/\lambda+b\lambda^\gamma$ to zero leaves a γ beside b, which the paper "
        r"drops; its $\lambda^*$ and $c_j$ are right at γ = 1 only, where all its experiments are. kernlab uses the "
        "corrected constants.",
        "Raise γ: the cross leaves the minimum, while the filled circle stays within the open one, which was found "
        "by search.",
        lambda **at: plots.plot_spectra(numbers.spectra(**at)),
        "The inner objective over lambda with the printed, the corrected and the numerical minimiser",
        (Slider("gamma", "Decay γ", (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0), 2.0),
         Slider("mu", "Coefficient μ", (0.1, 0.3, 1.0, 3.0), 1.0),
         Slider("b", "Weight b (g = 1)", (0.1, 0.3, 1.0, 3.0, 10.0), 1.0)),
    ),
    Mistake(
        "signs", "fks", "error", "A sign that is never −1",
        (r"\nu_j=\tfrac{2\gamma c_j}{\gamma+1}\,\mathrm{sgn}(\mu_j)\,|\mu_j|^{\frac{\gamma-1}{\gamma+1}}",
         r"\mathrm{sgn}(\mu)\in\{-1,0,1\}"),
        "FKS Algorithm 1",
        "The paper defines sgn(c) as 1 for c ≥ 0 and 0 otherwise. Then negative coefficients are not shrunk at all, "
        "and a zero is always pushed down: data and their mirror image give different models. kernlab uses the usual "
        "sign.",
        "Raise c: right of zero both lines are shrunk alike, left of it only one is.",
        lambda **at: plots.plot_signs(numbers.signs(**at)),
        "Where sub-gradient descent ends with the usual and with the printed sign",
        (Slider("strength", "Penalty c", (0.0, 0.25, 0.5, 1.0, 1.5, 2.0), 1.0),
         Slider("steps", "Steps", (10, 30, 100, 400, 1000), 400)),
    ),
    Mistake(
        "tails", "fks", "care", "The fast bound needs γ > 1",
        (r"\sum_{i>t}c\,i^{-\gamma}\;\le\;\frac{c\,t^{1-\gamma}}{\gamma-1},\qquad\gamma>1",),
        "FKS Theorem 3 and section 5",
        "The bound rests on eigenvalues that fall faster than 1/i. All experiments set γ = 1, where the sum of "
        "the tail has no end and the theorem says nothing. kernlab says so where the bound is shown.",
        "Count more leading eigenvalues t: the curves sink, but at γ = 1 they rise beyond any t.",
        lambda **at: plots.plot_tails(numbers.tails(**at)),
        "Tail sum of eigenvalues and its bound against the decay gamma",
        (Slider("t", "Leading eigenvalues t", (1, 3, 10, 30, 100), 3),),
    ),
    Mistake(
        "roots", "fks", "error", "The root of another equation",
        (r"r^2-ar-b=0\iff r=\tfrac12\bigl(a+\sqrt{a^2+4b}\bigr)\le a+\sqrt b",
         r"\text{printed: }\tfrac12\bigl(a+\sqrt{a^2+4b^2}\bigr)\le a+b"),
        "FKS Theorem 3, the fixed point in its proof",
        "The proof needs the point where the local complexity √(ar + b) equals r. It solves r² − ar − b = 0 with b² in "
        "the place of b and goes on with a + b. But at r = a + b the left side is b(a + b − 1), so wherever a + b < 1 "
        "that lies below the root which it should be above. kernlab's bound has the exact root.",
        "Make a and b smaller: the cross and the diamond leave the place where the lines meet. With a + b above 1 the "
        "printed bound holds.",
        lambda **at: plots.plot_roots(frames.roots(**at)),
        "The curve of the local complexity against r with its fixed point and the printed ones",
        (Slider("a", "a", _SMALL, 1e-3), Slider("b", "b", _SMALL, 1e-3)),
    ),
    Mistake(
        "rates", "fks", "error", "The rate 1/m does not follow",
        (r"r^*=\min_t\tfrac12\bigl(a_t+\sqrt{a_t^2+4b_t}\bigr),\quad a_t=\tfrac{2tB^2L^2}m,\;"
         r"b_t=\tfrac{2B^2L^2}m\sum_{j>t}\lambda_j",
         r"\lambda_j=c\,j^{-\gamma}:\quad r^*\sim m^{-\gamma/(\gamma+1)}"),
        "FKS Theorem 3, its rate",
        r"With the right root the bound falls as 1/√m for a t that stays and as $m^{-\gamma/(\gamma+1)}$ for the best "
        r"t: between 1/√m and 1/m, and 1/m for kernels of finite rank alone. The printed a + b must bound $r^*$, the "
        r"fixed point of $r\mapsto\sqrt{(2B^2L^2/m)\min_t(tr+\sum_{j>t}\lambda_j)}$, and falls below it. The figure "
        r"has $|y|,|f|\le\frac12$, so $2B^2L^2=8$. One gap of the proof stays open: the theorem that it uses asks for "
        "functions whose loss is small, not for small functions.",
        "Raise γ: the unbroken line turns towards 1/m, but never reaches it. Raise c: the printed line crosses later.",
        lambda **at: plots.plot_rates(frames.rates(**at)),
        "The fixed point over the number of rows, with the best t, with one t, and as printed",
        (Slider("gamma", "Decay γ", (1.25, 1.5, 2.0, 3.0, 4.0, 6.0), 2.0),
         Slider("c", "Height c", (0.01, 0.1, 1.0, 10.0, 100.0), 1.0),
         Slider("m", "Rows m", _THOUSANDS, 10_000)),
    ),
    Mistake(
        "products", "fks", "care", "Sums are not as good as products",
        (r"K(x,x')=\sum_lK(x_l,x_l')\quad\text{or}\quad\prod_lK(x_l,x_l')",),
        "FKS section 3.2",
        "The paper finds both of similar accuracy and uses sums. A sum of functions of one input each cannot say how "
        "inputs work together: the dotted line is the exact share of the variance that none explains. The data are "
        "made here as kin8nm was, the distance from the end of a robot arm to a point. On kin8nm itself an additive "
        "Fourier frame has a mean squared error of 0.0197, products over all joints 0.0028, support vector regression "
        "0.0030 (`kernlab bench --only fks-against-svr`).",
        "Point at a line from left to right: joints that hardly turn act almost by themselves, and a sum is enough. "
        "Add joints: there are more products than a small frame has.",
        lambda **at: plots.plot_products(frames.products(**at)),
        "Errors of an additive and a multiplicative frame over how far the joints of a robot arm turn",
        (Slider("joints", "Joints d", (2, 3, 4), 3),
         Slider("noise", "Noise (share of the targets' standard deviation)", (0.0, 0.03, 0.1, 0.3), 0.0)),
    ),
    Mistake(
        "fks-scale", "fks", "scale", "Errors worse than a constant",
        (r"\mathrm{MSE}_{\text{constant}}=\Big(\frac{\operatorname{std}(y)}{\max y-\min y}\Big)^2",),
        "FKS Table 2, space_ga, kin8nm and some of bank32nh, puma32H and icb",
        "With targets in [0, 1], as the paper says, predicting the mean gives 0.0039 on space_ga and 0.0345 on kin8nm; "
        "all six printed methods are seven times and more above that. Being better than such figures claims nothing.",
        "Point at a mark to read both figures.",
        _against("fks-table2"),
        "Printed errors of FKS Table 2 divided by the constant predictor's",
    ),
    Mistake(
        "scatters", "di", "care", "Columns of unit norm",
        (r"\bar\Phi^\top YY^\top\bar\Phi=S_B,\quad Y_{ic}=\tfrac1{\sqrt{N_c}}[y_i=c]",
         r"S_B=\sum_c N_c(\mu_c-\mu)(\mu_c-\mu)^\top"),
        "DI section 4.1, after eq. 5",
        "The criterion is discriminant analysis only if every column of the indicator matrix is scaled to unit norm. "
        "With plain 0 and 1 a class counts by the square of its size. Both are in use; kernlab's option is "
        "normalize_targets.",
        "Make the largest class larger: with plain columns it takes over, while it moves the scatter matrix little, "
        "for the mean of all points moves to it.",
        lambda **at: plots.plot_scatters(numbers.scatters(**at)),
        "Share of each class in the trace of the scatter matrix, for two scalings of the targets",
        (Slider("largest", "Share of class 1", (0.34, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95), 0.8),),
    ),
    Mistake(
        "cauchy", "lkrf", "care", "A kernel that is not 1 at distance 0",
        (r"k(\Delta)=\prod_j\frac1{1+\Delta_j^2}\iff p(\omega)=\prod_j\tfrac12e^{-|\omega_j|}",),
        "table of kernels in the talk on LKRF, after Rahimi & Recht 2007",
        "The Cauchy kernel is printed as ∏ 2/(1 + Δ²), with its density up to a constant. Cosines are at most 1, so "
        "their mean cannot reach $2^d$ at distance 0: with a density that integrates to 1 the factors of 2 go. "
        "kernlab's Cauchy kernel is 1 there.",
        "Add inputs: the printed kernel doubles each time, the mean of cosines stays.",
        lambda **at: plots.plot_cauchy_kernels(numbers.cauchy_kernels(**at)),
        "The Cauchy kernel as printed, scaled, and as the mean of random cosines",
        (Slider("d", "Inputs d", (1, 2, 3, 4, 5), 2),),
    ),
)  # fmt: skip


def errors_of(paper: str) -> tuple[Mistake, ...]:
    """What was found in one paper."""
    return tuple(each for each in ERRORS if each.paper == paper)


# Widgets that are not drawn lose their value, so what they say is kept here and given to them.
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = st.session_state.setdefault(
        "papers.sliders", {f"{each.key}.{slider.key}": slider.default for each in ERRORS for slider in each.sliders}
    )
    return kept


def fill_sliders(scene: Mapping[str, str]) -> None:
    """Take the sliders from an address; what they cannot stand at means the default."""
    for each in ERRORS:
        for slider in each.sliders:
            name = f"{each.key}.{slider.key}"
            said = {to_text(value): value for value in slider.values}
            _kept()[name] = said.get(scene.get(name, ""), slider.default)
            st.session_state.pop(f"papers.{name}", None)


def slider_scene(paper: str) -> dict[str, str]:
    """What the address has to say about the sliders of a paper."""
    names = {f"{each.key}.{slider.key}": slider.default for each in errors_of(paper) for slider in each.sliders}
    return {name: to_text(_kept()[name]) for name, default in names.items() if _kept()[name] != default}


def show_errors(paper: str) -> None:
    """Everything that was found in a paper, each beside its picture."""
    found = errors_of(paper)
    if all(each.kind == "care" for each in found):
        st.caption("No error was found in what kernlab takes from this paper; this is easily taken wrong:")
    for each in found:
        with st.container(border=True, key=f"papers-error-{each.key}"):
            left, right = st.columns([2, 3])
            with left:
                _words(each)
                values = {slider.key: _slider(each, slider) for slider in each.sliders}
            with right:
                pictures.show(f"papers-{each.key}", tuple(values.values()), partial(each.make, **values),
                              alt=each.alt, height=390 + 40 * len(values))  # fmt: skip


def _words(each: Mistake) -> None:
    kind, sign, colour = KINDS[each.kind]
    st.subheader(each.title, anchor=False)
    st.badge(kind, icon=sign, color=colour)
    for formula in each.formula:
        st.latex(formula)
    st.caption(f"Source: {each.source}")
    st.markdown(each.words)
    st.markdown(f":material/touch_app: {each.try_this}")


def _slider(each: Mistake, slider: Slider) -> Any:
    name = f"{each.key}.{slider.key}"
    value = st.select_slider(slider.label, slider.values, _kept()[name], key=f"papers.{name}", format_func=_written)
    _kept()[name] = value
    return value


def _written(value: Any) -> str:
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else f"{value:g}"
