"""
Several rotate a key at the same time, on either database.
"""

import threading
from collections.abc import Callable, Sequence

import attrs
import pytest

from hvcore.assembly.own_keys import KeyRotations, make_upload_signer
from hvcore.domain.access.service_keys import UPLOADS, ServiceKey
from hvcore.errors import ConflictError
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.services.access.key_rotation import KeyRotation
from hvcore.services.uploads.key_rotation import LAST_ADDRESSES_END_AFTER
from hvcore.settings import UploadSettings
from hvcore.signing.sealing import Sealer
from hvcore.signing.upload_addresses import UploadSigner
from tests.conftest import SettableClock
from tests.persistence.samples import at_once

SETTINGS = UploadSettings(signing_key="u" * 16 + "0123456789abcdef" * 2)
SEALER = Sealer(SETTINGS.signing_key)
CALLERS = 4


@pytest.fixture
def process(uow: SqlUnitOfWork, clock: SettableClock) -> Callable[[], KeyRotation]:
    """
    Return a rotation as another process has it, which waits for nothing.
    """

    def made() -> KeyRotation:
        rotations = KeyRotations(uow=uow, sealer=SEALER, clock=clock)
        return attrs.evolve(rotations.uploads(signer(uow)), wait=lambda _: None)

    return made


def signer(uow: SqlUnitOfWork) -> UploadSigner:
    def load() -> Sequence[ServiceKey]:
        with uow.read() as work:
            return work.service_keys.all(UPLOADS)

    return make_upload_signer(SETTINGS, load, SEALER)


def states(rotation: KeyRotation) -> list[tuple[bool, bool]]:
    return [(state.signs, state.is_believed) for state in rotation.states()]


def test_of_several_rotations_at_once_all_have_one_key_sign(
    process: Callable[[], KeyRotation],
) -> None:
    together = threading.Barrier(CALLERS)

    def rotate(_: int) -> str:
        # All have prepared a key before the first one signs.
        return attrs.evolve(process(), wait=lambda _: together.wait(60)).rotate()

    kids = at_once(rotate, threads=CALLERS)

    assert len(set(kids)) == 1
    assert states(process()) == [(False, True), (True, True)]


def test_of_several_replacements_at_once_the_last_one_is_believed_alone(
    process: Callable[[], KeyRotation],
) -> None:
    kids = at_once(lambda _: process().replace_now(), threads=CALLERS)

    found = {state.kid: state for state in process().states()}
    assert len(set(kids)) == CALLERS
    assert [kid for kid in kids if found[kid].is_believed] == [
        kid for kid in kids if found[kid].signs
    ]
    assert sum(state.is_believed for state in found.values()) == 1


def test_a_rotation_does_not_bring_back_a_key_that_was_ended_meanwhile(
    process: Callable[[], KeyRotation], clock: SettableClock
) -> None:
    new: list[str] = []

    def replace(_: float) -> None:
        new.append(process().replace_now())

    with pytest.raises(ConflictError, match="--now"):
        attrs.evolve(process(), wait=replace).rotate()

    # The other one's key goes on, and is not to end.
    clock.moment += LAST_ADDRESSES_END_AFTER
    [left] = [state for state in process().states() if state.is_believed]
    assert (left.kid, left.signs, left.believed_until) == (new[0], True, None)


def test_a_rotation_that_comes_too_late_does_not_end_the_key_after_it(
    process: Callable[[], KeyRotation], clock: SettableClock
) -> None:
    kids: list[str] = []

    def twice(_: float) -> None:
        kids.extend([process().rotate(), process().rotate()])

    first = attrs.evolve(process(), wait=twice).rotate()

    assert first == kids[0]
    clock.moment += LAST_ADDRESSES_END_AFTER
    [left] = [state for state in process().states() if state.is_believed]
    assert (left.kid, left.signs, left.believed_until) == (kids[1], True, None)
