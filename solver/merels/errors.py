"""The errors a user can meet: a short hierarchy under `MerelsError`.

Every message says what was wrong, where, and what to do next. `exit_code` is what the command line ends with:
2 for wrong input, 1 where the input was right but the answer cannot be given. Errors of the program itself
(a broken invariant) are ordinary Python exceptions and do not live here.
"""

from __future__ import annotations


class MerelsError(Exception):
    """Base of all errors of merels; `exit_code` is the exit status of the command line."""

    exit_code = 2


class InputError(MerelsError):
    """Something the user gave is wrong: a name, a file, a rule, a position, a turn."""


class BoardError(InputError):
    """A board that cannot be: a line with an unknown point, two points in one place, too many points."""


class RulesError(InputError):
    """Rules that are impossible or contradict one another; `field` names the rule parameter."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class VariantError(InputError):
    """A variant file that cannot be read, or a name that a variant cannot have."""


class UnknownVariantError(InputError):
    """No variant has this name; the message lists the nearest names."""


class PositionError(InputError):
    """A position string that is malformed or describes no position of the variant."""


class TurnError(InputError):
    """A turn that is malformed or not legal in the position."""


class MissingTableError(MerelsError):
    """A table that is needed has not been built.

    Attributes
    ----------
    table : str
        Name of the missing table.
    command : str
        The exact command that builds it.
    """

    exit_code = 1

    def __init__(self, message: str, table: str, command: str) -> None:
        super().__init__(message)
        self.table = table
        self.command = command


class TableError(MerelsError):
    """A table file that is damaged, truncated, or not a table at all."""

    exit_code = 1


class RuleMismatchError(TableError):
    """A table of other rules than the variant asked for."""


class BusyError(MerelsError):
    """Another process is building tables in the same folder."""

    exit_code = 1


class LimitError(MerelsError):
    """A limit of memory, disk or size that the work would pass."""

    exit_code = 1
