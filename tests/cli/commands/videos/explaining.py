"""
The explanation that a command has printed.
"""

import json
from typing import Any

from tests.cli.conftest import Outcome


def found(outcome: Outcome) -> list[dict[str, Any]]:
    document = json.loads(outcome.stdout)
    refusals: list[dict[str, Any]] = document["refusals"]
    return refusals
