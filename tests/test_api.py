"""What programs import from merels: light until it is used, complete, and clear about what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import merels
from merels.errors import InputError, MerelsError


def test_import_costs_nothing_until_it_is_used() -> None:
    program = (
        "import sys, merels\n"
        "merels.Position.start(merels.variant('nine')).play('d6')\n"
        "merels.Subspace(3, 3, 0, 0), merels.solve\n"
        "print(*{'numba', 'numpy', 'h5py'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "\n"


def test_every_public_name_is_there() -> None:
    assert dir(merels) == sorted(merels.__all__)
    for name in merels.__all__:
        assert getattr(merels, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'unheard_of'"):
        merels.unheard_of  # noqa: B018


def test_every_error_is_one_of_merels_and_has_an_exit_code() -> None:
    errors = [getattr(merels, name) for name in merels.__all__ if name.endswith("Error")]
    assert all(issubclass(error, MerelsError) and error.exit_code in (1, 2) for error in errors)


def test_solve_builds_once_and_takes_parts(tmp_path: Path) -> None:
    first = merels.solve("three", tmp_path, jobs=1)
    again = merels.solve(merels.variant("three"), tmp_path)
    assert (first.solved, first.skipped, again.solved, again.skipped) == (7, 0, 0, 7)
    part = merels.solve("six", tmp_path, subspaces=[merels.Subspace(3, 3, 0, 0)])
    more = merels.solve("six", tmp_path, moving=True, stones=7)
    assert (part.solved, more.solved, more.skipped) == (1, 1, 1)
    with merels.open_tablebase(tmp_path, "three") as tables:
        assert tables.probe(merels.Position.start(tables.variant)) == ("win", 9)


def test_solve_refuses_what_has_no_tables(tmp_path: Path) -> None:
    with pytest.raises(merels.RulesError) as refused:
        merels.solve(merels.variant("spatial-extended", rules={"repeat_mill": "different"}), tmp_path)
    assert refused.value.field == "men"
    with pytest.raises(merels.LimitError, match="stones in hand"):
        merels.solve("spatial-three", tmp_path)
    with pytest.raises(InputError):
        merels.solve("three", tmp_path, subspaces=["9-9-0-0"])
    assert not list(tmp_path.iterdir())
