"""
The DASH manifest, against ISO/IEC 23009-1.
"""

import math
import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import BinaryIO

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.processing.encoding import AudioCodec
from hvcore.domain.processing.media_index import MediaIndex, Sprite
from hvcore.domain.processing.transcoding import MediaFile, Segment, Track
from hvcore.manifests import dash
from hvcore.manifests.rewrite import carry_token_in_manifest
from hvcore.ports.storage import ObjectInfo
from hvcore.services.playback.published_files import PublishedMedia, find_published
from hvcore.services.processing.attempt_files import AttemptFiles
from tests.support.media_samples import (
    ROOT,
    BytesStorage,
    audio_track,
    index,
    segments,
    storyboard,
    video_track,
)

NS = {"": "urn:mpeg:dash:schema:mpd:2011"}

made_durations = st.lists(
    st.floats(0.02, 6.5, allow_nan=False, allow_infinity=False),
    min_size=1,
    max_size=60,
)


@attrs.frozen
class Read:
    """
    A representation as a player reads it; times in seconds.
    """

    element: ET.Element
    init: str
    segments: list[tuple[str, Fraction, Fraction]]


def load(media: MediaIndex, token: str | None = None) -> ET.Element:
    text = dash.manifest(media)
    if token is not None:
        text = carry_token_in_manifest(text, token)
    return ET.fromstring(text.encode())  # noqa: S314 - our own text


def sets(root: ET.Element, kind: str) -> list[ET.Element]:
    found = root.findall("Period/AdaptationSet", NS)
    return [one for one in found if one.get("contentType") == kind]


def value(element: ET.Element, name: str) -> str | None:
    child = element.find(name, NS)
    return None if child is None else child.get("value")


def read(representation: ET.Element) -> Read:
    """
    Walk a timeline as section 5.3.9.6 says.
    """
    template = representation.find("SegmentTemplate", NS)
    assert template is not None
    number = int(template.attrib["startNumber"])
    ticks_per_s = int(template.attrib["timescale"])
    found = []
    at = 0
    for run in template.findall("SegmentTimeline/S", NS):
        at = int(run.get("t", at))
        for _ in range(int(run.get("r", "0")) + 1):
            address = template.attrib["media"].replace("$Number$", str(number))
            end = at + int(run.attrib["d"])
            found.append(
                (address, Fraction(at, ticks_per_s), Fraction(end, ticks_per_s))
            )
            at, number = end, number + 1
    return Read(representation, template.attrib["initialization"], found)


def representations(root: ET.Element) -> list[Read]:
    found = root.findall("Period/AdaptationSet/Representation", NS)
    return [read(representation) for representation in found]


def lasting(durations_s: list[float]) -> tuple[Segment, ...]:
    return segments([1000] * len(durations_s), durations_s)


def test_a_manifest_says_everything_of_a_video() -> None:
    root = load(
        index(
            video_track(360, frame_rate=Fraction(30000, 1001)),
            video_track(720, frame_rate=Fraction(30000, 1001)),
            audio_track(language="eng", title="English"),
        )
    )

    assert dict(root.attrib) == {
        "profiles": "urn:mpeg:dash:profile:isoff-live:2011",
        "type": "static",
        "mediaPresentationDuration": "PT12.000000S",
        "minBufferTime": "PT6.000000S",
    }
    [video] = sets(root, "video")
    assert dict(video.attrib) == {
        "id": "0",
        "contentType": "video",
        "mimeType": "video/mp4",
        "segmentAlignment": "true",
        "startWithSAP": "1",
        "maxWidth": "1280",
        "maxHeight": "720",
        "maxFrameRate": "30000/1001",
    }
    assert value(video, "Role") == "main"
    assert [dict(one.attrib) for one in video.findall("Representation", NS)] == [
        {
            "id": f"video-{height}p",
            "bandwidth": "1000000",
            "codecs": "avc1.64001f",
            "width": str(width),
            "height": str(height),
            "frameRate": "30000/1001",
        }
        for width, height in [(640, 360), (1280, 720)]
    ]
    [audio] = sets(root, "audio")
    assert audio.get("lang") == "en"
    assert value(audio, "AudioChannelConfiguration") == "2"
    assert value(audio, "Role") == "main"
    assert audio.findtext("Label", namespaces=NS) == "English"


def test_a_manifest_is_the_same_text_each_time() -> None:
    media = index(video_track(), audio_track(language="eng", title="Ätna"))

    text = dash.manifest(media)

    assert text == dash.manifest(media)
    assert text.startswith("<?xml version='1.0' encoding='utf-8'?>\n<MPD xmlns=")
    assert text.endswith("</MPD>\n")
    assert "Ätna" in text


