"""Retrograde analysis: one work unit solved with the kernels (`unit`), and the whole graph of units in order (`build`)."""
