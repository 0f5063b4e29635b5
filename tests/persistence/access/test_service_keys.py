"""
The service's own keys, as services and as delivery read them.
"""

from datetime import timedelta

from sqlalchemy.engine import Engine

from hvcore.domain.access.service_keys import PLAYBACK, ServiceKey
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.conftest import SettableClock


def test_delivery_reads_keys_as_they_are_stored_and_as_they_end(
    engine: Engine, uow: SqlUnitOfWork, clock: SettableClock
) -> None:
    directory = SqlPlaybackDirectory(engine)
    now = clock.now()
    key = ServiceKey(id="svk_a", purpose=PLAYBACK, material=b"\0x", created_at=now)
    assert directory.service_keys() == []
    with uow.write() as work:
        work.service_keys.add(key)
        work.commit()
    assert list(directory.service_keys()) == [key]

    with uow.write() as work:
        work.service_keys.begin(key.id, now)
        work.service_keys.end(key.id, now + timedelta(days=7))
        assert work.service_keys.erase_ended(now) == 0
        work.commit()

    [read] = directory.service_keys()
    assert (read.signs_from, read.believed_until) == (now, now + timedelta(days=7))
    with uow.write() as work:
        assert work.service_keys.erase_ended(now + timedelta(days=7)) == 1
        assert [one.material for one in work.service_keys.all(PLAYBACK)] == [b""]


def test_a_key_is_known_from_the_moment_after_it_was_stored(
    engine: Engine, uow: SqlUnitOfWork, clock: SettableClock
) -> None:
    directory = SqlPlaybackDirectory(engine)
    now = clock.now()
    key = ServiceKey(id="svk_a", purpose=PLAYBACK, material=b"\0x", created_at=now)
    with directory.moment():
        assert directory.service_keys() == []
    with directory.moment():
        assert directory.service_keys() == []
    with uow.write() as work:
        work.service_keys.add(key)
        work.commit()

    with directory.moment():
        assert list(directory.service_keys()) == [key]
    with uow.write() as work:
        work.service_keys.end(key.id, now + timedelta(days=7))
        work.commit()

    with directory.moment():
        [read] = directory.service_keys()
    assert read.believed_until == now + timedelta(days=7)
