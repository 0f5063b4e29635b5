"""The rules that published init segments, media segments and renditions beside each other must keep."""

from typing import Final

from hvcore.conformance.rule import APPLE, BMFF, CMAF, NAL, RFC_8216BIS, Level, Rule

MEDIA_RULES: Final = (
    Rule(
        "boxes",
        Level.MUST,
        "Boxes are well-formed and do not go on behind their container.",
        f"{BMFF}, 4.2",
    ),
    Rule(
        "init-brands",
        Level.MUST,
        "ftyp has a brand of fragmented files (cmfc, cmf2, iso6 or a later one).",
        f"{RFC_8216BIS}, 3.1.2; {CMAF}, 7.2",
    ),
    Rule(
        "cmaf-brand",
        Level.SHOULD,
        "ftyp has the brand cmfc or cmf2.",
        f"{CMAF}, 7.2; DASH-IF IOP",
    ),
    Rule(
        "init-one-track",
        Level.MUST,
        "The init segment has exactly one track.",
        f"{CMAF}, 7.3",
    ),
    Rule(
        "init-no-samples",
        Level.MUST,
        "The init segment has no samples and no media data.",
        f"{CMAF}, 7.3",
    ),
    Rule(
        "init-fragments",
        Level.MUST,
        "mvex and trex announce the fragments of the track.",
        f"{CMAF}, 7.5; {BMFF}, 8.8.1",
    ),
    Rule(
        "edit-list",
        Level.MUST,
        "No edit list, but for one that takes audio's priming or video's offset away.",
        f"{CMAF}, 7.5",
    ),
    Rule(
        "edit-list-none",
        Level.SHOULD,
        "Video needs no edit list.",
        f"{CMAF}, 7.5 (brand cmf2)",
    ),
    Rule(
        "as-decoded",
        Level.MUST,
        "Pictures are shown as they are decoded: no matrix turns, no clap crops them, and "
        "their pixels are square.",
        f"{BMFF}, 8.3.2 and 12.1.4; {RFC_8216BIS}, 4.4.6.2",
    ),
    Rule(
        "same-shape",
        Level.MUST,
        "All renditions of the video have the same shape, but for even numbers.",
        f"{CMAF}, 7.3",
    ),
    Rule(
        "source-shape",
        Level.MUST,
        "The pictures have the shape of the source as it is shown.",
        "Videos, as published here",
    ),
    Rule(
        "sample-entry",
        Level.MUST,
        "One sample entry, whose decoder configuration is whole.",
        f"{NAL}, 5.3 and 8.3",
    ),
    Rule(
        "stored-parameter-sets",
        Level.SHOULD,
        "Parameter sets are stored in the sample entry: avc1 and hvc1, not avc3 and hev1.",
        f"{APPLE}, 1.10",
    ),
    Rule(
        "entry-size",
        Level.MUST,
        "The sample entry's width and height are those of the parameter sets.",
        f"{CMAF}, 9",
    ),
    Rule(
        "codec-level",
        Level.MUST,
        "The codec's level covers picture size and frame rate.",
        "ITU-T H.264, A.3; H.265, A.4",
    ),
    Rule(
        "device-profile",
        Level.SHOULD,
        "H.264 is at most High, level 5.2; H.265 at most Main 10, level 5.1.",
        f"{APPLE}, 1.3b and 1.6b (a MUST there, for Apple's devices)",
    ),
    Rule(
        "colour",
        Level.SHOULD,
        "Colour is explicit, by colr (nclx) or in the parameter sets.",
        f"{CMAF}, 9; DASH-IF IOP",
    ),
    Rule(
        "screen-metadata",
        Level.SHOULD,
        "Only HDR tells of its mastering display and light levels (mdcv, clli, SEI).",
        "ITU-T H.264, D.2.29 and D.2.31; H.265, D.3.28 and D.3.35",
    ),
    Rule(
        "fragment-structure",
        Level.MUST,
        "A segment is styp or nothing, then moof with one traf, and its mdat.",
        f"{CMAF}, 7.3; {RFC_8216BIS}, 3.1.2",
    ),
    Rule(
        "fragment-base",
        Level.MUST,
        "Offsets in fragments count from their moof.",
        f"{CMAF}, 7.5",
    ),
    Rule(
        "track-id",
        Level.MUST,
        "Fragments belong to the track of the init segment.",
        f"{BMFF}, 8.8.7",
    ),
    Rule("sequence-number", Level.MUST, "mfhd's numbers rise.", f"{BMFF}, 8.8.5"),
    Rule(
        "decode-time",
        Level.MUST,
        "A fragment begins where the one before it ended, by at most one tick.",
        f"{CMAF}, 7.3; {APPLE}, 7.1 and 7.3",
    ),
    Rule(
        "sample-data",
        Level.MUST,
        "The samples fill the mdat exactly.",
        f"{CMAF}, 7.5; {BMFF}, 8.8.8",
    ),
    Rule(
        "key-frame",
        Level.MUST,
        "Every video segment begins with an IDR picture that is marked as sync sample.",
        f"{APPLE}, 7.4; {CMAF}, 7.3",
    ),
    Rule(
        "in-band-parameter-sets",
        Level.MUST,
        "Samples of avc1 and hvc1 hold no parameter sets.",
        f"{NAL}, 5.3 and 8.3",
    ),
    Rule(
        "segment-duration",
        Level.MUST,
        "EXTINFs, and every sum of EXTINFs in a row, are right to the frame.",
        f"{APPLE}, 8.1; {RFC_8216BIS}, 4.4.4.1",
    ),
    Rule(
        "segment-duration-exact",
        Level.SHOULD,
        "EXTINF is right to the millisecond.",
        f"{RFC_8216BIS}, 4.4.4.1",
    ),
    Rule(
        "webvtt",
        Level.MUST,
        "Subtitles that have no init segment are WebVTT.",
        f"{RFC_8216BIS}, 3.1.4; {APPLE}, 5.2",
    ),
    Rule(
        "webvtt-timestamps",
        Level.SHOULD,
        "X-TIMESTAMP-MAP ties the times of WebVTT to those of the video.",
        f"{RFC_8216BIS}, 3.1.4; {APPLE}, 5.3 (a MUST there)",
    ),
    Rule(
        "aligned",
        Level.MUST,
        "Segments of all video renditions begin at the same times.",
        f"{RFC_8216BIS}, 6.2.4; {APPLE}, 8.22 (a SHOULD there); {CMAF}, 7.3; DASH-IF IOP",
    ),
    Rule(
        "same-duration",
        Level.MUST,
        "Audio and video begin and end together, within one segment or a frame of each.",
        f"{APPLE}, 8.3 and 8.7; {RFC_8216BIS}, 6.2.4",
    ),
    Rule(
        "same-duration-close",
        Level.SHOULD,
        "Audio and video begin and end together, within a frame of each.",
        f"{APPLE}, 8.3 and 8.7; {CMAF}, 7.3",
    ),
    Rule(
        "sound-in-step",
        Level.SHOULD,
        "No hole of more than 20 ms is between two samples of audio: players that play "
        "on are out of step from there on.",
        f"{CMAF}, 7.3; EBU R37",
    ),
    Rule(
        "timescale",
        Level.SHOULD,
        "All video renditions have one timescale.",
        f"{CMAF}, 7.3; DASH-IF IOP",
    ),
)
