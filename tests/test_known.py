"""Numbers of others beside ours: what is counted without tables, what tables and shipped results answer, and the verdicts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import pytest

import merels
from merels.boards import BOARDS, line_symmetries
from merels.counting import Counter
from merels.errors import InputError
from merels.known import computing, results
from merels.known.comparing import compare
from merels.known.facts import Fact, load
from merels.known.forward import can_search, reachable
from merels.known.ours import NotBuilt, Ours
from merels.position import Position
from merels.reachable import ReachableCounter, require_filter
from merels.reference.perft import perft_counts
from merels.reference.retrograde import solve
from merels.subspaces import Graph, Subspace
from merels.tables import Store
from merels.variants import variant, variant_names

Answer = Callable[..., str]
FACTS = {fact.id: fact for fact in load()[0]}


@pytest.fixture
def nothing(tmp_path: Path) -> Ours:
    """No tables; the shipped results alone."""
    return Ours(tmp_path)


# --- the filter of reachable positions


def fewest_hitting(stones: tuple[int, ...], lines: list[frozenset[int]]) -> int:
    """By trying all sets of stones, the small ones first."""
    mills = [line for line in lines if line <= set(stones)]
    for size in range(len(stones) + 1):
        for chosen in combinations(stones, size):
            if all(line & set(chosen) for line in mills):
                return size
    raise AssertionError


@pytest.mark.parametrize(("game", "u", "t"), [("three+mill=remove", 3, 3), ("three+men=4+mill=remove", 4, 4)])
def test_filter_counts_what_trying_everything_counts(game: str, u: int, t: int) -> None:
    one = variant(game)
    lines = [frozenset(line) for line in one.board.lines]
    kept = set()
    for own in combinations(range(9), u):
        for other in combinations(sorted(set(range(9)) - set(own)), t):
            if t + fewest_hitting(own, lines) <= one.rules.men and u + fewest_hitting(other, lines) <= one.rules.men:
                images = [(frozenset(g[p] for p in own), frozenset(g[p] for p in other)) for g in one.symmetries]
                kept.add(min((sorted(a), sorted(b)) for a, b in images).__repr__())
    assert ReachableCounter(one).positions(u, t) == len(kept) < Counter(one).positions(u, t)


def test_filter_has_the_symmetries_of_lines() -> None:
    assert len(line_symmetries(BOARDS["morris24"])) == 48
    assert ReachableCounter(variant("nine"), line_symmetries(BOARDS["morris24"])).positions(3, 3) == 56922


def test_filter_is_for_the_moving_phase_where_one_stone_is_removed() -> None:
    require_filter(variant("six"), Subspace(3, 3, 0, 0))
    for game, hands, word in (("six", (1, 1), "empty hands"), ("three", (0, 0), "mill wins"), ("mlynek", (0, 0), "per-mill")):
        with pytest.raises(InputError, match=word):
            require_filter(variant(game), Subspace(3, 3, *hands))


def test_filtered_values_add_up_to_filtered_positions(small_games: Path, answer: Answer, merels: Callable[..., Any]) -> None:
    for game in ("five", "six"):
        result = merels("stats", game, "--reachable", "--store", small_games, "--json")
        assert result.exit_code == 0 and "moving phase only" in result.stderr
        record = json.loads(result.stdout)
        assert record["filter"] == "reachable"
        counter, men = ReachableCounter(variant(game)), variant(game).rules.men
        rows = {tuple(map(int, table["name"].split("-")[:2])): table for table in record["subspaces"]}
        assert set(rows) == {(u, t) for u in range(3, men + 1) for t in range(3, men + 1)}
        for (u, t), table in rows.items():
            assert table["positions"] == counter.positions(u, t) == table["win"] + table["draw"] + table["loss"]
        assert record["total"]["positions"] == FACTS["th-5mm" if game == "five" else "th-6mm"].value["total"]
    everything = json.loads(answer("stats", "six", "--store", small_games, "--subspace", "6-6-0-0", "--json"))["subspaces"][0]
    assert everything["win"] > rows[6, 6]["win"] and everything["loss"] > rows[6, 6]["loss"]


def test_filter_is_refused_where_it_is_not_defined(small_games: Path, refusal: Answer) -> None:
    assert "empty hands" in refusal("stats", "six", "--reachable", "--subspace", "2-3-1-0", "--store", small_games)
    assert "removes nothing" in refusal("stats", "three", "--reachable", "--store", small_games)


# --- facts that need no tables


def test_every_fact_has_a_variant_and_a_computation() -> None:
    assert len(FACTS) == len(load()[0])
    for fact in FACTS.values():
        assert fact.variant.board.size and fact.source and fact.quantity
        assert fact.compute["what"] in computing._COMPUTATIONS
        assert fact.kind in ("published", "reported", "derived", "recomputed")
    assert all(left.reason for left in load()[1])


@pytest.mark.parametrize(
    "name",
    [
        *("gasser-indices", "gasser-orbits", "gasser-dbs", "nine-ordered-raw", "nine-ordered-all", "th-12mm-raw", "th-12mm-unique"),
        *("th-3mm", "th-5mm", "th-6mm", "th-7mm", "th-9mm-rows", "th-9mm-total"),
        *("malom-totals-std", "malom-totals-mora", "malom-totals-lask", "stahl-files"),
        *("small-tapatan-diag-moves-8-lines", "small-three-men-orthogonal-moves-8-lines", "small-achi-4-men-diag-8-lines"),
        *("small-four-men-diag-6-lines", "small-four-men-orthogonal-6-lines", "jh85-3mm", "perft-six", "perft-mlynek-cross"),
    ],
)
def test_number_of_others_equals_ours(nothing: Ours, name: str) -> None:
    comparison = compare(FACTS[name], nothing)
    assert (comparison.verdict, comparison.differing) == ("equal", ()), comparison
    assert comparison.compared == (len(FACTS[name].value) if isinstance(FACTS[name].value, dict) else 1)
    assert comparison.origin in ("formula", "play")


@pytest.mark.parametrize(("name", "ours"), [("gasser-states", 7673755215), ("stahl-n", 133466246771)])
def test_two_old_counts_differ(nothing: Ours, name: str, ours: int) -> None:
    comparison = compare(FACTS[name], nothing)
    assert (comparison.verdict, comparison.value) == ("different", ours)


def test_forward_search_finds_what_the_reference_engine_finds() -> None:
    game = variant("three+mill=remove")
    layers = list(reachable(game, 3))
    found = sum(layer.own.size for layer in layers)
    assert found == len(solve(game, [Position.start(game).state])) == 5262
    assert can_search(game) and not can_search(variant("lasker")) and not can_search(variant("mlynek"))


@pytest.mark.parametrize("game", ["six", "mlynek-different", "spatial-three", "nine-norepeat"])
def test_perft_with_memory_counts_as_plain_perft_does(game: str) -> None:
    start = Position.start(variant(game))
    assert perft_counts(variant(game), 3 if game == "six" else 2) == [start.perft(d) for d in range(1, 4 if game == "six" else 3)]


# --- verdicts


def fact(value: Any, compute: dict[str, Any], **more: Any) -> Fact:
    return Fact("test", "six", "something", value, "recomputed", "test", compute, **more)


def test_verdicts(small_games: Path, nothing: Ours) -> None:
    tables = Ours(small_games)
    question = {"what": "subspace", "subspace": "4-4-0-0"}
    right = fact({"positions": 56748, "slots": 69300}, question)
    assert compare(right, tables).verdict == "equal"
    wrong = replace(right, value={"positions": 56748, "slots": 1})
    comparison = compare(wrong, tables)
    assert (comparison.verdict, comparison.differing, comparison.compared, comparison.equal) == ("different", ("slots",), 2, 1)
    assert compare(replace(wrong, explained="they count otherwise"), tables).verdict == "explained"
    missing = compare(fact({"positions": 1}, {"what": "subspace", "subspace": "0-0-3-5"}), tables)
    assert (missing.verdict, missing.value) == ("not built", None)
    assert missing.command == f"merels solve six --subspace 0-0-3-5 --store {small_games}"
    start = fact({"value": "draw", "a1": "win"}, {"what": "start"})
    assert compare(start, tables).differing == ("a1",)
    for ours, origin in ((tables, "tables"), (nothing, "results")):
        assert compare(replace(start, value={"value": "draw", "dtw": None, "a1": "draw"}), ours).origin == origin


def test_results_have_no_histograms_and_tables_have(small_games: Path, nothing: Ours, answer: Answer) -> None:
    shown = answer("stats", "six", "--subspace", "3-3-0-0", "--histogram", "--store", small_games, "--json")
    (row,) = json.loads(shown)["subspaces"]
    histogram = {str(plies): number for plies, number in enumerate(row["histogram"]) if number}
    asked = fact({"win": row["win"], "histogram": histogram}, {"what": "subspace", "subspace": "3-3-0-0"})
    tables, shipped = compare(asked, Ours(small_games)), compare(asked, nothing)
    assert (tables.compared, tables.command, tables.origin) == (2, None, "tables")
    assert (shipped.compared, shipped.verdict, shipped.origin) == (1, "equal", "results")
    assert shipped.command.startswith("merels solve six --subspace 3-3-0-0")


def test_raw_counts_weigh_each_position_by_its_images(small_games: Path) -> None:
    found = computing.answer(fact({}, {"what": "raw", "subspace": "4-3-0-0"}), Ours(small_games)).value
    assert sum(found.values()) == comb(16, 4) * comb(12, 3)
    full = computing.answer(replace(fact({}, {"what": "raw", "subspace": "3-3-0-0"}), variant_name="three"), Ours(small_games)).value
    assert sum(full.values()) == comb(9, 3) * comb(6, 3)


def test_blocked_positions_are_those_lost_at_once(small_games: Path, nothing: Ours) -> None:
    six, ours = variant("six"), Ours(small_games)
    counted = {"6-6": 0}
    representative = set()
    for own in combinations(range(16), 6):
        mask = sum(1 << p for p in own)
        around = {target for hop in six.hops if mask >> hop.source & 1 for target in [hop.target] if not mask >> hop.target & 1}
        if len(around) <= 6:
            for rest in combinations(sorted(set(range(16)) - set(own) - around), 6 - len(around)):
                other = around | set(rest)
                images = [(sorted(g[p] for p in own), sorted(g[p] for p in other)) for g in six.symmetries]
                representative.add(str(min(images)))
    counted["6-6"] = len(representative)
    assert computing.answer(fact(counted, {"what": "blocked"}), ours).value == counted
    with pytest.raises(NotBuilt):
        computing.answer(fact(counted, {"what": "blocked"}), nothing)


# --- the commands


def test_known_lists_each_fact_of_a_variant(small_games: Path, answer: Answer) -> None:
    lines = answer("known", "three", "five", "--store", small_games).splitlines()
    assert lines[0].split() == ["verdict", "id", "variant", "quantity", "theirs", "ours", "from", "source"]
    rows = [line for line in lines[1:-1] if not line.startswith("  ")]
    wanted = [fact.id for fact in FACTS.values() if fact.is_about(variant("three")) or fact.is_about(variant("five"))]
    assert [row.removeprefix("not built").split()[0 if row.startswith("not built") else 1] for row in rows] == wanted
    assert any(row.startswith("equal") and "6 of 6 equal" in row and " tables " in row for row in rows)
    assert lines[-1].split(", ")[1] == "0 different"


def test_known_json(small_games: Path, answer: Answer) -> None:
    record = json.loads(answer("known", "six", "--store", small_games, "--json"))
    assert list(record) == ["variants", "comparisons", "total", "not_comparable"]
    by_id = {entry["id"]: entry for entry in record["comparisons"]}
    assert by_id["th-6mm"]["theirs"] == by_id["th-6mm"]["ours"]
    assert by_id["start-six"]["ours_from"] == "tables"
    assert sum(record["total"].values()) == len(record["comparisons"])
    assert not record["total"]["different"]
    unbuilt = by_id["two-ring-4-nofly"]
    assert unbuilt["verdict"] != "not built" or unbuilt["command"].startswith("merels solve six --subspace 0-0-4-4")


# --- shipped results


@pytest.mark.parametrize("game", ["three", "three-orthogonal", "five", "six"])
def test_shipped_results_are_what_a_build_gives(small_games: Path, answer: Answer, tmp_path: Path, game: str) -> None:
    path = tmp_path / "results.json"
    assert answer("results", game, "--store", small_games, "--output", path) == ""
    text = path.read_text()
    assert answer("results", game, "--store", small_games) == text
    built, shipped = results.read(text), results.shipped(variant(game))
    assert shipped is not None and results.text(built) == text
    assert (built.variant, built.rules, built.start) == (shipped.variant, shipped.rules, shipped.start)
    common = built.subspaces.keys() & shipped.subspaces.keys()
    closure = {s.name for unit in Graph(variant(game)).closure([Graph(variant(game)).start()]) for s in unit.subspaces}
    assert closure <= common
    for name in common:
        assert built.subspaces[name] == shipped.subspaces[name]


def test_shipped_results_agree_with_themselves() -> None:
    for game in variant_names():
        shipped = results.shipped(variant(game))
        if shipped is None:
            continue
        counter = Counter(variant(game))
        for name, counts in shipped.subspaces.items():
            subspace = Subspace.parse(name)
            assert counts["positions"] == counter.positions(subspace.stones, subspace.other)
            assert counts["positions"] == counts["win"] + counts["draw"] + counts["loss"]
            assert counts["slots"] == counter.slots(subspace.stones, subspace.other) and len(counts["sha256"]) == 64
        for number in ("slots", "positions", "win", "draw", "loss"):
            assert shipped.total[number] == sum(counts[number] for counts in shipped.subspaces.values())
        whole = f"merels solve {shipped.variant}"
        if shipped.start is None:
            assert shipped.build["command"].startswith(f"{whole} --subspace ")
            continue
        assert shipped.build["command"] == whole
        start = shipped.subspaces[Graph(variant(game)).start().name]
        assert start["positions"] != 1 or start[shipped.start["value"]] == 1


def test_readme_tells_the_shipped_results() -> None:
    root = Path(__file__).parent.parent
    made = subprocess.run([sys.executable, root / "scripts" / "results_table.py"], check=True, capture_output=True, text=True).stdout
    assert made.count("\n") > 8
    assert made in (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which five holds values only."""
    root = tmp_path_factory.mktemp("values")
    merels.solve("five", root, wdl=True)
    return root


