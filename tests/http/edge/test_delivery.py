"""
Behind nginx, delivery keeps its promises.

The tests of delivery itself run here once more, through a real nginx with our
configuration; those below are about the edge alone.
"""

import base64
import gzip
import hmac
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import BytesIO

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from falcon.testing import Result, TestClient

from hv_edge.app import SECRET_HEADER
from hv_edge.app import make_app as make_edge_app
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId, new_public_id
from hvcore.manifests import hls
from hvcore.playback_tokens import KeyRing, TokenKey, TokenUse
from hvcore.services.edge.authorizations import edge_secret, token_mark
from tests.conftest import SettableClock
from tests.http.counting.counting_cases import COUNTING_CASES, CountingCase
from tests.http.delivery_world import PRIVATE_PATH, PUBLIC_PATH, SECRET
from tests.http.edge.edge_world import PAIR, EdgeSite, EdgeWorld, edge_site
from tests.http.playback.test_delivery import (  # noqa: F401 - run with the fixtures below
    FORBIDDEN,
    NO_FILE,
    NOT_FOUND,
    UNAUTHORIZED,
    outcome,
    test_a_changed_token_is_refused,
    test_a_delete_is_obeyed_by_the_very_next_request,
    test_a_preflight_is_answered_as_documented,
    test_a_private_video_on_a_public_path_is_forbidden,
    test_a_public_video_is_played_without_a_token,
    test_a_thumbnail_token_plays_nothing,
    test_a_token_opens_its_own_video_alone,
    test_a_token_plays_a_private_video_from_the_first_address_on,
    test_a_token_with_domains_is_good_on_their_pages,
    test_a_token_with_the_public_id_of_another_video_is_refused,
    test_a_video_that_turns_private_leaves_its_public_path_at_once,
    test_an_environment_has_a_short_name_and_a_video_an_alias,
    test_every_published_file_has_its_address,
    test_files_are_only_read,
    test_low_latency_parameters_change_nothing,
    test_nobody_begins_a_video_whose_owner_may_deliver_no_more,
    test_only_a_ready_video_is_served,
    test_the_private_path_plays_public_videos_too,
    test_two_tokens_are_refused_even_if_one_is_good,
)
from tests.live import until
from tests.media_samples import OTHER, PUBLIC, ROOT, VIDEO, index, segments, video_track

pytestmark = pytest.mark.services

SEGMENT = "video/720p/0.m4s"
SIZE = len(b"video/720p 0 " * 100)
COUNTED = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeSite]:
    with edge_site(tmp_path_factory.mktemp("local"), is_local=True) as site:
        yield site


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeSite]:
    with edge_site(tmp_path_factory.mktemp("remote"), is_local=False) as site:
        yield site


@pytest.fixture
def clock() -> SettableClock:
    # nginx knows no other time than the true one.
    return SettableClock(datetime.now(UTC))


@pytest.fixture(params=["local", "remote"])
def site(request: pytest.FixtureRequest) -> EdgeSite:
    found: EdgeSite = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def public(site: EdgeSite, clock: SettableClock) -> EdgeWorld:
    return site.world(clock, is_public=True)


@pytest.fixture
def private(local: EdgeSite, clock: SettableClock) -> EdgeWorld:
    return local.world(clock, is_public=False)


@pytest.fixture
def far_away(remote: EdgeSite, clock: SettableClock) -> EdgeWorld:
    """
    A private video in a storage that is on no disk of this machine.
    """
    return remote.world(clock, is_public=False)


def segment(world: EdgeWorld, token: str, **headers: str) -> Result:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return world.get(f"{PRIVATE_PATH}/{SEGMENT}", f"token={token}", sent)


def test_a_file_that_a_delete_has_moved_is_not_found_within_a_second(
    local: EdgeSite, clock: SettableClock
) -> None:
    world = local.world(clock, is_public=True)
    address = f"{PUBLIC_PATH}/{SEGMENT}"
    assert outcome(world.get(address)) == (200, "")
    assert world.served() == [COUNTED]

    # The edge is not told, and need not be.
    (local.storage / ROOT).rename(local.storage / "hidden")
    moved = datetime.now(UTC)
    last = moved
    while datetime.now(UTC) < moved + timedelta(seconds=1.2):
        asked = datetime.now(UTC)
        if outcome(world.get(address)) == (200, ""):
            last = asked

    assert last - moved < timedelta(seconds=1)
    assert outcome(world.get(address)) == NOT_FOUND
    world.served()
    world.get(address)
    assert world.served() == []


