"""
The page of a video: what it shows, and what changes it.
"""

import re

import attrs
import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import VideoId
from hvcore.domain.labels import Labels
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.transcoding import MediaFile, Segment
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import VideoChanges
from tests.dashboard.opened import VIDEOS, Dashboard, ids_in, policy_of
from tests.dashboard.pages.videos.test_resources import NAMES, is_harmless
from tests.dashboard.sent_forms import form_of
from tests.persistence.samples import order
from tests.support.http.world import job_of, media

TABS = ("", *(f"/{n}" for n in ("captions", "picture", "sharing", "embed")))
ALL_TABS = (*TABS, "/analytics", "/events", "/explain")


@pytest.mark.parametrize("tab", ALL_TABS)
def test_a_name_changes_nothing_around_it(shared: Dashboard, tab: str) -> None:
    person = shared.sign_in(Role.EDITOR)
    for name in NAMES.values():
        video_id = shared.world.ready(name="plain")
        changes = VideoChanges(name=name, description=name + "<b>\r\n" * 200)
        shared.world.change(video_id, lambda video, it=changes: video.change(it))

        answer = person.get(f"{VIDEOS}/{video_id}{tab}")

        assert answer.status_code == 200
        assert ids_in(answer)
        assert is_harmless(answer), name
        assert "<b>\n" not in answer.text


def test_a_viewer_is_offered_no_change(dashboard: Dashboard) -> None:
    video_id = dashboard.world.failed()
    viewer = dashboard.sign_in(Role.VIEWER)

    for tab in ALL_TABS:
        answer = viewer.get(f"{VIDEOS}/{video_id}{tab}")

        assert answer.status_code == 200
        forms = answer.text.count('method="post"')
        # Signing out, and asking why something is refused.
        assert forms == (2 if tab == "/explain" else 1)


def test_a_private_video_plays_by_a_token_of_its_own(
    dashboard: Dashboard,
) -> None:
    public_id = dashboard.world.ready()
    private_id = dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.VIEWER)

    public, private = (person.get(f"{VIDEOS}/{one}") for one in (public_id, private_id))

    player = dashboard.world.services.settings.public.player_url
    assert f'src="{player}/v1/embed/{public_id}"' in public.text
    assert f'src="{player}/v1/embed/{private_id}?token=' in private.text
    assert policy_of(private)["frame-src"] == player
    renewed = person.get(f"{VIDEOS}/{private_id}/player").json
    assert f"/v1/private/{private_id}/master.m3u8?token=" in renewed["url"]