def test_tables_without_distances_answer_what_they_can(values: Path, small_games: Path) -> None:
    command = f"merels solve five --store {values}-dtw"
    asked = fact({"win": 1, "longest": 2, "max_win": 3, "histogram": {}}, {"what": "subspace", "subspace": "4-4-0-0"})
    counted = compare(replace(asked, variant_name="five"), Ours(values))
    right = Ours(small_games).counts(variant("five"), Subspace.parse("4-4-0-0")).value["win"]
    assert (counted.value, counted.compared, counted.origin) == ({"win": right}, 1, "tables")
    assert counted.command == f"{command.replace(' --store', ' --subspace 4-4-0-0 --store')}"
    longest = compare(replace(fact(1, {"what": "longest-win", "unit": "full moves"}), variant_name="five"), Ours(values))
    assert (longest.verdict, longest.command) == ("not built", command)
    won = {"what": "start", "position": "w a1,a3,c1 b2,d2,d4 0,0"}
    (value, dtw), _ = Ours(small_games).worth(Position.parse(variant("five"), won["position"]))
    assert value == "win"
    start = compare(replace(fact({"value": value, "dtw": dtw}, won), variant_name="five"), Ours(values))
    assert (start.verdict, start.value) == ("equal", {"value": "win"}) and start.command.endswith(f"--store {values}-dtw")


