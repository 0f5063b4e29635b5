"""
The client of the API for JavaScript: one module, and its types for TypeScript.

``hvcore_client_generator`` writes both, of the parts in ``source``. Nothing here is
imported by them; the API serves them under its own address.
"""

from pathlib import Path
from typing import Final

MODULE: Final = Path(__file__).with_name("client.js")
TYPES: Final = Path(__file__).with_name("client.d.ts")
