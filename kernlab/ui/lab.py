"""The Kernel lab: a density that is painted and all that follows from it, in the browser (lab.js)."""

from __future__ import annotations

from kernlab.ui.assets import component

__all__ = ["WORDS", "show"]

#: What is computed, with its sources.
WORDS = r"""
**Kernel.** A density of frequencies is a stationary kernel, and a density of pairs of frequencies is one that depends
on both places:

$$
k(\tau) = \int s(\omega) \cos\omega\tau \, d\omega
$$

$$
k(x, x') = \iint s(\omega, \omega') \, \tfrac14 \big[\cos(\omega x - \omega' x') + \cos(\omega' x - \omega x')
+ \cos\omega(x - x') + \cos\omega'(x - x')\big] \, d\omega \, d\omega'
$$

(Bochner; Yaglom, symmetrised as in ASKL, eq. 5 and 6). On the page both are sums over the grid that is painted, the
trapezoidal rule, divided by the mass. They are sums of positive semi-definite kernels with weights that are not
negative, so every matrix is positive semi-definite and none has to be projected. A density of pairs is painted
symmetrically: $(\omega, \omega')$, $(\omega', \omega)$ and both with the other sign have the same kernel. Mass on the
dashed diagonal is stationary, and $\nu = E(\omega - \omega')^2 / 2E[\omega^2 + \omega'^2]$ says how far the mass is
from it.

**Fit.** The points are $y = f(x) + $ noise of variance $\sigma^2$, and $f$ has mean zero and the covariance
amplitude$^2 \cdot k$. The line is the mean of $f$ given the points, the band $\pm2$ standard deviations of $f$. The
log evidence is $\log N(y; 0, K + \sigma^2 I)$, and the leave-one-out error is the root of the mean square of
$\alpha_i / (K + \sigma^2 I)^{-1}_{ii}$, which is what each point differs from the fit to all others (Rasmussen and
Williams 2006, Algorithm 2.1 and eq. 5.12). Where a Cholesky factor needs it, the diagonal grows by the smallest of
$10^{-12}, 10^{-10}, \dots, 10^{-4}$ of its mean with which every pivot is positive.

**Fit the density.** With $K = \sum_j \theta_j B_j$ and $\alpha = (K + \sigma^2 I)^{-1} y$ each step is $\theta_j
\leftarrow \theta_j \big(\alpha^\top B_j \alpha \,/\, \mathrm{tr}[(K + \sigma^2 I)^{-1} B_j]\big)^{1/2}$, and the same
for $\sigma^2$: the two parts of the gradient of the evidence, which never falls (Zhou, Hu, Zhou and Lange 2019). A
larger power than ½ is tried first, and taken where the evidence rises.
"""

_component = component("lab", "lab.js")


def show() -> None:
    """The lab, which keeps its address by itself and asks the server for nothing but the densities of runs."""
    _component(key="lab", data={})
