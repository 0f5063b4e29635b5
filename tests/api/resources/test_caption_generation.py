"""
Captions by machine: ordered by API, and how far they are.
"""

import json
from base64 import b64encode

import pytest
from falcon.testing import Result

from hvcore.domain.videos.caption_jobs import MAX_WISHES
from hvcore.errors import UnavailableError
from hvcore.services.captions.orders import CANCELLED, NO_SOUND_HERE, NO_TRANSCRIBER
from hvcore.testing.memory_transcriber import MemoryTranscriber
from tests.support.fakes import TextTranscoder
from tests.support.http.world import ORG, World, body_of, problem_of

WEBVTT = b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"


@pytest.fixture
def transcriber(api: World) -> MemoryTranscriber:
    made = MemoryTranscriber()
    vars(api.services)["transcriber"] = made
    return made


@pytest.mark.usefixtures("transcriber")
def test_ordered_captions_are_told_with_their_progress(api: World, videos: str) -> None:
    path = f"{videos}/{api.ready()}/captions"
    now = api.clock.now().isoformat(timespec="milliseconds")[:-6] + "Z"

    made = body_of(api.post(f"{path}/generate", {"languages": ["DE", "auto", "de"]}))

    assert made["captions"] == []
    auto, german = made["jobs"]
    assert german == {
        "wish": "de",
        "state": "waiting",
        "language": None,
        "languageAssumed": False,
        "progress": 0,
        "confidence": None,
        "cues": 0,
        "reason": None,
        "createdAt": now,
        "changedAt": now,
    }
    assert auto["wish"] == "auto"
    assert body_of(api.get(path)) == made


@pytest.mark.usefixtures("transcriber")
@pytest.mark.parametrize("body", [None, {}, {"languages": None}])
def test_captions_are_made_in_the_language_that_is_spoken_unless_one_is_named(
    api: World, body: object
) -> None:
    path = f"/v1/videos/{api.ready()}/captions/generate"

    made = body_of(api.call("POST", path, json=body))

    assert [job["wish"] for job in made["jobs"]] == ["auto"]


@pytest.mark.usefixtures("transcriber")
def test_captions_are_not_ordered_twice_at_a_time(api: World, videos: str) -> None:
    path = f"{videos}/{api.ready()}/captions/generate"
    api.post(path, {})

    problem_of(api.post(path, {"languages": ["de"]}), 409, "conflict")


@pytest.mark.usefixtures("transcriber")
def test_a_repeated_order_with_its_key_gets_the_first_answer(api: World) -> None:
    path = f"/v1/videos/{api.ready()}/captions/generate"
    key = {"Idempotency-Key": "once"}

    first = api.call("POST", path, json={}, headers=key)
    second = api.call("POST", path, json={}, headers=key)

    assert body_of(second) == body_of(first)
    assert second.headers["Idempotency-Replayed"] == "true"


@pytest.mark.usefixtures("transcriber")
def test_captions_that_are_cancelled_are_told_with_that_reason(
    api: World, videos: str
) -> None:
    path = f"{videos}/{api.ready()}/captions"
    api.post(f"{path}/generate", {"languages": ["de", "auto"]})

    told = body_of(api.call("DELETE", f"{path}/generate"))

    assert [(job["state"], job["reason"]) for job in told["jobs"]] == [
        ("failed", CANCELLED)
    ] * 2
    assert body_of(api.get(path)) == told
    # Nothing runs any more, so that nothing is changed.
    assert body_of(api.call("DELETE", f"{path}/generate")) == told
    body_of(api.post(f"{path}/generate", {}))


@pytest.mark.usefixtures("transcriber")
def test_orders_above_the_minutes_of_the_month_are_refused(
    api: World, videos: str
) -> None:
    path = f"{videos}/{api.ready()}/captions/generate"
    api.services.quotas.change(ORG, {"caption_minutes_per_month": 0})

    refused = api.post(path, {})

    problem = problem_of(refused, 429, "quota_exceeded")
    assert "captionMinutesPerMonth of this organization is used up" in problem["detail"]
    assert int(refused.headers["Retry-After"]) > 0


def test_without_a_transcriber_captions_by_machine_are_refused(
    api: World, videos: str
) -> None:
    path = f"{videos}/{api.ready()}/captions/generate"

    problem = problem_of(api.post(path, {}), 422, "invalid_parameters")

    assert problem["detail"] == f"languages {NO_TRANSCRIBER}."


@pytest.mark.usefixtures("transcriber")
def test_a_transcoder_that_takes_no_sound_makes_no_captions(
    api: World,
) -> None:
    vars(api.services)["transcoder"] = TextTranscoder()
    path = f"/v1/videos/{api.ready()}/captions/generate"

    problem = problem_of(api.post(path, {}), 422, "invalid_parameters")

    assert problem["detail"] == f"languages {NO_SOUND_HERE}."


