"""
Captions asked for by those who may not, and by those who ask for as much as they can.
"""

import json
import time
from typing import Final
from urllib.parse import quote

import orjson
import pytest
from falcon.testing import Result

from hvcore.domain.ids import VideoId
from hvcore.domain.processing.speech import SpokenCue, SpokenWord
from hvcore.domain.tasks.kinds import CAPTIONS_MAKE
from hvcore.domain.videos.caption_jobs import Transcript
from hvcore.domain.videos.captions import (
    MAX_CAPTION_TRACKS,
    MAX_CUES,
    CaptionTrack,
    Cue,
    write_webvtt,
)
from hvcore.testing.memory_transcriber import MemoryTranscriber
from hvcore.wire.stored import to_stored
from tests.support.http.world import ORG, OTHER_ORG, World, body_of, problem_of

TURNS: Final = 20
WEBVTT: Final = b"WEBVTT\n\n00:01.000 --> 00:02.000\nmy own words\n"
SECRET: Final = b"WEBVTT\n\n00:01.000 --> 00:02.000\nsecret plans\n"
TEXT: Final = {"Content-Type": "text/vtt"}
ODD: Final = ("%00", "%ff%fe", "a" * 3_000, "en%2F..%2F..", "-", "x-y-z", "[]", "1e9")
ROUTES: Final = (
    ("GET", "captions"),
    ("PUT", "captions/en"),
    ("DELETE", "captions/en"),
    ("POST", "captions/generate"),
    ("DELETE", "captions/generate"),
    ("GET", "transcript/en"),
    ("GET", "transcript/en?format=srt"),
)
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
TAGS: Final = [a + b for a in LETTERS for b in LETTERS]
WORDS: Final = 8
"""Of a cue; the file of words of all cues has 14 MB then."""


@pytest.fixture(autouse=True)
def _transcriber(api: World) -> None:
    vars(api.services)["transcriber"] = MemoryTranscriber()


def send(api: World, method: str, path: str, query: str = "") -> Result:
    """
    Send a request, with captions if it stores some.
    """
    if method == "PUT":
        return api.call(method, path, query=query, body=WEBVTT, headers=TEXT)
    return api.call(method, path, query=query)


def test_captions_that_are_ordered_and_cancelled_in_turn_leave_a_task_for_each_video(
    api: World,
) -> None:
    videos = [api.ready() for _ in range(3)]

    for _ in range(TURNS):
        for video in videos:
            path = f"/v1/videos/{video}/captions/generate"
            assert api.post(path, {}).status_code == 200
            problem_of(api.post(path, {}), 409, "conflict")
            assert api.call("DELETE", path).status_code == 200

    with api.services.uow.read() as work:
        for video in videos:
            (job,) = work.caption_jobs.of_video(VideoId(video))
            assert not job.is_running
            # It removes what may have been stored.
            assert len(work.tasks.unended(video, kind=CAPTIONS_MAKE)) == 1


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (json.dumps({"languages": ["en"] * 1_000}), {400}),
        (json.dumps({"languages": (TAGS * 2)[:1_000]}), {400}),
        (json.dumps({"languages": ["en" * 500_000]}), {400, 413}),
        ('{"languages": ' + "[" * 100_000 + "]" * 100_000 + "}", {400, 413, 422}),
        (json.dumps({"languages": ["en"], "more": "x" * 10_000_000}), {400, 413}),
    ],
    ids=["one language", "all languages", "a long one", "nested", "megabytes"],
)
def test_endless_lists_of_languages_are_refused_at_once(
    api: World, body: str, statuses: set[int]
) -> None:
    video = api.ready()
    headers = {"Content-Type": "application/json"}
    full = api.system_key()
    places = (
        ("POST", f"/v1/videos/{video}/captions/generate", api.key),
        ("PUT", f"/v1/api/{ORG}/environments/live/caption-defaults", full),
    )
    for method, path, key in places:
        began_s = time.process_time()

        refused = api.call(method, path, body=body.encode(), headers=headers, key=key)

        assert refused.status_code in statuses
        assert len(refused.content) < 5_000
        assert time.process_time() - began_s < 1.0
    assert body_of(api.get(f"/v1/videos/{video}/captions"))["jobs"] == []


