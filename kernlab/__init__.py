"""See kernel learning: train, watch and compare spectral kernels."""
