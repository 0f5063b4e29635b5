"""
Write the API's clients for Python and JavaScript from its OpenAPI document.

The generator is a tool for hvcore's developers; no service and no client needs it at run
time.
"""

from typing import Final

__version__: Final = "0.1.0"