def test_captions_of_others_are_reached_by_no_route(api: World) -> None:
    theirs, foreign = api.ready(api.other_env), api.ready(api.dev)
    system = api.system_key()
    for org, video in ((OTHER_ORG, theirs), (ORG, foreign)):
        stored = api.call(
            "PUT",
            f"/v1/api/{org}/videos/{video}/captions/en",
            body=SECRET,
            headers=TEXT,
            key=system,
        )
        assert stored.status_code == 200

    for method, path in ROUTES:
        for root in (
            "/v1/videos",
            f"/v1/api/{ORG}/videos",
            f"/v1/api/{OTHER_ORG}/videos",
        ):
            for video in (theirs, foreign):
                place, _, query = f"{root}/{video}/{path}".partition("?")
                refused = send(api, method, place, query)

                assert refused.status_code in {403, 404}, (method, place)
                assert "secret" not in refused.text

    for org, video in ((OTHER_ORG, theirs), (ORG, foreign)):
        kept = api.get(
            f"/v1/api/{org}/videos/{video}/transcript/en", "format=text", key=system
        )
        assert kept.text == "secret plans\n"


@pytest.mark.parametrize("odd", ODD)
def test_odd_languages_have_neither_captions_nor_a_transcript(
    api: World, odd: str
) -> None:
    video = api.ready()

    for method, path in (
        ("GET", f"transcript/{odd}"),
        ("PUT", f"captions/{odd}"),
        ("DELETE", f"captions/{odd}"),
    ):
        refused = send(api, method, f"/v1/videos/{video}/{path}")

        assert refused.status_code in {400, 404}, (method, path)
    assert body_of(api.get(f"/v1/videos/{video}/captions"))["captions"] == []
    assert not [path for path in api.storage.files if path.endswith(".vtt")]


def test_captions_in_all_languages_that_a_video_may_have_are_found_and_told(
    api: World,
) -> None:
    video = api.ready()
    root = f"/v1/videos/{video}/captions"
    known = TAGS[: MAX_CAPTION_TRACKS + 1]

    for tag in known[:-1]:
        sent = api.call("PUT", f"{root}/{tag}", body=WEBVTT, headers=TEXT)
        assert sent.status_code == 200, tag

    over = api.call("PUT", f"{root}/{known[-1]}", body=WEBVTT, headers=TEXT)
    problem_of(over, 400, "invalid_parameters")
    assert len(body_of(api.get(root))["captions"]) == MAX_CAPTION_TRACKS
    found = body_of(api.get("/v1/videos", f"spoken={quote('own words')}"))["videos"]
    assert [one["id"] for one in found] == [video]
    assert len(found[0]["spokenHits"]) <= 3


@pytest.mark.long
def test_a_transcript_of_many_megabytes_costs_two_seconds_at_most(api: World) -> None:
    video = api.ready()
    cues = [
        Cue(start_ms=4_000 * n, end_ms=4_000 * n + 3_200, text=f"number {n} " * WORDS)
        for n in range(MAX_CUES)
    ]
    heard = Transcript(
        language="en",
        cues=tuple(
            SpokenCue(
                start_ms=cue.start_ms,
                end_ms=cue.end_ms,
                text=cue.text,
                words=tuple(
                    SpokenWord(
                        text=f"number{at}",
                        start_ms=cue.start_ms + 400 * at,
                        end_ms=cue.start_ms + 400 * at + 400,
                        confidence=0.918273,
                    )
                    for at in range(WORDS)
                ),
            )
            for cue in cues
        ),
    )
    written = write_webvtt(cues)
    track = CaptionTrack(
        video_id=VideoId(video),
        language="en",
        label="English",
        cues=len(cues),
        size_bytes=len(written),
        sha256="0" * 64,
        version="cap_1a1",
        created_at=api.clock.now(),
        is_generated=True,
        confidence=0.9,
    )
    with api.services.uow.write() as work:
        work.captions.put(track)
        work.commit()
    api.storage.files[track.path] = written
    api.storage.files[str(track.words_path)] = orjson.dumps(to_stored(heard))

    for form in ("json", "text", "srt", "vtt"):
        began_s = time.process_time()
        # Without the check against the description, which takes seconds.
        told = api.client.simulate_get(
            f"/v1/videos/{video}/transcript/en",
            params={"format": form},
            headers={"X-Api-Key": api.key.value},
        )
        took_s = time.process_time() - began_s

        assert told.status_code == 200
        assert len(told.content) > 1_000_000
        assert took_s < 2.0, (form, took_s)
