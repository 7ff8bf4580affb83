"""Progress of long work as a person watches it: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TextIO

import click

from merels.cli.wording import count_text, duration_text

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LINES = 15.0
LEAST_SHARE = 100
"""The time that remains is told once a hundredth of the work is done."""

_BAR = "{desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} positions [{elapsed}<{remaining}, {rate_fmt}]"


@contextlib.contextmanager
def progress(stream: TextIO | None = None) -> Iterator[BarProgress | LineProgress]:
    """Progress on ``stream`` (default: standard error), which is left tidy whatever ends the work."""
    stream = stream or sys.stderr
    reporter = BarProgress(stream) if stream.isatty() else LineProgress(stream)
    with contextlib.ExitStack() as stack:
        stack.callback(reporter.end)
        stack.enter_context(_interrupts_told_to(reporter))
        if isinstance(reporter, BarProgress) and logging.getLogger("merels").isEnabledFor(logging.INFO):
            from tqdm.contrib.logging import logging_redirect_tqdm

            stack.enter_context(logging_redirect_tqdm())
        yield reporter


@contextlib.contextmanager
def _interrupts_told_to(reporter: Interruptible) -> Iterator[None]:
    """Ctrl-C is remembered as well as raised, and whatever error the work then ends with is `KeyboardInterrupt`.

    Python drops an exception that is raised while an object is being freed, with a traceback that is not wanted here, and HDF5
    makes another error of it.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: object) -> None:
        reporter.interrupted = True
        raise KeyboardInterrupt

    tell_dropped = sys.unraisablehook

    def dropped(error: sys.UnraisableHookArgs) -> None:
        if not issubclass(error.exc_type, KeyboardInterrupt):
            tell_dropped(error)

    sys.unraisablehook = dropped
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception:
        if reporter.interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = tell_dropped


class Interruptible:
    """Progress that ends the work before its next table if there was a Ctrl-C."""

    interrupted = False

    def heed_interrupt(self) -> None:
        """Raise `KeyboardInterrupt` if there was one."""
        if self.interrupted:
            raise KeyboardInterrupt


class BarProgress(Interruptible):
    """One bar over the whole work: the table at work, positions a second, the time that remains."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._units, self._at_work = stream, 0, False
        self._bar = None

    def begin(self, total_slots: int, units: int) -> None:
        """Show the bar. What is counted before the first table is at work has been there already."""
        from tqdm import tqdm

        self._units = units
        self._bar = tqdm(
            total=total_slots,
            unit=" positions",
            unit_scale=True,
            bar_format=_BAR,
            dynamic_ncols=True,
            smoothing=0.1,
            file=self._stream,
        )

    def unit(self, name: str, number: int) -> None:
        """Name the table at work."""
        self.heed_interrupt()
        logger.info("table %d of %d: %s", number, self._units, name)
        self._at_work = True
        if self._bar is not None:
            self._bar.set_description_str(f"{number}/{self._units} {name}")

    def advance(self, slots: int) -> None:
        """Count what has been done."""
        if self._bar is not None and self._at_work:
            self._bar.update(slots)
        elif self._bar is not None:
            self._bar.initial += slots
            self._bar.n = self._bar.last_print_n = self._bar.initial

    def end(self) -> None:
        """Leave the bar as it stands; may be called again."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class LineProgress(Interruptible):
    """A line now and then, never more often than every `SECONDS_BETWEEN_LINES`; short work says nothing.

    Parameters
    ----------
    stream : TextIO
    clock : callable
        Tells the time in seconds.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._total, self._done, self._units, self._there = 0, 0, 0, 0
        self._name, self._number = "", 0
        self._begun = self._told = clock()

    def begin(self, total_slots: int, units: int) -> None:
        """Start the clock. What is counted before the first table is at work has been there already."""
        self._total, self._done, self._units, self._there = total_slots, 0, units, 0
        self._begun = self._told = self._clock()

    def unit(self, name: str, number: int) -> None:
        """Name the table at work."""
        self.heed_interrupt()
        self._name, self._number = name, number
        logger.info("table %d of %d: %s", number, self._units, name)
        self._tell()

    def advance(self, slots: int) -> None:
        """Count what has been done."""
        self._done += slots
        if not self._number:
            self._there += slots
        self._tell()

    def end(self) -> None:
        """Nothing is left to do."""

    def _tell(self) -> None:
        now = self._clock()
        if now - self._told < SECONDS_BETWEEN_LINES or not self._number:
            return
        self._told = now
        done = self._done - self._there
        rate = done / (now - self._begun)
        # The first kernels are compiled while the first small tables are solved; that rate says nothing.
        foreseeable = done > 0 and done * LEAST_SHARE >= self._total - self._there
        remaining = f"{duration_text((self._total - self._done) / rate)} left" if foreseeable else "no estimate yet"
        line = (
            f"merels: {self._done / self._total:.0%}, table {self._number} of {self._units}: {self._name}, "
            f"{count_text(round(rate))} positions/s, {remaining}"
        )
        click.echo(line, file=self._stream)
