"""The command line as a user calls it: the commands that need no table, and how every run ends."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import merels
from conftest import start_interruptible
from merels.cli.app import COMMANDS, main
from merels.render import text_picture
from merels.variants import variant, variant_names

ROOT = Path(__file__).parent.parent
HEAVY = ("numba", "numpy", "h5py")

OWN_VARIANT = """
name = "own"
title = "Three men on a ladder"
[board]
name = "ladder"
lines = ["a1-b1-c1", "a2-b2-c2", "a1-a2-a3"]
edges = ["a1-b1", "b1-c1", "a2-b2", "b2-c2", "a1-a2", "b1-b2", "c1-c2", "a2-a3"]
[board.points]
a1 = [1, 1]
a2 = [1, 2]
a3 = [1, 3]
b1 = [2, 1]
b2 = [2, 2]
c1 = [3, 1]
c2 = [3, 2]
[rules]
men = 3
mill = "win"
"""


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answer(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(*arguments: str) -> str:
    """Return what a wrong call says, after checking that it says it on standard error alone and exits with 2."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    message = result.stderr.splitlines()[-1]
    assert message.startswith("merels: error: ")
    return message.removeprefix("merels: error: ")


def process(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "merels", *arguments]
    return subprocess.run(command, text=True, capture_output=True, timeout=60, check=False, **options)


# -- the promise to answer at once


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        *([name, "--help"] for name in COMMANDS),
        ["variants"],
        ["variants", "spatial", "--json"],
        ["board", "spatial-extended"],
        ["turns", "mlynek-cross", "w a1,b2,c3,e5,f6,g7 a7,b6,c5,e3,f2,g1 0,0"],
        ["perft", "nine", "2"],
        ["board", "unheard-of"],
        ["estimate", "nine"],
        ["solve", "spatial-three"],
    ],
    ids=" ".join,
)
def test_cheap_commands_import_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from merels.cli import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit:\n"
        f"    print('heavy:', *[name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "heavy:"


# -- help


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_shows_an_example_that_names_it(name: str) -> None:
    text = answer(name, "--help")
    assert "Example:" in text
    assert f"  merels {name} " in text or f"  merels {name}\n" in text
    assert "--verbose" in text


