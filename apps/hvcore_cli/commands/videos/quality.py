"""The command line option that chooses a quality preset."""

from typing import Final

import click

from hvcore.domain.processing.encoding import Preset

quality_option: Final = click.option(
    "--quality",
    type=click.Choice([preset.value for preset in Preset]),
    default=Preset.STANDARD.value,
    show_default=True,
    help="The preset: which renditions are made, and with which bitrates.",
)
