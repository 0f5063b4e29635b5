"""The version of this client, which is that of the service whose API it knows."""

from typing import Final

__version__: Final = "0.1.0"
