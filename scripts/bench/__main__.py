"""Measure merels: builds, phases of builds, variants, probes. Figures as JSON, to be compared with those kept from earlier runs.

    python scripts/bench phases nine --moving --stones 12 --json phases.json
    python scripts/bench compare phases.json

Figures need an idle machine to mean anything. Each kind of measurement is a module of this folder; `record` has what they share.
"""

from __future__ import annotations

import click

from builds import builds
from compare import compare
from merels.errors import MerelsError
from phases import phases
from probes import probes
from variants import variants


class Group(click.Group):
    """A group whose commands end in a message where merels has one."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except MerelsError as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=Group)
def main() -> None:
    """Measure merels on this machine, which should have nothing else to do."""


for one in (builds, phases, variants, probes, compare):
    main.add_command(one)

if __name__ == "__main__":
    main(prog_name="bench")
