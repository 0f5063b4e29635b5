"""
Streams that break one conformance rule each, and the changes that break them.
"""

from collections.abc import Callable
from typing import Final

from tests.conformance import made_streams as made
from tests.conformance.made_streams import Files

Break = Callable[[Files], None]

LOW: Final = "video/180p"


def put(name: str, data: bytes) -> Break:
    return lambda files: files.update({name: data})


def swap(name: str, old: str, new: str) -> Break:
    def run(files: Files) -> None:
        assert old.encode() in files[name]
        files[name] = files[name].replace(old.encode(), new.encode())

    return run


def swap_once(name: str, old: str, new: str) -> Break:
    def run(files: Files) -> None:
        assert old.encode() in files[name]
        files[name] = files[name].replace(old.encode(), new.encode(), 1)

    return run


def drop(name: str) -> Break:
    return lambda files: files.update({name: b""}) if not files.pop(name) else None


def cut(name: str, kept: int) -> Break:
    return lambda files: files.update({name: files[name][:kept]})


def video_init(**changes: object) -> Break:
    return put(f"{LOW}/init.m4s", made.video_init("180p", **changes))


def audio_init(**changes: object) -> Break:
    return put("audio/init.m4s", made.audio_init(**changes))


def video(number: int, **changes: object) -> Break:
    return put(f"{LOW}/{number}.m4s", made.video_segment(number, **changes))


def bandwidth(name: str, factor: float) -> Break:
    def run(files: Files) -> None:
        lines = files["master.m3u8"].decode().split("\n")
        for place, line in enumerate(lines):
            if line.startswith("#EXT-X-STREAM-INF:"):
                declared = line.partition(f"{name}=")[2].partition(",")[0]
                changed = f"{name}={int(int(declared) * factor)},"
                lines[place] = line.replace(f"{name}={declared},", changed, 1)
        files["master.m3u8"] = "\n".join(lines).encode()

    return run


def picture_range(more: int) -> Break:
    def run(files: Files) -> None:
        text = files["iframes.m3u8"].decode()
        length = int(text.partition("BYTERANGE:")[2].partition("@")[0])
        changed = text.replace(f"BYTERANGE:{length}@", f"BYTERANGE:{length + more}@")
        files["iframes.m3u8"] = changed.encode()

    return run


def both(*breaks: Break) -> Break:
    def run(files: Files) -> None:
        for one in breaks:
            one(files)

    return run


def subtitles(text: bytes) -> Break:
    def run(files: Files) -> None:
        files["en.m3u8"] = (
            b"#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n"
            b"#EXTINF:6,\nen.vtt\n#EXT-X-ENDLIST\n"
        )
        files["en.vtt"] = text
        files["master.m3u8"] += (
            b'#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="en",LANGUAGE="en",'
            b'URI="en.m3u8"\n'
        )

    return run


def session_data(attributes: str, text: bytes = b"[]") -> Break:
    def run(files: Files) -> None:
        files["chapters.json"] = text
        files["master.m3u8"] += f"#EXT-X-SESSION-DATA:{attributes}\n".encode()

    return run


M: Final = "master.m3u8"
V: Final = "video-180p.m3u8"
A: Final = "audio.m3u8"
HIGH_PLAYLIST: Final = "video-360p.m3u8"
CHAPTERS: Final = 'DATA-ID="com.apple.hls.chapters",URI="chapters.json"'
SPS: Final = made.sps(320, 180)
CAPTIONS: Final = made.message(4, b"\xb5\x00\x31GA94\x03\xc1\xff\xfc\x94\x20\xff")

