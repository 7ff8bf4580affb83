"""Builds that are killed or meet a full disk at random moments: nothing solved is lost, and the finished store is byte-identical.

The moments come from a seed that every failure shows.
"""

from __future__ import annotations

import errno
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import Result

from conftest import start_interruptible
from merels.tables import atomic

SEED = 20261130
LOG = "build.jsonl"  # the one file that builds do not share


class Build(NamedTuple):
    """A build to disturb: the arguments of `merels solve`, and the folder of an undisturbed one."""

    variant: str
    options: tuple[str, ...]
    whole: Path

    def arguments(self, store: Path) -> list[str]:
        return ["solve", self.variant, *self.options, "--store", str(store)]

    def command(self, store: Path) -> list[str]:
        return [sys.executable, "-m", "merels", *self.arguments(store)]


@pytest.fixture
def five(small_games: Path) -> Build:
    return Build("five", (), small_games / "five")


@pytest.fixture
def seven(tmp_path: Path, merels: Callable[..., Result]) -> Build:
    return _undisturbed("seven", (), tmp_path, merels)


@pytest.fixture
def nine(tmp_path: Path, merels: Callable[..., Result]) -> Build:
    return _undisturbed("nine", ("--moving", "--stones", "9"), tmp_path, merels)


def _undisturbed(variant: str, options: tuple[str, ...], folder: Path, merels: Callable[..., Result]) -> Build:
    result = merels("solve", variant, *options, "--store", folder / "whole")
    assert result.exit_code == 0, result.output
    return Build(variant, options, folder / "whole" / variant)


def _contents(folder: Path) -> dict[str, bytes]:
    """All that is in a folder by name, hidden files too, the log left out."""
    paths = folder.iterdir() if folder.is_dir() else ()
    return {path.name: path.read_bytes() for path in paths if path.name != LOG}


def _tables(folder: Path) -> dict[str, tuple[int, int]]:
    """The table files of a folder with what would tell that one was written again."""
    return {path.name: ((facts := path.stat()).st_ino, facts.st_mtime_ns) for path in folder.glob("*.h5")}


def _check_disturbed(build: Build, folder: Path, before: dict[str, tuple[int, int]], told: str) -> None:
    """What was finished before is untouched, and nothing with a final name is half a file."""
    now = _tables(folder)
    assert {name: now.get(name) for name in before} == before, told
    for name in now:
        assert (folder / name).read_bytes() == (build.whole / name).read_bytes(), f"{name} differs, {told}"


def _check_finished(build: Build, store: Path, before: dict[str, tuple[int, int]], told: str) -> None:
    folder = store / build.variant
    _check_disturbed(build, folder, before, told)
    found, whole = _contents(folder), _contents(build.whole)
    assert sorted(found) == sorted(whole), told
    assert [name for name in whole if found[name] != whole[name]] == [], told


def _wait(process: subprocess.Popen, folder: Path, tables: int, seconds: float) -> None:
    """Until the build ends, or has this many tables and then went on for some time."""
    deadline = time.monotonic() + 60
    while process.poll() is None and len(_tables(folder)) < tables and time.monotonic() < deadline:
        time.sleep(0.001)
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)


def _ended_well(number: signal.Signals, code: int, errors: str) -> bool:
    """Whether a build ended as a signal ends it; Python itself tells of one that comes before the program is at work."""
    if number == signal.SIGKILL:
        return code in (0, -number)
    if "Traceback" in errors:
        return errors.rstrip().endswith("KeyboardInterrupt") and "retrograde" not in errors
    return code in (0, 130, -number)


