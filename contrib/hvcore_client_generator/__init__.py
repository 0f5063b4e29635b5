"""
Writes the clients of the API from its OpenAPI document.

A tool of developers; no service and no client needs it while it runs.
"""

from typing import Final

__version__: Final = "0.1.0"
