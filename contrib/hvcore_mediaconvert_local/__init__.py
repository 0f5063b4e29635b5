"""A MediaConvert on one machine, which really encodes: for tests, without a cloud."""

from typing import Final

__version__: Final = "0.1.0"