def _kill_again_and_again(build: Build, store: Path, seed: int, kills: int, seconds: float) -> None:
    """Kill a build at random moments, finish it, and compare.

    Parameters
    ----------
    kills : number of processes that are killed while tables are missing.
    seconds : a kill comes up to so long after the build has begun, or has finished some more tables.
    """
    dice, folder, done, told = random.Random(seed), store / build.variant, 0, f"seed {seed}"
    whole = len(_tables(build.whole))
    attempts = 0
    while done < kills and len(_tables(folder)) < whole:
        attempts += 1
        before = _tables(folder)
        # Some die before their first table, some twice in a row; most a few tables on.
        number = dice.choice((signal.SIGKILL, signal.SIGINT))
        more, delay = dice.choice((0, 1, 1, 2, 3)), dice.uniform(0, seconds)
        again = number == signal.SIGINT and dice.random() < 0.3
        told = f"seed {seed}, attempt {attempts}, {number.name} {delay:.4f} s after {more} more than {len(before)} tables"
        process = start_interruptible(build.command(store))
        try:
            _wait(process, folder, len(before) + more, delay)
            process.send_signal(number)
            if again:
                time.sleep(dice.uniform(0, 0.02))
                process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
        assert _ended_well(number, process.returncode, errors), (told, process.returncode, errors)
        done += process.returncode != 0 and len(_tables(folder)) < whole
        _check_disturbed(build, folder, before, told)
        if number == signal.SIGINT and not again:
            assert list(folder.glob(f".*.{process.pid}.tmp")) == [], told
    assert done >= min(kills, 2), told
    before = _tables(folder)
    subprocess.run(build.command(store), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    _check_finished(build, store, before, told)


def test_build_killed_again_and_again_ends_with_the_same_bytes(five: Build, tmp_path: Path) -> None:
    _kill_again_and_again(five, tmp_path, SEED, kills=5, seconds=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["seven", "nine"])
def test_long_build_killed_many_times_ends_with_the_same_bytes(
    game: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    build = request.getfixturevalue(game)
    kills, seconds = (40, 0.1) if game == "seven" else (25, 1.0)
    for seed in range(SEED, SEED + 2):
        store = tmp_path / str(seed)
        _kill_again_and_again(build, store, seed, kills, seconds)
        shutil.rmtree(store)


# --- full disk


class Disk:
    """Room for so many bytes of tables and manifests."""

    def __init__(self, room: int):
        self.room = room
        self.full = False

    def take(self, size: int) -> int:
        """How many of ``size`` bytes there is room for; with none left the disk is full."""
        if self.room == 0 and size > 0:
            self.full = True
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = min(size, self.room)
        self.room -= taken
        return taken


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """The disk that stores are written to, without end at first."""
    disk = Disk(1 << 40)

    class DiskFile(atomic.FileIO):
        """Writes what the disk has room for, as the system does: part of the data, then an error."""

        def write(self, data) -> int:
            taken = disk.take(len(data))
            return super().write(memoryview(data)[:taken])

        def truncate(self, size=None) -> int:
            end = self.seek(0, 2)
            if size is not None and size > end:
                missing = size - end
                if disk.take(missing) < missing:
                    disk.take(1)
            return super().truncate(size)

    monkeypatch.setattr(atomic, "FileIO", DiskFile)
    return disk


def _bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


@pytest.mark.parametrize("number", range(6))
def test_disk_that_is_full_at_a_random_moment_loses_nothing(
    number: int, five: Build, tmp_path: Path, disk: Disk, merels: Callable[..., Result]
) -> None:
    seed = SEED + number
    dice, folder = random.Random(seed), tmp_path / "five"
    before: dict[str, tuple[int, int]] = {}
    for attempt in range(3):
        disk.room, disk.full = dice.randrange(_bytes_of(five.whole) // 2), False
        told = f"seed {seed}, attempt {attempt + 1}, room for {disk.room} bytes"
        result = merels(*five.arguments(tmp_path))
        assert (result.exit_code, disk.full) in ((1, True), (0, False)), told
        if disk.full:
            message = result.stderr.splitlines()[-1]
            assert "No space left on device" in message and "run the same command again" in message, told
            assert list(folder.glob(".*")) == [], told
        _check_disturbed(five, folder, before, told)
        before = _tables(folder)
    disk.room = 1 << 40
    assert merels(*five.arguments(tmp_path)).exit_code == 0
    _check_finished(five, tmp_path, before, f"seed {seed}")


def test_files_that_the_system_cuts_off_lose_nothing(five: Build, tmp_path: Path) -> None:
    """The system itself ends writing at a random size, inside a table or the manifest."""
    dice, folder = random.Random(SEED), tmp_path / "five"
    before: dict[str, tuple[int, int]] = {}
    limits = sorted(dice.randrange(1000, 20_000) for _ in range(3))
    for limit in limits:
        told = f"seed {SEED}, files of at most {limit} bytes"
        ended = subprocess.run(
            five.command(tmp_path),
            capture_output=True,
            text=True,
            timeout=60,
            preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY)),
        )
        assert ended.returncode == 1 and "Traceback" not in ended.stderr, (told, ended.stderr)
        assert "no room to write it (File too large)" in ended.stderr, told
        assert list(folder.glob(".*")) == [], told
        _check_disturbed(five, folder, before, told)
        before = _tables(folder)
    subprocess.run(five.command(tmp_path), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    _check_finished(five, tmp_path, before, f"seed {SEED}")


def test_full_log_loses_no_table(five: Build, tmp_path: Path, refusal: Callable[..., str], answer: Callable[..., str]) -> None:
    folder = tmp_path / "five"
    folder.mkdir()
    (folder / LOG).symlink_to("/dev/full")
    message = refusal(*five.arguments(tmp_path), code=1)
    assert message.startswith(str(folder / LOG)) and "No space left on device" in message
    before = _tables(folder)
    assert before
    (folder / LOG).unlink()
    answer(*five.arguments(tmp_path))
    _check_finished(five, tmp_path, before, "full log")
