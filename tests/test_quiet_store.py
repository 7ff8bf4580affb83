"""Cursed wins and blessed losses as a user meets them: examined, stored, asked for, counted, verified, resumed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np
import pytest

import merels
from conftest import run_merels
from merels.errors import InputError, MissingTableError
from merels.position import Position
from merels.reference.quiet import LimitedGame
from merels.reference.retrograde import all_states, solve
from merels.reference.symmetry import Representatives
from merels.retrograde.workers import Workers
from merels.subspaces import Subspace
from merels.tables import Store
from merels.tables.quiet import QuietStore
from merels.tables.table import DRAWN, value_codes
from merels.variants import variant
from test_quiet_limit import limited

LIMIT = 3
LOG = "build.jsonl"


class Known(NamedTuple):
    """What the plain engine says of `three` with a limit of three plies: positions by subspace, each orbit once."""

    plain: dict
    limited: dict
    states: dict[Subspace, set]

    def changed(self, state) -> bool:
        return self.plain[state][0] != self.limited[state]


@pytest.fixture(scope="module")
def known() -> Known:
    three, representative, states = variant("three"), Representatives(variant("three")), {}
    for subspace in {Subspace.parse(path) for path in ("0-0-3-3", "0-1-3-2", "1-1-2-2", "1-2-2-1", "2-2-1-1", "2-3-1-0", "3-3-0-0")}:
        states[subspace] = {representative(state) for state in all_states(three, *subspace)}
    roots = [state for some in states.values() for state in some]
    return Known(solve(three, roots, reduce=True), LimitedGame(three, roots).values(LIMIT), states)


@pytest.fixture(scope="module")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("examined")
    result = run_merels("solve", "three", "--quiet-limit", LIMIT, "--store", root)
    assert result.exit_code == 0, result.output
    return root


@pytest.fixture
def own(examined: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(examined, tmp_path / "own"))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != LOG}


def test_every_position_is_told_as_the_plain_engine_tells_it(examined: Path, known: Known) -> None:
    three = variant("three")
    with merels.open_tablebase(examined, three) as tables:
        for states in known.states.values():
            for state in states:
                position = Position(three, state)
                assert tables.cursed(position, LIMIT) == known.changed(state), str(position)


def test_stats_count_each_orbit_once(examined: Path, known: Known, answer: Callable[..., str], refusal: Callable[..., str]) -> None:
    record = json.loads(answer("stats", "three", "--quiet-limit", LIMIT, "--store", examined, "--json"))
    assert record["quiet_limit"] == LIMIT
    for table in record["subspaces"]:
        states = [state for state in known.states[Subspace.parse(table["name"])] if known.changed(state)]
        values = [known.plain[state][0] for state in states]
        assert (table["cursed_win"], table["blessed_loss"]) == (values.count("win"), values.count("loss")), table["name"]
    assert record["total"]["cursed_win"] == sum(table["cursed_win"] for table in record["subspaces"]) > 0
    assert record["total"]["blessed_loss"] == sum(table["blessed_loss"] for table in record["subspaces"]) > 0
    lines = answer("stats", "three", "--quiet-limit", LIMIT, "--store", examined).splitlines()
    assert lines[0].endswith("bytes  cursed win  blessed loss")
    assert lines[-1] == "Cursed wins and blessed losses: drawn where 3 plies in a row without a placing and without a mill are a draw."
    assert "cursed" not in answer("stats", "three", "--store", examined)  # the variant's own limit is another one
    assert "choose one of the two" in refusal("stats", "three", "--quiet-limit", "3", "--reachable", "--store", examined)


def test_query_names_cursed_wins_and_blessed_losses(examined: Path, known: Known, answer: Callable[..., str]) -> None:
    three = variant("three")
    found = {}
    for states in known.states.values():
        for state in states:
            found.setdefault((known.plain[state][0], known.changed(state)), Position(three, state))
    sentences = {
        ("win", True): "A cursed win: where 3 plies in a row without a placing and without a mill are a draw, so is this.",
        ("loss", True): "A blessed loss: where 3 plies in a row without a placing and without a mill are a draw, so is this.",
        ("win", False): "The win stands where 3 plies in a row without a placing and without a mill are a draw.",
        ("loss", False): "The loss stands where 3 plies in a row without a placing and without a mill are a draw.",
    }
    representative = Representatives(three)
    for kind, sentence in sentences.items():
        command = ("query", "three", str(found[kind]), "--quiet-limit", LIMIT, "--store", examined)
        if found[kind].outcome() is None:
            assert f"\n{sentence}\n" in answer(*command)
        record = json.loads(answer(*command, "--json"))
        assert (record["value"], record["quiet_limit"], record["cursed"]) == (kind[0], LIMIT, kind[1])
        for turn in record["turns"]:
            after = known.changed(representative(found[kind].play(turn["turn"]).state))
            assert turn["cursed"] == (True if kind == ("win", True) and turn["value"] == "win" else after)
    shown = answer("query", "three", str(found["win", True]), "--quiet-limit", LIMIT, "--store", examined)
    assert "  cursed win  " in shown
    assert "cursed" not in answer("query", "three", str(found["win", True]), "--store", examined)


def test_limit_of_the_variant_is_told_unasked(tmp_path: Path, known: Known, answer: Callable[..., str]) -> None:
    game = ("three", "--rule", f"quiet_limit={LIMIT}", "--store", tmp_path)
    told = answer("solve", *game, "--quiet-limit")
    assert "\nQuiet limit of 3 plies: " in told
    total = json.loads(answer("stats", *game, "--json"))
    assert total["quiet_limit"] == LIMIT and f" {total['total']['cursed_win']} cursed wins and " in told
    state = next(state for states in known.states.values() for state in states if known.changed(state))
    record = json.loads(answer("query", *game, str(Position(variant("three"), state)), "--json"))
    assert (record["quiet_limit"], record["cursed"]) == (LIMIT, True)


def test_where_every_game_ends_within_the_limit_nothing_is_solved_or_stored(tmp_path: Path, answer: Callable[..., str]) -> None:
    record = json.loads(answer("solve", "three", "--quiet-limit", "10", "--store", tmp_path, "--json"))["quiet"]
    assert list(record) == [
        *("quiet_limit", "examined", "skipped", "solved", "cursed_win", "blessed_loss", "subspaces", "seconds", "processor_seconds"),
        *("phases", "peak_memory"),
    ]
    assert [record[key] for key in list(record)[:7]] == [10, 7, 0, 0, 0, 0, 0]
    folder = tmp_path / "three" / "quiet-10"
    assert len(list(folder.glob("*.json"))) == 7 and not list(folder.glob("*.h5"))


def test_what_is_left_out_as_needless_changes_nothing(small_games: Path, tmp_path: Path, answer: Callable[..., str]) -> None:
    """All of six, where units are skipped whose games are short, or that lead to unchanged ones; against all of them solved."""
    six, limit = variant("six"), 40
    shutil.copytree(small_games / "six", tmp_path / "six")
    report = json.loads(answer("solve", "six", "--quiet-limit", limit, "--store", tmp_path, "--json"))["quiet"]
    assert 0 < report["solved"] < report["examined"] == 140
    quiet = QuietStore(Store(tmp_path, six), limit)
    changed = 0
    for subspace, table in limited(six, limit).items():
        stored = quiet.read(subspace)
        assert np.array_equal(stored.values, table.values), subspace.name
        assert stored.longest == table.longest
        changed += int(np.count_nonzero(table.values != value_codes(quiet.plain.read(subspace).values)))
    assert changed > report["cursed_win"] + report["blessed_loss"] > 0


def test_stopped_examination_goes_on_and_makes_the_same_files(
    examined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Callable[..., str]
) -> None:
    root = Path(shutil.copytree(examined, tmp_path / "own"))
    whole, folder = contents(root / "three" / "quiet-3"), root / "three" / "quiet-3"
    assert any(name.endswith(".h5") for name in whole)
    write, left = QuietStore.write, [0]

    def stopping(self, *arguments):
        if left[0] == 0:
            raise KeyboardInterrupt
        left[0] -= 1
        return write(self, *arguments)

    for finished in (0, 1, 6):
        shutil.rmtree(folder)
        left[0] = finished
        monkeypatch.setattr(QuietStore, "write", stopping)
        result = run_merels("solve", "three", "--quiet-limit", LIMIT, "--store", root)
        assert result.exit_code == 130 and f"{finished} of 7 files examined" in result.stderr
        monkeypatch.setattr(QuietStore, "write", write)
        record = json.loads(answer("solve", "three", "--quiet-limit", LIMIT, "--store", root, "--json"))["quiet"]
        assert (record["examined"], record["skipped"]) == (7 - finished, finished)
        assert contents(folder) == whole


@pytest.mark.parametrize("harm", ["record", "checksum", "basis", "file", "values", "junk"])
def test_what_is_stale_lacking_or_damaged_is_found_and_made_anew(
    harm: str, own: Path, answer: Callable[..., str]
) -> None:
    folder = own / "three" / "quiet-3"
    whole = contents(folder)
    assert answer("verify", "three", "--store", own).splitlines()[1].startswith("three, quiet limit of 3 plies: all is right (7 records, ")
    name = next(path.stem for path in folder.glob("*.h5"))
    record, file = folder / f"{name}.json", folder / f"{name}.h5"
    content = json.loads(record.read_text())
    if harm == "record":
        content["subspaces"][name]["sha256"] = "0" * 64
        content["basis"] = "0" * 64
        record.write_text(json.dumps(content))
    elif harm == "checksum":
        content["subspaces"][name]["sha256"] = "0" * 64
        record.write_text(json.dumps(content))
    elif harm == "basis":
        content["basis"] = "0" * 64
        record.write_text(json.dumps(content))
    elif harm == "file":
        file.unlink()
    elif harm == "values":
        with h5py.File(file) as opened:
            chunk = opened[name].id.get_chunk_info(0)
        data = bytearray(file.read_bytes())
        data[chunk.byte_offset + chunk.size // 2] ^= 1
        file.write_bytes(data)
    else:
        record.write_text("{")
    result = run_merels("verify", "three", "--store", own)
    assert result.exit_code == 1 and name in result.stdout and "--quiet-limit 3" in result.stdout, result.output
    findings = json.loads(run_merels("verify", "three", "--store", own, "--json").stdout)
    assert findings["findings"] and findings["quiet_limits"][0]["quiet_limit"] == 3
    if harm == "values":
        file.unlink()
    answer("solve", "three", "--quiet-limit", LIMIT, "--store", own)
    assert contents(folder) == whole


def test_wrong_counts_of_a_record_are_found(own: Path) -> None:
    folder = own / "three" / "quiet-3"
    record = next(path.with_suffix(".json") for path in folder.glob("*.h5"))
    content = json.loads(record.read_text())
    content["subspaces"][record.stem]["cursed_win"] += 1
    record.write_text(json.dumps(content))
    result = run_merels("verify", "three", "--store", own)
    assert result.exit_code == 1 and "other counts than the record's" in result.stdout


@pytest.mark.parametrize("counts", [(5, -5), (5, 0), ("0", "0"), (0.0, 0.9)])
def test_counts_where_nothing_is_changed_are_found_and_made_anew(counts: tuple, own: Path, answer: Callable[..., str]) -> None:
    folder = own / "three" / "quiet-3"
    whole = contents(folder)
    record = next(path for path in folder.glob("*.json") if not path.with_suffix(".h5").exists())
    content = json.loads(record.read_text())
    content["subspaces"][record.stem] |= dict(zip(("cursed_win", "blessed_loss"), counts, strict=True))
    record.write_text(json.dumps(content))
    assert run_merels("verify", "three", "--store", own).exit_code == 1
    answer("solve", "three", "--quiet-limit", LIMIT, "--store", own)
    assert contents(folder) == whole


def test_wrong_values_in_a_sound_file_are_found(own: Path) -> None:
    quiet = QuietStore(Store(own, variant("three")), LIMIT)
    unit = quiet.graph.unit(Subspace(3, 3, 0, 0))
    tables = {subspace: quiet.changed(subspace) for subspace in unit.subspaces}
    first = unit.subspaces[0]
    values = tables[first].values.copy()
    values[np.flatnonzero(values != DRAWN)[0]] = DRAWN
    changed = {**tables, first: replace(tables[first], values=values)}
    with Workers(1) as workers:
        quiet.write(unit, quiet.record(unit).basis, changed, workers)
    result = run_merels("verify", "three", "--store", own)
    assert result.exit_code == 1 and "1 positions are not what they should be" in result.stdout


def test_rebuilt_tables_are_asked_about_in_vain_until_they_are_examined(own: Path, known: Known, refusal: Callable[..., str]) -> None:
    path = own / "three" / "quiet-3" / "3-3-0-0.json"
    path.write_text(path.read_text().replace(json.loads(path.read_text())["subspaces"]["3-3-0-0"]["sha256"], "0" * 64))
    state = next(state for state in known.states[Subspace(3, 3, 0, 0)] if known.changed(state))
    command = f"merels solve three --subspace 3-3-0-0 --quiet-limit 3 --store {own}"
    with merels.open_tablebase(own, "three") as tables, pytest.raises(MissingTableError) as missing:
        tables.cursed(Position(tables.variant, state), LIMIT)
    assert missing.value.command == command
    assert command in refusal("stats", "three", "--quiet-limit", "3", "--store", own, code=1)


def test_files_of_limits_and_of_values_are_not_mistaken_for_each_other(own: Path, refusal: Callable[..., str]) -> None:
    folder = own / "three"
    name = next(path.name for path in (folder / "quiet-3").glob("*.h5"))
    shutil.copy(folder / "quiet-3" / name, folder / name)
    message = refusal("stats", "three", "--store", own, code=1)
    assert "tells what the quiet limit of 3 plies changes, which does not belong into this folder" in message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "three", "--quiet-limit", "0"], "'0' is no limit; write a number of plies from 1 to 32499."),
        (["solve", "three", "--quiet-limit", "many"], "'many' is no limit"),
        (["solve", "three", "--quiet-limit", "999999"], "write a number of plies from 1 to 32499."),
        (["solve", "three", "--quiet-limit", "5", "--wdl"], "--quiet-limit needs distances"),
        (["solve", "three", "--quiet-limit", "5", "--discard"], "--quiet-limit needs all tables"),
        (["solve", "three", "--rule", "quiet_limit=0", "--quiet-limit"], "has quiet_limit = 0, no limit of its own"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_mistake_gets_its_message(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Callable[..., str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in refusal(*arguments)
    assert not list(tmp_path.iterdir())


def test_what_has_not_been_examined_is_told_with_the_command(small_games: Path, refusal: Callable[..., str]) -> None:
    text = "b a1,c1,d2,e3 a3,b2,c5,e1 2,2"  # won in 21 plies
    message = refusal("query", "six", text, "--quiet-limit", "--store", small_games, code=1)
    command = f"merels solve six --subspace 4-4-2-2 --quiet-limit 100 --store {small_games}"
    assert message.endswith(f"has not been examined for a quiet limit of 100 plies; do it with: {command}")
    message = refusal("stats", "six", "--subspace", "3-3-0-0", "--quiet-limit", "7", "--store", small_games, code=1)
    assert message.endswith(f"do it with: merels solve six --subspace 3-3-0-0 --quiet-limit 7 --store {small_games}")


def test_api_solves_and_tells(tmp_path: Path) -> None:
    report = merels.solve("three", tmp_path, quiet_limit=LIMIT)
    assert report.solved == 7 and (tmp_path / "three" / "quiet-3").is_dir()
    with pytest.raises(InputError, match="wdl and discard do not go with it"):
        merels.solve("three", tmp_path, quiet_limit=LIMIT, wdl=True)
    with pytest.raises(InputError, match="a number from 1 to"):
        merels.solve("three", tmp_path, quiet_limit=-1)