def test_who_has_no_token_learns_nothing(private: EdgeWorld) -> None:
    answers = [
        private.get(f"/v1/private/{video}/{file}", query)
        for video in (VIDEO, OTHER, "nonsense")
        for file in ("master.m3u8", SEGMENT, "no-such-file")
        for query in ("", "token=", "token=x", "token=a.b.c", "Token=x", "token=%00")
    ]

    assert {outcome(answer) for answer in answers} == {UNAUTHORIZED}
    assert private.directory.asked == []


def test_an_expired_token_is_refused(private: EdgeWorld, clock: SettableClock) -> None:
    now = clock.now()
    old = private.token(now=now - timedelta(seconds=906), valid_s=900)
    fresh = private.token(valid_s=900)

    assert outcome(segment(private, old)) == UNAUTHORIZED
    assert outcome(segment(private, fresh)) == (200, "")


def _changed(private: EdgeWorld, **claims: object) -> str:
    """
    Sign a token with other claims, as somebody who has the key may.
    """
    token = private.token()
    payload = jwt.decode(token, options={"verify_signature": False}) | claims
    key = TokenKey.load(SECRET)
    return jwt.encode(payload, SECRET, key.algorithm, headers={"kid": key.kid})


def test_a_token_is_refused_before_it_may_be_used(private: EdgeWorld) -> None:
    now = int(private.clock.now().timestamp())

    assert outcome(segment(private, _changed(private, nbf=now - 60))) == (200, "")
    for nbf in (now + 60, 1e300, "0", None, True):
        assert outcome(segment(private, _changed(private, nbf=nbf))) == UNAUTHORIZED


def test_a_good_signature_for_another_audience_is_forbidden(private: EdgeWorld) -> None:
    foreign = _changed(private, aud=new_public_id())

    for file in (SEGMENT, "master.m3u8", "no-such-file"):
        answer = private.get(f"{PRIVATE_PATH}/{file}", f"token={foreign}")
        assert outcome(answer) == FORBIDDEN
    assert private.served() == []


def test_a_token_ends_while_the_edge_knows_it(private: EdgeWorld) -> None:
    # Its last second, and the leeway of five.
    now = datetime.now(UTC)
    ending = private.token(now=now - timedelta(seconds=904), valid_s=900)
    assert outcome(segment(private, ending)) == (200, "")
    private.clock.moment = now + timedelta(seconds=2)

    found = {outcome(segment(private, ending))}
    while datetime.now(UTC) < now + timedelta(seconds=1.2):
        found.add(outcome(segment(private, ending)))

    assert outcome(segment(private, ending)) == UNAUTHORIZED
    assert found <= {(200, ""), UNAUTHORIZED}


def test_a_token_of_a_key_pair_is_verified_at_the_edge(private: EdgeWorld) -> None:
    ring = KeyRing(issuer="hvcore", keys=[PAIR])
    token = ring.issue(
        video_id=VIDEO, public_id=PUBLIC, now=private.clock.now(), valid_s=60
    )
    head, _, signature = token.rpartition(".")
    forged = f"{head}.{signature[:-6]}{'AAAA' if signature[-6] != 'A' else 'BBBB'}{signature[-2:]}"

    assert outcome(segment(private, token)) == (200, "")
    assert private.served() == [COUNTED]
    assert outcome(segment(private, forged)) == UNAUTHORIZED


