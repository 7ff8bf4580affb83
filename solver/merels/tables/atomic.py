"""Replacing a file: the new content appears under its name when it is complete and on the disk, or not at all.

Whatever stops a writer, the file that was there before stays. What stopped it is told in one place.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from merels.errors import LimitError, TableError

_ENDING = ".tmp"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_under_way: set[Path] = set()  # temporary files of this process


class Sink:
    """A file that a library writes to. After a failure it only pretends to write; `check` raises what happened.

    HDF5 cannot close a file that the disk has no room for, and it turns an interrupt into an error of its own.
    """

    def __init__(self, path: Path):
        self._file = FileIO(path, "w+")
        self._failure: BaseException | None = None

    def check(self) -> None:
        """Raise what went wrong, if anything did."""
        if self._failure is not None:
            raise self._failure

    @contextlib.contextmanager
    def _remembering(self) -> Iterator[None]:
        try:
            yield
        except BaseException as failure:
            self._failure = self._failure or failure

    def write(self, data: memoryview) -> int:
        """Write all of ``data`` at the present place."""
        data = memoryview(data).cast("B")
        with self._remembering():
            written = 0
            while self._failure is None and written < len(data):
                written += self._file.write(data[written:])
        return len(data)

    def truncate(self, size: int | None = None) -> int:
        """Set the size."""
        with self._remembering():
            self._file.truncate(size)
        return size or 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a place."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """The present place."""
        return self._file.tell()

    def read(self, size: int = -1) -> bytes:
        """Read from the present place."""
        return self._file.read(size)

    def readinto(self, target: memoryview) -> int | None:
        """Read into ``target``."""
        return self._file.readinto(target)

    def flush(self) -> None:
        """Nothing waits to be written."""

    def settle(self) -> None:
        """Have everything on the disk, and close."""
        os.fsync(self._file.fileno())
        self._file.close()

    def abandon(self) -> None:
        """Close whatever has happened."""
        with contextlib.suppress(OSError):
            self._file.close()


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Sink]:
    """A `Sink` whose content becomes the file ``path`` when the block ends well, and vanishes when it does not."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_ENDING}")
    _under_way.add(temporary)
    sink = None
    try:
        sink = Sink(temporary)
        try:
            yield sink
        finally:
            sink.check()
        sink.settle()
        os.replace(temporary, path)
        _settle_folder(path.parent)
    except OSError as error:
        raise refusal(path, error) from error
    finally:
        if sink is not None:
            sink.abandon()
        with contextlib.suppress(OSError):
            temporary.unlink()
        _under_way.discard(temporary)


def refusal(path: Path, error: OSError) -> LimitError | TableError:
    """The error that tells a user why ``path`` could not be written."""
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return LimitError(
            f"{path}: no room to write it ({reason}). The tables that are finished are safe; "
            "make room and run the same command again"
        )
    return TableError(
        f"{path}: cannot be written ({reason}). The tables that are finished are safe; see to the folder's "
        "permissions, or choose another with --store, and run the command again"
    )


def remove_leftovers(folder: Path) -> None:
    """Remove unfinished files of builds that are no longer running."""
    for path in folder.glob(f".*{_ENDING}"):
        process = path.name.removesuffix(_ENDING).rpartition(".")[2]
        if process.isdigit() and path not in _under_way and not _is_running(int(process)):
            with contextlib.suppress(OSError):
                path.unlink()


def _is_running(process: int) -> bool:
    """Whether another process has this number."""
    if process == os.getpid():
        return False
    if os.name == "nt":
        return True  # signal 0 would end it; the file is overwritten when that process number builds again
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _settle_folder(folder: Path) -> None:
    """Have the folder's new name on the disk, where the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
