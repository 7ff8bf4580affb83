"""Packing: the values of value-only tables as files hold them, five cells in a byte.

Five rows make one row of bytes: the cells of one column in rows 5k to 5k + 4 are digits to base 3, the first row's digit
the lowest. Neighbouring rows are the same positions but for a stone of the player who waits, so that equal bytes, and equal
strings of them, are frequent; tablebases/README.md has the measurements.
"""

from __future__ import annotations

import numpy as np

ROWS_TOGETHER = 5
"""Rows of cells in a row of bytes."""
LARGEST = 3**ROWS_TOGETHER - 1
"""Largest byte that five digits make."""


def _digits() -> np.ndarray:
    numbers = np.arange(256)[:, None] // 3 ** np.arange(ROWS_TOGETHER) % 3
    return np.array([0, 1, 255], np.uint8)[numbers]


_CODES: np.ndarray = _digits()  # (256, 5): what each byte says of its five cells


def pack(values: np.ndarray) -> np.ndarray:
    """Bytes of a value-only table.

    Parameters
    ----------
    values : uint8, (rows, columns): 0 lost, 1 won, 255 drawn.

    Returns
    -------
    uint8, (rows / 5 rounded up, columns). Rows that the last one lacks count as lost.
    """
    rows, columns = values.shape
    digits = np.minimum(values, 2)
    packed = np.zeros((-(-rows // ROWS_TOGETHER), columns), np.uint8)
    for place in reversed(range(ROWS_TOGETHER)):
        part = digits[place::ROWS_TOGETHER]
        packed *= 3
        packed[: part.shape[0]] += part
    return packed


def unpack(packed: np.ndarray, values: np.ndarray) -> None:
    """The reverse of `pack`: writes the codes into ``values`` (uint8, modified in place, its shape tells the rows)."""
    rest = packed
    for place in range(ROWS_TOGETHER):
        part = values[place::ROWS_TOGETHER]
        higher = rest // 3
        digit = rest - higher * 3
        part[...] = (digit | np.negative(digit >> 1))[: part.shape[0]]
        rest = higher


def unpack_cells(packed: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Codes (uint8) of single cells: ``packed`` has their bytes, ``places`` the numbers of their rows in these (0 to 4)."""
    return _CODES[packed, places]
