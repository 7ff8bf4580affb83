"""What the machine has free is told rightly, in a container too, and asking never fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from merels import machine

MEMINFO = "MemTotal:  16000000 kB\nMemFree:   1000000 kB\nMemAvailable:  8000000 kB\nHugePages_Total:  0\n"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "meminfo").write_text(MEMINFO)
    return tmp_path / "proc"


def control_group(folder: Path, limit: str, used: int, reclaimable: int) -> Path:
    folder.mkdir()
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 17\ninactive_file {reclaimable}\n")
    return folder


def test_memory_that_is_available_counts_as_free(proc: Path, tmp_path: Path) -> None:
    assert machine.free_memory(proc, tmp_path / "none") == 8_000_000 * 1024


def test_limit_of_a_container_is_heeded(proc: Path, tmp_path: Path) -> None:
    group = control_group(tmp_path / "group", "1000", 700, 200)
    assert machine.free_memory(proc, group) == 500


def test_container_without_limit_leaves_what_the_machine_has(proc: Path, tmp_path: Path) -> None:
    group = control_group(tmp_path / "group", "max", 700, 200)
    assert machine.free_memory(proc, group) == 8_000_000 * 1024


def test_other_systems_count_half_of_all_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"SC_PHYS_PAGES": 100, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(machine.os, "sysconf", pages.__getitem__, raising=False)
    assert machine.free_memory(tmp_path, tmp_path) == 50 * 4096


def test_system_that_does_not_tell_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(machine.os, "sysconf", raising=False)
    monkeypatch.delattr(machine.os, "sched_getaffinity", raising=False)
    assert machine.free_memory(tmp_path, tmp_path) is None
    assert machine.processors() >= 1


def test_build_leaves_a_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, left in ((16 << 30, 2 << 30), (1 << 30, 256 << 20)):
        monkeypatch.setattr(machine, "free_memory", lambda free=free: free)
        assert machine.memory_for_a_build() == free - left
    for free, given in ((100 << 20, 0), (None, None)):
        monkeypatch.setattr(machine, "free_memory", lambda free=free: free)
        assert machine.memory_for_a_build() == given


def test_machine_is_told_in_words(proc: Path, tmp_path: Path) -> None:
    (proc / "cpuinfo").write_text("processor : 0\nmodel name : Abacus 9\n")
    assert machine.description(proc).startswith(f"Abacus 9, {machine.processors()} processors")
    assert machine.description(tmp_path / "none")