def test_the_bandwidth_is_the_peak_as_in_playlists() -> None:
    track = video_track(of=segments([750_000, 1_500_000, 100_000], [6.0, 6.0, 0.1]))

    [video] = representations(load(index(track)))

    # The last two segments together: 1,600,000 bytes in 6.1 s, rounded up.
    assert video.element.get("bandwidth") == "2098361"


def test_every_address_is_a_published_file_and_every_segment_has_one() -> None:
    media = index(
        video_track(360, segments([1, 2, 3], [6.0, 6.0, 1.25])),
        video_track(720, segments([4, 5, 6], [6.0, 6.0, 1.25])),
        audio_track(of=segments([7, 8, 9], [6.016, 5.994667, 1.28])),
    )

    found = representations(load(media))

    for published, one in zip(media.tracks, found, strict=True):
        init = find_published(media, one.init)
        assert isinstance(init, PublishedMedia)
        assert init.path == f"a1/{published.track.name}/init.m4s"
        assert [find_published(media, address) for address, _, _ in one.segments] == [
            find_published(media, f"{published.track.name}/{segment.number}.m4s")
            for segment in published.track.segments
        ]


@pytest.mark.parametrize(
    ("counts", "tiles", "size", "sheet_s"),
    [((50, 31), "10x5", ("1600", "450"), 250), ((13,), "10x2", ("1600", "180"), 100)],
)
def test_previews_for_seeking_are_a_track_of_sheets(
    counts: tuple[int, ...], tiles: str, size: tuple[str, str], sheet_s: int
) -> None:
    sheets = tuple(
        Sprite(
            path=f"storyboard-a1/{number}.jpg",
            count=count,
            file=MediaFile(size_bytes=100_000 - 999 * number, sha256="ab"),
        )
        for number, count in enumerate(counts)
    )
    board = attrs.evolve(storyboard(), sprites=sheets)
    media = attrs.evolve(index(video_track(), audio_track()), storyboard=board)

    root = load(media, token="a&b")

    [found] = sets(root, "image")
    template = found.find("SegmentTemplate", NS)
    representation = found.find("Representation", NS)
    assert template is not None
    assert representation is not None
    assert (found.get("id"), found.get("mimeType")) == ("2", "image/jpeg")
    assert dict(template.attrib) == {
        "media": "storyboard-$Number$.jpg?token=a%26b",
        "duration": str(sheet_s),
        "startNumber": "0",
    }
    assert dict(representation.attrib) == {
        "id": "storyboard",
        "bandwidth": str(-(-800_000 // sheet_s)),
        "width": size[0],
        "height": size[1],
    }
    assert value(representation, "EssentialProperty") == tiles
    for number, sheet in enumerate(sheets):
        published = find_published(media, f"storyboard-{number}.jpg")
        assert isinstance(published, PublishedMedia)
        assert published.path == sheet.path


@given(made_durations, made_durations)
def test_no_boundary_is_off_by_more_than_the_rounding(
    video_s: list[float], audio_s: list[float]
) -> None:
    tracks = (video_track(of=lasting(video_s)), audio_track(of=lasting(audio_s)))

    root = load(index(*tracks))

    for track, one in zip(tracks, representations(root), strict=True):
        at = Fraction(0)
        for segment, (_, start, end) in zip(track.segments, one.segments, strict=True):
            assert abs(start - at) <= Fraction(1, 2_000_000)
            at += Fraction(segment.duration_s)
            assert abs(end - at) <= Fraction(1, 2_000_000)
    declared = Fraction(root.attrib["mediaPresentationDuration"][2:-1])
    assert declared == max(one.segments[-1][2] for one in representations(root))


def test_three_hours_of_sound_do_not_drift() -> None:
    # AAC at 44.1 kHz: no duration is a whole number of microseconds.
    duration_s = 259 * 1024 / 44100
    root = load(index(video_track(), audio_track(of=lasting([duration_s] * 1800))))

    sound = representations(root)[1]

    assert len(sound.segments) == 1800
    assert float(sound.segments[-1][2]) == pytest.approx(1800 * duration_s, abs=1e-6)


def test_equal_segments_take_one_line() -> None:
    root = load(index(video_track(of=lasting([6.0] * 1800 + [2.5]))))

    lines = root.findall(".//S", NS)

    assert [dict(line.attrib) for line in lines] == [
        {"t": "0", "d": "6000000", "r": "1799"},
        {"d": "2500000"},
    ]


def test_the_default_sound_comes_first_and_is_the_main_one() -> None:
    tracks: list[Track] = [
        audio_track(0, AudioCodec.EAC3, "ec-3", language="eng"),
        audio_track(1, AudioCodec.AAC, language="eng"),
        audio_track(2, AudioCodec.EAC3, "ec-3", language="fra"),
        audio_track(3, AudioCodec.AAC, language="fra"),
    ]
    for place, track in enumerate(tracks):
        assert track.audio is not None
        # Two tracks of the source, each in two codecs.
        audio = attrs.evolve(track.audio, stream_index=1 + place // 2)
        if audio.codec is AudioCodec.EAC3:
            audio = attrs.evolve(audio, channels=6)
        tracks[place] = attrs.evolve(track, audio=audio)

    found = sets(load(index(video_track(), *tracks)), "audio")

    assert [
        (
            one.get("lang"),
            value(one, "Role"),
            value(one, "AudioChannelConfiguration"),
            [r.get("codecs") for r in one.findall("Representation", NS)],
        )
        for one in found
    ] == [
        ("en", "main", "2", ["mp4a.40.2"]),
        ("fr", "alternate", "2", ["mp4a.40.2"]),
        ("en", "main", "6", ["ec-3"]),
        ("fr", "alternate", "6", ["ec-3"]),
    ]
    assert [one.get("id") for one in found] == ["1", "2", "3", "4"]


def test_only_the_first_sound_is_the_main_one() -> None:
    sounds = [audio_track(number, language="eng") for number in range(3)]

    found = sets(load(index(video_track(), *sounds)), "audio")

    assert [value(one, "Role") for one in found] == ["main", "alternate", "alternate"]


def test_the_most_of_all_rungs_is_said_of_video() -> None:
    rungs = [video_track(720, frame_rate=Fraction(25)), video_track(360)]

    [found] = sets(load(index(*rungs)), "video")

    most = {"maxWidth": "1280", "maxHeight": "720", "maxFrameRate": "30"}
    assert {name: found.get(name) for name in most} == most


def test_what_is_not_known_is_not_said() -> None:
    silent = load(index(video_track()))
    nameless = load(index(video_track(), audio_track(language="und")))

    assert sets(silent, "audio") == []
    [audio] = sets(nameless, "audio")
    assert audio.get("lang") is None
    assert audio.find("Label", NS) is None


@given(st.text(max_size=200), st.text(min_size=1))
def test_a_title_from_a_strangers_file_stays_a_title(title: str, token: str) -> None:
    title = title.encode("utf-8", "replace").decode()
    token = token.encode("utf-8", "replace").decode()
    media = index(video_track(), audio_track(title=title))

    root = load(media, token)

    [audio] = sets(root, "audio")
    label = audio.findtext("Label", namespaces=NS) or ""
    assert label.isprintable()
    assert len(label) <= 100
    if title.isprintable():
        # As in HLS, which cannot have quotes there.
        assert label == " ".join(title.replace('"', "'").split())[:100]


def test_no_title_gets_or_hides_a_token() -> None:
    title = "<SegmentTemplate media='x'> --> ]]> <![CDATA[ media='y"

    root = load(index(video_track(), audio_track(title=title)), "T")

    assert root.findtext(".//Label", namespaces=NS) == title
    for one in representations(root):
        assert one.init.endswith("init.m4s?token=T")
        assert all(address.endswith(".m4s?token=T") for address, _, _ in one.segments)


def test_the_length_is_that_of_the_longest_track() -> None:
    root = load(
        index(
            video_track(of=lasting([6.0, 1.0])),
            audio_track(of=lasting([6.016, math.pi])),
        )
    )

    assert root.get("mediaPresentationDuration") == "PT9.157593S"


def test_the_manifest_is_written_before_the_master_playlist() -> None:
    written: list[tuple[str, str]] = []

    class Diary(BytesStorage):
        def write(
            self, path: str, source: BinaryIO, *, content_type: str
        ) -> ObjectInfo:
            written.append((path, content_type))
            return super().write(path, source, content_type=content_type)

    storage = Diary()
    media = index(video_track(), audio_track())

    AttemptFiles(storage=storage).write_playlists(ROOT, media)

    assert (f"{ROOT}/manifest.mpd", "application/dash+xml") in written
    assert written[-1] == (f"{ROOT}/master.m3u8", "application/vnd.apple.mpegurl")
    assert len(written) == 4
    assert storage.objects[f"{ROOT}/manifest.mpd"] == dash.manifest(media).encode()
