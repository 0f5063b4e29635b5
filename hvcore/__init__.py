"""A framework for building video hosting backends."""

from typing import Final

__version__: Final = "0.1.0"