@pytest.mark.parametrize("algorithm", ["HS256", "none", "EdDSA"])
def test_a_token_does_not_choose_its_algorithm(
    private: EdgeWorld, algorithm: str
) -> None:
    made = jwt.decode(private.token(), options={"verify_signature": False})
    assert isinstance(PAIR.public, Ed25519PublicKey)
    public = PAIR.public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    # What everybody knows of the pair is no secret to sign with.
    head = {"alg": algorithm, "typ": "JWT", "kid": PAIR.kid}
    signed = ".".join(_base64(json.dumps(part).encode()) for part in (head, made))
    by = hmac.new(public, signed.encode(), sha256).digest()

    for signature in (by, b"", by * 2):
        token = f"{signed}.{_base64(signature)}"
        assert outcome(segment(private, token)) == UNAUTHORIZED


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "query",
    [
        "token={0}&token={0}",
        "token={0}&token=x",
        "token=x&token={0}",
        "x=1&token=x&token={0}",
        "token={0}&%74oken={0}",
        "%74oken=x&token={0}",
        "token={0}x",
        "token={0}.x",
    ],
)
def test_the_edge_and_the_service_read_the_same_token(
    private: EdgeWorld, query: str
) -> None:
    token = private.token()
    assert outcome(segment(private, token)) == (200, "")

    for file in (SEGMENT, "master.m3u8"):
        result = private.get(f"{PRIVATE_PATH}/{file}", query.format(token))
        assert outcome(result) == UNAUTHORIZED


def test_a_token_may_stand_among_other_parameters(private: EdgeWorld) -> None:
    token = private.token()

    for query in (f"_HLS_msn=1&token={token}", f"token={token}&bootstrap=true"):
        result = private.get(f"{PRIVATE_PATH}/{SEGMENT}", query)
        assert outcome(result) == (200, "")
        assert private.served() == [COUNTED]


def test_what_a_player_reports_beside_a_token_reaches_the_service(
    private: EdgeWorld,
) -> None:
    query = f"token={private.token()}&CMCD=bl%3D2000%2Cmtp%3D5000"

    assert outcome(private.get(f"{PRIVATE_PATH}/{SEGMENT}", query)) == (200, "")

    assert (private.served(), private.counted) == ([], [COUNTED])


@pytest.mark.parametrize(
    "file",
    [
        *("master.m3u8", "video-720p.m3u8", "audio.m3u8", "manifest.mpd"),
        *("storyboard.vtt", "subs-en.m3u8", "no-such.m3u8"),
    ],
)
def test_a_text_is_that_of_the_service(private: EdgeWorld, file: str) -> None:
    for _ in range(2):
        query = f"token={private.token()}"
        address = f"{PRIVATE_PATH}/{file}"

        through = private.get(address, query)

        alone = private.client.simulate_get(address, query_string=query)
        assert through.status_code == alone.status_code
        if alone.status_code == 200:
            assert through.content == alone.content
            for name in ("content-type", "content-length", "cache-control", "vary"):
                assert through.headers[name] == alone.headers[name], name


def test_a_text_is_asked_for_once_for_all_tokens(private: EdgeWorld) -> None:
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    private.get(address, f"token={private.token()}")
    private.directory.asked.clear()

    for _ in range(20):
        result = private.get(address, f"token={private.token()}")
        assert outcome(result) == (200, "")

    assert len(private.directory.asked) < 8


def lengthen(world: EdgeWorld) -> None:
    """
    Make the video one of twelve hours.
    """
    media = index(video_track(of=segments([1000] * 7200)))
    root = f"{ROOT}-long"
    for name, text in hls.playlists(media).items():
        world.storage.write(f"{root}/{name}", BytesIO(text.encode()), content_type="")
    world.change(load_media=lambda: media, media_root=root)


def test_a_long_text_is_that_of_the_service_with_every_token(
    private: EdgeWorld,
) -> None:
    lengthen(private)
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    page = {"Origin": "https://example.com"}
    domains = [f"{number}.example.com" for number in range(100)]
    for more in ({}, {}, {"domains": ["example.com", *domains]}):
        query = f"token={private.token(**more)}"
        alone = private.client.simulate_get(address, query_string=query, headers=page)
        for headers in (page, {**page, "Accept-Encoding": "gzip;q=0, br"}):
            through = private.get(address, query, headers)
            assert through.content == alone.content
            assert through.headers["content-length"] == str(len(alone.content))
        head = private.get(address, query, page, method="HEAD")
        assert head.headers["content-length"] == str(len(alone.content))


