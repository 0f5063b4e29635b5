"""
Transcripts of videos, in all formats.
"""

import orjson
import pytest

from hvcore.domain.ids import VideoId
from hvcore.domain.processing.speech import SpokenCue, SpokenWord
from hvcore.domain.videos.caption_jobs import Transcript
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.wire.stored import to_stored
from tests.support.http.world import World, body_of, problem_of

WEBVTT = b"""WEBVTT

00:01.000 --> 01:02.500
<v Tom><b>Hello</b> &amp; good
morning</v>

01:03.000 --> 01:04.000
Bye --&gt; now
"""


@pytest.fixture
def video(api: World) -> str:
    made = api.ready()
    path = f"/v1/videos/{made}/captions/en-US"
    api.call("PUT", path, body=WEBVTT, headers={"Content-Type": "text/vtt"})
    return made


def generated(api: World, video: str) -> None:
    word = SpokenWord(text="Hej", start_ms=1500, end_ms=1900, confidence=0.75)
    cue = SpokenCue(start_ms=1500, end_ms=2000, text="Hej", words=(word,))
    said = Transcript(language="sv", cues=(cue,))
    track = CaptionTrack(
        video_id=VideoId(video),
        language="sv",
        label="Svenska",
        cues=1,
        size_bytes=1,
        sha256="0",
        version="cap_1a1",
        created_at=api.clock.now(),
        is_generated=True,
        confidence=0.75,
    )
    with api.services.uow.write() as work:
        work.captions.put(track)
        work.commit()
    api.storage.files[str(track.words_path)] = orjson.dumps(to_stored(said))


@pytest.mark.parametrize("left", [None, b'{"language": "sv"'])
def test_generated_captions_whose_words_are_lost_are_told_without_them(
    api: World, videos: str, video: str, left: bytes | None
) -> None:
    generated(api, video)
    (folder,) = {
        path.rpartition("/")[0] for path in api.storage.files if "/captions/" in path
    }
    del api.storage.files[f"{folder}/sv-cap_1a1.words.json"]
    if left is not None:
        api.storage.files[f"{folder}/sv-cap_1a1.words.json"] = left
    api.storage.files[f"{folder}/sv-cap_1a1.vtt"] = WEBVTT

    told = body_of(api.get(f"{videos}/{video}/transcript/sv"))

    assert told["generated"]
    assert told["cues"]
    assert all(not cue.get("words") for cue in told["cues"])


def test_generated_captions_are_told_with_their_words(
    api: World, videos: str, video: str
) -> None:
    generated(api, video)

    told = body_of(api.get(f"{videos}/{video}/transcript/sv"))

    assert told == {
        "language": "sv",
        "generated": True,
        "confidence": 0.75,
        "cues": [
            {
                "startSeconds": 1.5,
                "endSeconds": 2.0,
                "text": "Hej",
                "words": [
                    {
                        "text": "Hej",
                        "startSeconds": 1.5,
                        "endSeconds": 1.9,
                        "confidence": 0.75,
                    }
                ],
            }
        ],
    }


def test_captions_of_a_person_are_told_without_words(
    api: World, videos: str, video: str
) -> None:
    told = body_of(api.get(f"{videos}/{video}/transcript/en-us"))

    assert (told["language"], told["generated"]) == ("en-US", False)
    assert told["confidence"] is None
    assert [(cue["text"], cue["words"]) for cue in told["cues"]] == [
        ("Hello & good morning", []),
        ("Bye --> now", []),
    ]


@pytest.mark.parametrize(
    ("form", "media_type", "text"),
    [
        ("text", "text/plain", "Hello & good morning\nBye --> now\n"),
        (
            "srt",
            "application/x-subrip",
            """1
00:00:01,000 --> 00:01:02,500
Hello & good
morning

2
00:01:03,000 --> 00:01:04,000
Bye -> now
""",
        ),
    ],
)
def test_a_transcript_is_a_file_where_the_query_or_the_header_asks_for_one(
    api: World, video: str, form: str, media_type: str, text: str
) -> None:
    path = f"/v1/videos/{video}/transcript/en-US"

    by_query = api.get(path, query=f"format={form}")
    by_header = api.call("GET", path, headers={"Accept": media_type.upper()})

    assert by_query.text == by_header.text == text
    for answer in (by_query, by_header):
        assert answer.headers["Content-Type"] == f"{media_type}; charset=utf-8"


def test_a_transcript_as_webvtt_is_what_viewers_get(api: World, video: str) -> None:
    answer = api.get(f"/v1/videos/{video}/transcript/en-US", query="format=vtt")

    (stored,) = [data for path, data in api.storage.files.items() if ".vtt" in path]
    assert answer.content == stored


@pytest.mark.parametrize("accept", ["*/*", "application/json", "image/png", "no list"])
def test_a_transcript_is_json_where_nothing_else_is_asked_for(
    api: World, video: str, accept: str
) -> None:
    path = f"/v1/videos/{video}/transcript/en-US"

    answer = api.call("GET", path, headers={"Accept": accept})

    assert body_of(answer)["language"] == "en-US"


def test_a_transcript_that_is_not_there_is_not_found(
    api: World, videos: str, video: str
) -> None:
    for language in ("de", "en", "x" * 200, "%00", "..%2F..%2Fetc"):
        answer = api.get(f"{videos}/{video}/transcript/{language}")
        assert answer.status_code == 404, language
    answer = api.get(f"{videos}/{video}/transcript/en-US", query="format=pdf")
    problem_of(answer, 400, "invalid_parameters")


def test_captions_without_their_file_are_not_found(api: World, video: str) -> None:
    api.storage.files.clear()

    answer = api.get(f"/v1/videos/{video}/transcript/en-US")

    problem_of(answer, 404, "not_found")
