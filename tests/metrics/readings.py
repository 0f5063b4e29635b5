"""
Read what this process has measured.
"""

from collections.abc import Mapping

from prometheus_client import REGISTRY


def reading(name: str, **labels: str) -> float:
    """
    Return a value of a metric; 0 if nothing was measured.
    """
    return REGISTRY.get_sample_value(name, labels) or 0.0


class Growth:
    """
    How much values have grown since this was made.
    """

    def __init__(self, wanted: Mapping[str, Mapping[str, str]]) -> None:
        self._wanted = wanted
        self._before = self._now()

    def of_all(self) -> dict[str, float]:
        """
        Return it for each.
        """
        now = self._now()
        return {name: now[name] - self._before[name] for name in now}

    def _now(self) -> dict[str, float]:
        return {name: reading(name, **labels) for name, labels in self._wanted.items()}