def test_a_long_text_is_compressed_by_the_service_once(private: EdgeWorld) -> None:
    lengthen(private)
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    for _ in range(3):
        query = f"token={private.token()}"
        plain = private.get(address, query)

        packed = private.get(address, query, {"Accept-Encoding": "gzip, br"})

        assert packed.headers["content-encoding"] == "gzip"
        # nginx tells no length of what it compresses itself.
        assert int(packed.headers["content-length"]) == len(packed.content)
        assert gzip.decompress(packed.content) == plain.content


def test_the_playlist_of_the_longest_video_is_kept_too(private: EdgeWorld) -> None:
    lengthen(private)
    address, query = f"{PRIVATE_PATH}/video-720p.m3u8", f"token={private.token()}"
    assert private.get(address, query).text.count("token=") == 7201
    private.directory.asked.clear()

    for _ in range(10):
        assert outcome(private.get(address, query)) == (200, "")

    assert len(private.directory.asked) < 8


def test_the_entity_tag_of_a_text_differs_with_text_and_token(
    private: EdgeWorld,
) -> None:
    tags = set()
    for query in (f"token={private.token()}" for _ in range(2)):
        for file in ("video-720p.m3u8", "video-360p.m3u8"):
            path = f"{PRIVATE_PATH}/{file}"
            head = private.get(path, query, method="HEAD")
            whole = private.get(path, query)
            assert head.headers["etag"] == whole.headers["etag"]
            assert head.headers["content-length"] == str(len(whole.content))
            assert head.content == b""
            tags.add(whole.headers["etag"])

    assert len(tags) == 4


def test_a_text_with_a_token_is_compressed_for_who_takes_that(
    private: EdgeWorld,
) -> None:
    query = f"token={private.token()}"
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    plain = private.get(address, query, {"Accept-Encoding": "gzip;q=0, br"})

    packed = private.get(address, query, {"Accept-Encoding": "br, gzip"})

    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.content) == plain.content
    # Of one text, and not the same bytes.
    assert packed.headers["etag"] == f"W/{plain.headers['etag']}"


@pytest.mark.parametrize("shown", ["{}", "W/{}", '"x", {}', "*"])
def test_a_text_that_the_client_has_is_not_sent(private: EdgeWorld, shown: str) -> None:
    query = f"token={private.token()}"
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    tag = private.get(address, query).headers["etag"]

    again = private.get(address, query, {"If-None-Match": shown.format(tag)})
    other = private.get(address, query, {"If-None-Match": '"another"'})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    assert again.headers["vary"] == "Accept-Encoding"
    assert outcome(other) == (200, "")


def test_a_playlist_carries_the_token_that_asked_for_it(private: EdgeWorld) -> None:
    tokens = [private.token() for _ in range(2)]

    for token in (*tokens, *tokens):
        text = private.get(f"{PRIVATE_PATH}/video-360p.m3u8", f"token={token}").text
        assert text.count(token) == text.count("token=") > 2


@pytest.mark.parametrize("first", ["identity", "gzip", ""])
def test_a_playlist_is_kept_under_the_coding_it_has(
    local: EdgeSite, clock: SettableClock, first: str
) -> None:
    world = local.world(clock, is_public=True)
    other = "identity" if first == "gzip" else "gzip"
    address = f"{PUBLIC_PATH}/video-720p.m3u8"

    # Of two headers nginx and the service need not see the same one.
    world.send(address, [("Accept-Encoding", first), ("Accept-Encoding", other)])

    for coding in (first, other):
        result = world.get(address, "", {"Accept-Encoding": coding})
        expected = "gzip" if coding == "gzip" else None
        assert result.headers.get("content-encoding") == expected


def test_a_good_token_does_not_let_a_forged_one_in(private: EdgeWorld) -> None:
    token = private.token()
    forged = token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB")

    for file in (SEGMENT, "master.m3u8"):
        for given, expected in ((token, (200, "")), (forged, UNAUTHORIZED)):
            result = private.get(f"{PRIVATE_PATH}/{file}", f"token={given}")
            assert outcome(result) == expected


