"""Record of a measurement: its figures with the machine, the versions and the date, as one JSON object.

``figures`` is a tree of objects whose leaves are numbers; names of leaves tell the units (``wall_seconds``). Compared are leaves
of the same path.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

import merels
from merels.machine import processors

LIBRARIES = ("numba", "numpy", "h5py")
KEPT = Path(__file__).parent / "figures"
"""Where figures of earlier runs are kept."""

Function = Callable[..., Any]
Figures = Mapping[str, Any]


def json_option(function: Function) -> Function:
    """Add --json; the function gets `target`, the path of a file or None."""
    return click.option(
        "--json", "target", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the record here as well."
    )(function)


def jobs_option(function: Function) -> Function:
    """Add --jobs, which may be given several times; the function gets `jobs`, by default (1, 2)."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        multiple=True,
        default=(1, 2),
        show_default=True,
        metavar="N",
        help="Threads; may be given several times.",
    )(function)


def repeat_option(function: Function) -> Function:
    """Add --repeat; the function gets `repeat`."""
    return click.option(
        "--repeat",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Measure so many times and take the fastest.",
    )(function)


def record(bench: str, arguments: Mapping[str, Any], figures: Figures) -> dict[str, Any]:
    """The record of a measurement.

    Parameters
    ----------
    bench : the command that measured.
    arguments : what was measured.
    figures : what came out.
    """
    return {
        "bench": bench,
        "arguments": dict(arguments),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "machine": machine(),
        "figures": dict(figures),
    }


def save(target: Path | None, content: Mapping[str, Any]) -> None:
    """Write a record, if a file is given."""
    if target is not None:
        target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def versions() -> dict[str, str]:
    """Versions of merels, Python and the libraries that do the work."""
    return {"merels": merels.__version__, "python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


def machine(proc: Path = Path("/proc")) -> dict[str, Any]:
    """Facts of the machine; None where it does not tell.

    Parameters
    ----------
    proc : where Linux tells them.

    Returns
    -------
    dict
        ``processor``: its name; ``threads``: processors that this process may use; ``cores``: physical cores of the machine,
        fewer than threads where two share a core; ``memory_bytes``; ``system``.
    """
    fields = list(_fields(proc / "cpuinfo"))
    names = [value for key, value in fields if key == "model name"]
    sockets = [value for key, value in fields if key == "physical id"]
    cores = [value for key, value in fields if key == "core id"]
    memory = dict(_fields(proc / "meminfo")).get("MemTotal")
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "threads": processors(),
        "cores": len(set(zip(sockets, cores, strict=False))) or None,
        "memory_bytes": int(memory.split()[0]) << 10 if memory else None,
        "system": f"{platform.system()} {platform.machine()}",
    }


def leaves(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, float]]:
    """Path and value of every number in a tree of objects, in order."""
    if isinstance(tree, Mapping):
        for name, branch in tree.items():
            yield from leaves(branch, (*path, str(name)))
    elif isinstance(tree, int | float) and not isinstance(tree, bool):
        yield " ".join(path), tree


def rounded(number: float) -> float:
    """A figure in the digits that mean something."""
    return float(f"{number:.4g}")


def _fields(path: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        key, colon, value = line.partition(":")
        if colon:
            yield key.strip(), value.strip()
