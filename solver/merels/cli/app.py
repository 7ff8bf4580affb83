"""The `merels` command: which subcommands there are, and how a run ends.

A subcommand's module is imported when it is asked for, and imports Numba, NumPy or h5py only inside the function that
needs them, so help and cheap commands answer at once. This is the one place that turns exceptions into messages and
exit codes: 0 done, 1 the answer is "no" or cannot be given, 2 wrong usage or input.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from merels._version import __version__
from merels.cli.common import verbose_option
from merels.errors import MerelsError

# Name of the command: where it is. `merels --help` lists them in this order.
COMMANDS: Mapping[str, str] = {
    "variants": "merels.cli.rules:variants",
    "board": "merels.cli.rules:board",
    "turns": "merels.cli.rules:turns",
    "perft": "merels.cli.rules:perft",
    "game": "merels.cli.playing:game",
    "estimate": "merels.cli.solving:estimate",
    "solve": "merels.cli.solving:solve",
    "query": "merels.cli.asking:query",
    "line": "merels.cli.asking:line",
    "stats": "merels.cli.checking:stats",
    "verify": "merels.cli.checking:verify",
    "known": "merels.cli.knowing:known",
    "results": "merels.cli.knowing:results",
}

EXIT_INTERRUPTED = 128 + 2  # as a shell reports SIGINT

_WRONG_PATH = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)


class LazyGroup(click.Group):
    """A click group that imports a command when it is used, and ends every run with a clear message."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or return None where there is none of this name."""
        target = COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, attribute = target.split(":")
        return getattr(import_module(module), attribute)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with; for a misspelt one, suggest the nearest."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the commands are {', '.join(COMMANDS)}."
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and push out the last of its output while an error of that can still be told."""
        result = super().invoke(ctx)
        if sys.stdout is not None:  # closed by whoever started the program
            sys.stdout.flush()
        return result

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]
        """Run with the given arguments (default: those of the process) and exit.

        No mistake of a user and no limit of the machine shows a traceback. A closed pipe (`merels ... | head`) is
        click's to handle, and ends quietly.
        """
        extra["standalone_mode"] = False
        try:
            with _interrupts_undisguised():
                code = super().main(args, prog_name or "merels", **extra)
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            if context is not None:
                click.echo(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n", err=True)
            code = _fail(error.format_message(), error.exit_code)
        except MerelsError as error:
            code = _fail(str(error), error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            code = _fail("interrupted", EXIT_INTERRUPTED)
        except MemoryError:
            code = _fail("out of memory; free some or try a smaller task", 1)
        except (pickle.UnpicklingError, EOFError) as error:
            from merels.kernels.jit import CACHE_FOLDER

            code = _fail(f"{CACHE_FOLDER}: a compiled kernel is damaged ({error}); delete this folder, and kernels are compiled anew", 1)
        except OSError as error:
            where, remedy = f"{error.filename}: " if error.filename else "", ""
            if error.errno == errno.ENOSPC:
                _let_go_of_output()
                remedy = "" if where else "; make room where output and compiled kernels go (MERELS_CACHE_DIR names a folder for these)"
            code = _fail(f"{where}{error.strerror or error}{remedy}", 2 if isinstance(error, _WRONG_PATH) else 1)
        sys.exit(code if isinstance(code, int) else 0)


@contextlib.contextmanager
def _interrupts_undisguised() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where a library that was interrupted tells of something else, as HDF5 does of damage."""
    try:
        yield
    except click.ClickException:
        raise
    except Exception as error:
        origin: BaseException | None = error
        while origin is not None and not isinstance(origin, KeyboardInterrupt):
            origin = origin.__cause__ or origin.__context__
        if origin is not None:
            raise KeyboardInterrupt from None
        raise


def _let_go_of_output() -> None:
    """Send standard output to nowhere, lest Python try once more at exit to write what the disk had no room for."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    click.echo(f"merels: error: {message}", err=True)
    return code


@click.group(
    "merels",
    subcommand_metavar="COMMAND [ARGS]...",
    cls=LazyGroup,
    invoke_without_command=True,
    params=[verbose_option()],
    epilog="\b\nExample:\n  merels board nine 'w a7,d7 b6 7,8'\n\nEach command explains itself: merels COMMAND --help",
)
@click.version_option(__version__, prog_name="merels", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Solve games of the morris family: nine men's morris, its smaller and larger cousins, and your own variants.

    VARIANT is the name of a variant (see `merels variants`) or a TOML file. POSITION is a position string such as
    'w a7,d7 b6 7,8': the player to move, White's points, Black's points and the stones in hand.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)