@pytest.mark.parametrize("file", [SEGMENT, "master.m3u8"])
def test_less_than_a_second_after_a_change_elsewhere_it_is_obeyed(
    private: EdgeWorld, file: str
) -> None:
    token = private.token()
    query = f"token={token}"
    assert outcome(private.get(f"{PRIVATE_PATH}/{file}", query)) == (200, "")
    entry = private.directory.entry

    # As if on another machine: the edge is not told.
    private.directory.entry = None
    changed = datetime.now(UTC)
    last = changed
    while datetime.now(UTC) < changed + timedelta(seconds=1):
        asked = datetime.now(UTC)
        if outcome(private.get(f"{PRIVATE_PATH}/{file}", query)) == (200, ""):
            last = asked

    assert entry is not None
    assert last - changed < timedelta(seconds=0.95)
    assert outcome(private.get(f"{PRIVATE_PATH}/{file}", query)) == NOT_FOUND


def test_the_edge_answers_by_itself(private: EdgeWorld) -> None:
    token = private.token()
    for file in (SEGMENT, "master.m3u8"):
        assert (
            outcome(private.get(f"{PRIVATE_PATH}/{file}", f"token={token}"))[0] == 200
        )
    private.directory.asked.clear()

    for file in (SEGMENT, "master.m3u8") * 20:
        assert (
            outcome(private.get(f"{PRIVATE_PATH}/{file}", f"token={token}"))[0] == 200
        )

    # Now and then whether all is as it was.
    assert len(private.directory.asked) < 20


def test_domains_that_a_token_names_are_asked_for_once(private: EdgeWorld) -> None:
    pages = [{"Origin": f"https://{number}.test"} for number in range(3)]
    private.directory.domain_lists["x" * 32] = ["0.test", "1.test"]
    tokens = [private.token(domain_list="x" * 32) for _ in range(3)]
    for token in tokens:
        for page, expected in zip(pages, (200, 200, 403), strict=True):
            assert segment(private, token, **page).status_code == expected
    assert len(private.served()) == 6

    # The edge knows them: the service would refuse.
    private.directory.domain_lists.clear()
    for token in (*tokens, private.token(domain_list="x" * 32)):
        assert outcome(segment(private, token, **pages[0])) == (200, "")
    assert len(private.served()) == 4
    assert segment(private, tokens[0]).status_code == 401


def test_a_token_whose_domains_nobody_knows_opens_nothing(private: EdgeWorld) -> None:
    token = private.token(domain_list="y" * 32)

    for _ in range(2):
        answer = segment(private, token, Origin="https://example.com")
        assert outcome(answer) == UNAUTHORIZED


def test_a_whole_segment_is_counted(private: EdgeWorld) -> None:
    assert segment(private, private.token()).status_code == 200

    assert (private.served(), private.counted) == ([COUNTED], [])


@pytest.mark.parametrize("case", COUNTING_CASES, ids=lambda case: case.range)
@pytest.mark.parametrize("storage", ["private", "far_away"])
def test_a_part_is_counted_if_it_is_more_than_half(
    request: pytest.FixtureRequest, storage: str, case: CountingCase
) -> None:
    """
    Whether the edge answers it or the service, as without an edge.
    """
    world: EdgeWorld = request.getfixturevalue(storage)
    before = world.too_few()

    result = segment(world, world.token(), Range=case.of(SIZE))

    assert result.status_code == 206
    assert world.served() + world.counted == ([COUNTED] if case.counts else [])
    # The service notes what it does not count after it has answered.
    until(
        lambda: world.too_few() - before == (0 if case.counts else 1),
        within_s=10,
        what="the note",
    )


def test_a_segment_that_nginx_says_more_about_is_counted_too(
    private: EdgeWorld,
) -> None:
    # "100 Continue" is no byte of the segment, and nginx takes it for some.
    result = segment(private, private.token(), Expect="100-continue")

    assert outcome(result) == (200, "")
    assert private.served() + private.counted == [COUNTED]


