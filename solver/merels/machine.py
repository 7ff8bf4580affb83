"""Machine: what it is, how many processors and how much memory a build may take here."""

from __future__ import annotations

import contextlib
import os
import platform
from pathlib import Path

MARGIN_SHARE, LEAST_MARGIN = 8, 256 << 20
"""What is left to the rest of the machine: an eighth of the free memory, and not less than 256 MiB."""

# Where Linux tells a container's limit and use (version 2, then version 1 of control groups).
_CONTROL_GROUPS = (
    ("memory.max", "memory.current", "memory.stat", "inactive_file"),
    (
        "memory/memory.limit_in_bytes",
        "memory/memory.usage_in_bytes",
        "memory/memory.stat",
        "total_inactive_file",
    ),
)


def description(proc: Path = Path("/proc")) -> str:
    """The machine in words: processor, how many of them, memory; as far as it tells."""
    try:
        lines = (proc / "cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    words = [name, f"{processors()} processors"]
    with contextlib.suppress(AttributeError, OSError, ValueError):
        words.append(f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / (1 << 30):.0f} GiB of memory")
    return ", ".join(words)


def processors() -> int:
    """Number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return os.cpu_count() or 1


def memory_for_a_build() -> int | None:
    """Bytes that a build may take, a margin left to others; None where the machine does not tell."""
    free = free_memory()
    return None if free is None else max(free - max(free // MARGIN_SHARE, LEAST_MARGIN), 0)


def free_memory(proc: Path = Path("/proc"), control_groups: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Bytes that can be had without swapping, a container's limit heeded; None where the machine does not tell.

    Parameters
    ----------
    proc, control_groups : Path
        Where Linux tells it. Elsewhere half of the whole memory is taken to be free.
    """
    found = [_meminfo(proc / "meminfo"), *(_in_container(control_groups, *names) for names in _CONTROL_GROUPS)]
    if found[0] is None:
        found[0] = _half_of_all()
    return min((free for free in found if free is not None), default=None)


def _meminfo(path: Path) -> int | None:
    try:
        lines = dict(line.split(":", 1) for line in path.read_text(encoding="ascii").splitlines() if ":" in line)
        return int(lines["MemAvailable"].split()[0]) << 10
    except (OSError, ValueError, KeyError, IndexError):
        return None


def _in_container(folder: Path, limit: str, used: str, statistics: str, reclaimable: str) -> int | None:
    try:
        room = int((folder / limit).read_text()) - int((folder / used).read_text())
        lines = dict(line.split() for line in (folder / statistics).read_text().splitlines())
        return max(room + int(lines.get(reclaimable, 0)), 0)
    except (OSError, ValueError):  # no such file, or "max": no limit
        return None


def _half_of_all() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return None
