"""Remedies: the exact commands that build tables, for messages about missing and damaged ones."""

from __future__ import annotations

import shlex
from os import PathLike

from merels.subspaces import Subspace
from merels.tables.metric import DTW, WDL
from merels.variants import Variant, variant_names


def solve_command(
    variant: Variant,
    root: str | PathLike[str] | None = None,
    subspace: Subspace | None = None,
    metric: str = DTW,
    quiet_limit: int = 0,
) -> str:
    """The command that builds a variant's tables, or those of one subspace, in the store ``root`` (None: the usual one).

    With ``quiet_limit`` the command also finds out which wins cannot be forced within the limit. A variant of a user's own is named by its
    file, or by ``NAME.toml`` where it was not read from one.
    """
    origin, *changes = variant.name.split("+")
    words = ["merels", "solve", origin if origin in variant_names() else variant.file or f"{origin}.toml"]
    for part in changes:
        key, _, value = part.partition("=")
        words += ["--men", value] if key == "men" else ["--rule", f"{key}={value}"]
    if subspace is not None:
        words += ["--subspace", subspace.option]
    elif variant.rules.players == 3:
        words += ["--moving", "--stones", "9"]  # the least that there is; the whole game has no tables
    if metric == WDL:
        words.append("--wdl")
    if quiet_limit:
        words += ["--quiet-limit", str(quiet_limit)]
    if root is not None:
        words += ["--store", str(root)]
    return shlex.join(words)
