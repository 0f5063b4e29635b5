"""
Files to take away: what players and programs get of them, byte by byte.
"""

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from urllib.parse import unquote

import attrs
import pytest

from hvcore.domain.processing.encoding import AudioCodec
from hvcore.domain.processing.media_index import (
    MediaIndex,
)
from hvcore.services.playback.delivery import PlaybackRequest
from hvcore.services.playback.downloads.joined_files import JoinedFile
from tests.conftest import SettableClock
from tests.services.playback.downloads.films import (
    FILM_S,
    MOVIE,
    SOUND,
    Film,
    load,
    published,
    segment,
    show,
)
from tests.support.http.delivery_worker import (
    PRIVATE_PATH,
    PUBLIC_PATH,
    WAYS,
    DeliveryWorker,
    worker_by,
)
from tests.support.http.world import World, body_of, job_of
from tests.support.media_samples import ROOT, VIDEO, audio_track, video_track


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Film:
    folder = tmp_path_factory.mktemp("film")
    pictures, sound = folder / "a1/video/360p", folder / "a1/audio"
    source = f"testsrc=s=640x360:r=30000/1001:d={FILM_S}"
    coding = ("-c:v", "libx264", "-preset", "veryfast", "-bf", 2, "-g", 30)
    segment(pictures, "-f", "lavfi", "-i", source, *coding, "-pix_fmt", "yuv420p")
    tone = f"sine=f=440:r=48000:d={FILM_S}"
    segment(sound, "-f", "lavfi", "-i", tone, "-c:a", "aac")
    media = MediaIndex(
        tracks=(
            published(video_track(360), pictures),
            published(audio_track(), sound),
        ),
        duration_s=float(FILM_S),
    )
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*.m4s")
    }
    return Film(folder, media, files)


@pytest.fixture(params=WAYS)
def worker(
    request: pytest.FixtureRequest, clock: SettableClock, tmp_path: Path, film: Film
) -> DeliveryWorker:
    made = worker_by(request.param, clock, tmp_path, is_public=True)
    show(made, film)
    return made


@pytest.fixture
def remote(clock: SettableClock, tmp_path: Path, film: Film) -> DeliveryWorker:
    made = worker_by("remote", clock, tmp_path, is_public=True)
    show(made, film)
    return made


def packets(path: Path, kind: str) -> Sequence[tuple[str, ...]]:
    shown = "stream_index,pts_time,dts_time,duration_time,size,flags,data_hash"
    command = ["ffprobe", "-v", "error", "-show_data_hash", "md5", "-select_streams"]
    command += [kind, "-show_entries", f"packet={shown}", "-of", "json", str(path)]
    told = json.loads(subprocess.check_output(command))["packets"]
    return [(one["data_hash"], one["size"], one["flags"][:1]) for one in told]


def times(path: Path, kind: str) -> Sequence[float]:
    command = ["ffprobe", "-v", "error", "-select_streams", kind, "-show_entries"]
    command += ["packet=pts_time", "-of", "json", str(path)]
    told = json.loads(subprocess.check_output(command))["packets"]
    return [float(one["pts_time"]) for one in told]


def in_one_file(folder: Path, target: Path) -> Path:
    """
    Write a track behind its init segment, as MSE gets it.
    """
    numbers = sorted(int(path.stem) for path in folder.glob("[0-9]*.m4s"))
    names = ["init", *map(str, numbers)]
    target.write_bytes(b"".join((folder / f"{n}.m4s").read_bytes() for n in names))
    return target


def frames(path: Path, at_s: float) -> str:
    command = ["ffmpeg", "-v", "error", "-seek_timestamp", "1"]
    # Of the movie, not from where its first picture is.
    command += ["-ss", str(at_s), "-i", str(path)]
    command += ["-frames:v", "3", "-an", "-f", "framemd5", "-"]
    told = subprocess.check_output(command, text=True)
    return "\n".join(
        line.rsplit(",", 1)[1] for line in told.splitlines() if line[:1] != "#"
    )


