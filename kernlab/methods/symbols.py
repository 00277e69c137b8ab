"""The symbols that the papers write for options: a run's name has D = 50 where its command has n_features=50."""

from __future__ import annotations

__all__ = ["SYMBOLS"]

SYMBOLS = {
    "n_features": "D",
    "trace_norm": "λ₁",
    "frobenius": "λ₁ of ‖W‖²",
    "feature_norm": "λ₂",
    "learning_rate": "η",
    "batch_size": "m",
    "frequency_scale": "σ",
    "epsilon": "ε",
    "nu": "ν",
    "rho": "ρ",
    "gamma": "γ",
    "omega_0": "ω₀",
}
