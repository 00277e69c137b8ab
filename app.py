"""The entry of the dashboard: ``streamlit run app.py``, or ``kernlab app`` from anywhere.

``st.App`` (rather than a page script) makes a cold server answer a deep link with that page inside the
app, and lets us serve plotly.js once for all charts.
"""

import streamlit as st

from kernlab.ui.server import share_heaps
from kernlab.ui.serving import MAIN, lifespan, middleware, routes

share_heaps()
app = st.App(MAIN, routes=routes(), middleware=middleware(), lifespan=lifespan)