def test_a_downloads_samples_are_those_of_the_segments(
    remote: DeliveryWorker, film: Film, tmp_path: Path
) -> None:
    movie, sound = tmp_path / "movie.mp4", tmp_path / "sound.m4a"
    movie.write_bytes(load(remote).content)
    sound.write_bytes(load(remote, SOUND).content)
    pictures_list = film.folder / "a1/video/360p/index.m3u8"
    sound_list = film.folder / "a1/audio/index.m3u8"

    assert packets(movie, "v") == packets(pictures_list, "v")
    assert packets(movie, "a") == packets(sound_list, "a")
    assert packets(sound, "a") == packets(sound_list, "a")
    for kind, playlist in (("v", pictures_list), ("a", sound_list)):
        fragments = in_one_file(playlist.parent, tmp_path / kind)
        assert times(movie, kind) == pytest.approx(times(fragments, kind), abs=1e-4)
    # Every table is whole: the strictest reader has nothing to say.
    told = subprocess.run(
        ["ffmpeg", "-v", "warning", "-i", movie, "-f", "null", "-"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert told.stderr == ""


def test_programs_seek_in_it(
    remote: DeliveryWorker, film: Film, tmp_path: Path
) -> None:
    movie = tmp_path / "movie.mp4"
    movie.write_bytes(load(remote).content)
    whole = in_one_file(film.folder / "a1/video/360p", tmp_path / "whole.mp4")

    for at_s in (0, 0.5, 5.9, 6.1, 13.37, 19):
        assert frames(movie, at_s) == frames(whole, at_s)


def test_any_part_is_the_same_whoever_sends_it(
    worker: DeliveryWorker, film: Film
) -> None:
    whole = load(worker)
    assert whole.status_code == 200
    data = whole.content
    size = len(data)
    assert whole.headers["Content-Length"] == str(size)
    sizes = sum(len(one) for name, one in film.files.items() if "init" not in name)
    head = size - sizes
    borders = [0, 1, head - 1, head, head + 1, size - 1]
    borders += [head + len(film.files["a1/video/360p/0.m4s"]) + n for n in (-1, 0, 1)]
    for start in borders:
        for length in (1, 70_000, size):
            end = min(size, start + length) - 1
            result = load(worker, Range=f"bytes={start}-{end}")
            assert result.status_code == 206
            assert result.headers["Content-Range"] == f"bytes {start}-{end}/{size}"
            assert result.content == data[start : end + 1]
    assert load(worker, Range="bytes=-5").content == data[-5:]
    assert load(worker, Range=f"bytes={size}-").status_code == 416


def test_a_download_tells_its_name_length_and_version(worker: DeliveryWorker) -> None:
    worker.change(name='Süß/"100%": 日本語\r\n\u202e')

    result = load(worker)

    value = result.headers["Content-Disposition"]
    found = re.fullmatch(
        r"attachment; filename=\"([ -~]+)\"; filename\*=UTF-8''([\w%.-]+)", value
    )
    assert found
    assert unquote(found[2]) == "Süß__100%__ 日本語___ (360p).mp4"
    assert not set('%\\"/') & set(found[1])
    assert result.headers["Content-Type"] == "video/mp4"
    sound, etag = load(worker, SOUND), result.headers["ETag"]
    assert sound.headers["Content-Type"] == "audio/mp4"
    assert sound.headers["ETag"] != etag
    assert load(worker, If_None_Match=etag).status_code == 304
    assert load(worker, Range="bytes=0-4", If_Range=etag).status_code == 206
    assert load(worker, Range="bytes=0-4", If_Range='"x"').status_code == 200
    head = worker.get(f"{PUBLIC_PATH}/{MOVIE}", method="HEAD")
    assert head.headers["Content-Length"] == result.headers["Content-Length"]
    assert head.content == b""


def test_the_app_is_asked_only_to_prepare_it(
    clock: SettableClock, tmp_path: Path, film: Film
) -> None:
    worker = worker_by("loop", clock, tmp_path, is_public=True)
    show(worker, film)
    path = f"{PUBLIC_PATH}/{MOVIE}"

    first = worker.get(path)
    del worker.client.app
    assert worker.get(path).content == first.content


@pytest.mark.parametrize("name", [MOVIE, SOUND])
def test_nobody_takes_it_who_may_not(worker: DeliveryWorker, name: str) -> None:
    load(worker, name)
    public, private = f"{PUBLIC_PATH}/{name}", f"{PRIVATE_PATH}/{name}"

    worker.change(is_public=False)
    assert worker.get(public).status_code == 403
    assert worker.get(private).status_code == 401
    assert worker.get(private, f"token={worker.token()}").status_code == 200
    worker.change(allows_download=False)
    assert worker.get(private, f"token={worker.token()}").status_code == 404
    worker.change(is_public=True)
    assert worker.get(public).status_code == 404


@pytest.mark.parametrize(
    "name", ["", "720p.mp4", "audio-1.m4a", "360p.mp4.1.head", "../a1/0", "360p.m4a"]
)
def test_there_is_nothing_else(worker: DeliveryWorker, name: str) -> None:
    assert load(worker, f"downloads/{name}").status_code == 404


def test_a_download_counts_as_its_segments(worker: DeliveryWorker) -> None:
    whole = load(worker)
    places = [place.height_px for place in worker.counted]
    assert places == [360] * 4
    load(worker, SOUND)
    assert len(worker.counted) == 4
    size = len(whole.content)
    load(worker, Range=f"bytes=0-{size // 20}")
    assert len(worker.counted) == 4
    worker.get(f"{PUBLIC_PATH}/{MOVIE}", method="HEAD")
    assert len(worker.counted) == 4


@pytest.mark.parametrize("step", [997, 50_000])
def test_a_range_that_is_read_in_parts_counts_as_one_that_is_read_at_once(
    remote: DeliveryWorker, step: int
) -> None:
    load(remote)
    asked = PlaybackRequest(environment=("org_a", "env_1"), video=VIDEO, file=MOVIE)
    body = remote.delivery.open(asked).body
    assert isinstance(body, JoinedFile)
    for start in (0, body.size_bytes // 3):
        end = body.size_bytes
        remote.counted.clear()
        whole, counted = b"".join(body.pieces(start, end)), list(remote.counted)
        assert counted

        remote.counted.clear()
        parts = [
            body.part(at, min(at + step, end), (start, end))
            for at in range(start, end, step)
        ]

        assert b"".join(parts) == whole
        assert remote.counted == counted


def test_over_quota_nobody_begins(worker: DeliveryWorker) -> None:
    load(worker)
    worker.change(may_begin=False)

    assert load(worker).status_code == 429


def with_data_elsewhere(good: bytes) -> bytes:
    flags = good.index(b"tfhd") + 7
    return good[:flags] + bytes([good[flags] | 1]) + good[flags + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda good: b"\0\0\0\1" * (len(good) // 4), id="wrong sizes"),
        pytest.param(lambda good: good[:0], id="empty"),
        pytest.param(lambda good: good[: good.index(b"moof") - 1], id="cut off"),
        pytest.param(with_data_elsewhere, id="data in another file"),
    ],
)
def test_damaged_segments_give_no_head(
    remote: DeliveryWorker, film: Film, damage: Callable[[bytes], bytes]
) -> None:
    remote.change(load_media=lambda: film.media, allows_download=True)
    path = f"{ROOT}/a1/audio/1.m4s"
    good = film.files["a1/audio/1.m4s"]
    remote.storage.objects[path] = damage(good)

    assert load(remote).status_code == 503
    remote.storage.objects[path] = good
    assert load(remote).status_code == 200


@pytest.fixture(scope="module")
def surround(film: Film, tmp_path_factory: pytest.TempPathFactory) -> Film:
    """
    The film with sound in two languages, each as AC-3 and as AAC.
    """
    folder = tmp_path_factory.mktemp("surround")
    tracks = []
    for number, (language, codec) in enumerate(product(("ger", "eng"), ("ac3", "aac"))):
        track = audio_track(number, AudioCodec(codec), codec, language=language)
        tone = f"sine=f={440 + number}:r=48000:d={FILM_S}"
        made = folder / "a1" / track.name
        segment(made, "-f", "lavfi", "-i", tone, "-c:a", codec)
        tracks.append(published(track, made))
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*.m4s")
    }
    media = attrs.evolve(film.media, tracks=(film.media.tracks[0], *tracks))
    return Film(folder, media, {**film.files, **files})


@pytest.fixture
def surround_worker(
    clock: SettableClock, tmp_path: Path, surround: Film
) -> DeliveryWorker:
    made = worker_by("remote", clock, tmp_path, is_public=True)
    show(made, surround)
    return made


def test_a_movie_has_sound_that_browsers_play(
    surround_worker: DeliveryWorker, tmp_path: Path
) -> None:
    movie = tmp_path / "movie.mp4"
    movie.write_bytes(load(surround_worker).content)

    command = ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name"]
    told = json.loads(subprocess.check_output([*command, "-of", "json", str(movie)]))
    assert [one["codec_name"] for one in told["streams"]] == ["h264", "aac"]


def test_sounds_of_several_languages_are_saved_under_several_names(
    surround_worker: DeliveryWorker,
) -> None:
    surround_worker.change(name="Film")

    called = [
        unquote(sent.rpartition("''")[2])
        for name in ("audio", "audio-1", "audio-2", "audio-3")
        for result in [load(surround_worker, f"downloads/{name}.m4a")]
        for sent in [result.headers["Content-Disposition"]]
    ]

    assert called == [
        "Film (de, ac3).m4a",
        "Film (de).m4a",
        "Film (en, ac3).m4a",
        "Film (en).m4a",
    ]


def test_entries_of_sound_say_their_language(api: World, surround: Film) -> None:
    video = api.transcoding()
    api.change(video, lambda found: found.mark_ready(job_of(found), surround.media))
    path = f"/v1/videos/{video}"

    shown = body_of(api.call("PATCH", path, json={"allowDownload": True}))

    languages = [(one["name"], one.get("language")) for one in shown["renditions"]]
    assert languages == [
        ("360p.mp4", None),
        ("audio.m4a", "de"),
        ("audio-1.m4a", "de"),
        ("audio-2.m4a", "en"),
        ("audio-3.m4a", "en"),
    ]


def test_a_head_that_was_made_with_other_sound_is_not_taken(
    surround_worker: DeliveryWorker,
) -> None:
    # As a version before this one has left it, with the first sound.
    surround_worker.storage.objects[f"{ROOT}/{MOVIE}.1.head"] = b"old"

    assert load(surround_worker).content[4:8] == b"ftyp"
