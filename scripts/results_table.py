#!/usr/bin/env python3
"""Print the README's table of results, from the files of results that come with merels.

    python scripts/results_table.py
"""

from __future__ import annotations

from merels.cli.wording import duration_text, size_text
from merels.known.results import Results, shipped
from merels.variants import variant, variant_names

HEADER = "| game | start | positions | longest win, loss | time | memory | disk |\n|---|---|---|---|---|---|---|"


def row(results: Results) -> str:
    """The row of a variant: the start's value (distance in plies), positions, longest distances, and what the build took.

    Where a part of the game was built its options stand in place of the value.
    """
    start, total, build = results.start, results.total, results.build
    if start is None:
        worth = build["command"].removeprefix(f"merels solve {results.variant} ").replace("--subspace ", "up to ")
    else:
        worth = start["value"] if start["dtw"] is None else f"{start['value']} in {start['dtw']}"
    cells = [results.variant, worth, f"{total['positions']:,}", f"{total['max_win']}, {total['max_loss']}"]
    cells += [duration_text(build["seconds"]), size_text(build["peak_memory_bytes"]), size_text(build["bytes"])]
    return f"| {' | '.join(cells)} |"


def table() -> str:
    """The whole table, in the order of the variants."""
    found = (shipped(variant(name)) for name in variant_names())
    return "\n".join([HEADER, *(row(results) for results in found if results is not None)])


if __name__ == "__main__":
    print(table())
