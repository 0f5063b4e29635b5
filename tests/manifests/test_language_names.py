"""
What viewers choose captions by.
"""

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import attrs
import pytest

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.manifests import dash
from hvcore.manifests.automatic_names import _ENDINGS, automatic_name
from hvcore.manifests.captions import offer_captions, offer_captions_in_manifest
from hvcore.manifests.hls import quotable
from hvcore.manifests.language_names import _NAMES, language_name
from hvcore.manifests.languages import canonical_tag
from tests.support.media_samples import index, video_track

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


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "English, automatic"),
        ("de-AT", "Deutsch (AT), automatisch"),
        ("zh-Hant-TW", "繁體中文 (TW)，自動"),  # noqa: RUF001 - the comma of Chinese
        ("zh-TW", "中文 (TW)，自動"),  # noqa: RUF001 - the comma of Chinese
        ("ar", "العربية، تلقائي"),
        ("cy", "Cymraeg, awtomatig"),
        ("tlh", "tlh, automatic"),
    ],
)
def test_captions_by_machine_say_so_in_their_language(
    language: str, expected: str
) -> None:
    made = attrs.evolve(
        track(language, language_name(language)), is_generated=True, confidence=0.9
    )

    assert names(made) == labels(made) == [expected]
    assert names(attrs.evolve(made, is_generated=False)) != [expected]


def test_names_of_captions_by_machine_differ_from_all_others() -> None:
    made = attrs.evolve(track("en-GB", "English"), is_generated=True)
    offered = [track("fr", "English, automatic"), made, track("en", "English")]

    assert names(*offered) == ["English, automatic", "English, automatic 2", "English"]


def test_players_are_told_which_captions_a_machine_wrote() -> None:
    made = attrs.evolve(track("en", "English"), is_generated=True)

    lines = offer_captions(MASTER, [made, track("de", "Deutsch")]).split("\n")

    assert [
        'CHARACTERISTICS="public.machine-generated"' in line for line in lines[1:3]
    ] == [True, False]


def test_captions_stand_in_a_manifest_as_one_file_with_a_role() -> None:
    manifest = dash.manifest(index(video_track()))
    forced = attrs.evolve(track("en", "Signs"), is_forced=True)

    text = offer_captions_in_manifest(manifest, [track("de", "Deutsch"), forced])

    assert text.count("</AdaptationSet>") == 3
    assert (
        """
    <AdaptationSet contentType="text" mimeType="text/vtt" lang="de">
      <Label>Deutsch</Label>
      <Role schemeIdUri="urn:mpeg:dash:role:2011" value="subtitle" />
      <Representation id="captions-de.vtt" bandwidth="256">
        <BaseURL>captions-de.vtt</BaseURL>
      </Representation>
    </AdaptationSet>
    <AdaptationSet contentType="text" mimeType="text/vtt" lang="en">
"""
        in text
    )
    assert 'value="forced-subtitle"' in text.partition('lang="en"')[2]


def test_a_video_without_captions_offers_none() -> None:
    manifest = dash.manifest(index(video_track()))

    assert offer_captions(MASTER, []) == MASTER
    assert offer_captions_in_manifest(manifest, []) == manifest


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("ZH-hant-tw", "zh-Hant-TW"),
        ("de-ch-1996", "de-CH-1996"),
        ("sl-ROZAJ", "sl-rozaj"),
        ("es-419", "es-419"),
        ("de-1A2b", "de-1a2b"),
        ("zh-hant-hant", ""),
        ("und", ""),
    ],
)
def test_a_tag_is_written_in_its_usual_case(given: str, written: str) -> None:
    assert canonical_tag(given) == written


@pytest.mark.parametrize("tag", _ENDINGS)
def test_each_word_for_automatic_is_of_a_language_with_a_name(tag: str) -> None:
    assert language_name(tag) != tag
    assert quotable(automatic_name("x", tag)) == automatic_name("x", tag)


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
