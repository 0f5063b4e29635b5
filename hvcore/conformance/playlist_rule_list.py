"""The rules that published playlists must keep, alone and compared with the files that they name."""

from typing import Final

from hvcore.conformance.rule import APPLE, RFC_8216BIS, Level, Rule

PLAYLIST_RULES: Final = (
    Rule(
        "readable",
        Level.MUST,
        "Every file that is named exists and can be read.",
        f"{RFC_8216BIS}, 6.2.1",
    ),
    Rule(
        "limits",
        Level.MUST,
        "Nothing is larger or more numerous than this check examines.",
        "this check",
    ),
    Rule(
        "playlist-header",
        Level.MUST,
        "A playlist begins with #EXTM3U.",
        f"{RFC_8216BIS}, 4.4.1.1",
    ),
    Rule(
        "playlist-text",
        Level.MUST,
        "A playlist is UTF-8 without byte order mark and control characters.",
        f"{RFC_8216BIS}, 4.1",
    ),
    Rule(
        "playlist-syntax",
        Level.MUST,
        "Tags are well-formed, have the attributes they need, and stand where they may.",
        f"{RFC_8216BIS}, 4.2 and 4.4",
    ),
    Rule(
        "playlist-version",
        Level.MUST,
        "EXT-X-VERSION, at most one, covers everything that the playlist uses.",
        f"{RFC_8216BIS}, 4.4.1.2 and 8",
    ),
    Rule(
        "multivariant",
        Level.MUST,
        "A video is published by a multivariant playlist with variants.",
        f"{APPLE}, 9; {RFC_8216BIS}, 6.2.4",
    ),
    Rule(
        "several-variants",
        Level.SHOULD,
        "Video is there at several bit rates.",
        f"{APPLE}, 9.9 (a MUST there, which small sources cannot keep)",
    ),
    Rule(
        "target-duration",
        Level.MUST,
        "No segment, rounded to whole seconds, is longer than the target duration.",
        f"{RFC_8216BIS}, 4.4.3.1; {APPLE}, 7.7",
    ),
    Rule(
        "same-target-duration",
        Level.MUST,
        "All video and audio playlists have the same target duration.",
        f"{RFC_8216BIS}, 6.2.4; {APPLE}, 8.2",
    ),
    Rule(
        "endlist",
        Level.MUST,
        "The playlist of a finished video ends with EXT-X-ENDLIST.",
        f"{RFC_8216BIS}, 4.4.3.4",
    ),
    Rule(
        "playlist-type",
        Level.MUST,
        "The playlist of a finished video says EXT-X-PLAYLIST-TYPE:VOD.",
        f"{APPLE}, 8.6; {RFC_8216BIS}, 4.4.3.5",
    ),
    Rule(
        "independent-segments",
        Level.MUST,
        "EXT-X-INDEPENDENT-SEGMENTS stands in the multivariant playlist or in all of video.",
        f"{APPLE}, 9.12; {RFC_8216BIS}, 4.4.2.1",
    ),
    Rule(
        "independent-multivariant",
        Level.SHOULD,
        "EXT-X-INDEPENDENT-SEGMENTS stands in the multivariant playlist.",
        f"{APPLE}, 9.11",
    ),
    Rule(
        "map",
        Level.MUST,
        "EXT-X-MAP names the init segment before the first fragmented segment.",
        f"{RFC_8216BIS}, 3.1.2 and 4.4.4.5; {APPLE}, 8.20",
    ),
    Rule(
        "bandwidth",
        Level.MUST,
        "The measured peak lies within 10 % of BANDWIDTH.",
        f"{APPLE}, 1.27",
    ),
    Rule(
        "bandwidth-covers",
        Level.SHOULD,
        "BANDWIDTH is not less than the measured peak.",
        f"{RFC_8216BIS}, 4.4.6.2; {APPLE}, 9.13 (a MUST there; 1.27 tolerates 10 %)",
    ),
    Rule(
        "average-bandwidth",
        Level.MUST,
        "AVERAGE-BANDWIDTH is there, and the measured average within 10 % of it.",
        f"{APPLE}, 1.26 and 9.14",
    ),
    Rule(
        "codecs",
        Level.MUST,
        "CODECS lists exactly what the init segments of the variant hold.",
        f"{RFC_8216BIS}, 4.4.6.2; {APPLE}, 9.1; RFC 6381",
    ),
    Rule(
        "resolution",
        Level.MUST,
        "RESOLUTION is there and equals the picture of the bitstream.",
        f"{RFC_8216BIS}, 4.4.6.2; {APPLE}, 9.2",
    ),
    Rule(
        "frame-rate",
        Level.MUST,
        "FRAME-RATE is there and equals that of the samples.",
        f"{RFC_8216BIS}, 4.4.6.2; {APPLE}, 9.15",
    ),
    Rule(
        "frame-rate-limit",
        Level.SHOULD,
        "There are at most 60 frames a second.",
        f"{APPLE}, 1.19 (a SHALL NOT there, for Apple's devices)",
    ),
    Rule(
        "video-range",
        Level.MUST,
        "VIDEO-RANGE is that of the bitstream; none is SDR.",
        f"{RFC_8216BIS}, 4.4.6.2; {APPLE}, 9.16",
    ),
    Rule(
        "closed-captions",
        Level.SHOULD,
        "Where CLOSED-CAPTIONS is NONE, no first picture of a segment holds any (A/53).",
        f"{RFC_8216BIS}, 4.4.6.2",
    ),
    Rule(
        "groups",
        Level.MUST,
        "Groups that variants name exist, and all of one type have the same members.",
        f"{RFC_8216BIS}, 4.4.6.1.1 and 4.4.6.2.1",
    ),
    Rule(
        "rendition-names",
        Level.MUST,
        "The NAMEs of a group differ, and at most one member is the DEFAULT.",
        f"{RFC_8216BIS}, 4.4.6.1.1",
    ),
    Rule(
        "default-autoselect",
        Level.MUST,
        "A DEFAULT rendition may be selected automatically.",
        f"{RFC_8216BIS}, 4.4.6.1",
    ),
    Rule(
        "default-audio",
        Level.SHOULD,
        "Every audio group has a DEFAULT, so that all players begin with the same.",
        f"{RFC_8216BIS}, 4.4.6.1 (DEFAULT)",
    ),
    Rule(
        "language",
        Level.MUST,
        "LANGUAGE has the form of BCP 47.",
        f"{RFC_8216BIS}, 4.4.6.1",
    ),
    Rule(
        "language-present",
        Level.SHOULD,
        "Audio and subtitles say their LANGUAGE.",
        f"{APPLE}, 8.10 (a MUST there, which sources without one cannot keep)",
    ),
    Rule(
        "channels",
        Level.SHOULD,
        "CHANNELS of audio is there and equals that of the init segment.",
        f"{RFC_8216BIS}, 4.4.6.1",
    ),
    Rule(
        "session-data",
        Level.MUST,
        "EXT-X-SESSION-DATA has a VALUE or leads to JSON, once for each id and language.",
        f"{RFC_8216BIS}, 4.4.6.4",
    ),
    Rule(
        "iframe-playlists",
        Level.MUST,
        "There are I-frame playlists for fast forward and seeking.",
        f"{APPLE}, 6.1",
    ),
    Rule(
        "iframe-attributes",
        Level.MUST,
        "EXT-X-I-FRAME-STREAM-INF leads to I-frames only, with their CODECS and RESOLUTION.",
        f"{APPLE}, 6.8, 9.3 and 9.4",
    ),
    Rule(
        "iframe-pictures",
        Level.MUST,
        "Each entry of an I-frame playlist begins with one whole sync sample.",
        f"{RFC_8216BIS}, 4.4.3.6; {APPLE}, 6",
    ),
    Rule(
        "iframe-bandwidth",
        Level.SHOULD,
        "BANDWIDTH of an I-frame playlist is not less than its measured peak.",
        f"{RFC_8216BIS}, 4.4.6.3",
    ),
)
