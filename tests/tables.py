"""Tables as people have them, made by generators: mixed types, missing values, categories, dates, identifiers."""

from __future__ import annotations

import io

import numpy as np


def patients(rows=300, seed=0):
    """CSV: who comes back to hospital. Words, numbers with gaps, a date, an identifier, yes/no."""
    rng = np.random.default_rng(seed)
    out = io.StringIO()
    out.write("patient_id,admitted,age,ward,blood pressure,smoker,returned\n")
    for k in range(rows):
        age, smoker = rng.integers(18, 95), rng.random() < 0.3
        pressure = "" if rng.random() < 0.1 else f"{rng.normal(125 + age / 10, 12):.1f}"
        ward = rng.choice(["surgery", "heart", "lungs", "NA"], p=[0.4, 0.3, 0.25, 0.05])
        back = rng.random() < 1 / (1 + np.exp(-(age - 60) / 8 - 2 * smoker))
        day = np.datetime64("2023-01-01") + rng.integers(0, 700)
        out.write(f"P{k:05d},{day},{age},{ward},{pressure},{'yes' if smoker else 'no'},{'yes' if back else 'no'}\n")
    return "patients.csv", out.getvalue().encode()


def flats(rows=300, seed=1):
    """German spreadsheet: semicolons, decimal commas, a byte-order mark, CRLF; the rent is to be predicted."""
    rng = np.random.default_rng(seed)
    lines = ["Fläche;Zimmer;Bezirk;Balkon;Miete"]
    for _ in range(rows):
        area, district = rng.uniform(25, 140), rng.choice(["Mitte", "Süd", "Nord", "Ost"])
        rent = area * (11 + 4 * (district == "Mitte")) + rng.normal(0, 40)
        shown = "" if rng.random() < 0.05 else f"{area:.1f}".replace(".", ",")
        lines.append(
            f"{shown};{max(1, round(area / 28))};{district};{rng.choice(['ja', 'nein'])};{rent:.2f}".replace(".", ",")
        )
    return "wohnungen.csv", ("\ufeff" + "\r\n".join(lines)).encode()


def sensors(rows=400, seed=2):
    """Tab-separated, without names: six measurements, a constant, a copy of one, and a machine's state 0/1/2."""
    rng = np.random.default_rng(seed)
    state = rng.integers(0, 3, rows)
    X = rng.normal(size=(rows, 6)) + state[:, None] * [1, 0, 2, 0, 0, 0.5]
    X[rng.random(X.shape) < 0.03] = np.nan
    lines = []
    for x, k in zip(X, state, strict=True):
        cells = ["?" if np.isnan(each) else f"{each:.4f}" for each in x]
        lines.append("\t".join([*cells, "7", cells[2], str(k)]))
    return "sensors.tsv", "\n".join(lines).encode()


TABLES = {"patients": patients, "flats": flats, "sensors": sensors}
