"""Metric: what a table tells of its positions."""

DTW = "DTW"
"""The depth to win: distances in plies."""
WDL = "WDL"
"""The value (win, draw, loss) alone."""
DTD = "DTD"
"""The depth to decision, of a game for three: plies until one player has won or is out. Codes are ``2 * plies``, and 1 more for won."""

CODES_A_PLY = {DTW: 1, WDL: 1, DTD: 2}
"""By how much the code of a value grows with each ply; always odd: won, even: lost."""


def full_metric(players: int) -> str:
    """The metric of tables that tell all there is to tell of a game for so many players."""
    return DTD if players == 3 else DTW
