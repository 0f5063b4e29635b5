"""
hv explain: which rule refused a playback, or would.
"""

import io
import json
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
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
from hvcore.services.playback.refusal_log import PlaybackRefusal, RefusalLog
from hvcore.settings import PublicSettings, load
from hvcore_cli.commands.videos.logged_refusals import find_lines
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.logs import process_logs
from hvcore_cli.logs.process_logs import LogFile
from hvcore_reference.dry_playback import DryServices, question
from tests.cli.conftest import Hv, Outcome
from tests.support.http.delivery_world import poster
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


# addresses


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


# request ids


def logged(folder: Path, name: str = "delivery.log", **changes: Any) -> bytes:  # noqa: ANN401 - names of fields
    """
    Write a refusal as hv delivery does under hv up; return its line.
    """
    wanted: dict[str, Any] = {
        "request_id": "r-1",
        "rule": PlaybackRule.TOKEN_EXPIRED,
        "status": 401,
        "path": "/v1/private/vid_x/master.m3u8",
    }
    line = written(PlaybackRefusal(**{**wanted, **changes}))
    DataFolder(folder).make()
    log = LogFile(folder / "logs" / name)
    log.write(line)
    log.close()
    return line


def written(refusal: PlaybackRefusal) -> bytes:
    import logging  # noqa: PLC0415 - changes the root logger, and back

    stream, root = io.StringIO(), logging.getLogger()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(process_logs._LineFormatter())
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        RefusalLog().write(refusal, "192.0.2.1")
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    return stream.getvalue().encode()


def found(outcome: Outcome) -> list[dict[str, Any]]:
    document = json.loads(outcome.stdout)
    refusals: list[dict[str, Any]] = document["refusals"]
    return refusals


def test_a_request_is_found_in_the_logs(hv: Hv, tmp_path: Path) -> None:
    folder = tmp_path / "hv-data"
    logged(folder, request_id="other", rule=PlaybackRule.NO_SUCH_FILE)
    logged(folder)

    outcome = hv("explain", "r-1", "--json")

    assert outcome.status == 1
    (refusal,) = found(outcome)
    rule = PlaybackRule.TOKEN_EXPIRED
    at = datetime.fromisoformat(refusal.pop("at"))
    assert abs(SystemClock().now() - at) < timedelta(minutes=1)
    assert refusal == {
        "rule": "token_expired",
        "status": 401,
        "path": "/v1/private/vid_x/master.m3u8",
        "says": rule.refusal,
        "next": rule.fix,
        "file": str(folder / "logs" / "delivery.log"),
    }


def test_people_are_told_when_what_and_what_next(hv: Hv, tmp_path: Path) -> None:
    logged(tmp_path / "hv-data")

    outcome = hv("explain", "r-1")

    assert "refused with 401 by token_expired: The token has expired." in outcome.stdout
    assert "/v1/private/vid_x/master.m3u8" in outcome.stdout
    assert PlaybackRule.TOKEN_EXPIRED.fix in outcome.stdout


def test_rotated_logs_are_searched_too(
    hv: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_logs, "MAX_LOG_BYTES", 10)
    folder = tmp_path / "hv-data"
    logged(folder)

    logged(folder, request_id="r-2")

    assert (folder / "logs" / "delivery.log.1").exists()
    for request_id in ("r-1", "r-2"):
        assert len(found(hv("explain", request_id, "--json"))) == 1


def test_several_requests_of_one_id_are_all_told(hv: Hv, tmp_path: Path) -> None:
    folder = tmp_path / "hv-data"
    logged(folder)
    logged(folder, "delivery-2.log", rule=PlaybackRule.VIDEO_DELETED, status=404)

    refusals = found(hv("explain", "r-1", "--json"))

    # Perhaps of one millisecond.
    assert {r["rule"] for r in refusals} == {"token_expired", "video_deleted"}
    assert len(refusals) == 2


def test_an_id_that_begins_like_another_is_another(hv: Hv, tmp_path: Path) -> None:
    logged(tmp_path / "hv-data", request_id="r-10")

    outcome = hv("explain", "r-1", "--json")

    assert (outcome.status, found(outcome)) == (2, [])
    assert "No refusal of this id" in outcome.stderr


