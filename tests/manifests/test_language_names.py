"""
What viewers choose captions by.
"""

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.manifests.captions import offer_captions, offer_captions_in_manifest
from hvcore.manifests.hls import quotable
from hvcore.manifests.language_names import _NAMES, language_name
from hvcore.manifests.languages import canonical_tag

MASTER = "#EXTM3U\n#EXT-X-STREAM-INF:A=1\nx\n"


def track(language: str, label: str) -> CaptionTrack:
    return CaptionTrack(
        video_id=VideoId("vid_a"),
        language=language,
        label=label,
        cues=1,
        size_bytes=1,
        sha256="0" * 64,
        version="v",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def names(*tracks: CaptionTrack) -> list[str]:
    return re.findall(r'NAME="([^"]*)"', offer_captions(MASTER, tracks))


def labels(*tracks: CaptionTrack) -> list[str | None]:
    manifest = offer_captions_in_manifest("<Period>\n  </Period>\n", tracks)
    return [one.text for one in ET.fromstring(manifest).iter("Label")]  # noqa: S314 - our own text


@pytest.mark.parametrize(
    ("language", "label", "expected"),
    [
        ("en", "en", "English"),
        ("de", "de", "Deutsch"),
        ("de", "de (forced)", "Deutsch (forced)"),
        ("pt-BR", "pt-BR", "Português (BR)"),
        ("zh-Hant-TW", "zh-Hant-TW", "繁體中文 (TW)"),
        ("en", "", "English"),
        ("tlh", "tlh", "tlh"),
        ("und", "Captions", "Captions"),
    ],
)
def test_captions_without_a_title_are_called_by_their_language(
    language: str, label: str, expected: str
) -> None:
    assert names(track(language, label)) == [expected]
    assert labels(track(language, label)) == [expected]


def test_captions_with_a_title_keep_it() -> None:
    titled = track("de", "Für Gehörlose")

    assert names(titled) == labels(titled) == ["Für Gehörlose"]


def test_names_of_captions_differ() -> None:
    offered = [track("fr", "English"), track("en", "en"), track("en-GB", "English")]

    assert names(*offered) == ["English", "English 2", "English 3"]


@pytest.mark.parametrize("tag", _NAMES)
def test_a_language_has_one_name_of_its_own_under_its_usual_tag(tag: str) -> None:
    assert canonical_tag(tag) == tag
    assert quotable(language_name(tag)) == language_name(tag)
    assert [one for one in _NAMES if _NAMES[one] == _NAMES[tag]] == [tag]
