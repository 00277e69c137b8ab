"""Generators: data whose truth is a known formula. The same options and seed give the same numbers.

Points are drawn first and labelled by the formula; noise is added last and from the same stream, so that more noise
moves the same points. Labels are computed from the 32-bit points of the data set: without noise the formula holds for
every row exactly.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator as Random
from numpy.typing import NDArray

from kernlab.data.base import SOURCES, Dataset, Source
from kernlab.data.table import make_dataset
from kernlab.errors import OptionError
from kernlab.options import component, option

Array = NDArray[Any]


@component
class Generator(Source):
    """Base of the generators: ``draw`` gives points and targets, noise is added here."""

    group = "generated"
    labels: ClassVar[tuple[str, ...]] = ()

    n_samples: int = option(1000, "Number of rows.", ge=20, le=1_000_000)
    noise: float = option(0.1, "Standard deviation of the Gaussian noise.", ge=0, le=100)
    data_seed: int = option(0, "Seed of the generator; the same seed gives the same data.", ge=0, le=2**32 - 1)

    def draw(self, random: Random) -> tuple[Array, Array]:
        """Noise-free points [n d] and class codes [n] or targets [n K]."""
        raise NotImplementedError

    def load(self) -> Dataset:
        random = np.random.default_rng(self.data_seed)
        X, y = self.draw(random)
        if self.task == "classification":
            X = X + self.noise * random.standard_normal(X.shape)
        else:
            y = y + self.noise * random.standard_normal(y.shape)
        names = ("x",) if X.shape[1] == 1 else ()
        return make_dataset(self.name, X, y, self.task, names, self.labels, description=self.description)

    def angles(self, random: Random, turns: float = 1.0) -> Array:
        return random.uniform(0, 2 * np.pi * turns, self.n_samples)

    def square(self, random: Random) -> NDArray[np.float32]:
        """Uniform points of [−1, 1]², as they will be stored."""
        return random.uniform(-1, 1, (self.n_samples, 2)).astype(np.float32)

    def interval(self, random: Random) -> Array:
        """Uniform points of [0, 1], as they will be stored."""
        return random.uniform(0, 1, (self.n_samples, 1)).astype(np.float32).astype(np.float64)


# --- classification ---------------------------------------------------------------------------------


@SOURCES.register("moons")
@component
class Moons(Generator):
    name = "moons"
    title = "Two moons"
    task = "classification"
    formula = r"(\cos t,\ \sin t)\ \text{and}\ (1-\cos t,\ \tfrac12-\sin t),\quad t\in[0,\pi]"
    description = "Two interleaved half circles, one per class."

    def draw(self, random: Random) -> tuple[Array, Array]:
        y = np.arange(self.n_samples) % 2
        t = self.angles(random, 0.5)
        upper, lower = np.stack([np.cos(t), np.sin(t)], 1), np.stack([1 - np.cos(t), 0.5 - np.sin(t)], 1)
        return np.where(y[:, None] == 0, upper, lower), y


@SOURCES.register("circles")
@component
class Circles(Generator):
    name = "circles"
    title = "Circles"
    task = "classification"
    labels = ("outer", "inner")
    formula = r"r\,(\cos t,\ \sin t),\quad r = 1\ \text{or}\ \text{factor}"
    description = "A circle inside a circle."

    factor: float = option(0.5, "Radius of the inner circle; the outer one has radius 1.", gt=0, lt=1)

    def draw(self, random: Random) -> tuple[Array, Array]:
        y = np.arange(self.n_samples) % 2
        t, radius = self.angles(random), np.where(y == 0, 1.0, self.factor)
        return np.stack([radius * np.cos(t), radius * np.sin(t)], 1), y


@SOURCES.register("spirals")
@component
class Spirals(Generator):
    name = "spirals"
    title = "Spirals"
    task = "classification"
    formula = r"r\,(\cos\theta,\ \sin\theta),\quad \theta = 2\pi(\text{turns}\cdot r + k/K),\ r\in[0,1]"
    description = "Intertwined spiral arms, one per class."

    noise: float = option(0.02, "Standard deviation of the Gaussian noise on the points.", ge=0, le=100)
    arms: int = option(2, "Number of arms K, one class each.", ge=2, le=10)
    turns: float = option(1.5, "Turns of each arm around the centre.", gt=0, le=10)

    def draw(self, random: Random) -> tuple[Array, Array]:
        y = np.arange(self.n_samples) % self.arms
        radius = np.sqrt(random.uniform(0, 1, self.n_samples))  # square root: as dense outside as inside
        theta = 2 * np.pi * (self.turns * radius + y / self.arms)
        return np.stack([radius * np.cos(theta), radius * np.sin(theta)], 1), y


@SOURCES.register("xor")
@component
class Xor(Generator):
    name = "xor"
    title = "XOR"
    task = "classification"
    labels = ("different signs", "same signs")
    formula = r"y = [x_1 x_2 > 0],\quad x\sim U[-1,1]^2"
    description = "Opposite quadrants share a class: no straight line separates them."

    def draw(self, random: Random) -> tuple[Array, Array]:
        X = self.square(random)
        return X, (np.sign(X[:, 0]) * np.sign(X[:, 1]) > 0).astype(int)


@SOURCES.register("checkerboard")
@component
class Checkerboard(Generator):
    name = "checkerboard"
    title = "Checkerboard"
    task = "classification"
    labels = ("black", "white")
    formula = r"y = \lfloor c(x_1+1)/2\rfloor + \lfloor c(x_2+1)/2\rfloor \bmod 2,\quad x\sim U[-1,1]^2"
    description = "A board of squares in two colours; more cells need higher frequencies."

    n_samples: int = option(2000, "Number of rows.", ge=20, le=1_000_000)
    noise: float = option(0.0, "Standard deviation of the Gaussian noise on the points.", ge=0, le=100)
    cells: int = option(4, "Squares per side c.", ge=2, le=50)

    def draw(self, random: Random) -> tuple[Array, Array]:
        X = self.square(random)
        row_and_column = np.floor(self.cells * (X.astype(np.float64) + 1) / 2).astype(int)
        return X, row_and_column.sum(axis=1) % 2


@SOURCES.register("shell")
@component
class Shell(Generator):
    name = "shell"
    title = "Shell"
    task = "classification"
    labels = ("inside", "outside")
    formula = r"y = \operatorname{sign}(\lVert x\rVert - \sqrt d),\quad x\sim N(0, I_d)"
    description = "Gaussian points, inside or outside the sphere of radius √d."

    noise: float = option(0.0, "Standard deviation of the Gaussian noise on the points.", ge=0, le=100)
    dimension: int = option(2, "Number of inputs d.", ge=1, le=1000)

    def draw(self, random: Random) -> tuple[Array, Array]:
        X = random.standard_normal((self.n_samples, self.dimension), np.float32)
        norms = np.linalg.norm(X.astype(np.float64), axis=1)
        return X, (norms > np.sqrt(self.dimension)).astype(int)


@SOURCES.register("halfspace")
@component
class Halfspace(Generator):
    name = "halfspace"
    title = "Half-space"
    task = "classification"
    labels = ("below", "above")
    formula = r"y = [w^\top x > 0],\quad x\sim N(0,I_d),\quad w = (1,\dots,1,\ \text{faint}\cdot N(0,1),\dots)"
    description = "Gaussian points on two sides of a plane that only a few inputs decide."
    source = "Sinha and Duchi, Learning kernels with random features (2016), second released example"

    noise: float = option(0.0, "Standard deviation of the Gaussian noise on the points.", ge=0, le=100)
    dimension: int = option(20, "Number of inputs d.", ge=1, le=10_000)
    relevant: float = option(0.1, "Share of the inputs that decide with weight 1, rounded up.", gt=0, le=1)
    faint: float = option(0.05, "Standard deviation of the weights of all other inputs.", ge=0, le=10)

    def normal(self, random: Random) -> Array:
        """The vector w [d] that the plane is perpendicular to."""
        w = self.faint * random.standard_normal(self.dimension)
        w[: math.ceil(round(self.relevant * self.dimension, 9))] = 1.0  # 0.1 · 30 is 3.0000000000000004
        return w

    def draw(self, random: Random) -> tuple[Array, Array]:
        w = self.normal(random)
        X = random.standard_normal((self.n_samples, self.dimension), np.float32)
        return X, (X.astype(np.float64) @ w > 0).astype(int)


@SOURCES.register("blobs")
@component
class Blobs(Generator):
    name = "blobs"
    title = "Blobs"
    task = "classification"
    formula = r"x \sim N(\mu_k, \text{noise}^2 I_d),\quad \mu_k\sim U[-4,4]^d"
    description = "One round cloud per class."

    noise: float = option(1.0, "Standard deviation of each cloud.", ge=0, le=100)
    dimension: int = option(2, "Number of inputs d.", ge=1, le=1000)
    centers: int = option(3, "Number of clouds, one class each.", ge=2, le=20)

    def draw(self, random: Random) -> tuple[Array, Array]:
        y = np.arange(self.n_samples) % self.centers
        return random.uniform(-4, 4, (self.centers, self.dimension))[y], y


# --- regression -------------------------------------------------------------------------------------


@SOURCES.register("chirp")
@component
class Chirp(Generator):
    name = "chirp"
    title = "Chirp"
    task = "regression"
    labels = ("y",)
    formula = r"y = \sin 2\pi\left(f_0 x + \tfrac12 (f_1-f_0)x^2\right),\quad x\in[0,1]"
    description = "A sine whose frequency grows with x from f₀ to f₁: no stationary kernel fits both ends."

    start_frequency: float = option(1.0, "Frequency f₀ at x = 0, in cycles per unit.", ge=0, le=1000)
    end_frequency: float = option(12.0, "Frequency f₁ at x = 1, in cycles per unit.", ge=0, le=1000)

    def draw(self, random: Random) -> tuple[Array, Array]:
        if self.start_frequency == self.end_frequency == 0:
            raise OptionError(
                "start_frequency or end_frequency must be above 0, or the chirp is flat", 0, "raise one of them"
            )
        x = self.interval(random)
        slope = self.end_frequency - self.start_frequency
        return x, np.sin(2 * np.pi * (self.start_frequency * x + slope * x**2 / 2))


@SOURCES.register("step")
@component
class StepFunction(Generator):
    name = "step"
    title = "Step"
    task = "regression"
    labels = ("y",)
    formula = r"y = \operatorname{sign}(x - \text{location}),\quad x\in[0,1]"
    description = "A jump from −1 to 1; smooth features overshoot on both sides of it."

    location: float = option(0.5, "Where the jump is.", gt=0, lt=1)

    def draw(self, random: Random) -> tuple[Array, Array]:
        x = self.interval(random)
        return x, np.where(x > self.location, 1.0, -1.0)


@SOURCES.register("sines")
@component
class Sines(Generator):
    name = "sines"
    title = "Sum of sines"
    task = "regression"
    labels = ("y",)
    formula = r"y = \sum_{j=1}^{J} \tfrac1j \sin 2\pi j^2 x,\quad x\in[0,1]"
    description = "Waves of frequency 1, 4, 9 … with falling height: a spectrum of separate lines."

    terms: int = option(3, "Number of waves J.", ge=1, le=20)

    def draw(self, random: Random) -> tuple[Array, Array]:
        x, j = self.interval(random), np.arange(1, self.terms + 1)
        return x, (np.sin(2 * np.pi * j**2 * x) / j).sum(axis=1, keepdims=True)


@SOURCES.register("lissajous")
@component
class Lissajous(Generator):
    name = "lissajous"
    title = "Lissajous curve"
    task = "regression"
    labels = ("horizontal", "vertical")
    formula = r"y = (\sin 2\pi a x,\ \cos 2\pi b x),\quad x\in[0,1]"
    description = "Two targets of one input: a point that runs along a Lissajous curve."

    noise: float = option(0.05, "Standard deviation of the Gaussian noise on the targets.", ge=0, le=100)
    horizontal: int = option(3, "Swings to the side a.", ge=1, le=100)
    vertical: int = option(2, "Swings up and down b.", ge=1, le=100)

    def draw(self, random: Random) -> tuple[Array, Array]:
        t = 2 * np.pi * self.interval(random)
        return t / (2 * np.pi), np.concatenate([np.sin(self.horizontal * t), np.cos(self.vertical * t)], axis=1)


def gaussian_kernel(a: Array, b: Array, lengthscale: float) -> Array:
    """exp(−(a − b)²/(2ℓ²)) for all pairs of two lists of numbers."""
    return np.exp(-((a[:, None] - b[None, :]) ** 2) / (2 * lengthscale**2))


def gibbs_kernel(a: Array, b: Array, left: float, right: float) -> Array:
    """Gibbs's kernel for all pairs of two lists of numbers in [0, 1], with ℓ(x) = left^(1−x) right^x."""
    first, second = left ** (1 - a[:, None]) * right ** a[:, None], left ** (1 - b[None, :]) * right ** b[None, :]
    squares = first**2 + second**2
    return np.sqrt(2 * first * second / squares) * np.exp(-((a[:, None] - b[None, :]) ** 2) / squares)


