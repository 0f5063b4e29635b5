"""
How thoroughly this run of the tests looks.
"""

import os
from typing import Final

IS_LONG: Final = "LONG_TESTS" in os.environ
"""Whether ``./hv test --long`` runs the tests."""
