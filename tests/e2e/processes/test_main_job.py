"""
Upload, transcode, play, delete: through the real processes.
"""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from urllib.parse import urljoin

import pytest
from PIL import Image

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.support.live import Answer, LiveService, files_below, request, until


def attributes(line: str) -> dict[str, str]:
    pairs = re.findall(r'([A-Z-]+)=("[^"]*"|[^,]*)', line.partition(":")[2])
    return {name: value.strip('"') for name, value in pairs}


def variants(master: str) -> list[dict[str, str]]:
    lines = master.splitlines()
    return [
        {**attributes(line), "URI": lines[number + 1]}
        for number, line in enumerate(lines)
        if line.startswith("#EXT-X-STREAM-INF")
    ]


def picture(url: str) -> Answer:
    """
    Ask for a picture, and again while it is being made, as a busy machine says.
    """
    answers: list[Answer] = []

    def is_made() -> bool:
        answers.append(request("GET", url))
        return answers[-1].status != 503

    until(is_made, within_s=120)
    return answers[-1]


def test_the_service_says_that_it_is_well(service: LiveService) -> None:
    health = request("GET", f"{service.api}/health")

    assert health.status == 200
    assert set(health.body["checks"]) == {
        *("database", "clock", "storage", "queue", "disk", "transcoder")
    }
    assert health.body["checks"]["transcoder"] == "ok"


def test_a_ready_video_says_what_was_made(service: LiveService, public_id: str) -> None:
    details = service.details(public_id)

    assert details["status"] == {"ready": True, "transcoding": False, "failed": False}
    assert details["duration"] == "0:13"
    assert [e["key"] for e in details["encodings"]] == ["360p", "480p", "720p"]


def test_every_rung_plays_to_its_end_without_a_complaint(
    service: LiveService, public_id: str
) -> None:
    master = request("GET", service.public_url(public_id)).data.decode()

    found = variants(master)

    assert len(found) == 3
    for variant in found:
        url = service.public_url(public_id, variant["URI"])
        assert ffmpeg_complaints(url) == ""
    assert ffmpeg_complaints(service.public_url(public_id)) == ""


def test_a_private_video_plays_from_its_signed_url_alone(
    service: LiveService, private_id: str
) -> None:
    signed = service.call("GET", f"/v1/videos/{private_id}/signed-url").body

    assert signed["expires_in"] == 3600
    assert ffmpeg_complaints(signed["signed_url"]) == ""


def test_a_private_video_is_refused_without_a_good_token(
    service: LiveService, private_id: str, public_id: str
) -> None:
    path = f"{service.worker}/v1/private/{private_id}/master.m3u8"
    signed = service.call("GET", f"/v1/videos/{public_id}/signed-url").body
    other = signed["signed_url"].partition("?")[2]

    assert request("GET", path).status == 401
    assert request("GET", f"{path}?token=x").status == 401
    assert request("GET", f"{path}?{other}").status == 403
    assert request("GET", service.public_url(private_id)).status == 403


def test_the_master_playlist_tells_the_truth(
    service: LiveService, public_id: str
) -> None:
    master = request("GET", service.public_url(public_id)).data.decode()

    assert "#EXT-X-INDEPENDENT-SEGMENTS" in master
    (audio,) = [x for x in master.splitlines() if x.startswith("#EXT-X-MEDIA")]
    sound = sizes_and_durations(service, public_id, attributes(audio)["URI"])
    for variant in variants(master):
        assert variant["AUDIO"] == attributes(audio)["GROUP-ID"]
        assert variant["FRAME-RATE"] == "10.000"
        pairs = sizes_and_durations(service, public_id, variant["URI"])
        peak_bps = max(8 * size / s for size, s in pairs if s >= 3)
        peak_bps += max(8 * size / s for size, s in sound if s >= 3)
        average_bps = 8 * sum(s for s, _ in pairs) / sum(d for _, d in pairs)
        average_bps += 8 * sum(s for s, _ in sound) / sum(d for _, d in sound)
        assert int(variant["BANDWIDTH"]) >= peak_bps - 1
        assert int(variant["AVERAGE-BANDWIDTH"]) == pytest.approx(average_bps, rel=0.01)
        probed = probe(service.public_url(public_id, variant["URI"]))
        assert variant["RESOLUTION"] == f"{probed['width']}x{probed['height']}"
        profile = {"High": "64", "Main": "4D", "Baseline": "42"}[probed["profile"]]
        codec = variant["CODECS"].split(",")[0].upper()
        assert codec.startswith(f"AVC1.{profile}")
        assert codec.endswith(f"{int(probed['level']):02X}")


def test_a_storyboard_shows_the_whole_video(
    service: LiveService, private_id: str
) -> None:
    signed = service.call("GET", f"/v1/videos/{private_id}/signed-url").body
    address = signed["signed_url"].replace("master.m3u8", "storyboard.vtt")

    index = request("GET", address).data.decode()

    cues = re.findall(r"--> (\S+)\n(\S+)#xywh=(\d+),(\d+),160,90\n", index)
    assert len(cues) == 13
    assert cues[-1][0] == "00:00:13.000"
    (sheet,) = {name for _, name, _, _ in cues}
    with Image.open(BytesIO(request("GET", urljoin(address, sheet)).data)) as image:
        assert image.size == (1600, 180)
        tiles = {
            image.crop((int(x), int(y), int(x) + 160, int(y) + 90)).tobytes()
            for _, _, x, y in cues
        }
    assert len(tiles) == 13


