"""The measuring commands run on the smallest games and write records that can be compared."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def bench(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "bench"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def measured(folder: Path, name: str, *arguments: object) -> tuple[str, dict[str, Any]]:
    """What a command prints, and its record."""
    target = folder / f"{name}.json"
    ended = bench(name, *arguments, "--json", target)
    assert ended.returncode == 0, ended.stderr
    content = json.loads(target.read_text())
    assert list(content) == ["bench", "arguments", "date", "versions", "machine", "figures"]
    assert content["bench"] == name
    assert list(content["versions"]) == ["merels", "python", "numba", "numpy", "h5py"]
    assert list(content["machine"]) == ["processor", "threads", "cores", "memory_bytes", "system"]
    return ended.stdout, content


def test_builds_are_measured_by_threads_and_compared_with_kept_figures(tmp_path: Path) -> None:
    _, content = measured(tmp_path, "builds", "three", "--jobs", 1)
    own = content["figures"]["threads"]["1"]
    assert (own["slots"], own["positions"]) == (812, 564)
    assert own["wall_seconds"] > 0 and own["processor_seconds"] > 0
    assert own["slots_per_second"] == pytest.approx(812 / own["wall_seconds"], rel=0.01)

    kept = tmp_path / "kept.json"
    own["wall_seconds"] /= 2
    content["machine"]["processor"] = "Another"
    kept.write_text(json.dumps(content))
    shown = bench("compare", tmp_path / "builds.json", "--with", kept).stdout.splitlines()
    assert any(line.startswith("differs: machine, processor: kept Another, new ") for line in shown)
    ratios = {" ".join(line.split()[:-3]): line.split()[-1] for line in shown if line.startswith("threads")}
    assert (ratios["threads 1 wall_seconds"], ratios["threads 1 slots"]) == ("2.000", "1.000")

    content["bench"] = "phases"
    kept.write_text(json.dumps(content))
    ended = bench("compare", tmp_path / "builds.json", "--with", kept)
    assert ended.returncode == 1 and "holds figures of phases" in ended.stderr
    kept.write_text("{}")
    ended = bench("compare", kept)
    assert ended.returncode == 1 and "is no record of a measurement" in ended.stderr


def test_phases_are_measured_beside_what_the_machine_gains(tmp_path: Path) -> None:
    _, content = measured(tmp_path, "phases", "three")
    figures = content["figures"]
    assert list(figures) == ["build", "phases", "machine"]
    assert list(figures["build"]) == ["1", "2"]
    whole = figures["phases"]["whole build"]
    assert whole["speed_up"]["2"] == pytest.approx(whole["seconds"]["1"] / whole["seconds"]["2"], rel=0.01)
    assert list(figures["machine"]) == ["compute", "stream through memory", "read at random places"]
    assert all(set(loop["seconds"]) == {"1", "2"} and loop["speed_up"]["2"] > 0 for loop in figures["machine"].values())


def test_units_are_read_from_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "bench"))
    from runs import units_of

    tables = {"3-3-0-0": {"slots": 7}, "4-3-0-0": {"slots": 5}, "3-4-0-0": {"slots": 6}, "3-3-1-0": {"slots": 9}}
    units = {"3-3-0-0": ("3-3-0-0",), "4-3-0-0": ("4-3-0-0", "3-4-0-0"), "3-3-1-0": ("3-3-1-0",)}
    described = {name: {"subspaces": {part: tables[part] for part in parts}} for name, parts in units.items()}
    (tmp_path / "manifest.json").write_text(json.dumps({"units": described}))
    lines = [
        {"unit": "3-3-0-0", "seconds": 1.0, "phases": {"sweeps": {"wall": 0.5, "busy": 1.0}}},
        {"unit": "4-3-0-0", "seconds": 2.0, "phases": {}},
        {"unit": "3-3-1-0", "seconds": 0.5, "phases": {}},
    ]
    (tmp_path / "build.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    read = units_of(tmp_path)
    assert [(unit.name, unit.slots, unit.placing) for unit in read] == [
        ("3-3-0-0", 7, False),
        ("4-3-0-0", 11, False),
        ("3-3-1-0", 9, True),
    ]
    assert read[0].phases == {"sweeps": {"wall": 0.5, "busy": 1.0}}


def test_variants_are_measured_against_nine(tmp_path: Path) -> None:
    shown, content = measured(tmp_path, "variants", "three", "five", "--slots", 600_000)
    figures = content["figures"]
    assert list(figures) == ["nine", "three", "five"]
    assert (figures["three"]["part"], figures["nine"]["part"]) == ("whole game", "up to 6 stones")
    for own in figures.values():
        for kind in ("moving", "placing"):
            rates = own[kind]
            assert rates["slots_per_second"] > 0
            measure = figures["nine"][kind]["slots_per_second"]
            assert rates["of_nine"] == pytest.approx(rates["slots_per_second"] / measure, rel=0.01)
    assert figures["three"]["moving"]["slots"] + figures["three"]["placing"]["slots"] == 812
    assert [line.split()[0] for line in shown.splitlines()[1:]] == list(figures)
    ended = bench("variants", "spatial-three")
    assert ended.returncode == 1 and "for two players only" in ended.stderr and "Traceback" not in ended.stderr


def test_probes_are_measured_cold_warm_and_loaded(small_games: Path, tmp_path: Path) -> None:
    _, content = measured(tmp_path, "probes", "three", "--store", small_games, "--single", 3, "--many", 1000)
    figures = content["figures"]
    assert list(figures["single"]) == [
        "from the disk",
        "cold",
        "warm",
        "all turns, cold",
        "all turns, warm",
        "opening a file",
        "unpacking a chunk",
    ]
    for spread in (*figures["single"].values(), *figures["processes"].values()):
        assert 0 < spread["median_seconds"] <= spread["percentile_95_seconds"]
    assert list(figures["many"]) == ["from the disk", "cold", "warm", "loading the tables", "loaded"]
    for name, run in figures["many"].items():
        assert run["seconds"] > 0 and ("positions_per_second" in run) == (name != "loading the tables")
    ended = bench("probes", "six", "--store", tmp_path)
    assert ended.returncode == 1 and "no tables with empty hands" in ended.stderr
