"""
What strangers do who have a share link that is for one viewer, on both databases.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import attrs
import pytest

from hvcore.assembly import build
from hvcore.domain.links.links import MAX_GUESSES
from hvcore.domain.links.share_codes import (
    MAX_CODE_GUESSES,
    MAX_GUESSES_OF_ALL,
    MAX_MAILS,
)
from hvcore.settings import DatabaseSettings
from tests.conftest import SettableClock
from tests.persistence.samples import at_once
from tests.services.links.test_share_codes import (
    EMAIL,
    ask,
    code_in,
    enter,
    mails,
    tasks,
    wrong,
)
from tests.support.http.cinema import Cinema
from tests.support.http.fixtures import open_world, settings_of
from tests.support.servers import PostgresqlServer

pytestmark = pytest.mark.services

STRANGER = "198.51.100.7"
VIEWER = "192.0.2.1"


@pytest.fixture(
    scope="module",
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.every(3))],
)
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cinema]:
    settings = settings_of(tmp_path_factory.mktemp("house"))
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("postgresql")
        database = DatabaseSettings(url=server.new_database())
        settings = attrs.evolve(settings, database=database)
    # PostgreSQL has a clock of its own, by which tasks are run.
    clock = SettableClock(datetime.now(UTC))
    with build(settings, overrides={"clock": clock}) as services:
        services.migrate()
    with open_world(settings, clock) as world:
        yield Cinema(api=world)


@pytest.fixture
def cinema(house: Cinema) -> Cinema:
    """
    A cinema in which everything was mailed that tests before have asked for.
    """
    mails(house)
    return house


@pytest.fixture
def share(cinema: Cinema) -> str:
    return cinema.share(viewerEmail=EMAIL, expirationHours=720)


def told(
    cinema: Cinema, share: str, address: str = EMAIL, *, client: str = STRANGER
) -> int:
    page = cinema.page(f"/v1/watch/{share}", form=f"email={address}", client=client)
    return page.status_code


def guessed(cinema: Cinema, share: str, code: str, *, client: str) -> int:
    return enter(cinema, share, "shc_" + "0" * 22, code, client=client).status_code


def test_a_stranger_who_asks_for_twelve_codes_shuts_nobody_out(
    cinema: Cinema, share: str
) -> None:
    asked = [told(cinema, share) for _ in range(12)]
    *_, newest = mails(cinema)

    assert asked == [200] * MAX_GUESSES + [429] * 2
    request = ask(cinema, share, client=VIEWER)
    # No further mail, but the code of the last one is good.
    assert mails(cinema) == []
    page = enter(cinema, share, request, code_in(newest), client=VIEWER)
    assert page.status_code == 200


def test_at_any_moment_there_is_a_mail_or_a_code_that_is_good(
    cinema: Cinema, share: str
) -> None:
    """
    However a stranger spreads the questions over an hour.
    """
    sent = []
    for _ in range(14):
        told(cinema, share)
        sent += mails(cinema)
        cinema.api.clock.move(timedelta(minutes=9))
    request = ask(cinema, share, client=VIEWER)
    sent += mails(cinema)

    page = enter(cinema, share, request, code_in(sent[-1]), client=VIEWER)

    assert page.status_code == 200
    assert len(sent) <= 3 * MAX_MAILS


def test_wrong_addresses_leave_no_tasks_and_no_codes(
    cinema: Cinema, share: str
) -> None:
    before = len(tasks(cinema))

    for number in range(60):
        client = f"198.51.100.{number}"
        assert told(cinema, share, f"a{number}@example.com", client=client) == 200

    assert len(tasks(cinema)) == before
    assert told(cinema, share, client=VIEWER) == 200
    (mail,) = mails(cinema)
    assert mail["To"] == EMAIL


def test_the_right_address_is_refused_like_any_other(
    cinema: Cinema, share: str
) -> None:
    other = cinema.share(viewerEmail=EMAIL)

    right = [told(cinema, share) for _ in range(12)]
    wrong_ = [told(cinema, other, "bob@example.com") for _ in range(12)]

    assert right == wrong_


def test_no_answer_waits_for_the_queue(cinema: Cinema, share: str) -> None:
    """
    Who measures how long answers take would learn which address is right.
    """
    rung = len(cinema.api.queue.rung)

    told(cinema, share)

    assert len(cinema.api.queue.rung) == rung
    assert len(mails(cinema)) == 1


def test_wrong_codes_of_a_stranger_do_not_shut_out_the_viewer(
    cinema: Cinema, share: str
) -> None:
    request = ask(cinema, share, client=VIEWER)
    (mail,) = mails(cinema)
    code = code_in(mail)

    for number in range(2 * MAX_GUESSES_OF_ALL):
        client = f"198.51.100.{number}"
        assert guessed(cinema, share, wrong(code), client=client) == 403

    assert guessed(cinema, share, code, client="203.0.113.9") == 403
    assert enter(cinema, share, request, code, client=VIEWER).status_code == 200


def test_a_stranger_uses_up_no_guesses_of_others(cinema: Cinema, share: str) -> None:
    told(cinema, share)
    (mail,) = mails(cinema)
    code = code_in(mail)

    for _ in range(2 * MAX_GUESSES_OF_ALL):
        assert guessed(cinema, share, wrong(code), client=STRANGER) == 403

    assert guessed(cinema, share, code, client=STRANGER) == 403
    assert guessed(cinema, share, code, client=VIEWER) == 200


def test_a_stranger_who_asks_has_few_guesses_at_what_was_sent(
    cinema: Cinema, share: str
) -> None:
    requests = [ask(cinema, share, client=STRANGER) for _ in range(MAX_MAILS + 2)]
    sent = mails(cinema)
    known = {code_in(mail) for mail in sent}
    never = next(n for n in ("000000", "111111", "222222", "333333") if n not in known)

    for request in requests:
        for _ in range(2 * MAX_CODE_GUESSES):
            enter(cinema, share, request, never, client=STRANGER)

    for request in requests:
        for code in known:
            page = enter(cinema, share, request, code, client=STRANGER)
            assert page.status_code == 403
    # Which is counted for the stranger, and not for the viewer.
    assert guessed(cinema, share, code_in(sent[-1]), client=VIEWER) == 200


def test_answers_to_codes_do_not_tell_whose_address_was_named(
    cinema: Cinema,
) -> None:
    def answers(address: str) -> list[tuple[int, int]]:
        share = cinema.share(viewerEmail=EMAIL)
        request = ask(cinema, share, address, client=STRANGER)
        known = {code_in(mail) for mail in mails(cinema)}
        code = "000000" if "000000" not in known else "000001"
        pages = [
            enter(cinema, share, request, code, client=STRANGER) for _ in range(20)
        ]
        return [(page.status_code, len(page.text)) for page in pages]

    assert answers(EMAIL) == answers("bob@example.com")


def test_codes_asked_for_at_the_same_moment_send_no_more_mails(
    cinema: Cinema, share: str
) -> None:
    asked = at_once(
        lambda number: told(cinema, share, client=f"198.51.100.{number}"), threads=12
    )

    assert asked == [200] * 12
    assert len(mails(cinema)) == MAX_MAILS


def test_a_code_lets_in_one_of_two_who_enter_it_at_the_same_moment(
    cinema: Cinema, share: str
) -> None:
    request = ask(cinema, share, client=VIEWER)
    (mail,) = mails(cinema)

    entered = at_once(
        lambda _: enter(cinema, share, request, code_in(mail)).status_code, threads=4
    )

    assert sorted(entered, key=str) == [200, 403, 403, 403]


def test_two_codes_let_in_two_browsers_at_the_same_moment(
    cinema: Cinema, share: str
) -> None:
    requests = at_once(
        lambda number: ask(cinema, share, client=f"192.0.2.{number}"), threads=2
    )
    codes = {str(mail["Message-ID"])[1:27]: code_in(mail) for mail in mails(cinema)}

    entered = at_once(
        lambda number: (
            enter(
                cinema,
                share,
                str(requests[number]),
                codes[str(requests[number])],
                client=f"192.0.2.{number}",
            ).status_code
        ),
        threads=2,
    )

    assert entered == [200, 200]
