import numpy as np
import pandas  # noqa: F401  # as kernlab.pictures.theme: whole before the first figure
import plotly.graph_objects as go
import streamlit as st

from kernlab.ui.chart import live_chart


@st.fragment(run_every=0.4)
def live() -> None:
    st.session_state["n"] = n = st.session_state.get("n", 0) + 1
    x = np.linspace(0, 10, 300, dtype=np.float32)
    lines = [
        go.Scatter(x=x, y=np.sin(x + n / 10), name="sine", mode="lines"),
        go.Scatter(x=[0.0, 10.0], y=[n, n], name="line"),
    ]
    seen, hidden = st.tabs(["Seen", "Hidden"])
    with seen:
        state = live_chart(go.Figure(lines), key="curves", alt="A sine that moves", events=["click"])
        st.text(f"clicked {state.click['curve'] if state.click else 'nothing'}")
    with hidden:
        z = np.outer(np.sin(x[:30]), np.cos(x[:20])).astype(np.float32)
        live_chart(go.Figure(go.Heatmap(z=z)), key="map", alt="A map", height=250)
    st.text(f"tick {n}")


live()
