"""Emulate AWS Elemental MediaConvert on one machine, with real encoding, for tests."""

from typing import Final

__version__: Final = "0.1.0"