@component
class GaussianProcess(Generator):
    """Base of the generators that draw a function from a kernel."""

    task = "regression"
    labels = ("y",)

    def kernel(self, a: Array, b: Array) -> Array:
        """The kernel of all pairs of two lists of numbers."""
        raise NotImplementedError

    def draw(self, random: Random) -> tuple[Array, Array]:
        """Points and the function at them.

        The function is drawn on a fixed grid, five grid points to the shortest length-scale, and joined by a
        cubic spline: more rows show more of the same function and need no larger matrix.
        """
        from scipy.interpolate import CubicSpline

        grid = np.linspace(0, 1, 501)
        # A smooth kernel's matrix is singular in double precision; a nugget of 1e-9 (3e-5 in f) makes it definite.
        factor = np.linalg.cholesky(self.kernel(grid, grid) + 1e-9 * np.eye(len(grid)))
        function = CubicSpline(grid, factor @ random.standard_normal(len(grid)))
        x = self.interval(random)
        return x, function(x)


@SOURCES.register("gp_stationary")
@component
class StationaryGP(GaussianProcess):
    name = "gp_stationary"
    title = "Stationary Gaussian process"
    formula = r"f\sim GP(0,k),\quad k(x,x') = \exp\left(-\tfrac{(x-x')^2}{2\ell^2}\right)"
    description = "A smooth random function that wiggles alike everywhere."
    source = "Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), eq. 4.9"

    lengthscale: float = option(0.05, "Length-scale ℓ on [0, 1].", ge=0.01, le=10, log=True)

    def kernel(self, a: Array, b: Array) -> Array:
        return gaussian_kernel(a, b, self.lengthscale)


@SOURCES.register("gp_nonstationary")
@component
class NonstationaryGP(GaussianProcess):
    name = "gp_nonstationary"
    title = "Non-stationary Gaussian process"
    formula = (
        r"k(x,x') = \sqrt{\tfrac{2\ell(x)\ell(x')}{\ell(x)^2+\ell(x')^2}}"
        r"\exp\left(-\tfrac{(x-x')^2}{\ell(x)^2+\ell(x')^2}\right),\quad \ell(x) = \ell_0^{1-x}\ell_1^{x}"
    )
    description = "A random function, slow on the left and quick on the right: its length-scale changes with x."
    source = "Gibbs (1997); Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), eq. 4.32"

    lengthscale_left: float = option(0.3, "Length-scale ℓ₀ at x = 0.", ge=0.01, le=10, log=True)
    lengthscale_right: float = option(0.02, "Length-scale ℓ₁ at x = 1.", ge=0.01, le=10, log=True)

    def kernel(self, a: Array, b: Array) -> Array:
        return gibbs_kernel(a, b, self.lengthscale_left, self.lengthscale_right)
