"""The reference engine: the rule book in plain Python, short, slow, and written to be checked by eye.

It judges the fast engine, and shares nothing with it but boards, rules, variants and states.
"""

from merels.reference.engine import Engine

__all__ = ["Engine"]
