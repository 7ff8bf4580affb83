"""Commands that set our numbers beside those of others, and keep them: known, results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merels.cli.common import command, json_option, print_json, variant_argument
from merels.cli.options import jobs_option, store_option
from merels.cli.wording import columns_text
from merels.solvable import require_solvable, require_two_players

if TYPE_CHECKING:
    from merels.known.comparing import Comparison
    from merels.variants import Variant

_SHOWN_NAMES = 6


@command("known", example="merels known\nmerels known six twelve --store /data/tables")
@click.argument("names", metavar="[VARIANT]...", nargs=-1)
@store_option
@click.option("--long", is_flag=True, help="Also count the positions that play comes to on two rings; takes minutes and gigabytes.")
@jobs_option
@json_option
def known(names: tuple[str, ...], root: Path, long: bool, jobs: int, as_json: bool) -> None:
    """Set published and independently computed numbers beside ours.

    Ours are from the tables in the store, else from the results of full builds that come with the program, else counted
    or played without tables. "not built" tells the command that builds what is missing. VARIANT limits the list to some
    variants and those derived from them.
    """
    from merels.known.comparing import compare_all
    from merels.known.facts import load
    from merels.known.ours import Ours
    from merels.variants import variant

    facts, left_out = load()
    chosen = [variant(name) for name in names]
    facts = tuple(fact for fact in facts if not chosen or any(fact.is_about(one) for one in chosen))
    comparisons = list(compare_all(facts, Ours(root, jobs, long)))
    verdicts = [comparison.verdict for comparison in comparisons]
    totals = {verdict: verdicts.count(verdict) for verdict in ("equal", "different", "explained", "not built")}
    if as_json:
        print_json(
            {
                "variants": [one.name for one in chosen],
                "comparisons": [_record(comparison) for comparison in comparisons],
                "total": totals,
                "not_comparable": [] if chosen else [{"id": f.id, "quantity": f.quantity, "reason": f.reason} for f in left_out],
            }
        )
        return
    if comparisons:
        click.echo(_text(comparisons))
    told = (f"{number} {verdict}" for verdict, number in totals.items() if number or verdict != "explained")
    click.echo(", ".join(told) + ".")
    if not chosen:
        rows = [("left out", "quantity", "why"), *((f.id, f.quantity, f.reason) for f in left_out)]
        click.echo(f"\n{columns_text(rows, 'lll')}")


@command("results", example="merels results six\nmerels results six --output six.json")
@variant_argument
@store_option
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write to this file.")
def results(variant: Variant, root: Path, output: Path | None) -> None:
    """Write what a build found as a small JSON file.

    It has the value of the start and of its turns, one of those that symmetries make equal (null where only a part of the game was built),
    and of every subspace the counts, the longest win and loss and the SHA-256 of the values; and what the build took, so run it on the
    machine that built.
    """
    require_solvable(variant)
    require_two_players(variant, "results are kept")
    from merels.known.results import collect, text
    from merels.machine import processors
    from merels.tables import Store

    content = text(collect(Store(root, variant), processors()))
    if output is None:
        click.echo(content, nl=False)
    else:
        output.write_text(content, encoding="utf-8")


def _record(comparison: Comparison) -> dict[str, Any]:
    fact = comparison.fact
    return {
        "id": fact.id,
        "variant": fact.variant_name,
        "quantity": fact.quantity,
        "theirs": fact.value,
        "ours": comparison.value,
        "ours_from": comparison.origin,
        "verdict": comparison.verdict,
        "compared": comparison.compared,
        "equal": comparison.equal,
        "differing": list(comparison.differing),
        "explanation": fact.explained,
        "command": comparison.command,
        "kind": fact.kind,
        "source": fact.source,
        "note": fact.note,
    }


def _text(comparisons: list[Comparison]) -> str:
    rows = [("verdict", "id", "variant", "quantity", "theirs", "ours", "from", "source")]
    for comparison in comparisons:
        fact = comparison.fact
        theirs, ours = _cells(comparison)
        rows.append(
            (comparison.verdict, fact.id, fact.variant_name, fact.quantity, theirs, ours, comparison.origin or "", fact.source)
        )
    lines = columns_text(rows, "llllllll").split("\n")
    shown = [lines[0]]
    for line, comparison in zip(lines[1:], comparisons, strict=True):
        shown.append(line)
        shown += [f"  {remark}" for remark in _remarks(comparison)]
    return "\n".join(shown)


def _cells(comparison: Comparison) -> tuple[str, str]:
    theirs, ours = comparison.fact.value, comparison.value
    if not isinstance(theirs, dict):
        return _one(theirs), "" if ours is None else _one(ours)
    if set(theirs) <= {"value", "dtw"}:
        return _worth(theirs), "" if ours is None else _worth(ours)
    count = f"{len(theirs)} numbers"
    return count, "" if ours is None else f"{comparison.equal} of {comparison.compared} equal"


def _remarks(comparison: Comparison) -> list[str]:
    fact, found = comparison.fact, []
    for name in comparison.differing[:_SHOWN_NAMES]:
        found.append(f"{name}: theirs {_one(fact.value[name])}, ours {_one(comparison.value[name])}")
    if len(comparison.differing) > _SHOWN_NAMES:
        found.append(f"and {len(comparison.differing) - _SHOWN_NAMES} more")
    if comparison.verdict in ("different", "explained"):
        found += [text for text in (fact.explained, fact.note) if text]
    if comparison.verdict == "not built":
        found.append(f"build it with: {comparison.command}")
    elif comparison.command:
        missing = (len(fact.value) if isinstance(fact.value, dict) else 1) - comparison.compared
        found.append(f"{missing} more are not compared; they take: {comparison.command}")
    return found


def _one(value: Any) -> str:
    if isinstance(value, dict):
        return f"a histogram of {len(value)} bins"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _worth(worth: dict[str, Any]) -> str:
    return worth["value"] if worth.get("dtw") is None else f"{worth['value']} {worth['dtw']}"
