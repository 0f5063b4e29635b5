"""
Files and addresses that come in by the dashboard.
"""

import base64

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.ids import OrgId
from hvcore.domain.videos.states import VideoState
from hvcore.incoming.partial import PARTIAL_PREFIX
from tests.dashboard.opened import VIDEOS, Dashboard, PersonClient, policy_of
from tests.support.http.world import ORG

UPLOAD = f"/dashboard/{ORG}/upload"
FILES = f"{UPLOAD}/files"


def created(person: PersonClient, length: int = 5, **metadata: str) -> Result:
    fields = {"fileName": "clip.mp4", **metadata}
    pairs = [
        f"{name} {base64.b64encode(value.encode()).decode()}"
        for name, value in fields.items()
    ]
    headers = {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": str(length),
        "Upload-Metadata": ",".join(pairs),
        "X-HV-Change-Token": person.session.person.change_token,
    }
    return person.send("POST", FILES, headers=headers)


def test_the_page_may_send_to_the_upload_address_alone(
    dashboard: Dashboard,
) -> None:
    answer = dashboard.sign_in(Role.EDITOR).get(UPLOAD)

    assert policy_of(answer)["connect-src"] == "'self' https://upload.test"


def test_an_upload_is_created_and_goes_to_the_upload_address(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.EDITOR)

    answer = created(person, videoQuality="high", allowPublicAccess="true")

    assert answer.status_code == 201
    assert answer.headers["location"].startswith("https://upload.test/")
    assert answer.headers["tus-resumable"] == "1.0.0"
    with dashboard.world.services.uow.read() as work:
        video = work.videos.find(answer.headers["x-asset-id"])
    assert video is not None
    assert video.state is VideoState.AWAITING_UPLOAD
    assert video.is_public
    assert video.settings.preset.value == "high"
    assert video.env_id == dashboard.world.env.id
    entry = dashboard.world.services.audit.latest(ORG, limit=1)[0]
    assert (entry.action, entry.actor_name) == ("video.upload", "Editor Person")


@pytest.mark.parametrize(
    ("change", "status"),
    [({"length": 0}, 400), ({"length": 2**40}, 413), ({"videoQuality": "best"}, 400)],
    ids=str,
)
def test_a_refused_upload_says_why_as_json(
    dashboard: Dashboard, change: dict[str, object], status: int
) -> None:
    answer = created(dashboard.sign_in(Role.EDITOR), **change)  # type: ignore[arg-type]  # some are texts

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["detail"]


def set_anew(person: PersonClient, video_id: str, **settings: str) -> Result:
    token = {"X-HV-Change-Token": person.session.person.change_token}
    return person.send("POST", f"{FILES}/{video_id}", fields=settings, headers=token)


