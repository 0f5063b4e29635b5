"""
Changes of a stream that break no rule, or only those that are named, at the ends of what is allowed.
"""

from typing import Final

from tests.conformance import made_streams as made
from tests.conformance.broken_streams import (
    CHAPTERS,
    LOW,
    Break,
    M,
    V,
    audio_init,
    both,
    drop,
    put,
    session_data,
    subtitles,
    swap,
    swap_once,
    video,
    video_init,
)

MIB: Final = 1 << 20
WITH_TIMES: Final = b"WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n"
NO_EDIT: Final = made.box("edts", made.full("elst", 0, 0, made.u32(0)))
LONG_EDIT: Final = made.box(
    "edts", made.full("elst", 1, 0, made.u32(1, 0, 9, 0, 0, 0x10000))
)


def segment_data(attributes: str, text: bytes = b"[]") -> Break:
    return both(session_data(attributes, text), swap(M, "VERSION:7", "VERSION:6"))


def version_1(kind: str, fields: int, values: bytes) -> Break:
    """
    Give a box of the init segment of video the fields of version 1, which are longer.
    """

    def run(files: made.Files) -> None:
        name = f"{LOW}/init.m4s"
        data = files[name]
        at = data.index(kind.encode()) - 4
        size = int.from_bytes(data[at : at + 4], "big")
        more = made.full(kind, 1, 3, values, data[at + 12 + fields : at + size])
        grown = len(more) - size
        data = data[:at] + more + data[at + size :]
        for around in (b"moov", b"trak", b"mdia"):
            place = data.index(around) - 4
            if place < at and (around != b"mdia" or kind == "mdhd"):
                length = int.from_bytes(data[place : place + 4], "big") + grown
                data = data[:place] + made.u32(length) + data[place + 4 :]
        files[name] = data

    return run