def sizes_and_durations(
    service: LiveService, video_id: str, playlist: str
) -> list[tuple[int, float]]:
    text = request("GET", service.public_url(video_id, playlist)).data.decode()
    found = re.findall(r"#EXTINF:([\d.]+),\n(\S+)", text)
    return [
        (len(request("GET", service.public_url(video_id, uri)).data), float(duration))
        for duration, uri in found
    ]


def probe(url: str) -> dict[str, str]:
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
         "stream=width,height,profile,level", "-of", "default=nk=0:nw=1", url],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return dict(line.split("=", 1) for line in done.stdout.split("\n") if "=" in line)


def test_all_rungs_have_the_same_segment_boundaries(
    service: LiveService, public_id: str
) -> None:
    master = request("GET", service.public_url(public_id)).data.decode()
    boundaries = {
        tuple(
            duration
            for _, duration in sizes_and_durations(service, public_id, variant["URI"])
        )
        for variant in variants(master)
    }

    assert boundaries == {(6.0, 6.0, 1.0)}


def test_sixteen_equal_process_requests_give_one_200_and_fifteen_409(
    service: LiveService, clip: Path
) -> None:
    path = service.uploaded(clip)

    def ask(_number: int) -> Answer:
        # None may come so late that the video is ready.
        return service.process(path, compressionRatio="veryfast")

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, range(16)))

    statuses = sorted(answer.status for answer in answers)
    assert statuses == [200] + [409] * 15
    assert {a.json["code"] for a in answers if a.status == 409} == {
        "processing_in_progress"
    }
    (video_id,) = [a.body["videoID"] for a in answers if a.status == 200]
    assert service.finished(video_id)["status"]["ready"]


def test_progress_is_visible_and_a_key_scoped_upload_starts_by_itself(
    service: LiveService, tmp_path: Path
) -> None:
    clip = make_clip(tmp_path / "clip.mp4", seconds=20, size="640x360")
    grant = service.call(
        "POST", "/v1/videos/upload-url", {"fileName": "Holiday in Rome.mp4"}
    ).body
    before = service.details(grant["assetId"])["status"]
    sent = request(
        "PUT",
        grant["signedURL"],
        data=clip.read_bytes(),
        headers={"Content-Type": "video/mp4"},
    )
    seen = set()

    def ready() -> bool:
        details = service.details(grant["videoID"])
        seen.add(details.get("progress"))
        return bool(details["status"]["ready"])

    until(ready, within_s=120)

    assert before == {"ready": False, "transcoding": False, "failed": False}
    assert sent.status == 200
    assert len([p for p in seen if isinstance(p, int) and 0 < p < 100]) >= 2
    assert service.details(grant["videoID"])["name"] == "Holiday in Rome"


def test_what_is_no_video_fails_with_a_reason(
    service: LiveService, tmp_path: Path
) -> None:
    text = tmp_path / "notes.mp4"
    text.write_text("These are my notes.\n" * 50)

    details = service.made(text)

    assert details["status"]["failed"]
    assert details["failureReason"]
    assert "/" not in details["failureReason"]


@pytest.mark.timeout(300)
def test_a_moment_and_a_moving_picture_are_made_of_the_renditions(
    service: LiveService, public_id: str
) -> None:
    pictures = f"{service.worker}/t/{public_id}"

    own = request("GET", f"{pictures}/320x180.jpg")
    moment = picture(f"{pictures}/320x180.jpg?time=9")
    moving = picture(f"{pictures}/animated.webp?start=5&end=7&width=160")

    with Image.open(BytesIO(moment.data)) as image:
        assert (image.format, image.size) == ("JPEG", (320, 180))
    assert moment.data != own.data
    with Image.open(BytesIO(moving.data)) as image:
        assert (image.format, image.size) == ("WEBP", (160, 90))
        assert getattr(image, "n_frames") > 8  # noqa: B009 - not of each image
    beyond = request("GET", f"{pictures}/320x180.jpg?time=14")
    assert (beyond.status, beyond.json["code"]) == (400, "invalid_parameters")
    assert not [*(service.data / "work" / "moments").iterdir()]


def test_a_deleted_video_is_gone_with_the_answer(
    service: LiveService, tmp_path: Path
) -> None:
    small = make_clip(tmp_path / "small.mp4", seconds=2, size="640x360")
    video_id = service.made(small)["id"]
    playlist = service.public_url(video_id)
    segment = service.public_url(video_id, "video/360p/0.m4s")
    thumbnail = f"{service.worker}/t/{video_id}/320x180.jpg"
    moment = f"{thumbnail}?time=1.5"
    urls = (playlist, segment, thumbnail, moment)
    assert {picture(url).status for url in urls} == {200}

    gone = service.call("DELETE", f"/v1/videos/{video_id}")

    assert gone.body["status"] == "deleted"
    for url in urls:
        assert request("GET", url).status == 404
    assert service.call("GET", f"/v1/videos/{video_id}").status == 404
    assert service.call("DELETE", f"/v1/videos/{video_id}").json["code"] == (
        "already_deleted"
    )
    storage = service.data / "storage"
    until(
        lambda: not [path for path in files_below(storage) if video_id in str(path)],
        within_s=30,
        what="the purge",
    )


def test_a_clip_without_sound_and_a_portrait_one_get_ready(
    service: LiveService, tmp_path: Path
) -> None:
    silent = make_clip(tmp_path / "a.mp4", seconds=2, size="321x241", audio=False)
    portrait = make_clip(tmp_path / "b.mp4", seconds=2, size="360x640")

    first, second = service.made(silent), service.made(portrait)

    assert [e["key"] for e in first["encodings"]] == ["240p"]
    assert first["encodings"][0]["audioFormat"] == ""
    assert second["encodings"][0]["shortEdgeIsWidth"]
    for made in (first, second):
        assert ffmpeg_complaints(service.public_url(made["id"])) == ""
