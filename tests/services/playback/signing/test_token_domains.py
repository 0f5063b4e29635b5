"""
Tokens stay short, however many domains they are for.
"""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from falcon.testing import Result

from hvcore.domain.limits import MAX_ISSUED_TOKEN_BYTES
from hvcore.domain.playback.domain_lists import RETENTION_MARGIN
from hvcore.persistence.tables import domain_lists
from tests.support.http.cinema import Cinema, token_of
from tests.support.http.world import body_of

MANY = [f"a-rather-long-name-of-customer-{n}.example.com" for n in range(32)]
LISTED, OTHER = {"Origin": f"https://{MANY[31]}"}, {"Origin": "https://evil.test"}
WEEK = timedelta(days=7)


def signed(cinema: Cinema, domains: list[str], expiration: str = "1h") -> str:
    answer = cinema.api.get(
        f"/v1/videos/{cinema.video}/signed-url",
        f"expiration={expiration}&domains={','.join(domains)}",
    )
    return str(body_of(answer)["signed_url"]).partition("?token=")[2]


def asked(cinema: Cinema, token: str, file: str, headers: dict[str, str]) -> Result:
    path = f"/v1/private/{cinema.video}/{file}"
    return cinema.load(path, f"token={token}", headers=headers)


def lists(cinema: Cinema) -> int:
    with cinema.api.services.engine.connect() as connection:
        count = sa.select(sa.func.count()).select_from(domain_lists)
        return int(connection.execute(count).scalar_one())


def test_a_token_for_many_domains_is_short_and_good_on_their_pages(
    cinema: Cinema,
) -> None:
    token = signed(cinema, MANY)

    assert len(token) <= MAX_ISSUED_TOKEN_BYTES
    master = asked(cinema, token, "master.m3u8", LISTED)
    assert master.status_code == 200
    assert token_of(master.text) == token
    assert asked(cinema, token, "video/720p/0.m4s", LISTED).status_code == 200


@pytest.mark.parametrize("file", ["master.m3u8", "video/720p/0.m4s"])
def test_a_token_for_many_domains_is_refused_on_other_pages(
    cinema: Cinema, file: str
) -> None:
    token = signed(cinema, MANY)

    for headers in (OTHER, {}):
        assert asked(cinema, token, file, headers).status_code == 403


def test_few_domains_stand_in_the_token_itself(cinema: Cinema) -> None:
    token = signed(cinema, MANY[:3])

    assert asked(cinema, token, "master.m3u8", OTHER).status_code == 403
    assert lists(cinema) == 0


def test_the_same_domains_are_kept_once(cinema: Cinema) -> None:
    for domains in (MANY, MANY, MANY[::-1]):
        signed(cinema, domains)
    assert lists(cinema) == 1

    signed(cinema, MANY[1:])

    assert lists(cinema) == 2


def test_a_long_token_of_before_is_good_until_it_expires(cinema: Cinema) -> None:
    services = cinema.api.services
    with services.uow.read() as work:
        video = work.videos.find(cinema.video)
    assert video is not None
    token = services.key_ring.issue(
        video_id=video.id,
        public_id=video.public_id,
        now=cinema.api.clock.now(),
        valid_s=3600,
        domains=MANY,
    )
    assert len(token) > 2 * MAX_ISSUED_TOKEN_BYTES

    assert asked(cinema, token, "video-720p.m3u8", LISTED).status_code == 200
    assert asked(cinema, token, "video-720p.m3u8", OTHER).status_code == 403


def test_the_page_of_a_video_may_be_embedded_by_all_of_them(cinema: Cinema) -> None:
    token = signed(cinema, MANY)

    page = cinema.player.simulate_get(
        f"/v1/embed/{cinema.video}", query_string=f"token={token}", headers=LISTED
    )

    assert page.status_code == 200
    policy = page.headers["Content-Security-Policy"]
    assert all(f" {domain}:*" in policy for domain in MANY)


def test_lists_stay_as_long_as_tokens_name_them(cinema: Cinema) -> None:
    token = signed(cinema, MANY, "7d")
    playback, clock = cinema.api.services.playback, cinema.api.clock
    clock.move(WEEK - timedelta(minutes=1))

    assert playback.forget_unused_domains() == 0
    assert asked(cinema, token, "master.m3u8", LISTED).status_code == 200

    clock.move(RETENTION_MARGIN + timedelta(minutes=2))
    assert playback.forget_unused_domains() == 1
    assert asked(cinema, token, "master.m3u8", LISTED).status_code == 401


def test_a_list_that_is_used_again_stays_for_longer(cinema: Cinema) -> None:
    signed(cinema, MANY, "7d")
    playback, clock = cinema.api.services.playback, cinema.api.clock
    clock.move(WEEK)

    token = signed(cinema, MANY, "7d")
    clock.move(WEEK - timedelta(minutes=1))

    assert playback.forget_unused_domains() == 0
    assert asked(cinema, token, "master.m3u8", LISTED).status_code == 200
