"""
Captions that a machine makes: ordered, followed, listed, and downloaded.
"""

import re
from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.caption_jobs import CaptionJob, CaptionJobState
from hvcore.domain.videos.heard_speech import HeardSpeech
from hvcore.errors import UnavailableError
from hvcore.services.captions.orders import NO_TRANSCRIBER
from hvcore.testing.memory_transcriber import MemoryTranscriber
from tests.dashboard.opened import VIDEOS, Dashboard, ids_in
from tests.dashboard.pages.video.sent_files import VTT, post_file
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG


@pytest.fixture
def transcriber(dashboard: Dashboard) -> MemoryTranscriber:
    made = MemoryTranscriber()
    vars(dashboard.world.services)["transcriber"] = made
    return made


def spoken(dashboard: Dashboard, **changes: Any) -> tuple[VideoId, str]:  # noqa: ANN401 - of a job
    """
    Make a video with a caption job; return its id and the address of its tab.
    """
    world = dashboard.world
    video_id = VideoId(world.ready())
    job = CaptionJob(
        **{
            "id": f"cap_{video_id}",
            "video_id": video_id,
            "org_id": ORG,
            "wish": "auto",
            "duration_ms": 620_000,
            "created_at": world.clock.now(),
            "changed_at": world.clock.now(),
            **changes,
        }
    )
    with world.services.uow.write() as work:
        work.caption_jobs.put(job)
        work.commit()
    return video_id, f"{VIDEOS}/{video_id}/captions"


def put(dashboard: Dashboard, path: str) -> None:
    file = ("file", "a.vtt", "text/vtt", VTT)
    post_file(dashboard.sign_in(Role.EDITOR), path, file, {"language": "en"})


def jobs(dashboard: Dashboard, path: str) -> list[CaptionJob]:
    with dashboard.world.services.uow.read() as work:
        return list(work.caption_jobs.of_video(VideoId(path.split("/")[-2])))


@pytest.mark.usefixtures("transcriber")
@pytest.mark.parametrize("wish", ["auto", "de"])
def test_editors_have_captions_made(dashboard: Dashboard, wish: str) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    person = dashboard.sign_in(Role.EDITOR)

    answer = person.submit(f"{path}/generate", {"spoken": wish}, page=path)

    assert answer.status_code == 303
    assert [job.wish for job in jobs(dashboard, path)] == [wish]
    shown = person.get(path)
    assert "Waiting" in shown.text
    assert f"{path}/generate" not in shown.text
    assert ids_in(shown)
    action, _, who = dashboard.last_audited()
    assert (action, who) == ("captions.generate", "Editor Person")


@pytest.mark.usefixtures("transcriber")
def test_captions_are_made_in_the_spoken_language_unless_one_is_chosen(
    dashboard: Dashboard,
) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    page = dashboard.sign_in(Role.EDITOR).get(path)

    assert form_of(page, f"{path}/generate")["spoken"] == ["auto"]
    for name in ("The one that is spoken", "Deutsch (de)", "English (en)"):
        assert name in page.text


def test_a_language_that_is_assumed_is_told_before(
    dashboard: Dashboard, transcriber: MemoryTranscriber
) -> None:
    transcriber.detects = False
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"

    assert "English (assumed)" in dashboard.sign_in(Role.EDITOR).get(path).text


@pytest.mark.usefixtures("transcriber")
def test_a_language_that_the_transcriber_lacks_is_refused_at_once(
    dashboard: Dashboard,
) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"

    answer = dashboard.sign_in(Role.EDITOR).post(f"{path}/generate", {"spoken": "ja"})

    assert answer.status_code == 422
    assert "must be languages that can be transcribed here" in answer.text
    assert 'class="field-error" id="spoken-about"' in answer.text
    assert jobs(dashboard, path) == []


@pytest.mark.usefixtures("transcriber")
@pytest.mark.parametrize(("spoken_in", "status"), [("no language!", 400), ("en", 409)])
def test_captions_that_cannot_be_ordered_are_refused_with_the_reason(
    dashboard: Dashboard, spoken_in: str, status: int
) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    put(dashboard, path)

    answer = dashboard.sign_in(Role.EDITOR).post(
        f"{path}/generate", {"spoken": spoken_in}
    )

    assert answer.status_code == status
    assert 'class="field-error" id="spoken-about"' in answer.text
    assert jobs(dashboard, path) == []


@pytest.mark.usefixtures("transcriber")
def test_captions_that_are_ordered_twice_are_made_once(dashboard: Dashboard) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    person = dashboard.sign_in(Role.EDITOR)
    page = person.get(path)

    answers = [
        person.submit(f"{path}/generate", page=path, seen=page) for _ in range(2)
    ]

    assert [one.status_code for one in answers] == [303, 409]
    assert "Captions of this video are being made" in answers[1].text
    assert len(jobs(dashboard, path)) == 1


def test_without_a_transcriber_it_is_said_that_there_is_none(
    dashboard: Dashboard,
) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    editor = dashboard.sign_in(Role.EDITOR)

    assert "no transcriber is set up" in editor.get(path).text
    assert f"{path}/generate" not in editor.get(path).text
    answer = editor.post(f"{path}/generate", {"spoken": "auto"})
    assert answer.status_code == 422
    assert f"languages {NO_TRANSCRIBER}." in answer.text