def test_an_encoding_moves_by_itself_until_it_is_done(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.transcoding()
    person = dashboard.sign_in(Role.VIEWER)
    path = f"{VIDEOS}/{video_id}/facts"

    page, running = person.get(f"{VIDEOS}/{video_id}"), person.fragment(path)
    dashboard.world.fail(video_id)
    ended = person.fragment(path)

    assert f'hx-get="{path}"' in page.text
    assert f'hx-get="{path}"' in running.text
    assert "hx-get" not in ended.text
    assert "There is no picture." in ended.text


def test_a_video_on_its_way_has_one_page(dashboard: Dashboard) -> None:
    video_id = dashboard.world.awaited()
    person = dashboard.sign_in(Role.EDITOR)

    page = person.get(f"{VIDEOS}/{video_id}")

    assert "Its file is on its way" in page.text
    assert 'aria-label="Video"' not in page.text
    assert {
        person.get(f"{VIDEOS}/{video_id}{tab}").status_code for tab in TABS[1:]
    } == {404}


def test_name_description_and_visibility_are_changed(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(is_public=True)
    person = dashboard.sign_in(Role.EDITOR)
    sent = {"videoName": " New ", "description": "a\r\nb", "access": "private"}

    answer = person.submit(f"{VIDEOS}/{video_id}", sent)

    video = dashboard.video(video_id)
    assert answer.status_code == 303
    assert (video.name, video.description, video.is_public) == ("New", "a\nb", False)
    assert dashboard.last_audited() == ("video.change", video_id, "Editor Person")


def test_a_description_is_cleared(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    changes = VideoChanges(description="old")
    dashboard.world.change(video_id, lambda video: video.change(changes))

    dashboard.sign_in(Role.EDITOR).submit(f"{VIDEOS}/{video_id}", {"description": " "})

    assert dashboard.video(video_id).description is None


def test_a_wrong_change_is_shown_beside_its_field(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(name="old")
    sent = {"videoName": "", "description": "kept <b>"}

    answer = dashboard.sign_in(Role.EDITOR).submit(f"{VIDEOS}/{video_id}", sent)

    assert answer.status_code == 400
    assert 'id="videoName-about"' in answer.text
    assert "kept &lt;b&gt;" in answer.text
    assert dashboard.video(video_id).name == "old"


LABELS = Labels(
    external_id="order 4711",
    metadata=(("kept", "a: b \u202e\u2028c"), ("changed", "old"), ("gone", "x")),
    tags=("one", "two words"),
)


def labelled(dashboard: Dashboard, labels: Labels = LABELS) -> VideoId:
    video_id = dashboard.world.ready()
    dashboard.world.change(video_id, lambda video: setattr(video, "labels", labels))
    return video_id


def test_labels_are_shown_and_a_tag_leads_to_its_videos(
    dashboard: Dashboard,
) -> None:
    video_id = labelled(dashboard)

    text = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}").text

    assert "order 4711" in text
    assert f'href="{VIDEOS}?tag=two+words"' in text
    assert "<dt>changed</dt>" in text
    assert "\u202e" not in text


def test_what_is_not_changed_of_labels_stays_as_it_is(
    dashboard: Dashboard,
) -> None:
    video_id = labelled(dashboard)
    person = dashboard.sign_in(Role.EDITOR)
    before = dashboard.video(video_id)

    assert person.submit(f"{VIDEOS}/{video_id}").status_code == 303
    assert dashboard.video(video_id) == before


def test_labels_are_changed_beside_what_a_program_has_set_meanwhile(
    dashboard: Dashboard,
) -> None:
    video_id = labelled(dashboard)
    person = dashboard.sign_in(Role.EDITOR)
    path = f"{VIDEOS}/{video_id}"
    seen = person.get(path)
    kept, *others = LABELS.metadata
    meanwhile = attrs.evolve(LABELS, metadata=(kept, *others, ("program", "1")))
    dashboard.world.change(video_id, lambda video: setattr(video, "labels", meanwhile))
    (text,) = form_of(seen, path)["metadata"]
    lines = text.replace("old", "new: er").split("\r\n")
    changed = {
        "externalID": "",
        "tags": "two words, three,,",
        "metadata": "\r\n".join(line for line in lines if line[:4] != "gone"),
    }

    assert person.submit(path, changed, seen=seen).status_code == 303

    assert dashboard.video(video_id).labels == Labels(
        metadata=(kept, ("changed", "new: er"), ("program", "1")),
        tags=("two words", "three"),
    )


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("metadata", "no colon"),
        ("metadata", "empty:"),
        ("metadata", "twice: 1\ntwice: 2"),
        ("metadata", "a key: 1"),
        ("metadata", f"long: {'x' * 501}"),
        ("tags", "x" * 65),
        ("externalID", "x" * 256),
    ],
)
def test_wrong_labels_are_shown_beside_their_field(
    dashboard: Dashboard, field: str, text: str
) -> None:
    video_id = labelled(dashboard)
    person = dashboard.sign_in(Role.EDITOR)
    path = f"{VIDEOS}/{video_id}"
    sent = {**form_of(person.get(path), path), field: [text.replace("\n", "\r\n")]}

    answer = person.post(path, sent)

    assert answer.status_code == 400
    assert f'class="field-error" id="{field}-about"' in answer.text
    assert form_of(answer, path) == sent
    assert dashboard.video(video_id).labels == LABELS


def test_an_external_id_that_another_video_has_is_refused(
    dashboard: Dashboard,
) -> None:
    labelled(dashboard)
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)

    answer = person.submit(f"{VIDEOS}/{video_id}", {"externalID": "order 4711"})

    assert answer.status_code == 409
    assert "order 4711" in answer.text
    assert dashboard.video(video_id).labels == Labels()


def test_a_failed_video_is_tried_again(dashboard: Dashboard) -> None:
    video_id = dashboard.world.failed()
    person = dashboard.sign_in(Role.EDITOR)
    assert "Try again" in person.get(f"{VIDEOS}/{video_id}").text

    answer = person.post(f"{VIDEOS}/{video_id}/retry")

    assert answer.status_code == 303
    assert dashboard.video(video_id).state is VideoState.TRANSCODING
    assert dashboard.last_audited()[:2] == ("video.retry", video_id)
    assert person.post(f"{VIDEOS}/{video_id}/retry").status_code == 409


