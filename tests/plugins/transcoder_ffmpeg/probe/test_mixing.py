"""
The filters that mix sound for which ffmpeg has no rule.
"""

import pytest

from hvcore_transcoder_ffmpeg.probe.mixing import own_mix


@pytest.mark.parametrize(
    ("layout", "channels"),
    [
        ("mono", 1),
        ("stereo", 2),
        ("5.1(side)", 6),
        ("7.1(wide)", 8),
        ("1 channels (LFE)", 1),
        ("2 channels (FC+LFE)", 2),
        ("6 channels (FL+FR+FC+LFE+TFL+TFR)", 6),
        ("unknown", 4),
        ("", 2),
        ("3 channels (FL+LFE)", 3),
        ("2 channels (FL@a;exit+FR)", 2),
    ],
)
def test_what_ffmpeg_mixes_has_no_mix_of_ours(layout: str, channels: int) -> None:
    assert own_mix(layout, channels) == ""


@pytest.mark.parametrize(
    ("layout", "channels", "ears"),
    [
        ("2 channels (FL+LFE)", 2, "c0=1.0000*c0|c1=1.0000*c0"),
        ("2 channels (BR+LFE)", 2, "c0=1.0000*c0|c1=1.0000*c0"),
        ("2 channels (LFE+LFE2)", 2, "c0=0.5000*c0+0.5000*c1|c1=0.5000*c0+0.5000*c1"),
        ("3 channels (FL+FC+BR)", 3, "c0=0.5000*c0+0.5000*c1|c1=0.5000*c1+0.5000*c2"),
        ("ambisonic 1", 4, "c0=0.5*c0+0.5*c1|c1=0.5*c0-0.5*c1"),
        ("ambisonic 3", 16, "c0=0.5*c0+0.5*c1|c1=0.5*c0-0.5*c1"),
        ("16 channels (hexadecagonal)", 16, "c0=c0|c1=c1"),
    ],
)
def test_each_ear_has_its_own_side_and_the_middle(
    layout: str, channels: int, ears: str
) -> None:
    assert own_mix(layout, channels).endswith(f"pan=stereo|{ears}")