@pytest.mark.parametrize("name", ["variants", "board", "turns", "perft"])
def test_examples_in_help_work(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = [line for line in answer(name, "--help").splitlines() if line.startswith("    merels ")]
    assert examples
    for example in examples:
        answer(*shlex.split(example)[1:])


def test_help_lists_every_command_with_a_whole_sentence() -> None:
    text = answer("--help")
    for name in COMMANDS:
        line = next(line for line in text.splitlines() if line.strip().startswith(f"{name} "))
        assert line.endswith(".") and not line.endswith("..."), line


def test_version_has_one_source() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert answer("--version") == f"merels {merels.__version__}\n"
    assert "version" not in project and "version" in project["dynamic"]


# -- variants


def test_variants_lists_every_name_with_its_rules() -> None:
    rows = [line.split() for line in answer("variants").splitlines()]
    assert [row[0] for row in rows] == ["name", *variant_names()]
    lasker = next(row for row in rows if row[0] == "lasker")
    assert lasker[1:] == ["morris24", "10", "place-or-move", "step", "3", "remove", "one", "mills-unless-all", "loss"]


def test_variants_json_tells_all_rules() -> None:
    (record,) = json.loads(answer("variants", "three", "--json"))["variants"]
    three = variant("three")
    assert record["name"] == "three"
    assert record["board"] == "square9"
    assert record["fingerprint"] == three.fingerprint
    assert record["rules"]["men"] == 3 and record["rules"]["mill"] == "win" and record["rules"]["start"] is None
    names = [record["name"] for record in json.loads(answer("variants", "--json"))["variants"]]
    assert tuple(names) == variant_names()


def test_variants_with_a_name_describes_it_with_the_changes_asked_for() -> None:
    text = answer("variants", "nine", "--men", "5", "--rule", "flying=0")
    assert text.splitlines()[0] == "nine+flying=0+men=5"
    assert "  men          5\n" in text and "  flying       0\n" in text
    assert "  board        morris24: 24 points, 16 lines, 32 edges, 16 symmetries\n" in text


def test_changes_without_a_variant_are_refused() -> None:
    assert refusal("variants", "--men", "3") == "--men and --rule change a variant; name the VARIANT to change."


# -- board


def test_board_prints_picture_position_and_legend() -> None:
    assert answer("board", "three", "b a1,b2 c3 1,2") == (
        "3  o---o---B\n"
        "   | \\ | / |\n"
        "2  o---W---o\n"
        "   | / | \\ |\n"
        "1  W---o---o\n"
        "   a   b   c\n"
        "\n"
        "b a1,b2 c3 1,2\n"
        "W White, B Black, o empty\n"
    )


def test_board_without_position_shows_the_start() -> None:
    assert "\nw - - 9,9\n" in answer("board", "nine")
    assert "\nw a1,b2,c3,e5,f6,g7 a7,b6,c5,e3,f2,g1 0,0\n" in answer("board", "mlynek-cross")


def test_position_may_come_unquoted() -> None:
    assert answer("board", "three", "b", "a1,b2", "c3", "1,2") == answer("board", "three", "b a1,b2 c3 1,2")
    assert answer("turns", "three", "w", "-", "-", "3,3") == answer("turns", "three", "w - - 3,3")


def test_board_writes_svg(tmp_path: Path) -> None:
    target = tmp_path / "board.svg"
    answer("board", "nine", "--svg", str(target))
    assert target.read_text(encoding="utf-8").startswith("<svg ")


def test_svg_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    target = tmp_path / "missing" / "board.svg"
    result = run("board", "nine", "--svg", str(target))
    assert result.exit_code == 2
    assert result.stderr == f"merels: error: {target}: No such file or directory\n"


def test_own_variant_file_serves_as_a_name(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN_VARIANT, encoding="utf-8")
    assert text_picture(variant(path)) in answer("board", str(path))
    assert answer("perft", str(path), "1") == "7\n"


# -- turns


def test_turns_are_sorted_one_a_line() -> None:
    lines = answer("turns", "nine", "w a1,d1 a7,d7 7,7").splitlines()
    assert lines == sorted(lines)
    assert len(lines) == 21
    assert {"g1xa7", "g1xd7", "a4"} <= set(lines)


def test_turns_json() -> None:
    record = json.loads(answer("turns", "three", "W A1,B1 A3,C3 1,1", "--json"))
    assert record == {
        "variant": "three",
        "position": "w a1,b1 a3,c3 1,1",
        "turns": ["a2", "b2", "b3", "c1", "c2"],
    }


def test_turns_of_a_finished_game_give_the_reason() -> None:
    result = run("turns", "nine", "w a1,d7 a4,b2,g7 0,0")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "merels: no turns: White has fewer than three stones: White has lost\n"
    assert json.loads(answer("turns", "nine", "w a1,d7 a4,b2,g7 0,0", "--json"))["turns"] == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nine", "b a1,d7 a4,b2,g7 0,0"], "White has fewer than three stones: Black has won"),
        (["three", "b a1,b1,c1 a2,b3 0,1"], "White has closed a mill: Black has lost"),
        (["nine", "w a1,a7,g1,g7 a4,d1,d7,g4 0,0"], "White has no legal turn: White has lost"),
        (["mlynek", "w a1,a7,g1,g7 a4,d1,d7,g4 0,0"], "White has no legal turn: a draw"),
        (
            [
                "twelve",
                "w a1,a4,b2,b6,c4,c5,d1,d3,e3,f4,f6,g7 a7,b4,c3,d2,d5,d6,d7,e4,e5,f2,g1,g4 0,0",
            ],
            "the board is full: a draw",
        ),
        (["spatial-three", "r - - a11,b22,c33 0,0,0"], "Red is the last player left: Red has won"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_ending_is_told_in_words(arguments: list[str], reason: str) -> None:
    assert run("turns", *arguments).stderr == f"merels: no turns: {reason}\n"


# -- perft


def test_perft_counts() -> None:
    assert answer("perft", "nine", "0") == "1\n"
    assert answer("perft", "nine", "3") == "12144\n"
    assert answer("perft", "nine", "2", "--men", "4", "--rule", "flying=0") == "552\n"


def test_perft_json() -> None:
    record = json.loads(answer("perft", "six", "2", "w a1,a3 b2,b4 4,4", "--json"))
    assert list(record) == ["variant", "position", "depth", "count"]
    assert record["variant"] == "six" and record["position"] == "w a1,a3 b2,b4 4,4" and record["depth"] == 2


def test_perft_divided_adds_up() -> None:
    position = "w a1,a3 b2,b4 4,4"
    *parts, total = answer("perft", "six", "2", position, "--divide").splitlines()
    assert [part.split(": ")[0] for part in parts] == answer("turns", "six", position).splitlines()
    assert sum(int(part.split(": ")[1]) for part in parts) == int(total)
    divided = json.loads(answer("perft", "six", "2", position, "--divide", "--json"))
    assert divided["count"] == int(total) == sum(divided["divide"].values())


def test_verbose_speaks_on_standard_error_before_and_after_the_command() -> None:
    for arguments in (["-v", "perft", "three", "2"], ["perft", "three", "2", "-v"]):
        done = process(*arguments)
        assert done.stdout == "72\n"
        assert "merels: 72 turn sequences in " in done.stderr


# -- mistakes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trns", "nine"], "there is no command 'trns'; did you mean 'turns'?"),
        (["zzz"], "there is no command 'zzz'; the commands are variants, "),
        (["board"], "Missing argument 'VARIANT'."),
        (["turns", "nine"], "Missing argument 'POSITION'."),
        (["perft", "nine", "deep"], "Invalid value for 'DEPTH'"),
        (["perft", "nine", "-1"], "No such option"),
        (["board", "nine", "--colour"], "No such option"),
        (["board", "nine", "--men", "few"], "Invalid value for '--men'"),
        (["board", "nine", "--men", "2"], "men"),
        (["board", "nine", "--men", "13"], "men"),
        (["board", "nine", "--rule", "flying"], "'flying' is not KEY=VALUE"),
        (["board", "nine", "--rule", "flying=0", "--rule", "flying=3"], "flying is given twice"),
        (["board", "nine", "--rule", "flies=0"], "unknown rule 'flies'"),
        (["board", "nine", "--rule", "flying=often"], "flying"),
        (["board", "nein"], "did you mean nine?"),
        (["board", "missing.toml"], "missing.toml: no such file"),
        (["board", "nine", "w z9 - 8,9"], "z9"),
        (["board", "nine", "w a1 a1 8,8"], "a1"),
        (["turns", "nine", "x - - 9,9"], "'x'"),
        (["turns", "nine", "w - -"], ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_mistake_gets_its_message(arguments: list[str], words: str) -> None:
    assert words in refusal(*arguments)


def test_wrong_usage_shows_the_usage() -> None:
    result = run("turns", "nine")
    assert result.stderr.startswith("Usage: merels turns [OPTIONS] VARIANT POSITION\n")
    assert "Try 'merels turns --help' for help." in result.stderr


# -- how a process ends


def test_no_command_shows_help() -> None:
    done = process()
    assert done.returncode == 2
    assert "Usage: merels" in done.stdout + done.stderr
    assert "merels: error" not in done.stderr


def test_mistake_ends_a_process_with_two_and_no_traceback() -> None:
    done = process("turns", "nine", "w a1 a1 8,8")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("merels: error: ") and "Traceback" not in done.stderr


def test_interrupt_ends_with_130_and_a_short_line() -> None:
    command = [sys.executable, "-m", "merels", "-v", "perft", "nine", "9"]
    running = start_interruptible(command)
    try:
        # The first message comes when the command is at work, past the imports.
        assert "counting" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130
    assert errors.strip() == "merels: error: interrupted"


def test_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "merels", "variants"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(write)
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk_is_told_once() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "merels", "variants"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("merels: error: No space left on device; make room ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["variants", "variants six --json", "board six", "perft six 1"])
def test_closed_standard_output_is_no_reason_for_a_traceback(command: str) -> None:
    ended = subprocess.run(f'"{sys.executable}" -m merels {command} >&-', shell=True, stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