def test_nothing_that_a_caller_sends_makes_a_line(hv: Hv, tmp_path: Path) -> None:
    path = "/x\n2026-01-01 00:00:00,000 INFO x: playback refused request_id='r-1'"
    logged(tmp_path / "hv-data", request_id="r-2", path=path)

    assert hv("explain", "r-1").status == 2
    assert len(found(hv("explain", "r-2", "--json"))) == 1


def test_nothing_that_a_caller_sends_moves_the_terminal(hv: Hv, tmp_path: Path) -> None:
    bad = "/\x1b]0;own\x07\n  do next: run this\x9b2J\u202e\x7f"
    logged(tmp_path / "hv-data", path=bad)

    for words in ((), ("--json",)):
        outcome = hv("explain", "r-1", *words)
        assert outcome.status == 1
        text = outcome.stdout + outcome.stderr
        assert not {c for c in text if not c.isprintable()} - {"\n"}
        assert not [one for one in text.splitlines() if one == "  do next: run this"]


@pytest.mark.parametrize(
    "data",
    [
        # Cut off in the middle of a path that was made for this.
        'path="/x' + " a=''" * 38 + " z request_id='r-1' q",
        "request_id='r-1' status=" + "-" * 5000 + "1",
        "request_id='r-1' status=" + "(" * 5000 + "1",
    ],
)
def test_a_damaged_line_stops_nobody(hv: Hv, tmp_path: Path, data: str) -> None:
    folder = tmp_path / "hv-data"
    logged(folder)
    with (folder / "logs" / "delivery.log").open("a") as log:
        at = "2026-01-02 03:04:05,678"
        log.write(f"{at} INFO x: playback refused {data}\n")
        log.write("2026-13-45 99:99:99,678 INFO x: refused request_id='r-1'\n")
        log.write("0001-01-01 00:00:00,678 INFO x: refused request_id='r-0'\n")

    assert "token_expired" in [r["rule"] for r in found(hv("explain", "r-1", "--json"))]


def test_a_long_line_is_read_once() -> None:
    began_s = time.process_time()
    line = (
        "2026-01-02 03:04:05,678 INFO x: playback refused request_id='r-1'"
        + " a=''" * 20_000
        + " z\n"
    )

    assert list(find_lines("r-1", io.BytesIO(line.encode()), "a.log")) == []

    assert time.process_time() - began_s < 1


def test_what_was_no_refusal_is_told_as_well(hv: Hv, tmp_path: Path) -> None:
    folder = tmp_path / "hv-data"
    DataFolder(folder).make()
    at = "2026-01-02 03:04:05,678"
    (folder / "logs" / "delivery.log").write_text(
        f"{at} WARNING hvcore_web.errors: request not answered code='unavailable' "
        f"method='GET' request_id='r-1' route='/t/x' why=\"It isn't there.\"\n"
        f"{at} ERROR hvcore_web.errors: request crashed code='crash' request_id='r-2'\n"
        "Traceback (most recent call last):\n"
        f"{at} INFO x: playback refused request_id='r-3' rule='of_tomorrow' status=403\n"
        f"{at} INFO x: playback refused request_id='r-4' rule='token_ex\n"
    )

    (busy,) = found(hv("explain", "r-1", "--json"))
    (crash,) = found(hv("explain", "r-2", "--json"))
    (newer,) = found(hv("explain", "r-3", "--json"))

    assert (busy["rule"], busy["says"]) == (None, "It isn't there.")
    assert "bug" in crash["says"]
    assert "delivery.log" in crash["next"]
    assert (newer["rule"], newer["status"]) == ("of_tomorrow", 403)
    assert hv("explain", "r-4").status in {1, 2}


def test_logs_of_processes_that_run_alone_are_passed(
    hv: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = logged(tmp_path / "elsewhere")
    journal = b"Jan 02 03:04:05 host hv[12]: " + line
    (tmp_path / "journal").write_bytes(journal)

    class Piped:
        buffer = io.BytesIO(journal)

    monkeypatch.setattr(sys, "stdin", Piped())

    assert hv("explain", "r-1").status == 2
    for log in ("journal", "-"):
        (refusal,) = found(hv("explain", "r-1", "--log", log, "--json"))
        assert refusal["rule"] == "token_expired"
