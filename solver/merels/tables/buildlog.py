"""Build log: a JSON line for each finished unit with what it took. The one file of a store that builds do not share."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from merels._version import __version__
from merels.tables.atomic import refusal

NAME = "build.jsonl"


def append(folder: Path, unit: str, facts: dict[str, Any]) -> None:
    """Add a line; ``facts`` are the builder's, their names tell the units (``seconds``, ``peak_memory_bytes``).

    It begins a line of its own also where a full disk has cut the last one off.
    """
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    line = {"unit": unit, **facts, "builder": f"merels {__version__}", "finished": finished}
    path = folder / NAME
    try:
        with path.open("ab+") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 1, 0))
            begin = b"" if file.read(1) in (b"", b"\n") else b"\n"
            file.write(begin + (json.dumps(line) + "\n").encode())
    except OSError as error:
        raise refusal(path, error) from error


def read(folder: Path) -> list[dict[str, Any]]:
    """All lines; one that a dying build left unfinished is skipped. What is no file, a device for instance, has none."""
    path = folder / NAME
    try:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return []
    records = []
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append(record)
    return records
