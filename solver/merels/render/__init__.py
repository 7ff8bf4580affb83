"""Pictures of boards and positions: plain text for a terminal, SVG for everything else.

Both are drawn from a board's coordinates, edges, lines and diagonals alone, so a board that a user wrote looks as
good as one of the rule book.
"""

from merels.render.svg import svg_picture
from merels.render.text import text_legend, text_picture

__all__ = ["svg_picture", "text_legend", "text_picture"]
