"""What stats --against prints: two rule sets side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merels.cli.common import print_json
from merels.cli.wording import columns_text, plies_text

if TYPE_CHECKING:
    from merels.subspaces import Subspace
    from merels.tables import Probe, Store
    from merels.tables.changes import Changes
    from merels.tables.differences import Compared, Differences

_NOTE = "For the player to move. longer, shorter: as before won or lost, but in more or fewer plies."


def against_options(function: Any) -> Any:
    """Add --against, --against-store and --examples; the function gets `against`, `against_root` and `examples`."""
    against = click.option(
        "--against",
        metavar="VARIANT2",
        help="Compare position by position with the tables of another variant on the same board: how many wins become draws, and so on. "
        "A derived variant is named as in six+flying=3; --men and --rule change VARIANT alone.",
    )
    root = click.option(
        "--against-store",
        "against_root",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Folder with the tables of VARIANT2. Default: that of --store.",
    )
    examples = click.option(
        "--examples",
        type=click.IntRange(min=0),
        metavar="N",
        help="With --against: show at most N positions of each kind of change in a subspace, of different distances. Default: 1.",
    )
    return against(root(examples(function)))


def show_differences(store: Store, other: Store, subspaces: list[Subspace], jobs: int, examples: int, as_json: bool) -> None:
    """Compare the tables of two stores and print what differs; on standard error, what is left out."""
    from merels.cli.progress import progress
    from merels.tables.differences import compare_stores, left_out_lines

    with progress() as reporter:
        differences = compare_stores(store, other, subspaces, jobs, examples, reporter)
    if as_json:
        print_json(_record(differences))
    else:
        click.echo(_text(differences))
    for line in left_out_lines(differences.left_out):
        click.echo(f"merels: {line}", err=True)


def _record(differences: Differences) -> dict[str, Any]:
    one, two = differences.one, differences.two
    return {
        "variant": one.name,
        "fingerprint": one.fingerprint,
        "against": {"variant": two.name, "fingerprint": two.fingerprint},
        "subspaces": [
            {
                "name": compared.subspace.name,
                "metric": compared.metrics[0],
                "against_metric": compared.metrics[1],
                **_numbers(compared.changes),
                "examples": [
                    {
                        "position": str(example.position),
                        "value": example.one.value,
                        "dtw": example.one.dtw,
                        "against_value": example.two.value,
                        "against_dtw": example.two.dtw,
                    }
                    for example in compared.examples
                ],
            }
            for compared in differences.subspaces
        ],
        "total": _numbers(differences.total),
        "left_out": [
            {"name": gone.subspace.name, "variant": gone.store.variant.name, "reason": gone.reason, "command": gone.command}
            for gone in differences.left_out
        ],
    }


def _numbers(changes: Changes) -> dict[str, Any]:
    shifts = changes.distances
    return {
        "positions": changes.positions,
        "values": changes.values,
        "distances": None
        if shifts is None
        else {
            value: {
                "longer": shift.longer,
                "shorter": shift.shorter,
                "most_longer": shift.most_longer,
                "most_shorter": shift.most_shorter,
            }
            for value, shift in shifts.items()
        },
    }


def _text(differences: Differences) -> str:
    one, two = differences.one.name, differences.two.name
    rows = [("subspace", one, "positions", "win", "draw", "loss", "longer", "by up to", "shorter", "by up to")]
    for compared in differences.subspaces:
        rows += _rows(compared.subspace.name, compared.changes)
    rows += _rows("total", differences.total)
    parts = [f"{one} (down) against {two} (across). {_NOTE}", columns_text(rows, "ll" + "r" * 8)]
    examples = [cells for compared in differences.subspaces for cells in _examples(compared)]
    if examples:
        parts.append(columns_text([("subspace", "example", one, two), *examples], "llll"))
    without = sum(compared.changes.distances is None for compared in differences.subspaces)
    if without:
        parts.append(f"In {without} of {len(differences.subspaces)} subspaces values alone were compared: tables hold no distances.")
    return "\n\n".join(parts)


def _rows(name: str, changes: Changes) -> list[tuple[str, ...]]:
    """A line for each value that positions have under the first rules."""
    rows = []
    for value, row in changes.values.items():
        positions = sum(row.values())
        if not positions:
            continue
        cells = (value, f"{positions:,}", *(f"{number:,}" for number in row.values()))
        shift = None if changes.distances is None else changes.distances.get(value)
        distances = ("",) * 4
        if shift is not None:
            distances = (f"{shift.longer:,}", _most(shift.most_longer), f"{shift.shorter:,}", _most(shift.most_shorter))
        rows.append(("" if rows else name, *cells, *distances))
    return rows


def _most(plies: int | None) -> str:
    return "-" if plies is None else str(plies)


def _examples(compared: Compared) -> list[tuple[str, ...]]:
    rows = []
    for example in compared.examples:
        name = "" if rows else compared.subspace.name
        rows.append((name, str(example.position), _worth(example.one), _worth(example.two)))
    return rows


def _worth(probe: Probe) -> str:
    return probe.value if probe.dtw is None else f"{probe.value} in {plies_text(probe.dtw)}"
