"""A stand-in app for the chart's own tests: two charts updated at 2 Hz, one of them in a closed tab."""

from pathlib import Path

import streamlit as st

from kernlab.ui.serving import lifespan, routes

app = st.App(Path(__file__).with_name("chart_page.py"), routes=routes(), lifespan=lifespan)