def test_a_begun_upload_becomes_what_is_set_when_it_goes_on(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    begun = created(person, videoQuality="high", allowPublicAccess="true")
    video_id = begun.headers["x-asset-id"]

    answer = set_anew(person, video_id, videoQuality="ultra", allowPublicAccess="false")

    assert answer.json == {"videoQuality": "ultra", "allowPublicAccess": "false"}
    video = dashboard.video(video_id)
    assert (video.is_public, video.settings.preset.value) == (False, "ultra")
    assert video.state is VideoState.AWAITING_UPLOAD
    assert dashboard.last_audited() == ("video.change", video_id, "Editor Person")


def test_an_upload_that_has_come_already_is_made_private_and_says_how_it_is_encoded(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(is_public=True)

    answer = set_anew(
        dashboard.sign_in(Role.EDITOR),
        video_id,
        videoQuality="ultra",
        allowPublicAccess="false",
    )

    before = dashboard.video(video_id).settings.preset.value
    assert answer.json == {"videoQuality": before, "allowPublicAccess": "false"}
    assert before != "ultra"
    assert not dashboard.video(video_id).is_public


def test_nothing_is_uploaded_to_an_organization_without_environments(
    dashboard: Dashboard,
) -> None:
    dashboard.world.services.tenants.create_organization("org_new")
    person = dashboard.sign_in(Role.EDITOR, org="org_new")
    headers = {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": "5",
        "X-HV-Change-Token": person.session.person.change_token,
    }

    answer = person.send("POST", "/dashboard/org_new/upload/files", headers=headers)

    assert answer.status_code == 400
    assert answer.json["detail"] == "The organization has no environment yet."


def test_texts_are_changed_while_a_file_is_on_its_way(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    begun = created(person, videoName="First", description="told", tags="red,blue")
    video_id = begun.headers["x-asset-id"]

    answer = set_anew(
        person, video_id, videoName="Second", description="", tags="green, blue"
    )
    kept = set_anew(person, video_id, videoName="")

    assert (answer.status_code, kept.status_code) == (200, 200)
    video = dashboard.video(video_id)
    assert (video.name, video.description) == ("Second", None)
    assert video.labels.tags == ("green", "blue")
    assert video.event_count == 0


def test_texts_that_were_not_sent_stay_as_somebody_else_has_set_them(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    video_id = created(person, videoName="First").headers["x-asset-id"]
    other = dashboard.sign_in(Role.ADMIN)

    set_anew(other, video_id, videoName="Theirs")
    set_anew(person, video_id, tags="mine")

    video = dashboard.video(video_id)
    assert (video.name, video.labels.tags) == ("Theirs", ("mine",))


def test_a_text_sent_when_the_file_has_come_is_kept(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready(is_public=False)

    answer = set_anew(dashboard.sign_in(Role.EDITOR), video_id, videoName="Late")

    assert answer.status_code == 200
    assert dashboard.video(video_id).name == "Late"


@pytest.mark.parametrize(
    "texts",
    [{"videoName": "x" * 5000}, {"tags": "x" * 65}, {"description": "x" * 5001}],
)
def test_a_text_that_cannot_be_is_refused_and_changes_nothing(
    dashboard: Dashboard, texts: dict[str, str]
) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    video_id = created(person, videoName="First").headers["x-asset-id"]

    answer = set_anew(person, video_id, allowPublicAccess="true", **texts)

    assert answer.status_code in {400, 422}
    assert answer.json["detail"]
    video = dashboard.video(video_id)
    assert (video.name, video.is_public) == ("First", False)


@pytest.mark.parametrize("whose", ["of nobody", "ended", "of another environment"])
def test_an_upload_that_is_not_there_cannot_be_set_anew(
    dashboard: Dashboard, whose: str
) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    video_id = created(person).headers["x-asset-id"]
    query = ""
    if whose == "of nobody":
        video_id = "vid_" + "0" * 22
    elif whose == "ended":
        now = dashboard.world.services.clock.now()
        dashboard.world.change(video_id, lambda video: video.delete(now))
    else:
        made = dashboard.world.services.tenants.create_environment(
            ORG, "other", EnvironmentKind.DEVELOPMENT
        )
        query = f"env={made.name}"
    token = {"X-HV-Change-Token": person.session.person.change_token}

    answer = person.send(
        "POST", f"{FILES}/{video_id}", query=query, fields={}, headers=token
    )

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_an_upload_needs_the_protocol(dashboard: Dashboard) -> None:
    answer = dashboard.sign_in(Role.EDITOR).post(FILES)

    assert answer.status_code == 412


def test_a_video_is_fetched_from_an_address(dashboard: Dashboard) -> None:
    dashboard.world.names.set("videos.example.com", ["93.184.216.34"])
    person = dashboard.sign_in(Role.EDITOR)
    fields = {
        "videoURL": "https://videos.example.com/a/Summer%20trip.mp4?sig=secret",
        "videoQuality": "standard",
    }

    answer = person.post(UPLOAD, fields)

    assert answer.status_code == 303, answer.text
    assert answer.headers["location"] == f"/dashboard/{ORG}/videos"
    listed = person.get(answer.headers["location"])
    assert "Summer trip" in listed.text


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "required"),
        ("http://videos.example.com/a.mp4", "https"),
        ("https://127.0.0.1/a.mp4", "videoURL"),
        ("https://[::1", "videoURL"),
    ],
)
def test_a_refused_address_is_shown_again_with_the_reason(
    dashboard: Dashboard, url: str, said: str
) -> None:
    fields = {"videoURL": url, "videoName": "Kept <b>", "videoQuality": "high"}

    answer = dashboard.sign_in(Role.EDITOR).post(UPLOAD, fields)

    assert answer.status_code in {400, 422}
    assert 'aria-invalid="true"' in answer.text
    assert said in answer.text
    assert 'value="Kept &lt;b&gt;"' in answer.text
    assert answer.text.count('<option value="high" selected>') >= 1


def test_uploads_on_their_way_stand_above_the_list(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    video_id = created(person, 10, videoName="On its <i>way").headers["x-asset-id"]
    services = dashboard.world.services
    with services.uow.read() as work:
        (grant,) = work.grants.arriving(
            dashboard.world.env, services.clock.now(), limit=9
        )
    folder = services.resumable.partial_files().folder
    (folder / f"{PARTIAL_PREFIX}{grant.id}").write_bytes(b"1234")

    listed = person.get(VIDEOS).text
    moved = person.fragment(f"{VIDEOS}/uploading").text

    assert f'id="arriving-{video_id}"' in listed
    assert "On its &lt;i&gt;way" in moved
    assert "Uploading 40 %" in moved
    assert 'hx-get="' in moved
    assert video_id not in person.get(VIDEOS, "search=way").text
    assert video_id not in person.fragment(f"{VIDEOS}/uploading", "env=dev").text
    dashboard.world.services.deletion.delete(
        person.session.person.principal_in(OrgId(ORG), Role.EDITOR), ORG, video_id, None
    )
    assert "hx-get" not in person.fragment(f"{VIDEOS}/uploading").text