IN_ORDER: Final[dict[str, tuple[set[str], Break]]] = {
    "subtitles": (set(), subtitles(WITH_TIMES)),
    "subtitles with a byte order mark": (
        set(),
        subtitles(b"\xef\xbb\xbf" + WITH_TIMES),
    ),
    "subtitles in MP4": (
        set(),
        both(
            subtitles(b"x"),
            swap(
                "en.m3u8",
                "#EXTM3U\n",
                '#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-MAP:URI="audio/init.m4s"\n',
            ),
        ),
    ),
    "subtitles without an end": (
        {"endlist"},
        both(subtitles(WITH_TIMES), swap("en.m3u8", "#EXT-X-ENDLIST\n", "")),
    ),
    "subtitles whose playlist is not there": (
        {"readable"},
        both(subtitles(WITH_TIMES), drop("en.m3u8")),
    ),
    "subtitles that are not there": (
        {"readable"},
        both(subtitles(WITH_TIMES), drop("en.vtt")),
    ),
    "captions that have no file": (
        set(),
        swap(
            M,
            "#EXT-X-I-FRAME",
            '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="c",'
            'INSTREAM-ID="CC1"\n#EXT-X-I-FRAME',
        ),
    ),
    "audio whose playlist is not there": ({"readable"}, drop("audio-1.m3u8")),
    "I-frames whose playlist is not there": ({"readable"}, drop("iframes.m3u8")),
    "I-frames without an end": (
        {"endlist"},
        swap("iframes.m3u8", "#EXT-X-ENDLIST\n", ""),
    ),
    "session data": (set(), segment_data(CHAPTERS)),
    "session data of 1 MiB": (
        set(),
        segment_data(CHAPTERS, b"[" + b" " * (MIB - 2) + b"]"),
    ),
    "session data that are text": (
        set(),
        segment_data('DATA-ID="a.b",VALUE="x",LANGUAGE="en"', b""),
    ),
    "session data that are no JSON by their format": (
        set(),
        segment_data('DATA-ID="a.b",URI="chapters.json",FORMAT=RAW', b"<"),
    ),
    "session data in two languages": (
        set(),
        both(
            session_data('DATA-ID="a",VALUE="x",LANGUAGE="en"'),
            session_data('DATA-ID="a",VALUE="x",LANGUAGE="de"'),
        ),
    ),
    "a playlist of 1 MiB": (
        set(),
        lambda files: files.update({V: files[V] + b"\n" * (MIB - len(files[V]))}),
    ),
    "lines that end like those of Windows": (set(), swap(V, "\n", "\r\n")),
    "a comment": (set(), swap(V, "#EXT-X-ENDLIST", "# x\n#EXT-X-ENDLIST")),
    "a playlist of no segments": (
        {"playlist-syntax", "several-variants"},
        put(V, made.media_playlist(LOW, [])),
    ),
    "a playlist without a header": (
        {"playlist-header", "several-variants"},
        put(V, b"1\n"),
    ),
    "a segment of nearly half a second more than the target": (
        {"segment-duration"},
        swap_once(V, "INF:2.000000", "INF:2.499999"),
    ),
    "an EXTINF that is wrong by a millisecond": (
        set(),
        swap_once(V, "INF:2.000000", "INF:2.001"),
    ),
    "an EXTINF that is wrong by a little more": (
        {"segment-duration-exact"},
        swap_once(V, "INF:2.000000", "INF:2.001001"),
    ),
    "an EXTINF that is wrong by a frame": (
        {"segment-duration"},
        swap_once(V, "INF:2.000000", "INF:2.04"),
    ),
    "errors that add up to a frame": (
        {"segment-duration-exact"},
        both(
            swap_once(V, "INF:2.000000", "INF:2.02"),
            swap_once(V, "INF:2.000000", "INF:2.02"),
        ),
    ),
    "errors that make up for each other": (
        {"segment-duration-exact", "bandwidth-covers"},
        both(
            swap_once(V, "INF:2.000000", "INF:2.02"),
            swap_once(V, "INF:2.000000", "INF:1.98"),
            swap_once(V, "INF:2.000000", "INF:2.02"),
        ),
    ),
    "a tick late": (set(), video(1, start=50 * 512 + 1)),
    "a tick early": (set(), video(1, start=50 * 512 - 1)),
    "a number left out": (set(), video(2, sequence=9)),
    "a hole of 20 ms in the sound": (
        {"segment-duration-exact", "bandwidth-covers"},
        put("audio/2.m4s", made.audio_segment(2, hole=960)),
    ),
    "a hole of a little more": (
        {"segment-duration-exact", "bandwidth-covers", "sound-in-step"},
        put("audio/2.m4s", made.audio_segment(2, hole=961)),
    ),
    "no matrix": (set(), video_init(matrix=(0,) * 9)),
    "a larger matrix": (set(), video_init(matrix=(9, 0, 0, 0, 9, 0, 0, 0, 1))),
    "a mirrored matrix": (
        {"as-decoded"},
        video_init(matrix=(9, 0, 0, 0, -9, 0, 0, 0, 1)),
    ),
    "a matrix that stretches": (
        {"as-decoded"},
        video_init(matrix=(9, 0, 0, 0, 8, 0, 0, 0, 1)),
    ),
    "a matrix that shears": (
        {"as-decoded"},
        video_init(matrix=(9, 1, 0, 0, 9, 0, 0, 0, 1)),
    ),
    "a matrix that shears down": (
        {"as-decoded"},
        video_init(matrix=(9, 0, 0, 1, 9, 0, 0, 0, 1)),
    ),
    "square pixels by a box": (
        set(),
        video_init(more=made.box("pasp", made.u32(5, 5)), shape=f"1{3:08b}"),
    ),
    "colours by a box": (
        set(),
        video_init(
            colour=False,
            more=made.box("colr", b"nclx\0\1\0\1\0\1\0"),
        ),
    ),
    "colours by a profile": (
        {"colour"},
        video_init(colour=False, more=made.box("colr", b"prof" + bytes(9))),
    ),
    "colours of HDR by a box, before those of the stream": (
        {"video-range"},
        video_init(more=made.box("colr", b"nclx\0\x09\0\x10\0\x09\0")),
    ),
    "a screen of HDR": (
        {"video-range"},
        video_init(transfer=18, more=made.box("mdcv", bytes(24))),
    ),
    "light levels of SDR": (
        {"screen-metadata"},
        video_init(more=made.box("clli", bytes(4))),
    ),
    "the largest level of devices": (
        {"codecs", "iframe-attributes"},
        video_init(level=52),
    ),
    "an edit list of nothing": (set(), video_init(edit=NO_EDIT)),
    "a long edit list of nothing": (
        {"edit-list-none"},
        video_init(edit=LONG_EDIT),
    ),
    "audio that is played at half its speed": (
        {"edit-list"},
        audio_init(edit=made.edit_list(0, rate=0x8000)),
    ),
    "brands of CMAF": (set(), video_init(brands=b"cmf2cmf2")),
    "the last brand": (set(), video_init(brands=b"isomiso5iso9cmfc")),
    "an init segment without an end of its lists": (set(), video_init(stts=0)),
    "a long header of media": (
        set(),
        version_1("mdhd", 12, made.u32(0, 0, 0, 0, 12_800)),
    ),
    "a long header of a track": (
        set(),
        version_1("tkhd", 20, made.u32(0, 0, 0, 0, 1, 0, 0, 0)),
    ),
    "a gap": (
        {"average-bandwidth"},
        both(
            swap(
                V,
                "#EXTINF:2.000000,\nvideo/180p/2.m4s",
                "#EXT-X-GAP\n#EXTINF:2.000000,\nvideo/180p/none.m4s",
            ),
        ),
    ),
    "segments that are encrypted": (
        {"iframe-playlists"},
        both(
            swap_once(V, "#EXTINF", '#EXT-X-KEY:METHOD=AES-128,URI="k"\n#EXTINF'),
            *(
                put(f"{LOW}/{n}.m4s", bytes(len(made.video_segment(n))))
                for n in range(3)
            ),
            swap(M, "#EXT-X-I-FRAME-STREAM-INF", "#EXT-X-OTHER"),
        ),
    ),
    "segments that are encrypted no more": (
        set(),
        swap_once(V, "#EXTINF", "#EXT-X-KEY:METHOD=NONE\n#EXTINF"),
    ),
}
"""The rules that a changed stream breaks, and the change."""