@pytest.mark.parametrize("file", [SEGMENT, "master.m3u8"])
def test_what_a_viewer_sends_besides_is_no_matter_of_what_the_edge_asks(
    private: EdgeWorld, file: str
) -> None:
    # More headers than the service reads, when nothing is kept yet.
    odd = {f"X-Odd-{number}": "x" for number in range(150)}
    address, query = f"{PRIVATE_PATH}/{file}", f"token={private.token()}"
    private.publish()

    assert outcome(private.get(address, query, odd)) == (200, "")


@pytest.mark.parametrize("file", ["master.m3u8", "video-720p.m3u8"])
def test_a_playlist_for_all_is_asked_for_without_the_headers_of_one(
    local: EdgeSite, clock: SettableClock, file: str
) -> None:
    world = local.world(clock, is_public=True)
    odd = {f"X-Odd-{number}": "x" for number in range(150)}

    assert outcome(world.get(f"{PUBLIC_PATH}/{file}", "", odd)) == (200, "")


def test_no_two_answers_have_one_number(private: EdgeWorld) -> None:
    token = private.token()
    # More than the script gets at a time.
    answers = [segment(private, token, Range="bytes=0-0") for _ in range(300)]

    numbers = {answer.headers["X-Request-Id"] for answer in answers}
    assert len(numbers) == 300
    assert all(re.fullmatch("[0-9a-f]{32}", number) for number in numbers)


def test_a_text_for_the_edge_has_a_mark_that_only_we_know(private: EdgeWorld) -> None:
    client = TestClient(make_edge_app(private))
    secret = edge_secret(private.settings.uploads.signing_key)
    place = f"/v1/edge/text/private/{VIDEO}"

    def ask(file: str) -> Result:
        return client.simulate_get(f"{place}/{file}", headers={SECRET_HEADER: secret})

    text, mark = ask("video-720p.m3u8").text, token_mark(secret)

    assert text.count(mark) == text.count("token=") > 2
    assert mark != token_mark(f"{secret}x")
    assert ask(SEGMENT).status_code == ask("no-such.m3u8").status_code == 404


def test_a_cached_segment_is_permitted_and_counted_each_time(
    far_away: EdgeWorld,
) -> None:
    token = far_away.token()
    whole = segment(far_away, token)
    far_away.storage.objects.clear()

    again = segment(far_away, token)
    part = segment(far_away, token, Range="bytes=0-9")

    assert again.content == whole.content
    assert part.content == whole.content[:10]
    # The part is too little.
    assert far_away.served() == [COUNTED] * 2
    assert far_away.counted == []
    # To caches it is one segment, whatever page asks.
    assert "vary" not in whole.headers
    assert outcome(segment(far_away, token[:-1])) == UNAUTHORIZED
    far_away.directory.entry = None
    far_away.publish()
    assert outcome(segment(far_away, token)) == NOT_FOUND


def test_what_the_storage_does_not_have_is_refused_as_by_the_service(
    far_away: EdgeWorld,
) -> None:
    far_away.storage.objects.clear()
    for cached_files in (far_away.site.edge.folder / "cache").rglob("*"):
        if cached_files.is_file():
            cached_files.unlink()
    query = f"token={far_away.token()}"
    path = f"{PRIVATE_PATH}/{SEGMENT}"

    # What was asked for a moment ago, nginx has open for up to a second more.
    until(
        lambda: outcome(far_away.get(path, query)) == NOT_FOUND,
        within_s=10,
        what="a refusal",
    )

    alone = far_away.client.simulate_get(path, query_string=query)
    assert outcome(alone) == NOT_FOUND


@pytest.mark.parametrize(
    ("file", "asked", "status"),
    [
        (SEGMENT, {"Range": f"bytes={SIZE - 1}-"}, 206),
        (SEGMENT, {"Range": f"bytes={SIZE}-"}, 416),
        (SEGMENT, {"If-None-Match": "*"}, 304),
        ("video/720p/init.m4s", {}, 200),
        ("video/init.m4s", {}, 200),
        ("audio/0.m4s", {}, 200),
        ("video-720p.m3u8", {}, 200),
    ],
)
def test_nothing_else_is_counted(
    private: EdgeWorld, file: str, asked: dict[str, str], status: int
) -> None:
    query = f"token={private.token()}"

    result = private.get(f"{PRIVATE_PATH}/{file}", query, asked)

    assert result.status_code == status
    assert (private.served(), private.counted) == ([], [])


