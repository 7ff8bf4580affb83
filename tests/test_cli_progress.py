"""Long work is seen to go on: a bar on a terminal, few lines elsewhere; numbers are told in few digits."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
from collections.abc import Callable, Iterator

import pytest

from merels.cli.progress import SECONDS_BETWEEN_LINES, BarProgress, LineProgress, progress
from merels.cli.wording import columns_text, count_text, duration_text, plies_text, size_text
from merels.errors import TableError


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_bar_names_the_table_at_work_and_the_rate() -> None:
    screen = Terminal()
    with progress(screen) as reporter:
        assert isinstance(reporter, BarProgress)
        reporter.begin(total_slots=4_000_000, units=2)
        reporter.unit("4-3-0-0", 1)
        reporter.advance(1_000_000)
        reporter.unit("5-3-0-0", 2)
        reporter.advance(3_000_000)
    shown = screen.getvalue().split("\r")
    assert "1/2 4-3-0-0" in screen.getvalue()
    assert "2/2 5-3-0-0 100%" in shown[-1]
    assert "4.00M/4.00M positions [" in shown[-1] and "positions/s]" in shown[-1]


def test_bar_is_closed_when_the_work_breaks_off() -> None:
    screen = Terminal()
    with pytest.raises(KeyboardInterrupt), progress(screen) as reporter:
        reporter.begin(10, 1)
        raise KeyboardInterrupt
    assert screen.getvalue().endswith("\n")


def test_work_that_never_begins_shows_nothing() -> None:
    screen = Terminal()
    with progress(screen):
        pass
    assert screen.getvalue() == ""


def test_lines_come_at_a_bounded_rate() -> None:
    clock, stream = Clock(), io.StringIO()
    reporter = LineProgress(stream, clock)
    reporter.begin(total_slots=1000, units=10)
    for number in range(1, 11):
        reporter.unit(f"{number}-3-0-0", number)
        for _ in range(10):
            clock.now += SECONDS_BETWEEN_LINES / 20
            reporter.advance(10)
    reporter.end()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 5
    assert lines[0] == "merels: 20%, table 2 of 10: 2-3-0-0, 13 positions/s, 1 min 0 s left"


def test_short_work_says_nothing() -> None:
    stream = io.StringIO()
    with progress(stream) as reporter:
        assert isinstance(reporter, LineProgress)
        reporter.begin(10, 1)
        reporter.unit("3-3-0-0", 1)
        reporter.advance(10)
    assert stream.getvalue() == ""


def test_what_is_there_already_does_not_count_as_speed() -> None:
    clock, stream = Clock(), io.StringIO()
    reporter = LineProgress(stream, clock)
    reporter.begin(total_slots=1000, units=4)
    reporter.advance(500)
    reporter.unit("3-3-0-0", 3)
    clock.now += SECONDS_BETWEEN_LINES
    reporter.advance(150)
    assert stream.getvalue() == "merels: 65%, table 3 of 4: 3-3-0-0, 10 positions/s, 35 s left\n"

    screen = Terminal()
    with progress(screen) as bar:
        bar.begin(total_slots=10**12, units=2)
        bar.advance(10**12 - 10)
        bar.unit("3-3-0-0", 2)
        bar.advance(10)
    assert "100%" in screen.getvalue() and "Gpositions/s" not in screen.getvalue()


def test_line_before_anything_is_done_claims_no_rate() -> None:
    clock, stream = Clock(), io.StringIO()
    reporter = LineProgress(stream, clock)
    reporter.begin(1000, 1)
    clock.now += SECONDS_BETWEEN_LINES
    reporter.unit("9-9-0-0", 1)
    assert stream.getvalue() == "merels: 0%, table 1 of 1: 9-9-0-0, 0 positions/s, no estimate yet\n"


def test_numbers_are_told_in_few_digits() -> None:
    counts = {0: "0", 999: "999", 1000: "1.00 k", 12_345: "12.3 k", 999_999: "1.00 M", 123_456_789: "123 M"}
    assert {number: count_text(number) for number in counts} == counts
    sizes = {0: "0 B", 999: "999 B", 1024: "1.00 KiB", 5 << 30: "5.00 GiB", 10**15: "909 TiB"}
    assert {size: size_text(size) for size in sizes} == sizes
    times = {0: "0 s", 0.42: "0.42 s", 9.96: "10 s", 59.6: "1 min 0 s", 3700: "1 h 2 min", 90_000: "1 d 1 h"}
    assert {seconds: duration_text(seconds) for seconds in times} == times
    assert (plies_text(0), plies_text(1), plies_text(2)) == ("0 plies", "1 ply", "2 plies")


def test_columns_line_up() -> None:
    assert columns_text([("a", "plies", ""), ("bcd", "7", "x")], "lrl") == "a    plies\nbcd      7  x"


@pytest.fixture
def interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interrupt_that_python_dropped_ends_the_work_before_the_next_table() -> None:
    with progress(io.StringIO()) as reporter:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            reporter.unit("3-3-0-0", 1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("disguise", [SystemError("returned a result with an exception set"), TableError("is damaged")])
def test_interrupt_that_a_library_made_another_error_of_is_still_an_interrupt(disguise: Exception) -> None:
    with pytest.raises(KeyboardInterrupt), progress(io.StringIO()):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise disguise from None
    with pytest.raises(type(disguise)), progress(io.StringIO()):
        raise disguise


@pytest.mark.usefixtures("interruptible")
def test_interrupt_while_an_object_is_freed_is_not_told_as_an_ignored_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Freed:
        def __init__(self, action: Callable[[], object]):
            self.action = action

        def __del__(self) -> None:
            self.action()

    told: list[type] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: told.append(ignored.exc_type))
    with pytest.raises(KeyboardInterrupt), progress(io.StringIO()) as reporter:
        Freed(lambda: signal.raise_signal(signal.SIGINT))
        Freed(lambda: 1 / 0)
        reporter.unit("3-3-0-0", 1)
    Freed(lambda: 1 / 0)
    assert told == [ZeroDivisionError, ZeroDivisionError]