def test_a_transcriber_that_is_away_does_not_take_the_page_along(
    dashboard: Dashboard,
    transcriber: MemoryTranscriber,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(_self: MemoryTranscriber) -> None:
        raise UnavailableError("secret-host does not answer")

    monkeypatch.setattr(type(transcriber), "capabilities", away)
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"

    answer = dashboard.sign_in(Role.EDITOR).get(path)

    assert answer.status_code == 200
    assert "The transcriber is not available" in answer.text
    assert "secret-host" not in answer.text


READY, FAILED = CaptionJobState.READY, CaptionJobState.FAILED


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        ({"wish": "de"}, ["Waiting", "Deutsch (de)"]),
        (
            {"state": CaptionJobState.RUNNING, "done_ms": 300_000},
            ["Running", "5 of 11 minutes", 'value="48"', "The spoken language"],
        ),
        (
            {"state": FAILED, "language": "en", "reason": "Too <b>unsure."},
            ["Failed", "Too &lt;b&gt;unsure.", "English (en)"],
        ),
        (
            {"state": READY, "language": "en", "is_assumed": True, "cues": 1},
            ["Ready", "1 cue", "English (en, assumed)"],
        ),
    ],
)
@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_a_job_is_told_with_its_progress_or_its_end(
    dashboard: Dashboard, changes: Mapping[str, object], texts: list[str], role: Role
) -> None:
    _, path = spoken(dashboard, **changes)
    person = dashboard.sign_in(role)

    page, fragment = person.get(path), person.fragment(f"{path}/jobs")

    for text in texts:
        assert text in page.text
        assert text in fragment.text
    is_running = "state" not in changes or "done_ms" in changes
    asks = re.findall('hx-trigger="every ([0-9]+)s"', fragment.text)
    waits = "state" not in changes
    assert asks == (["30" if waits else "3"] if is_running else [])
    assert ("Show all captions" in fragment.text) != is_running
    assert "Show all captions" not in page.text


@pytest.mark.usefixtures("transcriber")
def test_editors_stop_captions_that_are_being_made(dashboard: Dashboard) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    person = dashboard.sign_in(Role.EDITOR)
    person.submit(f"{path}/generate", page=path)
    page = person.get(path)

    answers = [person.submit(f"{path}/cancel", page=path, seen=page) for _ in range(2)]

    assert [one.status_code for one in answers] == [303, 303]
    assert [job.state for job in jobs(dashboard, path)] == [FAILED]
    assert f"{path}/generate" in person.get(path).text
    viewer = dashboard.sign_in(Role.VIEWER)
    assert viewer.post(f"{path}/cancel").status_code == 403


@pytest.mark.usefixtures("transcriber")
def test_viewers_read_captions_and_order_none(dashboard: Dashboard) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    put(dashboard, path)
    viewer = dashboard.sign_in(Role.VIEWER)
    page = viewer.get(path)

    assert "Make captions" not in page.text
    assert "/edit" not in page.text
    assert viewer.post(f"{path}/generate", {"spoken": "auto"}).status_code == 403
    assert viewer.get(f"{path}/en/files/srt").status_code == 200


@pytest.mark.parametrize(
    ("form", "ending", "beginning"),
    [
        ("vtt", "vtt", "WEBVTT\n"),
        ("srt", "srt", "1\n00:00:01,000 --> 00:00:02,500\nHello <i> & you\n"),
        ("text", "txt", "Hello <i> & you and all\n"),
    ],
)
def test_captions_are_downloaded_in_each_format(
    dashboard: Dashboard, form: str, ending: str, beginning: str
) -> None:
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}/captions"
    put(dashboard, path)

    answer = dashboard.sign_in(Role.VIEWER).get(f"{path}/en/files/{form}")

    assert answer.text.startswith(beginning)
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="{video_id}-en.{ending}"'
    )
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_file_that_is_not_there_is_not_found(dashboard: Dashboard) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    put(dashboard, path)
    viewer = dashboard.sign_in(Role.VIEWER)

    assert viewer.get(f"{path}/de/files/vtt").status_code == 404
    assert viewer.get(f"{path}/en/files/json").status_code == 404


def test_generated_captions_are_listed_as_such(dashboard: Dashboard) -> None:
    video_id, path = spoken(dashboard, state=READY)
    put(dashboard, path)
    assert "Automatic" not in dashboard.sign_in(Role.VIEWER).get(path).text
    with dashboard.world.services.uow.write() as work:
        (track,) = work.captions.of_video(video_id)
        # As attempts at jobs name theirs.
        made = attrs.evolve(
            track, version="cap_0a1", is_generated=True, confidence=0.917
        )
        work.captions.put(made)
        work.commit()

    page = dashboard.sign_in(Role.VIEWER).get(path)

    assert "Automatic, 92 % sure" in page.text
    assert "Speech without captions" not in page.text


def test_speech_without_captions_is_listed_once_something_was_heard(
    dashboard: Dashboard,
) -> None:
    video_id, path = spoken(dashboard, state=READY)
    put(dashboard, path)
    heard = HeardSpeech(language="en", spans=((1_000, 2_000), (60_000, 72_400)))
    with dashboard.world.services.uow.write() as work:
        (job,) = work.caption_jobs.of_video(video_id)
        work.caption_jobs.save_heard(job.id, heard)
        work.commit()

    page = dashboard.sign_in(Role.VIEWER).get(path)

    assert "Speech without captions" in page.text
    assert '<td class="number">12 s</td>' in page.text
