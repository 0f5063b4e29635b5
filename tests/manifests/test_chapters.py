"""
Chapters as players read them.
"""

import json

from hvcore.domain.processing.chapters import Chapter
from hvcore.manifests.chapters import apple_chapters, offer_chapters, webvtt_chapters

CHAPTERS = [
    Chapter(start_ms=0, end_ms=1500, title="Äpfel & <b>"),
    Chapter(start_ms=1500, end_ms=61_250, title="Birnen"),
]


def test_players_of_apple_read_seconds() -> None:
    assert json.loads(apple_chapters(CHAPTERS)) == [
        {
            "chapter": 1,
            "start-time": 0,
            "duration": 1.5,
            "titles": [{"language": "und", "title": "Äpfel & <b>"}],
        },
        {
            "chapter": 2,
            "start-time": 1.5,
            "duration": 59.75,
            "titles": [{"language": "und", "title": "Birnen"}],
        },
    ]


def test_a_title_is_no_markup_in_webvtt() -> None:
    text = webvtt_chapters(CHAPTERS).decode()

    assert "00:00:01.500 --> 00:01:01.250\nBirnen" in text
    assert "Äpfel &amp; &lt;b&gt;" in text


def test_a_master_playlist_ends_with_the_offer_of_chapters() -> None:
    assert offer_chapters("#EXTM3U\n\n").startswith("#EXTM3U\n#EXT-X-SESSION-DATA:")
