"""
A clock that tests set.
"""

import attrs
import pytest


@attrs.define
class Elapsed:
    """
    Seconds that pass when a test says so.
    """

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def elapsed() -> Elapsed:
    """
    Return a clock.
    """
    return Elapsed()
