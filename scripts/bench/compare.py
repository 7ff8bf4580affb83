"""Comparison of a record with one kept from an earlier run, figure by figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from merels.cli.wording import columns_text
from record import KEPT, leaves


@click.command()
@click.argument("new", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--with",
    "old",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The earlier record. Default: the one in the folder figures that is named after the kind of measurement.",
)
def compare(new: Path, old: Path | None) -> None:
    """Print the figures of a record beside those kept from an earlier run, with ratios (new by kept).

    Figures that only one of the two has are left out, and counted. To keep a record, copy it into the folder figures.
    """
    now = _read(new)
    old = old or KEPT / f"{now['bench']}.json"
    if not old.exists():
        raise click.ClickException(f"{old}: no figures are kept; name an earlier record with --with, or keep this one there")
    kept = _read(old)
    if kept["bench"] != now["bench"]:
        raise click.ClickException(f"{old}: holds figures of {kept['bench']}, {new} of {now['bench']}")
    for part in ("arguments", "machine", "versions"):
        for name in dict.fromkeys((*kept[part], *now[part])):
            before, after = kept[part].get(name), now[part].get(name)
            if before != after:
                click.echo(f"differs: {part}, {name}: kept {before}, new {after}")
    click.echo(f"kept {kept['date']}, new {now['date']}")
    before, after = dict(leaves(kept["figures"])), dict(leaves(now["figures"]))
    rows = [("figure", "kept", "new", "ratio")]
    for name, value in after.items():
        if name in before:
            ratio = f"{value / before[name]:.3f}" if before[name] else ""
            rows.append((name, _number(before[name]), _number(value), ratio))
    click.echo(columns_text(rows, "lrrr"))
    alone = len(set(before) ^ set(after))
    if alone:
        click.echo(f"{alone} figures are in one of the two only")


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) or value >= 1000 else f"{value:.4g}"


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise click.ClickException(f"{path}: is no JSON ({error})") from None
    parts = ("bench", "date", "arguments", "machine", "versions", "figures")
    if not isinstance(content, dict) or any(part not in content for part in parts):
        raise click.ClickException(f"{path}: is no record of a measurement; write one with --json")
    return content
