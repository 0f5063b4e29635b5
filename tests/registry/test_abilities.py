"""
Optional abilities of backends: by their class, and as they were set up.
"""

from typing import Any, Protocol

import attrs
import pytest

from hvcore.hookspecs import QueueBackend
from hvcore.ports.analytics import AnalyticsReport, SupportsReports
from hvcore.ports.queue import Queue
from hvcore.registry.abilities import abilities_of, abilities_of_class, class_of
from hvcore.registry.kinds import KINDS
from tests.support.fakes import MemoryQueue


class SupportsRinging(Protocol):
    """
    An ability by its members, of which one tells whether it is really so.
    """

    @property
    def can_ring(self) -> bool: ...

    def ring(self) -> None: ...


class SupportsGlowing:
    """
    An ability by inheritance.
    """


class Clapper:
    def ring(self) -> None: ...


class Bell(Clapper):
    def __init__(self, *, is_wired: bool) -> None:
        self.is_wired = is_wired

    @property
    def can_ring(self) -> bool:
        return self.is_wired


class GlowingBell(Bell, SupportsGlowing): ...


class Ledger(SupportsReports):
    reports = frozenset({AnalyticsReport.QUALITY, AnalyticsReport.BREAKDOWN})


class EmptyLedger(SupportsReports): ...


KIND = attrs.evolve(
    KINDS["queue"], abilities=(SupportsRinging, SupportsGlowing, SupportsReports)
)


@pytest.mark.parametrize(
    ("made", "abilities"),
    [
        (Clapper, []),
        (Bell, ["SupportsRinging"]),
        (GlowingBell, ["SupportsRinging", "SupportsGlowing"]),
        (Ledger, ["SupportsReports (breakdown, quality)"]),
        (EmptyLedger, ["SupportsReports (none)"]),
    ],
)
def test_a_class_has_the_abilities_whose_members_or_classes_it_has(
    made: type, abilities: list[str]
) -> None:
    assert abilities_of_class(made, KIND) == abilities


@pytest.mark.parametrize(
    ("made", "abilities"),
    [
        (GlowingBell(is_wired=True), ["SupportsRinging", "SupportsGlowing"]),
        (GlowingBell(is_wired=False), ["SupportsGlowing"]),
        (Ledger(), ["SupportsReports (breakdown, quality)"]),
    ],
)
def test_a_built_backend_has_the_abilities_that_it_says_it_can_use(
    made: object, abilities: list[str]
) -> None:
    assert abilities_of(made, KIND) == abilities


def declares_its_class(options: Any, context: Any) -> MemoryQueue:  # noqa: ANN401 - as factories have them
    raise NotImplementedError


def declares_a_port(options: Any, context: Any) -> Queue:  # noqa: ANN401 - see above
    raise NotImplementedError


def declares_nothing(options, context):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - a plugin may
    raise NotImplementedError


def declares_a_missing_name(options: Any, context: Any) -> "Missing":  # type: ignore[name-defined]  # noqa: ANN401, F821 - a plugin may
    raise NotImplementedError


def declares_another_class(options: Any, context: Any) -> Bell:  # noqa: ANN401 - see above
    raise NotImplementedError


def declares_a_choice(options: Any, context: Any) -> MemoryQueue | None:  # noqa: ANN401 - see above
    raise NotImplementedError


@pytest.mark.parametrize(
    ("factory", "made"),
    [
        (MemoryQueue, MemoryQueue),
        (declares_its_class, MemoryQueue),
        (Queue, None),
        (declares_a_port, None),
        (declares_nothing, None),
        (declares_a_missing_name, None),
        (declares_another_class, None),
        (declares_a_choice, None),
    ],
)
def test_the_class_of_a_backend_is_the_one_that_its_factory_declares(
    factory: Any,  # noqa: ANN401 - a factory of any kind
    made: type | None,
) -> None:
    assert class_of(QueueBackend(name="acme", factory=factory), KINDS["queue"]) is made
