"""Locking: one process at a time changes the tables of a folder. Readers need no lock, since files appear whole."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from merels.errors import BusyError

_HELD = (errno.EWOULDBLOCK, errno.EACCES)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder; the system lets go of it when the process ends, however it ends. File systems without locks are not locked.

    Raises
    ------
    BusyError
        Another process, or another thread of this one, holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _HELD:
                raise BusyError(
                    f"{folder}: another build is at work in this folder; wait until it has ended, or choose another with --store"
                ) from None
        yield
    finally:
        os.close(descriptor)
