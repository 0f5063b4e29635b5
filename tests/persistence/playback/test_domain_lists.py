"""
Lists of domains that tokens name.
"""

from datetime import timedelta

from sqlalchemy.engine import Engine

from hvcore.domain.playback.domain_lists import NamedDomains, is_domain_list_id
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import NOW

HOUR = timedelta(hours=1)


def keep(uow: SqlUnitOfWork, stored: NamedDomains) -> None:
    with uow.write() as work:
        work.domain_lists.keep(stored)
        work.commit()


def test_a_list_is_named_by_what_is_in_it() -> None:
    one = NamedDomains.of(["b.test", "a.test", "b.test"], NOW)
    same = NamedDomains.of(["a.test", "b.test"], NOW + HOUR)
    other = NamedDomains.of(["a.test"], NOW)

    assert one.id == same.id != other.id
    assert is_domain_list_id(one.id)
    assert one.domains == ("a.test", "b.test")


def test_a_list_is_found_by_its_name(engine: Engine, uow: SqlUnitOfWork) -> None:
    stored = NamedDomains.of(["a.test", "*.b.test"], NOW)
    directory = SqlPlaybackDirectory(engine)
    assert directory.find_domains(stored.id) is None

    keep(uow, stored)

    assert directory.find_domains(stored.id) == stored.domains
    assert directory.find_domains("0" * 32) is None


def test_a_list_is_never_kept_for_a_shorter_time(uow: SqlUnitOfWork) -> None:
    until = []
    for hours in (2, 1, 3):
        stored = NamedDomains.of(["a.test"], NOW + hours * HOUR)
        keep(uow, stored)
        with uow.read() as work:
            until.append(work.domain_lists.expires_at(stored.id))

    assert until == [NOW + 2 * HOUR, NOW + 2 * HOUR, NOW + 3 * HOUR]


def test_lists_go_once_nothing_can_name_them(uow: SqlUnitOfWork) -> None:
    for hours in range(1, 6):
        keep(uow, NamedDomains.of([f"{hours}.test"], NOW + hours * HOUR))

    with uow.write() as work:
        assert work.domain_lists.forget(NOW + 3 * HOUR, 2) == 2
        assert work.domain_lists.forget(NOW + 3 * HOUR, 2) == 1
        assert work.domain_lists.forget(NOW + 3 * HOUR, 2) == 0
        last = NamedDomains.of(["5.test"], NOW)
        assert work.domain_lists.expires_at(last.id) == NOW + 5 * HOUR
