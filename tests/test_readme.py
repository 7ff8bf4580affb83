"""The README is a session that works: its commands run, they print what it shows, its table is complete."""

from __future__ import annotations

import doctest
import io
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from merels.cli import main
from merels.rules import RULE_NAMES
from merels.variants import variant, variant_names

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MERELS_STORE", raising=False)
    return tmp_path


def run_console(session: str) -> None:
    """Run the commands of a session and compare what they print; ``...`` in the README stands for anything."""
    for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, shown = step.partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "merels"
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, (command, result.output)
        if shown.strip():
            expected = ".*".join(map(re.escape, shown.rstrip().split("...")))
            assert re.fullmatch(expected, result.stdout.rstrip(), re.DOTALL), (command, result.stdout)


def run_python(session: str, names: dict[str, object]) -> None:
    """Run a session at Python's prompt and compare what it prints."""
    test = doctest.DocTestParser().get_doctest(session, names, "README.md", "README.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    report = io.StringIO()
    assert runner.run(test, out=report.write, clear_globs=False).failed == 0, report.getvalue()
    names.update(test.globs)


def test_sessions_print_what_the_readme_shows(empty_folder: Path) -> None:
    names: dict[str, object] = {}
    for language, session in re.findall(r"^```(console|python)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL):
        if language == "console":
            run_console(session)
        else:
            run_python(session, names)


@pytest.mark.slow
def test_long_sessions_print_what_the_readme_shows(empty_folder: Path) -> None:
    for session in blocks("console long"):
        run_console(session)


def test_first_command_of_the_readme_solves_six_and_shows_a_position(empty_folder: Path) -> None:
    install, tests = (shell.strip() for shell in blocks("sh"))
    assert install.startswith("python3 -m venv .venv && .venv/bin/pip install -e . && ")
    assert tests == "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/python -m pytest"
    steps = [shlex.split(step) for step in install.split(" && ")[2:]]
    assert [(program, arguments[0]) for program, *arguments in steps] == [
        (".venv/bin/merels", "solve"),
        (".venv/bin/merels", "query"),
    ]
    solved, asked = (CliRunner().invoke(main, arguments) for _, *arguments in steps)
    assert solved.exit_code == asked.exit_code == 0
    assert "The start 'w - - 6,6': A draw: neither side can force a win.\n" in solved.stdout
    assert "\nBlack wins in 21 plies.\n" in asked.stdout


def test_tables_name_every_variant_and_rule() -> None:
    variants, rules = README.split("## Variants")[1].split("### Your own variant")
    for text, names in ((variants, variant_names()), (rules, RULE_NAMES)):
        rows = [row.split("|")[1] for row in text.splitlines() if row.startswith("| `")]
        assert sorted(name for row in rows for name in re.findall("`(.*?)`", row)) == sorted(names)


def test_own_variant_of_the_readme_is_one(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    assert variant(path).rules.men == 3
