"""How kernels are compiled and cached.

A cached kernel is machine code in which helper functions of other files are inlined, and Numba's cache does not notice when one of
those files changes. The cache folder is therefore named after the content of every file that takes part, the library versions and
the processor path (fast or portable): stale code cannot be found, let alone run.

Kernels allocate nothing: scratch comes in as arrays. Numba's reference counting is therefore switched off; left on, its atomic counters
take half the time of the sweeps (measured on a 2-core AMD EPYC, Zen 4, 2026-11-30).
"""

import hashlib
import os
import shutil
from pathlib import Path

import llvmlite
import llvmlite.binding
import numba
import numpy as np
from numba.extending import overload

_SLOW_DEPOSIT_EXTRACT = ("znver1", "znver2")  # PEXT/PDEP are microcoded there: tens of cycles each
_KEPT_CACHES = 4


def _portable() -> bool:
    """Whether bit extraction goes through tables: asked for by ``MERELS_PORTABLE=1``, or the processor lacks a fast PEXT."""
    choice = os.environ.get("MERELS_PORTABLE", "")
    if choice not in ("", "0"):
        return True
    features = llvmlite.binding.get_host_cpu_features()
    return not features.get("bmi2", False) or llvmlite.binding.get_host_cpu_name() in _SLOW_DEPOSIT_EXTRACT


PORTABLE: bool = _portable()


def _cache_home() -> Path:
    configured = os.environ.get("MERELS_CACHE_DIR")
    if configured:
        return Path(configured)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "merels"


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    cpu = llvmlite.binding.get_host_cpu_name()
    digest.update(repr((numba.__version__, llvmlite.__version__, np.__version__, cpu, PORTABLE, str(Path(__file__).parent))).encode())
    return digest.hexdigest()[:24]


def _cache_folder() -> str | None:
    """The folder of this very code, or None where nothing can be written (compilation then happens in every process)."""
    home = _cache_home()
    folder = home / f"kernels-{_fingerprint()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        others = sorted(home.glob("kernels-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return None
    for old in others[_KEPT_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)
    return str(folder)


CACHE_FOLDER: str | None = _cache_folder()


def nothing_compiled() -> bool:
    """Whether no kernel of this very code is kept yet, so that all that are needed have to be compiled."""
    return CACHE_FOLDER is None or not any(Path(CACHE_FOLDER).rglob("*.nbi"))


_OPTIONS = {"nogil": True, "_nrt": False}


def kernel(function):
    """Compile ``function`` on first use, without the GIL, and keep the machine code on disk."""
    if CACHE_FOLDER is None:
        return numba.njit(**_OPTIONS)(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = CACHE_FOLDER
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)
    finally:
        numba.config.CACHE_DIR = before


def inlined(function):
    """A helper of kernels: compiled into each of its callers."""
    return numba.njit(forceinline=True, **_OPTIONS)(function)


def chosen_by_type(function):
    """Decorate a chooser of helpers: it gets the types of the arguments of ``function`` and returns what kernels run: that, or another.

    So kernels that differ in one step, by the layout of what they are given, are the same source.
    """
    return overload(function, jit_options={"forceinline": True, **_OPTIONS}, strict=True)
