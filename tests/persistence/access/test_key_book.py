"""
How long a process believes what it knows of a key.
"""

from datetime import timedelta

import attrs
import pytest
from sqlalchemy.engine import Engine

from hvcore.domain.access.keys import ALL_PERMISSIONS, ApiKey, KeyType
from hvcore.domain.ids import new_key_id
from hvcore.persistence.access import key_book
from hvcore.persistence.access.key_book import SqlKeyBook
from hvcore.persistence.engine import make_engine
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.conftest import SettableClock
from tests.persistence.samples import ENV, NOW, ORG


def _stored(uow: SqlUnitOfWork, sha256: str = "ab" * 32) -> ApiKey:
    key = ApiKey(
        id=new_key_id(),
        name="k",
        type=KeyType.ENVIRONMENT,
        org_id=ORG,
        env_id=ENV,
        permissions=ALL_PERMISSIONS,
        sha256=sha256,
        shown="hv_test_abcd",
        created_at=NOW,
    )
    with uow.write() as work:
        work.keys.add(key)
        work.commit()
    return key


def _revoke(uow: SqlUnitOfWork, key: ApiKey) -> None:
    with uow.write() as work:
        work.keys.save(attrs.evolve(key, revoked_at=NOW))
        work.commit()


def test_a_revoked_key_stops_within_two_seconds_on_another_process(
    uow: SqlUnitOfWork, engine: Engine, clock: SettableClock
) -> None:
    key = _stored(uow)
    # An engine of its own, as another process has it.
    other = make_engine(engine.url.render_as_string(hide_password=False))
    book = SqlKeyBook(other, clock)
    before = book.find(key.sha256)

    _revoke(uow, key)
    clock.move(timedelta(seconds=2))
    after = book.find(key.sha256)
    other.dispose()

    assert before is not None
    assert after is not None
    assert (before.revoked_at, after.revoked_at) == (None, NOW)


def test_a_clock_that_is_set_back_keeps_no_key_alive(
    uow: SqlUnitOfWork, engine: Engine, clock: SettableClock
) -> None:
    key = _stored(uow)
    book = SqlKeyBook(engine, clock)
    book.find(key.sha256)

    _revoke(uow, key)
    clock.move(timedelta(hours=-1))

    found = book.find(key.sha256)
    assert found is not None
    assert found.revoked_at == NOW


def test_a_new_key_works_at_once(
    uow: SqlUnitOfWork, engine: Engine, clock: SettableClock
) -> None:
    book = SqlKeyBook(engine, clock)
    assert book.find("ab" * 32) is None

    key = _stored(uow)

    assert book.find("ab" * 32) == key


def test_more_keys_than_are_remembered_are_found(
    uow: SqlUnitOfWork,
    engine: Engine,
    clock: SettableClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_book, "MAX_KNOWN_KEYS", 2)
    keys = [_stored(uow, f"{number:02x}" * 32) for number in range(5)]
    book = SqlKeyBook(engine, clock)

    assert [book.find(key.sha256) for key in keys * 2] == keys * 2
