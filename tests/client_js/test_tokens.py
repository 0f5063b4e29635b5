"""
Tokens that a server signs with the client open the organization's videos.
"""

from datetime import UTC, datetime

import pytest

from hvcore.domain.playback.signing_keys import SigningAlgorithm
from tests.client_js.running import run
from tests.support.http.cinema import Cinema
from tests.support.http.world import ORG, World, body_of

SIGN = "return hv.signPlaybackToken(given);"


@pytest.fixture
def cinema(api: World) -> Cinema:
    # Programs have the time of the world.
    api.clock.moment = datetime.now(UTC)
    return Cinema(api=api)


def key_of(
    cinema: Cinema, algorithm: SigningAlgorithm = SigningAlgorithm.ED25519
) -> dict[str, str]:
    made = cinema.api.services.signing_keys.create(
        ORG, name="site", algorithm=algorithm
    )
    assert made.private
    return {"key": made.private, "kid": made.key.id}


def status_of(cinema: Cinema, token: str, **headers: str) -> int:
    path = f"/v1/private/{cinema.video}/master.m3u8"
    return cinema.load(path, f"token={token}", headers=headers).status_code


@pytest.mark.parametrize("algorithm", SigningAlgorithm)
def test_a_token_plays(cinema: Cinema, algorithm: SigningAlgorithm) -> None:
    key = key_of(cinema, algorithm)

    assert status_of(cinema, run(SIGN, videoID=cinema.video, **key)) == 200


def test_a_token_plays_where_it_may(cinema: Cinema) -> None:
    wanted = {"domains": ["shop.example.com"], "expiresInS": 60}
    token = run(SIGN, videoID=cinema.video, **wanted, **key_of(cinema))

    assert status_of(cinema, token, Referer="https://shop.example.com/") == 200
    assert status_of(cinema, token, Referer="https://evil.example/") == 403


def test_a_token_for_pictures_plays_nothing(cinema: Cinema) -> None:
    token = run(SIGN, videoID=cinema.video, use="thumbnail", **key_of(cinema))

    # The size that is stored: nothing makes another one.
    path = f"/t/{cinema.video}/640x360.jpg"
    assert cinema.load(path, f"token={token}").status_code == 200
    assert status_of(cinema, token) in {401, 403}


def test_a_token_is_not_valid_before_its_time(cinema: Cinema) -> None:
    script = "return hv.signPlaybackToken({ ...given, notBefore: new Date(Date.now() + 60000) });"
    token = run(script, videoID=cinema.video, **key_of(cinema))

    assert status_of(cinema, token) == 401


def test_addresses_get_the_token_if_they_need_one(cinema: Cinema) -> None:
    details = body_of(cinema.api.get(f"/v1/videos/{cinema.video}"))
    public = body_of(cinema.api.get(f"/v1/videos/{cinema.playable(is_public=True)}"))

    told = run(
        """
        const token = await hv.signPlaybackToken(given.sign);
        const { private: own, open } = given;
        return {
          token,
          playlist: hv.playbackURL(own, token),
          embed: hv.playbackURL(own.playback, token, "embed"),
          open: hv.playbackURL(open),
          missing: await caught((async () => hv.playbackURL(own))()),
          unknown: await caught((async () => hv.playbackURL(own, token, "film"))()),
        };
        """,
        sign={"videoID": cinema.video, **key_of(cinema)},
        private=details,
        open=public,
    )

    plays = details["playback"]
    assert told["playlist"] == plays["playlistURL"].replace("{token}", told["token"])
    assert told["embed"] == plays["embedURL"].replace("{token}", told["token"])
    assert told["open"] == public["playback"]["playlistURL"]
    assert "needs a token" in told["missing"]["message"]
    assert "take one of playlist" in told["unknown"]["message"]


def test_pictures_at_a_moment_have_addresses(cinema: Cinema) -> None:
    details = body_of(cinema.api.get(f"/v1/videos/{cinema.video}"))

    told = run(
        """
        const { video } = given;
        return {
          own: hv.pictureURL(video, "a.b"),
          moment: hv.pictureURL(video, "a.b", { width: 64, height: 36, time: 12.59, format: "webp" }),
          step: hv.pictureURL(video, "a.b", { time: 0.3 }),
          moving: hv.animationURL(video, "a.b", { start: 1, end: 4.5, width: 160 }),
          usual: hv.animationURL(video, "a.b"),
          before: await caught((async () => hv.pictureURL(video, "a.b", { time: -1 }))()),
          never: await caught((async () => hv.animationURL(video, "a.b", { end: NaN }))()),
        };
        """,
        video=details,
    )

    pictures = details["playback"]["thumbnailURL"].rpartition("/")[0]
    assert told["own"] == f"{pictures}/640x360.jpg?token=a.b"
    assert told["moment"] == f"{pictures}/64x36.webp?token=a.b&time=12.5"
    assert told["step"].endswith("time=0.3")
    assert told["moving"] == (
        f"{pictures}/animated.webp?token=a.b&start=1.0&end=4.5&width=160"
    )
    assert told["usual"].endswith("start=0.0&width=320")
    for refused in ("before", "never"):
        assert "from the beginning" in told[refused]["message"]


def test_what_the_service_would_refuse_is_not_signed() -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"expiresInS": 7 * 86_400 + 1}, "expiresInS must be from 1 to 604800."),
        ({"expiresInS": 0.5}, "expiresInS must be from 1 to 604800."),
        ({"domains": []}, "domains must name a page"),
        ({"domains": ["a" * 60 + ".example"] * 20}, "too many entries"),
        ({"kid": ""}, "needs videoID, key and kid"),
        ({"key": "-----BEGIN PRIVATE KEY-----\nQUJD\n-----END"}, "Ed25519 key in PEM"),
    ]
    good = {"videoID": "vid_1", "key": "s" * 43, "kid": "k"}

    thrown = run(
        "return Promise.all(given.cases.map((it) => caught(hv.signPlaybackToken(it))));",
        cases=[{**good, **change} for change, _ in cases],
    )

    for one, (_, said) in zip(thrown, cases, strict=True):
        assert said in one["message"]


def test_node_18_signs_too(cinema: Cinema) -> None:
    option = "--no-experimental-global-webcrypto"
    token = run(SIGN, option, videoID=cinema.video, **key_of(cinema))

    assert status_of(cinema, token) == 200
