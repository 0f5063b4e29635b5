"""
hv explain: which rule refused a playback, or would.
"""

import io
import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest

from hvcore.assembly import Services, build
from hvcore.clock import SystemClock
from hvcore.domain import ids
from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.links.links import EdgeKey, ShareLink
from hvcore.domain.media_paths import media_root
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.video import Video, VideoWanted
from hvcore.embedding import embed
from hvcore.settings import PublicSettings, load
from hvcore.testing import make_ready_video
from hvcore_reference.dry_playback import DryServices, question
from tests.cli.conftest import Hv
from tests.support.http.delivery_worker import poster
from tests.support.media_samples import shelf

ORG = "org_acme"
ENV = "live"


@attrs.frozen(kw_only=True)
class Site:
    """
    An installation with a video, and the command.
    """

    hv: Hv
    services: Services
    video: Video
    folder: Path

    def judged(self, url: str, *words: str) -> tuple[int, dict[str, Any]]:
        outcome = self.hv("explain", url, *words, "--json")
        assert outcome.stdout, outcome.stderr
        return outcome.status, json.loads(outcome.stdout)

    def signed(self, **changes: Any) -> str:  # noqa: ANN401 - claims
        wanted: dict[str, Any] = {
            "video_id": self.video.id,
            "public_id": self.video.public_id,
            "now": SystemClock().now(),
            "valid_s": 3600,
        }
        token = self.services.key_ring.issue(**{**wanted, **changes})
        return f"/v1/private/{self.video.id}/master.m3u8?token={token}"

    def share(self, **wanted: Any) -> ShareLink:  # noqa: ANN401 - names of fields
        now = SystemClock().now()
        share = ShareLink(
            id=ids.new_share_link_id(),
            org_id=self.video.org_id,
            env_id=self.video.env_id,
            video_id=self.video.id,
            created_at=now,
            expires_at=now + timedelta(hours=1),
            **wanted,
        )
        with self.services.uow.write() as work:
            work.shares.add(share)
            work.commit()
        return share

    def edge_key(self, *domains: str) -> EdgeKey:
        operator = Principal(
            key_id=ids.new_key_id(),
            type=KeyType.SYSTEM,
            org_id=None,
            env_id=None,
            permissions=ALL_PERMISSIONS,
        )
        return self.services.edge_keys.create(
            operator, ORG, self.video.id, domains=domains, expires_at=None
        )

    def files(self) -> dict[str, bytes]:
        """
        Everything that the installation keeps beside its database.
        """
        return {
            str(path): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and ".sqlite3" not in path.name
        }