def test_results_of_tables_without_distances_are_refused(values: Path, refusal: Answer) -> None:
    message = refusal("results", "five", "--store", values, code=1)
    assert message.startswith(f"{values / 'five'}: holds values only") and message.endswith(f"merels solve five --store {values}-dtw")


def test_results_tell_the_time_of_tables_that_a_later_build_adopted(tmp_path: Path, answer: Answer) -> None:
    merels.solve("three", tmp_path)
    store = Store(tmp_path, variant("three"))
    seconds = results.collect(store, 1).build["seconds"]
    store.record(store.units()[0], discardable=False)
    assert results.collect(store, 1).build["seconds"] == seconds > 0


def test_results_of_a_part_name_the_command_that_builds_it(tmp_path: Path) -> None:
    merels.solve("six", tmp_path, subspaces=["4-4-0-0", "3-5-0-0"])
    store = Store(tmp_path, variant("six"))
    part = results.read(results.text(results.collect(store, 1)))
    assert part.start is None and set(part.subspaces) == {s.name for unit in store.units() for s in unit.subspaces}
    assert part.build["command"] == "merels solve six --subspace 4-4-0-0 --subspace 5-3-0-0"


def test_results_of_what_the_start_leads_to_are_those_of_a_part(tmp_path: Path) -> None:
    merels.solve("five", tmp_path, reachable=True)
    part = results.collect(Store(tmp_path, variant("five")), 1)
    assert part.start is not None and part.build["command"] == "merels solve five --subspace 0-0-5-5"


def test_results_of_a_store_that_lacks_a_table_are_refused(small_games: Path, tmp_path: Path, refusal: Answer) -> None:
    shutil.copytree(small_games / "five", tmp_path / "five")
    (tmp_path / "five" / "4-3-0-0.h5").unlink()
    assert "table 4-3-0-0 of five is missing" in refusal("results", "five", "--store", tmp_path, code=1)


def test_results_of_an_empty_store_are_refused(tmp_path: Path, refusal: Answer) -> None:
    assert "table 0-0-6-6 of six is missing" in refusal("results", "six", "--store", tmp_path, code=1)