def test_head_tells_the_length_and_is_not_counted(private: EdgeWorld) -> None:
    query = f"token={private.token()}"

    result = private.get(f"{PRIVATE_PATH}/{SEGMENT}", query, method="HEAD")

    assert (result.status_code, result.content) == (200, b"")
    assert result.headers["content-length"] == str(SIZE)
    assert (private.served(), private.counted) == ([], [])


@pytest.mark.parametrize(
    "asked",
    [
        {"Range": "bytes=-5"},
        {"Range": "bytes=2-1"},
        {"Range": "bytes=0-1,5-6"},
        {"Range": "bytes=0-9", "If-Range": '"another"'},
        {"If-None-Match": '"another"'},
        {"Range": "bytes=0-9"},
        {"Range": f"bytes={SIZE}-"},
        {"If-None-Match": "*"},
        {},
    ],
)
def test_headers_are_those_of_the_service(
    private: EdgeWorld, asked: dict[str, str]
) -> None:
    query = f"token={private.token()}"
    through = private.get(f"{PRIVATE_PATH}/{SEGMENT}", query, asked)

    alone = private.client.simulate_get(
        f"{PRIVATE_PATH}/{SEGMENT}", query_string=query, headers=asked
    )

    assert (through.status_code, through.content) == (
        alone.status_code,
        alone.content,
    ) or (
        # The id of the request is another one.
        through.status_code == alone.status_code >= 400
    )
    for name in ("content-type", "content-range", "etag", "cache-control"):
        assert through.headers.get(name) == alone.headers.get(name), name
    for name in ("access-control-allow-origin", "access-control-expose-headers"):
        assert through.headers[name] == alone.headers[name]
    assert through.headers["x-content-type-options"] == "nosniff"


def test_a_range_on_a_condition_that_says_nothing_is_the_whole_and_counts(
    public: EdgeWorld,
) -> None:
    asked = {"Range": "bytes=5-", "If-Range": ""}

    result = public.get(f"{PUBLIC_PATH}/{SEGMENT}", "", asked)

    assert (result.status_code, len(result.content)) == (200, SIZE)
    assert public.served() + public.counted == [COUNTED]


@pytest.mark.parametrize("file", [SEGMENT, "video-720p.m3u8"])
@pytest.mark.parametrize(
    "asked",
    [
        {"If-Match": ""},
        {"If-Unmodified-Since": ""},
        {"Range": "bytes=5-9", "If-Range": ""},
        {"If-None-Match": ""},
        {"If-Modified-Since": ""},
        {"Range": ""},
        {"Expect": ""},
    ],
)
def test_a_header_that_says_nothing_is_answered_as_by_the_service(
    public: EdgeWorld, file: str, asked: dict[str, str]
) -> None:
    path = f"{PUBLIC_PATH}/{file}"

    through = public.get(path, "", asked)

    alone = public.client.simulate_get(path, headers=asked)
    assert through.status_code == alone.status_code
    assert through.content == alone.content
    assert through.headers.get("content-range") == alone.headers.get("content-range")


def test_an_answer_names_the_request(private: EdgeWorld) -> None:
    query = f"token={private.token()}"
    for file, token in ((SEGMENT, query), ("master.m3u8", query), (SEGMENT, "")):
        path = f"{PRIVATE_PATH}/{file}"
        given = private.get(path, token, {"X-Request-Id": "abc-1"})
        assert given.headers["x-request-id"] == "abc-1"
        made = private.get(path, token, {"X-Request-Id": "a b"})
        assert made.headers["x-request-id"] not in {"", "a b"}