@pytest.fixture
def site(migrated: Hv, tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "hv-data"
    settings = load(config_path=None, environ={}, data_dir=folder).settings
    with build(settings, rings=False) as services:
        services.tenants.create_organization(ORG)
        services.tenants.create_environment(ORG, ENV, EnvironmentKind.PRODUCTION)
        yield Site(
            hv=migrated, services=services, video=published(services), folder=folder
        )


def published(services: Services, *, is_public: bool = False) -> Video:
    made = shelf(poster=poster())
    wanted = VideoWanted(
        settings=EncodingSettings(preset=Preset.STANDARD), is_public=is_public
    )
    env = services.tenants.environment(ORG, ENV)
    granted = services.uploads.grant_video(env, FileWanted(file_name="a.mp4"), wanted)
    job = ids.new_job_id()
    with services.uow.write() as work:
        video = work.videos.find(str(granted.grant.video_id))
        assert video is not None
        video.start_processing(job)
        video.mark_ready(job, made.media)
        work.videos.save(video)
        work.commit()
    for name, data in made.files.items():
        path = f"{media_root(video.id, job)}/{name}"
        services.storage.write(path, io.BytesIO(data), content_type="video/mp4")
    return video


def states(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(row["state"], row["rule"]) for row in document["rules"]]


def test_an_address_that_would_be_served_passes_every_rule(site: Site) -> None:
    status, document = site.judged(site.signed())

    assert status == 0
    assert (document["served"], document["status"]) == (True, 200)
    assert document["rule"] is None
    assert states(document) == [
        ("passed", rule)
        for rule in (
            *("token_missing", "token_several", "token_unknown_key", "token_broken"),
            *("token_wrong_issuer", "token_from_future", "token_expired"),
            *("token_other_video", "token_other_use", "page_not_listed"),
            *("video_unknown", "video_deleted", "video_failed", "video_not_ready"),
            *("no_such_file", "delivery_quota"),
        )
    ]


def test_the_first_rule_that_is_not_kept_ends_the_list(site: Site) -> None:
    long_ago = SystemClock().now() - timedelta(hours=2)

    status, document = site.judged(site.signed(now=long_ago))

    assert status == 1
    assert (document["served"], document["status"]) == (False, 401)
    rule = PlaybackRule.TOKEN_EXPIRED
    assert document["rule"] == rule.id
    assert document["says"] == rule.refusal
    assert document["next"] == rule.fix
    assert states(document)[-2:] == [
        ("passed", "token_from_future"),
        ("refused", "token_expired"),
    ]


def test_a_table_for_people_says_what_to_do(site: Site) -> None:
    outcome = site.hv("explain", f"/v1/private/{site.video.id}/master.m3u8")

    assert outcome.status == 1
    assert "refused  token_missing  The address carries no token." in outcome.stdout
    assert "Refused with 401. Do next: Request a signed URL" in outcome.stderr
    served = site.hv("explain", site.signed())
    assert served.status == 0
    assert "It would be served (200)." in served.stderr


@pytest.mark.parametrize(
    ("path", "status", "rule"),
    [
        ("/v1/public/{org}/{env}/{video}/master.m3u8", 403, "private_on_public_path"),
        ("/v1/public/{org}/x/{video}/master.m3u8", 404, "wrong_environment"),
        ("/t/{video}/640x360.jpg", 401, "token_missing"),
        ("/t/{video}/1x1.jpg", 400, "picture_size"),
        ("/v1/embed/{video}", 401, "token_missing"),
        ("/v1/ek_0000000000000000000000", 404, "edge_key_unknown"),
        ("/v1/share/shr_0000000000000000000000/a", 404, "share_unknown"),
        ("/v1/watch/shr_0000000000000000000000", 404, "share_unknown"),
        ("/v1/private/{video}/master.m3u8?token=x&token=y", 401, "token_several"),
        ("/v1/videos", 404, "no_such_address"),
    ],
)
def test_every_kind_of_address_is_judged(
    site: Site, path: str, status: int, rule: str
) -> None:
    url = path.format(org=ORG, env=ENV, video=site.video.id)

    exit_status, document = site.judged(url)

    assert (exit_status, document["status"], document["rule"]) == (1, status, rule)


def test_the_page_that_asks_can_be_named(site: Site) -> None:
    key = site.edge_key("example.com")
    url = f"/v1/{key.id}/master.m3u8"

    assert site.judged(url)[1]["rule"] == "page_not_listed"
    evil = site.judged(url, "--origin", "https://evil.test")
    assert evil[1]["rule"] == "page_not_listed"
    for words in (
        ("--origin", "https://example.com"),
        ("--referer", "https://example.com/a"),
    ):
        assert site.judged(url, *words)[0] == 0
    assert "--origin" in site.hv("explain", url).stderr


def test_a_whole_address_is_judged_wherever_it_leads(site: Site) -> None:
    settings = site.services.settings.public
    path = site.signed()

    ours = site.hv("explain", f"{settings.worker_url}{path}")
    other = site.hv("explain", f"https://cdn.example.com{path}")
    below = site.hv(
        "explain",
        f"https://video.example.com/watch{path}",
        HV_PUBLIC__WORKER_URL="https://video.example.com/watch",
    )

    assert (ours.status, other.status, below.status) == (0, 0, 0)
    assert "another host" not in ours.stderr + below.stderr
    assert "another host" in other.stderr


@pytest.mark.parametrize(
    ("worker", "player", "url", "path"),
    [
        ("/media", "/media/player", "/media/player/v1/embed/v", "/v1/embed/v"),
        ("/media", "/media/player", "/media/t/v/16x16.jpg", "/t/v/16x16.jpg"),
        ("/media/worker", "/media", "/media/worker/v1/x", "/v1/x"),
        ("/v1", "/v1", "/v1/v1/private/v/a", "/v1/private/v/a"),
        ("", "", "/v1/private/v/a", "/v1/private/v/a"),
    ],
)
def test_an_address_below_another_is_read(
    worker: str, player: str, url: str, path: str
) -> None:
    host = "https://video.example.com"
    public = PublicSettings(worker_url=f"{host}{worker}/", player_url=f"{host}{player}")

    asked = question(f"{host}{url}", public)

    assert asked is not None
    assert asked.path == path


def test_explaining_uses_no_view_and_writes_nothing(site: Site) -> None:
    share = site.share(max_views=1)
    public = published(site.services, is_public=True)
    addresses = (
        f"/v1/share/{share.id}/master.m3u8",
        f"/v1/watch/{share.id}",
        f"/t/{public.id}/640x360.jpg",
        f"/v1/public/{ORG}/{ENV}/{public.id}/video/720p/0.m4s",
    )
    before = site.files()

    for url in addresses * 2:
        assert site.judged(url)[0] == 0

    found = site.services.playback_directory.find_share_link(share.id)
    assert found is not None
    assert found.views == 0
    assert site.files() == before


def test_explaining_a_download_stores_no_head_of_it(site: Site) -> None:
    with embed(site.folder, environ={"HV_QUEUE__BACKEND": "local"}) as hv:
        video = make_ready_video(
            hv.environment(ORG, ENV), is_public=True, allows_download=True
        )
    url = f"/v1/public/{ORG}/{ENV}/{video.id}/downloads/240p.mp4"
    before = site.files()

    judged = site.judged(url)

    assert (judged[0], judged[1]["status"]) == (0, 200)
    assert site.files() == before


def test_a_share_link_without_views_is_explained(site: Site) -> None:
    share = site.share(max_views=1, views=1)

    status, document = site.judged(f"/v1/share/{share.id}/master.m3u8")

    assert (status, document["rule"]) == (1, "share_used_up")
    assert ("passed", "share_expired") in states(document)


def test_files_that_are_gone_are_noticed(site: Site) -> None:
    url = site.signed().replace("master.m3u8", "video/720p/0.m4s")
    site.services.storage.delete_tree("media")

    assert site.judged(url)[1]["rule"] == "files_missing"


def test_no_token_is_ever_printed(site: Site) -> None:
    secret = site.signed().partition("token=")[2]
    path = f"/v1/private/{site.video.id}"
    urls = (
        f"{path}/master.m3u8?token={secret}",
        f"{path}/none?token={secret}",
        f"https://user:{secret}@[/?token={secret}",
        f"/upload/x?token={secret}",
        f"x?token={secret}",
        f"x/y?token={secret}",
    )

    for url in urls:
        for words in ((), ("--json",)):
            outcome = site.hv("explain", url, *words)
            text = outcome.stdout + outcome.stderr
            assert not any(part in text for part in secret.split("."))


def test_no_token_is_kept_when_hv_itself_fails(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(DryServices, "__init__", crash)
    url = site.signed()
    secrets = (url.partition("token=")[2], "k" * 22, "s" * 22)
    urls = (
        url,
        url.replace("?", "%3F"),
        url.replace("?", "%3F").replace("=", "%3D"),
        url.replace("?", "#"),
        f"/v1/ek_{secrets[1]}/master.m3u8",
        f"/v1/share/shr_{secrets[2]}/master.m3u8",
    )
    for one in urls:
        monkeypatch.setattr(sys, "argv", ["hv", "explain", one])
        outcome = site.hv("explain", one)
        assert outcome.status == 1
        assert "Traceback" not in outcome.stderr
        assert not any(secret in outcome.stderr for secret in secrets)

    log = (site.folder / "logs" / "hv.log").read_text()
    assert log.count("Traceback") >= len(urls)
    assert "'explain', '/v1/private/" in log
    assert not any(secret in log for secret in secrets)


@pytest.mark.parametrize(
    "words",
    [
        ["a b"],
        ["request id?"],
        ["/upload/up_x"],
        ["https://["],
        ["relative/path"],
        ["some-id", "--origin", "https://example.com"],
        ["/v1/x", "--log", "-"],
        ["some-id", "--log", "no-such-file"],
    ],
)
def test_what_is_neither_is_wrong_usage(hv: Hv, words: list[str]) -> None:
    outcome = hv("explain", *words)

    assert outcome.status == 2
    assert "Traceback" not in outcome.stderr
