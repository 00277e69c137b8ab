"""Kernel lab: a spectral density to paint, and the kernel, the functions and the fit that follow from it at once."""

import streamlit as st

from kernlab.ui import lab
from kernlab.ui.heading import heading

heading("Kernel lab")
lab.show()
with st.expander("What is computed", icon=":material/function:"):
    st.markdown(lab.WORDS)