BROKEN: Final[dict[str, tuple[str, Break]]] = {
    "a missing segment": ("readable", drop(f"{LOW}/1.m4s")),
    "a missing init segment": ("readable", drop(f"{LOW}/init.m4s")),
    "a missing media playlist": ("readable", drop(V)),
    "a huge playlist": ("limits", put(V, b"#EXTM3U\n" + b"\n" * (1 << 20))),
    "no header": ("playlist-header", swap(V, "#EXTM3U\n", "")),
    "a byte order mark": ("playlist-text", swap(V, "#EXTM3U", "\ufeff#EXTM3U")),
    "a control character": ("playlist-text", swap(V, "#EXTM3U", "#EXTM3U\n#\x07")),
    "an old version": ("playlist-version", swap(V, "VERSION:7", "VERSION:5")),
    "two versions": (
        "playlist-version",
        swap(V, "#EXT-X-VERSION:7", "#EXT-X-VERSION:7\n#EXT-X-VERSION:7"),
    ),
    "a broken attribute": ("playlist-syntax", swap(M, 'CODECS="', 'CODECS="x"')),
    "a variant without BANDWIDTH": (
        "playlist-syntax",
        swap(M, "INF:BANDWIDTH=", "INF:X-BANDWIDTH="),
    ),
    "an address without EXTINF": (
        "playlist-syntax",
        swap(V, "#EXT-X-ENDLIST", "video/180p/2.m4s\n#EXT-X-ENDLIST"),
    ),
    "no variants": ("multivariant", swap(M, "#EXT-X-STREAM-INF", "#EXT-X-OTHER")),
    "a long segment": ("target-duration", swap_once(V, "INF:2.000000", "INF:2.500000")),
    "no target": ("target-duration", swap(V, "#EXT-X-TARGETDURATION:2\n", "")),
    "another target": (
        "same-target-duration",
        swap(A, "TARGETDURATION:2", "TARGETDURATION:3"),
    ),
    "no end": ("endlist", swap(V, "#EXT-X-ENDLIST\n", "")),
    "no type": ("playlist-type", swap(V, "#EXT-X-PLAYLIST-TYPE:VOD\n", "")),
    "not independent": (
        "independent-segments",
        swap(M, "#EXT-X-INDEPENDENT-SEGMENTS\n", ""),
    ),
    "nowhere independent": (
        "independent-multivariant",
        swap(M, "#EXT-X-INDEPENDENT-SEGMENTS\n", ""),
    ),
    "one variant": ("several-variants", drop(HIGH_PLAYLIST)),
    "no map": ("map", swap(V, '#EXT-X-MAP:URI="video/180p/init.m4s"\n', "")),
    "a low BANDWIDTH": ("bandwidth", bandwidth("BANDWIDTH", 0.85)),
    "a high BANDWIDTH": ("bandwidth", bandwidth("BANDWIDTH", 1.2)),
    "a slightly low BANDWIDTH": ("bandwidth-covers", bandwidth("BANDWIDTH", 0.95)),
    "a low average": ("average-bandwidth", bandwidth("AVERAGE-BANDWIDTH", 0.85)),
    "no average": (
        "average-bandwidth",
        swap(M, "AVERAGE-BANDWIDTH", "X-AVERAGE-BANDWIDTH"),
    ),
    "another codec": ("codecs", swap(M, "42C01E", "64001E")),
    "a missing codec": ("codecs", swap(M, "42C01E,mp4a.40.2", "42C01E")),
    "a codec too many": ("codecs", swap(M, "mp4a.40.2", "mp4a.40.2,ec-3")),
    "no codecs": ("codecs", swap(M, ",CODECS=", ",X-CODECS=")),
    "another resolution": ("resolution", swap(M, "320x180,F", "320x192,F")),
    "no resolution": ("resolution", swap(M, "RESOLUTION=320x180,F", "X-R=1,F")),
    "another frame rate": ("frame-rate", swap(M, "25.000", "24.975")),
    "no frame rate": ("frame-rate", swap(M, "FRAME-RATE", "X-RATE")),
    "too many frames": ("frame-rate-limit", video_init(scale=40_000)),
    "another range": (
        "video-range",
        swap(M, "FRAME-RATE=", "VIDEO-RANGE=PQ,FRAME-RATE="),
    ),
    "high dynamic range": ("video-range", video_init(transfer=16)),
    "an unknown group": ("groups", swap(M, 'AUDIO="aac"', 'AUDIO="mp3"')),
    "unlike groups": (
        "groups",
        swap_once(M, '="aac",NAME="de-AT"', '="other",NAME="de-AT"'),
    ),
    "a name twice": ("rendition-names", swap(M, 'NAME="de-AT"', 'NAME="en"')),
    "two defaults": ("rendition-names", swap(M, "DEFAULT=NO", "DEFAULT=YES")),
    "a default for nobody": (
        "default-autoselect",
        swap_once(M, "AUTOSELECT=YES", "AUTOSELECT=NO"),
    ),
    "no default": ("default-audio", swap(M, "DEFAULT=YES", "DEFAULT=NO")),
    "no language tag": ("language", swap(M, 'LANGUAGE="de-AT"', 'LANGUAGE="de_AT"')),
    "no language": ("language-present", swap(M, 'LANGUAGE="de-AT",', "")),
    "other channels": ("channels", swap(M, 'CHANNELS="2"', 'CHANNELS="6"')),
    "no channels": ("channels", swap(M, 'CHANNELS="2",', "")),
    "no I-frames": (
        "iframe-playlists",
        swap(M, "#EXT-X-I-FRAME-STREAM-INF", "#EXT-X-OTHER"),
    ),
    "I-frames of no size": (
        "iframe-attributes",
        swap(M, "RESOLUTION=320x180,URI", "URI"),
    ),
    "not only I-frames": (
        "iframe-attributes",
        swap("iframes.m3u8", "#EXT-X-I-FRAMES-ONLY\n", ""),
    ),
    "I-frames of another size": (
        "iframe-attributes",
        swap(M, "RESOLUTION=320x180,URI", "RESOLUTION=640x360,URI"),
    ),
    "I-frames of another codec": (
        "iframe-attributes",
        swap(M, 'CODECS="avc1.42C01E",RES', 'CODECS="avc1.64001F",RES'),
    ),
    "an I-frame that is cut off": ("iframe-pictures", picture_range(-1)),
    "an I-frame without data": ("iframe-pictures", picture_range(-110)),
    "an I-frame that is no key frame": (
        "iframe-pictures",
        video(1, first_flags=made.NON_SYNC),
    ),
    "an I-frame of nothing": ("iframe-pictures", video(1, first=b"")),
    "I-frames in a segment that is none": (
        "iframe-pictures",
        put(f"{LOW}/1.m4s", made.box("free", bytes(2000))),
    ),
    "I-frames that are said to be cheap": (
        "iframe-bandwidth",
        swap(M, "I-FRAME-STREAM-INF:BANDWIDTH=10000", "I-FRAME-STREAM-INF:BANDWIDTH=9"),
    ),
    "a cut init segment": ("boxes", cut(f"{LOW}/init.m4s", 200)),
    "a cut mdat": ("boxes", cut(f"{LOW}/1.m4s", 2000)),
    "a file of the movie age": ("init-brands", video_init(brands=b"isommp42")),
    "no CMAF brand": ("cmaf-brand", video_init(brands=b"iso6dash")),
    "two tracks": ("init-one-track", video_init(tracks=2)),
    "samples in the init segment": ("init-no-samples", video_init(stts=1)),
    "no mvex": ("init-fragments", video_init(mvex=False)),
    "an edit list of video": ("edit-list", video_init(edit=made.edit_list(1024))),
    "a needless edit list": ("edit-list-none", video_init(edit=made.edit_list(0))),
    "an empty edit of audio": (
        "edit-list",
        audio_init(edit=made.edit_list(0xFFFFFFFF)),
    ),
    "in-band parameter sets": ("stored-parameter-sets", video_init(entry="avc3")),
    "no avcC": ("sample-entry", video_init(record=b"")),
    "an SPS cut off": ("sample-entry", video_init(record=made.avcc(SPS[:6]))),
    "another size in the entry": ("entry-size", video_init(told=(320, 192))),
    "another size in one of two parameter sets": (
        "entry-size",
        video_init(record=made.avcc(SPS, made.sps(320, 192))),
    ),
    "a low level": ("codec-level", video_init(level=10)),
    "a level of large screens": ("device-profile", video_init(level=60)),
    "no colours": ("colour", video_init(colour=False)),
    "a screen of SDR in the entry": (
        "screen-metadata",
        video_init(record=made.avcc(SPS) + made.box("mdcv", bytes(24))),
    ),
    "a screen of SDR in a picture": (
        "screen-metadata",
        video(1, first=made.picture(5, 100, made.message(137, bytes(24)))),
    ),
    "captions in a picture": (
        "closed-captions",
        video(1, first=made.picture(5, 100, CAPTIONS)),
    ),
    "pictures that are turned": (
        "as-decoded",
        video_init(matrix=(0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 1 << 30)),
    ),
    "pictures upside down": (
        "as-decoded",
        video_init(matrix=(-0x10000, 0, 0, 0, -0x10000, 0, 0, 0, 1 << 30)),
    ),
    "pictures that are cropped": (
        "as-decoded",
        video_init(more=made.box("clap", made.u32(320, 1, 136, 1, 0, 1, 0, 1))),
    ),
    "oblong pixels by a box": (
        "as-decoded",
        video_init(more=made.box("pasp", made.u32(16, 11))),
    ),
    "oblong pixels by a code": ("as-decoded", video_init(shape=f"1{3:08b}")),
    "oblong pixels by numbers": (
        "as-decoded",
        video_init(shape=f"1{255:08b}{16:016b}{11:016b}"),
    ),
    "a rung of another shape": (
        "same-shape",
        both(
            video_init(size=(242, 180)),
            swap(M, "RESOLUTION=320x180", "RESOLUTION=242x180"),
        ),
    ),
    "two traf": ("fragment-structure", video(1, trafs=2)),
    "media before the moof": (
        "fragment-structure",
        put(f"{LOW}/1.m4s", made.box("mdat") + made.video_segment(1, styp=False)),
    ),
    "no mdat": ("fragment-structure", swap(f"{LOW}/1.m4s", "mdat", "free")),
    "another base": ("fragment-base", video(1, base_flags=0)),
    "another track": ("track-id", video(1, track_id=2)),
    "a number again": ("sequence-number", video(1, sequence=1)),
    "a gap": ("decode-time", video(1, start=50 * 512 + 2)),
    "an overlap": ("decode-time", video(1, start=50 * 512 - 2)),
    "samples too short": (
        "sample-data",
        swap(
            f"{LOW}/1.m4s",
            "\0\0\0\x64\0\0\0\x64\0\0\0\x64",
            "\0\0\0\x64\0\0\0\x63\0\0\0\x64",
        ),
    ),
    "samples elsewhere": ("sample-data", video(1, data_offset=100)),
    "a NAL unit too long": (
        "sample-data",
        video(1, first=made.u32(200) + b"\x65" + bytes(95)),
    ),
    "no IDR": ("key-frame", video(1, first=made.picture(1))),
    "no sync sample": ("key-frame", video(1, first_flags=made.NON_SYNC)),
    "parameter sets in a sample": (
        "in-band-parameter-sets",
        video(1, first=made.picture(5, 60, SPS)),
    ),
    "a wrong EXTINF": ("segment-duration", swap_once(V, "INF:2.0", "INF:1.9")),
    "errors that add up": (
        "segment-duration",
        swap(V, "INF:2.000", "INF:2.015"),
    ),
    "a rough EXTINF": (
        "segment-duration-exact",
        swap_once(V, "INF:2.000", "INF:2.002"),
    ),
    "other boundaries": (
        "aligned",
        both(video(0, frames=40), video(1, start=40 * 512, frames=60)),
    ),
    "a segment less": (
        "aligned",
        swap(V, "#EXTINF:2.000000,\nvideo/180p/2.m4s\n", ""),
    ),
    "audio that ends early": (
        "same-duration-close",
        put("audio/2.m4s", made.segment(2, 188 * 1024, [b"!" * 20] * 40, 1024)),
    ),
    "audio that begins late": (
        "same-duration",
        both(
            *(
                put(
                    f"audio/{n}.m4s",
                    made.audio_segment(n, start=200_000 + 94 * n * 1024),
                )
                for n in range(3)
            )
        ),
    ),
    "a hole in the sound": (
        "sound-in-step",
        put("audio/2.m4s", made.audio_segment(2, hole=1024)),
    ),
    "subtitles that are none": (
        "webvtt",
        subtitles(b"1\n00:00:00,000 --> 00:00:02,000\n"),
    ),
    "subtitles without times": (
        "webvtt-timestamps",
        subtitles(b"WEBVTT\n\nX-TIMESTAMP-MAP="),
    ),
    "session data that lead nowhere": (
        "readable",
        both(session_data(CHAPTERS), drop("chapters.json")),
    ),
    "session data twice": (
        "session-data",
        both(session_data(CHAPTERS), session_data(CHAPTERS)),
    ),
    "session data of two kinds": (
        "session-data",
        session_data(f'{CHAPTERS},VALUE="x"'),
    ),
    "session data of none": ("session-data", session_data('DATA-ID="a.b"')),
    "session data without a name": ("playlist-syntax", session_data('VALUE="x"')),
    "session data that are no JSON": ("session-data", session_data(CHAPTERS, b"<")),
    "session data without an end": (
        "session-data",
        session_data(CHAPTERS, b"[" * 100_000),
    ),
    "huge session data": ("limits", session_data(CHAPTERS, b"1" * (1 << 20) + b"1")),
    "another timescale": ("timescale", video_init(scale=12_801)),
    "a timescale of 0": ("boxes", video_init(scale=0)),
}
