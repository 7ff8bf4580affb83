"""The version of merels: the one place that names it (pyproject.toml reads it from here)."""

__version__ = "0.1.0"