def test_a_video_is_deleted_with_a_reason(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)

    answer = person.post(f"{VIDEOS}/{video_id}/delete", {"reason": "copyright_claim"})

    video = dashboard.video(video_id)
    assert answer.headers["location"] == VIDEOS
    assert video.state is VideoState.DELETED
    assert video.deletion_reason is DeletionReason.COPYRIGHT_CLAIM
    assert dashboard.last_audited()[0] == "video.delete"
    assert person.get(f"{VIDEOS}/{video_id}").status_code == 404


def test_the_ladder_is_as_it_was_measured(dashboard: Dashboard) -> None:
    video_id = dashboard.world.transcoding()
    made = media(12.0)
    segments = tuple(
        Segment(
            number=number,
            duration_s=6.0,
            file=MediaFile(size_bytes=size_bytes, sha256="0" * 64),
        )
        for number, size_bytes in enumerate((300_000, 450_000))
    )
    rung, *others = made.tracks
    track = attrs.evolve(rung.track, segments=segments)
    made = attrs.evolve(made, tracks=(attrs.evolve(rung, track=track), *others))
    dashboard.world.change(
        video_id, lambda video: video.mark_ready(job_of(video), made)
    )

    text = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}").text

    assert re.findall(r"([\d,]+) kbit/s", text) == [
        *("500", "500", "600"),
        "96",
    ]


def test_operators_see_who_makes_a_video_and_why(dashboard: Dashboard) -> None:
    video_id = dashboard.world.transcoding()
    job = TranscodeJob(
        id=job_of(dashboard.video(video_id)),
        video_id=VideoId(video_id),
        order=order(),
        parts_total=1,
        parts_left=1,
        transcoder="cloud",
        chosen_because="duration > 60 min",
    )
    with dashboard.world.services.uow.write() as work:
        work.jobs.add(job)
        work.commit()

    operator, viewer = (dashboard.sign_in(role) for role in (None, Role.VIEWER))

    for path in (f"{VIDEOS}/{video_id}", f"{VIDEOS}/{video_id}/facts"):
        assert "duration &gt; 60 min" in operator.get(path).text
        assert "duration &gt; 60 min" not in viewer.get(path).text


def test_the_fields_of_editors_come_before_technical_details(
    dashboard: Dashboard,
) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}"

    page = dashboard.sign_in(Role.EDITOR).get(path)

    ids = re.findall(r'\bid="([^"]+)"', page.text)
    wanted = ["player", "videoName", "description", "tags", "access", "technical"]
    assert [one for one in ids if one in {*wanted, "ladder"}] == [*wanted, "ladder"]
    folded = re.search(r'<details id="technical"[^>]*>', page.text)
    assert folded
    assert " open" not in folded[0]
    after = page.text[folded.end() :]
    for text in ("<dt>Id</dt>", "<dt>Encoder</dt>", "<h3>Ladder</h3>"):
        assert text in after


def test_a_wrong_field_is_not_folded(dashboard: Dashboard) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}"
    person = dashboard.sign_in(Role.EDITOR)

    page, wrong = person.get(path), person.submit(path, {"metadata": "no colon"})

    assert '<details class="fold">' in page.text
    assert '<details class="fold" open>' in wrong.text


@pytest.mark.parametrize("is_allowed", [True, False])
def test_downloads_are_allowed_by_a_box(
    dashboard: Dashboard, *, is_allowed: bool
) -> None:
    video_id = dashboard.world.ready()
    before = VideoChanges(allows_download=not is_allowed)
    dashboard.world.change(video_id, lambda video: video.change(before))
    path = f"{VIDEOS}/{video_id}"
    sent = ["yes", "no"] if is_allowed else ["no"]

    answer = dashboard.sign_in(Role.EDITOR).submit(path, {"allowDownload": sent})

    assert answer.status_code == 303
    assert dashboard.video(video_id).allows_download is is_allowed


def test_a_page_without_the_box_leaves_downloads_as_they_are(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    before = VideoChanges(allows_download=True)
    dashboard.world.change(video_id, lambda video: video.change(before))
    path = f"{VIDEOS}/{video_id}"
    person = dashboard.sign_in(Role.EDITOR)
    sent = form_of(person.get(path), path)
    old = {name: sent[name] for name in sent if "allowDownload" not in name}

    person.post(path, {**old, "videoName": "New"})

    assert dashboard.video(video_id).allows_download
    assert dashboard.video(video_id).name == "New"