@pytest.mark.parametrize(
    "file",
    [
        "video//720p/0.m4s",
        "video/../video/720p/0.m4s",
        "video/%2e%2e/video/720p/0.m4s",
        "video/720p/00.m4s",
        "video/720p/0x0.m4s",
        "video/720p/0e1.m4s",
        "video/720p/00000000000000000000000.m4s",
        "video/720p/0.m4s/",
        "video/720p/2.m4s",
        "video/720p/9999999.m4s",
        "a1/video/720p/0.m4s",
        "../../etc/passwd",
        "..%2f..%2fmaster.m3u8",
        "audio-0/init.m4s",
        "a1/poster.jpg",
    ],
)
def test_a_path_that_names_no_published_file_finds_nothing(
    public: EdgeWorld, file: str
) -> None:
    query = f"token={public.token()}"

    assert outcome(public.get(f"{PUBLIC_PATH}/{file}")) == NO_FILE
    assert outcome(public.get(f"{PRIVATE_PATH}/{file}", query)) == NO_FILE


@pytest.mark.parametrize(
    "path",
    [
        f"/v1/public/org_b/env_1/{VIDEO}",
        f"/v1/public/org_a/env_2/{VIDEO}",
        f"/v1/public/ORG_A/env_1/{VIDEO}",
        f"/v1/public/org_a/env_1/{OTHER}",
        f"/v1/public/org_a/env_1/{VIDEO.upper()}",
        "/v1/public/org_a/env_1/vid_",
        "/v1/public/org_a/env_1/..",
        "/v1/public/org_a/env_1/%F0%9F%99%82",
    ],
)
def test_a_path_with_another_owner_finds_nothing(public: EdgeWorld, path: str) -> None:
    for file in ("master.m3u8", SEGMENT):
        assert outcome(public.get(f"{path}/{file}")) == NOT_FOUND


def test_what_nginx_cannot_read_is_refused_in_our_words(public: EdgeWorld) -> None:
    unreadable = public.get(f"{PUBLIC_PATH}/%00")
    long = public.get(f"{PUBLIC_PATH}/{'a' * 20_000}")

    assert outcome(unreadable) == (400, "invalid_parameters")
    assert outcome(long) == (414, "uri_too_long")


@pytest.mark.parametrize(
    ("method", "headers", "expected"),
    [
        # Long before it would have come: none of it is kept.
        ("POST", {"Content-Length": "2000000"}, (405, "method_not_allowed")),
        ("TRACE", {}, (405, "method_not_allowed")),
        ("GET", {"Transfer-Encoding": "odd"}, (400, "invalid_parameters")),
    ],
)
def test_what_nginx_does_not_take_is_refused_in_our_words(
    public: EdgeWorld, method: str, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    for file in (SEGMENT, "master.m3u8"):
        result = public.get(f"{PUBLIC_PATH}/{file}", "", headers, method)
        assert outcome(result) == expected


@pytest.mark.long
def test_addresses_that_nobody_has_cost_no_memory(private: EdgeWorld) -> None:
    (worker,) = private.site.edge.workers()
    before = worker.memory_info().rss

    for number in range(1000):
        private.get(f"/v1/private/{'a' * 15_000}{number}")

    # Of them alone it would be 15 MB.
    assert worker.memory_info().rss - before < 8_000_000


@pytest.mark.parametrize(
    "path",
    [
        f"/v1/edge/authorization/private/{VIDEO}",
        f"/v1/edge/text/private/{VIDEO}/master.m3u8",
        f"/v1/edge/media/private/{VIDEO}/{SEGMENT}",
        f"/v1/edge/domains/{'x' * 32}",
        f"/.hv/domains/{'x' * 32}",
        f"/.hv/authorization/private/{VIDEO}",
        f"/.hv/media/private/{VIDEO}/{SEGMENT}",
        f"/.hv/text{PRIVATE_PATH}/master.m3u8",
        f"/.hv/prepared/private/{VIDEO}/master.m3u8",
        f"/{ROOT}/a1/{SEGMENT}",
    ],
)
def test_what_the_edge_asks_is_for_nobody_else(private: EdgeWorld, path: str) -> None:
    for headers in ({}, {"X-Hv-Edge": ""}, {"X-Hv-Edge": "x"}):
        result = private.get(path, "", headers)
        assert (result.status_code, result.json["code"]) == NO_FILE


def test_a_session_of_a_share_link_is_no_token_of_its_video(private: EdgeWorld) -> None:
    token = private.token(use=TokenUse.SHARE, share_id="shr_" + "e" * 22)

    assert outcome(segment(private, token)) == FORBIDDEN
