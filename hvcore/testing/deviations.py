"""
Promises of a kit that a backend does not keep, as its author declares them.

Every kit inherits ``DeclaresDeviations``. A backend's author names the test of a promise
and says why the backend does not keep it::

    class TestAcmeQueue(QueueConformance):
        deviations = {
            "test_a_lane_is_a_queue_of_its_own": "one queue serves all lanes",
        }

Such a test still runs. If it fails, pytest reports it as an expected failure with
that reason (``xfail``, and ``deviation`` in a JUnit report). If it passes, pytest
reports that as well, or calls it a failure where ``xfail_strict`` is set, so that a
declaration does not outlive its reason.
"""

from collections.abc import Mapping
from typing import ClassVar

import pytest


class DeclaresDeviations:
    """
    A kit whose promises a backend may decline, with a reason for each.

    Attributes:
        deviations: Names of the kit's tests with a reason. ``test_it[case]`` names
            one case of a test that has several, ``test_it`` all of them.
    """

    deviations: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls) -> None:
        """
        Check the declared deviations of a test class.

        Raises:
            TypeError: A name is not the name of a test of the kit, or its reason is
                empty.
        """
        super().__init_subclass__()
        for test, reason in cls.deviations.items():
            if not callable(getattr(cls, test.partition("[")[0], None)):
                raise TypeError(f"{cls.__name__}.deviations: the kit has no {test!r}")
            if not reason.strip():
                raise TypeError(f"{cls.__name__}.deviations: say why, for {test!r}")

    @pytest.fixture(autouse=True)
    def _expect_declared_deviation(self, request: pytest.FixtureRequest) -> None:
        item = request.node
        reason = self.deviations.get(item.name) or self.deviations.get(
            request.function.__name__
        )
        if reason is not None:
            item.user_properties.append(("deviation", reason))
            item.add_marker(pytest.mark.xfail(reason=f"declared: {reason}"))