@pytest.mark.usefixtures("transcriber")
def test_a_language_that_the_model_lacks_is_refused_at_once(
    api: World, videos: str
) -> None:
    path = f"{videos}/{api.ready()}/captions/generate"

    problem = problem_of(
        api.post(path, {"languages": ["en", "ja"]}), 422, "invalid_parameters"
    )

    assert problem["detail"] == (
        "languages must be languages that can be transcribed here (auto, de, en, es), "
        "and not ja."
    )


@pytest.mark.usefixtures("transcriber")
@pytest.mark.parametrize(
    ("languages", "status"),
    [
        ([], 400),
        (["en"] * (MAX_WISHES + 1), 400),
        (["en-US"], 400),
        ([""], 400),
        (["../x"], 400),
        ("en", 422),
        (True, 422),
        ([7], 422),
        ([None], 422),
        ({"en": 1}, 422),
    ],
)
def test_wishes_that_are_no_languages_are_refused(
    api: World, languages: object, status: int
) -> None:
    path = f"/v1/videos/{api.ready()}/captions/generate"

    problem = problem_of(
        api.post(path, {"languages": languages}), status, "invalid_parameters"
    )

    assert problem["errors"][0]["location"] == "body.languages"


@pytest.mark.usefixtures("transcriber")
def test_captions_of_a_person_stand_against_an_order(api: World) -> None:
    path = f"/v1/videos/{api.ready()}/captions"
    api.call("PUT", f"{path}/de", body=WEBVTT, headers={"Content-Type": "text/vtt"})

    refused = api.post(f"{path}/generate", {"languages": ["en", "de"]})

    assert "(de) that a person wrote" in problem_of(refused, 409, "conflict")["detail"]
    assert body_of(api.get(path))["jobs"] == []


@pytest.mark.usefixtures("transcriber")
def test_only_a_ready_video_gets_captions_by_machine(api: World, videos: str) -> None:
    waiting, failed = api.transcoding(), api.failed()

    problem_of(api.post(f"{videos}/{waiting}/captions/generate", {}), 409, "conflict")
    refused = api.post(f"{videos}/{failed}/captions/generate", {})
    problem_of(refused, 400, "invalid_parameters")


def test_a_transcriber_that_is_away_says_nothing_of_itself(
    api: World, transcriber: MemoryTranscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise UnavailableError("Put the model into /srv/secret.")

    monkeypatch.setattr(MemoryTranscriber, "capabilities", lambda _: away())
    path = f"/v1/videos/{api.ready()}/captions/generate"

    problem = problem_of(api.post(path, {}), 503, "unavailable")

    assert transcriber.orders == []
    assert "/srv" not in problem["detail"]


def tus_metadata(**fields: str) -> dict[str, str]:
    encoded = (
        f"{name} {b64encode(value.encode()).decode()}" for name, value in fields.items()
    )
    return {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": "5",
        "Upload-Metadata": ",".join(encoded),
    }


def asked(api: World, way: str, *, captions: object) -> Result:
    """
    Ask for a video with captions, in one of the ways to do so.
    """
    wanted = {"fileName": "a.mp4", "generateCaptions": captions}
    if way == "upload-url":
        return api.post("/v1/videos/upload-url", wanted)
    if way == "tus":
        text = captions if isinstance(captions, str) else json.dumps(captions)
        headers = tus_metadata(fileName="a.mp4", generateCaptions=text)
        return api.call("POST", "/v1/uploads", headers=headers)
    if way == "upload":
        url = {"videoURL": "https://example.com/a.mp4"}
        return api.post("/v1/videos/upload", wanted | url)
    path = body_of(api.post("/v1/videos/upload-url", {"fileName": "a.mp4"}))
    api.upload(path["bucketPath"])
    request = {
        "gcsPath": path["bucketPath"],
        "videoQuality": "standard",
        "allowPublicAccess": False,
        "generateCaptions": captions,
    }
    return api.post("/v1/videos/process", request)


WAYS = ("upload-url", "upload", "tus", "process")


@pytest.mark.parametrize("way", WAYS)
def test_captions_that_cannot_be_made_are_refused_with_the_video(
    api: World, way: str
) -> None:
    problem = problem_of(asked(api, way, captions=True), 422, "invalid_parameters")

    assert problem["errors"][0]["message"].endswith(f"{NO_TRANSCRIBER}.")


@pytest.mark.usefixtures("transcriber")
@pytest.mark.parametrize("way", ["upload-url", "tus"])
def test_captions_are_wished_for_together_with_the_video(api: World, way: str) -> None:
    video_id = asked(api, way, captions=True)
    found = (
        video_id.headers["X-Asset-Id"] if way == "tus" else body_of(video_id)["videoID"]
    )

    with api.services.uow.read() as work:
        video = work.videos.find(found)

    assert video is not None
    assert video.settings.caption_languages == ("auto",)


@pytest.mark.usefixtures("transcriber")
@pytest.mark.parametrize("way", WAYS)
def test_a_language_that_the_model_lacks_is_refused_with_the_video(
    api: World, way: str
) -> None:
    captions = "de,ja" if way == "tus" else ["de", "ja"]

    problem = problem_of(asked(api, way, captions=captions), 422, "invalid_parameters")

    assert problem["errors"][0]["message"].endswith("and not ja.")
