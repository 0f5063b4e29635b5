"""
The codes of share links in the database.
"""

from datetime import timedelta

import attrs
import pytest

from hvcore.domain.ids import new_share_code_id
from hvcore.domain.links.links import ShareLink
from hvcore.domain.links.share_codes import MAX_CODE_GUESSES, ShareCode
from hvcore.domain.videos.video import Video
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.links.test_links import added, share_of
from tests.persistence.samples import NOW, at_once

pytestmark = pytest.mark.services


@pytest.fixture
def share(uow: SqlUnitOfWork, clip: Video) -> ShareLink:
    return added(uow, share_of(clip))


def made(uow: SqlUnitOfWork, share: ShareLink, **changes: object) -> ShareCode:
    code = ShareCode.make(share, "ann@example.com", NOW)
    code = attrs.evolve(code, **changes)  # type: ignore[arg-type]  # names of fields
    with uow.write() as work:
        work.share_codes.add(code)
        work.commit()
    return code


def guess(uow: SqlUnitOfWork, code: ShareCode, **changes: object) -> ShareCode | None:
    asked = attrs.evolve(code, **changes)  # type: ignore[arg-type]  # names of fields
    with uow.write() as work:
        found = work.share_codes.take_guess(asked.id, asked.share_id, NOW)
        work.commit()
    return found


def test_a_code_comes_back_as_it_went(uow: SqlUnitOfWork, share: ShareLink) -> None:
    code = made(uow, share)

    with uow.read() as work:
        assert work.share_codes.find(code.id) == code
        assert work.share_codes.find("\0") is work.share_codes.find("shc_x") is None


def test_no_more_guesses_are_taken_than_there_are(
    uow: SqlUnitOfWork, share: ShareLink
) -> None:
    code = made(uow, share)

    found = at_once(lambda _: guess(uow, code), threads=20)

    taken = sorted(one.guesses for one in found if one is not None)
    assert taken == list(range(1, MAX_CODE_GUESSES + 1))


def test_a_guess_is_for_its_own_link_while_the_code_lasts(
    uow: SqlUnitOfWork, clip: Video, share: ShareLink
) -> None:
    other = added(uow, share_of(clip))
    code, expired = made(uow, share), made(uow, share, expires_at=NOW)

    assert guess(uow, code, share_id=other.id) is None
    assert guess(uow, code, id=new_share_code_id()) is None
    assert guess(uow, expired) is None
    assert guess(uow, code) == attrs.evolve(code, guesses=1)


def test_codes_are_counted_by_address_and_removed_by_age(
    uow: SqlUnitOfWork, share: ShareLink
) -> None:
    old = NOW - timedelta(hours=1)
    code, before = made(uow, share), made(uow, share, created_at=old)
    made(uow, share, recipient="other")
    used = made(uow, share)

    with uow.write() as work:
        assert work.share_codes.made_for(code.recipient, NOW - timedelta(days=1)) == 3
        assert work.share_codes.made_for(code.recipient, old) == 2
        assert work.share_codes.use(used.id, NOW)
        work.share_codes.remove_old(old)
        assert work.share_codes.find(before.id) is None
        assert work.share_codes.find(code.id) == code
        # Also the one that was used.
        assert work.share_codes.made_for(code.recipient, old) == 2


def test_the_newest_code_is_of_those_that_are_good(
    uow: SqlUnitOfWork, share: ShareLink
) -> None:
    code = made(uow, share, created_at=NOW - timedelta(minutes=2))
    newer = made(uow, share, created_at=NOW - timedelta(minutes=1))
    made(uow, share, created_at=NOW, expires_at=NOW)
    made(uow, share, created_at=NOW, recipient="other")
    made(uow, share, created_at=NOW, is_for_viewer=False)

    def newest() -> ShareCode | None:
        with uow.read() as work:
            return work.share_codes.newest(code.recipient, NOW)

    assert newest() == newer
    with uow.write() as work:
        work.share_codes.use(newer.id, NOW)
        work.commit()
    assert newest() == code


def test_a_code_is_used_once_by_however_many_at_once(
    uow: SqlUnitOfWork, share: ShareLink
) -> None:
    code = made(uow, share)

    def use(_: int) -> bool:
        with uow.write() as work:
            is_first = work.share_codes.use(code.id, NOW)
            work.commit()
        return is_first

    assert at_once(use, threads=8).count(True) == 1
