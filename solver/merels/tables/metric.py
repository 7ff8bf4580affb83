"""Metric: what a table tells of its positions."""

DTW = "DTW"
"""The depth to win: distances in plies."""
WDL = "WDL"
"""The value (win, draw, loss) alone."""
