"""The README is a session that works: its commands run, they print what it shows, its table is complete."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from merels.cli import main
from merels.variants import variant, variant_names

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_commands_print_what_the_readme_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for session in blocks("console"):
        for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command, _, shown = step.partition("\n")
            program, *arguments = shlex.split(command)
            assert program == "merels"
            result = CliRunner().invoke(main, arguments)
            assert result.exit_code == 0, (command, result.output)
            if shown.strip():
                assert result.stdout.rstrip() == shown.rstrip(), command


def test_table_names_every_variant() -> None:
    rows = [row.split("|")[1] for row in README.splitlines() if row.startswith("| `")]
    assert sorted(name for row in rows for name in re.findall("`(.*?)`", row)) == list(variant_names())


def test_own_variant_of_the_readme_is_one(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    assert variant(path).rules.men == 3
